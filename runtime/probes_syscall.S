/*
 * The SYSCALL handler: stores the caller-saved registers as struct probes_registers and hands them
 * to C. The C code keeps the others; no vector state is touched. Flags are free at a probe.
 */
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
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	cld
	mov	%rsp, %rdi
	and	$-16, %rsp
	call	probes_syscall_event
	lea	-72(%rbp), %rsp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	probes_syscall, .-probes_syscall
	.section .note.GNU-stack,"",@progbits
