#!/bin/bash
# What a program calls of the C library by a name whose function only jumps on, qsort to qsort_r, has the
# time of its calls under that name: by the linkage table and by its slot, with perf and without.
. "$(dirname "$0")/lib.sh"

need gcc python3 objdump sqlite3
cd "$work"
cat >program.c <<'END'
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

enum { COUNT = 200000, ROUNDS = 8 };

static unsigned values[COUNT];

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
	const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

__attribute__((noinline)) static void fill(unsigned seed)
{
	for (int i = 0; i < COUNT; i++)
		values[i] = seed = seed * 1664525 + 1013904223;
}

int main(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		fill(i);
		qsort(values, COUNT, sizeof(*values), compare);
		for (int k = 0; k < 40; k++)
			memfrob(values, sizeof(values));
	}
	return values[0] > values[1];
}
END
gcc -O1 -g -fplt -Wl,-z,lazy -o by-stub program.c
gcc -O1 -g -fno-plt -o by-slot program.c
objdump -d by-stub | grep -q 'call.*<qsort@plt>' || fail "the program does not call a stub"
objdump -d by-slot | grep -q 'call.*(%rip)' || fail "the program does not call by a slot"

# check FILE: the first recording, which times all, and the second.
check() {
	"$TARE" report --format=csv functions "$1" >functions.csv
	python3 - <<'END' || fail "$1: $(cut -d, -f2,6,10,11 functions.csv | head)"
import csv
rows = {row["function"]: row for row in csv.DictReader(open("functions.csv"))}
total = sum(float(row["cpu_exclusive_ns"] or 0) for row in rows.values())
inclusive = {name: float(row["cpu_inclusive_ns"] or 0) / total for name, row in rows.items()}
exclusive = {name: float(row["cpu_exclusive_ns"] or 0) / total for name, row in rows.items()}
assert rows["qsort"]["calls"] == "8", rows["qsort"]
assert inclusive["qsort"] > 0.6, inclusive
# The comparisons are a part of it that is no more its own.
assert 0.1 < exclusive["compare"] and exclusive["qsort"] + exclusive["compare"] < 1, exclusive
assert inclusive["qsort"] - inclusive["compare"] - 0.02 < exclusive["qsort"], (inclusive, exclusive)
assert not inclusive.get("qsort_r") and not inclusive.get("__qsort_r"), inclusive
END
}

for program in by-stub by-slot; do
	export XDG_CACHE_HOME=$work/$program.cache
	for turn in first second; do
		"$TARE" record -q -o "$program.$turn.tare" -- "./$program" || fail "$program: status $?"
		check "$program.$turn.tare"
	done
	"$FIXTURES/refused" 1 "$TARE" record -q -o "$program.refused.tare" -- "./$program" || fail "$program: status $?"
	check "$program.refused.tare"
	"$TARE" report --method=sample --format=csv functions "$program.second.tare" >functions.csv
	python3 - <<'END' || fail "samples: $(head -n 4 functions.csv)"
import csv
rows = {row["function"]: int(row["inclusive_samples"] or 0) for row in csv.DictReader(open("functions.csv"))}
assert rows["qsort"] > 0.6 * rows["main"] and rows["qsort_r"] > 0.6 * rows["main"], rows
END
	# Who runs himself is on the stack once.
	again=$(sqlite3 "$program.second.tare" "SELECT count(*) FROM stack JOIN location a ON a.id = stack.location
		JOIN function f ON f.id = a.function JOIN stack s ON s.id = stack.parent JOIN location b ON b.id = s.location
		WHERE f.name = 'memfrob' AND b.function = f.id")
	[ "$again" = 0 ] || fail "memfrob calls itself on $again stacks"
done
