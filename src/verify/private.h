/*
 * Inside src/verify only: the state of one comparison.
 *
 *   verify.c          ranges, the order of work, differences
 *   comparison.c      its state as the others see it
 *   range_walk.c      original and copy of one range side by side
 *   walk_steps.c      steps over what is expected in the copy
 *   probe.c           probes and stubs
 *   execution_counters.c  counters of executions
 *   loop_stub.c       copies of loops that count their rounds
 *   indirect.c        translated jumps and their maps, reads of jump tables
 *   original_labels.c  jumps in the original at labels
 *   tables.c          entries of jump tables
 *   rows.c            unwind rows and exception tables of copies
 *   records.c         the original's unwind records in the copy, and the sorted header
 *   unchanged.c       bytes, program headers, dynamic section
 *   static_program.c  what static executables have besides
 */
#ifndef TARE_VERIFY_PRIVATE_H
#define TARE_VERIFY_PRIVATE_H

#include "abi/module.h"
#include "insn/insn.h"
#include "object/cfi.h"
#include "object/lsda.h"
#include "verify/verify.h"

/* One instruction of a range; offsets from the begin of the range and of its copy. */
struct check_point {
	uint32_t offset, copy;
	uint32_t copy_end; /* filler may be met anywhere up to here; else equal to copy */
};

struct check_range {
	uint64_t begin, end;
	const struct object_fde *fde, *copy_fde; /* NULL: only a symbol tells of it */
	uint64_t copy_begin, copy_end;
	bool copied; /* the copy is known */
	bool entry;  /* the original entry jumps to the copy */
	bool part;   /* it begins with a label that does so, and nothing counts it */
	bool broken; /* a difference ended the walk: nothing else is known of it */
	bool walked;
	uint64_t arm_addr; /* of its function; 0 unknown */
	struct vec_of(struct check_point) points;
};

/* A transfer of control that can be judged when all ranges are known. */
struct check_target {
	uint64_t addr, copy_addr;	/* where it stands */
	uint64_t target, copy_target;	/* where it leads */
	const struct check_range *from; /* NULL: a call, which enters by the entry */
	bool behind_counter;		/* it leads behind what counts there, copy_target before */
};

enum check_table_kind { CHECK_OFFSETS, CHECK_ADDRESSES, CHECK_POINTERS };

struct check_table {
	enum check_table_kind kind;
	uint64_t addr, copy_addr; /* of the instruction that reads it */
	const struct check_range *from;
	unsigned base_register;
	int64_t disp, copy_disp;
	uint64_t base;	     /* found: what the base register holds */
	uint64_t label;	     /* found: what CHECK_OFFSETS are relative to, the base or a label */
	uint64_t copy_table; /* found; 0 if not */
};

struct check_map {
	uint64_t addr, copy_addr; /* of the jump */
	uint64_t first;		  /* original address of its first entry */
	uint64_t map_addr;
	bool from_original; /* entries are relative to their original addresses, else to the map */
};

/* Where the entry of `addr` leads, that is `distance`. */
static inline uint64_t check_map_target(const struct check_map *map, uint64_t addr,
					int32_t distance)
{
	return (map->from_original ? addr : map->map_addr) + (uint64_t)(int64_t)distance;
}

/* Addresses that an instruction of the range puts into a register: bases of tables. */
struct check_base {
	const struct check_range *range;
	uint64_t addr; /* of the instruction */
	uint64_t value;
	unsigned reg;
};

struct check {
	const struct object *original, *copy;
	struct verify_result *result;
	struct tare_module module;
	uint64_t slots_addr, arm_addr, arm_end; /* arm_end: behind the last arming byte */
	uint64_t counters_addr, counted_addr;
	uint64_t code_begin, code_end;
	struct check_counter *executions; /* behind those of call sites; NULL: there are none */
	bool poison;
	struct vec_of(struct check_range) ranges; /* ascending */
	struct vec_of(uint32_t) work;		  /* ranges to walk */
	struct vec_of(struct check_target) targets;
	struct vec_of(struct check_table) tables;
	struct vec_of(struct check_map) maps;
	struct vec_of(struct check_base) bases;
	struct map sites, enters; /* arming bytes that are taken */
	struct map claimed;	  /* begins of copies */
	struct map pads;	  /* original addresses where exceptions land */
};

/* ---- comparison.c ---- */
struct check_place {
	uint64_t addr, copy_addr; /* 0: none */
};

__attribute__((format(printf, 4, 5))) void check_report(struct check *check, enum verify_kind kind,
							struct check_place place,
							const char *format, ...);
#define check_differs(check, kind, addr, copy_addr, ...)                                           \
	check_report((check), (kind), (struct check_place){(addr), (copy_addr)}, __VA_ARGS__)
/* What is tried may prove to be wrong: what has been counted and reported since is taken back. */
struct check_kept {
	struct verify_counts counts;
	uint64_t difference_count;
	size_t differences;
};

struct check_kept check_keep(const struct check *check);
void check_restore(struct check *check, const struct check_kept *kept);
struct check_range *check_range_at(const struct check *check, uint64_t addr);
/* Where the jump to the copy would stand: behind an endbr64. */
uint64_t check_patch_addr(const struct check *check, const struct check_range *range);
/* Where control that would reach `target` may go in the copy. */
bool check_leads_to(const struct check *check, uint64_t target, const struct check_range *from,
		    uint64_t copy_target);

/* Whether the copy of the function begins with a counter of it, and nothing else of tare's. */
bool check_begins_with_counter(const struct check *check, uint64_t function);

/* ---- walk_steps.c; check_walk: range_walk.c ---- */

enum check_stub_kind { CHECK_STUB_BOUND, CHECK_STUB_FAR, CHECK_STUB_OTHER }; /* in this order */

struct check_stub {
	uint64_t begin, end;
	bool behind_gap; /* int3 may be before it */
	enum check_stub_kind kind;
};

struct walk {
	struct check *check;
	struct check_range *range;
	const unsigned char *original, *code; /* bytes of both */
	uint32_t size, at;		      /* of the copy; place in it */
	const struct insn *insn;	      /* the present original instruction */
	uint64_t filler;		      /* the first nop before it that was dropped, or 0 */
	struct cfi_rows rows, copy_rows;
	struct lsda lsda, copy_lsda;
	bool has_lsda;
	bool reached;	   /* control comes from the instruction before */
	bool landed;	   /* behind the probe of a landing pad, until the next instruction */
	bool left;	   /* behind a LEAVE probe, until the function is left */
	bool in_leave;	   /* in what may be its stub */
	bool probes_calls; /* as a function with probes does, and its parts */
	struct vec_of(struct check_stub) stubs; /* in order of their probes */
};

void check_walk(struct check *check, struct check_range *range);

/* Link address of the present place in the copy. */
static inline uint64_t walk_addr(const struct walk *walk)
{
	return walk->range->copy_begin + walk->at;
}
/* Steps over these bytes if they are next. */
bool walk_take(struct walk *walk, const void *bytes, size_t size);
#define walk_take_bytes(walk, ...)                                                                 \
	({                                                                                         \
		const unsigned char walk_bytes[] = {__VA_ARGS__};                                  \
		walk_take((walk), walk_bytes, sizeof(walk_bytes));                                 \
	})
/* Reads a displacement of four bytes. */
bool walk_take_disp(struct walk *walk, int32_t *disp);
/* Reads a distance of four bytes; the address that it leads to from behind it and `trailing`. */
bool walk_take_distance(struct walk *walk, unsigned trailing, uint64_t *target);
/* Steps over these bytes, but for a distance of four at `rip_offset` (if any) that leads to
 * `target`.
 */
bool walk_take_moved(struct walk *walk, const unsigned char *bytes, size_t size, size_t rip_offset,
		     uint64_t target);
/* The bytes of an original instruction of the range. */
const unsigned char *walk_insn_bytes(const struct walk *walk, const struct insn *insn);
/* Steps over an instruction that was made of the present one's operand. */
bool walk_take_reused(struct walk *walk, struct insn_operation operation);
/* Reports a difference at the present place, and returns false. */
__attribute__((format(printf, 3, 4))) bool walk_fails(struct walk *walk, enum verify_kind kind,
						      const char *format, ...);

/* ---- probe.c ---- */

enum check_probe_kind {
	CHECK_ENTER,
	CHECK_LEAVE,
	CHECK_CALL,
	CHECK_CALL_INDIRECT,
	CHECK_RETURN,
	CHECK_LANDING,
	CHECK_SYSCALL,
	CHECK_NO_PROBE,
	CHECK_WRONG_PROBE, /* reported */
};

struct check_probe {
	enum check_probe_kind kind;
	uint64_t arm_addr;
	bool arms_function;
};

/* Steps over a probe, if one is next, and checks it and its stub. `enters`: one of kind ENTER is
   possible here; `behind_call`: only RETURN is. */
struct check_probe probe_take(struct walk *walk, bool enters, bool behind_call);
/* Steps over the probe of a landing pad, if one is next; else nothing has happened. */
bool probe_take_landing(struct walk *walk);

/* Steps over what counts a function without probes. Where nothing does, a part of a function begins
   here, no entry. False: a difference. */
bool count_take(struct walk *walk);

/* Steps over the instruction that counts; *counter_addr gets where. */
bool count_take_insn(struct walk *walk, uint64_t *counter_addr);
/* The file says of the counter that it counts what is at `target` (0: not known), by the
   instruction at offset `at` of the copy. */
bool count_is_described(const struct walk *walk, uint64_t number, uint64_t target, uint32_t at);

/* Steps over what counts a call by the jump to `target`, if that is next. False: a difference. */
bool count_take_tail(struct walk *walk, uint64_t target);

/* Steps over what counts a call that has no probes, if that is next, where the stack is `depth`
   bytes deeper than before the call. False: a difference. */
bool count_take_call(struct walk *walk, int64_t depth, bool *found);

bool count_is_next(struct walk *walk);
/* Steps over what counts a call that goes behind the counter of `function`, with `depth` as above.
   False: a difference. */
bool count_take_body_call(struct walk *walk, int64_t depth, uint64_t function);

/* ---- execution_counters.c ---- */

enum check_execution {
	CHECK_NO_EXECUTION,
	CHECK_BEFORE, /* of a block, before one of its instructions */
	CHECK_TAKEN,  /* of its jump */
	CHECK_NEXT,   /* of going on behind it */
};

/* A counter of executions. */
struct check_counter {
	uint64_t begin; /* of the block */
	uint32_t size;
	enum check_execution kind;
	uint64_t copy_addr; /* of its instruction, once it was met */
};

/* Reads what the file says of its counters. False: it makes no sense. */
bool executions_begin(struct check *check);
/* Steps over a counter of that kind, if one is next: of the block that the instruction at `addr`
   belongs to (CHECK_BEFORE), or that ends there. False: a difference. */
bool executions_take(struct walk *walk, enum check_execution kind, uint64_t addr);

/* Around an instruction that adds to a counter of executions. */
struct check_addition {
	uint32_t begin, at; /* of all, and of the instruction */
	bool keeps_flags;
};

/* Steps over what keeps the flags, if that is next; and behind the addition over what gives them
   back. `like`: the original address whose unwind state holds. False: a difference. */
void addition_begin(struct walk *walk, struct check_addition *addition);
bool addition_end(struct walk *walk, const struct check_addition *addition, uint64_t like);

/* What the file must say of a counter: its instruction's place, and what it counts. */
struct check_claim {
	uint32_t at;
	uint64_t target;
};

/* The word is the counter of the present branch's being taken, and the instruction at offset `at`
   of the copy adds many to it. False: it is not. */
bool executions_claim_rounds(struct walk *walk, uint64_t word, uint32_t at);
/* The counter `behind` that one tells of the instruction at `at`, and of nothing else. */
bool executions_claim_exit(struct walk *walk, uint64_t word, uint32_t behind, uint32_t at);

/* ---- loop_stub.c ---- */

/* Steps over the stub of the present branch where it is that of a loop, up to the jump back to it;
   `behind`: the offset behind the branch's copy. *ok: there was no difference. False: it is no such
   stub; nothing was read. */
bool loop_stub_take(struct walk *walk, uint32_t behind, bool *ok);

/* ---- indirect.c ---- */

/* Steps over the translation of an indirect jump, if one is next. False: a difference. */
bool indirect_take_translation(struct walk *walk);
/* Steps over the read of a jump table that replaces the present instruction. */
bool indirect_take_table(struct walk *walk);
void indirect_check_maps(struct check *check);

/* ---- tables.c ---- */

void tables_check(struct check *check);

/* ---- rows.c ---- */

/* Reads what the walk needs; false: a difference. */
bool rows_begin(struct walk *walk);
void rows_end(struct walk *walk);
/* At offset `at` of the copy the state is that of the original address, `depth` bytes deeper. */
void rows_check(struct walk *walk, uint32_t at, uint64_t like, int64_t depth);
/* In filler it is that of any of the nops that it stands for, or of what follows the last one. */
void rows_check_filler(struct walk *walk, uint32_t at);
/* The instruction's copy at [begin, end) is handled as the original when something is thrown. */
void rows_check_call_site(struct walk *walk, const struct insn *insn, uint32_t begin, uint32_t end);
/* In the stubs nothing is caught. */
void rows_check_stubs(struct walk *walk, uint32_t begin, uint32_t end);
/* Personality routine, types, actions. */
void rows_check_tables(struct walk *walk);
/* Whether both name the same personality routine. */
bool rows_same_personality(const struct check *check, const struct object_cie *a,
			   const struct object_cie *b);

/* ---- records.c, unchanged.c ---- */

void records_check(struct check *check);
/* Direct branches and calls of code that was not copied and still runs: none may lead to the middle
   of a jump. */
void uncopied_branches_visit(struct check *check,
			     void (*visit)(struct check *check, const struct insn *branch,
					   void *context),
			     void *context);
/* Places in the file where the copy may differ. */
struct check_allowed {
	uint64_t offset, size;
};

struct check_allowances vec_of(struct check_allowed);

/* `at`: in the original's bytes. */
void check_allow(const struct check *check, struct check_allowances *allowances,
		 const unsigned char *at, uint64_t size);
void file_check(struct check *check);

/* ---- original_labels.c ---- */

/* Where the original has jumps at labels that are as they must be. */
void labels_allow(struct check *check, struct check_allowances *allowances);

/* ---- static_program.c ---- */

bool static_has_runtime(const struct check *check);
void static_check(struct check *check, struct check_allowances *allowances);

#endif
