#!/bin/bash
# The default recording: calls are counted, and times of counted functions are right. What it says of
# a real program is held against samples of the program as it is; sums hold; who refuses to be
# instrumented is sampled.
. "$(dirname "$0")/lib.sh"
need sqlite3 python3
need_perf

work_hard() {
	same sqlite3 :memory: ".read $E2E/data/orders.sql"
}

record_options=(--method=sample)
work_hard
"$TARE" report functions "$work/profile.tare" --format=csv --limit=0 >"$work/sampled.csv"
record_options=()
work_hard
"$TARE" report functions "$work/profile.tare" --format=csv --limit=0 >"$work/functions.csv"
"$TARE" report threads "$work/profile.tare" --format=csv --unit=ticks >"$work/threads.csv"
"$TARE" report functions "$work/profile.tare" --format=csv --limit=0 --unit=ticks >"$work/ticks.csv"
python3 - "$work" <<'END' || fail "the default recording and the samples differ"
import csv, sys

work = sys.argv[1]
rows = list(csv.DictReader(open(f"{work}/functions.csv", newline="")))
sampled = {row["function"]: row for row in csv.DictReader(open(f"{work}/sampled.csv", newline=""))}
assert any(row["timed_by"] == "samples" for row in rows), "no function was counted only"

# The function with most of the time has most samples, or nearly, and its share is theirs within both
# intervals. Some points more: probes and counters take their part, and the machine is not alone.
total = sum(int(row["cpu_exclusive_ns"]) for row in rows)
top = max(rows, key=lambda row: int(row["cpu_exclusive_ns"]))
other_top = max(sampled.values(), key=lambda row: int(row["exclusive_samples"]))
low, high = (100 * int(top[f"cpu_exclusive_{end}_ns"]) / total for end in ("low", "high"))
other = [float(sampled[top["function"]][f"exclusive_{end}_percent"]) for end in ("low", "high")]
print(f"{top['function']}: {low:.1f} to {high:.1f} % in the recording, {other[0]:.1f} to {other[1]:.1f} by samples alone")
assert low <= other[1] + 5 and other[0] <= high + 5
assert float(other_top["exclusive_low_percent"]) <= other[1] + 5, other_top["function"]
for row in rows:
    for side in "inclusive", "exclusive":
        if row[f"cpu_{side}_low_ns"]:
            assert (int(row[f"cpu_{side}_low_ns"]) <= int(row[f"cpu_{side}_ns"]) <=
                    int(row[f"cpu_{side}_high_ns"])), row

# To the tick: functions, and what is outside of all, are the thread's.
ticks = list(csv.DictReader(open(f"{work}/ticks.csv", newline="")))
thread, = csv.DictReader(open(f"{work}/threads.csv", newline=""))
for value in "cpu", "elapsed", "application":
    assert sum(int(row[f"{value}_exclusive_ticks"]) for row in ticks) == int(thread[f"{value}_exclusive_ticks"])
END

# Clock and samples have measured the same. Where one of them has not, the report says so.
"$TARE" report summary "$work/profile.tare" >"$work/agrees"
! grep 'by their clocks' "$work/agrees" || fail "clock and samples differ"
cp "$work/profile.tare" "$work/half.tare"
sqlite3 "$work/half.tare" 'UPDATE stack_value
	SET weight = weight / 2, unclocked_weight = unclocked_weight / 2'
"$TARE" report summary "$work/half.tare" >"$work/differs"
grep -q '^! *by their clocks the threads worked .*, by samples ' "$work/differs" ||
	fail "half of the samples: $(cat "$work/differs")"

# as_if_short FILE COPY: a 32-bit program, as its header says, which cannot be instrumented.
as_if_short() {
	cp "$1" "$2"
	printf '\001' | dd of="$2" bs=1 seek=4 conv=notrunc status=none
}
as_if_short "$FIXTURES/computes" "$work/file"
if "$work/file" 200000 once >"$work/alone" 2>&1; then
	"$TARE" record -o "$work/file.tare" -- "$work/file" 200000 once >"$work/out" 2>"$work/note" || fail "$(cat "$work/note")"
	cmp "$work/alone" "$work/out" || fail "the output differs"
	grep -q 'is a 32-bit program.*; it was sampled' "$work/note" || fail "not said: $(cat "$work/note")"
	"$TARE" report functions --method=sample "$work/file.tare" --format=csv >"$work/file.csv"
	[ "$(wc -l <"$work/file.csv")" -gt 1 ] || fail "no samples"
	"$TARE" record --exact -o "$work/none.tare" -- "$work/file" 200000 once 2>"$work/note" && fail "--exact has sampled"
	[ ! -e "$work/none.tare" ] || fail "--exact has written a profile"
fi

# What is recorded at the second try has the signals that it was started with.
as_if_short /bin/sh "$work/sh"
signals=(-c "sed -n '/^Sig[BI]/p' /proc/self/status")
if "$work/sh" "${signals[@]}" >"$work/alone" 2>&1; then
	"$TARE" record -o "$work/sh.tare" -- "$work/sh" "${signals[@]}" >"$work/out" 2>"$work/note" || fail "$(cat "$work/note")"
	grep -q 'it was sampled' "$work/note" || fail "not said: $(cat "$work/note")"
	cmp "$work/alone" "$work/out" || fail "other signals: $(cat "$work/out")"
fi
