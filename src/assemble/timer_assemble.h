/*
 * From the runtime's own samples to rows of the profile: a file of samples is one thread's. Where
 * the instrumentation has a row of that thread, the samples are its; otherwise the thread gets one.
 */
#ifndef TARE_ASSEMBLE_TIMER_ASSEMBLE_H
#define TARE_ASSEMBLE_TIMER_ASSEMBLE_H

#include "assemble/sample_builder.h"
#include "session/timer_samples.h"

/* The process that a file of samples names, with its modules. */
struct timer_process {
	int64_t id; /* in the profile */
	const struct resolve_process *resolve;
	uint64_t end_ticks; /* 0: unknown */
};

struct timer_counts {
	uint64_t lost; /* samples */
	uint64_t unsampled_ns;
	uint64_t last_ticks;
	uint64_t damaged;
	/* Of all threads; in any number, as the files are anybody's. */
	double periods; /* that samples of the program stand for */
	double signals, tick_signals, handler_ticks;
};

struct timer_assembly {
	struct resolver *resolver;
	struct profile_writer *writer;
	struct sample_builder *builder;
	int64_t event;
	struct timer_counts counts;
	char jit_path[32]; /* of the process at hand */
	uint64_t samples;
	struct map cut; /* module's id → samples whose stacks have ended in it */
};

/* Adds the event, once. */
bool timer_assemble_begin(struct timer_assembly *assembly, uint64_t period_ns, struct error *err);

/*
 * All samples of an open file. `row`: that of its thread, NULL: add one. False with err when the
 * profile cannot be written.
 */
bool timer_assemble_thread(struct timer_assembly *assembly, struct timer_reader *reader,
			   const struct timer_process *process,
			   const struct sample_known_thread *row, struct error *err);

/*
 * Once all samples are there, or none has been: where stacks have ended in code without unwind
 * information, the next recording's follow what that does (timer_rules_follow_code).
 */
void timer_assemble_end(struct timer_assembly *assembly);

#endif
