#!/bin/bash
# scripts/bisect finds the one function that a program does not bear to be copied, by itself.
. "$(dirname "$0")/lib.sh"
need python3

# bisect WORD… [-- OPTION…]: of the program suspects with these words; output in $work/found.
bisect() {
	local words=() status=0
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	[ $# = 0 ] || shift
	"$SCRIPTS/bisect" --tare "$TARE" --module '*suspects*' "$@" -- "$FIXTURES/suspects" "${words[@]}" \
		>"$work/found" 2>&1 || status=$?
	echo "status $status" >>"$work/found"
}
# found MODULE FUNCTION…: these are what is reported.
found() {
	local module=$1
	shift
	grep -qx 'status 0' "$work/found" || fail "nothing was found: $(cat "$work/found")"
	grep -q "$module: unit " "$work/found" || fail "not in $module: $(cat "$work/found")"
	[ "$(grep -E '^  0x' "$work/found" | awk '{ print $4 }' | sort | paste -sd' ')" = "$*" ] ||
		fail "expected $*: $(cat "$work/found")"
}

cat >"$work/tare" <<EOF
#!/bin/sh
echo "\$*" >>"$work/commands"
exec "$TARE" "\$@"
EOF
chmod +x "$work/tare"
bisect one -- --tare "$work/tare"
found suspects suspect_middle
# All runs have the same probes, whatever was learned of the functions meanwhile.
grep -q '^record ' "$work/commands" || fail "nothing was recorded"
! grep '^record ' "$work/commands" | grep -qv -e ' --exact ' || fail "not exact: $(cat "$work/commands")"
grep -q '^again with: tare record --exact ' "$work/found" || fail "again in another way: $(cat "$work/found")"
bisect one -- --transform=null
found suspects suspect_middle
runs=$(grep -oE '^[0-9]+ runs' "$work/found" | cut -d' ' -f1)
[ "$runs" -le 25 ] || fail "$runs runs for some 60 functions in 3 files"
bisect status
found suspects suspect_middle
bisect library
found libsuspects.so suspect_in_library
bisect pair
grep -q 'several units together' "$work/found" || fail "not together: $(cat "$work/found")"
grep -q 'suspect_middle' "$work/found" || fail "suspect_middle is missing: $(cat "$work/found")"
grep -q 'suspect_last' "$work/found" || fail "suspect_last is missing: $(cat "$work/found")"

# What a check says counts, and nothing else.
bisect one -- --check 'grep -q "^[01]$" "$BISECT_STDOUT" && [ "$BISECT_STATUS" = 0 ]'
grep -qx 'status 1' "$work/found" || fail "the check was not asked: $(cat "$work/found")"
bisect status -- --check '[ "$BISECT_STATUS" = 0 ]'
found suspects suspect_middle

bisect nothing
grep -q 'does not fail' "$work/found" && grep -qx 'status 1' "$work/found" ||
	fail "of what does not fail: $(cat "$work/found")"
# Every second run fails: told, and found all the same.
bisect sometimes "$work/count" -- --runs 4
grep -q '^flaky: ' "$work/found" || fail "flakiness is not told: $(cat "$work/found")"
found suspects suspect_middle
# A command that differs by itself cannot be judged.
status=0
"$SCRIPTS/bisect" --tare "$TARE" -- bash -c 'echo $$' >"$work/found" || status=$?
[ "$status" = 3 ] && grep -q 'own runs differ' "$work/found" || fail "$(cat "$work/found")"
