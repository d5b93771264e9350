"""What copies cost by themselves: making them, their size, starting from them, running them dormant.
Each function returns lines of Markdown; bench/run puts them into the page."""
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

LIBRARIES = "/usr/lib/x86_64-linux-gnu"
FILES = ["/bin/bash", "/usr/bin/perl", "/usr/bin/python3.11", "/usr/bin/git",
         f"{LIBRARIES}/libsqlite3.so.0", f"{LIBRARIES}/libc.so.6", f"{LIBRARIES}/libstdc++.so.6",
         f"{LIBRARIES}/libcrypto.so.3", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus",
         "/usr/bin/node", f"{LIBRARIES}/libLLVM-14.so.1", "/usr/lib/llvm-14/lib/libclang-cpp.so.14",
         "/usr/bin/gdb"]

MAKING_TEXT = """What `tare instrument FILE` takes to make a copy and write the file. Processor time and instructions
per second are those on one processor, the minimum of the rounds. "All" is the elapsed time on all
processors. Memory is the highest resident size."""

START_TEXT = """Milliseconds from the start of the command to the first byte that the program prints, with copies in
the cache; minimum and median of the rounds. The columns with `+` have what is added to the plain
run. "Without probes" (`--transform=null`) is the start itself: recorder, runtime, loading of the
copies. *default* and `all` also contain what the probes cost in all calls that the program makes
until it prints; the last column has their number. `all` instruments every library whole
(`--module='*'`)."""

DORMANT_TEXT = """Processor time (user) of programs that run from instrumented copies without a recording, so that every
probe is a compare and a branch. The values are ratios to the originals, which ran in turn with the
copies: first of the minima, then of the medians. Copied were either the files that a recording
instruments (the executable and its libraries, but not the run-time libraries of C and C++), or all
libraries, the C library whole."""


def capture(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", check=True, **options).stdout


def run_measured(command, **options):
    """Elapsed and processor seconds, and the highest resident size of one command."""
    begin = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, **options) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: status {process.returncode}")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage


# ---- making copies ---------------------------------------------------------------------------


def on_one_processor():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def making(tare, rounds):
    lines = ["| file | input, MB | copy, MB | ratio | instructions | one processor, s | "
             "millions/s | all, s | memory, MB |", "|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
    sums, ratios, speeds = [0, 0], [], []
    for path in FILES:
        name = os.path.basename(path)
        if not os.path.exists(path):
            lines.append(f"| {name} | not installed | | | | | | | |")
            continue
        with tempfile.TemporaryDirectory(prefix="tare-bench-") as work:
            command = [tare, "instrument", "-q", "-o", os.path.join(work, "copy"), path]
            one = [run_measured(command, preexec_fn=on_one_processor)[1] for _ in range(rounds)]
            every = [run_measured(command) for _ in range(rounds)]
        listed = json.loads(capture([tare, "instrument", "--list", "--json", path]))["statistics"]
        sizes = listed["input_bytes"], listed["output_bytes"]
        sums = [sums[0] + sizes[0], sums[1] + sizes[1]]
        ratios.append(sizes[1] / sizes[0])
        speeds.append(listed["instructions"] / min(one) / 1e6)
        lines.append(f"| {name} | {sizes[0] / 1e6:.1f} | {sizes[1] / 1e6:.1f} | {ratios[-1]:.2f} | "
                     f"{listed['instructions']:,} | {min(one):.2f} | {speeds[-1]:.2f} | "
                     f"{min(e[0] for e in every):.2f} | "
                     f"{max(e[2].ru_maxrss for e in every) / 1024:.0f} |")
    if ratios:
        lines += ["", f"Ratio of sizes: {statistics.mean(ratios):.2f} on average over the files, "
                  f"{sums[1] / sums[0]:.2f} of the sums. Instructions per second: "
                  f"{min(speeds):.2f} to {max(speeds):.2f} million."]
    return lines


# ---- starting --------------------------------------------------------------------------------

STARTS = {
    "lua5.4": ["lua5.4", "-e", "io.write('x')"],
    "bash": ["bash", "-c", "echo x"],
    "python3.11": ["/usr/bin/python3.11", "-c", "print('x')"],
    "git": ["git", "--version"],
    "node": ["node", "-e", "console.log('x')"],
    "clang": ["clang", "--version"],
    "psql": ["psql", "--version"],
}


def first_byte_ms(command, environment):
    begin = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, env=environment) as process:
        byte = process.stdout.read(1)
        elapsed = time.perf_counter() - begin
        process.stdout.read()
    if not byte or process.returncode:
        raise RuntimeError(f"{' '.join(command)}: status {process.returncode}")
    return elapsed * 1000


def calls_in(tare, profile):
    rows = capture([tare, "report", "functions", profile, "--format=csv"]).splitlines()
    column = rows[0].split(",").index("calls")
    return sum(int(re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', row)[column]) for row in rows[1:])


def starting(tare, rounds):
    lines = ["| program | plain | without probes | default | `all` | calls: default, `all` |",
             "|---|---:|---:|---:|---:|---:|"]
    work = tempfile.mkdtemp(prefix="tare-bench-")
    environment = dict(os.environ, XDG_CACHE_HOME=work, LC_ALL="C")
    profile = os.path.join(work, "profile")
    record = [tare, "record", "-q", "-o", profile]
    for name, command in STARTS.items():
        if not shutil.which(command[0]):
            lines.append(f"| {name} | not installed | | | | |")
            continue
        variants = {"plain": command, "null": [*record, "--transform=null", "--", *command],
                    "default": [*record, "--", *command],
                    "all": [*record, "--module=*", "--", *command]}
        calls = {}
        for variant, words in variants.items():
            first_byte_ms(words, environment)
            if variant in ("default", "all"):
                calls[variant] = calls_in(tare, profile)
        samples = {variant: [] for variant in variants}
        for _ in range(rounds):
            for variant, words in variants.items():
                samples[variant].append(first_byte_ms(words, environment))
        plain = min(samples["plain"]), statistics.median(samples["plain"])
        cells = [f"+{min(samples[v]) - plain[0]:.1f}, +{statistics.median(samples[v]) - plain[1]:.1f}"
                 for v in ("null", "default", "all")]
        lines.append(f"| {name} | {plain[0]:.1f}, {plain[1]:.1f} | {' | '.join(cells)} | "
                     f"{calls['default']:,}, {calls['all']:,} |")
    shutil.rmtree(work, ignore_errors=True)
    return lines


# ---- dormant copies --------------------------------------------------------------------------


RUN_TIME_LIBRARIES = re.compile(r"lib(c|m|pthread|dl|rt|gcc_s|stdc\+\+)\.so")


def make_copies(tare, program, directory, run_time_libraries):
    """Copies of the program and of its libraries; the path of the program's."""
    os.mkdir(directory)
    path = os.path.realpath(shutil.which(program))
    libraries = [(name, source)
                 for name, source in re.findall(r"^\s*(\S+) => (/\S+)", capture(["ldd", path]), re.M)
                 if run_time_libraries or not RUN_TIME_LIBRARIES.match(name)]
    for name, source in [(os.path.basename(program), path), *libraries]:
        target = os.path.join(directory, os.path.basename(name))
        subprocess.run([tare, "instrument", "-q", "-o", target, source], check=True)
        os.chmod(target, 0o755)
    return os.path.join(directory, os.path.basename(program))


def user_seconds(command, environment):
    _, _, usage = run_measured(command, env=environment)
    return usage.ru_utime


def redis_seconds(server, environment, work):
    """User time of a server under the clients' load; the clients are the originals."""
    socket = os.path.join(work, "socket")
    with subprocess.Popen([server, "--port", "0", "--unixsocket", socket, "--save", "",
                           "--dir", work], stdout=subprocess.DEVNULL, env=environment) as process:
        for _ in range(500):
            if os.path.exists(socket):
                break
            time.sleep(0.01)
        capture(["redis-benchmark", "-s", socket, "-q", "-n", "40000", "-c", "20", "-P", "16", "-t",
                 "set,get,lpush,lrange_100,zadd"])
        process.terminate()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    os.unlink(socket) if os.path.exists(socket) else None
    return usage.ru_utime


def dormant(tare, programs, rounds):
    lines = ["| program | original, s | recording's selection | all libraries |", "|---|---:|---:|---:|"]
    programs = dict(programs, **{"redis, five commands": ["redis-server"]})
    for title, command in programs.items():
        if not shutil.which(command[0]) or (command[0] == "redis-server" and
                                            not shutil.which("redis-benchmark")):
            lines.append(f"| {title} | {command[0]} is not installed | | |")
            continue
        with tempfile.TemporaryDirectory(prefix="tare-bench-") as work:
            variants = {"plain": (shutil.which(command[0]), None)}
            for variant in ("default", "all"):
                copies = os.path.join(work, variant)
                variants[variant] = (make_copies(tare, command[0], copies, variant == "all"),
                                     dict(os.environ, LD_LIBRARY_PATH=copies))
            samples = {variant: [] for variant in variants}
            for _ in range(rounds + 1):
                for variant, (program, environment) in variants.items():
                    if command[0] == "redis-server":
                        samples[variant].append(redis_seconds(program, environment, work))
                    else:
                        samples[variant].append(user_seconds([program, *command[1:]], environment))
        plain = samples["plain"][1:]
        cells = [f"× {min(copied) / min(plain):.3f}, "
                 f"{statistics.median(copied) / statistics.median(plain):.3f}"
                 for copied in (samples["default"][1:], samples["all"][1:])]
        lines.append(f"| {title} | {min(plain):.2f} | {' | '.join(cells)} |")
    return lines
