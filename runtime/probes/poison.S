/*
 * Poison: handlers that make wrong claims about probes show. The rewriter puts this library, as a
 * companion, into files whose probes it wants to try (REWRITE_POISON); their stubs call it without
 * any runtime.
 *
 * A handler scrambles all that it keeps, then gives it back: the 15 general registers, and at one
 * probe in eight x87, MMX, SSE, AVX and AVX-512 state as far as the processor has them. What it
 * need not keep stays scrambled: the arithmetic flags (all set or all clear), and the stack below the
 * stub's call. Which of these, a hash of registers, stack and probe decides.
 *
 *     frame …                              <- rsp of the stub
 *     pushed target (CALL_INDIRECT)        scrambled at the end: the stub drops it
 *     return address
 *     SCRAMBLED_BYTES                      scrambled
 *     15 registers                         <- rbp while the vector state is away
 *     area for XSAVE
 *
 * Signals may come at any time, other threads may be here, and a vfork child shares the stack: there
 * is no state but one word that says what XSAVE has to save, which everybody finds out alike.
 */
#define SCRAMBLED_BYTES	512
#define REGISTER_BYTES	(15 * 8)
#define PATTERN		0x7fa5a5a57fa5a5a5
#define ARITHMETIC	0x8d5		/* CF PF AF ZF SF OF in rflags */
#define TURN_BITS	3		/* of the hash: the vector state has its turn if all are zero */
#define STATE_SSE	0x3		/* of XCR0: x87 and SSE */
#define STATE_AVX	0x4
#define STATE_AVX512	0xe0
#define LEGACY_BYTES	512		/* of an XSAVE area; its header of 64 bytes follows */

	.bss
	.balign	8
	/* Bits 0-31: what to save, as in XCR0; 32-63: bytes that it takes. 0: not known yet. Without
	   XSAVE the size alone. */
state:
	.quad	0

	.section .rodata
	.balign	16
pattern:
	.quad	PATTERN, PATTERN
control_x87:
	.short	0xf7f		/* all masked, extended precision, towards zero */
	.balign	4
control_sse:
	.long	0xffbf		/* all masked, towards zero, flush to zero */

	.text
	/* rcx = component of the state: r12 = at least its end. Clobbers rax, rbx, rcx, rdx. */
	.macro	component number
	test	$1 << \number, %r13d
	jz	1\@f
	mov	$0xd, %eax
	mov	$\number, %ecx
	cpuid
	add	%ebx, %eax
	cmp	%eax, %r12d
	cmovb	%eax, %r12d
1\@:
	.endm

	/* r12 = the word `state`, found out. Clobbers rax, rbx, rcx, rdx, r13. */
	.balign	16
	.type	find_state, @function
find_state:
	.cfi_startproc
	mov	$1, %eax
	cpuid
	mov	$LEGACY_BYTES, %r12d
	xor	%r13d, %r13d
	test	$1 << 27, %ecx		/* OSXSAVE */
	jz	2f
	xor	%ecx, %ecx
	xgetbv
	mov	%eax, %r13d
	mov	%eax, %ecx
	and	$STATE_AVX512, %ecx
	cmp	$STATE_AVX512, %ecx
	je	1f
	and	$~STATE_AVX512, %r13d
1:	and	$STATE_SSE | STATE_AVX | STATE_AVX512, %r13d
	mov	$LEGACY_BYTES + 64, %r12d
	component 2
	component 5
	component 6
	component 7
2:	shl	$32, %r12
	or	%r13, %r12
	mov	%r12, state(%rip)
	ret
	.cfi_endproc
	.size	find_state, .-find_state

	.macro	scramble_registers instruction, prefix, from, to
	.set	number, \from
	.rept	\to - \from + 1
	.altmacro
	scramble_register \instruction, \prefix, %number
	.noaltmacro
	.set	number, number + 1
	.endr
	.endm

	.macro	scramble_register instruction, prefix, number
	\instruction pattern(%rip), %\prefix\number
	.endm

	/* r12d = what the processor has of vector state, which is away: scrambles it. */
	.balign	16
	.type	scramble_vectors, @function
scramble_vectors:
	.cfi_startproc
	fninit
	scramble_registers movq, mm, 0, 7
	fldcw	control_x87(%rip)
	ldmxcsr	control_sse(%rip)
	test	$STATE_AVX512, %r12d
	jnz	2f
	test	$STATE_AVX, %r12d
	jnz	1f
	scramble_registers movaps, xmm, 0, 15
	ret
1:	scramble_registers vbroadcastss, ymm, 0, 15
	ret
2:	scramble_registers vbroadcastss, zmm, 0, 31
	scramble_registers kmovw, k, 0, 7
	ret
	.cfi_endproc
	.size	scramble_vectors, .-scramble_vectors

	.macro	save register
	push	%\register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \register, 0
	.endm

	.macro	restore register
	pop	%\register
	.cfi_adjust_cfa_offset -8
	.cfi_restore \register
	.endm

	/* \above: words of the stub's above the return address that it drops */
	.macro	handler name, above
	.globl	\name
	.type	\name, @function
	.balign	64
\name:
	.cfi_startproc
	lea	-SCRAMBLED_BYTES(%rsp), %rsp
	.cfi_adjust_cfa_offset SCRAMBLED_BYTES
	.irp	register, rax, rbx, rcx, rdx, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15, rbp
	save	\register
	.endr
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp

	/* the stack */
	mov	$PATTERN, %rax
	lea	REGISTER_BYTES(%rbp), %rdi
	mov	$SCRAMBLED_BYTES / 8, %ecx
1:	mov	%rax, (%rdi)
	add	$8, %rdi
	dec	%ecx
	jnz	1b
	.if	\above
	mov	%rax, 8(%rdi)
	.endif

	/* rbx = hash: its highest bit is for the flags, the next ones for the vectors' turn */
	mov	%rsp, %rbx
	shr	$4, %rbx
	.irp	word, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, REGISTER_BYTES + SCRAMBLED_BYTES
	add	\word(%rsp), %rbx
	.endr
	mov	$0x9e3779b97f4a7c15, %rax
	imul	%rax, %rbx
	lea	(%rbx,%rbx), %rax
	shr	$64 - TURN_BITS, %rax
	jnz	6f

	/* vectors: away, scrambled, back */
	mov	state(%rip), %r12
	test	%r12, %r12
	jnz	2f
	call	find_state
2:	mov	%r12, %rax
	shr	$32, %rax
	sub	%rax, %rsp
	and	$-64, %rsp
	xor	%edx, %edx
	test	%r12d, %r12d
	jz	4f
	.irp	word, 0, 8, 16, 24, 32, 40, 48, 56
	mov	%rdx, LEGACY_BYTES + \word(%rsp)
	.endr
	mov	%r12d, %eax
	xsave64	(%rsp)
	call	scramble_vectors
	mov	%r12d, %eax
	xor	%edx, %edx
	xrstor64 (%rsp)
	jmp	5f
4:	fxsave64 (%rsp)
	call	scramble_vectors
	fxrstor64 (%rsp)
5:	mov	%rbp, %rsp

	/* flags: set or clear */
6:
	.cfi_def_cfa_register rsp
	sar	$63, %rbx
	and	$ARITHMETIC, %ebx
	pushf
	.cfi_adjust_cfa_offset 8
	andq	$~ARITHMETIC, (%rsp)
	or	%rbx, (%rsp)
	popf
	.cfi_adjust_cfa_offset -8

	/* general registers; no instruction from here on changes flags */
	mov	$PATTERN, %rax
	.irp	register, rbx, rcx, rdx, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15, rbp
	mov	%rax, %\register
	.endr
	.irp	register, rbp, r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rbx, rax
	restore	\register
	.endr
	lea	SCRAMBLED_BYTES(%rsp), %rsp
	.cfi_adjust_cfa_offset -SCRAMBLED_BYTES
	ret
	.cfi_endproc
	.size	\name, .-\name
	.endm

	handler	tare_poison, 0
	handler	tare_poison_call_indirect, 1

	.section .note.GNU-stack,"",@progbits
