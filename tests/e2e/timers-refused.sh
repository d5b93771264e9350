#!/bin/bash
# A user who may not sample: kernel.perf_event_paranoid at 3, which some distributions' kernels
# (Debian, Ubuntu) refuse all perf events at, and a filter where the kernel does not. The setting is
# put back.
. "$(dirname "$0")/lib.sh"
need setpriv sqlite3
[ "$(id -u)" = 0 ] || skip "only root can become another user"
setting=/proc/sys/kernel/perf_event_paranoid
[ -r $setting ] || skip "this kernel has no perf events"
before=$(cat $setting)
{ echo "$before" >$setting; } 2>/dev/null || skip "kernel.perf_event_paranoid cannot be set here"

# What the user needs lies where he can read it, as tare would be installed.
chmod 755 "$work"
mkdir -p "$work/src/cli" "$work/runtime" "$work/home" "$work/fixtures"
cp "$TARE" "$work/src/cli/tare"
cp "$(dirname "$TARE")"/../../runtime/libtare-runtime.so "$work/runtime/"
cp "$FIXTURES/proportions" "$FIXTURES/refused" "$work/fixtures/"
chown -R 65534:65534 "$work/home"
as_nobody() {
	(cd "$work/home" && exec setpriv --reuid=65534 --regid=65534 --clear-groups \
		env -u XDG_RUNTIME_DIR HOME="$work/home" XDG_CACHE_HOME="$work/home/cache" "$@")
}
as_nobody true || skip "this container does not let root become another user"

# ask: of the user's profile
collector() {
	sqlite3 "$work/home/p.tare" 'SELECT collector FROM sampling'
}
samples() {
	sqlite3 "$work/home/p.tare" 'SELECT samples - truncated FROM sampling'
}

at_end 'echo "$before" >$setting; rm -rf "$work"'
echo 3 >$setting
as_nobody "$work/src/cli/tare" record --method=sample -o p.tare -- \
	"$work/fixtures/proportions" 8000 2>"$work/stderr" || fail "$(cat "$work/stderr")"
if [ "$(collector)" = timer ]; then
	grep -q 'perf_event_paranoid at 2 or below (it is 3)' "$work/stderr" ||
		fail "the setting is not named: $(cat "$work/stderr")"
	as_nobody "$work/src/cli/tare" doctor | grep -q 'sampled by *timers' || fail "doctor"
	! as_nobody "$work/src/cli/tare" record -p $$ -o q.tare 2>"$work/stderr" ||
		fail "a process was sampled"
	refusing=()
else
	echo "this kernel permits perf events at level 3; refused by a filter instead"
	refusing=("$work/fixtures/refused" 13)
	as_nobody "${refusing[@]}" "$work/src/cli/tare" record --method=sample -o p.tare -- \
		"$work/fixtures/proportions" 8000 2>"$work/stderr" || fail "$(cat "$work/stderr")"
	[ "$(collector)" = timer ] || fail "sampled by $(collector)"
	as_nobody "${refusing[@]}" "$work/src/cli/tare" doctor | grep -q 'sampled by *timers' ||
		fail "doctor"
fi
grep -q 'sampled by timers.*refused' "$work/stderr" || [ ${#refusing[@]} = 0 ] ||
	fail "$(cat "$work/stderr")"
[ "$(samples)" -gt 20 ] || fail "$(samples) samples"
