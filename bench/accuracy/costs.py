"""What recordings of a program cost, and how much processor time they tell of, beside plain runs."""
import os
import statistics
import sys

import measure

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from beside import beside  # noqa: E402

LEAST = 2  # of recordings whose cost is averaged


def mean_cpu(runs):
    return statistics.mean(run.cpu_seconds for run in runs)


class Costs:
    """Of one program's ways of being run; each is measured beside plain runs that share its processor."""

    def __init__(self, command, work):
        self.command, self.work, self.plains, self.digests = command, work, [], set()

    def plain(self, number):
        """A plain run in a folder of its own, as two may run at the same time."""
        folder = os.path.join(self.work, f"plain{number}")
        os.makedirs(folder, exist_ok=True)
        environment = measure.environment_in(folder)

        def run():
            taken = measure.run(self.command, environment)
            self.plains.append(taken.cpu_seconds)
            self.digests.add(taken.output_digest)
            return taken

        return run

    def ratios(self, others, least):
        """Processor time ÷ plain of each, and what their calls returned."""
        pairs = [(self.plain(number), other) for number, other in enumerate(others)]
        return [(mean_cpu(runs) / mean_cpu(plain), mean_cpu(plain), runs) for plain, runs in beside(pairs, least)]

    def recordings(self, result, ways):
        """First ones, with the cache empty, and later ones; with the totals that these tell of."""
        def first(way):
            def run():
                way.tare.forget()
                return way.tare.record(self.command)
            return run

        def second(way, totals):
            def run():
                taken = way.tare.record(self.command)
                totals.append(way.tare.header().get("cpu_ns", 0) / 1e9)
                return taken
            return run

        for way, (ratio, _, runs) in zip(ways, self.ratios([first(way) for way in ways], 1)):
            result[way.name + "_cost_first"] = ratio
            self.digests |= {run.output_digest for run in runs}
        for way in ways:
            way.tare.settle()
        totals = [[] for _ in ways]
        for way, own, (ratio, plain, runs) in zip(
                ways, totals, self.ratios([second(*one) for one in zip(ways, totals)], LEAST)):
            result[way.name + "_cost_second"] = ratio
            if any(own):
                result[way.name + "_total_of_plain"] = statistics.mean(own[:len(runs)]) / plain
            self.digests |= {run.output_digest for run in runs}

    def samplings(self, result, way, perf):
        """tare's --method=sample, and perf."""
        sample, of_perf = self.ratios([lambda: way.tare.record(self.command), perf], LEAST)
        result[way.name + "_cost_second"], result["perf_cost"] = sample[0], of_perf[0]
