"""Executions in tare's views of the program of executed.sh against gcov's, and against each other.

Usage: compare_executions.py DIRECTORY [exports | callgrind]
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


def gcov_lines(text):
    counts = {}
    for line in text.splitlines():
        found = re.match(r" *([\d#]+)\*?: *(\d+):", line)
        if found and int(found[2]):
            counts[int(found[2])] = 0 if found[1].startswith("#") else int(found[1])
    return counts


def check_exports():
    """One record of each form is of the program; its lines are gcov's, its functions and jumps known."""
    text = (directory / "executed.gcov").read_text(encoding="utf-8")
    of_program = [part for part in re.split(r"(?m)^        -:    0:Source:", text)
                  if part.split("\n")[0].endswith("/executed.c")]
    assert len(of_program) == 1, text
    written = gcov_lines(of_program[0])
    assert {line: written.get(line) for line in gcov} == gcov, (written, gcov)
    source = (directory / "executed.c").read_text(encoding="utf-8").splitlines()
    assert [line.split(":", 2)[2] for line in of_program[0].splitlines()[2:]] == source
    text = (directory / "executed.info").read_text(encoding="utf-8")
    (record,) = [part for part in text.split("end_of_record\n") if "/executed.c\n" in part]
    fields = [line.partition(":")[::2] for line in record.splitlines()]
    counts = {int(line): int(count) for line, count in (value.split(",") for key, value in fields if key == "DA")}
    assert counts == written, (counts, written)
    values = dict(fields)
    assert int(values["LF"]) == len(counts) and int(values["LH"]) == sum(map(bool, counts.values()))
    calls = {name: int(count) for count, name in (value.split(",") for key, value in fields if key == "FNDA")}
    assert calls == {"main": 1, "mix": 200000, "never": 0}, calls
    assert {value for key, value in fields if key == "FN"} == {"3,never", "8,mix", "13,main"}
    ways = [value.split(",") for key, value in fields if key == "BRDA"]
    assert int(values["BRF"]) == len(ways) and int(values["BRH"]) == sum(way[3] not in "-0" for way in ways)
    loop = {int(way[3]) for way in ways if way[0] == "9"}
    assert loop == {20000000, 200000}, ways
    assert [way for way in ways if way[0] == "21" and way[3] == "-"], ways


def annotated_instructions(name):
    """Of callgrind_annotate: instructions by the source line's text, by function, and in all."""
    text = (directory / name).read_text(encoding="utf-8")
    total = int(re.search(r"([\d,]+) \([^)]*\)  PROGRAM TOTALS", text)[1].replace(",", ""))
    functions = {found[2]: int(found[1].replace(",", "")) for found in
                 re.finditer(r"(?m)^ *([\d,]+) \(.{5,6}\)  \S*executed\.c:(\w+)", text)}
    source = re.split(r"-- Auto-annotated source: \S*executed\.c\n", text)[1].split("\n-----")[0]
    lines = {}
    for found in re.finditer(r"(?m)^ *([\d,]+) \(.{5,6}\)  (.*)$", source):
        if "=>" not in found[2]:  # texts may be there twice
            lines[f"{len(lines)} {found[2].strip()}"] = int(found[1].replace(",", ""))
    return lines, functions, total


def check_callgrind():
    """Instructions stand at lines as valgrind counts them, but for the stub of printf's linkage table."""
    lines, functions, total = annotated_instructions("tare.annotated")
    assert functions["mix"] > 20000000 * 3, functions
    assert sum(lines.values()) == functions["main"] + functions["mix"] <= total, (lines, functions, total)
    inclusive = annotated_instructions("tare.inclusive")[1]
    assert inclusive["main"] == sum(lines.values()) and inclusive["mix"] == functions["mix"], inclusive
    if (directory / "valgrind.annotated").exists():
        expected, expected_functions, _ = annotated_instructions("valgrind.annotated")
        assert functions["mix"] == expected_functions["mix"], (functions, expected_functions)
        for text, count in expected.items():
            assert lines[text] == count or "printf" in text, (text, count, lines[text])


def check_functions():
    """A function has the instructions of its lines, and of its blocks; those of a module are its functions'."""
    functions = {row["function"]: row for row in rows_of("functions.csv") if row["module"] == "executed"}
    blocks = {row["address"]: row for row in rows_of("assembly.csv")}
    assert int(functions["main"]["instructions"]) == sum(int(row["executions"]) for row in blocks.values())
    assert int(functions["mix"]["instructions"]) > 20000000 * 3, functions["mix"]
    libraries = [row for row in rows_of("functions.csv") if row["module"] != "executed"]
    assert any(row["instructions"] == "" for row in libraries), libraries
    own = {row["module"]: row for row in rows_of("modules.csv")}["executed"]
    assert int(own["instructions"]) == sum(int(row["instructions"] or 0) for row in functions.values())


gcov = gcov_lines((directory / "gcov.txt").read_text(encoding="utf-8"))
assert len(gcov) > 15 and 0 in gcov.values(), gcov
if sys.argv[2:]:
    {"exports": check_exports, "callgrind": check_callgrind}[sys.argv[2]]()
    sys.exit()

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

check_functions()
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
