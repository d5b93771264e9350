/*
 * pace_work: work like that of 16 probes that find all that they need (runtime/probes/handlers.inc),
 * one behind the other. What they read and write lies on the stack.
 */
#include "runtime/base/offsets.h"

#define PACE_BYTES (64+4*64) /* a thread's words and a node's in one, and its buckets */

	.text
	/* What a LEAVE does and in that order, with memory from rdi on. */
	.balign	64
	.type	pace_probe, @function
pace_probe:
	.cfi_startproc
	.irp	register, %rax, %rdx, %rcx, %rsi
	push	\register
	.cfi_adjust_cfa_offset 8
	.endr
	lfence
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	cmpq	$0, (%rdi)
	jne	1f
	mov	%rsp, (%rdi)
	mov	%es, %edx
	cmp	$SELECTOR_ARMED, %edx
	sub	24(%rdi), %rax
	mov	8(%rdi), %rdx
	mov	%rax, 16(%rdi)
	cmp	%rsp, 24(%rdx)
	sub	32(%rdx), %rax
	lea	1(%rax,%rax), %rsi
	bsr	%rsi, %rsi
	incl	64(%rdx,%rsi,4)
	mov	%rax, %rsi
	sub	40(%rdx), %rsi
	cmp	%rsi, 48(%rdx)
	cmp	%rax, 56(%rdx)
	add	%rsi, 56(%rdx)
	mov	%rdx, 8(%rdi)
	add	%rax, 40(%rdx)
	mov	32(%rdi), %eax
	add	%rax, 24(%rdi)
	movq	$0, (%rdi)
1:
	.irp	register, %rsi, %rcx, %rdx, %rax
	pop	\register
	.cfi_adjust_cfa_offset -8
	.endr
	ret
	.cfi_endproc
	.size	pace_probe, .-pace_probe

	.balign	64
	.globl	pace_work
	.hidden	pace_work
	.type	pace_work, @function
pace_work:
	.cfi_startproc
	sub	$PACE_BYTES, %rsp
	.cfi_adjust_cfa_offset PACE_BYTES
	mov	%rsp, %rdi
	xor	%eax, %eax
	mov	$PACE_BYTES/8, %ecx
	rep stosq
	mov	%rsp, %rdi
	mov	%rsp, 8(%rdi)
	.rept	16
	call	pace_probe
	.endr
	add	$PACE_BYTES, %rsp
	.cfi_adjust_cfa_offset -PACE_BYTES
	ret
	.cfi_endproc
	.size	pace_work, .-pace_work

	.section .note.GNU-stack,"",@progbits
