/*
 * The handlers (abi/module.h): the usual course of each event as a straight line around rdtsc. It
 * is accumulate_event for the case that nothing has to be made or unwound; everything is checked
 * before anything is written, and what is not usual goes to probes_general.
 *
 *   rcx thread file   rsi top frame   rax ticks, then other   rdx interval   rdi node
 *
 * The gate holds rsp while a probe is at work: a signal handler's probes then drop their events.
 * Five registers are saved; flags are free at a probe; vector state is never touched.
 */
#include "runtime/offsets.h"

#define SAVED	  40   /* bytes pushed by `begin` */
#define SHORT_MIN -256 /* ticks; no probe costs more */

	/* Opens the gate for this probe, reads the clock; at .Lcharge_\name rdx is the interval. */
	.macro	begin name
	.text
	.balign	64
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	push	%rax
	push	%rdx
	push	%rcx
	push	%rsi
	push	%rdi
	.cfi_def_cfa_offset 8+SAVED
	mov	state_thread@gottpoff(%rip), %rcx
	mov	%fs:(%rcx), %rcx
	mov	state_process+PROCESS_RSEQ_OFFSET(%rip), %rsi
	test	%rcx, %rcx
	jz	.Lunready_\name
	test	%rsi, %rsi		/* zeroed by the kernel in a forked child */
	jz	.Lunready_\name
	cmpq	$0, THREAD_GATE(%rcx)
	jne	.Lunready_\name
	mov	%rsp, THREAD_GATE(%rcx)
	rdtsc
	lea	os_flag_descriptor(%rip), %rdi
	shl	$32, %rdx
	or	%rdx, %rax
	cmp	%rdi, %fs:(%rsi)	/* has the kernel been here since the last probe? */
	jne	.Lgeneral_\name
	mov	%es, %edi
	cmp	%edi, state_process+PROCESS_SELECTOR(%rip)
	jne	.Lgeneral_\name
	mov	%rax, %rdx
	mov	THREAD_TOP(%rcx), %rsi
	sub	THREAD_LAST_TICKS(%rcx), %rdx
	js	.Lshort_\name
.Lcharge_\name:
	.endm

	/* last_ticks = ticks + cost, as the sum of what is known; opens the gate */
	.macro	finish kind
	add	state_session+SESSION_COSTS+8*\kind(%rip), %rdx
	add	%rdx, THREAD_LAST_TICKS(%rcx)
	movq	$0, THREAD_GATE(%rcx)
	pop	%rdi
	pop	%rsi
	pop	%rcx
	pop	%rdx
	pop	%rax
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.cfi_restore_state
	.endm

	/* What is off the straight line, and the end of the function */
	.macro	end name, kind, sp
	/* shorter than the cost of the probe that began it: an empty interval */
.Lshort_\name:
	cmp	$SHORT_MIN, %rdx
	jl	.Lgeneral_\name		/* the clock stepped back */
	mov	FRAME_NODE(%rsi), %rdi
	sub	%rdx, NODE_CLAMPED(%rdi)
	mov	%rax, THREAD_LAST_TICKS(%rcx)
	xor	%edx, %edx
	jmp	.Lcharge_\name
.Lunready_\name:
	xor	%eax, %eax
	jmp	.Lgeneral_\name
.Lcharged_\name:
	mov	THREAD_LAST_TICKS(%rcx), %rax
	add	%rdx, %rax
.Lgeneral_\name:
	mov	$(\kind | (\sp) << PLACE_SP_SHIFT), %edx
	jmp	general
	.cfi_endproc
	.size	\name, .-\name
	.endm

	/* rax = address that the nopl at \offset behind the return address carries; uses rdi */
	.macro	nopl_addr offset
	mov	SAVED(%rsp), %rax
	movslq	\offset+3(%rax), %rdi
	lea	\offset+7(%rax,%rdi), %rax
	.endm

	/* A frame for the child with key rax of the top's node; its sp field is \sp + rsp at entry */
	.macro	push_frame name, sp
	mov	FRAME_NODE(%rsi), %rdi
	mov	NODE_LAST_CHILD(%rdi), %rdi
	cmp	%rax, NODE_KEY(%rdi)
	jne	.Lfind_\name
.Lfound_\name:
	lea	FRAME_BYTES(%rsi), %rax
	cmp	THREAD_FRAME_LIMIT(%rcx), %rax
	jae	.Lcharged_\name
	mov	%rdi, FRAME_BYTES+FRAME_NODE(%rsi)
	lea	SAVED+\sp(%rsp), %rdi
	mov	%rdi, FRAME_BYTES+FRAME_SP(%rsi)
	add	%rdx, FRAME_EXCLUSIVE(%rsi)
	mov	THREAD_NOW_TICKS(%rcx), %rdi
	add	%rdx, %rdi
	mov	%rdi, THREAD_NOW_TICKS(%rcx)
	mov	%rdi, FRAME_BYTES+FRAME_START(%rsi)
	movq	$0, FRAME_BYTES+FRAME_EXCLUSIVE(%rsi)
	.endm

	.macro	push_frame_cold name
.Lfind_\name:
	call	find_child
	test	%rdi, %rdi
	jz	.Lcharged_\name
	jmp	.Lfound_\name
	.endm

	/*
	 * Charges the interval to the top frame, which has no OS time, and ends it. The frame goes
	 * first: a probe that a signal handler leaves for good then loses a call, and counts no
	 * time twice (see accumulate_repair).
	 */
	.macro	pop_frame name
	mov	FRAME_NODE(%rsi), %rdi
	lea	-FRAME_BYTES(%rsi), %rax
	mov	%rax, THREAD_TOP(%rcx)
	mov	FRAME_EXCLUSIVE(%rsi), %rax
	add	%rdx, %rax
	incq	NODE_CALLS(%rdi)
	add	%rax, NODE_ELAPSED(%rdi)
	/* application <= elapsed for each call, so these two bounds are the inner ones */
	cmp	NODE_ELAPSED_EXCLUSIVE_MIN(%rdi), %rax
	jb	.Lexclusive_\name
	cmp	NODE_APPLICATION_EXCLUSIVE_MAX(%rdi), %rax
	ja	.Lexclusive_\name
.Lexclusive_done_\name:
	mov	THREAD_NOW_TICKS(%rcx), %rax
	add	%rdx, %rax
	mov	%rax, THREAD_NOW_TICKS(%rcx)
	sub	FRAME_START(%rsi), %rax
	cmp	NODE_ELAPSED_INCLUSIVE_MIN(%rdi), %rax
	jb	.Linclusive_\name
	cmp	NODE_APPLICATION_INCLUSIVE_MAX(%rdi), %rax
	ja	.Linclusive_\name
.Linclusive_done_\name:
	.endm

	.macro	widen min, max
	cmp	\min(%rdi), %rax
	jae	10\@f
	mov	%rax, \min(%rdi)
10\@:	cmp	\max(%rdi), %rax
	jbe	11\@f
	mov	%rax, \max(%rdi)
11\@:
	.endm

	.macro	pop_frame_cold name
.Lexclusive_\name:
	widen	NODE_ELAPSED_EXCLUSIVE_MIN, NODE_ELAPSED_EXCLUSIVE_MAX
	widen	NODE_APPLICATION_EXCLUSIVE_MIN, NODE_APPLICATION_EXCLUSIVE_MAX
	jmp	.Lexclusive_done_\name
.Linclusive_\name:
	widen	NODE_ELAPSED_INCLUSIVE_MIN, NODE_ELAPSED_INCLUSIVE_MAX
	widen	NODE_APPLICATION_INCLUSIVE_MIN, NODE_APPLICATION_INCLUSIVE_MAX
	jmp	.Linclusive_done_\name
	.endm

	.macro	enter_handler name, sp
	begin	\name
	lea	SAVED+\sp+1(%rsp), %rdi
	cmp	%rdi, FRAME_SP(%rsi)
	nopl_addr 0			/* keeps the flags */
	jbe	.Ljoin_\name
	push_frame \name, \sp
	lea	FRAME_BYTES(%rsi), %rax
	mov	%rax, THREAD_TOP(%rcx)
	finish	KIND_ENTER
	push_frame_cold \name
	/* a pending call through a pointer, whose function reports itself once more? */
.Ljoin_\name:
	jne	.Lcharged_\name
	cmpq	$1, FRAME_PENDING(%rsi)
	jne	.Lcharged_\name
	cmpq	$0, FRAME_OS_EXCLUSIVE(%rsi)
	jne	.Lcharged_\name
	mov	FRAME_NODE(%rsi), %rdi
	cmp	%rax, NODE_KEY(%rdi)
	je	.Ljoined_\name
	mov	NODE_ALIAS(%rdi), %rdi
	cmp	%rax, NODE_KEY(%rdi)
	jne	.Lcharged_\name
	mov	%rdi, FRAME_NODE(%rsi)
.Ljoined_\name:
	decq	FRAME_SP(%rsi)		/* no longer pending */
	movq	$0, FRAME_PENDING(%rsi)
	add	%rdx, FRAME_EXCLUSIVE(%rsi)
	add	%rdx, THREAD_NOW_TICKS(%rcx)
	finish	KIND_ENTER
	end	\name, KIND_ENTER, \sp
	.endm

	.macro	leave_handler name, sp
	begin	\name
	lea	SAVED+\sp(%rsp), %rdi
	cmp	%rdi, FRAME_SP(%rsi)
	jne	.Lcharged_\name
	cmpq	$0, FRAME_OS_INCLUSIVE(%rsi)
	jne	.Lcharged_\name
	cmpl	$0, FRAME_BY_CALL(%rsi)
	jne	.Lby_call_\name
.Lcounted_\name:
	pop_frame \name
	finish	KIND_LEAVE
	pop_frame_cold \name
.Lby_call_\name:
	cmpl	$1, FRAME_BY_CALL(%rsi)
	jne	.Lcharged_\name
	movq	$0, FRAME_BY_CALL(%rsi)
	mov	FRAME_NODE(%rsi), %rdi
	incq	NODE_CALLS_BY_CALL(%rdi)
	jmp	.Lcounted_\name
	end	\name, KIND_LEAVE, \sp
	.endm

	.macro	call_handler name, sp
	begin	\name
	lea	SAVED+\sp+1(%rsp), %rdi
	cmp	%rdi, FRAME_SP(%rsi)
	jbe	.Lcharged_\name
	nopl_addr 0
	push_frame \name, \sp+1
	nopl_addr 7
	mov	%rax, FRAME_BYTES+FRAME_PENDING(%rsi)
	movq	$1, FRAME_BYTES+FRAME_BY_CALL(%rsi)
	add	$FRAME_BYTES, %rsi
	mov	%rsi, THREAD_TOP(%rcx)
	finish	KIND_CALL
	push_frame_cold \name
	end	\name, KIND_CALL, \sp
	.endm

	.macro	call_indirect_handler name, sp
	begin	\name
	lea	SAVED+\sp+1(%rsp), %rdi
	cmp	%rdi, FRAME_SP(%rsi)
	jbe	.Lcharged_\name
	mov	SAVED+8(%rsp), %rax
	push_frame \name, \sp+1
	movq	$1, FRAME_BYTES+FRAME_PENDING(%rsi)
	movq	$1, FRAME_BYTES+FRAME_BY_CALL(%rsi)
	add	$FRAME_BYTES, %rsi
	mov	%rsi, THREAD_TOP(%rcx)
	finish	KIND_CALL
	push_frame_cold \name
	end	\name, KIND_CALL_INDIRECT, \sp
	.endm

	.macro	return_handler name, sp
	begin	\name
	lea	SAVED+\sp+1(%rsp), %rdi
	cmp	%rdi, FRAME_SP(%rsi)
	ja	.Lleft_\name
	jne	.Lcharged_\name
	cmpq	$0, FRAME_OS_INCLUSIVE(%rsi)
	jne	.Lcharged_\name
	cmpl	$1, FRAME_BY_CALL(%rsi)
	jne	.Lcharged_\name
	movq	$0, FRAME_BY_CALL(%rsi)
	movq	$0, FRAME_PENDING(%rsi)
	mov	FRAME_NODE(%rsi), %rdi
	incq	NODE_CALLS_BY_CALL(%rdi)
	pop_frame \name
	finish	KIND_RETURN
	pop_frame_cold \name
	/* the callee has reported itself, and left */
.Lleft_\name:
	add	%rdx, FRAME_EXCLUSIVE(%rsi)
	add	%rdx, THREAD_NOW_TICKS(%rcx)
	finish	KIND_RETURN
	end	\name, KIND_RETURN, \sp
	.endm

	enter_handler		probes_enter, 8
	leave_handler		probes_leave, 8
	call_handler		probes_call, 0
	call_indirect_handler	probes_call_indirect, 8
	return_handler		probes_return, 0
	/* for stubs that have pushed the flags */
	enter_handler		probes_below_flags_enter, 16
	leave_handler		probes_below_flags_leave, 16
	call_handler		probes_below_flags_call, 8
	call_indirect_handler	probes_below_flags_call_indirect, 16
	return_handler		probes_below_flags_return, 8

	/*
	 * rcx thread file, rsi top frame, rax key: rdi = the child of the top's node, or 0. The
	 * others are kept.
	 */
	.balign	16
	.type	find_child, @function
find_child:
	.cfi_startproc
	.cfi_def_cfa_offset 16+SAVED
	push	%rax
	push	%rdx
	push	%rcx
	push	%rsi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	.cfi_def_cfa_offset 80+SAVED
	mov	%rcx, %rdi
	mov	FRAME_NODE(%rsi), %rsi
	mov	%rax, %rdx
	call	accumulate_find
	mov	%rax, %rdi
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rsi
	pop	%rcx
	pop	%rdx
	pop	%rax
	.cfi_def_cfa_offset 16+SAVED
	ret
	.cfi_endproc
	.size	find_child, .-find_child

	/* rax ticks or 0, edx place; the rest of a handler */
	.balign	16
	.type	general, @function
general:
	.cfi_startproc
	.cfi_def_cfa_offset 8+SAVED
	push	%rbp
	.cfi_def_cfa_offset 16+SAVED
	.cfi_offset %rbp, -16-SAVED
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	lea	8+SAVED(%rbp), %rdi
	mov	%rax, %rsi
	and	$-16, %rsp
	call	probes_general
	lea	-32(%rbp), %rsp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rbp
	.cfi_def_cfa %rsp, 8+SAVED
	pop	%rdi
	pop	%rsi
	pop	%rcx
	pop	%rdx
	pop	%rax
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	general, .-general

	.section .note.GNU-stack,"",@progbits
