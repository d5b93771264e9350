#!/bin/bash
# Views of samples of a program whose work is in one line of an inlined function: lines,
# instructions, annotations and inlined functions find it, and all add up to the same.
. "$(dirname "$0")/lib.sh"
need_perf
need gcc python3

cat >"$work/busy.c" <<'C'
volatile unsigned sink;
static inline __attribute__((always_inline)) unsigned mix(unsigned value, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		value = value / 7 * 31 + i; /* the work */
	return value;
}
__attribute__((noinline)) unsigned busy(unsigned rounds)
{
	unsigned value = rounds;
	while (rounds--)
		value += mix(value, 1000); /* inlined here */
	return value;
}
int main(void)
{
	sink = busy(200000);
	return 0;
}
C
gcc -g -O2 -o "$work/busy" "$work/busy.c"
record_options=(--method=sample -F 2000)
record "$work/busy"

view() {
	local name=$1
	shift
	"$TARE" report "$@" "$work/profile.tare" --format=json >"$work/$name.json" ||
		fail "tare report $*: $?"
}
view functions functions
view inlined functions --inlines
view lines lines
view instructions instructions
view annotated annotate busy
view inner annotate mix
view code annotate busy --asm
"$TARE" annotate busy "$work/profile.tare" --no-pager >"$work/text"
grep -q '12 .*mix(value, 1000);' "$work/text" || fail "no source: $(cat "$work/text")"
grep -q -e '-> busy.c:5 mix$' "$work/text" || fail "no inlined line: $(cat "$work/text")"

python3 - "$work" <<'P'
import json
import sys

def rows(name, table):
    return json.load(open(f"{sys.argv[1]}/{name}.json"))["tables"][table]

def total(some, column="exclusive_samples"):
    return sum(row[column] for row in some)

busy = next(row for row in rows("functions", "functions") if row["function"] == "busy")
kept = busy["exclusive_samples"]
assert kept > 100, busy
# An instruction that a loop is made of may have the line of the loop.
work = next(row for row in rows("lines", "lines") if row["line"] == 5)
host = next(row for row in rows("lines", "lines") if row["line"] == 12)
assert work["function"] == "mix" and work["source"].endswith("/busy.c"), work
assert work["exclusive_samples"] > kept * 0.5, (work, kept)
assert host["inclusive_samples"] >= work["inclusive_samples"], (host, work)
mix = next(row for row in rows("inlined", "functions") if row["function"] == "mix")
assert mix["exclusive_samples"] > kept * 0.9, (mix, kept)

own = [row for row in rows("instructions", "instructions") if row["function"] == "busy"]
assert total(own) == kept and all(row["instruction"] for row in own), own
code = rows("code", "annotate")
assert total(code) == kept and all(row["text"] for row in code), code
assert [row["address"] for row in code] == sorted((row["address"] for row in code),
                                                 key=lambda text: int(text, 16))
source = rows("annotated", "annotate")
assert total(source) == kept, (total(source), kept)
assert any(row["level"] == 1 and row["function"] == "mix" and row["line"] == 5 for row in source)
assert source[0]["line"] <= 8 and "busy(unsigned rounds)" in str([row["text"] for row in source])
inner = rows("inner", "annotate")
assert total(inner) == mix["exclusive_samples"], (inner, mix)
print(f"{kept} samples in busy, {mix['exclusive_samples']} of them inlined")
P

# Another program of the same name: its code is not taken for the one that was recorded.
sed -i 's/value + i/value/; s/1000/999/' "$work/busy.c"
gcc -g -O1 -o "$work/busy" "$work/busy.c"
view other annotate busy --asm
grep -q 'is not the file that was recorded' "$work/other.json" || fail "$(cat "$work/other.json")"
