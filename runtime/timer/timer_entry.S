/*
 * The entry of the handler of the timers' signal: rdi = its number, rsi = siginfo, rdx = ucontext.
 * It uses two words of the stack that it was called on, which may be small, and goes on with the
 * stack of the thread that the timer names; whose timer it is, siginfo says, so that no thread
 * pointer is needed. Alignment checks, which a program may have asked for, are switched off; the
 * return restores them.
 */
#include "runtime/base/offsets.h"

#define INFO_CODE	  8
#define INFO_VALUE	  24
#define BY_TIMER	  -2 /* SI_TIMER */
#define THREADS_MAX	  4096
#define SYS_RT_SIGRETURN  15

	.text
	.globl	timer_entry
	.hidden	timer_entry
	.type	timer_entry, @function
	.balign	16
timer_entry:
	.cfi_startproc
	cmpl	$BY_TIMER, INFO_CODE(%rsi)
	jne	1f
	mov	INFO_VALUE(%rsi), %rax
	cmp	$THREADS_MAX, %rax
	jae	1f
	lea	timer_threads(%rip), %rcx
	mov	(%rcx,%rax,8), %rdi
	test	%rdi, %rdi
	jz	1f
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	mov	(%rdi), %rsp
	pushfq
	andl	$~FLAG_ALIGNMENT, (%rsp)
	popfq
	call	timer_sample
	leave
	.cfi_restore %rbp
	.cfi_def_cfa %rsp, 8
	ret
1:	jmp	timer_foreign
	.cfi_endproc
	.size	timer_entry, .-timer_entry

	.globl	timer_restore
	.hidden	timer_restore
	.type	timer_restore, @function
	.balign	16
	nop
timer_restore:
	mov	$SYS_RT_SIGRETURN, %rax
	syscall
	.size	timer_restore, .-timer_restore
	.section .note.GNU-stack,"",@progbits
