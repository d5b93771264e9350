#!/bin/bash
# Children that cannot be instrumented find the environment that they find without tare, and nothing
# of tare's on their standard error: 32-bit ones, those of other C libraries and languages, setuid
# ones, programs that run others, and scripts of all these. The profile counts them.
. "$(dirname "$0")/lib.sh"

need gcc
fixtures=$E2E/../fixtures
missing=
programs=()
# built NAME COMMAND…: a program that cannot be followed, if COMMAND makes it, and a script of it.
built() {
	local name=$1
	shift
	if ! "$@" >"$work/build" 2>&1; then
		missing="$missing $name ($(tail -n 1 "$work/build"))"
		return 0
	fi
	"$work/$name" >/dev/null 2>"$work/build" || [ $? != 126 ] || {
		missing="$missing $name (this kernel does not execute it)"
		rm "$work/$name"
		return 0
	}
	printf '#!%s\n' "$work/$name" >"$work/script-$name"
	chmod +x "$work/script-$name"
	programs+=("$work/$name" "$work/script-$name")
}
is_setuid() {
	gcc -O2 -o "$work/setuid" "$fixtures/environment.c" && chown 65534 "$work/setuid" &&
		chmod 4755 "$work/setuid" && chmod 755 "$work" && "$work/setuid" | grep -x 'users 0 65534'
}

cd "$work"
built bits32 gcc -m32 -O2 -o bits32 "$fixtures/environment.c"
built bits32-static gcc -m32 -static -O2 -o bits32-static "$fixtures/environment.c"
built bits32-bare gcc -m32 -nostdlib -static -ffreestanding -fno-pie -no-pie -O2 -w \
	-Wl,--build-id=none -o bits32-bare "$fixtures/environment_bare.c"
built musl musl-gcc -O2 -o musl "$fixtures/environment.c"
built go env GOCACHE="$work/go-cache" CGO_ENABLED=0 go build -o go "$fixtures/environment.go"
built loader gcc -static -O2 -DMARK='"WINEPRELOADRESERVE"' -o loader "$fixtures/environment.c"
built setuid is_setuid
[ ${#programs[@]} -gt 0 ] || skip "none of the programs can be built here:$missing"
[ -z "$missing" ] || echo "not tried here:$missing"

counted() {
	"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
	grep -q "\"programs_not_followed\": $1," "$work/summary.json" ||
		fail "$(grep programs_not_followed "$work/summary.json"), expected $1: ${programs[*]}"
	! grep -q '"incomplete_reason": "' "$work/summary.json" ||
		fail "incomplete: $(grep incomplete_reason "$work/summary.json")"
}
# reason NAME REASON: why the program is not followed.
reason() {
	[ ! -x "$work/$1" ] || "$TARE" report summary "$work/profile.tare" --format=text --no-pager |
		tr -s '\n ' ' ' | grep -q "[ :]$1 ($2" || fail "$1 is not named with the reason: $2"
}
all='for program; do "$program"; echo "status $?"; done'
for shell in "sh" "bash" "busybox sh"; do
	command -v ${shell%% *} >/dev/null || { echo "$shell is not installed"; continue; }
	same $shell -c "$all" "$shell" "${programs[@]}"
	counted ${#programs[@]}
	[ "$(grep -c 'status 3' "$work/plain.stdout")" = ${#programs[@]} ] ||
		fail "a program does not run: $(cat "$work/plain.stderr")"
done
"$TARE" record -q -o "$work/profile.tare" -- sh -c '"$1"; "$2"; "$3"' sh "$work/bits32" "$work/loader" \
	"$work/setuid" >"$work/out" 2>"$work/err" || true
reason bits32 'no 64-bit'
reason loader 'it has no loader, and cannot be'
reason setuid 'it gains privileges'
# One that may not be executed has not been.
cp "${programs[0]}" unable
chmod 644 unable
same sh -c '"$1"; "$2"' sh "$work/unable" "${programs[0]}"
counted 1
# The one that stands in the command's place, and one that is left alone on purpose.
same sh -c "exec '${programs[0]}'"
counted 1
gcc -static -O2 -o environment "$fixtures/environment.c" 2>build || skip "no static programs here"
record_options=(--module='libnone*')
same "$work/environment"
record_options=()

by_timers
# The filter that refuses perf events takes the meaning from the setuid bit.
programs=($(printf '%s\n' "${programs[@]}" | grep -v setuid))
same sh -c "$all" sh "${programs[@]}"
counted ${#programs[@]}
