#!/bin/bash
# Of a program that is executed again and again each process executes one file, its copy: the kernel
# counts. Tracefs is mounted in a mount namespace of the test's own.
if [ "${1:-}" != mounted ]; then
	[ "$(id -u)" = 0 ] || { echo "mounting tracefs needs root" && exit 77; }
	unshare -m true 2>/dev/null || { echo "no mount namespaces here" && exit 77; }
	exec unshare -m bash "$0" mounted
fi
. "$(dirname "$0")/lib.sh"
need_perf
[ -e /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing 2>"$work/err" ||
	skip "tracefs cannot be mounted: $(cat "$work/err")"
[ -e /sys/kernel/tracing/events/sched/sched_process_exec/id ] || skip "the kernel traces no execve"

# executions NUMBER: of a shell and so many children, and what goes with them.
executions() {
	for _ in $(seq "$1"); do
		echo /bin/true
	done >"$work/often"
	record_options=(--method=sample --no-kernel --event=sched:sched_process_exec:1)
	record "$TARE" record -q -o inner.tare -- bash ../often
	report functions
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ sum += $at["exclusive_samples"] } END { print sum + 0 }' "$work/functions.csv"
}

few=$(executions 5)
many=$(executions 45)
[ $((many - few)) = 40 ] || fail "$((many - few)) executions of 40 further children"
