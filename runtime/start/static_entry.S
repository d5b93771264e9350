/*
 * The entry point of an instrumented static executable (abi/static.h). Registers and stack are as
 * the kernel made them, and so they are when the original entry point is reached: all registers
 * zero, rsp at argc, no flag set but that for interrupts.
 */
	.text
	.globl	tare_static_entry
	.type	tare_static_entry, @function
	.balign	16
tare_static_entry:
	.cfi_startproc
	.cfi_undefined %rip		/* the outermost frame */
	mov	%rsp, %rdi
	mov	%rsp, %rbp
	and	$-16, %rsp
	call	static_begin
	mov	%rbp, %rsp
	pushq	$0x202
	popfq
	push	%rax			/* where the return goes */
	xor	%eax, %eax
	xor	%ebx, %ebx
	xor	%ecx, %ecx
	xor	%edx, %edx
	xor	%esi, %esi
	xor	%edi, %edi
	xor	%ebp, %ebp
	xor	%r8d, %r8d
	xor	%r9d, %r9d
	xor	%r10d, %r10d
	xor	%r11d, %r11d
	xor	%r12d, %r12d
	xor	%r13d, %r13d
	xor	%r14d, %r14d
	xor	%r15d, %r15d
	ret
	.cfi_endproc
	.size	tare_static_entry, .-tare_static_entry

	/* Two names: the exported one for the rewriter, the other needs no relocation here. */
	.data
	.balign	64
	.globl	tare_static, static_data
	.hidden	static_data
	.type	tare_static, @object
	.type	static_data, @object
tare_static:
static_data:
	.skip	64
	.size	tare_static, .-tare_static
	.size	static_data, .-static_data

	.section .note.GNU-stack,"",@progbits
