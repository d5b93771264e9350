"""Functions' shares of the CPU time, in perf's samples and in tare's rows, and how far they are apart.

A function is (module, link address). perf's addresses are found in the functions that tare tells of. What
perf has in a function without a row in tare's table is its caller's, as with tare. Stubs of procedure linkage tables
are part of the function that they lead to. Of the kernel's time the
function has it that called the kernel. Libraries that tare does not instrument are one row, LIBRARIES.
"""
import bisect
import collections
import csv
import functools
import io
import os
import re
import sqlite3
import subprocess

import counts
import elf

LIBRARIES = ("libraries", 0)
CUT_MOST = 0.02  # of more than so many stacks perf's inclusive shares are wrong themselves
UNKNOWN = "[unknown]"  # perf's module of a frame that it could not find


class Functions:
    """Where functions of a profile lie."""

    def __init__(self, profile):
        with sqlite3.connect(profile) as database:
            self.system = dict(database.execute("SELECT name, system FROM module"))
            self.paths = dict(database.execute("SELECT name, path FROM module"))
            found = collections.defaultdict(dict)
            tables = {name for name, in database.execute("SELECT name FROM sqlite_schema")}
            for table in ("function", "coverage"):
                if table not in tables:
                    continue
                for module, begin, size in database.execute(
                        f"""SELECT m.name, f.link_addr, f.size FROM {table} f JOIN module m
                            ON m.id = f.module WHERE f.link_addr > 0 AND f.size > 0"""):
                    found[module].setdefault(begin, size)
            self.startup = set(database.execute(
                """SELECT m.name, c.link_addr FROM coverage c JOIN module m ON m.id = c.module
                   WHERE c.verdict = 'startup'""")) if "coverage" in tables else set()
            self.with_startup = {module for module, _ in self.startup}
            self.approximate = set(database.execute(
                """SELECT DISTINCT m.name, f.link_addr FROM counted c JOIN function f ON f.id = c.function
                   JOIN module m ON m.id = f.module WHERE c.approximate""")) if "counted" in tables else set()
        self.ranges = {module: sorted(functions.items()) for module, functions in found.items()}

    def take(self, other):
        """Functions of the same files that this profile does not tell of, as it has not met them."""
        for module, functions in other.ranges.items():
            self.ranges[module] = sorted({**dict(functions), **dict(self.ranges.get(module, []))}.items())

    @functools.cached_property
    def stubs(self):
        """Those of all files; profiles of the same files share them."""
        return stubs_of(tuple(sorted(self.paths.items())), tuple(sorted(self.system.items())))

    def at(self, module, addr):
        """The function's begin, or None."""
        ranges = self.ranges.get(module, [])
        place = bisect.bisect_right(ranges, (addr, 1 << 62)) - 1
        if place < 0 or addr >= ranges[place][0] + ranges[place][1]:
            return None
        return ranges[place][0]

    def size(self, module, begin):
        ranges = self.ranges.get(module, [])
        place = bisect.bisect_left(ranges, (begin,))
        return ranges[place][1] if place < len(ranges) and ranges[place][0] == begin else 1

    def is_library(self, module):
        return bool(self.system.get(module, 1))


class Rows:
    """tare's table: percent and intervals by function."""

    def __init__(self, tare, samples):
        text = tare.report("functions", "--format=csv", *(["--no-kernel"] if samples else []))
        self.functions = Functions(tare.profile)
        self.names = {LIBRARIES: "(libraries)"}
        self.calls, self.imported_calls = collections.Counter(), collections.Counter()
        self.imported_places = {}  # of functions that lie in one place
        sums = {"exclusive": collections.Counter(), "inclusive": collections.Counter()}
        self.ends = {}
        rows = list(csv.DictReader(io.StringIO(text)))
        self.by_clock = bool(rows) and "cpu_exclusive_ns" in rows[0] and not samples
        for row in rows:
            key = self.key_of(row)
            self.names.setdefault(key, row["function"])
            if key == LIBRARIES:
                self.add_library(row)
            else:
                self.calls[key] += int(row.get("calls") or 0)
            for kind, counter in sums.items():
                if key == LIBRARIES and kind == "inclusive":
                    continue
                counter[key] += int(row[f"cpu_{kind}_ns" if self.by_clock else f"{kind}_samples"] or 0)
        self.total = sum(sums["exclusive"].values()) or 1
        self.percent = {kind: {key: 100 * value / self.total for key, value in counter.items()}
                        for kind, counter in sums.items()}
        self.fill_ends(rows)

    def add_library(self, row):
        name, place = counts.name_of_library(row["function"]), None
        if row["address"]:
            place = row["module"], int(row["address"], 16)
        self.imported_places[name] = place if self.imported_places.get(name, place) == place else None
        self.imported_calls[name] += int(row.get("calls") or 0)

    def key_of(self, row):
        if row["function"].endswith("@plt") and row["address"]:
            called = self.functions.stubs.called(row["module"], int(row["address"], 16))
            return called or LIBRARIES
        if self.functions.is_library(row["module"]) or not row["address"]:
            return LIBRARIES
        return row["module"], int(row["address"], 16)

    def fill_ends(self, rows):
        """The interval's ends in percent, where the table has them: of times, else of samples."""
        if not rows:
            return
        of_times = ("cpu_exclusive_low_ns", "cpu_exclusive_high_ns")
        of_samples = ("exclusive_low_percent", "exclusive_high_percent")
        columns = of_times if self.by_clock else of_samples
        if columns[0] not in rows[0]:
            return
        scale = 100 / self.total if self.by_clock else 1
        for row in rows:
            key = self.key_of(row)
            if key != LIBRARIES and row[columns[0]]:
                low, high = (float(row[name]) * scale for name in columns)
                before = self.ends.get(key, (0, 0))
                self.ends[key] = before[0] + low, before[1] + high


_headers = {}


def link_address(path, addr):
    """perf script prints offsets in files, or addresses where the file has a fixed place."""
    if path not in _headers:
        _headers[path] = elf.segments(path) if os.path.isfile(path) else []
    for offset, vaddr, size in _headers[path]:
        if offset <= addr < offset + size:
            return addr - offset + vaddr
    return addr


def perf_stacks(path, environment):
    """Stacks of perf's file, innermost first: [(module, link address)]; the kernel's frames are left out. In the
    environment of the recording, as what perf keeps in ~/.debug decides what it unwinds with."""
    with subprocess.Popen(["perf", "script", "-i", path, "-F", "pid,tid,ip,dso", "--no-inline",
                           "--max-stack=1024"], text=True, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, errors="replace") as process:
        stack, inside = [], False
        for line in process.stdout:
            found = re.match(r"\s+([0-9a-f]+) \((.*)\)$", line)
            if found:
                inside = True
                if found[2].startswith("/"):
                    addr = int(found[1], 16) - (1 if stack else 0)
                    stack.append((os.path.basename(found[2]), link_address(found[2], addr)))
                elif not found[2].startswith("[kernel") and found[2] != "[guest.kernel.kallsyms]":
                    stack.append((found[2], 0))
            elif not line.strip():
                if inside:
                    yield stack
                stack, inside = [], False
        if inside:
            yield stack


class Stubs:
    """Which function a stub of a file's procedure linkage table leads to, as its name says."""

    def __init__(self, paths, is_library):
        self.of, self.exported = {}, {}
        for module, path in paths.items():
            if is_library(module) or not os.path.isfile(path):
                continue
            self.of[module] = {int(addr, 16): name for addr, name in re.findall(
                r"^([0-9a-f]+) <([^@>]+)@plt>:$", output_of("objdump", "-d", path), re.M)}
            for addr, name in re.findall(r"^([0-9a-f]+) [TtWi] ([^@\n]+)", output_of("nm", "-D", path), re.M):
                self.exported.setdefault(name, (module, int(addr, 16)))

    def called(self, module, addr):
        """(module, begin) of the function; None where that is a library's, or the address is in no stub."""
        names = self.of.get(module, {})
        for size in (16, 8):
            if addr & -size in names:
                return self.exported.get(names[addr & -size])
        return None


def output_of(*command):
    return subprocess.run(command, check=False, capture_output=True, text=True, errors="replace").stdout


@functools.cache
def stubs_of(paths, system):
    libraries = dict(system)
    return Stubs(dict(paths), lambda module: bool(libraries.get(module, 1)))


class Perf:
    """perf's samples, kept as stacks, because the functions that they are put to are the profile's."""

    def __init__(self, path, environment):
        self.stacks = collections.Counter(tuple(stack) for stack in perf_stacks(path, environment))
        self.count = sum(self.stacks.values())

    def cut(self, rows):
        """The share of the stacks that perf has not found the end of, whose callers it does not know: what lies
        outermost is neither where the program starts, as far as the profile says, nor a library's, where threads do."""
        cut = sum(count for stack, count in self.stacks.items() if stack and self.is_cut(rows, stack[-1]))
        return cut / max(self.count, 1)

    @staticmethod
    def is_cut(rows, frame):
        module, addr = frame
        if module == UNKNOWN:
            return True
        if module not in rows.functions.paths or rows.functions.is_library(module):
            return False
        begin = rows.functions.at(module, addr)
        return (begin is not None and module in rows.functions.with_startup and
                (module, begin) not in rows.functions.startup)

    def percent(self, rows):
        exclusive, inclusive = collections.Counter(), collections.Counter()
        for stack, count in self.stacks.items():
            keys = [self.key_of(rows, frame) for frame in stack]
            exclusive[next((key for key in keys if key), LIBRARIES)] += count
            for key in {key for key in keys if key and key != LIBRARIES}:
                inclusive[key] += count
        return {kind: {key: 100 * value / self.count for key, value in counter.items()}
                for kind, counter in (("exclusive", exclusive), ("inclusive", inclusive))}

    @staticmethod
    def key_of(rows, frame):
        """None: a function without a row, whose time its caller has."""
        module, addr = frame
        if module not in rows.functions.paths or rows.functions.is_library(module):
            return LIBRARIES
        called = rows.functions.stubs.called(module, addr)
        if called:
            return called if called in rows.names else None
        begin = rows.functions.at(module, addr)
        if begin is None or begin in rows.functions.stubs.of.get(module, {}):
            return LIBRARIES  # a stub of one of theirs
        return (module, begin) if (module, begin) in rows.names else None


def mean_of(one, other):
    return {key: (one.get(key, 0) + other.get(key, 0)) / 2 for key in {*one, *other}}


def differences(truth, values, least=1.0):
    """(mean, max, function with the largest) over functions of at least so many percent in either."""
    keys = [key for key in {*truth, *values} if max(truth.get(key, 0), values.get(key, 0)) >= least]
    apart = {key: abs(truth.get(key, 0) - values.get(key, 0)) for key in keys}
    worst = max(apart, key=apart.get, default=LIBRARIES)
    return (sum(apart.values()) / len(apart) if apart else 0.0), apart.get(worst, 0.0), worst


def top(values):
    return max((key for key in values if key != LIBRARIES), key=values.get, default=LIBRARIES)


def top_is_right(truth, values, noise):
    """The function on top is perf's, or one that perf cannot tell from it."""
    return truth.get(top(values), 0) >= truth.get(top(truth), 0) - max(1.0, noise)


def covered(truth, ends, least=1.0):
    """(intervals that contain perf's share, intervals)"""
    keys = [key for key, value in truth.items() if value >= least and key in ends]
    return sum(ends[key][0] <= truth[key] <= ends[key][1] for key in keys), len(keys)
