# Sourced by the end-to-end tests. They get from Meson:
#   TARE      the command          FIXTURES  directory of the built test programs
#   E2E       this directory       E2E_CACHE where instrumented files may be kept between tests
# and have here: a private directory $work that vanishes at the end, and the functions below.

set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/tare-e2e-XXXXXX")
trap 'rm -rf "$work"' EXIT
# A build has a cache of its own: its rewriter may differ at the same version.
XDG_CACHE_HOME=$E2E_CACHE/$(cat "$TARE" "$(dirname "$TARE")"/../../runtime/*.so | cksum | tr ' ' -)
export XDG_CACHE_HOME
export LC_ALL=C
unset LD_AUDIT LD_PRELOAD

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

# record COMMAND…: under tare only; fails unless it ends with 0. Output in $work/recorded.stdout.
record() {
	run_in "$work/recorded" "$TARE" record -q -o "$work/profile.tare" "${record_options[@]}" -- "$@"
	[ "$(cat "$work/recorded.status")" = 0 ] ||
		fail "status $(cat "$work/recorded.status") of: $*: $(tail -n 3 "$work/recorded.stderr")"
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
