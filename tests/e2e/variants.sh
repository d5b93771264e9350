#!/bin/bash
# Counts stay exact however a program was compiled: compilers × optimisation × position independence ×
# control-flow protection × PLT.
. "$(dirname "$0")/lib.sh"

need gcc
source=$E2E/../fixtures
compilers=gcc
command -v clang >/dev/null && compilers="gcc clang" || echo "without clang: it is not installed"

# check COMPILER OPTIONS…: builds the counting fixture with them, and compares.
check() {
	local compiler=$1
	shift
	"$compiler" -w "$@" -fPIC -shared -o libcounted.so "$source/counted_library.c"
	"$compiler" -w "$@" -o counts "$source/counts.c" -L. -lcounted -Wl,-rpath,"$PWD"
	./counts >plain.stdout
	"$TARE" record -q --small-functions=keep -o profile.tare -- ./counts >recorded.stdout
	cmp plain.stdout recorded.stdout || fail "the output differs: $compiler $*"
	"$TARE" report functions profile.tare --format=csv >functions.csv
	"$E2E/compare" counts recorded.stdout functions.csv || fail "compiled by $compiler $*"
}

cd "$work"
tried=0
for compiler in $compilers; do
	for optimisation in -O0 -O1 -O2 -O3 -Os; do
		for position in "-fPIE -pie" "-fno-pie -no-pie"; do
			for protection in none full; do
				for plt in -fplt -fno-plt; do
					# shellcheck disable=SC2086
					check "$compiler" "$optimisation" $position \
						-fcf-protection=$protection $plt
					tried=$((tried + 1))
				done
			done
		done
	done
done
echo "$tried variants"
