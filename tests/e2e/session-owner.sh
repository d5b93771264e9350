#!/bin/bash
# The runtime takes up no session that others can write to: they would say what the program loads.
. "$(dirname "$0")/lib.sh"

runtime=$(realpath "$(dirname "$TARE")/../../runtime/libtare-runtime.so")
program=$FIXTURES/computes
chmod 755 "$work"
session=$work/session

# taken NAME: whether a program takes the session up, by the file that it makes there.
taken() {
	rm -f "$session"/process.*
	LD_AUDIT=$runtime TARE_SESSION=$1 "$program" 1 once >"$work/out" || fail "the program fails"
	ls "$session" | grep -q '^process'
}

mkdir -m 700 "$session"
taken "$session" || fail "an own session is not taken up"
chmod 1777 "$session"
! taken "$session" || fail "a session that everybody can write is taken up"
chmod 770 "$session"
! taken "$session" || fail "a session that a group can write is taken up"
chmod 700 "$session"
ln -s session "$work/link"
! taken "$work/link" || fail "a link is taken for a session"
taken "$session" || fail "it is not taken up any more"
[ "$(id -u)" = 0 ] || exit 0

chown nobody "$session"
! taken "$session" || fail "root takes up a session of another user"
chown root "$session"
