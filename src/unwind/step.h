/*
 * One step from a frame to its caller. Like the tables it uses nothing of the C library, no memory
 * of its own, and may run in a signal handler.
 */
#ifndef TARE_UNWIND_STEP_H
#define TARE_UNWIND_STEP_H

#include "unwind/rule_table.h"

struct unwind_registers {
	uint64_t value[UNWIND_REGISTERS];
	/* The address in value[UNWIND_RA] is where the frame was interrupted, not a return address.
	 */
	bool exact;
};

/* What can be read of the thread's memory: a copy of a part of its stack, and `read` for the rest.
 */
struct unwind_memory {
	uint64_t begin;	   /* run address of bytes[0] */
	size_t size_bytes; /* of the copy; 0: none */
	const void *bytes;
	/* Reads the word at `run_addr`, false if it cannot; NULL: there is no more than the copy.
	 */
	bool (*read)(void *context, uint64_t run_addr, uint64_t *word);
	void *context;
};

bool unwind_read(const struct unwind_memory *memory, uint64_t run_addr, uint64_t *word);

enum unwind_result {
	UNWIND_CALLER,	   /* the registers are the caller's */
	UNWIND_ROOT,	   /* the frame is the thread's first */
	UNWIND_NO_RULE,	   /* its code has no unwind information */
	UNWIND_UNREADABLE, /* memory that the rule needs cannot be read */
	UNWIND_STUCK,	   /* the caller would not lie above it */
	UNWIND_BROKEN,	   /* the rule's program makes no sense, or leads to what is no code */
	UNWIND_TOO_DEEP,   /* more frames than were asked for */
};

/*
 * Makes of the registers of a frame those of its caller, by the rule of its place; `programs` are
 * those of the rule's table. They are unchanged unless the result is UNWIND_CALLER.
 */
enum unwind_result unwind_apply(const struct unwind_rule *rule, const unsigned char *programs,
				struct unwind_registers *registers,
				const struct unwind_memory *memory);

/*
 * The same for code without unwind information that keeps a frame pointer: rbp points to the
 * caller's rbp, above it the return address.
 */
enum unwind_result unwind_step_frame_pointer(struct unwind_registers *registers,
					     const struct unwind_memory *memory);

/* Whether a call ends at `end`, before which `size` bytes are code: it can be a return address. */
bool unwind_is_behind_call(const unsigned char *end, size_t size);

/* The address that belongs to the call: of a return address, the last byte of the call. */
static inline uint64_t unwind_call_addr(const struct unwind_registers *registers)
{
	return registers->value[UNWIND_RA] - !registers->exact;
}

#endif
