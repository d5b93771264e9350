"""What sampling costs and what it sees, tare beside perf; and what unwinding a stack takes.
Each function returns lines of Markdown; bench/run puts them into the page."""
import collections
import csv
import os
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FREQUENCY = "997"

TEXT = """Programs whose functions work for known shares of the time, built with `-O2 -fomit-frame-pointer`
and sampled in user mode at 997 Hz of cpu-clock: C at the end of calls 40, 200 and 500 deep (gcc makes
loops of some calls, so there are 27, 107 and 257 frames); C++ with 100 threads; a tree of 50
processes.

- "Recorder" is the processor time of the recording beyond the program's own.
- "Program" is the program's own processor time against a run without a recorder.
- "Report" is the processor time of the first table of functions; for perf that of `perf script`, which
  unwinds the stacks.
- A stack is "complete" for tare if the unwinder reached its root. perf does not say that, so for perf it
  is complete if it has `_start`, `main` or the thread's function in it. perf shows at most 127 frames of
  a callchain, and by `--call-graph dwarf` what its copy of the stack (8 KiB, at most 64 KiB) reaches.
- "Top 10" compares the ten functions with most samples of their own with tare's: how many are the same,
  and the largest difference of their shares, in points."""

OVERHEAD_TEXT = """Processor time of programs that are sampled, as a ratio to the run without a recorder beside it. Each
round runs all variants, one after the other, and begins with another one than the round before.
"Program" is the program by itself, "with recorder" everything from the start of the command to the
written profile. The values are medians of the rounds' ratios, with the middle half of them in
brackets. Where that is wide, other load was on the machine.

What `perf record` takes without any stacks is the cost of the interrupts alone. In a virtual machine an
interrupt may cost many times as much as on the hardware. Timers of threads sample at the
kernel's ticks (CONFIG_HZ) and between them."""

UNWINDING_TEXT = """Nanoseconds to unwind a stack by the rules that a recording uses. The stacks are copies, of programs that
were stopped at random moments. Each is walked again and again; the values are medians over the
stacks. The first walk also finds the rules, where no stack before has needed them."""


def fail_text(result):
    lines = (result.stderr or result.stdout).strip().splitlines()
    return lines[-1] if lines else f"status {result.returncode}"


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measured(command, **options):
    """Processor seconds of the command, and what it printed."""
    before = children_seconds()
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            errors="replace", check=False, **options)
    if result.returncode:
        raise RuntimeError(f"{os.path.basename(command[0])}: {fail_text(result)}")
    return children_seconds() - before, result


def build(work):
    programs = {}
    for name, compiler, source, options in (("sampled", "gcc", "sampled.c", []),
                                            ("sampled_threads", "g++", "sampled_threads.cpp",
                                             ["-pthread"])):
        programs[name] = os.path.join(work, name)
        subprocess.run([compiler, "-O2", "-fomit-frame-pointer", *options, "-o", programs[name],
                        os.path.join(HERE, source)], check=True)
    return {
        "C, 40 deep": [programs["sampled"], "deep", "40", "20000"],
        "C, 200 deep": [programs["sampled"], "deep", "200", "20000"],
        "C, 500 deep": [programs["sampled"], "deep", "500", "20000"],
        "C++, 100 threads": [programs["sampled_threads"], "100", "150"],
        "C, 50 processes": [programs["sampled"], "tree", "50", "400"],
    }


def program_seconds(result):
    return int(re.search(r"^cpu_us (\d+)$", result.stdout, re.M).group(1)) / 1e6


def short(name):
    """A function's name without its arguments, as tools print them differently."""
    name = re.sub(r"\s*\(inlined\)$", "", name)
    return re.sub(r"\(.*", "", name).replace("[clone .cold]", "").strip()


class Seen:
    """What one tool tells of one run."""

    def __init__(self):
        self.samples = self.complete = self.lost = self.size = 0
        self.recorder = self.program = self.report = 0.0
        self.shares = {}

    def top(self):
        return sorted(self.shares, key=self.shares.get, reverse=True)[:10]


def tare_run(tare, work, command):
    seen, path = Seen(), os.path.join(work, "sampled.tare")
    total, result = measured([tare, "record", "-q", "--method=sample", "--no-kernel", "-F", FREQUENCY,
                              "-o", path, "--", *command])
    seen.program = program_seconds(result)
    seen.recorder = total - seen.program
    seen.size = os.path.getsize(path)
    seen.report, result = measured([tare, "report", "functions", path, "--format=csv"])
    shares = collections.Counter()
    for row in csv.DictReader(result.stdout.splitlines()):
        shares[short(row["function"])] += int(row["exclusive_samples"] or 0)
    with sqlite3.connect(path) as profile:
        seen.samples, truncated, seen.lost = profile.execute(
            "SELECT samples, truncated, lost FROM sampling").fetchone()
    seen.complete = seen.samples - truncated
    seen.shares = {name: count / seen.samples for name, count in shares.items() if count}
    return seen


ROOTS = re.compile(r"\b(_start|main|work|clone3|__clone3|start_thread)\b")


def perf_stacks(text):
    """Lists of functions, innermost first."""
    for block in re.split(r"\n\s*\n", text):
        frames = re.findall(r"^\s*[0-9a-f]+ (.*)$", block, re.M)
        if frames:
            yield frames


def perf_run(perf, options, work, command):
    seen, path = Seen(), os.path.join(work, "perf.data")
    total, result = measured([perf, "record", "-e", "cpu-clock:u", "-F", FREQUENCY, *options, "-o",
                              path, *command], cwd=work)
    seen.program = program_seconds(result)
    seen.recorder = total - seen.program
    seen.size = os.path.getsize(path)
    seen.report, result = measured([perf, "script", "-i", path, "--max-stack", "2048",
                                    "--show-lost-events", "-F", "ip,sym"])
    seen.lost = sum(int(count) for count in
                    re.findall(r"PERF_RECORD_LOST(?:_SAMPLES)? lost (\d+)", result.stdout))
    shares = collections.Counter()
    for frames in perf_stacks(result.stdout):
        seen.samples += 1
        # Functions that were inlined there come first.
        own = next(frame for frame in frames if not frame.endswith("(inlined)"))
        shares[short(own)] += 1
        seen.complete += any(ROOTS.search(frame) for frame in frames)
    seen.shares = {name: count / seen.samples for name, count in shares.items()}
    return seen


def row(title, seen, plain, reference):
    same = set(seen.top()) & set(reference.top())
    furthest = max((abs(seen.shares[name] - reference.shares[name]) for name in same), default=0)
    top = "–" if seen is reference else f"{len(same)}, {100 * furthest:.1f}"
    return (f"| {title} | {seen.samples} | {seen.lost} | "
            f"{100 * seen.complete / max(seen.samples, 1):.2f} | {seen.size / 1e6:.2f} | "
            f"{seen.recorder:.2f} | × {seen.program / plain:.3f} | {seen.report:.2f} | {top} |")


HEAD = ["| | samples | lost | complete, % | file, MB | recorder, s | program | report, s | top 10 |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|"]


def beside_perf(tare, work):
    perf = shutil.which("perf")
    lines = []
    for title, command in build(work).items():
        print(f"  {title}", file=sys.stderr)
        plain = statistics.median(program_seconds(measured(command)[1]) for _ in range(3))
        reference = tare_run(tare, work, command)
        lines += [f"{title} ({plain:.2f} s of processor time by itself):", "", *HEAD,
                  row("**tare** `--method=sample`", reference, plain, reference)]
        for name, options in (("perf `--call-graph fp`", ["--call-graph", "fp"]),
                              ("perf `--call-graph dwarf`", ["--call-graph", "dwarf"]),
                              ("perf `--call-graph dwarf,65528`",
                               ["--call-graph", "dwarf,65528"])):
            if not perf:
                lines.append(f"| {name} | perf is not installed | | | | | | | |")
                continue
            try:
                lines.append(row(name, perf_run(perf, options, work, command), plain, reference))
            except RuntimeError as reason:
                lines.append(f"| {name} | {reason} | | | | | | | |")
        lines.append("")
    return lines


# ---- overhead ----------------------------------------------------------------------------------


def loads(work):
    data = os.path.join(os.path.dirname(HERE), "tests", "e2e", "data")
    text = os.path.join(work, "text")
    with open(text, "w", encoding="ascii") as file:
        seed = 1
        for i in range(700_000):
            seed = (seed * 1103515 + 12345) % 2147483
            file.write(f"{i * 7919 % 10000019:08d} host{seed % 211:03d} state={i % 17} "
                       f"ratio={seed / 2147483:.4f}\n")
    with open(os.path.join(data, "orders.sql"), encoding="utf-8") as file:
        orders = file.read()
    with open(os.path.join(work, "orders.sql"), "w", encoding="utf-8") as file:
        for _ in range(8):
            file.write(".open :memory:\n" + orders)
    return {
        "lua5.4, seven algorithms": ["lua5.4", os.path.join(data, "algorithms.lua"), "24"],
        "sqlite3, a shop database": ["sqlite3", ":memory:", f".read {work}/orders.sql"],
        "zstd -12, 30 MB of text": ["zstd", "-q", "-f", "-12", text, "-o", text + ".zst"],
    }


# Prints the processor time of what it starts.
TIMED = ["bash", "-c", 'TIMEFORMAT="cpu %3U %3S"; time "$@" >/dev/null', "timed"]


def one_load(recorder, command):
    total, result = measured([*recorder, *TIMED, *command])
    user, system = re.search(r"^cpu ([0-9.]+) ([0-9.]+)$", result.stderr, re.M).groups()
    return float(user) + float(system), total


def spread(ratios):
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{middle:.4f} [{low:.4f}, {high:.4f}]"


def overhead(tare, build_directory, work, rounds):
    profile = os.path.join(work, "load.tare")
    record = [tare, "record", "-q", "--method=sample", "-F", FREQUENCY, "-o", profile, "--"]
    # Where perf_event_open is refused, by a filter that costs each system call a little.
    refused = [os.path.join(build_directory, "tests", "fixtures", "refused"), "13"]
    variants = {"without": [], "perf events": record, "refused": refused,
                "timers": [*refused, *record]}
    columns = [("perf events", "without", 0), ("perf events", "without", 1),
               ("timers", "refused", 0), ("timers", "refused", 1)]
    if shutil.which("perf"):
        variants["bare"] = ["perf", "record", "-q", "-e", "cpu-clock", "-F", FREQUENCY, "-o",
                            os.path.join(work, "load.data")]
        columns.insert(0, ("bare", "without", 0))
    else:
        columns.insert(0, ("bare", None, 0))
    lines = ["| program | seconds | perf without stacks: program | tare: program | with recorder | "
             "tare by timers: program | with recorder |", "|---|---:|---:|---:|---:|---:|---:|"]
    for title, command in loads(work).items():
        print(f"  {title}", file=sys.stderr)
        if not shutil.which(command[0]):
            lines.append(f"| {title} | {command[0]} is not installed | | | | | |")
            continue
        times = {name: [] for name in variants}
        order = list(variants)
        for number in range(rounds):
            for name in order[number % len(order):] + order[:number % len(order)]:
                try:
                    times[name].append(one_load(variants[name], command))
                except (RuntimeError, AttributeError, OSError) as reason:
                    print(f"  {title}, {name}: {reason}", file=sys.stderr)
        cells = []
        for name, beside, part in columns:
            if len(times.get(name, [])) != rounds:
                cells.append("–")
                continue
            cells.append(spread([with_it[part] / without[part] for with_it, without in
                                 zip(times[name], times[beside])]))
        seconds = statistics.median(own for own, _ in times["without"])
        lines.append(f"| {title} | {seconds:.2f} | {' | '.join(cells)} |")
    return lines


# ---- unwinding ---------------------------------------------------------------------------------


def unwinding(build_directory, work):
    bench = os.path.join(build_directory, "bench", "bench_unwinding")
    sampled = os.path.join(work, "sampled")
    commands = {f"C, {depth} deep": [sampled, "deep", str(depth), "100000000"]
                for depth in (24, 40, 200, 500)}
    commands["perl, recursion"] = ["perl", "-e",
                                   "sub f { my $n = shift; $n < 2 ? 1 : f($n - 1) + f($n - 2) } f(60)"]
    commands["clang++, compiling `<map>`"] = ["clang++", "-O2", "-x", "c++", "-include", "map", "-S",
                                              "-o", "/dev/null",
                                              os.path.join(HERE, "sampled_threads.cpp")]
    lines = ["| program | stacks | complete | frames | first walk | again | a frame |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    pattern = re.compile(r"(\d+) stacks, (\d+) complete; medians: (\d+) frames, first walk (\d+) ns, "
                         r"again (\d+) ns, ([0-9.]+) ns a frame")
    for title, command in commands.items():
        if not shutil.which(command[0]):
            lines.append(f"| {title} | {command[0]} is not installed | | | | | |")
            continue
        _, result = measured([bench, "stacks", "-n", "100", *command])
        lines.append(f"| {title} | {' | '.join(pattern.search(result.stdout).groups())} |")
    return lines
