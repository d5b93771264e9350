"""Executions in tare's views of the program of executed.sh against gcov's, and against each other.

Usage: compare_executions.py DIRECTORY
"""
import csv
import pathlib
import re
import sys

directory = pathlib.Path(sys.argv[1])


def rows_of(name):
    with open(directory / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def own(rows):
    return [row for row in rows if row["source"].endswith("/executed.c")]


gcov = {}
for line in (directory / "gcov.txt").read_text(encoding="utf-8").splitlines():
    found = re.match(r" *([\d#]+)\*?: *(\d+):", line)
    if found and int(found[2]):
        gcov[int(found[2])] = 0 if found[1].startswith("#") else int(found[1])
assert len(gcov) > 15 and 0 in gcov.values(), gcov

lines = {int(row["line"]): int(row["executions"]) for row in own(rows_of("lines.csv"))}
never = {int(row["line"]) for row in own(rows_of("never-lines.csv"))}
assert not never & set(lines), never & set(lines)
for line, count in gcov.items():
    assert lines.get(line, 0) == count, (line, count, lines.get(line))
    assert (line in never) == (count == 0), (line, count)

annotated = {int(row["line"]): row for row in rows_of("annotated.csv") if row["level"] == "0"}
for line, count in gcov.items():
    if 13 <= line <= 26:
        assert int(annotated[line]["executions"]) == count, (line, annotated[line])
assert annotated[13]["cpu_exclusive_ns"] is not None

code = rows_of("assembly.csv")
counts = {int(row["executions"]) for row in code if row["executions"]}
assert all(row["executions"] for row in code), [row for row in code if not row["executions"]]
assert {0, 1, 200000, 200001} <= counts, counts
blocks = {row["address"] for row in rows_of("never-instructions.csv")}
zero = [row["address"] for row in code if row["executions"] == "0"]
assert zero and zero[0] in blocks, (zero, blocks)

hot = [row for row in own(rows_of("lines.csv")) if int(row["cpu_exclusive_ns"])]
assert hot
for row in hot:
    each = float(row["cpu_per_execution_ns"])
    assert abs(each - int(row["cpu_exclusive_ns"]) / int(row["executions"])) < 0.0001, row
