/*
 * The rewriter's view of one file while it is at work: ranges (one FDE's code each), units (ranges
 * that share code), and what is known of them. Inside src/rewrite only.
 *
 *   ranges.c      FDEs -> ranges, decoded
 *   units.c       who jumps into whom -> units; cold parts
 *   select.c      what is wanted and possible -> verdicts
 *   flow.c        liveness of flags and registers
 *   labels.c      where indirect jumps of a unit may lead
 *   jump_table.c  indirect jumps whose table is proven
 *   emit*.c       code of one range, with fixups
 *   place.c       addresses, fixups applied, tables, maps
 *   output.c      unwind data, note, entry jumps -> the new file
 */
#ifndef TARE_REWRITE_PROGRAM_H
#define TARE_REWRITE_PROGRAM_H

#include "insn/insn.h"
#include "object/cfi.h"
#include "rewrite/copy.h"
#include "rewrite/rewrite.h"

/* What stands in the code for an address that is known only when everything has its place. */
enum fixup_kind {
	FIXUP_CODE,	 /* rel32 to original code: its copy, or the original */
	FIXUP_CODE_JUMP, /* the same for a jump: one to the own entry skips the entry probe */
	FIXUP_ADDRESS,	 /* rel32 to a link address as it is */
	FIXUP_ARM,	 /* rel32 to the arming byte of this range's function */
	FIXUP_SITE_ARM,	 /* rel32 to the arming byte of call site `target` of this range */
	FIXUP_SYSCALL_ARM,
	FIXUP_SLOT,  /* rel32 to the slot at offset `target` of struct tare_slots */
	FIXUP_TABLE, /* disp32: new table number `target` minus its base, or its address */
	FIXUP_MAP,   /* rel32 to the dense map of range number `target` */
};

struct fixup {
	uint32_t position; /* of the four bytes, in the range's code */
	uint8_t kind;
	uint8_t trailing; /* bytes of the instruction behind the four */
	uint64_t target;
};

struct range;

enum table_kind {
	TABLE_OFFSETS,	 /* 32-bit offsets from a base register */
	TABLE_ADDRESSES, /* 64-bit addresses, read by absolute address */
	TABLE_POINTERS,	 /* 64-bit addresses by relocation, read through a base register: the copy
			    has 32-bit offsets from the base in their place */
};

/* A jump table of which the copy gets its own. */
struct jump_table {
	enum table_kind kind;
	uint64_t source;		 /* address of the original */
	uint64_t base;			 /* what the base register holds; 0 for TABLE_ADDRESSES */
	struct vec_of(uint64_t) targets; /* original addresses */
	const struct range *from;	 /* where the jump stands */
	uint64_t copy_addr;
};

/* How an indirect jump is handled. */
enum jump_way {
	JUMP_LEAVES,	/* a tail call: exit probe, then as it was */
	JUMP_TABLE,	/* goes through a copied table */
	JUMP_TRANSLATE, /* through the dense map */
};

struct indirect_jump {
	uint32_t insn;	     /* index in the range */
	uint32_t table_insn; /* JUMP_TABLE: the instruction that reads the table */
	uint32_t table;	     /* JUMP_TABLE: index in program.tables */
	/* TABLE_POINTERS: the operand's registers, and the one that gets the pointer */
	uint8_t base_register, index_register, read_register;
	enum jump_way way;
	bool may_leave; /* the stack is as at the function's entry: may be a tail call */
	/* JUMP_TRANSLATE: scratch registers proven dead, or REG_NONE: save registers */
	uint8_t scratch_a, scratch_b;
};

struct range {
	uint64_t begin, end;
	const struct object_fde *fde;
	const char *name;
	struct insn *insns;
	uint32_t insn_count;
	uint32_t *index;  /* per byte: 1 + index of the instruction that begins there, or 0 */
	uint64_t padding; /* bytes of filler behind the end */
	size_t unit;
	uint32_t slot; /* its place among the unit's ranges */
	enum rewrite_verdict verdict;
	bool decoded; /* all bytes are instructions that can be moved */
	bool entry;   /* functions begin here; else a cold part */
	bool called;  /* by a direct call */
	bool has_jump_indirect;
	bool has_syscall;
	bool returns_flags; /* some caller uses the flags it leaves */
	bool copied;
	uint32_t function; /* number of its arming byte */
	struct vec_of(uint64_t) landing_pads;
	struct vec_of(uint32_t) labels; /* offsets where indirect jumps may lead */
	struct vec_of(struct indirect_jump) jumps;

	/* made by emit_range */
	struct byte_vec code;
	uint32_t *copy_offset; /* per instruction */
	uint32_t body_offset;  /* behind the entry probe */
	uint32_t stubs_offset;
	struct vec_of(struct fixup) fixups;
	struct vec_of(struct copy_extra) extras; /* copy_addr is an offset until placed */
	uint32_t site_count;			 /* call sites with probes */
	uint32_t first_site;			 /* number of the first one in the file */

	/* made by place */
	uint64_t copy_addr, map_addr;
	bool needs_map;
};

struct unit {
	struct vec_of(uint32_t) ranges;
	bool has_labels;
	bool incomplete; /* has code that no known label or branch leads to */
	bool liveness_known;
	uint16_t clobbers; /* caller-saved registers that it, or what it calls, may write */
	uint16_t dead_strict, dead_medium, dead_soft; /* at all labels, under three assumptions */
};

struct branch {
	uint64_t from, to;
	bool call;
};

struct program {
	const struct object *object;
	const struct rewrite_options *options;
	struct rewrite_statistics *statistics;
	struct arena arena;
	struct vec_of(struct range) ranges; /* ascending */
	struct vec_of(struct unit) units;
	struct vec_of(struct branch) branches; /* by target */
	struct vec_of(struct jump_table) tables;
	struct map landing_pads;  /* addresses of all of them */
	const uint64_t *pointers; /* code pointers of the file's data */
	size_t pointer_count;

	/* placing */
	uint64_t slots_addr, arm_addr, rw_size;
	uint64_t image_addr;
	uint32_t function_count, site_count, syscall_count;
	struct byte_vec image;
	uint64_t code_begin, code_end;
};

enum { ENTRY_JUMP_BYTES = 5 };

/* Where the jump to the copy goes over the original; endbr64 stays before it. */
static inline uint64_t range_patch_addr(const struct range *range)
{
	return range->insns[0].is_endbr ? insn_end(&range->insns[0]) : range->begin;
}

/* Link address behind what the image holds so far. */
static inline uint64_t image_end(const struct program *program)
{
	return program->image_addr + program->image.len;
}

/* ---- ranges.c ---- */
bool program_read_ranges(struct program *program, struct error *err);
/* The range that covers `addr`, or NULL. */
struct range *program_range(const struct program *program, uint64_t addr);
/* The instruction that begins at `addr`, or NULL; *range gets its range. */
struct insn *program_insn(const struct program *program, uint64_t addr, struct range **range);
/* Whether the file's data points to `addr`. */
bool program_is_pointed_to(const struct program *program, uint64_t addr);
/* Index of the first of the data's code pointers that is not below `addr`. */
size_t program_first_pointer(const struct program *program, uint64_t addr);
const unsigned char *insn_bytes(const struct program *program, const struct insn *insn);

/* ---- units.c ---- */
void program_find_units(struct program *program);

/* ---- select.c ---- */
void program_select(struct program *program);

/* ---- flow.c ---- */
/* Whether the arithmetic flags may be used by the code from `addr` on. */
bool flags_live(const struct program *program, uint64_t addr);
void program_find_clobbers(struct program *program);
/* Fills the dead_* sets of the unit: registers that no label's code reads. */
void unit_find_liveness(struct program *program, struct unit *unit);

/* ---- labels.c ---- */
void unit_find_labels(struct program *program, struct unit *unit);

/* ---- jump_table.c ---- */
/* Decides the way of every indirect jump of the unit. */
void unit_plan_jumps(struct program *program, struct unit *unit);

/* ---- emit.c ---- */
void emit_range(struct program *program, struct range *range);

/* Whether a branch from `range` to `target` stays in copied code of the same function. */
bool branch_is_inside(const struct program *program, const struct range *range, uint64_t target);

/* ---- place.c ---- */
bool program_place(struct program *program, struct error *err);
/* Link address of the copy of original code, or `addr` itself where there is none. */
uint64_t copied_code(const struct program *program, uint64_t addr, const struct range *jump_from);

/* ---- output.c ---- */
bool program_output(struct program *program, struct byte_vec *out, struct error *err);

#endif
