/*
 * insn: one x86-64 instruction, described as far as moving it and reasoning about registers needs.
 * The only user of Zydis.
 */
#ifndef TARE_INSN_INSN_H
#define TARE_INSN_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum insn_kind {
	INSN_PLAIN,	    /* falls through; may hold a relative target (xbegin) */
	INSN_BRANCH,	    /* conditional jump, relative */
	INSN_LOOP,	    /* loop, loope, loopne, jrcxz, jecxz: relative, 8 bits only */
	INSN_JUMP,	    /* unconditional jump, relative */
	INSN_JUMP_INDIRECT, /* through a register or memory */
	INSN_CALL,	    /* relative */
	INSN_CALL_INDIRECT,
	INSN_RETURN,
	INSN_TRAP, /* never falls through: ud2, hlt, iret… */
};

/* Register sets: bit n is register n in encoding order (rax rcx rdx rbx rsp rbp rsi rdi r8…r15). */
enum {
	REG_RAX,
	REG_RCX,
	REG_RDX,
	REG_RBX,
	REG_RSP,
	REG_RBP,
	REG_RSI,
	REG_RDI,
	REG_R8,
	REG_R9,
	REG_R10,
	REG_R11,
	REG_R12,
	REG_R13,
	REG_R14,
	REG_R15,
	REG_COUNT,
	REG_NONE = 255
};
#define REG_BIT(reg)	  (1u << (reg))
#define REGS_ALL	  0xffffu
#define REGS_CALLEE_SAVED 0xf038u /* rbx rsp rbp r12…r15 */
#define REGS_CALLER_SAVED 0x0fc7u
/* May carry arguments into a call: rdi rsi rdx rcx r8 r9, rax (al of varargs), r10 (static chain)
 */
#define REGS_ARGUMENTS 0x07c7u

/* Arithmetic flags. AF is left out: compilers never read it, and some instructions keep it. */
enum {
	FLAG_CARRY = 1,
	FLAG_PARITY = 2,
	FLAG_ZERO = 4,
	FLAG_SIGN = 8,
	FLAG_OVERFLOW = 16,
	FLAGS_ALL = 31,
};

struct insn {
	uint64_t addr;
	uint64_t target; /* branch target, or address of a rip-relative operand */
	uint16_t reads;	 /* registers read, address registers included */
	uint16_t writes; /* registers wholly and always written (32-bit writes count) */
	uint16_t merges; /* registers written in part, or under a condition; they are read, too */
	uint8_t length;
	uint8_t kind;	      /* enum insn_kind */
	uint8_t rip_offset;   /* offset of a rip-relative disp32; 0 if none */
	uint8_t modrm_offset; /* 0 if none */
	uint8_t rel_bits;     /* size of a relative target: 0, 8 or 32 */
	uint8_t rel_offset;
	uint8_t flags_read;    /* FLAG_* */
	uint8_t flags_written; /* always written, or left undefined */
	uint8_t jump_register; /* INSN_JUMP_INDIRECT through a register; else REG_NONE */
	bool is_nop : 1;
	bool is_syscall : 1;
	bool is_endbr : 1;
	bool is_lea : 1;
	bool prefix_lock : 1;
	bool uses_gs : 1; /* reads or changes the segment register, its base, or memory by it */
	bool is_landing_pad : 1; /* for the reader of the program: an exception may lead here */
};

/*
 * Decodes the instruction at `bytes` (at most `size` are read), which runs at `addr`. False for
 * bytes that are no instruction, and for those that cannot be moved (far and 16-bit branches,
 * eip-relative operands).
 */
bool insn_decode(const unsigned char *bytes, size_t size, uint64_t addr, struct insn *insn);

/* Whether control can go on to the next instruction. */
static inline bool insn_falls_through(const struct insn *insn)
{
	return insn->kind != INSN_JUMP && insn->kind != INSN_JUMP_INDIRECT &&
	       insn->kind != INSN_RETURN && insn->kind != INSN_TRAP;
}

/* A relative branch of any sort but a call. */
static inline bool insn_is_branch(const struct insn *insn)
{
	return insn->kind == INSN_BRANCH || insn->kind == INSN_JUMP || insn->kind == INSN_LOOP;
}

/* A relative target: of such a branch, of a direct call, or where an aborted transaction goes on.
 */
static inline bool insn_has_target(const struct insn *insn)
{
	return insn->rel_bits != 0;
}

static inline bool insn_is_call(const struct insn *insn)
{
	return insn->kind == INSN_CALL || insn->kind == INSN_CALL_INDIRECT;
}

static inline uint64_t insn_end(const struct insn *insn)
{
	return insn->addr + insn->length;
}

/* The parts of a memory operand [base + index * scale + disp]. */
struct insn_memory {
	uint8_t base, index; /* REG_NONE if absent; base REG_NONE with rip-relative operands too */
	uint8_t scale;
	int64_t disp;
	bool rip_relative;
	bool segment; /* fs or gs */
};

/* The forms that jump tables are built of; see rewrite/jump_table.c. */
enum insn_form {
	INSN_FORM_OTHER,
	INSN_FORM_LEA,	    /* destination = address */
	INSN_FORM_MOVSXD,   /* destination = sign-extended 32-bit memory */
	INSN_FORM_ADD,	    /* destination += source register */
	INSN_FORM_LOAD,	    /* destination = 64-bit memory */
	INSN_FORM_CMP_IMM,  /* compare register or memory with an immediate */
	INSN_FORM_JUMP_MEM, /* jmp [memory] */
};

struct insn_detail {
	enum insn_form form;
	uint8_t destination, source; /* registers or REG_NONE */
	uint8_t operand_bits;
	struct insn_memory memory;
	uint64_t immediate; /* CMP_IMM: zero-extended to the operand's size */
	uint8_t condition;  /* INSN_BRANCH: low four bits of the opcode */
};

/* Decodes the same bytes again in more depth. */
bool insn_describe(const unsigned char *bytes, const struct insn *insn, struct insn_detail *detail);

/* Another instruction to make of an operand: opcode, reg field of ModRM, REX.W. */
struct insn_operation {
	uint8_t opcode;
	uint8_t reg;
	bool wide;
};

/*
 * Re-encodes an indirect jump or call (ff /4, ff /2) as another instruction on the same operand.
 * Writes to `out` (room for 16 bytes); *rip_offset gets the offset of a rip-relative displacement,
 * or 0. Returns the length, 0 if the instruction has prefixes that do not carry over.
 */
size_t insn_reuse_operand(const unsigned char *bytes, const struct insn *insn,
			  struct insn_operation operation, unsigned char *out, size_t *rip_offset);

#endif
