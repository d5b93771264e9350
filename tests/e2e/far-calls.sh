#!/bin/bash
# A library calls its own exported functions, and the program has others of these names: the loader chooses the
# program's. They throw, and what the library does then is the same in its copy: it catches, cleans up, or terminates.
# Calls are counted, and samples below know the place of the call. One of the functions is small.
. "$(dirname "$0")/lib.sh"
need g++ python3

cd "$work"
cat >own.cpp <<'CPP'
#include <cstdio>
struct counted {
	long *count;
	~counted() { ++*count; }
};
__attribute__((noinline)) long chosen(long x) { return std::printf("the library's own: %ld\n", x); }
__attribute__((noinline)) long tiny(long x) { return x ^ 1; }
long cleans(long x, long *count)
{
	counted cleanup{count};
	return chosen(x) + 1;
}
long work(long n)
{
	long sum = 0, count = 0;
	for (long i = 0; i < n; i++) {
		try {
			sum += chosen(i) % 7 + cleans(i, &count);
		} catch (long thrown) {
			sum += thrown * 3;
		}
		try {
			sum += tiny(i);
		} catch (long thrown) {
			sum += thrown * 5;
		}
		try {
			sum += cleans(i + 1, &count);
		} catch (long thrown) {
			sum -= thrown;
		}
	}
	return sum + count;
}
long ends(long x) noexcept { return chosen(x); }
CPP
cat >program.cpp <<'CPP'
#include <cstdio>
#include <cstdlib>
#include <exception>
long work(long n);
long ends(long x);
__attribute__((noinline)) long chosen(long x)
{
	long mixed = x;
	for (int i = 0; i < 60; i++)
		mixed = mixed * 31 + i;
	if (x % 1000 == 3)
		throw x;
	return x + (mixed == 1);
}
__attribute__((noinline)) long tiny(long x)
{
	if (x % 1000 == 7)
		throw x;
	return x + 1;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	printf("%ld\n", work(n));
	std::set_terminate([] { puts("terminated"); exit(3); });
	printf("%ld\n", ends(4));
	fflush(stdout);
	return argc > 2 ? ends(3) : 0;
}
CPP
g++ -O1 -g -w -shared -fPIC -fno-optimize-sibling-calls -o libown.so own.cpp
g++ -O1 -g -w -o program program.cpp -L. -lown -Wl,-rpath,"$work"

# Of both functions.
calls() {
	"$TARE" report --format=csv functions profile.tare | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
print(*(sum(int(row["calls"] or 0) for row in rows if row["function"].startswith(name)) for name in ("chosen", "tiny")))'
}

for end in "" ends; do
	status=0
	./program 40000 $end >plain || status=$?
	for options in "" --exact --lines --module=libown.so "--exact --probes=all" --transform=null; do
		recorded=0
		"$TARE" record -q $options -o profile.tare -- ./program 40000 $end >copy || recorded=$?
		cmp plain copy || fail "another result with '$options'"
		[ $recorded = $status ] || fail "it ends with $recorded, not $status"
		[ "$options" = --transform=null ] && continue
		expected=$((3 * 40000 - 40000 / 1000 + 1))
		[ -n "$end" ] && expected=$((expected + 1))
		[ "$(calls)" = "$expected 40000" ] || fail "$(calls) calls with '$options', not $expected and 40000"
	done
done

# Stacks that were unwound through a call to the program have its place in the library, also where the library's copy has
# only counters beside what was learned.
places() {
	python3 - <<'END' || fail "places of calls"
import re, sqlite3, subprocess
listing = subprocess.check_output(["objdump", "-d", "--no-show-raw-insn", "libown.so"], text=True).splitlines()
at = [(int(match[1], 16), match[2]) for match in (re.match(r" +([0-9a-f]+):\t(.*)", line) for line in listing) if match]
calls = {end - 1: match[1] for (_, text), (end, _) in zip(at, at[1:])
         if (match := re.match(r"call .*<_Z[46](chosen|tiny)l@plt>", text))}
rows = sqlite3.connect("profile.tare").execute(
    "SELECT p.link_addr, f.name, sum(v.samples) FROM stack_value v "
    "JOIN stack s ON s.id = v.stack JOIN location l ON l.id = s.location JOIN function f ON f.id = l.function "
    "JOIN stack t ON t.id = s.parent JOIN location p ON p.id = t.location "
    "WHERE f.name LIKE '%chosen%' OR f.name LIKE '%tiny%' GROUP BY 1, 2").fetchall()
assert len(calls) == 4 and sum(samples for *_, samples in rows) > 50, (calls, rows)
assert all(calls.get(place, "nothing") in name for place, name, _ in rows), (calls, rows)
assert len({place for place, name, _ in rows if "chosen" in name}) == 2, (calls, rows)
END
}
# Two seconds, so that there are such copies.
export XDG_CACHE_HOME=$work/cache
mkdir "$XDG_CACHE_HOME"
n=14000000
./program $n >plain
for _ in first second; do
	"$TARE" record -q -o profile.tare -- ./program $n >copy || fail "the recording failed"
	cmp plain copy || fail "another result"
	[ "$(calls)" = "$((3 * n - n / 1000 + 1)) $n" ] || fail "$(calls) calls"
	places
	while pgrep -f "[i]nstrument .*--cache" >/dev/null; do sleep 0.2; done
	made=("$XDG_CACHE_HOME"/tare/files/*/copy/libown.so)
	[ ${#made[@]} -ge 2 ] || fail "no copy of what was learned"
done
