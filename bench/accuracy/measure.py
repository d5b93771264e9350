"""Runs commands and says what they took."""
import dataclasses
import hashlib
import json
import os
import shutil
import signal
import subprocess
import threading
import time

POLL_SECONDS = 0.005


@dataclasses.dataclass
class Run:
    cpu_seconds: float
    # What the recorded process's own CPU clock showed last, 0 if it was not asked.
    clock_seconds: float
    output_digest: str


class Failed(Exception):
    pass


def process_clock_seconds(pid):
    """The CPU clock of another process, all its threads together."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


class ChildClock(threading.Thread):
    """Reads the clocks of a process's children until stopped; a child is gone once it was waited for."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.clocks, self.ended = pid, {}, threading.Event()

    def run(self):
        path = f"/proc/{self.pid}/task/{self.pid}/children"
        while not self.ended.wait(POLL_SECONDS):
            try:
                with open(path, encoding="ascii") as file:
                    children = [int(word) for word in file.read().split()]
            except OSError:
                continue
            for child in children:
                self.clocks[child] = max(self.clocks.get(child, 0), process_clock_seconds(child))

    def longest(self):
        self.ended.set()
        self.join()
        return max(self.clocks.values(), default=0.0)


def run(command, environment, clock=False, user=None):
    """Runs the command; its output must not differ between runs of the same program."""
    out_path = os.path.join(environment["ACCURACY_OUT"], "output")
    as_user = {"user": user, "group": user, "extra_groups": []} if user is not None else {}
    with open(out_path, "wb") as out, open(out_path + ".errors", "wb") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                                   env=environment, cwd=environment["ACCURACY_OUT"], **as_user)
    watcher = ChildClock(process.pid) if clock else None
    if watcher:
        watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    longest = watcher.longest() if watcher else 0.0
    if process.returncode != 0:
        with open(out_path + ".errors", encoding="utf-8", errors="replace") as errors:
            said = errors.read().strip()
        code = process.returncode
        how = signal.Signals(-code).name if code < 0 else f"status {code}"
        raise Failed(f"{how}: {' '.join(command)}: {said[-600:]}")
    with open(out_path, "rb") as out:
        digest = hashlib.sha256(out.read()).hexdigest()
    return Run(usage.ru_utime + usage.ru_stime, longest, digest)


class Tare:
    """Recordings of one program in one way: with what options, as whom, with a cache of their own."""

    def __init__(self, build, work, name, options, refused=False):
        self.command = os.path.join(build, "src", "cli", "tare")
        self.options, self.folder = options, os.path.join(work, name)
        self.prefix, self.user = [], None
        os.makedirs(self.folder, mode=0o755)
        if refused:
            # 13 is EACCES, what perf_event_open says to users where Debian's default is.
            self.prefix = [os.path.join(build, "tests", "fixtures", "refused"), "13"]
            if os.geteuid() == 0:
                self.user = 65534
                os.chown(self.folder, self.user, self.user)
        self.profile = os.path.join(self.folder, "profile.tare")
        self.environment = environment_in(self.folder)

    def record(self, command, *more, clock=False):
        for path in (self.profile, self.profile + ".old"):
            if os.path.exists(path):
                os.unlink(path)
        return run([*self.prefix, self.command, "record", "-q", *self.options, *more, "-o", self.profile, "--",
                    *command], self.environment, clock, self.user)

    def settle(self):
        """Waits for the copies that recordings leave for later, which are made at idle priority."""
        ours = f"XDG_CACHE_HOME={self.environment['XDG_CACHE_HOME']}".encode()
        while any(ours in environ for environ in later_environments()):
            time.sleep(0.1)

    def forget(self):
        """Empties the cache."""
        self.settle()
        shutil.rmtree(self.environment["XDG_CACHE_HOME"], ignore_errors=True)

    def report(self, view, *options):
        return subprocess.run([self.command, "report", view, self.profile, "--limit=0", *options], check=True,
                              capture_output=True, text=True, errors="replace").stdout

    def header(self):
        return json.loads(self.report("threads", "--format=json"))["header"]


def later_environments():
    """Of the processes that make copies now."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as words, open(f"/proc/{pid}/environ", "rb") as environ:
                if words.read().startswith(b"tare\0instrument\0--cache\0"):
                    yield environ.read().split(b"\0")
        except OSError:
            pass  # it has ended


def environment_in(folder):
    """What programs see: little, and the same each time."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HOME": folder, "TMPDIR": folder,
            "XDG_CACHE_HOME": os.path.join(folder, "cache"), "PYTHONHASHSEED": "0", "PERL_HASH_SEED": "0",
            "ACCURACY_OUT": folder}
