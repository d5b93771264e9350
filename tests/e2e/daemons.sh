#!/bin/bash
# Daemons outlive their command: by default the recording ends with the command and names them;
# --wait records to their end.
. "$(dirname "$0")/lib.sh"

# The daemon goes on when it is told to, so that nothing depends on time.
cat >"$work/start" <<'S'
#!/bin/sh
setsid sh -c 'sh -c "exec 3>ready; read -r line <go; echo \$line >said"; exec true' \
	</dev/null >/dev/null 2>&1 &
while ! [ -e ready ]; do sleep 0.05; done
echo >left
exit 3
S
chmod +x "$work/start"
prepare() {
	rm -rf "$work/run"
	mkdir "$work/run"
	mkfifo "$work/run/go"
}

prepare
status=0
(cd "$work/run" && "$TARE" record -o "$work/profile.tare" -- "$work/start") 2>"$work/err" || status=$?
[ $status = 3 ] || fail "status $status, expected the command's 3: $(cat "$work/err")"
grep -q 'was still running' "$work/err" || fail "running daemons are not named: $(cat "$work/err")"
echo first >"$work/run/go"
while ! [ -s "$work/run/said" ]; do sleep 0.05; done
report functions
compare sums "$work/functions.csv"

prepare
(cd "$work/run" && exec "$TARE" record --wait -o "$work/profile.tare" -- "$work/start") 2>"$work/err" &
recorder=$!
while ! [ -e "$work/run/left" ]; do sleep 0.05; done
sleep 0.5
kill -0 $recorder || fail "--wait does not wait: $(cat "$work/err")"
echo second >"$work/run/go"
status=0
wait $recorder || status=$?
[ $status = 3 ] || fail "status $status with --wait: $(cat "$work/err")"
[ "$(cat "$work/run/said")" = second ] || fail "the daemon was not waited for"
! grep -q partial "$work/err" || fail "with --wait: $(cat "$work/err")"
report processes
grep -q true "$work/processes.csv" || fail "what the daemon executed last is not in the profile"
report functions
compare sums "$work/functions.csv"

# ^C ends the waiting, not the daemon.
prepare
set -m
(cd "$work/run" && exec "$TARE" record --wait -o "$work/profile.tare" -- "$work/start") 2>"$work/err" &
recorder=$!
set +m
while ! [ -e "$work/run/left" ]; do sleep 0.05; done
sleep 1 # until tare has seen the command's end: before, ^C is the command's
kill -INT $recorder
status=0
wait $recorder || status=$?
[ $status = 3 ] || fail "status $status after ^C: $(cat "$work/err")"
grep -q 'was still running' "$work/err" || fail "after ^C: $(cat "$work/err")"
echo third >"$work/run/go"
while ! [ -s "$work/run/said" ]; do sleep 0.05; done
