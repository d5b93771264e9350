#!/bin/bash
# Reports of sanitizers: a sampled program prints the frames, files and lines of its plain run, and so
# does an instrumented one, which runs from copies; only where a file and an offset stand in place of a
# line it may be another offset, and the copy's path (docs/explanation/programs.md).
# Usage: sanitizers.sh COMPILER (gcc or clang)
. "$(dirname "$0")/lib.sh"
compiler=$1
ulimit -S -v unlimited 2>/dev/null || true # shadow memory is as large as the address space
need "$compiler"

cat >"$work/program.c" <<'C'
#include <stdlib.h>
__attribute__((noinline)) int deep(int *values, int i)
{
	return values[i];
}
__attribute__((noinline)) int middle(int count)
{
	int *values = malloc(4 * sizeof(int));
	int result = deep(values, count) + 1;
	free(values);
	return result;
}
int main(int argc, char **argv)
{
	return middle(argc + 3);
}
C
"$compiler" -g -O1 -fsanitize=address -o "$work/program" "$work/program.c" 2>"$work/refusal" ||
	skip "$compiler has no address sanitizer: $(head -n 1 "$work/refusal")"

# The report without what differs between any two runs.
frames() {
	sed -nE 's/^ *(#[0-9]+) 0x[0-9a-f]+/\1/p' "$1"
}
error() {
	sed -nE 's/^==[0-9]+==(ERROR: [A-Za-z]+: [a-z-]+) .*/\1/p
		s/^(READ of size .*|0x[0-9a-f]+ is located .*)/\1/p' "$1" | sed -E 's/0x[0-9a-f]+|\[.*\)//g'
}

status=0
"$work/program" >"$work/plain" 2>&1 || status=$?
[ "$status" -ne 0 ] && [ -n "$(error "$work/plain")" ] || fail "the plain program reports nothing"
frames "$work/plain" | grep -q "in deep .*program.c:4" ||
	skip "no symbolizer of $compiler finds lines here: $(frames "$work/plain" | head -n 1)"

for method in sample instrument; do
	recorded=0
	"$TARE" record -q --method="$method" -o "$work/profile.tare" -- "$work/program" >"$work/$method" 2>&1 ||
		recorded=$?
	[ "$recorded" -eq "$status" ] || fail "$method: status $recorded instead of $status"
	[ "$(error "$work/$method")" = "$(error "$work/plain")" ] ||
		fail "$method: another error: $(error "$work/$method")"
done
frames "$work/plain" >"$work/expected"
frames "$work/sample" | cmp -s - "$work/expected" ||
	fail "frames of the sampled program: $(frames "$work/sample" | diff "$work/expected" - | head -n 8)"
names() {
	frames "$1" | sed -E 's,\(/[^()]*/([^/()]+)\+0x[0-9a-f]+\),(\1),'
}
names "$work/plain" >"$work/expected"
names "$work/instrument" | cmp -s - "$work/expected" ||
	fail "frames of the instrumented program: $(names "$work/instrument" | diff "$work/expected" - | head -n 8)"
