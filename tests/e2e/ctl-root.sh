#!/bin/bash
# Root controls a user's recording, as that user: what is in the session leads nowhere else.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "not root"
need setpriv

# A place that the user can read, with tare as it is installed.
chmod 755 "$work"
mkdir -p "$work/bin" "$work/lib/tare" "$work/home" "$work/roots"
cp "$TARE" "$FIXTURES/computes" "$work/bin"
cp "$(dirname "$TARE")"/../../runtime/*.so "$work/lib/tare"
chown nobody "$work/home"
chmod 700 "$work/roots"
user() {
	setpriv --reuid=nobody --regid=nogroup --clear-groups env -C "$work/home" HOME="$work/home" \
		XDG_CACHE_HOME="$work/home/cache" "$@"
}
root() {
	(cd "$work/home" && "$work/bin/tare" "$@")
}
user test -x "$work/bin/tare" || skip "the user nobody cannot reach $work"

: >"$work/pid"
user sh -c 'echo $$; exec "$@"' sh "$work/bin/tare" record -q --paused --small-functions=keep \
	-o profile.tare -- "$work/bin/computes" 30000000 >"$work/pid" 2>"$work/err" &
clean_up() {
	kill -KILL ${target:-} $recorder || true
	[ -z "${session:-}" ] || rm -rf "$session"
	rm -rf "$work"
} 2>/dev/null
for _ in $(seq 100); do
	recorder=$(head -n 1 "$work/pid")
	[ -z "$recorder" ] || break
	sleep 0.1
done
at_end clean_up
for _ in $(seq 200); do
	status=$(root ctl $recorder status --json 2>"$work/ctl.err" || true)
	[[ $status != *'"pid":'* ]] || break
	kill -0 $recorder 2>/dev/null || fail "the recorder is gone: $(cat "$work/err")"
	sleep 0.1
done
[[ $status == *'"pid":'* ]] || fail "root sees no status: $status $(cat "$work/ctl.err")"
target=$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' <<<"$status" | head -n 1)
session=$(sed -n 's/.*"session": "\([^"]*\)".*/\1/p' <<<"$status")

for process in $recorder $target; do
	root ctl $process start || fail "root cannot start it"
	root ctl $process status | grep -q 'the recording is on' || fail "it is not on"
	root ctl $process stop || fail "root cannot stop it"
	root ctl $process status | grep -q 'the recording is off' || fail "it is not off"
done
root ctl $target start
root ctl $target mark 5 'by root' || fail "root cannot set a mark"
for _ in $(seq 100); do
	root top $target --once >"$work/top" || fail "root cannot watch it"
	! grep -q ' leaf  computes$' "$work/top" || break
	sleep 0.1
done
grep -q ' leaf  computes$' "$work/top" || fail "tare top does not show leaf: $(cat "$work/top")"
if [ "$(pgrep -xc tare)" = 1 ]; then
	root top --once >"$work/top" || fail "root does not find the only recording"
fi
root ctl $target dump -q || fail "root cannot dump it"
[ "$(stat -c %U "$work/home/profile.snapshot.tare")" = nobody ] || fail "the snapshot is not the user's"

# What root may write and the user may not stays as it is.
! root ctl $target dump -o "$work/roots/x.tare" 2>"$work/ctl.err" || fail "it was written as root"
grep -q 'Permission denied' "$work/ctl.err" || fail "no reason: $(cat "$work/ctl.err")"
sed -i "s,^output.*,output	$work/roots/x.tare," "$session/recording"
! root ctl $target dump 2>"$work/ctl.err" || fail "a recording leads root to another place"
grep -q "$work/roots/.*Permission denied" "$work/ctl.err" || fail "other reason: $(cat "$work/ctl.err")"
[ -z "$(ls "$work/roots")" ] || fail "written: $(ls "$work/roots")"

# Another user sees nothing of it.
! setpriv --reuid=12345 --regid=12345 --clear-groups "$work/bin/tare" ctl $target status 2>"$work/ctl.err" ||
	fail "another user sees it"
grep -q 'belongs to another user' "$work/ctl.err" || fail "no reason: $(cat "$work/ctl.err")"
