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
		for (int k = 0; k < 10; k++)
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
assert inclusive["qsort"] > 0.7, inclusive
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
assert rows["qsort"] > 0.7 * rows["main"] and rows["qsort_r"] > 0.7 * rows["main"], rows
END
	# Who runs himself is on the stack once.
	again=$(sqlite3 "$program.second.tare" "SELECT count(*) FROM stack JOIN location a ON a.id = stack.location
		JOIN function f ON f.id = a.function JOIN stack s ON s.id = stack.parent JOIN location b ON b.id = s.location
		WHERE f.name = 'memfrob' AND b.function = f.id")
	[ "$again" = 0 ] || fail "memfrob calls itself on $again stacks"
done

# "operator delete" is C++'s library's, and jumps to free, which is C's. Not where the program has its own.
need g++
cat >parts.cpp <<'END'
enum { COUNT = 1000 };
struct part { long value; };
static part *parts[COUNT];
__attribute__((noinline)) static void make(int round)
{
	for (int i = 0; i < COUNT; i++)
		parts[i] = new part{round + i};
}
__attribute__((noinline)) static void drop()
{
	for (int i = 0; i < COUNT; i++)
		delete parts[i];
}
void work(int rounds)
{
	for (int round = 0; round < rounds; round++) {
		make(round);
		drop();
	}
}
END
cat >objects.cpp <<'END'
#include <cstdlib>
#ifdef OWN
void operator delete(void *at) noexcept { std::free(at); }
void operator delete(void *at, std::size_t) noexcept { std::free(at); }
#endif
void work(int rounds);
int main()
{
	work(8000);
}
END
g++ -O2 -shared -fPIC -o libparts.so parts.cpp
for program in objects own; do
	[ $program = own ] && own=-DOWN
	g++ -O2 ${own-} -o $program objects.cpp ./libparts.so
	export XDG_CACHE_HOME=$work/$program.cache
	for turn in first second; do
		"$TARE" record -q -o "$program.tare" -- "./$program" || fail "$program: status $?"
		"$TARE" report --format=csv functions "$program.tare" >functions.csv
		python3 - "$program" <<'END' || fail "$program, $turn: $(cut -d, -f1,2,6,10,11 functions.csv | head)"
import csv
import sys
rows = {(row["module"].split(".")[0], row["function"].split("(")[0]): row for row in csv.DictReader(open("functions.csv"))}
time = {key: float(row["cpu_exclusive_ns"] or 0) for key, row in rows.items()}
library, own = ("libstdc++", "operator delete"), ("own", "operator delete")
if sys.argv[1] == "objects":
    assert rows[library]["calls"] == "8000000", rows[library]
    assert time[library] > 0.1 * sum(time.values()), time
    assert time.get(("libc", "free"), 0) < 0.1 * time[library], time
else:
    assert rows[own]["calls"] == "8000000" and not time.get(library), rows
END
	done
done
