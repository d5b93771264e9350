#!/bin/bash
# Calls that an exception leaves are counted as such, and stay out of the time that follows.
. "$(dirname "$0")/lib.sh"

need g++
cd "$work"
for compiler in g++ clang++; do
	command -v "$compiler" >/dev/null || { echo "without $compiler: it is not installed"; continue; }
	for optimisation in -O1 -O2; do
		"$compiler" "$optimisation" -fno-optimize-sibling-calls -w -o unwound \
			"$E2E/../fixtures/exceptions/unwound.cpp"
		for probes in merged all; do
			record_options=(--exact --small-functions=keep --probes="$probes")
			record "$work/unwound"
			report functions
			compare values "$work/recorded.stdout" "$work/functions.csv"
			compare sums "$work/functions.csv"
			report threads
			compare whole "$work/threads.csv" "$work/functions.csv"
		done
	done
done
