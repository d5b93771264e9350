"""What reports, comparisons and exports of a large profile take, and a report of a small one. Returns
lines of Markdown; bench/run puts them into the page."""
import os
import subprocess
import time

TEXT = """The profile has a million call paths, up to 60 deep, over 20,000 functions of 50 modules in 8 threads
(`bench/large_profile`, 93 MB), and is in the page cache. The columns are seconds from the start of the
command to its end, processor seconds, highest resident memory, and what was written: to a pipe that is
read and forgotten; by exports, to a file. Times are the least of the rounds. Where elapsed and processor
seconds are far apart, other load was on the machine. Call paths as CSV and JSON are mostly the column
`path`; a selection of columns without it takes a fraction of that."""

VIEWS = ("summary", "functions", "callers part_1_function_1", "calltree", "modules", "threads",
         "processes", "os", "coverage", "marks")
EXPORTS = ("pprof", "folded", "callgrind", "speedscope", "firefox", "html")


def take(command):
    """Elapsed and processor seconds, peak memory in MB, and bytes written."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    written = 0
    while piece := process.stdout.read(1 << 20):
        written += len(piece)
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return (time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000,
            written)


def row(name, command, rounds, output=None):
    best = min(take(command) for _ in range(rounds))
    size = os.path.getsize(output) if output else best[3]
    elapsed = f"{best[0]:.2f}" if best[0] >= 0.1 else f"{best[0]:.4f}"
    return f"| {name} | {elapsed} | {best[1]:.2f} | {best[2]:.0f} | {size / 1e6:.1f} |"


def reports(bench, rounds):
    profile, other, small = (bench.path(name) for name in ("large.tare", "other.tare", "s.tare"))
    subprocess.run([bench.build + "/bench/large_profile", profile], check=True)
    subprocess.run([bench.build + "/bench/large_profile", other, "1000000", "50", "20000", "8", "1",
                    "90"], check=True)
    subprocess.run([bench.build + "/bench/large_profile", small, "100", "2", "20", "1"], check=True)
    page = ["| command | elapsed, s | processor, s | memory, MB | written, MB |",
            "|---|---:|---:|---:|---:|"]
    for view in VIEWS:
        for form in ("text", "csv", "json"):
            many = view == "calltree" and form != "text"
            page.append(row(f"`report {view}`, {form}",
                            [bench.tare, "report", *view.split(), profile, "--format=" + form],
                            1 if many else rounds))
    page.append(row("`report calltree`, csv, three columns",
                    [bench.tare, "report", "calltree", profile, "--format=csv",
                     "--columns=level,function,elapsed_inclusive"], rounds))
    for view in ("functions", "calltree"):
        page.append(row(f"`diff --view={view}`, text",
                        [bench.tare, "diff", "--view=" + view, profile, other], 1))
    for form in EXPORTS:
        output = bench.path("export." + form)
        page.append(row(f"`export --format={form}`",
                        [bench.tare, "export", "--format=" + form, "-o", output, profile], 1, output))
        os.unlink(output)
    page.append(row("`report` of 100 call paths, text", [bench.tare, "report", small], 5 * rounds))
    return page
