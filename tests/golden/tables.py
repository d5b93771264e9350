"""Reports of tare, read back: tables of text by their headings, CSV, and JSON with numbers as written."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import unicodedata

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import os_causes  # noqa: E402

# Headings of text whose cells are numbers: (title over several columns, heading without its unit) ->
# column of CSV without its unit.
COLUMNS = {
    ("", "Calls"): "calls", ("", "Unwound"): "unwound", ("", "PID"): "pid",
    ("", "Parent"): "parent_pid", ("", "TID"): "tid", ("", "Threads"): "threads",
    ("", "Begin"): "begin", ("", "End"): "end", ("", "Outside"): "outside",
    ("", "Level"): "level", ("", "Line"): "line", ("", "Count"): "count",
    ("", "OS time"): "os_time", ("", "longest"): "os_longest", ("", "%"): "os_percent", ("", "Time"): "time", ("", "Mark"): "mark",
    ("", "Found"): "found", ("", "Instrumented"): "instrumented", ("", "Parts"): "part",
    ("", "Small"): "small", ("", "Not selected"): "not_selected", ("", "Disarmed"): "disarmed",
    ("", "Executions"): "executions", ("", "ns each"): "cpu_per_execution_ns",
    ("", "Refused"): "refused", ("", "Size"): "size", ("", "Functions"): "functions",
    ("Calls", "CPU"): "cpu_exclusive", ("Calls", "%"): "cpu_percent",
    ("Samples", "samples"): "samples", ("Samples", "%"): "samples_percent",
    ("Samples", "low %"): "samples_low_percent", ("Samples", "high %"): "samples_high_percent",
    ("", "Differ"): "difference_percent", ("", "Rank"): "rank", ("", "of ranks"): "ranks",
    ("", "Processes"): "processes", ("", "Ranks"): "calling_ranks", ("In MPI", "time"): "mpi",
    ("In MPI", "%"): "mpi_percent", ("Work", "CPU"): "work", ("Work", "of most"): "work_percent",
}
for value in ("Elapsed", "CPU"):
    for title in ("least", "average", "most", "excess"):
        COLUMNS[value, title] = f"{value.lower()}_{title}"
    COLUMNS[value, "imb %"] = f"{value.lower()}_imbalance_percent"
    COLUMNS[value, "least at"] = f"{value.lower()}_least_rank"
    COLUMNS[value, "most at"] = f"{value.lower()}_most_rank"
for value in ("Elapsed", "CPU", "Application", "Overhead", "Error"):
    for kind, name in (("incl", "inclusive"), ("excl", "exclusive")):
        COLUMNS[value, kind] = f"{value.lower()}_{name}"
        COLUMNS[value, kind + " %"] = f"{value.lower()}_{name}_percent"
        for each in ("avg", "min", "max", "p50", "p90", "p99"):
            COLUMNS[value, f"{kind} {each}"] = f"{value.lower()}_{name}_{each}"
for value in ("Waited", "Idle"):
    for kind, name in (("incl", "inclusive"), ("excl", "exclusive")):
        COLUMNS[value, kind] = f"{value.lower()}_{name}"
COLUMNS["CPU", "±"] = "cpu_exclusive_margin"
for value in ("Elapsed", "CPU", "Application"):
    COLUMNS["Calls made", value] = f"called_{value.lower()}"
for cause in os_causes.CAUSES:
    COLUMNS["OS time", cause.title] = "os_" + cause.name
for part in ("Inclusive", "Exclusive"):
    stem = part.lower()
    COLUMNS.update({(part, "samples"): stem + "_samples", (part, "%"): stem + "_percent",
                    (part, "low %"): stem + "_low_percent", (part, "high %"): stem + "_high_percent",
                    (part, "±"): stem + "_margin", (part, "weight"): stem + "_weight",
                    (part, "time"): stem + "_weight", (part, "weight %"): stem + "_weight_percent"})

# Of comparisons: the title over "base", "new", "change" and "%" -> the column compared.
COMPARED = {f"{value} {kind}".strip(): column for (value, kind), column in COLUMNS.items()
            if not kind.endswith("%")}

# Headings whose cells are names, with the columns that they are compared with.
NAMES = {"Function": "function", "Module": "module", "Cause": "cause", "System call": "syscall",
         "Object": "object", "Caller": "caller", "Blocked by": "blocked_by", "in thread": "blocked_by_thread", "Woken by": "woken_by", "its thread": "woken_by_thread", "woken before by": "woken_before", "Verdict": "verdict", "Process": "process", "Thread": "thread",
         "Name": "name", "Section": None, "Source": "source", "Address": "address",
         "Executable": "executable", "Host": "host", "Launcher": "launcher", "MPI call": "mpi_call", "Path": None, "Build id": "build_id", "Type": "type",
         "Of function": None, "Reasons of refusal": "refusals", "Line": None, "Instruction": None,
         "Text": None, "Process / thread / function": None, "incl histogram": None,
         "Call path": None, "Lifetime": None}
GROUPS = {group for group, _ in COLUMNS} | set(COMPARED)
TITLES = {title for _, title in COLUMNS} | set(NAMES) | {"base", "new", "change"}
WIDEST = 40  # of numbers
UNIT = re.compile(r" (s|ms|µs|ns|ticks)$")
FOOTER = re.compile(r"\.\.\. |[~?≥▸±!] (?:95|[a-z])|note: |exit status ")
NUMBER = re.compile(r"(?:^|\s)(-|[-+−]?[\d,]+(?:\.\d+)?(?: (?:s|ms|µs|ns))?)$")


class Heading:
    """A heading of a table as text, and where its cells are."""

    def __init__(self, title, group, left, right):
        self.title, self.group, self.left, self.right = title, group, left, right
        unit = UNIT.search(title)
        self.unit = unit[1] if unit else ""
        self.stem = UNIT.sub("", title)
        self.compared = False
        self.decimals = 0

    def column(self):
        """The column of CSV without its unit; None: not a column of numbers."""
        if self.compared and self.stem in ("base", "new", "change", "%"):
            name = COMPARED[self.group]
            return {"base": "base_" + name, "new": "new_" + name, "change": name + "_change",
                    "%": name + "_change_percent"}[self.stem]
        return COLUMNS.get((self.group, self.stem))

    def number(self, line):
        """The cell as it is shown; "" where there is none, None where there is something else."""
        if line[self.right:self.right + 1].strip():
            return None
        if len(line) < self.right or line[self.right - 1] == " ":
            return ""
        cell = line[max(0, self.right - WIDEST):self.right]
        found = NUMBER.search(cell)
        return found[1] if found else None

    def name(self, line):
        cell = line[self.left:]
        return re.split(" {2,}", cell)[0].rstrip() if cell[:1].strip() else ""

    def __repr__(self):
        return f"{self.group}/{self.title}"


class Table:
    def __init__(self, headings):
        self.headings = headings
        self.lines = []

    def has(self, title):
        return any(heading.title == title for heading in self.headings)


def fields_of(line):
    return [(found[0], found.start(), found.end())
            for found in re.finditer(r"\S+(?: \S+)*", line)]


def group_at(groups, left, right):
    for text, begin, end in groups:
        if begin <= right and left <= end and text.strip("- ") in GROUPS:
            return text.strip("- ")
    return ""


def headings_of(line, above):
    """Of a line of headings, with the titles of groups in the line above it; None: it is none."""
    fields = fields_of(line)
    known = sum(UNIT.sub("", title) in TITLES for title, _, _ in fields)
    if len(fields) < 2 or known * 2 <= len(fields):
        return None
    if all(title.strip("- ") in GROUPS for title, _, _ in fields):
        return None  # titles over several columns
    groups = fields_of(above)
    headings = [Heading(title, group_at(groups, left, right), left, right)
                for title, left, right in fields]
    for heading in headings:
        heading.compared = any(other.stem == "base" for other in headings)
    return headings


def in_places(line):
    """A character for each place that the line takes on a terminal: wide ones have a second one."""
    if line.isascii():
        return line
    return "".join(c + "_" if unicodedata.east_asian_width(c) in "WF" else c for c in line
                   if unicodedata.category(c) not in ("Mn", "Me"))


def text_tables(text):
    """The tables of a report as text, with all lines that follow, up to the next table."""
    lines = [in_places(line) for line in re.sub(r"\033\[[\d;]*m", "", text).split("\n")]
    tables = []
    for above, line in zip([""] + lines, lines):
        if line == "How it was recorded":
            break
        headings = headings_of(line, above)
        if headings:
            if tables and tables[-1].lines[-1:] == [above]:
                tables[-1].lines.pop()  # the titles of groups
            tables.append(Table(headings))
        elif tables:
            tables[-1].lines.append(line)
    return tables


def rows_of(table):
    """The lines of a table that have numbers in its columns; the others explain."""
    numbers = [heading for heading in table.headings if heading.column()]
    rows = []
    for line in table.lines:
        cells = [heading.number(line) for heading in numbers]
        if any(cells) and cells[0] is not None and not FOOTER.match(line):
            rows.append(line)
    return rows


class Report:
    """tare, and how it is run here."""

    def __init__(self, tare):
        self.tare = tare
        self.calm = ["--noise"] if b"--noise" in self.run(["report", "--help"]) else []

    def run(self, words, width=3000):
        environment = dict(os.environ, COLUMNS=str(width), LC_ALL="C.UTF-8", TZ="UTC")
        result = subprocess.run([self.tare, *words], capture_output=True, env=environment)
        assert result.returncode == 0, (words, result.stderr)
        return result.stdout

    def text(self, words, width=3000):
        """All rows, as they are."""
        calm = self.calm if words[0] == "report" else []
        return self.run([*words, "--limit=0", *calm], width).decode("utf-8")

    def csv(self, words):
        """The header, and rows as lists of texts."""
        text = self.run([*words, "--format=csv"]).decode("utf-8")
        table = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        return table[0], table[1:]

    def json(self, words):
        """Numbers are texts of the type Number, so that they compare to the last digit."""
        return json.loads(self.run([*words, "--format=json"]).decode("utf-8"), parse_int=Number,
                          parse_float=Number)

    def rows(self, words):
        """Rows of CSV as dictionaries."""
        names, rows = self.csv(words)
        return [dict(zip(names, row)) for row in rows]


class Number(str):
    """A number in JSON, as it stands there."""

