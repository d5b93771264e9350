#!/bin/bash
# Libraries whose thread-local storage wants a fixed place, and much of it, as jemalloc's does.
. "$(dirname "$0")/lib.sh"

same "$FIXTURES/static_tls"
grep -qx 'tunables unset' "$work/recorded.stdout" || fail "the loader's reserve shows"
# The user's own tunables stay, and stay alone.
same env GLIBC_TUNABLES=glibc.malloc.perturb=3 "$FIXTURES/static_tls"
grep -qx 'tunables glibc.malloc.perturb=3' "$work/recorded.stdout" || fail "lost tunables"
export GLIBC_TUNABLES=glibc.malloc.perturb=3:glibc.malloc.check=0
same "$FIXTURES/static_tls"
# A child that is executed as the original, of a program that needs no such reserve.
same bash -c "'$FIXTURES/static_tls'; env; GLIBC_TUNABLES= LD_AUDIT= '$FIXTURES/static_tls'; GLIBC_TUNABLES= LD_AUDIT= env"
unset GLIBC_TUNABLES

# The call by which compilers find such storage is no function to a reader; a sample may be taken in it all the same.
if command -v gcc >/dev/null; then
	echo '__thread int mine; int *address(void) { return &mine; }' >"$work/library.c"
	echo 'int *address(void); int main(void) { return *address() + *address(); }' >"$work/program.c"
	gcc -O1 -fPIC -shared -o "$work/libaddress.so" "$work/library.c"
	gcc -O1 -o "$work/program" "$work/program.c" "$work/libaddress.so"
	record_options=(--small-functions=keep --method=instrument)
	same "$work/program"
	report functions
	[ "$(cell functions function address calls)" = 2 ] || fail "address was not recorded"
	! grep -q __tls_get_addr "$work/functions.csv" || fail "__tls_get_addr is among the functions"
fi
