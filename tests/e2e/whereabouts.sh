#!/bin/bash
# Programs find themselves and their libraries where they are installed, not in the cache.
. "$(dirname "$0")/lib.sh"

same "$FIXTURES/whereabouts" "$FIXTURES/libcounted.so"
grep -qx "self $(readlink -f "$FIXTURES/whereabouts")" "$work/recorded.stdout" ||
	fail "/proc/self/exe leads elsewhere"
# A child that is executed as the original becomes its copy.
same bash -c "'$FIXTURES/whereabouts' '$FIXTURES/libcounted.so'; exec readlink /proc/self/exe"
# A library by a relative path keeps that as its name.
cp "$FIXTURES/libcounted.so" "$work/lib.so"
same bash -c "cp '$work/lib.so' . && exec '$FIXTURES/whereabouts' ./lib.so"
# A static executable brings its own entry point.
if gcc -static -O2 -w -o "$work/static" "$E2E/../fixtures/whereabouts.c" 2>/dev/null; then
	same "$work/static"
fi
