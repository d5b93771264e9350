/*
 * From the log of samples to rows of the profile: first processes, threads and events, then
 * everything that samples refer to. Where the instrumentation has rows of the same processes and
 * threads, samples are theirs; a process that it does not know gets rows of its own.
 */
#ifndef TARE_ASSEMBLE_SAMPLE_ASSEMBLE_H
#define TARE_ASSEMBLE_SAMPLE_ASSEMBLE_H

#include "abi/control.h"
#include "assemble/sample_builder.h"
#include "assemble/sample_log.h"
#include "session/recording_file.h"

/* A row that the instrumentation has written. */
struct sample_known_process {
	int64_t id, pid;
	uint64_t begin_ticks;
	const struct tare_control *control; /* NULL: collection was always on */
};

struct sample_input {
	const void *log; /* the bytes of the file */
	size_t log_bytes;
	const struct recording *recording;
	struct resolver *resolver;
	struct profile_writer *writer;
	const struct sample_known_process *processes;
	size_t process_count;
	const struct sample_known_thread *threads;
	size_t thread_count;
};

struct sample_output {
	struct vec_of(struct sample_known_process) rows; /* of processes; to be freed */
	size_t processes, threads;			 /* rows that were added */
	size_t running;					 /* processes that had not ended */
	struct sample_builder_counts built;		 /* of what was written */
	uint64_t last_ticks;				 /* the last time that the log knows of */
	bool damaged; /* the log ended in the middle of a record */
	struct sample_log_counts counts;
};

/* False with err when the profile cannot be written. An unreadable log is `damaged`. */
bool sample_assemble(const struct sample_input *input, struct sample_output *output,
		     struct error *err);

#endif
