#!/bin/bash
# Lines of a separate debug file that is compressed are the same when it is read as it is, unpacked, and
# taken from what was unpacked before.
. "$(dirname "$0")/lib.sh"
need gcc objcopy readelf

cat >"$work/packed.c" <<'C'
__attribute__((noinline)) int counted(int n)
{
	return n ? n + counted(n - 1) : 0;
}

__attribute__((noinline)) int other(int n)
{
	return counted(n) * 2;
}

int main(void)
{
	return other(5) == 30 ? 0 : 1;
}
C
cd "$work"
gcc -O1 -g -gz=zlib -Wl,--build-id -o packed packed.c
objcopy --only-keep-debug packed packed.debug
objcopy --strip-debug --add-gnu-debuglink=packed.debug packed
readelf -SW packed.debug | grep -q 'debug_info.* C ' || skip "this gcc does not compress so little"
record_options=(--small-functions=keep)
export XDG_CACHE_HOME=$work/cache

# lines_as NAME: "function source line" of the functions that the program's source has. Those of the C
# library's start files have none; samples may show them in one run and not in another.
lines_as() {
	record "$work/packed"
	report functions
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["module"] == "packed" && $at["source"] != "" { print $at["function"], $at["source"], $at["line"] }' \
		"$work/functions.csv" | sort >"$work/$1"
}
# kept: what is kept of the program's file; what is kept of the C library's depends on where samples fall.
kept() {
	find "$XDG_CACHE_HOME/tare/derived" -name "debug.*.$(printf %x "$(stat -c %i packed.debug)").*" 2>/dev/null
}
lines_as unpacked
[ -n "$(kept)" ] || fail "nothing is kept"
lines_as taken
# A further link, as perf's and backups' caches have, changes the file's ctime, and nothing in it.
before=$(kept | sort)
sleep 0.01
ln packed.debug link.debug
lines_as linked
[ "$(kept | sort)" = "$before" ] || fail "unpacked again behind a link: $(kept)"
touch packed.debug
lines_as touched
[ "$(kept | sort)" != "$before" ] || fail "the changed file passed for the old one"
record_options+=(--no-cache)
rm -r "$XDG_CACHE_HOME/tare/derived"
lines_as plain
[ -z "$(kept)" ] || fail "something is kept without the cache: $(kept)"
grep -q '^counted .*packed.c 1$' plain && grep -q '^other .*packed.c 6$' plain || fail "$(cat plain)"
cmp plain unpacked || fail "unpacked: $(cat unpacked)"
cmp plain linked && cmp plain touched || fail "linked or touched: $(cat linked touched)"
cmp plain taken || fail "taken: $(cat taken)"
