#!/bin/bash
# Calls told apart by where they are made from (--call-sites): the calls of each source line are
# those that the program itself has counted, and all else is as without.
. "$(dirname "$0")/lib.sh"

record_options=(--small-functions=keep --call-sites)
same "$FIXTURES/sites"
report lines --columns=source,line,calls,elapsed_inclusive
compare lines "$work/recorded.stdout" "$work/lines.csv" sites.c
[ "$(wc -l <"$work/recorded.stdout")" -gt 12 ] || fail "the program has counted too little"

# All call paths of one function and caller are one in the other views.
report functions
report threads
compare whole "$work/threads.csv" "$work/functions.csv"
"$TARE" report calltree "$work/profile.tare" --format=csv --columns=path | sort | uniq -d >"$work/twice"
[ ! -s "$work/twice" ] || fail "a call path has two rows: $(head -n 1 "$work/twice")"

# The margin of the source, and instructions.
"$TARE" annotate through_pointers "$work/profile.tare" --format=csv >"$work/annotated.csv"
grep -q ',400,' "$work/annotated.csv" || fail "no line of through_pointers has its 400 calls"
"$TARE" report instructions "$work/profile.tare" --function=directly --format=csv >"$work/instructions.csv"
grep -q 'call' "$work/instructions.csv" || fail "the instructions are no calls"

# With samples in the same recording, lines have CPU time by these, and the same calls beside it.
if "$TARE" record -q --method=sample -o "$work/try.tare" -- true >"$work/try" 2>&1; then
	record_options=(--small-functions=keep --call-sites --method=instrument,sample)
	same "$FIXTURES/sites"
	report lines --columns=source,line,calls,called_elapsed
	sed -i '1s/called_elapsed_ns/elapsed_inclusive_ns/' "$work/lines.csv"
	compare lines "$work/recorded.stdout" "$work/lines.csv" sites.c
	record "$FIXTURES/proportions"
	report lines
	"$TARE" report lines "$work/profile.tare" --format=json |
		python3 "$E2E/compare_places.py" "$work/lines.csv" || fail "lines of samples contradict themselves"
	"$TARE" report lines "$work/profile.tare" --method=instrument --format=csv |
		head -n 1 | grep -q cpu_exclusive && fail "lines of calls have CPU time of their own"
fi

# Beyond a limit of call paths, which are more, counts of functions stay right; --trace has no room.
record_options=(--small-functions=keep --call-sites --max-nodes=64)
same "$FIXTURES/counts"
report functions
compare counts "$work/recorded.stdout" "$work/functions.csv"
! "$TARE" record --trace --call-sites -o "$work/never.tare" -- true 2>"$work/refused" ||
	fail "--trace and --call-sites were taken together"
grep -q 'leave out one' "$work/refused" || fail "no sentence: $(cat "$work/refused")"

# Stacks that are left and continued, unwinding, and a real program.
record_options=(--small-functions=keep --call-sites)
for fixture in longjmp signals threads forks; do
	same "$FIXTURES/$fixture"
	report functions
	compare counts "$work/recorded.stdout" "$work/functions.csv"
done
if command -v lua5.4 >/dev/null; then
	same lua5.4 -e 'local t = {} for i = 1, 20000 do t[#t + 1] = tostring(i):rep(2) end
		table.sort(t) print(t[1], #table.concat(t))'
fi
