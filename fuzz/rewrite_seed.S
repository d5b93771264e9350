/*
 * What the rewriter may meet in hand-written and in C++ code, as a seed to be damaged: functions
 * with a cold part, a table of offsets from a label, a computed goto through relocated pointers, a
 * lock prefix that is jumped over, loop and jrcxz, call/pop, a thread-local's call, tail calls of
 * all sorts, a signal frame, an indirect function, exception tables with types, filters and
 * cleanups. It is never run.
 */
	.text
	.globl odd_switch
	.type odd_switch, @function
odd_switch:
	.cfi_startproc
	endbr64
	cmp	$4, %edi
	ja	9f
	lea	table(%rip), %rdx
	mov	%edi, %edi
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	notrack jmp *%rax
1:	mov	$1, %eax
	ret
2:	jmp	odd_tail
3:	call	odd_loop
	jmp	9f
4:	test	%rsi, %rsi
	je	odd_tail
	jmp	odd_switch
9:	xor	%eax, %eax
	ret
	.cfi_endproc
	.size odd_switch, . - odd_switch
	.section .rodata
	.balign 4
table:	.long	1b - table, 2b - table, 3b - table, 4b - table, 9b - table
	.text

	.type odd_label_table, @function
odd_label_table:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	lea	label_table(%rip), %rbx
	movslq	(%rbx,%rdi,4), %rax
	lea	5f(%rip), %rcx
	add	%rcx, %rax
	jmp	*%rax
5:	mov	$3, %eax
	pop	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.cfi_restore_state
6:	mov	%rdi, %rax
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size odd_label_table, . - odd_label_table
	.section .rodata
	.balign 4
label_table: .long 0, 6b - 5b, 5b - 5b
	.text

	.type odd_goto, @function
odd_goto:
	.cfi_startproc
	lea	places(%rip), %r8
	movzbl	(%rdi), %eax
	jmp	*(%r8,%rax,8)
1:	inc	%rdi
	movzbl	(%rdi), %eax
	mov	(%r8,%rax,8), %rax
	jmp	*%rax
2:	mov	%rdi, %rax
	ret
3:	mov	(%rsi), %rax
	jmp	*8(%rax)
	.cfi_endproc
	.size odd_goto, . - odd_goto
	.section .data.rel.ro, "aw"
	.balign 8
places:	.quad	1b, 2b, 3b
	.text

	.type odd_loop, @function
odd_loop:
	.cfi_startproc
	mov	$9, %ecx
1:	loop	1b
	jrcxz	2f
	rep stosq
2:	cmpl	$0, %fs:24
	je	3f
	lock
3:	cmpxchg	%edx, (%rdi)
	jne	odd_cold
	ret
	.cfi_endproc
	.size odd_loop, . - odd_loop

	.section .text.unlikely, "ax"
	.type odd_loop.cold, @function
odd_loop.cold:
odd_cold:
	.cfi_startproc
	.cfi_def_cfa_offset 8
	call	stop@plt
	.cfi_endproc
	.size odd_loop.cold, . - odd_loop.cold
	.text

	.type odd_tail, @function
odd_tail:
	.cfi_startproc
	mov	(%rsi), %rax
	jmp	*%rax
	.cfi_endproc
	.size odd_tail, . - odd_tail

	.type odd_pc, @function
odd_pc:
	.cfi_startproc
	call	1f
1:	pop	%rax
	ret
	.cfi_endproc
	.size odd_pc, . - odd_pc

	.type odd_tls, @function
odd_tls:
	.cfi_startproc
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	data16 lea local@tlsgd(%rip), %rdi
	.value	0x6666
	rex64
	call	__tls_get_addr@plt
	pushfq
	.cfi_adjust_cfa_offset 8
	popfq
	.cfi_adjust_cfa_offset -8
	sete	%al
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size odd_tls, . - odd_tls
	.section .tbss, "awT", @nobits
	.globl local
local:	.zero	8
	.text

	.type odd_frame, @function
odd_frame:
	.cfi_startproc
	lea	8(%rsp), %r10
	.cfi_def_cfa 10, 0
	and	$-32, %rsp
	push	-8(%r10)
	push	%rbp
	mov	%rsp, %rbp
	.cfi_escape 0x10, 0x6, 0x2, 0x76, 0
	push	%r10
	.cfi_escape 0xf, 0x3, 0x76, 0x78, 0x6
	syscall
	call	*%rax
	pop	%r10
	.cfi_def_cfa 10, 0
	pop	%rbp
	lea	-8(%r10), %rsp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
	.size odd_frame, . - odd_frame

	nop
	.type odd_return, @function
odd_return:
	.cfi_startproc
	.cfi_signal_frame
	mov	$15, %eax
	syscall
	.cfi_endproc
	.size odd_return, . - odd_return

	.type odd_choose, @gnu_indirect_function
	.globl odd_choose
odd_choose:
	.cfi_startproc
	lea	odd_tail(%rip), %rax
	ret
	.cfi_endproc
	.size odd_choose, . - odd_choose

/* catch (T), a cleanup, an exception specification, a place from which nothing may be thrown */
	.type odd_throws, @function
	.globl odd_throws
odd_throws:
	.cfi_startproc
	.cfi_personality 0x9b, personality
	.cfi_lsda 0x1b, lsda
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
.Lb0:	call	odd_throws
.Le0:	mov	%rax, %rbx
.Lb1:	call	stop@plt
.Le1:	call	odd_loop
	mov	%rbx, %rax
	pop	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.cfi_restore_state
.Lp0:	cmp	$1, %rdx
	jne	.Lp2
	call	stop@plt
.Lp1:	call	odd_throws
	mov	%rax, %rdi
.Lp2:
.Lb2:	call	stop@plt
.Le2:	ud2
	.cfi_endproc
	.size odd_throws, . - odd_throws
	.section .gcc_except_table, "a"
	.balign 4
lsda:	.byte	0xff, 0x9b
	.uleb128 .Lt - .Lts
.Lts:	.byte	1
	.uleb128 .Lce - .Lcs
.Lcs:	.uleb128 .Lb0 - odd_throws
	.uleb128 .Le0 - .Lb0
	.uleb128 .Lp0 - odd_throws
	.uleb128 3
	.uleb128 .Lb1 - odd_throws
	.uleb128 .Le1 - .Lb1
	.uleb128 .Lp1 - odd_throws
	.uleb128 0
	.uleb128 .Lb2 - odd_throws
	.uleb128 .Le2 - .Lb2
	.uleb128 0
	.uleb128 0
.Lce:	.byte	2, 0	/* catch type 2 */
	.byte	1, 0x7d	/* catch type 1, then type 2 */
	.byte	0x7f, 0	/* filter */
	.balign 4
	.long	types - .
	.long	types + 8 - .
.Lt:	.byte	1, 2, 0
	.data
	.balign 8
	.hidden personality
personality: .quad __gxx_personality_v0
types:	.quad	type_info, 0
	.section .note.GNU-stack, "", @progbits
