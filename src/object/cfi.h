/*
 * The unwind rows of one FDE: its call-frame program, interpreted. DWARF 5, section 6.4, with the
 * GNU extensions (args_size, window_save is refused).
 */
#ifndef TARE_OBJECT_CFI_H
#define TARE_OBJECT_CFI_H

#include "object/object.h"

enum { CFI_REGISTERS = 17 }; /* 16 general registers by DWARF number, and the return address */

enum cfi_rule_kind {
	CFI_SAME, /* not mentioned, or DW_CFA_same_value */
	CFI_UNDEFINED,
	CFI_OFFSET,	/* at CFA + offset */
	CFI_VAL_OFFSET, /* is CFA + offset */
	CFI_REGISTER,	/* in register `offset` */
	CFI_EXPRESSION, /* at the address that the expression gives */
	CFI_VAL_EXPRESSION,
};

struct cfi_rule {
	enum cfi_rule_kind kind;
	int64_t offset;			 /* bytes (factored offsets are multiplied out) */
	const unsigned char *expression; /* borrowed from the object */
	size_t expression_size;
};

struct cfi_state {
	/* CFA = register + offset, or an expression when cfa.kind is CFI_EXPRESSION. */
	struct cfi_rule cfa; /* kind CFI_OFFSET: cfa.offset with cfa_register */
	unsigned cfa_register;
	uint64_t args_size;
	struct cfi_rule registers[CFI_REGISTERS];
};

struct cfi_row {
	uint64_t addr; /* first link address at which the state holds */
	struct cfi_state state;
};

struct cfi_rows vec_of(struct cfi_row);

/*
 * Appends the rows of `fde`, ascending, the first at fde->begin. Rows of equal address are merged
 * (the last wins), equal neighbours too. False (with err) for a malformed or unknown program, and
 * for rules of other registers (xmm6…xmm15 in functions of the Windows convention).
 */
bool cfi_rows_read(const struct object_fde *fde, struct cfi_rows *rows, struct error *err);
/* The same, but `*other_register` gets one such register, or 0, and the rows leave them out. */
bool cfi_rows_read_known(const struct object_fde *fde, struct cfi_rows *rows,
			 uint64_t *other_register, struct error *err);

/* The row that holds at `addr`, or NULL. */
const struct cfi_row *cfi_row_at(const struct cfi_rows *rows, uint64_t addr);

bool cfi_rule_equal(const struct cfi_rule *a, const struct cfi_rule *b);
/* Whether both define the frame address in the same way. */
bool cfi_cfa_equal(const struct cfi_state *a, const struct cfi_state *b);
bool cfi_state_equal(const struct cfi_state *a, const struct cfi_state *b);

#endif
