#!/bin/bash
# Functions that are refused have no counter: their calls are counted where they are called. One that calls
# itself, or is called by another one, has had at least as many; and is shown so.
. "$(dirname "$0")/lib.sh"
need cc

# Data have an address in the first bytes of each, to which it jumps itself: no jump to a copy can be there.
cat >"$work/refused.s" <<'S'
	.text
	.macro refused name callee
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
.Linside_\name:
	mov %edi, %ebx
	test %ebx, %ebx
	jle .Lend_\name
	lea -1(%rbx), %edi
	call \callee
.Lend_\name:
	mov %ebx, %eax
	cmp $1000, %eax
	je .Linside_\name
	pop %rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size \name, . - \name
	.data
	.quad .Linside_\name
	.text
	.endm
	refused alone other
	refused recursive recursive
	refused first second
	refused second other
	.section .note.GNU-stack, "", @progbits
S
cat >"$work/main.c" <<'C'
#include <stdio.h>
int alone(int), recursive(int), first(int), second(int);
static volatile int sum;
__attribute__((noinline)) int other(int n) { for (volatile int i = 0; i < 20; i++); return n; }
int main(void)
{
	for (int i = 0; i < 100; i++)
		sum += alone(3) + recursive(3) + first(3) + second(0);
	printf("%d\n", sum);
	return 0;
}
C
cc -O1 -no-pie -o "$work/prog" "$work/main.c" "$work/refused.s"

same "$work/prog"
report functions
# name, calls, and what they are
for expected in alone,100,all recursive,100,at-least first,100,all second,100,at-least other,200,all; do
	found=$(awk -F, -v name="${expected%%,*}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["function"] == name { print name "," $at["calls"] "," $at["calls_are"] }' "$work/functions.csv")
	[ "$found" = "$expected" ] || fail "expected $expected, not $found"
done
report coverage
grep -q '4 entry-branched' "$work/coverage.csv" || fail "not refused: $(cat "$work/coverage.csv")"
