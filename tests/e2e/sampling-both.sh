#!/bin/bash
# Instrumentation and samples in one run: calls are counted as without samples, samples are those of
# the original functions, and both say the same of where time goes.
. "$(dirname "$0")/lib.sh"
need_perf

record_options=(--method=instrument,sample -F 4000 --small-functions=keep)
for fixture in counts forks threads; do
	same "$FIXTURES/$fixture"
	compare_all
done

record "$FIXTURES/proportions" 4000 2
report functions --method=sample
shares_hold "both methods"
report processes --method=sample
[ "$(rows processes)" = 2 ] || fail "$(rows processes) processes instead of 2"
report modules --method=sample
! grep -qE 'tare_runtime|\[unknown\]' "$work/modules.csv" || fail "tare's own code has samples: $(cat "$work/modules.csv")"
# Where nothing but probes run, samples of tare's code are counted, and not kept.
record "$FIXTURES/counts"
COLUMNS=1000 "$TARE" report summary "$work/profile.tare" --format=text --no-pager >"$work/summary"
grep -q 'method *instrument,sample' "$work/summary" || fail "the header names no second method"
report modules --method=sample
! grep -q 'libtare' "$work/modules.csv" || fail "tare's runtime has samples: $(cat "$work/modules.csv")"
