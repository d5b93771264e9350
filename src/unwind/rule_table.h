/*
 * The unwind rules of one ELF file in a form that is searched and applied without memory of its
 * own: one block of bytes without pointers, made once per file, that any process may map.
 *
 *   header | starts, ascending | rule of each start | rules | programs
 *
 * A start is the link address, less `base`, of the first instruction of a row; the row reaches to
 * the next start. Rows of equal rules are one row, code without unwind information has the rule
 * UNWIND_RULE_NONE.
 */
#ifndef TARE_UNWIND_RULE_TABLE_H
#define TARE_UNWIND_RULE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNWIND_TABLE_MAGIC   0x646e69776e757274ULL /* "trunwind" */
#define UNWIND_TABLE_VERSION 2

/* DWARF's numbers of the registers (System V ABI, AMD64 supplement, figure 3.36). */
enum unwind_register {
	UNWIND_RAX,
	UNWIND_RDX,
	UNWIND_RCX,
	UNWIND_RBX,
	UNWIND_RSI,
	UNWIND_RDI,
	UNWIND_RBP,
	UNWIND_RSP,
	UNWIND_R8,
	UNWIND_R9,
	UNWIND_R10,
	UNWIND_R11,
	UNWIND_R12,
	UNWIND_R13,
	UNWIND_R14,
	UNWIND_R15,
	UNWIND_RA, /* return address; of a frame: where it is */
	UNWIND_REGISTERS
};

/* Registers that functions preserve: what nearly all rules are about. */
enum unwind_saved {
	UNWIND_SAVED_RBX,
	UNWIND_SAVED_RBP,
	UNWIND_SAVED_R12,
	UNWIND_SAVED_R13,
	UNWIND_SAVED_R14,
	UNWIND_SAVED_R15,
	UNWIND_SAVED_COUNT
};

enum unwind_rule_flags {
	UNWIND_SIGNAL_FRAME = 1, /* the caller was interrupted: its address is exact */
	UNWIND_OUTERMOST = 2,	 /* the return address is undefined: the thread's first frame */
	/* Not of the form below: cfa_offset is the offset of a program among the programs. */
	UNWIND_BY_PROGRAM = 4,
	/* From what the code does: to be believed where it leads behind a call. */
	UNWIND_FROM_CODE = 8,
};

/*
 * CFA = cfa_register + cfa_offset; the return address is at CFA - 8, the caller's rsp is the CFA, a
 * preserved register is at CFA + saved[], or what it was.
 */
struct unwind_rule {
	int32_t cfa_offset;
	uint8_t cfa_register;
	uint8_t flags;
	int16_t saved[UNWIND_SAVED_COUNT]; /* UNWIND_SAME: not saved */
	uint16_t zero;			   /* rules are compared byte by byte */
};

#define UNWIND_SAME INT16_MIN
#define UNWIND_RULE_NONE                                                                           \
	0 /* index of the rule of code that has none; its contents mean nothing                    \
	   */

/* Code at the entry point of a file that is taken for its function where nothing else is known. */
enum { UNWIND_ENTRY_BYTES = 256 };

/*
 * A program: first the CFA, then registers, each an item; ended by UNWIND_ITEM_END. An expression
 * is DWARF's, its length as a word of two bytes before it.
 */
enum unwind_item {
	UNWIND_ITEM_END,
	UNWIND_ITEM_CFA,	    /* register, int32 offset */
	UNWIND_ITEM_CFA_EXPRESSION, /* expression */
	UNWIND_ITEM_UNDEFINED,	    /* register */
	UNWIND_ITEM_AT,		    /* register, int32 offset: at CFA + offset */
	UNWIND_ITEM_IS,		    /* register, int32 offset: CFA + offset */
	UNWIND_ITEM_REGISTER,	    /* register, register */
	UNWIND_ITEM_AT_EXPRESSION,  /* register, expression: at the address that it gives */
	UNWIND_ITEM_IS_EXPRESSION,  /* register, expression */
	UNWIND_ITEM_KINDS
};

struct unwind_table {
	uint64_t magic;
	uint32_t version;
	uint32_t row_count;
	uint64_t base; /* link address that starts are relative to */
	uint32_t rule_count;
	uint32_t program_bytes;
	uint64_t size_bytes; /* of the whole block */
};

_Static_assert(sizeof(struct unwind_rule) == 20, "layout of files");
_Static_assert(sizeof(struct unwind_table) == 40, "layout of files");

/* Whether `size_bytes` bytes at `table` are a table whose parts lie inside it and refer to parts
   that exist: only such a table may be used. */
bool unwind_table_check(const struct unwind_table *table, size_t size_bytes);

/* The rule at a link address; NULL where there is none. */
const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t link_addr);

/* The programs of a table that has been checked. */
const unsigned char *unwind_table_programs(const struct unwind_table *table);

#endif
