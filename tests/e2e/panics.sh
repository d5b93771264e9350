#!/bin/bash
# Panics of Rust programs: caught, resumed, in threads, with every drop, and those that abort.
. "$(dirname "$0")/lib.sh"

# That of the system, if there is another: it finds its library without one's home directory.
rustc=/usr/bin/rustc
[ -x "$rustc" ] || rustc=$(command -v rustc) || skip "rustc is not installed"
cd "$work"
ulimit -c 0
tried=0
for options in "-C opt-level=0" "-C opt-level=3" "-C opt-level=s" "-C opt-level=2 -C panic=abort" \
	"-C opt-level=2 -C prefer-dynamic"; do
	# shellcheck disable=SC2086
	"$rustc" $options -o panics "$E2E/../fixtures/exceptions/panics.rs" 2>rustc.log ||
		skip "rustc builds nothing here: $(tail -n 1 rustc.log)"
	for record_option in --probes=merged --transform=null --transform=poison; do
		record_options=("$record_option" --small-functions=keep)
		same "$work/panics"
		[ "$(cat "$work/plain.status")" = 134 ] || fail "status $(cat "$work/plain.status")"
	done
	tried=$((tried + 1))
done
# A whole standard library, dynamic: prefer-dynamic was the last.
record_options=(--module='*')
same "$work/panics"
echo "$tried variants; extern \"C-unwind\" is not in Rust before 1.71: not tried"
