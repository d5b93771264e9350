#!/bin/bash
# Switches of threads take longer where the kernel has to set a base of %gs by a register of the processor's:
# what they take is measured, taken off, and told. Elsewhere nothing is. Timers of samples are set seldom.
. "$(dirname "$0")/lib.sh"
need perl sqlite3

cat >"$work/turns.pl" <<'PERL'
pipe(my $there, my $to_child) && pipe(my $back, my $to_parent) or die $!;
my $child = fork;
if (!$child) {
	while (sysread($there, my $byte, 1)) { syswrite($to_parent, $byte); last if $byte eq "e"; }
	exit 0;
}
for my $turn (1 .. 60000) {
	syswrite($to_child, $turn == 60000 ? "e" : "t");
	sysread($back, my $byte, 1);
}
waitpid($child, 0);
PERL
record perl "$work/turns.pl"
each_ns="(SELECT sum(switches_ticks) FROM thread) * 1e9 / (SELECT ticks_per_second FROM session) / 120000"
if grep -q '^flags.* fsgsbase' /proc/cpuinfo; then
	profile_says 0 "SELECT sum(switches_ticks) FROM thread"
else
	# A register takes some nanoseconds at least.
	profile_says 1 "SELECT $each_ns BETWEEN 5 AND 50000"
	"$TARE" report summary --format=json "$work/profile.tare" >"$work/summary.json"
	grep -q '"switches_ns": [1-9]' "$work/summary.json" || fail "nothing is told"
fi
# They are no part of what the clocks of the threads say, and no node's.
profile_says 0 "SELECT count(*) FROM thread t WHERE now_ticks <>
	(SELECT sum(elapsed_ticks) FROM node WHERE thread = t.id)"
# Samples by the kernel's timers are few there: each stands for ten. Who may open no events of processors keeps them.
if [ "$(sqlite3 "$work/profile.tare" "SELECT collector FROM sampling")" = perf ] &&
	perf stat -q -a -e context-switches true >"$work/stat" 2>&1; then
	profile_says 1 "SELECT sum(squares) > 5 * sum(samples) FROM stack_value"
fi
