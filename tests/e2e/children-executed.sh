#!/bin/bash
# Of a program that is executed again and again each process executes one file, its copy: the kernel
# counts.
. "$(dirname "$0")/tracefs.sh"
need_tracepoint sched/sched_process_exec

# executions NUMBER: of a shell and so many children, and what goes with them, but nothing that makes copies behind
# recordings of a second.
executions() {
	for _ in $(seq "$1"); do
		echo /bin/true
	done >"$work/often"
	record_options=(--method=sample --no-kernel --event=sched:sched_process_exec:1)
	record "$TARE" record -q --no-learned -o inner.tare -- bash ../often
	weight
}

# What is instrumented ahead asks the loader once more, the first time.
executions 1 >"$work/first"
few=$(executions 5)
many=$(executions 45)
[ $((many - few)) = 40 ] || fail "$((many - few)) executions of 40 further children"
