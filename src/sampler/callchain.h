/* Stacks that the kernel has found by following frame pointers. */
#ifndef TARE_SAMPLER_CALLCHAIN_H
#define TARE_SAMPLER_CALLCHAIN_H

#include "sampler/processes.h"

struct callchains;

struct callchains *callchains_new(void);
void callchains_free(struct callchains *callchains);

/* The kernel's frames of a sample; returns their number. */
size_t callchain_kernel(const struct perf_sample *sample, uint64_t *addrs, size_t room);
/*
 * The user's frames. The kernel does not say why it went no further: the stack is complete
 * (UNWIND_ROOT) if its last frame is start code, which nobody has called; else UNWIND_NO_RULE, or
 * UNWIND_TOO_DEEP at the kernel's limit.
 */
void callchain_user(struct callchains *callchains, const struct process *process,
		    const struct perf_sample *sample, struct unwind_stack *stack);

#endif
