#!/bin/bash
# Libraries beyond --max-new-code are not waited for: samples tell their functions' times, calls that nobody has
# seen are told apart, and a process that nobody waits for makes their copies, for the next recording.
. "$(dirname "$0")/lib.sh"

need sqlite3 python3 gcc
cd "$work"
export XDG_CACHE_HOME=$work/cache
query="WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 400000)
	SELECT count(DISTINCT printf('%d', x % 1000)), sum(length(hex(x))) FROM c"

fresh_cache() {
	wait_for_later # a recording of a second, too, leaves copies to be made
	rm -rf "$XDG_CACHE_HOME"
	mkdir "$XDG_CACHE_HOME"
}

# $1: options; the rest of what tare says is in the file err.
take() {
	"$TARE" record -v -o profile.tare "$@" -- sqlite3 :memory: "$query" >out 2>err || fail "$*: $(tail -n 3 err)"
	"$TARE" report --format=csv functions profile.tare >functions.csv
	"$TARE" report --format=json summary profile.tare >summary.json
}

plain=$(sqlite3 :memory: "$query")

fresh_cache
take --max-new-code=1
[ "$(cat out)" = "$plain" ] || fail "another result: $(cat out)"
grep -q 'libsqlite3.*(.* MB of code) had no copies yet' err || fail "nothing is said: $(cat err)"
for pid in $(later); do
	grep -qsz '^--cache$' "/proc/$pid/cmdline" || continue # it has not begun
	class=$(ps -o cls= -p "$pid" || true)
	[ -z "$class" ] || [ "$class" = IDL ] || fail "copies are made in the scheduling class $class"
done
python3 - <<'END' || fail "the recording without a copy"
import csv, json
rows = list(csv.DictReader(open("functions.csv")))
summary = json.load(open("summary.json"))
within = [row for row in rows if row["module"].startswith("libsqlite3")]
total = sum(float(row["cpu_exclusive_ns"] or 0) for row in rows)
share = sum(float(row["cpu_exclusive_ns"] or 0) for row in within) / total
assert share > 0.5, share
# The query is no longer one call of sqlite3_step: functions below it have the time.
assert len([row for row in within if float(row["cpu_exclusive_ns"] or 0) > 0.01 * total]) >= 5, within
exec_row = next(row for row in within if row["function"] == "sqlite3_exec" or row["function"] == "sqlite3_step")
assert int(exec_row["calls"]) > 0 and float(exec_row["cpu_exclusive_ns"]) < 0.2 * total, exec_row
# Of functions of the C library that both call, only the program's calls were seen, and that is said.
both = [row for row in rows if row["module"].startswith("libc.") and row["disarmed"] == "1"]
assert both and all(int(row["calls"]) > 0 for row in both), both
told = {item["kind"]: item["text"] for item in summary["header"]["attention"]}
assert "libsqlite3" in told["deferred"] and "record again" in told["deferred"], told
END

wait_for_later
take
grep -q 'had no copies yet' err && fail "deferred again: $(cat err)"
grep 'libsqlite3' err | grep -q 'from the cache' || fail "no copy was there: $(cat err)"
python3 - <<'END' || fail "the next recording"
import csv, json
rows = list(csv.DictReader(open("functions.csv")))
assert "deferred" not in [item["kind"] for item in json.load(open("summary.json"))["header"]["attention"]]
hot = max((row for row in rows if row["module"].startswith("libsqlite3")), key=lambda row: float(row["cpu_exclusive_ns"]))
assert int(hot["calls"]) > 0, hot
END

# Libraries that are opened later, too.
fresh_cache
"$TARE" record -v -o profile.tare --max-new-code=1 -- perl -MPOSIX -e 'print POSIX::floor(2.5), "\n"' >out 2>err
[ "$(cat out)" = 2 ] || fail "another result: $(cat out)"
grep 'POSIX.so' err | grep -q 'not instrumented: ' || fail "POSIX.so was waited for: $(cat err)"
wait_for_later

# Time of which no clock of ours knows: of a constructor before the first probe, and of a thread of the library alone.
cat >burning.c <<'END'
#include <pthread.h>
#include <time.h>
static volatile double sum;
static double cpu(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}
__attribute__((noinline)) static void burn(double seconds)
{
	const double end = cpu() + seconds;
	while (cpu() < end)
		for (int i = 0; i < 20000; i++)
			sum += i;
}
__attribute__((noinline)) void burn_early(void) { burn(0.4); __asm__(""); }
__attribute__((noinline)) void burn_apart(void) { burn(0.8); __asm__(""); }
__attribute__((constructor)) static void begin(void) { burn_early(); __asm__(""); }
static void *work(void *nothing) { burn_apart(); return nothing; }
void start(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, work, 0);
	pthread_join(thread, 0);
}
END
cat >started.c <<'END'
#include <stdio.h>
#include <time.h>
void start(void);
int main(void)
{
	struct timespec now;
	start();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	printf("%.0f\n", now.tv_sec * 1e9 + now.tv_nsec);
}
END
gcc -O1 -g -w -shared -fPIC -pthread -o libburning.so burning.c
gcc -O1 -w -o started started.c -L. -lburning -Wl,-rpath,"$work"
unclocked() {
	fresh_cache
	"$1" record -q --max-new-code=1 -o profile.tare -- ./started >out 2>err || fail "$(cat err)"
	"$TARE" report --format=csv functions profile.tare >functions.csv
	"$TARE" report --format=csv threads profile.tare >threads.csv
	python3 - <<'END' || fail "by $1"
import csv
rows = {row["function"]: row for row in csv.DictReader(open("functions.csv"))}
cpu = lambda name: float(rows[name]["cpu_inclusive_ns"])
assert abs(cpu("burn_early") / 0.4e9 - 1) < 0.2, cpu("burn_early")
assert abs(cpu("burn_apart") / 0.8e9 - 1) < 0.2, cpu("burn_apart")
threads = list(csv.DictReader(open("threads.csv")))
total = sum(float(row["cpu_inclusive_ns"]) + float(row["overhead_inclusive_ns"]) for row in threads)
own = float(open("out").read())
assert abs(total / own - 1) < 0.15, (total, own)
END
	wait_for_later
}
unclocked "$TARE"
# Nor does merging lose it.
"$TARE" merge -q -o merged.tare profile.tare profile.tare || fail "merge failed"
"$TARE" report --format=csv functions merged.tare >merged.csv
"$TARE" report --format=csv threads merged.tare >merged-threads.csv
python3 - <<'END' || fail "merged"
import csv
def rows(path):
    return list(csv.DictReader(open(path)))
# Of a whole thread with what is known to be tare's: more samples may know more of it. So they may of short functions that
# went by the clock: what these and tare have more, the others have less.
def total(path, name):
    return sum(float(row["cpu_inclusive_ns"]) + (0 if name else float(row["overhead_inclusive_ns"]))
               for row in rows(path) if name in (None, row.get("function")))
def others(path):
    return {row["function"]: float(row["cpu_exclusive_ns"]) for row in rows(path) if not row["function"].startswith("burn_")}
def overhead(path):
    return sum(float(row["overhead_inclusive_ns"]) for row in rows(path))
apart, merged = others("functions.csv"), others("merged.csv")
moved = (sum(abs(merged.get(name, 0) - 2 * apart.get(name, 0)) for name in apart.keys() | merged.keys()) +
         abs(overhead("merged-threads.csv") - 2 * overhead("threads.csv")))
for one, two, name in [("threads.csv", "merged-threads.csv", None), ("functions.csv", "merged.csv", "burn_early"),
                       ("functions.csv", "merged.csv", "burn_apart")]:
    allowed = 8 + (min(moved, 1e-4 * total(one, name)) if name else 0)
    assert abs(total(two, name) - 2 * total(one, name)) <= allowed, (name, total(one, name), total(two, name), moved)
END
if "$FIXTURES/refused" 1 true 2>/dev/null; then
	printf '#!/bin/sh\nexec "%s" 1 "%s" "$@"\n' "$FIXTURES/refused" "$TARE" >refused-tare
	chmod +x refused-tare
	unclocked "$work/refused-tare"
fi

# Whoever says what is to be instrumented, or compares runs, waits for it.
for options in --exact --method=instrument --lines '--module=libsqlite3*' '--function=sqlite3*' --no-cache; do
	fresh_cache
	take --max-new-code=1 "$options"
	grep -q 'had no copies yet' err && fail "deferred with $options"
	[ -z "$(later)" ] || fail "copies are made after $options"
done
fresh_cache
"$TARE" record -v -o profile.tare --max-new-code=1 --repeat=2 -- sqlite3 :memory: "$query" >out 2>err
grep -q 'had no copies yet' err && fail "deferred with --repeat"

# Copies can be made before.
fresh_cache
"$TARE" instrument --cache sqlite3 2>err && fail "no file of that name is here"
"$TARE" instrument --cache -o copy "$(command -v sqlite3)" 2>err && fail "--cache and --output"
"$TARE" instrument --cache "$(command -v sqlite3)" 2>err || fail "$(cat err)"
grep -q ' copies made, 0 there before' err || fail "$(cat err)"
"$TARE" instrument --cache "$(command -v sqlite3)" 2>err || fail "$(cat err)"
grep -q ' 0 copies made, ' err || fail "made twice: $(cat err)"
take --max-new-code=1
grep -q '(new)\|had no copies yet' err && fail "made again: $(cat err)"
true
