/* The emitter of one range's code: shared by emit*.c. */
#ifndef TARE_REWRITE_EMIT_H
#define TARE_REWRITE_EMIT_H

#include "rewrite/private.h"

enum probe_kind {
	PROBE_ENTER,
	PROBE_LEAVE,
	PROBE_CALL,
	PROBE_CALL_INDIRECT,
	PROBE_RETURN,
	PROBE_LANDING,
	PROBE_SYSCALL,
};

/* A probe, as its place in the code asks for it. */
struct probe {
	enum probe_kind kind;
	uint64_t like;		 /* original address whose unwind state holds here */
	const struct insn *insn; /* CALL_INDIRECT: the call */
	uint64_t target;	 /* CALL: T of abi/module.h */
	uint32_t site;		 /* CALL…RETURN: number of the call site in the range */
	bool flags_live;
};

enum stub_kind {
	STUB_PROBE,
	STUB_BRANCH, /* counts how often it is taken */
	STUB_CALL,   /* of a call through the PLT, where that leads to this file */
	STUB_FAR,    /* … and where it leads to another */
};

/* A stub that is still to be written. */
struct stub {
	enum stub_kind kind;
	struct probe probe; /* of a call: that before it, if is_probed */
	bool is_probed;
	bool is_compared;	 /* where the call stands; the stub need not */
	uint64_t callee, slot;	 /* of a call, and where it is bound */
	uint32_t call;		 /* offset of the rel32 that calls the stub */
	const struct insn *insn; /* the branch, or the call */
	uint32_t counter;	 /* of the branch, of the range's */
	uint32_t jump;		 /* offset of the rel32 that leads to it */
	uint32_t back;		 /* offset to come back to; of a branch or call, behind it */
};

/* An 8-bit branch inside the range, to be filled when all offsets are known. */
struct short_branch {
	uint32_t position; /* of the byte */
	uint32_t insn, target_insn;
};

struct emitter {
	struct program *program;
	struct range *range;
	struct vec_of(struct stub) stubs;
	struct vec_of(struct short_branch) shorts;
	unsigned char *is_long;	 /* per instruction: its branch does not fit into 8 bits */
	uint32_t *table_readers; /* per instruction, see find_table_readers; NULL without jumps */
	unsigned char *is_loop;	 /* per instruction, see find_loops */
	uint32_t next_edge_counter; /* of the range's */
	bool align_pending;
	bool leaves; /* of the unwind states that are noted: see struct copy_extra */
};

static inline uint32_t emit_offset(const struct emitter *emitter)
{
	return (uint32_t)emitter->range->code.len;
}

/* Appends four bytes that `kind` and `target` will fill. */
void emit_fixup(struct emitter *emitter, enum fixup_kind kind, uint64_t target, unsigned trailing);
/* Appends bytes given as arguments. */
#define emit_code(emitter, ...)                                                                    \
	do {                                                                                       \
		const unsigned char emit_bytes[] = {__VA_ARGS__};                                  \
		put_bytes(&(emitter)->range->code, emit_bytes, sizeof(emit_bytes));                \
	} while (0)
/* Notes the unwind state from here on; see struct copy_extra. */
void emit_state(struct emitter *emitter, uint64_t like, int32_t cfa_delta);
/* Bytes up to the next place that is that of `addr` modulo `line`. */
size_t emit_missing(const struct emitter *emitter, uint64_t addr, unsigned line);
/* Up to the next one in a line; control never comes through it. */
void emit_gap(struct emitter *emitter, uint64_t addr);
/* Copies the instruction with its rip-relative operand re-based. */
void emit_raw(struct emitter *emitter, const struct insn *insn);
/* Appends an instruction made by insn_reuse_operand. False if it cannot be made. */
bool emit_reused(struct emitter *emitter, const struct insn *insn, struct insn_operation operation);
/* The instruction that counts; the fixup is of one of the three kinds of counters. */
void emit_counter(struct emitter *emitter, enum fixup_kind kind, uint64_t target);
/* The one that adds so many rounds to number `target` of the range's edge counters. */
void emit_rounds(struct emitter *emitter, uint64_t target, uint8_t rounds);
/* Steps over the red zone, and back; `like` as of emit_state. */
enum { RED_ZONE_BYTES = 128 };
void emit_red_zone_begin(struct emitter *emitter, uint64_t like);
void emit_red_zone_end(struct emitter *emitter, uint64_t like);
/* add addend,to; jmp *reg */
void emit_add(struct emitter *emitter, unsigned to, unsigned addend);
void emit_jump_through(struct emitter *emitter, unsigned reg);
/* Fills the rel32 at `position` so that it leads to the present offset. */
void emit_land(struct emitter *emitter, uint32_t position);

/* emit_probe.c */
bool probes_functions(const struct emitter *emitter);
void emit_probe(struct emitter *emitter, const struct probe *probe);
/* Counts a call of a small function, which has no probes. */
void emit_count(struct emitter *emitter);
void emit_leave(struct emitter *emitter, uint64_t like, bool flags);
/* Counts a call by a jump, behind the probe of kind LEAVE, where the callee does not count it. */
void emit_tail_count(struct emitter *emitter, uint64_t like, uint64_t target, bool flags);
void emit_stubs(struct emitter *emitter);
/* The call, with its probes where it leaves instrumented code. */
void emit_call(struct emitter *emitter, const struct insn *insn);

/* emit_count.c: the counter of executions at this place, if there is one; `like` as of emit_state
 */
void emit_edge_count(struct emitter *emitter, uint32_t insn, enum count_place place, uint64_t like);
bool emits_edge_count(const struct emitter *emitter, uint32_t insn, enum count_place place);
/* The branch as it is, to a stub that counts and jumps where it leads. */
void emit_counted_branch(struct emitter *emitter, const struct insn *insn, unsigned char condition);
void emit_branch_stub(struct emitter *emitter, const struct stub *stub);

/* emit_filler.c */
/* Which instructions begin loops that have nothing inserted; mem_alloc'ed. */
unsigned char *find_loops(const struct program *program, const struct range *range);
/* The filler before the instruction; true if it is filler itself, and left out. */
bool emit_filler(struct emitter *emitter, uint32_t number);

/* emit_jump.c */
void emit_indirect_jump(struct emitter *emitter, const struct indirect_jump *jump);

#endif
