#!/bin/bash
# Counts are exact: each fixture knows how often each of its functions is called.
# Usage: counts.sh FIXTURE
. "$(dirname "$0")/lib.sh"

for probes in merged all; do
	# Short leaf functions are left out by default; here each one counts.
	for times in --adaptive --exact; do
		record_options=(--small-functions=keep --probes=$probes $times)
		same "$FIXTURES/$1"
		report functions
		compare counts "$work/recorded.stdout" "$work/functions.csv"
		compare sums "$work/functions.csv"
	done
	# Where each call is timed, each has its length.
	report functions --columns=function,elapsed_inclusive_histogram
	compare lengths "$work/recorded.stdout" "$work/functions.csv"
done

# With the defaults the program behaves the same, too.
record_options=()
same "$FIXTURES/$1"
report functions
compare sums "$work/functions.csv"
