#!/bin/bash
# Times are true: each vector program measures its functions by itself, and prints the bounds that
# follow for tare's values. Usage: vectors.sh FIXTURE [ARGUMENT…]
. "$(dirname "$0")/lib.sh"
fixture=$1
shift

# A machine that is busy with other things can disturb one run, not five.
for attempt in 1 2 3 4 5; do
	record "$FIXTURES/$fixture" "$@"
	report functions
	compare sums "$work/functions.csv"
	"$E2E/compare" values "$work/recorded.stdout" "$work/functions.csv" >"$work/differences" &&
		exit 0
	echo "attempt $attempt:"
	cat "$work/differences"
done
fail "the values are wrong in each of five runs"
