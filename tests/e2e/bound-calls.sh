#!/bin/bash
# A library calls its own exported functions through the linkage table. Its copy compares the slot, here or in what stands
# for the table's stub, and goes to the copy by a jump: samples in that are the called function's, as those in the table's
# stubs are; the comparison, the counter and the call are the caller's.
. "$(dirname "$0")/lib.sh"
need gcc python3

cd "$work"
cat >own.c <<'END'
__attribute__((noinline)) long small(long x) { return x ^ 5; }
__attribute__((noinline)) long large(long x)
{
	for (long i = 0; i < 3; i++)
		x = x * 3 + 1;
	return small(x);
}
long work(long n)
{
	long sum = 1;
	for (long i = 0; i < n; i++)
		sum += small(sum) + large(i);
	return sum;
}
END
cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
long work(long n);
int main(int argc, char **argv)
{
	printf("%ld\n", work(atol(argv[1])));
	return argc != 2;
}
END
gcc -O1 -g -w -shared -fPIC -fno-optimize-sibling-calls -o libown.so own.c
gcc -O1 -w -o program program.c -L. -lown -Wl,-rpath,"$work"

# Whose caller stands at the last byte of a call, as it does in stacks that were unwound.
check() {
	"$TARE" report --format=csv functions profile.tare >functions.csv
	python3 - "$1" <<'END' || fail "$1"
import csv, re, sqlite3, subprocess
listing = subprocess.check_output(["objdump", "-d", "--no-show-raw-insn", "libown.so"], text=True).splitlines()
at = [(int(match[1], 16), match[2]) for match in (re.match(r" +([0-9a-f]+):\t(.*)", line) for line in listing) if match]
calls = {}
FEW = 100  # samples, on processors that interrupts hardly meet in so short a function
for (_, text), (end, _) in zip(at, at[1:]):
    if match := re.match(r"call .*<(small|large)@plt>", text):
        calls[end - 1] = match[1]
database = sqlite3.connect("profile.tare")
rows = database.execute(
    "SELECT f.name, l.link_addr = f.link_addr, p.link_addr, g.name, sum(v.samples) FROM stack_value v "
    "JOIN stack s ON s.id = v.stack JOIN location l ON l.id = s.location JOIN function f ON f.id = l.function "
    "JOIN stack t ON t.id = s.parent JOIN location p ON p.id = t.location JOIN function g ON g.id = p.function "
    "WHERE f.name IN ('small', 'large') AND g.name IN ('work', 'large') GROUP BY 1, 2, 3, 4").fetchall()
wrong = [row for row in rows if calls.get(row[2]) != row[0]]
assert not wrong and len(calls) == 3, (wrong, calls)
begins = sum(samples for name, begins, _, _, samples in rows if begins and name == "small")
inner = sum(samples for name, begins, _, _, samples in rows if name == "small")
assert begins or inner < FEW, rows
if inner < FEW:
    print(f"only {inner} samples met `small`: where they were in it was not looked at")
found = {row["function"]: row for row in csv.DictReader(open("functions.csv"))}
# The caller pays for what counts its calls.
overhead = {name: int(found[name]["overhead_exclusive_ns"]) for name in ("small", "work")}
assert overhead["work"] > overhead["small"], overhead
assert int(found["small"]["calls"]) == 480000000 and int(found["large"]["calls"]) == 240000000, found
END
}

./program 240000000 >plain
"$TARE" record -q -o profile.tare -- ./program 240000000 >recorded || fail "the recording failed"
cmp plain recorded || fail "another result"
check "with perf"
if "$FIXTURES/refused" 1 true 2>/dev/null; then
	"$FIXTURES/refused" 1 "$TARE" record -q -o profile.tare -- ./program 240000000 >recorded || fail "refused"
	check "by timers"
fi
