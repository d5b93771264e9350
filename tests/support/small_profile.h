/*
 * Small profiles for tests, written through the writer. Nodes are given in order, their ids count
 * from 1; any failure ends the test program with the writer's message.
 */
#ifndef TARE_TESTS_SMALL_PROFILE_H
#define TARE_TESTS_SMALL_PROFILE_H

#include "profile/profile.h"

struct small_node {
	int64_t thread, parent, function;
	uint64_t calls, elapsed;
	enum tare_os_cause cause; /* of `os` ticks */
	uint64_t os;
	uint64_t blocked; /* beside them */
};

/* A writer with a session of 1 GHz, so that a tick is a nanosecond. */
struct profile_writer *small_profile_open(const char *path);
/* Unless ok, prints the sentence of `err` and ends the program with 1. */
void small_require(bool ok, const struct error *err);
/* The session alone, and a process's row, to be changed by the caller before they are written. */
struct profile_session small_profile_session(void);
struct profile_process small_process_row(int64_t pid, const char *name);
int64_t small_process(struct profile_writer *writer, int64_t pid, const char *name);
/* now_ticks and os_ticks have to be the sums over the thread's nodes. */
int64_t small_thread(struct profile_writer *writer, int64_t process, int64_t tid,
		     uint64_t now_ticks, uint64_t os_ticks);
/* The same with waits, which are part of `os`. */
struct small_times {
	uint64_t now, os, blocked, preempted;
};
int64_t small_thread_of(struct profile_writer *writer, int64_t process, int64_t tid,
			const struct small_times *times);
int64_t small_module(struct profile_writer *writer, const char *path);
int64_t small_function(struct profile_writer *writer, int64_t module, const char *name,
		       uint64_t link_addr);
void small_nodes(struct profile_writer *writer, const struct small_node *nodes, size_t count);
void small_profile_commit(struct profile_writer *writer);
/* With another method of the session than "instrument". */
void small_profile_commit_as(struct profile_writer *writer, const char *method);

/* ---- samples ---- */

int64_t small_event(struct profile_writer *writer, const char *name, const char *unit);
/* A stack of one more call, at link_addr of the function; returns its id. */
int64_t small_stack(struct profile_writer *writer, int64_t parent, int64_t function,
		    uint64_t link_addr);
/* The same at a location that is there. */
int64_t small_stack_at(struct profile_writer *writer, int64_t parent, int64_t location);
/* Of a struct profile_stack_value; weight 0: as small_samples has it. */
#define SMALL_VALUE(thread_, event_, stack_, samples_, weight_, truncated_)                        \
	{                                                                                          \
		.thread = (thread_), .event = (event_), .stack = (stack_), .samples = (samples_),  \
		.weight = (weight_), .truncated = (truncated_)                                     \
	}
/* A millisecond of weight each, where it has none. */
void small_samples(struct profile_writer *writer, const struct profile_stack_value *row);
/* A sample of a chunk: ticks since the one before, stack, weight. */
struct small_sample {
	uint64_t later, stack, weight;
};
void small_chunk(struct profile_writer *writer, struct profile_sample_chunk row,
		 const struct small_sample *samples);

#endif
