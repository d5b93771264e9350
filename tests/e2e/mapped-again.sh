#!/bin/bash
# A program that maps code of its own file again, and runs it there: samples are the functions',
# and have main above them, with perf events and without.
. "$(dirname "$0")/lib.sh"
need python3 sqlite3
expected=$("$FIXTURES/mapped_again" 1000)

# check NAME COMMAND…: the recording that COMMAND makes
check() {
	local name=$1
	shift
	"$@" record -q -o "$work/p.tare" -- "$FIXTURES/mapped_again" 1000000 >"$work/out" 2>"$work/err" ||
		fail "$name: $(cat "$work/err")"
	"$TARE" report functions "$work/p.tare" --limit=0 --format=csv >"$work/rows"
	python3 - "$work/rows" "$name" <<'END' || exit 1
import csv
import sys

rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))
whole = sum(float(row["cpu_exclusive_ns"] or 0) for row in rows)
own = [row for row in rows if row["function"] in ("runs_elsewhere", "loops_elsewhere")]
main = [row for row in rows if row["function"] == "main"]
unknown = sum(float(row["cpu_exclusive_ns"] or 0) for row in rows if row["module"] == "[unknown]")
taken = sum(float(row["cpu_exclusive_ns"]) for row in own)
if len(own) != 2 or any(row["module"] != "mapped_again" for row in own) or taken < whole / 2:
    sys.exit(f"{sys.argv[2]}: the functions' rows: {own}, of {whole} ns")
if len(main) != 1 or float(main[0]["cpu_inclusive_ns"]) < whole / 2:
    sys.exit(f"{sys.argv[2]}: main's row: {main}, of {whole} ns")
if unknown > whole / 20:
    sys.exit(f"{sys.argv[2]}: {unknown} of {whole} ns are in unknown code")
END
}

"$TARE" record -q -o "$work/small.tare" -- "$FIXTURES/mapped_again" 1000 >"$work/out"
[ "$(cat "$work/out")" = "$expected" ] || fail "it computes $(cat "$work/out"), not $expected"
check "with perf events" "$TARE"
"$FIXTURES/refused" 1 true 2>/dev/null || { echo "perf events cannot be refused here" && exit 0; }
check "without" "$FIXTURES/refused" 1 "$TARE"
# Stacks are whole, also through code that was made at run time.
for mode in "" made; do
	"$FIXTURES/refused" 1 "$TARE" record -q --method=sample -o "$work/s.tare" -- \
		"$FIXTURES/mapped_again" 1000000 $mode >"$work/out"
	cut=$(sqlite3 "$work/s.tare" 'SELECT 100 * truncated / samples FROM sampling')
	[ "$cut" -lt 5 ] || fail "$cut % of the stacks are cut off ${mode:+in code $mode at run time}"
done
