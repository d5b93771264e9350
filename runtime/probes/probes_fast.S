/*
 * The handlers of ordinary recordings, made from handlers.inc, and what all families share: the
 * look-up of a child and the way to probes_general.
 */
#include "runtime/probes/handlers.inc"

	handlers selector, 1, 0
	handlers clock, 0, 0
	slots	selector
	slots	clock

	/* There is always a call that has not ended as usual: the general path's matter. */
	.macro	landing name, place
	.text
	.balign	16
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	save	%rax
	save	%rdx
	save	%rcx
	save	%rsi
	xor	%eax, %eax
	mov	$(KIND_LANDING | (\place+8) << PLACE_SP_SHIFT), %edx
	jmp	probes_general_entry
	.cfi_endproc
	.size	\name, .-\name
	.endm

	landing	probes_landing, -8
	landing	probes_below_flags_landing, 0

	/* What a C function may change, but for rdx. */
	.macro	save_others
	save	%rax
	save	%rcx
	save	%rsi
	save	%rdi
	save	%r8
	save	%r9
	save	%r10
	save	%r11
	.endm

	.macro	restore_others
	restore	%r11
	restore	%r10
	restore	%r9
	restore	%r8
	restore	%rdi
	restore	%rsi
	restore	%rcx
	restore	%rax
	.endm

	/* A function that handlers call: keeps all registers, but for rdx where it returns that. */
	.macro	callable name
	.balign	16
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm

	.macro	callable_end name
	ret
	.cfi_endproc
	.size	\name, .-\name
	.endm

	/* rcx thread file, rsi key: rdx = the child of the top, or 0. */
	callable probes_find_child
	save_others
	mov	%rcx, %rdi
	mov	%rsi, %rdx
	mov	THREAD_TOP(%rcx), %rsi
	xor	%ecx, %ecx
	call	accumulate_find
	mov	%rax, %rdx
	restore_others
	callable_end probes_find_child

	/* The same, with the call site in rdx. */
	callable probes_find_child_at
	save_others
	mov	%rcx, %rdi
	mov	%rdx, %rcx
	mov	%rsi, %rdx
	mov	THREAD_TOP(%rdi), %rsi
	call	accumulate_find
	mov	%rax, %rdx
	restore_others
	callable_end probes_find_child_at

	/* rcx thread file, rdx node, rsi bucket */
	callable probes_bucket_full
	save_others
	save	%rdx
	mov	%rcx, %rdi
	xchg	%rdx, %rsi
	call	context_bucket_full
	restore	%rdx
	restore_others
	callable_end probes_bucket_full

	/* rax ticks or 0, edx place; the rest of a handler */
	.balign	16
	.globl	probes_general_entry
	.hidden	probes_general_entry
	.type	probes_general_entry, @function
probes_general_entry:
	.cfi_startproc
	saved_state
	save	%rbp
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	push	%rdi
	.cfi_offset %rdi, -24-SAVED
	push	%r8
	.cfi_offset %r8, -32-SAVED
	push	%r9
	.cfi_offset %r9, -40-SAVED
	push	%r10
	.cfi_offset %r10, -48-SAVED
	push	%r11
	.cfi_offset %r11, -56-SAVED
	/* C wants these two clear; a program may call its functions with either set. */
	pushfq
	testl	$FLAG_DIRECTION | FLAG_ALIGNMENT, (%rsp)
	jz	1f
	pushq	(%rsp)
	andl	$~(FLAG_DIRECTION | FLAG_ALIGNMENT), (%rsp)
	popfq
1:	lea	8+SAVED(%rbp), %rdi
	mov	%rax, %rsi
	and	$-16, %rsp
	call	probes_general
	lea	-48(%rbp), %rsp
	popfq
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
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa %rsp, 8+SAVED
	restore	%rsi
	restore	%rcx
	restore	%rdx
	restore	%rax
	ret
	.cfi_endproc
	.size	probes_general_entry, .-probes_general_entry

	.section .note.GNU-stack,"",@progbits
