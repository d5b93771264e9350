/* See poison_calls.h. Not for several threads at once. */
#include "poison_calls.h"

#define REGISTER(number) (POISON_OFF_REGISTERS + 8 * number)(%rax)

	.bss
	.balign	8
handler:
	.quad	0
before:
	.quad	0
after:
	.quad	0
mask:
	.quad	0
stack:
	.quad	0
rax_found:
	.quad	0

	.text
	.globl	poison_observe
	.type	poison_observe, @function
poison_observe:
	.irp	register, rbx, rbp, r12, r13, r14, r15
	push	%\register
	.endr
	mov	%rdi, handler(%rip)
	mov	%rsi, before(%rip)
	mov	%rdx, after(%rip)
	mov	%rcx, mask(%rip)
	mov	%rsp, stack(%rip)
	push	$POISON_MARK
	push	$POISON_MARK
	lea	-8(%rsp), %rdi
	mov	$66, %ecx
1:	movq	$POISON_MARK, (%rdi)
	sub	$8, %rdi
	dec	%ecx
	jnz	1b

	mov	%rsi, %rbx
	mov	mask(%rip), %eax
	xor	%edx, %edx
	test	%eax, %eax
	jz	2f
	xrstor64 (%rbx)
2:	pushq	POISON_OFF_FLAGS(%rbx)
	popf
	mov	before(%rip), %rax
	mov	REGISTER(1), %rcx
	mov	REGISTER(2), %rdx
	mov	REGISTER(3), %rbx
	mov	REGISTER(4), %rbp
	mov	REGISTER(5), %rsi
	mov	REGISTER(6), %rdi
	mov	REGISTER(7), %r8
	mov	REGISTER(8), %r9
	mov	REGISTER(9), %r10
	mov	REGISTER(10), %r11
	mov	REGISTER(11), %r12
	mov	REGISTER(12), %r13
	mov	REGISTER(13), %r14
	mov	REGISTER(14), %r15
	mov	REGISTER(0), %rax
	call	*handler(%rip)
	mov	%rax, rax_found(%rip)
	mov	after(%rip), %rax
	mov	%rcx, REGISTER(1)
	mov	%rdx, REGISTER(2)
	mov	%rbx, REGISTER(3)
	mov	%rbp, REGISTER(4)
	mov	%rsi, REGISTER(5)
	mov	%rdi, REGISTER(6)
	mov	%r8, REGISTER(7)
	mov	%r9, REGISTER(8)
	mov	%r10, REGISTER(9)
	mov	%r11, REGISTER(10)
	mov	%r12, REGISTER(11)
	mov	%r13, REGISTER(12)
	mov	%r14, REGISTER(13)
	mov	%r15, REGISTER(14)
	mov	rax_found(%rip), %rcx
	mov	%rcx, REGISTER(0)
	pushf
	popq	POISON_OFF_FLAGS(%rax)
	push	$0x202
	popf

	mov	%rax, %rbx
	.set	word, 0
	.rept	2
	mov	8*word(%rsp), %rcx
	mov	%rcx, POISON_OFF_ABOVE+8*word(%rbx)
	.set	word, word + 1
	.endr
	.set	word, 0
	.rept	64
	mov	-16-8*word(%rsp), %rcx
	mov	%rcx, POISON_OFF_BELOW+8*word(%rbx)
	.set	word, word + 1
	.endr
	mov	mask(%rip), %eax
	xor	%edx, %edx
	test	%eax, %eax
	jz	3f
	xsave64	(%rbx)
	emms
3:	mov	stack(%rip), %rsp
	.irp	register, r15, r14, r13, r12, rbp, rbx
	pop	%\register
	.endr
	ret
	.size	poison_observe, .-poison_observe

	.section .note.GNU-stack,"",@progbits
