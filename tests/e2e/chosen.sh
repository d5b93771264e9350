#!/bin/bash
# Without symbols of the C library, the form of strcmp that the processor got is strcmp: its time stands with its calls.
. "$(dirname "$0")/lib.sh"

need gcc python3
cd "$work"
export TARE_DEBUG_PATH=$work/none
gcc -O2 -g -pthread -o words "$E2E/../../docs/start/words.c"
for options in "" "--method=sample"; do
	# shellcheck disable=SC2086
	"$TARE" record -q $options -o profile.tare -- ./words 1 600 >out || fail "record $options"
	"$TARE" report functions --format=csv profile.tare >functions.csv
	python3 - <<'P' || fail "of strcmp $options: $(head -n 8 functions.csv)"
import csv
rows = list(csv.DictReader(open("functions.csv")))
by_calls = "cpu_exclusive_ns" in rows[0]
cost = lambda row: float(row["cpu_exclusive_ns" if by_calls else "exclusive_samples"] or 0)
of = [row for row in rows if row["function"] == "strcmp"]
assert len(of) == 1 and of[0]["module"].startswith("libc"), of
assert cost(of[0]) > 0.4 * sum(map(cost, rows)), of
assert not by_calls or int(of[0]["calls"]) > 1000000, of
# The stub through which it is called is part of it.
assert not by_calls or not any(row["function"] == "strcmp@plt" for row in rows), rows
P
done
