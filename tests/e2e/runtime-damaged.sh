#!/bin/bash
# A runtime library that is damaged, empty, or of another build is found before the command runs. One that was stripped
# is the same.
. "$(dirname "$0")/lib.sh"

mkdir -p "$work/src/cli" "$work/runtime"
cp "$(readlink -f "$TARE")" "$work/src/cli/tare"
built=$(dirname "$(readlink -f "$TARE")")/../../runtime
cp "$built"/*.so "$work/runtime/"
runtime=$work/runtime/libtare-runtime.so
good=$work/good.so
cp "$runtime" "$good"

# refused WHAT: nothing runs, and one sentence says why.
refused() {
	local status=0
	rm -f "$work/ran"
	"$work/src/cli/tare" record -o "$work/profile.tare" -- touch "$work/ran" 2>"$work/err" || status=$?
	[ "$status" = 125 ] && [ ! -e "$work/ran" ] && [ ! -e "$work/profile.tare" ] ||
		fail "$1: status $status, $(ls "$work") $(cat "$work/err")"
	[ "$(wc -l <"$work/err")" = 1 ] && grep -q "the runtime library.*$runtime" "$work/err" ||
		fail "$1: $(cat "$work/err")"
	"$work/src/cli/tare" doctor | grep -q 'fails *runtime library' || fail "$1: tare doctor does not tell"
}

: >"$runtime"
refused "an empty one"
head -c 20000 "$good" >"$runtime"
refused "one that is cut off"
python3 - "$good" "$runtime" <<'EOF'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at, = struct.unpack_from("<Q", data, 32)
size, count = struct.unpack_from("<HH", data, 54)
for i in range(count):
    kind, flags, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, at + i * size)
    if kind == 1 and flags & 1:
        data[offset + length // 2] ^= 1
open(sys.argv[2], "wb").write(data)
EOF
refused "one with a changed instruction"

strip -o "$runtime" "$good"
"$work/src/cli/tare" record -q -o "$work/profile.tare" -- touch "$work/ran" || fail "a stripped one is refused"
[ -e "$work/ran" ] || fail "nothing ran with a stripped one"
report functions
