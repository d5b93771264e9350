/*
 * The handlers (abi/module.h): the usual course of each event as a straight line behind rdtsc. It
 * is accumulate_event for the case that nothing has to be made or unwound; everything is checked
 * before anything but the clock is written, and what is not usual goes to probes_general.
 *
 *   rcx thread file   rdx top, then the other node   rax clock   rsi scratch
 *
 * rdtsc hides nothing here, so what counts is the number of instructions. Four registers are
 * saved; flags are free at a probe; vector state is never touched. With them saved, rsp is the
 * place of an ENTER's frame (tare_node.sp); `place` is what other handlers add to it.
 *
 * The gate holds rsp while a probe is at work: a signal handler's probes then drop their events.
 * One that runs between rdtsc and the gate has moved the clock past the time read: this shows in
 * what every handler checks last, that nothing has interrupted it. Where the selector in %es tells
 * (see os_flag.h) it is the signal itself; elsewhere a clock that would step back.
 */
#include "runtime/offsets.h"

#define SAVED 32 /* bytes pushed by `begin` */
#define PENDING (MARK_PENDING | MARK_BY_CALL)

	/* A debugger or a signal handler may unwind from any instruction. */
	.macro	save register
	push	\register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \register, 0
	.endm

	.macro	restore register
	pop	\register
	.cfi_adjust_cfa_offset -8
	.cfi_restore \register
	.endm

	/* The state behind `begin`, where another function goes on. */
	.macro	saved_state
	.cfi_def_cfa_offset 8+SAVED
	.cfi_offset %rax, -16
	.cfi_offset %rdx, -24
	.cfi_offset %rcx, -32
	.cfi_offset %rsi, -40
	.endm

	/*
	 * Closes the gate and moves the thread's clock to now: rax = the clock, rdx = top, rcx = the
	 * thread file.
	 */
	.macro	begin name, by
	.text
	.balign	64
	.type	\name\()_by_\by, @function
\name\()_by_\by:
	.cfi_startproc
	save	%rax
	save	%rdx
	save	%rcx
	save	%rsi
	mov	state_thread@gottpoff(%rip), %rcx
	mov	%fs:(%rcx), %rcx
	mov	state_process+PROCESS_RSEQ_OFFSET(%rip), %rsi
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	/*
	 * Has the kernel been here since the last probe? In a forked child, where the thread file is
	 * not mapped, rsi is 0 and the word is the one at %fs:0, which holds its own address.
	 */
	mov	state_session+SESSION_RSEQ_ARMED(%rip), %rdx
	cmp	%rdx, %fs:(%rsi)
	jne	.Lunready_\name\()_\by
	cmpq	$0, THREAD_GATE(%rcx)
	jne	.Lunready_\name\()_\by
	mov	%rsp, THREAD_GATE(%rcx)
	.ifc	\by, selector
	mov	%es, %edx
	cmp	$SELECTOR_ARMED, %edx
	jne	.Lgeneral_\name\()_\by
	sub	THREAD_LOST_TICKS(%rcx), %rax
	.else
	sub	THREAD_LOST_TICKS(%rcx), %rax
	lea	SHORT_TICKS(%rax), %rdx
	cmp	THREAD_NOW_TICKS(%rcx), %rdx
	js	.Lbackwards_\name\()_\by
	.endif
	mov	THREAD_TOP(%rcx), %rdx
	mov	%rax, THREAD_NOW_TICKS(%rcx)
	.endm

	/* Compares the sp of the node rdx with the place of this probe's frame. */
	.macro	compare_place place
	.if	\place == 0
	cmp	%rsp, NODE_SP(%rdx)
	.else
	lea	\place(%rsp), %rsi
	cmp	%rsi, NODE_SP(%rdx)
	.endif
	.endm

	/* The next interval begins with this probe's cost; opens the gate */
	.macro	finish kind
	mov	state_session+SESSION_COSTS+8*\kind(%rip), %rax
	add	%rax, THREAD_LOST_TICKS(%rcx)
	movq	$0, THREAD_GATE(%rcx)
	.cfi_remember_state
	restore	%rsi
	restore	%rcx
	restore	%rdx
	restore	%rax
	ret
	.cfi_restore_state
	.endm

	/* What is off the straight line, and the end of the function */
	.macro	end name, kind, place, by
.Lunready_\name\()_\by:
	xor	%eax, %eax
	jmp	.Lgeneral_\name\()_\by
	.ifc	\by, clock
.Lbackwards_\name\()_\by:
	add	THREAD_LOST_TICKS(%rcx), %rax
	jmp	.Lgeneral_\name\()_\by
	.endif
.Lcharged_\name\()_\by:
	mov	THREAD_NOW_TICKS(%rcx), %rax
	add	THREAD_LOST_TICKS(%rcx), %rax
.Lgeneral_\name\()_\by:
	mov	$(\kind | (\place+8) << PLACE_SP_SHIFT), %edx
	jmp	general
	.cfi_endproc
	.size	\name\()_by_\by, .-\name\()_by_\by
	.endm

	/* rsi = the address that word \number of the data behind the stub at rsi carries */
	.macro	stub_addr number, scratch
	movslq	STUB_DATA+4*\number(%rsi), \scratch
	lea	STUB_DATA+4*\number+4(%rsi,\scratch), %rsi
	.endm

	/*
	 * The child found last, rdx, was not reported by the stub at rsi. Is it the one that followed
	 * it before? Otherwise the top's child by its key from the stub's data, or the general path.
	 */
	.macro	find name, by
.Lother_\name\()_\by:
	mov	NODE_NEXT(%rdx), %edx
	add	%rcx, %rdx
	cmp	%rsi, NODE_STUB(%rdx)
	jne	.Lsearch_\name\()_\by
	mov	THREAD_TOP(%rcx), %rsi
	mov	%rdx, NODE_LAST_CHILD(%rsi)
	jmp	.Lfound_\name\()_\by
.Lsearch_\name\()_\by:
	stub_addr 0, %rdx
	search	\name, \by
	mov	SAVED(%rsp), %rsi
	mov	%rsi, NODE_STUB(%rdx)
	.endm

	/* rdx = the top's child with key rsi, or the general path */
	.macro	search name, by
	mov	THREAD_TOP(%rcx), %rdx
	mov	NODE_LAST_CHILD(%rdx), %rdx
	cmp	%rsi, NODE_KEY(%rdx)
	je	12f
	call	find_child
	test	%rdx, %rdx
	jz	.Lcharged_\name\()_\by
12:
	.endm

	/* A call of the node rdx begins at the clock rax; \mark is subtracted from its place. */
	.macro	begin_call place, mark
	mov	%rax, NODE_START(%rdx)
	.if	\place == \mark
	mov	%rsp, NODE_SP(%rdx)
	.else
	lea	\place-\mark(%rsp), %rsi
	mov	%rsi, NODE_SP(%rdx)
	.endif
	movq	$0, NODE_CHILD(%rdx)
	mov	%rdx, THREAD_TOP(%rcx)
	.endm

	/*
	 * Ends the call of the node rdx, which has no OS time, at the clock rax. It is taken off
	 * before its time is charged to the caller: see accumulate_repair.
	 */
	.macro	end_call name, by
	sub	NODE_START(%rdx), %rax
	sub	NODE_CHILD(%rdx), %rax
	/* application <= elapsed for each call, so these two bounds are the inner ones */
	cmp	NODE_ELAPSED_EXCLUSIVE_MIN(%rdx), %rax
	jb	.Lexclusive_\name\()_\by
	cmp	NODE_APPLICATION_EXCLUSIVE_MAX(%rdx), %rax
	ja	.Lexclusive_\name\()_\by
.Lexclusive_done_\name\()_\by:
	add	%rax, NODE_ELAPSED(%rdx)
	add	NODE_CHILD(%rdx), %rax
	cmp	NODE_ELAPSED_INCLUSIVE_MIN(%rdx), %rax
	jb	.Linclusive_\name\()_\by
	cmp	NODE_APPLICATION_INCLUSIVE_MAX(%rdx), %rax
	ja	.Linclusive_\name\()_\by
.Linclusive_done_\name\()_\by:
	incq	NODE_CALLS(%rdx)
	mov	NODE_PARENT(%rdx), %rdx
	mov	%rdx, THREAD_TOP(%rcx)
	add	%rax, NODE_CHILD(%rdx)
	.endm

	/* A call that was begun by CALL: counts as such, if its end will not go the general path. */
	.macro	count_by_call name, by
	mov	%rax, %rsi
	sub	NODE_START(%rdx), %rsi
	sub	NODE_CHILD(%rdx), %rsi
	js	.Lcharged_\name\()_\by
	incq	NODE_CALLS_BY_CALL(%rdx)
	.endm

	.macro	widen min, max
	cmp	\min(%rdx), %rax
	jae	10\@f
	mov	%rax, \min(%rdx)
10\@:	cmp	\max(%rdx), %rax
	jbe	11\@f
	mov	%rax, \max(%rdx)
11\@:
	.endm

	.macro	end_call_cold name, by
.Lexclusive_\name\()_\by:
	test	%rax, %rax	/* all its intervals were shorter than their probes' cost? */
	js	.Lcharged_\name\()_\by
	widen	NODE_ELAPSED_EXCLUSIVE_MIN, NODE_ELAPSED_EXCLUSIVE_MAX
	widen	NODE_APPLICATION_EXCLUSIVE_MIN, NODE_APPLICATION_EXCLUSIVE_MAX
	jmp	.Lexclusive_done_\name\()_\by
.Linclusive_\name\()_\by:
	widen	NODE_ELAPSED_INCLUSIVE_MIN, NODE_ELAPSED_INCLUSIVE_MAX
	widen	NODE_APPLICATION_INCLUSIVE_MIN, NODE_APPLICATION_INCLUSIVE_MAX
	jmp	.Linclusive_done_\name\()_\by
	.endm

	.macro	enter_handler name, place, by
	begin	\name, \by
	compare_place \place
	jbe	.Lbelow_\name\()_\by
	mov	NODE_LAST_CHILD(%rdx), %rdx
	mov	SAVED(%rsp), %rsi
	cmp	%rsi, NODE_STUB(%rdx)
	jne	.Lother_\name\()_\by
.Lfound_\name\()_\by:
	begin_call \place, 0
	finish	KIND_ENTER
	find	\name, \by
	jmp	.Lfound_\name\()_\by
	/* a pending call through a pointer, whose function reports itself once more? */
.Lbelow_\name\()_\by:
	lea	\place-PENDING(%rsp), %rsi
	cmp	%rsi, NODE_SP(%rdx)
	jne	.Lcharged_\name\()_\by
	cmpq	$0, NODE_SITE(%rdx)
	jne	.Lcharged_\name\()_\by
	mov	SAVED(%rsp), %rax
	cmp	%rax, NODE_STUB(%rdx)
	je	.Ljoined_\name\()_\by
	mov	NODE_ALIAS(%rdx), %esi
	cmp	%rax, NODE_STUB(%rcx,%rsi)
	jne	.Lcharged_\name\()_\by
	mov	NODE_START(%rdx), %rax
	mov	%rax, NODE_START(%rcx,%rsi)
	mov	NODE_CHILD(%rdx), %rax
	mov	%rax, NODE_CHILD(%rcx,%rsi)
	lea	(%rcx,%rsi), %rdx
.Ljoined_\name\()_\by:
	lea	\place-MARK_BY_CALL(%rsp), %rsi	/* no longer pending */
	mov	%rsi, NODE_SP(%rdx)
	mov	%rdx, THREAD_TOP(%rcx)
	finish	KIND_ENTER
	end	\name, KIND_ENTER, \place, \by
	.endm

	.macro	leave_handler name, place, by
	begin	\name, \by
	compare_place \place
	jne	.Lmarked_\name\()_\by
.Lcounted_\name\()_\by:
	end_call \name, \by
	finish	KIND_LEAVE
	end_call_cold \name, \by
.Lmarked_\name\()_\by:
	lea	\place-MARK_BY_CALL(%rsp), %rsi
	cmp	%rsi, NODE_SP(%rdx)
	jne	.Lcharged_\name\()_\by
	count_by_call \name, \by
	jmp	.Lcounted_\name\()_\by
	end	\name, KIND_LEAVE, \place, \by
	.endm

	.macro	call_handler name, place, by
	begin	\name, \by
	compare_place \place
	jbe	.Lcharged_\name\()_\by
	mov	NODE_LAST_CHILD(%rdx), %rdx
	mov	SAVED(%rsp), %rsi
	cmp	%rsi, NODE_STUB(%rdx)
	jne	.Lother_\name\()_\by
.Lfound_\name\()_\by:
	begin_call \place, PENDING
	finish	KIND_CALL
	find	\name, \by
	push	%rax
	.cfi_adjust_cfa_offset 8
	stub_addr 1, %rax
	pop	%rax
	.cfi_adjust_cfa_offset -8
	mov	%rsi, NODE_SITE(%rdx)
	jmp	.Lfound_\name\()_\by
	end	\name, KIND_CALL, \place, \by
	.endm

	.macro	call_indirect_handler name, place, by
	begin	\name, \by
	compare_place \place
	jbe	.Lcharged_\name\()_\by
	mov	NODE_LAST_CHILD(%rdx), %rdx
	mov	SAVED+8(%rsp), %rsi
	cmp	%rsi, NODE_KEY(%rdx)
	jne	.Lother_\name\()_\by
.Lfound_\name\()_\by:
	begin_call \place, PENDING
	finish	KIND_CALL
.Lother_\name\()_\by:
	search	\name, \by
	jmp	.Lfound_\name\()_\by
	end	\name, KIND_CALL_INDIRECT, \place, \by
	.endm

	.macro	return_handler name, place, by
	begin	\name, \by
	compare_place \place
	jbe	.Lat_\name\()_\by
	finish	KIND_RETURN		/* the callee has reported itself, and left */
.Lat_\name\()_\by:
	lea	\place-PENDING(%rsp), %rsi
	cmp	%rsi, NODE_SP(%rdx)
	jne	.Lcharged_\name\()_\by
	count_by_call \name, \by
	end_call \name, \by
	finish	KIND_RETURN
	end_call_cold \name, \by
	end	\name, KIND_RETURN, \place, \by
	.endm

	.macro	handlers by
	enter_handler		enter, 0, \by
	leave_handler		leave, 0, \by
	call_handler		call, -8, \by
	call_indirect_handler	call_indirect, 0, \by
	return_handler		return, -8, \by
	/* for stubs that have pushed the flags */
	enter_handler		below_flags_enter, 8, \by
	leave_handler		below_flags_leave, 8, \by
	call_handler		below_flags_call, 0, \by
	call_indirect_handler	below_flags_call_indirect, 8, \by
	return_handler		below_flags_return, 0, \by
	.endm

	handlers selector
	handlers clock

	/* struct tare_slots */
	.macro	slots by
	.section .data.rel.ro, "aw"
	.balign	8
	.globl	probes_by_\by
	.hidden	probes_by_\by
	.type	probes_by_\by, @object
probes_by_\by:
	.quad	enter_by_\by, leave_by_\by, call_by_\by, call_indirect_by_\by
	.quad	return_by_\by, probes_syscall
	.quad	below_flags_enter_by_\by, below_flags_leave_by_\by, below_flags_call_by_\by
	.quad	below_flags_call_indirect_by_\by, below_flags_return_by_\by, probes_syscall
	.size	probes_by_\by, .-probes_by_\by
	.text
	.endm

	slots	selector
	slots	clock

	/* rcx thread file, rsi key: rdx = the child of the top, or 0. The others are kept. */
	.balign	16
	.type	find_child, @function
find_child:
	.cfi_startproc
	save	%rax
	save	%rcx
	save	%rsi
	save	%rdi
	save	%r8
	save	%r9
	save	%r10
	save	%r11
	mov	%rcx, %rdi
	mov	%rsi, %rdx
	mov	THREAD_TOP(%rcx), %rsi
	call	accumulate_find
	mov	%rax, %rdx
	restore	%r11
	restore	%r10
	restore	%r9
	restore	%r8
	restore	%rdi
	restore	%rsi
	restore	%rcx
	restore	%rax
	ret
	.cfi_endproc
	.size	find_child, .-find_child

	/* rax ticks or 0, edx place; the rest of a handler */
	.balign	16
	.type	general, @function
general:
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
	/* Code that runs with the direction flag set is no place for functions to begin, but may. */
	pushfq
	cld
	lea	8+SAVED(%rbp), %rdi
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
	.size	general, .-general

	.section .note.GNU-stack,"",@progbits
