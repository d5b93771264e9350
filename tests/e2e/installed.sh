#!/bin/bash
# `make install PREFIX=…`: the installed command finds its runtime beside itself, wherever PREFIX is,
# also through a symbolic link, and says so when the runtime is missing.
. "$(dirname "$0")/lib.sh"

prefix="$work/a prefix"
DESTDIR=$work/root meson install -C "$(dirname "$TARE")/../.." --no-rebuild --quiet >"$work/log" 2>&1 ||
	fail "meson install: $(tail -n 3 "$work/log")"
installed=$(find "$work/root" -type f -name tare -perm -u+x)
[ -n "$installed" ] || fail "no command was installed"
mv "$(dirname "$(dirname "$installed")")" "$prefix"
for file in bin/tare lib/tare/libtare-runtime.so share/man/man1/tare.1 \
	share/man/man1/tare-record.1 share/bash-completion/completions/tare \
	share/zsh/site-functions/_tare share/fish/vendor_completions.d/tare.fish \
	share/tare/tare-gdb.py; do
	[ -f "$prefix/$file" ] || fail "$file was not installed"
done

TARE=$prefix/bin/tare
same "$FIXTURES/longjmp"
ln -s "$prefix/bin/tare" "$work/tare"
TARE=$work/tare
same "$FIXTURES/longjmp"
report functions
compare sums "$work/functions.csv"

# A program of the library starts, though the loader does not search the prefix.
if command -v pkg-config >/dev/null && command -v cc >/dev/null; then
	ln -s "$prefix" "$work/elsewhere"
	printf '#include <tare/tare.h>\nint main(void) { return tare_mark(1) == TARE_NOT_RECORDED ? 7 : 0; }\n' >"$work/marks.c"
	PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tare.pc)")
	export PKG_CONFIG_PATH
	flags=$(pkg-config --define-variable=prefix="$work/elsewhere" --cflags --libs tare)
	# shellcheck disable=SC2086
	cc -o "$work/marks" "$work/marks.c" $flags
	status=0
	env -u LD_LIBRARY_PATH "$work/marks" || status=$?
	[ "$status" = 7 ] || fail "a program linked by pkg-config ended with $status, not 7"
else
	echo "there is no pkg-config or cc: programs of the installed library are not tried"
fi

rm "$prefix/lib/tare/libtare-runtime.so"
run_in "$work/recorded" "$TARE" record -q -o "$work/profile.tare" -- "$FIXTURES/longjmp"
[ "$(cat "$work/recorded.status")" = 125 ] ||
	fail "status $(cat "$work/recorded.status") without the runtime, expected 125"
grep -q runtime "$work/recorded.stderr" || fail "the error does not name the runtime"
[ "$(wc -l <"$work/recorded.stderr")" = 1 ] || fail "the error is not one line"
[ ! -s "$work/recorded.stdout" ] || fail "the command ran without being recorded"
