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
