/*
 * The rewriter's view of one file while it is at work: ranges (one FDE's code each), units (ranges
 * that share code), and what is known of them. Inside src/rewrite only.
 *
 *   pass.c        pieces on all workers, progress
 *   foreign.c     what forbids copying anything of a file
 *   extents.c     FDEs, and symbols where there are none -> ranges
 *   ranges.c      ranges -> instructions, branches
 *   lookup.c      addresses -> ranges, instructions
 *   judge.c       what forbids copying a range, whatever the others are
 *   units.c       who jumps into whom -> units; cold parts
 *   select.c      what is wanted and possible -> verdicts
 *   noreturn.c    functions behind whose calls control does not go on
 *   flow.c        liveness of flags and registers
 *   labels.c      where indirect jumps of a unit may lead
 *   label_jumps.c  jumps at labels in the original, and pointers at labels in data
 *   jump_table.c  indirect jumps whose table is proven
 *   escapes.c     calls behind which control may not go on
 *   graph*.c      instructions of a unit -> blocks and edges, and how often they may run
 *   spanning.c    which of them get a counter
 *   unroll.c      loops whose rounds are counted by several at once
 *   companion.c   code of another file that comes along
 *   emit*.c       code of one range, with fixups; filler (emit_filler.c)
 *   place*.c      addresses, fixups applied, tables, maps, flow graphs
 *   output.c      unwind data, note, entry jumps -> the new file
 */
#ifndef TARE_REWRITE_PRIVATE_H
#define TARE_REWRITE_PRIVATE_H

#include "insn/insn.h"
#include "object/cfi.h"
#include "rewrite/companion.h"
#include "rewrite/copy.h"
#include "rewrite/rewrite.h"

/* What stands in the code for an address that is known only when everything has its place. */
enum fixup_kind {
	FIXUP_CODE,	 /* rel32 to original code: its copy, or the original */
	FIXUP_CODE_JUMP, /* the same for a jump: one to the own entry skips the entry probe */
	FIXUP_CODE_BODY, /* rel32 behind the entry's counter of the copy of what begins at `target`
			  */
	FIXUP_ADDRESS,	 /* rel32 to a link address as it is */
	FIXUP_ARM,	 /* rel32 to the arming byte of this range's function */
	FIXUP_SITE_ARM,	 /* rel32 to the arming byte of call site `target` of this range */
	FIXUP_SYSCALL_ARM,
	FIXUP_COUNTER,	    /* rel32 to the counter of this range's function */
	FIXUP_SITE_COUNTER, /* rel32 to the counter of call site `target` of this range */
	FIXUP_EDGE_COUNTER, /* rel32 to number `target` of this range's edge counters */
	FIXUP_BODY_COUNTER, /* rel32 to that of number `target` of this range's body calls */
	FIXUP_SLOT,	    /* rel32 to the slot at offset `target` of struct tare_slots */
	FIXUP_TABLE,	 /* disp32: new table `target` of the unit minus what its register holds */
	FIXUP_MAP,	 /* rel32 to the dense map of range number `target` */
	FIXUP_MAP_FROM,	 /* disp32: its map of distances from the original, minus where that begins
			  */
	FIXUP_COMPANION, /* rel32 to address `target` of the companion */
};

struct fixup {
	uint32_t position; /* of the four bytes, in the range's code */
	uint8_t kind;
	uint8_t trailing; /* bytes of the instruction behind the four */
	uint64_t target;
};

/* What the entries of a range's dense map are relative to. */
enum map_kind {
	MAP_FROM_MAP,	   /* to the map */
	MAP_FROM_ORIGINAL, /* each to its own original address, for jumps through a register */
	MAP_KINDS
};

struct range;

enum table_kind {
	TABLE_OFFSETS,	 /* 32-bit offsets, read through a register, from it or a label */
	TABLE_ADDRESSES, /* 64-bit addresses, read by absolute address */
	TABLE_POINTERS,	 /* 64-bit addresses by relocation, read through a base register: the copy
			    has 32-bit offsets from the base in their place */
};

/* A jump table of which the copy gets its own. */
struct jump_table {
	enum table_kind kind;
	uint64_t source;		 /* address of the original */
	uint64_t base;			 /* that entries are relative to; 0 for TABLE_ADDRESSES */
	struct vec_of(uint64_t) targets; /* original addresses */
	const struct range *from;	 /* where the jump stands */
	uint32_t within;		 /* 1 + number of the table whose end this is, 0 if none */
	uint64_t copy_addr;
};

/* How an indirect jump is handled. */
enum jump_way {
	JUMP_LEAVES,	/* a tail call: exit probe, then as it was */
	JUMP_TABLE,	/* goes through a copied table */
	JUMP_TRANSLATE, /* through the dense map */
	JUMP_BY_LABELS, /* as it was, through the original's labels: see label_jumps.c */
};

struct indirect_jump {
	uint32_t insn;	     /* index in the range */
	uint32_t table_insn; /* JUMP_TABLE: the instruction that reads the table */
	uint32_t table;	     /* JUMP_TABLE: index in the unit's tables */
	/* TABLE_POINTERS: the operand's registers, and the one that gets the pointer */
	uint8_t base_register, index_register, read_register;
	enum jump_way way;
	bool may_leave; /* the stack is as at the function's entry: may be a tail call */
	bool has_frame; /* rbp holds the frame's address */
	/* JUMP_TRANSLATE: scratch registers proven dead, or REG_NONE: save registers. A jump
	   through a register needs and has only the first, which may be its own. */
	uint8_t scratch_a, scratch_b;
};

/* Where a counter of executions stands, in the order in which those of an instruction come. */
enum count_place {
	COUNT_BEFORE, /* the instruction */
	COUNT_TAKEN,  /* on the way that its branch takes */
	COUNT_NEXT,   /* behind it, where only what comes from it passes */
};

struct edge_counter {
	uint32_t insn;
	uint8_t place; /* enum count_place */
	bool flags_live;
	/* COUNT_TAKEN: copies of the loop's block, see unroll.c. As many counters follow, for the
	   instructions where these are left; they add to the word of this one. */
	uint8_t copies;
	uint8_t behind; /* it is the one so many behind that counter; else 0 */
};

/* A jump that replaces bytes of the original where a label is. */
struct label_jump {
	uint64_t addr; /* it leads to the copy of this instruction */
	uint64_t by;   /* 0, or where the long jump stands that a short one at `addr` leads to */
};

/* It may lead to any label of its unit. */
static inline bool jump_goes_to_labels(const struct indirect_jump *jump)
{
	return jump->way == JUMP_TRANSLATE || jump->way == JUMP_BY_LABELS;
}

/* A call with probes, or a jump that is one. */
struct call_site {
	uint64_t target; /* T of abi/module.h, or 0 */
	uint32_t insn;
};

/* A call through the PLT, as it leaves this file: in the stubs, at these offsets of the copy. */
struct far_call {
	uint32_t insn;
	uint32_t begin, end;
};

/* Which bytes of a range begin an instruction. */
struct insn_index {
	uint8_t *within;  /* per byte: 1 + number of the instruction in its block, or 0 */
	uint32_t *before; /* per block: instructions that begin before it */
};

enum { INDEX_BLOCK_BYTES = 64 };

struct range {
	uint64_t begin, end;
	const struct object_fde *fde; /* its addr is 0 where there is none: a symbol's extent */
	const char *name;
	struct insn *insns;
	uint32_t insn_count;
	struct insn_index index;
	uint64_t padding; /* bytes of filler behind the end */
	size_t unit;
	uint32_t slot; /* its place among the unit's ranges */
	enum rewrite_verdict verdict;
	bool decoded; /* all bytes are instructions that can be moved */
	bool entry;   /* functions begin here; else a cold part */
	bool called;  /* by a direct call */
	bool has_jump_indirect;
	bool has_syscall;
	bool uses_gs;
	bool unwind_is_known; /* its unwind and exception tables can be carried over */
	bool returns_flags;   /* some caller uses the flags it leaves */
	bool window_is_read;  /* code takes or reads an address inside the entry jump's bytes */
	bool label_is_taken;  /* code takes the address of an instruction behind the first */
	bool label_is_shared; /* that data points at, too */
	bool code_is_read;    /* code reads bytes of it as data */
	bool small;	      /* only counted */
	bool copied;
	uint32_t function; /* number of its arming byte */
	struct vec_of(uint64_t) landing_pads;
	struct vec_of(uint32_t) labels;		   /* offsets where indirect jumps may lead */
	struct vec_of(struct indirect_jump) jumps; /* ascending */
	struct vec_of(struct edge_counter) edge_counters; /* ascending by instruction and place */

	/* made by emit_range; the elements lie in the worker's arena */
	struct byte_vec code;
	uint64_t code_hash;			   /* of the code before it is placed */
	uint32_t *copy_offset;			   /* per instruction */
	uint32_t body_offset;			   /* behind the entry probe */
	uint32_t stubs_offset, probe_stubs_offset; /* of calls, of branches; then probes */
	struct vec_of(struct fixup) fixups;
	struct vec_of(struct copy_extra) extras; /* copy_addr is an offset until placed */
	struct vec_of(struct call_site) sites;
	struct vec_of(uint64_t) body_calls;	  /* calls behind the counters of these functions */
	struct vec_of(struct far_call) far_calls; /* ascending by offset; so are the instructions */
	uint32_t probe_count, live_flags_count;
	uint32_t first_site;			      /* number of the first one in the file */
	uint32_t first_edge_counter, first_body_call; /* the same */
	uint32_t syscall_count;

	/* made by place */
	uint64_t copy_addr, map_addr[MAP_KINDS];
	bool needs_map[MAP_KINDS];
};

struct unit {
	struct vec_of(uint32_t) ranges;
	struct vec_of(struct jump_table) tables;
	bool has_labels;
	bool returns;	     /* to its callers, as far as is known */
	bool incomplete;     /* has code that no known label or branch leads to */
	bool escapes;	     /* it may be left other than by its return: see escapes.c */
	struct graph *graph; /* of executions; NULL: they are not counted */
	bool liveness_known;
	bool labels_planned; /* and label_jumps found, or none */
	struct vec_of(struct label_jump) label_jumps;
	bool labels_move;		 /* data may point at their copies */
	uint64_t searched, entries_read; /* for jump tables, which has its limits */
	uint16_t clobbers; /* caller-saved registers that it, or what it calls, may write */
	uint16_t dead_strict, dead_medium, dead_soft; /* at all labels, under three assumptions */
};

struct branch {
	uint64_t from, to;
	bool call;
};

/* Addresses of the poison handlers in the companion. */
struct poison_handlers {
	uint64_t plain;
	uint64_t call_indirect;
};

struct branch_vec vec_of(struct branch);

/* What one thread fills; statistics are summed at the end. */
struct worker {
	struct arena arena;   /* lives as long as the program */
	struct range emitted; /* the vectors in which a copy grows: see emit_range */
	struct rewrite_statistics statistics;
};

struct program {
	const struct object *object;
	const struct rewrite_options *options;
	struct rewrite_statistics *statistics;
	struct arena arena;
	struct worker *workers;
	unsigned thread_count;
	struct vec_of(struct range) ranges; /* ascending */
	/* What the file has from the first range on, up to the end of its segment: most code. */
	const unsigned char *text;
	uint64_t text_begin, text_size;
	uint32_t *hints; /* per block of 1 << hint_shift bytes from the first range on: the number
			    of ranges that begin at or before the block's begin; and one more */
	size_t hint_count;
	unsigned hint_shift;
	struct vec_of(struct unit) units;
	struct branch_vec branches; /* by target; see concerns_others in branches.c */
	struct companion companion;
	struct poison_handlers poison;
	const uint64_t *pointers; /* code pointers of the file's data */
	size_t pointer_count;

	/* placing */
	uint64_t slots_addr, arm_addr, counters_addr, counted_addr, rw_size;
	uint64_t file_addr; /* of the file's first byte, if it were of the image as the last is */
	uint64_t note_addr; /* of struct tare_module */
	uint64_t flow_addr; /* of struct tare_flow; 0: there is none */
	bool numbered;	    /* the call sites are: see first_site */
	uint32_t function_count, site_count, syscall_count, edge_counter_count, body_call_count;
	struct byte_vec file; /* the new one; it grows by the image, at its end */
	uint64_t code_begin, code_end;
};

enum {
	LINE_BYTES = 64, /* modulo which copies keep places: see emit_filler.c */
	ENTRY_JUMP_BYTES = 5,
	ENTRY_WINDOW_BYTES = 4 + ENTRY_JUMP_BYTES, /* endbr64 and the jump */
};

/* Original address of the first entry of its maps. They begin behind the first byte of a function:
   that one is a target outside. */
static inline uint64_t range_map_begin(const struct range *range)
{
	return range->begin + range->entry;
}

/* Where the jump to the copy goes over the original; endbr64 stays before it. */
static inline uint64_t range_patch_addr(const struct range *range)
{
	return range->insns[0].is_endbr ? insn_end(&range->insns[0]) : range->begin;
}

/* Number `i` of the unit's ranges. */
static inline struct range *unit_range(const struct program *program, const struct unit *unit,
				       size_t i)
{
	return &program->ranges.data[unit->ranges.data[i]];
}

/* One of its ranges ends there. */
static inline bool unit_ends_at(const struct program *program, const struct unit *unit,
				uint64_t addr)
{
	for (size_t i = 0; i < unit->ranges.len; i++) {
		if (unit_range(program, unit, i)->end == addr)
			return true;
	}
	return false;
}

static inline bool range_is_in_unit(const struct program *program, const struct range *range,
				    const struct unit *unit)
{
	return &program->units.data[range->unit] == unit;
}

/* Link address behind what the image holds so far. */
static inline uint64_t image_end(const struct program *program)
{
	return program->file_addr + program->file.len;
}

/* Probes run by themselves, against handlers of the companion. */
static inline bool program_poisons(const struct program *program)
{
	return program->options->mode == REWRITE_POISON;
}

/* Only where functions have probes. */
static inline bool program_counts(const struct program *program)
{
	return program->options->mode != REWRITE_NULL && !program->options->syscalls_only;
}

/* One for each arming byte of a function or call site, then those of edges, or of body calls. */
static inline uint64_t program_counter_count(const struct program *program)
{
	return program_counts(program)
		       ? (uint64_t)program->function_count + program->site_count +
				 program->edge_counter_count + program->body_call_count
		       : 0;
}

/* Link address of an exported symbol of the companion, once it has its place; 0 if there is none.
 */
uint64_t program_companion_symbol(const struct program *program, const char *name);

/* ---- foreign.c ---- */
/* False, with the reason, if the file as a whole must stay as it is. */
bool runtime_allows_copies(const struct object *object, struct error *err);

/* Number of the instruction that begins `offset` bytes into a decoded range, plus 1; else 0. */
static inline uint32_t range_insn_number(const struct range *range, uint64_t offset)
{
	const uint8_t within = range->index.within[offset];

	return within ? range->index.before[offset / INDEX_BLOCK_BYTES] + within : 0;
}

/* Tells the caller how much of all is done, a fraction of 1. */
void program_report(const struct program *program, double done);

/* Runs `run` on all threads over [0, count); its context is the program. While passes run in
   parallel, each writes only to its own ranges or units, and to its worker. */
void program_run(struct program *program, void (*run)(void *, unsigned, size_t, size_t),
		 size_t count);
/* Pieces of that size are handed out. */
enum { PROGRAM_PIECE = 256 };

/* ---- extents.c ---- */
/* Fills program->ranges, ascending. */
bool program_find_extents(struct program *program, struct error *err);

/* ---- ranges.c ---- */
bool program_read_ranges(struct program *program, struct error *err);
static inline const unsigned char *insn_bytes(const struct program *program,
					      const struct insn *insn)
{
	const uint64_t offset = insn->addr - program->text_begin;

	return offset < program->text_size ? program->text + offset
					   : object_at(program->object, insn->addr, insn->length);
}

/* ---- branches.c ---- */
/* Adds those that other ranges need to know of. */
void branches_of_range(const struct range *range, struct branch_vec *branches);
/* Fills program->branches, of the ranges' as they are in all pieces but the last, which is empty,
   and of other code. */
void program_gather_branches(struct program *program, struct branch_vec *pieces, size_t count);

/* ---- lookup.c ---- */
/* Call it when all ranges are there; the others need it. */
void program_index_ranges(struct program *program);
/* The range that covers `addr`, or NULL. */
struct range *program_range(const struct program *program, uint64_t addr);
/* The last range that begins at or before `addr`, or NULL. */
struct range *program_range_before(const struct program *program, uint64_t addr);
/* The instruction that begins at `addr`, or NULL; *range gets its range. */
struct insn *program_insn(const struct program *program, uint64_t addr, struct range **range);
/* Whether the file's data points to `addr`. */
bool program_is_pointed_to(const struct program *program, uint64_t addr);
/* The indirect jump that instruction `number` of the range is, or NULL. */
const struct indirect_jump *range_jump_at(const struct range *range, uint32_t number);
/* Index of the first of the data's code pointers that is not below `addr`. */
size_t program_first_pointer(const struct program *program, uint64_t addr);

/* Index of the first of the program's branches that leads to `addr` or behind it. */
size_t program_first_branch_to(const struct program *program, uint64_t addr);

/* ---- judge.c ---- */
void program_judge_ranges(struct program *program);

/* ---- units.c ---- */
void program_find_units(struct program *program);

/* ---- select.c ---- */
void program_select(struct program *program);

/* ---- noreturn.c ---- */
/* Sets `returns` of all units. */
void program_find_noreturn(struct program *program);
/* Whether control may go on behind the instruction: insn_falls_through, but for such calls. */
bool control_goes_on(const struct program *program, const struct insn *insn);

/* ---- escapes.c ---- */
/* Sets `escapes` of all units; the ways of their jumps are known. */
void program_find_escapes(struct program *program);
/* Whether control may go on behind the call fewer or more times than it came there. */
bool call_escapes(const struct program *program, const struct insn *call);

/* ---- flow.c ---- */
/* Whether the arithmetic flags may be used by the code from `addr` on. */
bool flags_live(const struct program *program, uint64_t addr);
/* Marks the functions after whose return some caller uses the flags; precedes flags_live. */
void program_find_returned_flags(struct program *program);
void program_find_clobbers(struct program *program);
/* Fills the dead_* sets of the unit: registers that no label's code reads. */
void unit_find_liveness(const struct program *program, struct unit *unit);

/* ---- labels.c ---- */
void unit_find_labels(struct program *program, struct unit *unit);

/* ---- label_jumps.c ---- */
/* Finds room in the original for a jump to the copy at each label of the unit, as they are known
   by now; none, if some label has no room. */
void unit_plan_label_jumps(const struct program *program, struct unit *unit);
/* Whether data may point at the copies of the unit's labels; the ways of its jumps are known. */
void unit_move_labels(const struct program *program, struct unit *unit);
/* Whether a word of data that the loader makes point at `addr` may get the address of the copy. */
bool label_moves(const struct program *program, uint64_t addr);

/* ---- jump_table.c ---- */
/* Decides the way of every indirect jump of the unit. */
void unit_plan_jumps(struct program *program, struct unit *unit, struct worker *worker);

/* ---- emit.c ---- */
/* Whether a jump from `range` to the target stays in the copy of its unit, and calls nothing. */
bool branch_is_inside(const struct program *program, const struct range *range, uint64_t target);
/* emit_probe.c: whether the call has a counter. */
bool call_is_counted(const struct program *program, const struct range *range,
		     const struct insn *call);
/* May be called again, when the call sites are numbered. */
void emit_range(struct program *program, struct range *range, struct worker *worker);
/* Whether something in the range has a counter alone: see rewrite_options.bare. */
bool range_has_bare(const struct program *program, const struct range *range);

/* ---- place.c ---- */
bool program_place(struct program *program, struct error *err);
/* place_counters.c: what the counters count, and the flow graphs, into the image. */
void program_place_counters(struct program *program);
/* The counter of a fixup of one of the three kinds. */
uint64_t fixup_counter_addr(const struct program *program, const struct range *range,
			    const struct fixup *fixup);
/* Link address of the copy of original code, or `addr` itself where there is none. */
uint64_t copied_code(const struct program *program, uint64_t addr, const struct range *jump_from);

/* ---- output.c ---- */
/* Makes the file, from what the passes before have found. */
bool program_output(struct program *program, struct error *err);

#endif
