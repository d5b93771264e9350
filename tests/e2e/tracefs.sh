# Sourced instead of lib.sh by tests that have the kernel count: perf_event_open is permitted, and
# tracefs is mounted, in a mount namespace of the test's own. A test that is run again there has the
# argument `mounted`.
if [ "${1:-}" != mounted ]; then
	[ "$(id -u)" = 0 ] || { echo "mounting tracefs needs root" && exit 77; }
	unshare -m true 2>/dev/null || { echo "no mount namespaces here" && exit 77; }
	exec unshare -m bash "$0" mounted
fi
. "$(dirname "$0")/lib.sh"
need_perf
[ -e /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing 2>"$work/err" ||
	skip "tracefs cannot be mounted: $(cat "$work/err")"

# need_tracepoint SYSTEM/NAME…
need_tracepoint() {
	local name
	for name; do
		[ -e "/sys/kernel/tracing/events/$name/id" ] || skip "this kernel has no tracepoint $name"
	done
}

# weight [EVENT]: the sum of the profile's weights of it.
weight() {
	report functions ${1:+--event="$1"}
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ sum += $at["exclusive_weight"] } END { print sum + 0 }' "$work/functions.csv"
}
