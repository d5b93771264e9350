#!/bin/bash
# Functions follow the phases of a program: what is hot is counted, what has become rare is timed again; what
# waits stays timed; calls stay exact. The next recording starts with what the last one has learned, and hostile
# contents of that file change nothing.
. "$(dirname "$0")/lib.sh"

need gcc python3 sqlite3
cd "$work"
gcc -O1 -w -o phases "$E2E/../fixtures/phases.c"
export XDG_CACHE_HOME=$work/cache
mkdir "$XDG_CACHE_HOME"

take() {
	record "$work/phases"
	report functions
	python3 - "$work" <<'END' || fail "$1"
import csv, sys
work = sys.argv[1]
rows = {row["function"]: row for row in csv.DictReader(open(f"{work}/functions.csv"))}
truth = dict(line.split() for line in open(f"{work}/recorded.stdout"))
for name, count in truth.items():
    assert rows[name]["calls"] == count, (name, count, rows[name])
assert rows["usleep"]["disarmed"] == "0", rows["usleep"]
END
}
ask() {
	sqlite3 "$work/profile.tare" "$1"
}
of_phase="FROM disarm d JOIN function f ON f.id = d.function WHERE f.name = 'phase'"

record_options=(--adaptive --method=instrument --small-functions=keep)
take "the first recording"
[ "$(ask "SELECT min(calls) > 0 $of_phase")" = 1 ] || fail "phase was not disarmed, or started so"
# A site through which nearly all calls of phase come must not time them: of all calls, the tree has less than half.
[ "$(ask "SELECT 2 * sum(n.calls) < (SELECT sum(c.entered) FROM counted c WHERE c.function = f.id)
	FROM node n JOIN function f ON f.id = n.function WHERE f.name = 'phase'")" = 1 ] ||
	fail "the call through a pointer stays timed"
[ "$(ask "SELECT unmatched FROM thread")" = 0 ] || fail "ends without a begin"

file=$(find "$XDG_CACHE_HOME" -name .tare-learned | head -1)
[ -n "$file" ] || fail "nothing was learned"
[ "$(stat -c %a "$file")" = 600 ] || fail "others may read or write what was learned"
take "the second recording"
[ "$(ask "SELECT min(c.learned) FROM counted c JOIN function f ON f.id = c.function WHERE f.name = 'phase'")" = 1 ] ||
	fail "phase did not start counted"
# What its counter and its two probes took is known, to the tick.
[ "$(ask "SELECT max(abs(c.cost_ticks - c.entered * (p.begin_counters_ticks + 2 * p.begin_gates_ticks) / 256)) <= 1
	FROM counted c JOIN function f ON f.id = c.function JOIN process p ON p.id = c.process
	WHERE f.name = 'phase' AND c.entered > 1000000 AND c.cost_ticks > 0")" = 1 ] ||
	fail "what the counter of phase took is not known"
"$TARE" report summary "$work/profile.tare" >summary
grep -q "from the start [0-9]* function" summary || fail "the header does not say what was learned"

# Without it, or with it damaged, everything is timed at first.
started() {
	ask "SELECT count(*) FROM counted WHERE learned"
}
learned=("${record_options[@]}")
record_options+=(--no-learned)
take "without it"
[ "$(started)" = 0 ] || fail "with --no-learned there are functions that start counted"
record_options=("${learned[@]}")
cp "$file" good
for damage in "truncate -s 60 $file" "truncate -s 10 $file" "truncate -s +1000000 $file" \
	"chmod 666 $file" "printf x | dd of=$file conv=notrunc status=none" \
	"printf '\377\377\377\377' | dd of=$file bs=1 seek=12 conv=notrunc status=none" \
	"printf x | dd of=$file bs=1 seek=20 conv=notrunc status=none" "ln -sf $work/good $file"; do
	rm -f "$file"
	cp good "$file"
	chmod 600 "$file"
	eval "$damage"
	take "after $damage"
	[ "$(started)" = 0 ] || fail "$damage was believed"
done
# All bits set: everything that may be starts disarmed, and all is as it was.
rm -f "$file"
python3 -c "
data = open('good', 'rb').read()
open('$file', 'wb').write(data[:80] + b'\377' * (len(data) - 80))"
chmod 600 "$file"
record "$work/phases"
same_output=$(cut -d' ' -f1 "$work/recorded.stdout" | tr '\n' ' ')
[ "$same_output" = "phase waiter dispatch " ] || fail "the program prints something else: $same_output"

# Processes of a build: none calls a function often enough to judge it, all together do. What
# waits stays timed.
cat >brief.c <<'EOF'
#include <unistd.h>
__attribute__((noipa)) static int brief(int x) { return x * x + 1; }
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += brief(i);
	for (int i = 0; i < 10; i++)
		usleep(1);
	return sum < 0;
}
EOF
gcc -O1 -w -o brief brief.c
record_options=(--adaptive --small-functions=keep)
# A call that another process's turn has made long may keep it timed once more, on a busy machine.
learn_again() {
	local turn
	for turn in 1 2 3; do
		[ "$(ask "SELECT min(c.learned) FROM counted c JOIN function f ON f.id = c.function WHERE f.name = 'brief'")" = 0 ] ||
			return 0
		record sh -c "for i in \$(seq 30); do $work/brief; done"
	done
}
for learned in 0 1; do
	[ $learned = 0 ] || learn_again
	record sh -c "for i in \$(seq 30); do $work/brief; done"
	[ "$(ask "SELECT sum(c.entered) FROM counted c JOIN function f ON f.id = c.function WHERE f.name = 'brief'")" = 3000 ] ||
		fail "brief was not called 100 times in each of 30 processes"
	[ "$(ask "SELECT min(c.learned) FROM counted c JOIN function f ON f.id = c.function WHERE f.name = 'brief'")" = $learned ] ||
		fail "whether brief starts counted is not $learned"
	[ "$(ask "SELECT count(*) > 0, coalesce(max(c.learned), 0) FROM counted c WHERE c.function IN
		(SELECT function FROM node GROUP BY function HAVING 2 * sum(os_blocked_ticks) > sum(elapsed_ticks))")" = "1|0" ] ||
		fail "what waits starts counted"
done
