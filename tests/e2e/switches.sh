#!/bin/bash
# Threads that switch all the time: of some switches only the stack is taken, and the profile says of how
# many. Times are those of all waits, and a place that is waited at seldom, but long, has its own.
. "$(dirname "$0")/lib.sh"
need_perf
need python3

for unwind in dwarf fp; do
	record_options=(--method=sample --unwind=$unwind --event=cpu-clock,off-cpu,preempted)
	record "$FIXTURES/switches"
	"$TARE" report functions --event=off-cpu --format=json "$work/profile.tare" >"$work/waits.json"
	COLUMNS=1000 "$TARE" report summary --format=text --no-pager "$work/profile.tare" >"$work/header"
	python3 - "$work" <<'P' || fail "$unwind: $(cat "$work/recorded.stdout") $(grep -o 'threads switched.*length' "$work/header")"
import json
import re
import sys

work = sys.argv[1]
true = {}
with open(f"{work}/recorded.stdout", encoding="ascii") as file:
    for line in file:
        name, ns, count = line.split()
        true[name] = (int(ns), int(count))
with open(f"{work}/waits.json", encoding="utf-8") as file:
    report = json.load(file)
with open(f"{work}/header", encoding="utf-8") as file:
    said = re.search(r"so often that (\d+) of (\d+) samples", file.read())
header, rows = report["header"], report["tables"]["functions"]
seen = {row["function"]: (row["inclusive_weight"], row["inclusive_samples"]) for row in rows}
if sum(count for _, count in true.values()) < 40000:
    print("the machine is too busy for so many switches")
    sys.exit(0)
assert said, "nobody says that stacks are borrowed"
borrowed, samples = map(int, said.groups())
assert 0 < borrowed < samples, (borrowed, samples)
print(f"{borrowed} of {samples} borrowed; true {true}, seen {seen.get('rests')}", file=sys.stderr)
# Frame pointers do not lead through the C library.
if "rests" in seen:
    # Some 60 of 1,000 have a sample; on a busy machine others are as long at times.
    ns, count = seen["rests"]
    assert abs(ns - true["rests"][0]) <= 0.4 * true["rests"][0], (ns, true)
    assert abs(count - true["rests"][1]) <= 0.4 * true["rests"][1], (count, true)
assert header["samples_weight"] <= 2 * 1.7e9, header["samples_weight"]
P
done

# Of all processes, threads have no numbers any more when they leave the processor for the last time.
[ "$(id -u)" = 0 ] || exit 0
(for i in {1..300}; do /bin/true; done) &
"$TARE" record -q -a --off-cpu --duration=1 -o "$work/all.tare" 2>"$work/err" || skip "all processes: $(cat "$work/err")"
wait
"$TARE" report functions --event=off-cpu --format=json "$work/all.tare" >"$work/all.json"
grep -q '"incomplete_reason": null' "$work/all.json" || fail "of all processes: $(grep '"incomplete_reason"' "$work/all.json")"
