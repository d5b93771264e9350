#!/bin/bash
# What a program does while its collection is off has no samples, whoever takes them: functions that ran
# only then have no time, and those of before and after have theirs.
. "$(dirname "$0")/lib.sh"

need gcc
cat >"$work/off.c" <<'END'
#include "tare/tare.h"
#include <stdint.h>
#include <time.h>
static double cpu(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
static volatile uint64_t sum;
static __attribute__((noinline)) void step(uint64_t i) { sum += i * i; }
__attribute__((noinline)) void unseen(void) { for (double end = cpu() + 0.6; cpu() < end;) for (int i = 0; i < 100000; i++) step(i); }
__attribute__((noinline)) void seen(void) { for (double end = cpu() + 0.3; cpu() < end;) for (int i = 0; i < 100000; i++) step(i); }
int main(void)
{
	tare_stop(TARE_PROCESS_LEVEL, TARE_CURRENT_ID);
	unseen();
	tare_start(TARE_PROCESS_LEVEL, TARE_CURRENT_ID);
	seen();
	tare_stop(TARE_PROCESS_LEVEL, TARE_CURRENT_ID);
	unseen();
	tare_start(TARE_PROCESS_LEVEL, TARE_CURRENT_ID);
	return 0;
}
END
gcc -O1 -g -w -I"$E2E/../../include" -o "$work/off" "$work/off.c" "$FIXTURES/../../lib/libtare.a"
record "$work/off"
report functions
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ cpu[$at["function"]] = $at["cpu_inclusive_ns"] / 1e6 }
	END { print cpu["seen"], cpu["unseen"]; exit !(cpu["seen"] > 200 && cpu["unseen"] < cpu["seen"] / 10) }' \
	"$work/functions.csv" || fail "what ran while off has time: seen, unseen above"
"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
if grep -q '"collector": "perf"' "$work/summary.json"; then
	sed -n 's/^ *"samples_discarded": \([0-9]*\).*/\1/p' "$work/summary.json" | awk '{ exit !($1 > 300) }' ||
		fail "samples of the time off were not discarded"
fi
