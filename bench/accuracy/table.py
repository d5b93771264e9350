"""What was measured as Markdown, as CSV and as lines for who waits."""
import collections
import csv
import statistics

MARKERS = "<!-- accuracy: {} begin -->\n", "<!-- accuracy: {} end -->"


def number(value, digits=2):
    return "–" if value is None else f"{value:.{digits}f}"


def pair(result, way, kind):
    mean, most = (result.get(f"{way}_{kind}_{name}") for name in ("mean", "max"))
    if mean is None and kind == "inclusive" and f"{way}_perf_cut" in result:
        return f"perf cuts {100 * result[way + '_perf_cut']:.0f} %"
    return f"{number(mean, 1)} / {number(most, 1)}"


def counts_cell(result):
    if "counts_compared" not in result:
        return "–"
    equal = result["counts_compared"] - result["counts_differ"] - result["counts_explained"]
    explained = f", {result['counts_explained']} explained" if result["counts_explained"] else ""
    return f"{equal} of {result['counts_compared']}{explained}"


def covered_cell(result, way):
    total = result.get(way + "_intervals")
    return f"{result[way + '_covered']} of {total}" if total else "–"


def title(result):
    return result["program"] + (" (held out)" if result["held_out"] else "")


def shares_cells(result, way):
    right = {True: "yes", False: "no", None: "–"}[result.get(way + "_top_right")]
    return [pair(result, way, "exclusive"), pair(result, way, "inclusive"), right, covered_cell(result, way)]


def costs_cells(result, way):
    return [number(result.get(f"{way}_{name}"))
            for name in ("cost_first", "cost_second", "total_of_plain", "total_of_clock")]


def medians_line(measured):
    """What the median program's recordings cost."""
    def median(key):
        values = [result[key] for result in measured if result.get(key) not in (None, "")]
        return number(statistics.median(map(float, values)) if values else None)

    return ("Processor time ÷ plain of the median program: first {}, second {}; refused: first {}, second {}; "
            "`--method=sample` {}.").format(*map(median, ("tare_cost_first", "tare_cost_second", "refused_cost_first",
                                                          "refused_cost_second", "sample_cost_second")))


def grid(heads, rows):
    return ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|",
            *("| " + " | ".join(row) + " |" for row in rows)]


def page(results, options):
    measured = [result for result in results if not result.get("missing")]
    share_heads = ["exclusive", "inclusive", "top", "covered"]
    lines = [f"Recorded with {'`' + options + '`' if options else 'no options'}.", "", "#### Shares", "",
             *grid(["program", "perf excl", "perf incl", *share_heads,
                    *("refused: " + head for head in share_heads), "sample excl"],
                   [[title(r), *(f"{number(r.get(f'tare_perf_{k}_mean'), 1)} / {number(r.get(f'tare_perf_{k}_max'), 1)}"
                                 for k in ("exclusive", "inclusive")),
                     *shares_cells(r, "tare"), *shares_cells(r, "refused"), pair(r, "sample", "exclusive")]
                    for r in measured]), "", "#### Totals, cost and calls", ""]
    cost_heads = ["first", "second", "total ÷ plain", "÷ clock"]
    lines += grid(["program", "plain, s", "slowest", *cost_heads, *("refused: " + head for head in cost_heads),
                   "sample", "calls equal"],
                  [[title(r), number(r["plain_seconds"]), number(r["plain_spread"]), *costs_cells(r, "tare"),
                    *costs_cells(r, "refused"), number(r.get("sample_cost_second")), counts_cell(r)] for r in measured])
    lines += ["", medians_line(measured)]
    unequal = [(r["program"], entry) for r in measured for entry in r.get("counts_wrong", []) if not entry[3]]
    if unequal:
        lines += ["", "#### Calls that differ", "", "| program | function | tare | callgrind |", "|---|---|---:|---:|",
                  *(f"| {program} | `{name}` | {mine:,} | {theirs:,} |"
                    for program, (name, mine, theirs, _) in unequal[:40])]
        if len(unequal) > 40:
            lines.append(f"\nand {len(unequal) - 40} more.")
    reasons = collections.Counter(entry[3] for r in measured for entry in r.get("counts_wrong", []) if entry[3])
    if reasons:
        lines += ["", "#### Calls that differ, explained", "", "| reason | functions |", "|---|---:|",
                  *(f"| {why} | {count} |" for why, count in reasons.most_common())]
    missing = [result["program"] for result in results if result.get("missing")]
    if missing:
        lines += ["", "Not installed: " + ", ".join(missing) + "."]
    return "\n".join(lines) + "\n"


def program_lines(result):
    """One program as text."""
    yield (f"{title(result)}: plain {number(result['plain_seconds'])} s, the slowest × "
           f"{number(result['plain_spread'])}, perf × {number(result['perf_cost'])}")
    for way in ("tare", "refused", "sample"):
        yield (f"  {way}: cost {number(result.get(way + '_cost_first'))} {number(result.get(way + '_cost_second'))}, "
               f"total ÷ plain {number(result.get(way + '_total_of_plain'))} "
               f"÷ clock {number(result.get(way + '_total_of_clock'))}, "
               f"exclusive {pair(result, way, 'exclusive')} (perf itself {pair(result, way + '_perf', 'exclusive')}), "
               f"inclusive {pair(result, way, 'inclusive')}, covered {covered_cell(result, way)}")
        if result.get(way + "_top_right") is False:
            yield f"    wrong on top: {result[way + '_tops']}"
        yield f"    worst: {result.get(way + '_worst_exclusive')}; inclusive {result.get(way + '_worst_inclusive')}"
    if "counts_compared" in result:
        yield f"  calls equal: {counts_cell(result)}"
        for name, mine, theirs, why in result["counts_wrong"][:12]:
            yield f"    {name}: tare {mine:,}, callgrind {theirs:,}{' (' + why + ')' if why else ''}"


def write_csv(path, results):
    """A line per program; the calls that differ are a column, one by one."""
    names = []
    for result in results:
        names += [name for name in result if name not in names]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        for result in results:
            wrong = "; ".join(f"{name} {mine} {theirs} {why}".strip()
                              for name, mine, theirs, why in result.get("counts_wrong", []))
            writer.writerow({**result, **({"counts_wrong": wrong} if "counts_wrong" in result else {})})


def write_between_markers(path, name, text):
    begin, end = (marker.format(name) for marker in MARKERS)
    with open(path, encoding="utf-8") as file:
        before, found, rest = file.read().partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        raise SystemExit(f"{path} has no lines '{begin.strip()}' and '{end}' to write between")
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n" + text + "\n" + end + after)
