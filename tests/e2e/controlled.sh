#!/bin/bash
# A program that switches its own recording off and on: what it calls meanwhile is not there, the
# rest is exact. Usage: controlled.sh FIXTURE, or controlled.sh COMPILER [OPTION…] to have the
# fixture compiled by that, with the stub library in it.
. "$(dirname "$0")/lib.sh"

program=$FIXTURES/$1
if [ $# -gt 1 ]; then
	need "$1"
	program=$work/controlled
	"$@" -O2 -w -pthread -I"$E2E/../../include" -o "$program" \
		"$E2E/../fixtures/controlled.c" -x none "$FIXTURES/../../lib/libtare.a" \
		2>"$work/build" || skip "it cannot be built here: $(tail -n 1 "$work/build")"
fi

# What the profile counts beside calls, as "name number".
counters() {
	"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
	sed -n 's/^ *"\([a-z_]*\)": \([0-9]*\),*$/\1 \2/p' "$work/summary.json"
}
counter() {
	counters | sed -n "s/^$1 //p"
}

for options in --probes=merged --probes=all "--probes=merged --exact" "--probes=all --exact"; do
	record_options=(--small-functions=keep $options)
	same "$program"
	report functions
	compare counts "$work/recorded.stdout" "$work/functions.csv"
	compare sums "$work/functions.csv"
	# Samples may have met it: recording is off for calls alone.
	! grep -q ',unseen,[^,]*,[^,]*,[^,]*,[1-9]' "$work/functions.csv" || fail "a call while off was counted"
	for name in events_unmatched events_dropped marks_lost; do
		# Start-up code of static executables begins functions before it can be recorded.
		[ "$name" != events_unmatched ] || [ $# = 1 ] || continue
		[ "$(counter $name)" = 0 ] || fail "$name is $(counter $name)"
	done
	# Each of the 50 rounds stops inside of 4 calls, and ends 6 that began meanwhile: where all are timed.
	if [[ $options = *--exact ]]; then
		[ "$(counter calls_ended_while_off)" -ge 200 ] || fail "too few calls are cut"
		[ "$(counter calls_begun_while_off)" -ge 300 ] || fail "too few ends without begin"
	fi
	[ "$(counter off_ns)" -gt 0 ] || fail "no time was off"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["unwound"] > 0 { print; bad = 1 } END { exit bad }' "$work/functions.csv" ||
		fail "calls ended by unwinding"
done

report marks
cut -d, -f3- "$work/marks.csv" | tr -d '\r' | sed 's/,[a-z_0-9]*$//' >"$work/marks"
printf '%s\n' mark,name 1, '2,"crosswise, ""quoted""\nand so on"' -3, |
	diff - "$work/marks" || fail "the marks differ"
report threads
grep -q ',the suspended one (' "$work/threads.csv" || fail "the thread has not got its name"
