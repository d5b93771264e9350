#!/bin/bash
# Static executables, which carry the runtime: exact counts, same behaviour, also without a session
# and after kill -9. Usage: static.sh LIBC FIXTURE, with LIBC one of glibc, glibc-pie, glibc-relr, musl
. "$(dirname "$0")/lib.sh"

source=$E2E/../fixtures
case $1 in
glibc) compiler=(gcc -static) ;;
glibc-pie) compiler=(gcc -static-pie) ;;
glibc-relr) compiler=(gcc -static-pie -Wl,-z,pack-relative-relocs) ;;
musl) compiler=(musl-gcc -static) ;;
*) fail "static.sh knows no C library $1" ;;
esac
need gcc "${compiler[0]}"
program=$work/$2
sources=("$source/$2.c")
[ "$2" != counts ] || sources+=("$source/counted_library.c")
"${compiler[@]}" -O2 -g0 -w -pthread -o "$program" "${sources[@]}" 2>"$work/build" ||
	skip "static programs cannot be built here: $(tail -n 1 "$work/build")"

# Without a session the instrumented file is the program.
"$TARE" instrument -q --verify --small-functions=keep -o "$work/copy" "$program"
run_in "$work/plain" "$program"
run_in "$work/dormant" "$work/copy"
for part in status stdout stderr; do
	cmp "$work/plain.$part" "$work/dormant.$part" || fail "$part differs without a session"
done

# Poisoned: the handlers are those that the runtime brings along.
record_options=(--transform=poison)
same "$program"
report coverage
grep -Eq "^$2,.*,[0-9]+,[1-9]" "$work/coverage.csv" || fail "no poisoned copy ran"

for probes in merged all; do
	record_options=(--small-functions=keep --probes=$probes)
	same "$program"
	report functions
	# The C library is in the file: its own calls of itself are counted as well.
	grep -v '^_setjmp ' "$work/recorded.stdout" >"$work/expected"
	compare counts "$work/expected" "$work/functions.csv"
	compare sums "$work/functions.csv"
done

# The start-up code, which runs before thread-local storage, must not count as another thread.
[ "$2" != counts ] || {
	report threads
	[ "$(wc -l <"$work/threads.csv")" = 2 ] || fail "not one thread: $(cat "$work/threads.csv")"
}

# Stripped, musl's own functions are not to be found: neither is the end of the process, which must
# not pass for a violent one.
[ "$1 $2" != "musl counts" ] || {
	strip "$program"
	record_options=()
	same "$program"
	COLUMNS=1000 "$TARE" report "$work/profile.tare" >"$work/summary"
	grep -q "ended unseen: none of its system calls" "$work/summary" ||
		fail "the unseen end is not named: $(grep INCOMPLETE "$work/summary")"
}

# A program that never has thread-local storage is sampled. Where that cannot be seen in its code it is not recorded, and
# that is said; its probes are soon switched off, or else nearly all time would be theirs.
[ "$1 $2" != "glibc counts" ] || {
	bare() {
		gcc -O2 -static -nostdlib -fno-stack-protector -w "$@" -o "$work/bare" \
			"$source/rewriter/static_bare.c"
		record_options=()
		same "$work/bare"
		COLUMNS=1000 "$TARE" report "$work/profile.tare" >"$work/summary"
	}
	bare -DSTORAGE
	grep -q "INCOMPLETE.*none of it was recorded" "$work/summary" ||
		fail "what is not recorded is not named: $(cat "$work/summary")"
	bare -DSTORAGE -DROUNDS=100000000
	COLUMNS=1000 "$TARE" report -v "$work/profile.tare" >"$work/facts"
	own=$(sed -n "/ in tare's own code/{s/.*, \([0-9,]*\) in tare's own code.*/\1/p;q}" "$work/facts" | tr -d ,)
	all=$(sed -n '/^samples /{s/^samples *\([0-9,]*\) samples of.*/\1/p;q}' "$work/summary" | tr -d ,)
	[ -z "$all" ] || [ "$own" -lt "$all" ] || fail "of $all samples beside them $own are in probes that record nothing"
	bare -DROUNDS=100000000
	[ -z "$all" ] || grep -q '^samples  *[0-9,]* samples of' "$work/summary" ||
		fail "it was not sampled: $(cat "$work/summary")"
	! grep -q INCOMPLETE "$work/summary" || fail "it was instrumented: $(cat "$work/summary")"
}
