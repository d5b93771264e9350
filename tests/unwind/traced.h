/*
 * A process that is traced, to be looked at when it stands still: its registers, and tare's stack
 * of it, found from what /proc says of its files as in a recording by attaching.
 */
#ifndef TARE_TESTS_UNWIND_TRACED_H
#define TARE_TESTS_UNWIND_TRACED_H

#include "sampler/processes.h"

#include <sys/types.h>
#include <sys/user.h>

enum { STACK_MAX = 1024 };

/* Addresses as a debugger shows them: of interrupted code exact, else those of return. */
struct stack {
	uint64_t at[STACK_MAX];
	size_t count;
	bool complete; /* the unwinder says that it has reached the first frame */
};

struct traced {
	pid_t pid;
	struct images *images;
	struct processes *processes;
};

/* Starts the command; it stands before its first instruction. False (errno) if it cannot. */
bool traced_start(struct traced *traced, char **command);
/* Kills what is left of it. */
void traced_end(struct traced *traced);
/* Its mappings have changed. */
void traced_look_again(struct traced *traced);
/* Both of a thread that stands still. */
bool traced_registers(pid_t tid, struct user_regs_struct *registers);
bool traced_unwind_registers(pid_t tid, struct unwind_registers *registers);
void traced_stack(struct traced *traced, pid_t tid, struct stack *stack);
/* What an address lies in, for people. Valid until the next call but three. */
const char *traced_name(struct traced *traced, uint64_t addr);
bool traced_word(pid_t pid, uint64_t addr, uint64_t *word);

#endif
