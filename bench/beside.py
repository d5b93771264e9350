"""Two commands on one processor at the same time, which the scheduler gives to both in turns of milliseconds.

Where a machine's pace changes from second to second, as a virtual machine's does, runs one after another differ by
that: here by a factor of up to 2.3. What shares a processor's slices meets the same pace. Two runs of one program
took processor time in a ratio of 0.999 to 1.001 so, and of 0.8 to 1.3 when they ran in turn.
"""
import concurrent.futures
import os
import subprocess
import threading


def processor_seconds(command, **given):
    """What a command took, with all that it waited for. Raises CalledProcessError if it fails."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **given)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime


class Pair:
    """Two functions, each of which starts a program and waits for it, and what they returned."""

    def __init__(self, runs):
        self.runs, self.results, self.ended = runs, ([], []), threading.Event()

    def once(self, which, _):
        self.results[which].append(self.runs[which]())

    def again(self, which, least):
        """Until both have ended so often. What ends later had the processor for itself in part: it does not count."""
        while not self.ended.is_set():
            result = self.runs[which]()
            if self.ended.is_set():
                return
            self.results[which].append(result)
            if all(len(results) >= least for results in self.results):
                self.ended.set()

    def go(self, how, which, processor, least):
        os.sched_setaffinity(0, {processor})  # of this thread, and so of what it starts
        try:
            how(self, which, least)
        except BaseException:
            self.ended.set()
            raise


def run_pairs(given, how, least):
    """As many pairs at once as there are processors. An exception of a function is raised here."""
    processors = sorted(os.sched_getaffinity(0))
    pairs = [Pair(runs) for runs in given]
    for first in range(0, len(pairs), len(processors)):
        at_once = list(zip(processors, pairs[first:first + len(processors)]))
        with concurrent.futures.ThreadPoolExecutor(2 * len(at_once)) as pool:
            for wait in [pool.submit(pair.go, how, which, processor, least)
                         for processor, pair in at_once for which in range(2)]:
                wait.result()
    return [pair.results for pair in pairs]


def beside(pairs, least):
    """Runs each pair (base, other) until either has ended so often, and so all the time beside each other.
    Returns for each pair what they returned: ([of base, …], [of other, …])."""
    return run_pairs(pairs, Pair.again, least)


def once(pairs):
    """Runs each of a pair once, for two that take about the same time. Returns [(of base, of other), …]."""
    return [(base, other) for (base,), (other,) in run_pairs(pairs, Pair.once, 1)]
