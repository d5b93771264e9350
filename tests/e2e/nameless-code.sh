#!/bin/bash
# Functions that neither symbols nor unwind information tell of are those that calls lead to, each with its
# own samples and its extent.
. "$(dirname "$0")/lib.sh"
need gcc strip nm

cat >"$work/bare.c" <<'END'
static volatile unsigned long sum;
#define KEPT __attribute__((noinline, noclone))
KEPT static void shorter(long n) { for (long i = 0; i < n; i++) sum += i; __asm__(""); }
KEPT static void longer(long n) { for (long i = 0; i < 3 * n; i++) sum ^= i; __asm__(""); }
KEPT static void both(long n) { shorter(n); longer(n); __asm__(""); }
int main(void)
{
	for (int i = 0; i < 100; i++)
		both(1000000);
	return 0;
}
END
cd "$work"
gcc -O1 -w -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-pie -no-pie -o named bare.c
nm named | awk '{ print $3, $1 }' >symbols
strip -o bare named

shown() {
	python3 - "$@" <<'END' || fail "recorded with: $*"
import csv
begins = {name: int(addr, 16) for name, addr in (line.split() for line in open("symbols") if len(line.split()) == 2)}
rows = [row for row in csv.DictReader(open("functions.csv")) if row["module"] == "bare" and row["address"]]
found = {int(row["address"], 16): row for row in rows}
one, other = found[begins["shorter"]], found[begins["longer"]]
samples = [int(row["exclusive_samples"]) for row in (one, other)]
assert 1.5 < samples[1] / samples[0] < 6, samples
assert sum(samples) > 0.9 * sum(int(row["exclusive_samples"]) for row in rows), rows
END
}
record_options=(--method=sample)
record "$work/bare"
report functions
shown "${record_options[@]}"
python3 - "$work" <<'END' || fail "extents"
import sqlite3, sys
database = sqlite3.connect(sys.argv[1] + "/profile.tare")
symbols = sorted(int(line.split()[1], 16) for line in open("symbols") if len(line.split()) == 2)
names = {line.split()[0]: int(line.split()[1], 16) for line in open("symbols") if len(line.split()) == 2}
for name in ("shorter", "longer"):
    size = dict(database.execute("SELECT link_addr, size FROM function"))[names[name]]
    following = next(addr for addr in symbols if addr > names[name])
    assert size == following - names[name], (name, size, following - names[name])
END
# Where calls are counted they stand beside.
record_options=()
record "$work/bare"
"$TARE" report functions "$work/profile.tare" --method=sample --format=csv --no-kernel >functions.csv
shown "default"
