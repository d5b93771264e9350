/*
 * Instrumented functions and calls in the shapes of abi/module.h, to measure the probes with. Each
 * calibrate_… makes BATCH_CALLS (16) calls of an empty function: with ENTER and LEAVE in it, or
 * without, between CALL and RETURN. The byte calibrate_arm arms all of them.
 */
#include "runtime/base/offsets.h"

#define ENTER	      0
#define LEAVE	      1
#define CALL	      2
#define CALL_INDIRECT 3
#define RETURN	      4
#define SYSCALL	      6
#define BELOW_FLAGS   7 /* struct tare_slots: the same handlers once more */

	.macro	data slot, function, at
	.if	\slot == ENTER
	.org	\at+STUB_DATA, 0xcc
	.long	\function - . - 4
	.long	calibrate_arm - . - 4
	.endif
	.if	\slot == CALL
	.org	\at+STUB_DATA, 0xcc
	.long	leaf - . - 4
	.long	calibrate_arm - . - 4
	.endif
	.if	\slot == CALL_INDIRECT
	.org	\at+STUB_DATA_INDIRECT, 0xcc
	.long	calibrate_arm - . - 4
	.endif
	.endm

	.macro	stub_body slot, slots, call_end
	.if	\slot == CALL_INDIRECT
	push	leaf_addr(%rip)
	.endif
	.if	\slot == SYSCALL
	lea	-128(%rsp), %rsp
	.endif
	call	*calibrate_slots+8*(\slot+\slots)(%rip)
\call_end:
	.if	\slot == CALL_INDIRECT
	lea	8(%rsp), %rsp
	.endif
	.if	\slot == SYSCALL
	lea	128(%rsp), %rsp
	.endif
	.endm

	.macro	probe slot, function=leaf
	cmpb	calibrate_arm(%rip), %spl
	jb	10\@f
11\@:
	.subsection 1
10\@:
	stub_body \slot, 0, .Lcall_end\@
	jmp	11\@b
	data	\slot, \function, .Lcall_end\@
	.previous
	.endm

	.macro	probe_below_flags slot, function=leaf
	jmp	10\@f
11\@:
	.subsection 1
10\@:
	pushfq
	cmpb	calibrate_arm(%rip), %spl
	jae	13\@f
	stub_body \slot, BELOW_FLAGS, .Lcall_end\@
13\@:
	popfq
	jmp	11\@b
	data	\slot, \function, .Lcall_end\@
	.previous
	.endm

	.data
	.balign	64
	.globl	calibrate_slots
	.hidden	calibrate_slots
	.type	calibrate_slots, @object
calibrate_slots:
	.zero	2*8*BELOW_FLAGS
	.size	calibrate_slots, 2*8*BELOW_FLAGS
	.globl	calibrate_arm
	.hidden	calibrate_arm
calibrate_arm:
	.byte	0xff

	.section .data.rel.ro, "aw"
	.balign	8
leaf_addr:
	.quad	leaf

	.text
	.macro	function_with name, probe
	.balign	64
	.type	\name, @function
\name:
	\probe	ENTER, \name
	\probe	LEAVE
	ret
	.size	\name, .-\name
	.endm

	function_with function, probe
	function_with function_below_flags, probe_below_flags

	.balign	16
	.type	leaf, @function
leaf:
	ret
	.size	leaf, .-leaf

	.macro	batch_begin name
	.balign	64
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	.endm

	.macro	batch_end name
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	\name, .-\name
	.endm

	batch_begin calibrate_enter
	.rept	16
	call	function
	.endr
	batch_end calibrate_enter

	batch_begin calibrate_enter_flags
	.rept	16
	call	function_below_flags
	.endr
	batch_end calibrate_enter_flags

	batch_begin calibrate_call
	.rept	16
	probe	CALL
	call	leaf
	probe	RETURN
	.endr
	batch_end calibrate_call

	batch_begin calibrate_call_flags
	.rept	16
	probe_below_flags CALL
	call	leaf
	probe_below_flags RETURN
	.endr
	batch_end calibrate_call_flags

	batch_begin calibrate_call_indirect
	.rept	16
	probe	CALL_INDIRECT
	call	*leaf_addr(%rip)
	probe	RETURN
	.endr
	batch_end calibrate_call_indirect

	/* The handler looks at the number; no system call follows. */
	batch_begin calibrate_syscall
	mov	$39, %eax /* getpid */
	.rept	16
	probe	SYSCALL
	.endr
	batch_end calibrate_syscall

	/* 256 at a time; each of the counters is one of many, as a program's are. */
	.bss
	.balign	64
counters:
	.zero	16*8
	.text

	batch_begin calibrate_counters
	mov	$16, %eax
1:
	.set	counter, 0
	.rept	16
	incq	counters+8*counter(%rip)
	.set	counter, counter+1
	.endr
	dec	%eax
	jnz	1b
	batch_end calibrate_counters

	batch_begin calibrate_gates
	mov	$16, %eax
1:
	.rept	16
	cmpb	calibrate_arm(%rip), %spl
	jb	2f
	.endr
	dec	%eax
	jnz	1b
2:
	batch_end calibrate_gates

	.section .note.GNU-stack,"",@progbits
