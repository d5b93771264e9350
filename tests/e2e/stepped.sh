#!/bin/bash
# Unwinding works at every instruction of copies, stubs and handlers: the stacks of a program that
# runs one instruction at a time are those of the plain program.
# Usage: stepped.sh libgcc|libunwind
. "$(dirname "$0")/lib.sh"

# stacks NAME COMMAND…: its stacks, which have to be those of the plain program.
stacks() {
	local name=$1 status=0
	shift
	env ${preload:+LD_PRELOAD="$preload"} "$@" >"$work/$name" 2>"$work/$name.steps" || status=$?
	echo "status $status" >>"$work/$name"
	echo "$name: $(wc -l <"$work/$name") stacks in $(cat "$work/$name.steps")"
	[ "$name" = plain ] || cmp -s "$work/plain" "$work/$name" ||
		fail "$name: $(diff "$work/plain" "$work/$name" | head -n 10)"
}

record() {
	stacks "$1" "$TARE" record --exact -q -o "$work/profile.tare" "${@:2}" -- "$FIXTURES/stepped"
}

preload=
if [ "$1" = libunwind ]; then
	preload=$(ldconfig -p | awk '$1 == "libunwind.so.8" {print $NF; exit}')
	[ "$preload" ] || skip "libunwind.so.8 is not installed"
fi
stacks plain "$FIXTURES/stepped"
"$TARE" instrument -q --probes=all --small-functions=keep -o "$work/instrumented" \
	"$FIXTURES/stepped"
stacks dormant "$work/instrumented"
# libunwind asks the loader for the libraries of its own namespace, where no auditor is.
[ "$1" = libunwind ] && exit 0
record recorded
record all --probes=all --small-functions=keep
record libraries --module='*'
# Poison handlers lie in the program's own file and have no names: what is nameless at the innermost
# end does not count.
nameless() {
	sed -E 's/^(other )+//' "$1" | uniq
}
"$TARE" instrument -q --poison --small-functions=keep -o "$work/instrumented" \
	"$FIXTURES/stepped"
"$work/instrumented" >"$work/poisoned" 2>"$work/steps" ||
	fail "poisoned: status $?"
echo "poisoned: $(wc -l <"$work/poisoned") stacks in $(cat "$work/steps")"
echo "status 0" >>"$work/poisoned"
diff <(nameless "$work/plain") <(nameless "$work/poisoned") || fail "the stacks differ with poison"
