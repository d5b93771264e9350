#!/bin/bash
# A program that shares its processor: no more of the time is its CPU time than the kernel says, also where nothing but
# system calls and counted functions come in between.
. "$(dirname "$0")/lib.sh"
need gcc python3 taskset

# Its calls do not go through the C library, whose functions would be timed.
cat >"$work/calling.c" <<'END'
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
static volatile unsigned long sum;
__attribute__((noinline)) static void add(unsigned long i) { sum += i; __asm__(""); }
__attribute__((noinline)) static void step(unsigned long i) { for (int k = 0; k < 100; k++) add(i + k); __asm__(""); }
static inline __attribute__((always_inline)) double own(void)
{
	struct timespec now;
	long result = SYS_clock_gettime;
	__asm__ volatile("syscall" : "+a"(result) : "D"(CLOCK_PROCESS_CPUTIME_ID), "S"(&now) : "rcx", "r11", "memory");
	return now.tv_sec * 1e9 + now.tv_nsec;
}
int main(void)
{
	while (own() < 1e9)
		for (unsigned long i = 0; i < 1000; i++)
			step(i);
	fprintf(stderr, "%.0f\n", own());
	return 0;
}
END
gcc -O1 -w -o "$work/calling" "$work/calling.c"
processor=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
taskset -cp "$processor" $$ >"$work/moved"
sh -c 'while :; do :; done' &
neighbour=$!
at_end 'kill $neighbour; remove_work'

# shared OPTION…: with what the program has said in the end.
shared() {
	"$TARE" record -q -o "$work/profile.tare" "$@" -- "$work/calling" 2>"$work/own" || fail "$*: $(cat "$work/own")"
	"$TARE" report summary --format=json "$work/profile.tare" >"$work/summary.json"
	python3 - "$work/summary.json" "$(cat "$work/own")" <<'END' || fail "with $*"
import json, sys
header, own = json.load(open(sys.argv[1]))["header"], float(sys.argv[2])
told, passed = (header[value] + header["overhead_ns"] for value in ("cpu_ns", "elapsed_ns"))
print(f"{told / 1e6:.0f} ms of {own / 1e6:.0f}, {passed / 1e6:.0f} elapsed")
assert passed > 1.4 * own, "nobody else had the processor"
assert abs(told / own - 1) < 0.1
END
}
shared
shared # with what was learned
shared --method=instrument
shared --exact
