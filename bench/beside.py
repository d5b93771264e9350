"""Two commands on one processor at the same time, which the scheduler gives to both in turns of milliseconds.

Where a machine's pace changes from second to second, as a virtual machine's does, runs one after another differ by
that: here by a factor of up to 2.3. What shares a processor's slices meets the same pace. Two runs of one program
took processor time in a ratio of 0.999 to 1.001 so, and of 0.8 to 1.3 when they ran in turn.
"""
import concurrent.futures
import os
import threading


class Side:
    """One of the two: runs again and again until both have ended often enough."""

    def __init__(self, run, least):
        self.run, self.least, self.results, self.other = run, least, [], None

    @property
    def enough(self):
        return len(self.results) >= self.least

    def go(self, processor, ended):
        # Of this thread, and so of what it starts.
        os.sched_setaffinity(0, {processor})
        try:
            while not ended.is_set():
                result = self.run()
                if ended.is_set():
                    return  # a part of it had the processor for itself
                self.results.append(result)
                if self.enough and self.other.enough:
                    ended.set()
        except BaseException:
            ended.set()
            raise


def beside(pairs, least):
    """Runs each pair (base, other) on a processor of its own, as many at once as there are processors, until either
    of the two has ended `least` times. Both are called without arguments, start a program and wait for it.
    Returns for each pair what the calls returned, ([of base], [of other]); a call's exception is raised here."""
    processors = sorted(os.sched_getaffinity(0))
    found = []
    for first in range(0, len(pairs), len(processors)):
        at_once = [[Side(run, least) for run in pair] for pair in pairs[first:first + len(processors)]]
        with concurrent.futures.ThreadPoolExecutor(2 * len(at_once)) as pool:
            waits = []
            for processor, (base, other) in zip(processors, at_once):
                base.other, other.other = other, base
                ended = threading.Event()
                waits += [pool.submit(side.go, processor, ended) for side in (base, other)]
            for wait in waits:
                wait.result()
        found += [(base.results, other.results) for base, other in at_once]
    return found
