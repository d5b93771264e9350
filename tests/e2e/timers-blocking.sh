#!/bin/bash
# Timers sample between the kernel's ticks, and no call that waits is ended, cut short or shortened
# by one: of each kind as many as without tare, which is none.
. "$(dirname "$0")/lib.sh"
need sqlite3
by_timers

# ask SQL: of the profile.
ask() {
	sqlite3 "$work/profile.tare" "$1"
}

# Waits right after work, at which a timer that is not stopped would pass most often.
same timeout -s KILL 120 "$FIXTURES/blocking" 200 3000
grep -v ' 0 interrupted, 0 partial, 0 early, 0 late$' "$work/plain.stdout" &&
	skip "calls are disturbed without tare, too"
[ "$(ask 'SELECT total(samples) > 300 FROM stack_value')" = 1 ] ||
	fail "$(ask 'SELECT total(samples) FROM stack_value') samples of threads that wait"
# Many, with hardly any work between them.
same timeout -s KILL 120 "$FIXTURES/blocking" 2000 5

# A call that a handler of the program has ended is over, also where a timer passes in that handler.
same timeout -s KILL 120 "$FIXTURES/handled"
grep -v ' 4 ended by a handler, 0 late$' "$work/plain.stdout" | grep -v ' handled$' &&
	skip "handlers do not end calls without tare, either"

# What is computed while the program blocks all signals is sampled as well: half of the time.
for how in "" set; do
	# shellcheck disable=SC2086
	same "$FIXTURES/masked" 20000 $how
	grep -q ' 0 failed, EFAULT$' "$work/plain.stdout" || fail "masks without tare: $(cat "$work/plain.stdout")"
	sampled=$(ask "SELECT f.name, total(v.samples) FROM stack_value v JOIN stack s ON s.id = v.stack
		JOIN location l ON l.id = s.location JOIN function f ON f.id = l.function GROUP BY 1")
	awk -F'|' '{ all += $2; if ($1 == "masked_work") masked = $2 }
		END { exit !(all > 100 && masked > 0.3 * all && masked < 0.7 * all) }' <<<"$sampled" ||
		fail "samples while signals are blocked ($how): $sampled"
done

# A program that computes is sampled between ticks: most samples are of moments of their own.
record "$FIXTURES/proportions" 20000 1
"$TARE" export --format=chrome -o "$work/times" "$work/profile.tare" || fail "no times"
sed 's/"timeDeltas":\[/\n&/g' "$work/times" | sed -n 's/^"timeDeltas":\[\([^]]*\)\].*/\1/p' |
	tr ',' '\n' | awk '{ all++; same += $1 == 0 } END { exit !(all > 100 && same < all / 2) }' ||
	fail "most samples are of the same moment as another"

# What samples stand for is the CPU time that the command has used: where few calls are made, and where
# hardly anything is sampled but at ticks. By chance it is off by some percent, at most by 30 here.
stand_for_time() {
	record "$@"
	[ "$(ask 'SELECT abs(weight / ticks * ticks_per_second / 1e9 - 1) < 0.5 FROM session,
		(SELECT total(v.weight) AS weight FROM stack_value v JOIN thread t ON t.id = v.thread
		 WHERE t.process = 1), (SELECT total(cpu_ticks) AS ticks FROM cpu_use WHERE process = 1)')" = 1 ] ||
		fail "samples for $(ask 'SELECT total(weight) FROM stack_value') ns: $*"
}
stand_for_time "$FIXTURES/proportions" 20000 1
stand_for_time bash -c 'exec > >(cat >/dev/null); for ((i = 0; i < 300000; i++)); do echo; done'

# A copy that leaves system calls without a probe says so: there, nothing is sampled between ticks.
for name in waits __syscall_cancel_arch; do
	command -v gcc >/dev/null && command -v readelf >/dev/null || break
	gcc -O2 -DBY_NAME -DNAME=$name -o "$work/original" "$E2E/../fixtures/rewriter/cancellable.c"
	"$REAL_TARE" instrument -o "$work/copy" "$work/original" >"$work/out" 2>&1 ||
		fail "$(cat "$work/out")"
	# They stand before the last word of the note.
	flags=$(readelf -n "$work/copy" | sed -n 's/ *description data: .*\(.. .. .. ..\)\( ..\)\{8\} *$/\1/p')
	[ "$flags" = "$([ $name = waits ] && echo 00 00 00 00 || echo 02 00 00 00)" ] ||
		fail "$name: flags $flags"
done
