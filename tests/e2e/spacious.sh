#!/bin/bash
# Programs with much memory that their file does not hold: the copy's file does not hold it, either;
# and a program whose copy could not reach its code from behind it is recorded without it.
. "$(dirname "$0")/lib.sh"

need gcc python3
cd "$work"
cat >library.c <<'C'
__attribute__((noinline)) long each(long value)
{
	__asm__ volatile("" : "+r"(value));
	return value * 3;
}
long all(long count)
{
	long sum = 0;
	for (long i = 0; i < count; i++)
		sum += each(i);
	return sum;
}
C
cat >program.c <<'C'
#include <stdio.h>
long all(long count);
static char space[SPACE];
__attribute__((noinline)) long fill(void)
{
	for (long at = 0; at < SPACE; at += SPACE / 7)
		space[at] = 1;
	return space[0] + space[SPACE - 1];
}
int main(void)
{
	printf("%ld %ld\n", fill(), all(1000));
	return 4;
}
C
gcc -O1 -fPIC -shared -o libspacious.so library.c
for kind in -fPIE\ -pie -no-pie; do
	# shellcheck disable=SC2086
	gcc -O1 $kind -DSPACE='(128L << 20)' -o large program.c -L. -lspacious -Wl,-rpath,"$work"
	record_options=(--small-functions=keep)
	same "$work/large"
	[ "$(cat plain.status)" = 4 ] || fail "the program ends with $(cat plain.status)"
	report functions
	[ "$(cell functions function fill calls)" = 1 ] || fail "calls in the program are lost"
	[ "$(cell functions function each calls)" = 1000 ] || fail "calls in the library are lost"
	"$TARE" instrument -o copy large 2>instrument.stderr || fail "$(cat instrument.stderr)"
	# Kernels before 5.18 want the copy's code as far behind the begin of the file as in memory.
	[ "$(stat -c %s copy)" -gt $((128 << 20)) ] || fail "the copy's code lies elsewhere"
	for file in copy $(find "$XDG_CACHE_HOME/tare/files" -path '*/copy/large'); do
		used=$(($(stat -c '%b * %B' "$file")))
		[ $used -lt 1000000 ] || fail "$file takes $used bytes on the disk"
	done
done

# The cache knows the copy by its contents when its times are others.
find "$XDG_CACHE_HOME/tare/files" -path '*/copy/large' -exec touch {} +
record_options=(-v --small-functions=keep)
run_in "$work/recorded" "$TARE" record -o profile.tare "${record_options[@]}" -- "$work/large"
grep -q "large: .*from the cache" recorded.stderr || fail "built anew: $(cat recorded.stderr)"

gcc -O1 -mcmodel=medium -DSPACE='(3L << 30)' -o huge program.c -L. -lspacious -Wl,-rpath,"$work" || exit 1
record_options=(--small-functions=keep)
same "$work/huge"
report functions
[ "$(cell functions function each calls)" = 1000 ] || fail "the library of a huge program is lost"
report coverage
grep -q '^huge,.*too large' coverage.csv || fail "who is left out is not shown: $(cat coverage.csv)"
run_in "$work/recorded" "$TARE" record -o profile.tare -- "$work/huge"
grep -q 'huge is too large: .*; its libraries were recorded without it' recorded.stderr ||
	fail "nothing is said of it: $(cat recorded.stderr)"
# No loader brings the runtime into a static one. Its memory is made large by hand: static libraries
# do not link that way.
gcc -O1 -static -DSPACE=100 -o static program.c library.c
python3 - static <<'P'
import struct, sys
with open(sys.argv[1], 'r+b') as file:
    bytes = bytearray(file.read())
    offset, = struct.unpack_from('<Q', bytes, 32)
    count, = struct.unpack_from('<H', bytes, 56)
    at = max((offset + 56 * i for i in range(count) if bytes[offset + 56 * i] == 1),
             key=lambda at: struct.unpack_from('<Q', bytes, at + 16)[0])
    struct.pack_into('<Q', bytes, at + 40, 3 << 30)
    file.seek(0)
    file.write(bytes)
P
[ "$(./static)" = "1 1498500" ] || skip "no static executables of that size here"
run_in "$work/recorded" "$TARE" record --exact -o profile.tare -- "$work/static"
[ "$(cat recorded.status)" = 125 ] || fail "status $(cat recorded.status) of a huge static program"
grep -q 'static is too large' recorded.stderr || fail "not said why: $(cat recorded.stderr)"
# By default it is sampled then.
need_perf
record_options=()
same "$work/static"
run_in "$work/recorded" "$TARE" record -o profile.tare -- "$work/static"
grep -q 'static is too large.*; it was sampled' recorded.stderr ||
	fail "not said how: $(cat recorded.stderr)"
exit 0
