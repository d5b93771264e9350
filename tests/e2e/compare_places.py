"""Lines with CPU time by samples: what must hold between their columns, and that all CPU time is theirs.

Usage: compare_places LINES.CSV < LINES.JSON
"""
import csv
import json
import sys

header = json.load(sys.stdin)["header"]
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
cpu = int(header["cpu_ns"])
kept = sum(int(row["exclusive_samples"]) for row in rows)
total = sum(int(row["cpu_exclusive_ns"]) for row in rows)
assert kept and rows, "no samples"
# What stands in no known place is not in the lines.
assert total <= cpu + len(rows) and total >= 0.9 * cpu * kept / int(header["samples"]), (total, cpu, kept)
for row in rows:
    for side in ("inclusive", "exclusive"):
        time, low, high = (int(row[f"cpu_{side}{end}_ns"]) for end in ("", "_low", "_high"))
        assert low <= time + 1 and time <= high + 1, row
        share = cpu * int(row[f"{side}_samples"]) / int(header["samples"])
        assert abs(time - share) <= 2, (row, share)
    assert bool(row["called_cpu_ns"]) == (int(row["calls"]) > 0), row
calling = [row for row in rows if int(row["calls"])]
assert any(int(row["called_elapsed_ns"]) for row in calling), "no line has time of calls"
