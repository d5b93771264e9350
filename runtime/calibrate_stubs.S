/*
 * An instrumented function and an instrumented call in the shape of abi/module.h, to measure the
 * probes with: calibrate_entered calls an empty function with ENTER and LEAVE BATCH_CALLS (16)
 * times, calibrate_called an empty function without, between CALL and RETURN.
 */
	.macro	probe slot
	cmpb	$0, arm(%rip)
	jne	10\@f
11\@:
	.subsection 1
10\@:
	call	*calibrate_slots+8*\slot(%rip)
12\@:
	jmp	11\@b
	.if	\slot == 0
	.org	12\@b+8, 0xcc
	.long	function - . - 4
	.long	arm - . - 4
	.endif
	.if	\slot == 2
	.org	12\@b+8, 0xcc
	.long	leaf - . - 4
	.long	arm - . - 4
	.endif
	.previous
	.endm

	.data
	.balign	64
	.globl	calibrate_slots
	.hidden	calibrate_slots
	.type	calibrate_slots, @object
calibrate_slots:
	.zero	32
	.size	calibrate_slots, 32
arm:	.byte	1

	.text
	.balign	64
	.type	function, @function
function:
	probe	0
	probe	1
	ret
	.size	function, .-function

	.balign	16
	.type	leaf, @function
leaf:
	ret
	.size	leaf, .-leaf

	.balign	64
	.globl	calibrate_entered
	.hidden	calibrate_entered
	.type	calibrate_entered, @function
calibrate_entered:
	.cfi_startproc
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	.rept	16
	call	function
	.endr
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	calibrate_entered, .-calibrate_entered

	.globl	calibrate_called
	.hidden	calibrate_called
	.type	calibrate_called, @function
calibrate_called:
	.cfi_startproc
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	.rept	16
	probe	2
	call	leaf
	probe	3
	.endr
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	calibrate_called, .-calibrate_called
	.section .note.GNU-stack,"",@progbits
