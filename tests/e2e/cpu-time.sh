#!/bin/bash
# CPU time and waits are those of the thread's own clocks, however many want the processors: a program
# that works a second between two probes, sleeps, and writes to a slow reader. Usage: cpu-time.sh MODE
. "$(dirname "$0")/lib.sh"

record "$FIXTURES/cpu_time" "$1"
report functions
compare sums "$work/functions.csv"
compare values "$work/recorded.stdout" "$work/functions.csv"
report threads
compare whole "$work/threads.csv" "$work/functions.csv"
