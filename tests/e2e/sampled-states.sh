#!/bin/bash
# What threads did over time, of recordings that only sample: their own clocks say the same, and the sums are
# those of the samples of their waits, in the view, in exports, and in any part of the time.
. "$(dirname "$0")/lib.sh"
need_perf
need python3 sqlite3

cd "$work"
"$TARE" record -q --method=sample --off-cpu -o profile.tare -- "$FIXTURES/lanes" >said 2>err ||
	skip "waits are not sampled here: $(cat err)"
"$TARE" report timeline --format=json profile.tare >lanes.json
"$TARE" report timeline --format=json --from=50 --to=130 profile.tare >part.json
python3 - <<'P' || fail "$(cat said): $(head -c 1000 lanes.json)"
import collections
import json
import sqlite3
import sys

SUMS = ("cpu", "preempted", "blocked", "blocked_lock", "blocked_io", "blocked_idle", "blocked_other")


def lanes(name):
    sums = collections.defaultdict(collections.Counter)
    rows = json.load(open(name, encoding="utf-8"))["tables"]["timeline"]
    for row in rows:
        states = {key: row[f"{key}_ns"] or 0 for key in SUMS}
        assert abs(sum(states[key] for key in SUMS[3:]) - states["blocked"]) <= 3, row
        assert states["cpu"] + states["preempted"] + states["blocked"] <= row["end_ns"] - row["begin_ns"] + 4, row
        sums[row["tid"]].update(states)
    return sums, rows


database = sqlite3.connect("profile.tare")
sums, rows = lanes("lanes.json")
ticks_per_ns = database.execute("SELECT ticks_per_second FROM session").fetchone()[0] / 1e9
weights = collections.defaultdict(dict)
for tid, event, weight in database.execute(
        "SELECT tid, event.name, sum(weight) FROM stack_value JOIN thread ON thread.id = thread "
        "JOIN event ON event.id = event GROUP BY 1, 2"):
    weights[tid][event] = weight
for tid, begin, end in database.execute("SELECT tid, begin_ticks, end_ticks FROM thread"):
    mine, waits = sums[tid], weights[tid]
    life = (end - begin) / ticks_per_ns
    # Each of 200 parts is rounded.
    assert abs(mine["blocked"] - waits.get("off-cpu", 0)) < 200, (tid, mine, waits)
    assert abs(mine["preempted"] - waits.get("preempted", 0)) < 200, (tid, mine, waits)
    assert abs(mine["cpu"] + mine["blocked"] + mine["preempted"] - life) < 1000, (tid, mine, life)
lost, = database.execute("SELECT sum(lost) FROM sampling").fetchone()
if lost:
    print(f"{lost} records were lost: nothing to compare with")
    sys.exit(0)
for line in open("said", encoding="ascii"):
    tid, cpu, lock, file, idle = map(int, line.split())
    mine = sums[tid]
    # Its clock has less than all of its life, and none of what taking samples costs.
    assert cpu < 1.02 * mine["cpu"] + 1e6 and mine["cpu"] < 1.3 * cpu + 8e6, (tid, cpu, mine)
    for name, true in (("lock", lock), ("io", file), ("idle", idle)):
        seen = mine[f"blocked_{name}"]
        assert seen < 1.05 * true + 3e6 and true < 1.05 * seen + mine["preempted"] + 20e6, (tid, name, true, mine)
# A part of the time has what the lanes have in it.
begin, end = 50e6, 130e6
part = lanes("part.json")[0]
for tid, mine in part.items():
    inside = collections.Counter()
    for row in rows:
        if row["tid"] == tid and row["end_ns"] > begin and row["begin_ns"] < end:
            share = (min(row["end_ns"], end) - max(row["begin_ns"], begin)) / (row["end_ns"] - row["begin_ns"])
            inside.update({key: share * (row[f"{key}_ns"] or 0) for key in SUMS})
    for key in SUMS:
        assert abs(mine[key] - inside[key]) < 12e6, (tid, key, mine, inside)
P

"$TARE" report threads profile.tare --unit=ticks --format=json --columns=all >threads.json
for format in chrome perfetto firefox; do
	"$TARE" export --format=$format profile.tare -o "states.$format"
	"$E2E/states_check" $format "states.$format" threads.json profile.tare || fail "states in $format"
done

# Without --off-cpu nobody knows, and what would tell is said.
"$TARE" record -q --method=sample -o alone.tare -- true
! "$TARE" report timeline alone.tare >out 2>err || fail "states of samples alone: $(cat out)"
grep -q -e '--method=sample --off-cpu' err || fail "it is not said what would tell: $(cat err)"
