#!/bin/bash
# Exceptions go through, are caught in, rethrown from and cleaned up by copies as by the originals,
# however the program was compiled. Usage: exceptions.sh COMPILER (g++ or clang++)
. "$(dirname "$0")/lib.sh"

need gcc "$1"
compiler=$1
source=$E2E/../fixtures/exceptions
c_compiler=gcc
[ "$compiler" = clang++ ] && c_compiler=clang

# build OPTION…: the program and its libraries in the present directory.
build() {
	"$c_compiler" -w "$@" -fexceptions -c -o cleanup.o "$source/cleanup.c"
	"$compiler" -w "$@" -fPIC -shared -o libexceptions.so "$source/library.cpp"
	cp libexceptions.so libplugin.so
	"$compiler" -w "$@" -std=c++14 -c -o filters.o "$source/filters.cpp"
	"$compiler" -w "$@" -std=c++20 -fnon-call-exceptions -c -o signals.o "$source/signals.cpp"
	"$compiler" -w "$@" -std=c++20 -o exceptions "$source"/{main,language,threads,endings}.cpp \
		"$source/coroutines.cpp" filters.o signals.o cleanup.o -pthread -ldl \
		-L. -lexceptions -Wl,-rpath,"$PWD"
}

# check NAME…: records the program; it prints the same, and the times add up.
check() {
	local options=$*
	same "$work/exceptions"
	[ "$(cat "$work/plain.status")" = 0 ] || fail "the plain program fails: $options"
	report functions
	compare sums "$work/functions.csv"
}

cd "$work"
export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
tried=0
for optimisation in -O0 -O1 -O2 -O3 -Os; do
	for position in "-fPIE -pie" "-fno-pie -no-pie"; do
		# shellcheck disable=SC2086
		build "$optimisation" $position
		record_options=()
		check "$optimisation" "$position"
		record_options=(--probes=all --small-functions=keep)
		check "$optimisation" "$position" all
		tried=$((tried + 1))
	done
done
for transform in null poison; do
	record_options=(--transform=$transform --module='*')
	same "$work/exceptions"
done
record_options=(--module='*')
check "with libraries"
echo "$tried variants"
