#!/bin/bash
# Events of the kernel: each system call, each N-th one, patterns of names, and names that are wrong.
. "$(dirname "$0")/tracefs.sh"
need_tracepoint raw_syscalls/sys_enter syscalls/sys_enter_write

# 2,000 and some system calls, a sample at each 50th: kernels before 5.x gave one at each.
record_options=(--method=sample --no-kernel --event=raw_syscalls:sys_enter:50)
record dd if=/dev/zero of="$work/zeros" bs=1 count=1000 status=none
calls=$(weight raw_syscalls:sys_enter)
[ "$calls" -ge 2000 ] && [ "$calls" -le 2500 ] || fail "$calls system calls, expected 2000 and some"

# Each one, by a pattern.
record_options=(--method=sample --event='syscalls:sys_enter_wr*' --event=cpu-clock)
record bash -c 'for i in {1..20}; do echo; done'
writes=$(weight syscalls:sys_enter_write)
[ "$writes" = 20 ] || fail "$writes writes, expected 20"

# Names that are nearly right.
refused() {
	local status=0
	"$TARE" record --method=sample --event="$1" -o "$work/no.tare" -- true 2>"$work/err" || status=$?
	[ "$status" = 125 ] || [ "$status" = 2 ] || [ "$status" = 1 ] || fail "$1: status $status"
	grep -qF -- "$2" "$work/err" || fail "$1: $(cat "$work/err")"
	[ ! -e "$work/no.tare" ] || fail "$1: a profile of nothing"
}
refused syscalls:sys_enter_wrte 'did you mean syscalls:sys_enter_write'
refused syscals:sys_enter_write 'did you mean syscalls'
refused 'syscalls:nothing_*' 'no tracepoint matches'
"$TARE" record --event=list >"$work/list"
grep -q 'sched:sched_switch' "$work/list" || fail "the list has no tracepoints"

# A user who may not read tracefs is told what would let them.
chmod 755 "$work"
cp "$TARE" "$work/tare"
if setpriv --reuid=65534 --clear-groups "$work/tare" --version >/dev/null 2>&1; then
	status=0
	mkdir -m 777 "$work/nobody"
	setpriv --reuid=65534 --clear-groups "$work/tare" record --method=sample \
		--event=sched:sched_switch -o "$work/nobody/no.tare" -- true 2>"$work/err" || status=$?
	[ "$status" != 0 ] && grep -q -e 'mode=755' -e CAP_PERFMON "$work/err" ||
		fail "as nobody: $(cat "$work/err")"
fi
