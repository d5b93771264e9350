/*
 * The SYSCALL handler: stores the caller-saved registers as struct probes_registers and hands them
 * to C. The C code keeps the others; no vector state is touched. Arithmetic flags are free at a
 * probe; the direction flag and that for alignment checks are not, and C wants them clear.
 *
 * Where the C code has made the call itself it has written its result, and where it ends, in place of
 * what was there. Then the stub is left out, and with it its step back over the red zone.
 */
#include "runtime/base/offsets.h"

#define MODES (FLAG_DIRECTION | FLAG_ALIGNMENT)

	/* back to the caller, and over so many bytes more */
	.macro	back bytes
	testl	$MODES, -80(%rbp)
	jz	2f
	lea	-80(%rbp), %rsp
	popfq
2:	lea	-72(%rbp), %rsp
	pop	%r11
	.cfi_restore %r11
	pop	%r10
	.cfi_restore %r10
	pop	%r9
	.cfi_restore %r9
	pop	%r8
	.cfi_restore %r8
	pop	%rdi
	.cfi_restore %rdi
	pop	%rsi
	.cfi_restore %rsi
	pop	%rdx
	.cfi_restore %rdx
	pop	%rcx
	.cfi_restore %rcx
	pop	%rax
	.cfi_restore %rax
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa %rsp, 8
	ret	$\bytes
	.endm

	.text
	.globl	probes_syscall
	.hidden	probes_syscall
	.type	probes_syscall, @function
	.balign	16
probes_syscall:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	push	%rax
	.cfi_offset %rax, -24
	push	%rcx
	.cfi_offset %rcx, -32
	push	%rdx
	.cfi_offset %rdx, -40
	push	%rsi
	.cfi_offset %rsi, -48
	push	%rdi
	.cfi_offset %rdi, -56
	push	%r8
	.cfi_offset %r8, -64
	push	%r9
	.cfi_offset %r9, -72
	push	%r10
	.cfi_offset %r10, -80
	push	%r11
	.cfi_offset %r11, -88
	mov	%rsp, %rdi
	pushfq
	testl	$MODES, (%rsp)
	jz	1f
	pushq	(%rsp)
	andl	$~MODES, (%rsp)
	popfq
1:	and	$-16, %rsp
	call	probes_syscall_event
	.cfi_remember_state
	test	%al, %al
	jnz	3f
	back	0
3:	.cfi_restore_state
	back	128
	.cfi_endproc
	.size	probes_syscall, .-probes_syscall
	.section .note.GNU-stack,"",@progbits
