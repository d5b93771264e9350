# Sourced by the end-to-end tests. They get from Meson:
#   TARE      the command          FIXTURES  directory of the built test programs
#   E2E       this directory       E2E_CACHE where instrumented files may be kept between tests
# and have here: a private directory $work that vanishes at the end, and the functions below.

set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/tare-e2e-XXXXXX")
# at_end COMMAND: instead of what was to be done then. Only this shell does it: a child that is killed before it has
# begun still has its parent's trap.
at_end() {
	ending=$1
}
at_end remove_work
trap '[ "$BASHPID" != $$ ] || eval "$ending"' EXIT
# A build has a cache of its own: its rewriter may differ at the same version.
XDG_CACHE_HOME=$E2E_CACHE/$(cat "$TARE" "$(dirname "$TARE")"/../../runtime/*.so | cksum | tr ' ' -)
export XDG_CACHE_HOME
export LC_ALL=C
unset LD_AUDIT LD_PRELOAD LD_LIBRARY_PATH DEBUGINFOD_URLS

fail() {
	echo "$*"
	exit 1
}

# A test that cannot run here ends with its reason.
skip() {
	echo "$*"
	exit 77
}

need() {
	local program
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# run_in DIRECTORY COMMAND…: runs it in the fresh directory $work/run, which then becomes DIRECTORY,
# with its output beside as DIRECTORY.stdout, .stderr and .status. Standard input is $input.
input=/dev/null
run_in() {
	local directory=$1 status=0
	shift
	rm -rf "$work/run"
	mkdir "$work/run"
	(cd "$work/run" && exec env -u _ "$@") <"$input" >"$directory.stdout" 2>"$directory.stderr" ||
		status=$?
	echo "$status" >"$directory.status"
	rm -rf "$directory"
	mv "$work/run" "$directory"
}

# same COMMAND…: runs it plain and under tare (options in the array record_options), and fails
# unless standard output and error, status and all files left are the same. The profile is
# $work/profile.tare.
record_options=()
same() {
	local part
	run_in "$work/plain" "$@"
	run_in "$work/recorded" "$TARE" record -q -o "$work/profile.tare" "${record_options[@]}" -- "$@"
	for part in status stdout stderr; do
		cmp "$work/plain.$part" "$work/recorded.$part" || {
			echo "$part differs under tare for: $*"
			diff "$work/plain.$part" "$work/recorded.$part" | head -n 20 || true
			head -n 5 "$work/recorded.stderr"
			exit 1
		}
	done
	diff -r "$work/plain" "$work/recorded" >"$work/files.diff" ||
		fail "files differ under tare: $(head -n 5 "$work/files.diff")"
}

# profile_says TEXT SQL: the answer of the profile $work/profile.tare
profile_says() {
	local found
	found=$(sqlite3 "$work/profile.tare" "$2")
	[ "$found" = "$1" ] || fail "expected $1, found $found: $2"
}

# record COMMAND…: under tare only; fails unless it ends with 0. Output in $work/recorded.stdout.
record() {
	run_in "$work/recorded" "$TARE" record -q -o "$work/profile.tare" "${record_options[@]}" -- "$@"
	[ "$(cat "$work/recorded.status")" = 0 ] ||
		fail "status $(cat "$work/recorded.status") of: $*: $(tail -n 3 "$work/recorded.stderr")"
}

# later: the processes that make copies in this cache when a recording is over, those too that still bear their
# recorder's command; wait_for_later: until none does.
later() {
	local pid
	for pid in $(pgrep -f '^[^ ]*tare (instrument --cache|record) ' || true); do
		! grep -qsz "^XDG_CACHE_HOME=$XDG_CACHE_HOME\$" "/proc/$pid/environ" || echo "$pid"
	done
}

wait_for_later() {
	local i
	for ((i = 0; i < 600; i++)); do
		[ -n "$(later)" ] || return 0
		sleep 0.1
	done
	fail "copies are still made by $(later)"
}

# The test's directory goes, and before it what still makes copies in a cache within it.
remove_work() {
	if [ "${XDG_CACHE_HOME#"$work"}" != "$XDG_CACHE_HOME" ]; then
		later | xargs -r kill 2>/dev/null || true
		wait_for_later
	fi
	rm -rf "$work"
}

# by_timers: from here on runs of $TARE sample, and perf_event_open is refused. $REAL_TARE is without that.
by_timers() {
	"$FIXTURES/refused" 1 true || skip "$("$FIXTURES/refused" 1 true 2>&1)"
	REAL_TARE=$TARE
	TARE=$work/tare-refused
	printf '#!/bin/sh\nexec "%s" 1 "%s" "$@"\n' "$FIXTURES/refused" "$REAL_TARE" >"$TARE"
	chmod +x "$TARE"
	record_options=(--method=sample)
}

# report VIEW [OPTION…]: the view as CSV in $work/VIEW.csv.
report() {
	local view=$1
	shift
	"$TARE" report "$view" "$work/profile.tare" --format=csv "$@" >"$work/$view.csv" ||
		fail "tare report $view failed"
}

compare() {
	"$E2E/compare" "$@" || fail "(compare $*)"
}

# begin_debugged COMMAND…: starts it, one that runs the fixture `debugged` in the end, and waits until
# that works; its process id is in $pid then, its output in $work/out.
begin_debugged() {
	rm -f "$work/out" # what the run before has left is not this one's
	"$@" >"$work/out" 2>&1 &
	for _ in $(seq 200); do
		grep -qs works "$work/out" && break
		sleep 0.1
	done
	pid=$(awk '$1 == "works" {print $2}' "$work/out")
	[ -n "$pid" ] || fail "$1 does not begin to work: $(cat "$work/out")"
}

# compare_all: the functions' counts are those that the program told, and all sums hold.
compare_all() {
	report functions
	compare counts "$work/recorded.stdout" "$work/functions.csv"
	compare sums "$work/functions.csv"
	report threads
	compare whole "$work/threads.csv" "$work/functions.csv"
}

# need_perf: this host lets samples be taken by perf_event_open.
need_perf() {
	"$TARE" record -q --method=sample -o "$work/try.tare" -- true >"$work/try" 2>&1 ||
		skip "no samples here: $(cat "$work/try")"
	COLUMNS=1000 "$TARE" report summary "$work/try.tare" --format=text --no-pager >"$work/try" 2>&1 || true
	grep -q 'collector perf' "$work/try" || skip "no samples by perf_event_open here"
	# The kernel lowers this limit for good where interrupts once took long: its default again.
	local limit=/proc/sys/kernel/perf_event_max_sample_rate
	[ "$(cat $limit)" -ge 20000 ] || { echo 100000 >$limit; } 2>/dev/null || true
}

# cell VIEW KEYCOLUMN KEY COLUMN: the sum of a column of $work/VIEW.csv over the rows with that key.
cell() {
	awk -F, -v key="$3" -v by="$2" -v column="$4" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at[by] == key { sum += $at[column] }
		END { print sum + 0 }' "$work/$1.csv"
}

# shares_hold: functions.csv is that of the fixture `proportions`, each share within six standard
# deviations of its samples' number (one in five hundred million), and half a percent.
shares_hold() {
	local most some least
	most=$(cell functions function most exclusive_samples)
	some=$(cell functions function some exclusive_samples)
	least=$(cell functions function least exclusive_samples)
	awk -v most="$most" -v some="$some" -v least="$least" '
		function off(part, share) {
			return (part / all - share) ^ 2 > (6 * sqrt(share * (1 - share) / all) + 0.005) ^ 2
		}
		BEGIN {
			all = most + some + least
			exit all < 200 || off(most, 0.7) || off(some, 0.2) || off(least, 0.1)
		}' || fail "samples of most, some, least: $most, $some, $least, expected 70, 20, 10 percent${1:+ ($1)}"
}

# The number of rows of $work/VIEW.csv.
rows() {
	tail -n +2 "$work/$1.csv" | wc -l
}
