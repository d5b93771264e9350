#!/bin/bash
# A program sees the same world with and without tare: arguments, environment, descriptors, signals,
# limits, standard input; and its endings are its own.
. "$(dirname "$0")/lib.sh"

printf 'one\ntwo' >"$work/input"
input=$work/input
same "$FIXTURES/streams" 0 'two words' '' $'new\nline' '*'
same "$FIXTURES/streams" 42
same "$FIXTURES/streams" 125
input=/dev/null

# Killed by a signal: 128 + n, as a shell says.
for signal in 15 9; do
	same "$FIXTURES/streams" -$signal
	[ "$(cat "$work/recorded.status")" = $((128 + signal)) ] ||
		fail "status $(cat "$work/recorded.status") after signal $signal"
done

# Ignored signals, a mask, limits, odd descriptors and an umask are inherited.
cat >"$work/odd" <<EOS
#!/bin/bash
trap '' HUP USR1
umask 027
ulimit -c 0 -n 200
exec 7<"$work/input" 9>&-
exec "\$@"
EOS
chmod +x "$work/odd"
for kind in plain recorded; do
	prefix=()
	[ $kind = plain ] || prefix=("$TARE" record -q -o "$work/profile.tare" --)
	run_in "$work/$kind" "$work/odd" "${prefix[@]}" "$FIXTURES/streams" 3
done
diff "$work/plain.stdout" "$work/recorded.stdout" || fail "inherited state differs under tare"

# Found through PATH, with the name as it was given.
PATH=$FIXTURES:$PATH same streams 5
grep -q '^argument 0 streams$' "$work/recorded.stdout" || fail "argv[0] is not as given"

# Output that nobody reads, and closed standard streams.
set +o pipefail
"$TARE" record -q -o "$work/profile.tare" -- "$FIXTURES/streams" 0 | head -n 1 >/dev/null
(exec 0<&- && "$TARE" record -q -o "$work/profile.tare" -- "$FIXTURES/streams" 6 >/dev/null 2>&1) && fail "status lost"
exit 0
