/* The stack of a sample of perf.data, whichever way it is stored. */
#ifndef TARE_SAMPLER_PERF_STACK_H
#define TARE_SAMPLER_PERF_STACK_H

#include "sampler/perf_attrs.h"
#include "sampler/processes.h"
#include "sampler/sampler.h"

struct perf_stack {
	uint64_t kernel[SAMPLER_FRAMES_MAX];
	size_t kernel_count;
	struct unwind_frame frames[SAMPLER_FRAMES_MAX];
	struct unwind_stack user;
};

/* Whether the sample was taken while the processor executed a guest or a hypervisor. */
bool perf_sample_is_foreign(const struct perf_sample *sample);

/*
 * The frames of kernel and user code, innermost first, as struct sampler_sample has them. The
 * innermost one is the sample's own address.
 */
void perf_stack_read(struct perf_stack *stack, const struct perf_attr *attr,
		     const struct perf_sample *sample, const struct process *process);

#endif
