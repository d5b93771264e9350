/*
 * sample_builder: samples of any collector → the tables location, stack, stack_value and
 * sample_chunk of a profile (profile/profile.h, "samples").
 *
 *   resolver_module(path) ─▶ resolver_location(module, link address)
 *                                 └▶ sample_builder_stack(caller's stack, location) … to the
 *                                    innermost frame
 *                                         └▶ sample_builder_add(thread, event, stack, time, weight)
 *   at the end: sample_builder_write
 *
 * All ids are those of the profile. Equal locations and stacks become one row, written when it is
 * first met; chunks are written as they fill. So memory grows with different stacks only, and these
 * have a limit, see SAMPLE_STACKS_MAX. Processes, threads and events are the caller's to add.
 *
 * Link addresses of frames: of the instruction that was at work; of a caller the last byte of the
 * call (its return address - 1), as unwind_frame.addr is. Where the run address is all that is
 * known (kernel, code made at run time, unknown memory) it stands for the link address.
 */
#ifndef TARE_ASSEMBLE_SAMPLE_BUILDER_H
#define TARE_ASSEMBLE_SAMPLE_BUILDER_H

#include "resolve/resolve.h"

/* Rows of table stack; a sample whose stack would need more is counted on stack 0, truncated. */
#define SAMPLE_STACKS_MAX (16u << 20)

struct sample_builder;

/* Both are borrowed until sample_builder_free. */
struct sample_builder *sample_builder_new(struct resolver *resolver, struct profile_writer *writer);
void sample_builder_free(struct sample_builder *builder);

/*
 * The stack of `location`, called from the stack `parent` (0: outermost). 0 with err when the
 * profile cannot be written; SAMPLE_STACK_NONE, which is passed on and taken by sample_builder_add,
 * when there is no room.
 */
#define SAMPLE_STACK_NONE INT64_MAX
int64_t sample_builder_stack(struct sample_builder *builder, int64_t parent, int64_t location,
			     struct error *err);

/*
 * Where a sample is in what stands for a linkage table's stub, its function's stack, called from
 * `stack`; where `callee`, the function's link address, is 0, `stack` itself. Returns as
 * sample_builder_stack.
 */
int64_t sample_builder_called(struct sample_builder *builder, int64_t stack,
			      struct resolve_module *module, uint64_t callee, struct error *err);

/* A row of a thread that was instrumented. */
struct sample_known_thread {
	int64_t id, process; /* ids */
	int32_t tid;
	uint64_t begin_ticks, end_ticks; /* end 0: unknown */
	bool shared;			 /* the row stands for several threads, by --max-threads */
};

/*
 * The thread's clock is read from its first probe to its last, that of the call that ends it:
 * samples before and behind are `unclocked`. Of a row that several threads share, the end is not
 * known. Threads that nothing is said of have no such clock.
 */
void sample_builder_clock(struct sample_builder *builder, const struct sample_known_thread *thread);

struct sample_builder_sample {
	int64_t thread, event;
	int64_t stack; /* 0: nothing of it could be read */
	uint64_t ticks;
	uint64_t weight; /* events that it stands for */
	/* Samples that were taken at once, it among them: they are of one draw. 0: it alone. */
	uint64_t at_once;
	bool truncated; /* the stack goes on beyond the root that is known */
};

/* Samples of a thread and event come in the order of time; one that does not counts at the time of
 * the one before it. */
bool sample_builder_add(struct sample_builder *builder, const struct sample_builder_sample *sample,
			struct error *err);

/*
 * Samples that were taken in tare's own code: they are only counted, for their thread those of the
 * event that was added first, of the time that its clock was read if it has one.
 */
void sample_builder_add_own(struct sample_builder *builder,
			    const struct sample_builder_sample *sample, uint64_t samples);

/*
 * As many samples as `at_once` says, each with its weight: reports count samples, and each has to
 * stand for as much as any other. `is_own`: they were taken in tare's own code.
 */
bool sample_builder_add_periods(struct sample_builder *builder,
				const struct sample_builder_sample *sample, bool is_own,
				struct error *err);

struct sample_builder_counts {
	uint64_t samples, truncated;
	uint64_t in_runtime;
	uint64_t without_room; /* of these: their stacks found no room */
};
const struct sample_builder_counts *sample_builder_counts(const struct sample_builder *builder);

/*
 * Writes what is left, and `row` with the numbers of samples kept, truncated and in tare's own
 * code. Nothing may be added afterwards.
 */
bool sample_builder_write(struct sample_builder *builder, struct profile_sampling row,
			  struct error *err);

#endif
