#!/bin/bash
# tare instrumented by tare does what the plain one does: it writes the same copies, byte by byte,
# while it is recorded and dormant; and a recording that it makes is exact.
. "$(dirname "$0")/lib.sh"
need python3

# Recorded, with all its libraries and the copy of a large one to write.
record_options=(--module '*')
same "$TARE" instrument -q -o copy /bin/bash
cmp "$work/plain/copy" "$work/recorded/copy" || fail "the copies differ"
report functions
compare sums "$work/functions.csv"
grep -q rewrite_object "$work/functions.csv" || fail "its own functions are not in the profile"
report coverage
compare coverage 99.5 "$work/coverage.csv"

# Dormant, from a place like the original's: copies of the command and of its libraries.
self=$work/self/src/cli
mkdir -p "$self" "$work/self/lib"
ln -s "$(dirname "$TARE")/../../runtime" "$work/self/runtime"
"$TARE" instrument -q -o "$self/tare" "$TARE"
while read -r library; do
	case $library in
	*/ld-linux*) ;; # the kernel starts that one
	*) "$TARE" instrument -q -o "$work/self/lib/$(basename "$library")" "$library" ;;
	esac
done < <(ldd "$TARE" | grep -oE '/[^ ]+')
[ -e "$work/self/lib/libc.so.6" ] || fail "no C library among: $(ldd "$TARE")"
export LD_LIBRARY_PATH=$work/self/lib
"$self/tare" instrument -q -o "$work/again" /bin/bash
"$self/tare" instrument -q --verify -o "$work/self.again" "$TARE" || fail "its own copy differs"
unset LD_LIBRARY_PATH
cmp "$work/plain/copy" "$work/again" || fail "an instrumented tare writes another copy"
cmp "$self/tare" "$work/self.again" || fail "an instrumented tare writes another copy of itself"

# An instrumented tare records a program whose counts are known. (Its libraries are the plain ones:
# the recorded program would inherit the others.)
run_in "$work/recorded" "$self/tare" record -q --small-functions=keep -o "$work/profile.tare" -- \
	"$FIXTURES/counts"
[ "$(cat "$work/recorded.status")" = 0 ] || fail "it cannot record: $(cat "$work/recorded.stderr")"
report functions
compare counts "$work/recorded.stdout" "$work/functions.csv"
compare sums "$work/functions.csv"
