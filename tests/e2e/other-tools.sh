#!/bin/bash
# Tools that look at programs, or run them by themselves, work under tare as they do without: as the
# command, as its child, with --no-follow and with samples by timers. Addresses and process ids
# count for nothing. Usage: other-tools.sh TOOL
. "$(dirname "$0")/lib.sh"

tool=$1
need gcc
export DEBUGINFOD_URLS=
gcc -g -O0 -o "$work/overrun" "$E2E/../fixtures/overrun.c" >"$work/build" 2>&1 ||
	skip "the program cannot be built: $(tail -n 1 "$work/build")"

settle() {
	sed -Ei 's/0x[0-9a-f]+/0xN/g; s/\[pid +/[pid /g; s/[0-9a-f]{8,}/N/g; s/\b[0-9]{3,}\b/N/g' "$@"
}

# alike COMMAND…: `same`, but for numbers that differ from run to run. The status has to be $expected.
plain_prefix=()
alike() {
	local part
	run_in "$work/plain" "${plain_prefix[@]}" "$@"
	[ "$(cat "$work/plain.status")" = "$expected" ] ||
		skip "plain $*: status $(cat "$work/plain.status"): $(tail -n 1 "$work/plain.stderr")"
	run_in "$work/recorded" "$TARE" record -q -o "$work/profile.tare" "${record_options[@]}" -- "$@"
	settle "$work"/{plain,recorded}.std* $(find "$work/plain" "$work/recorded" -type f)
	for part in status stdout stderr; do
		cmp "$work/plain.$part" "$work/recorded.$part" || {
			echo "$part differs under tare ${record_options[*]} for: $*"
			diff "$work/plain.$part" "$work/recorded.$part" | head -n 20 || true
			exit 1
		}
	done
	diff -r "$work/plain" "$work/recorded" >"$work/files.diff" ||
		fail "files differ under tare ${record_options[*]} for: $*: $(head -n 5 "$work/files.diff")"
}

# not_followed N [NAME]: so many programs are counted as such, and the header names one; -: any number.
not_followed() {
	[ "$1" != - ] || return 0
	"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
	grep -q "\"programs_not_followed\": $1" "$work/summary.json" ||
		fail "programs not followed: $(grep programs_not_followed "$work/summary.json"), expected $1"
	[ $# = 1 ] || grep -q "not followed: $2 (" "$work/summary.json" ||
		fail "$2 is not named: $(grep '"attention"' "$work/summary.json")"
}

# in_every_way N NAME COMMAND…: with N programs not followed, of which the header names one. A child of a shell is not recorded with
# --no-follow, and neither is what it starts: nobody counts that.
in_every_way() {
	local count=$1 name=$2
	shift 2
	alike "$@"
	not_followed "$count" "$name"
	alike sh -c '"$@"; s=$?; echo "status $s"; exit $s' sh "$@"
	not_followed "$count"
	record_options=(--no-follow)
	alike "$@"
	alike sh -c '"$@"; s=$?; echo "status $s"; exit $s' sh "$@"
	not_followed 0
	if "$FIXTURES/refused" 1 true 2>/dev/null; then
		plain_tare=$TARE
		by_timers
		plain_prefix=("$FIXTURES/refused" 1)
		alike "$@"
		not_followed "$count"
		plain_prefix=()
		TARE=$plain_tare
	fi
	record_options=()
}

expected=0
case $tool in
valgrind)
	need valgrind
	expected=9
	in_every_way 1 memcheck-amd64-linux valgrind -q --error-exitcode=9 "$work/overrun" a
	grep -q 'Invalid write' "$work/plain.stderr" || fail "valgrind has found nothing"
	alike valgrind -q --error-exitcode=9 --trace-children=yes sh -c "$work/overrun b; exit 9"
	;;
callgrind)
	need valgrind
	in_every_way 1 callgrind-amd64-linux valgrind --tool=callgrind --callgrind-out-file=costs "$work/overrun"
	grep -q 'fn=.*overrun' "$work/recorded/costs" || fail "callgrind has found no function"
	;;
qemu)
	need qemu-x86_64
	in_every_way 1 qemu-x86_64 qemu-x86_64 -r 9.8.7 "$work/overrun" a b
	grep -q 'release 9.8.7' "$work/recorded.stdout" || fail "qemu does not run the program"
	report processes
	grep -q qemu-x86_64 "$work/processes.csv" || fail "qemu itself is not recorded"
	;;
gdb)
	need gdb
	export SHELL=/bin/sh # by which gdb starts the program
	in_every_way 1 "$(basename "$(realpath /bin/sh)")" gdb -nx -batch -ex 'break overrun' -ex run -ex backtrace -ex 'print size' \
		-ex finish -ex continue --args "$work/overrun" a b
	grep -q 'Breakpoint 1, overrun (size=10)' "$work/plain.stdout" ||
		skip "gdb debugs nothing here: $(tail -n 1 "$work/plain.stderr")"
	;;
strace)
	need strace
	in_every_way 1 overrun strace -o calls -e trace=execve,openat,write "$work/overrun"
	grep -q 'openat.*"written"' "$work/recorded/calls" || fail "strace has seen nothing"
	alike strace -f -qq -e trace=execve,openat,write -e signal=none sh -c "'$work/overrun' 1; '$work/overrun' 2"
	# Who traces the recorder as well traces all, which is recorded as ever.
	strace -f -o "$work/trace" "$TARE" record -q -o "$work/profile.tare" -- \
		sh -c "'$work/overrun'; exit 3" >"$work/out" && fail "a status is lost"
	not_followed 0
	report processes
	grep -q overrun "$work/processes.csv" || fail "a child is not followed where all are traced"
	;;
perf)
	# It reads what it has recorded beside a recording: events of one reader change what others are told.
	need perf
	perf record -q -o "$work/plain.data" -- "$work/overrun" a 2>"$work/said" ||
		skip "perf records nothing here: $(tail -n 1 "$work/said")"
	for method in instrument,sample sample; do
		perf record -q -o "$work/perf.data" -- "$TARE" record -q --method=$method -o "$work/profile.tare" -- \
			"$work/overrun" a >"$work/out" || fail "status $? of what both record"
		perf script -i "$work/perf.data" --show-mmap-events >"$work/events" 2>"$work/said" ||
			fail "perf cannot read what it has recorded: $(head -n 2 "$work/said")"
		grep -q 'MMAP2.*overrun' "$work/events" || fail "perf has seen no overrun"
	done
	# What perf keeps by build-id in ~/.debug stays the original.
	export HOME=$work/home
	mkdir "$HOME"
	perf record -q --buildid-all -o "$work/perf.data" -- "$TARE" record -q --method=instrument -o "$work/profile.tare" -- \
		"$work/overrun" a >"$work/out" || fail "status $? of what both record"
	perf record -q --buildid-all -o "$work/plain.data" -- "$work/overrun" a 2>"$work/said"
	original=$(perf buildid-list -i "$work/plain.data" | awk '/overrun$/ { print $1 }')
	copy=$(perf buildid-list -i "$work/perf.data" | awk '/copy[/]overrun$/ { print $1 }')
	[ -n "$original" ] && [ -n "$copy" ] || fail "perf tells no build-ids of overrun"
	[ "$original" != "$copy" ] || fail "perf takes the copy for the original"
	;;
rr)
	need rr
	# Without a processor's counters, or where ptrace is held back, rr ends by itself, each time at another place.
	run_in "$work/plain" rr record -o trace "$work/overrun"
	[ "$(cat "$work/plain.status")" = 0 ] ||
		skip "rr does not work here by itself: $(grep -m 1 . "$work/plain.stderr")"
	in_every_way - rr sh -c 'rr record -o trace "$@"; s=$?; [ $s != 0 ] || rr replay -a trace
		rm -rf trace; exit $s' sh "$work/overrun"
	;;
wine)
	wine=/usr/lib/wine/wine64
	[ -x $wine ] || skip "wine is not installed"
	export WINEPREFIX=$work/wine WINEDEBUG=-all HOME=$work
	unset DISPLAY
	$wine cmd /c 'exit 0' >"$work/try" 2>&1 || skip "wine does not work here: $(tail -n 1 "$work/try")"
	expected=3
	in_every_way - wine $wine cmd /c 'echo from wine& exit 3'
	/usr/lib/wine/wineserver -k
	;;
*)
	fail "unknown tool $tool"
	;;
esac
