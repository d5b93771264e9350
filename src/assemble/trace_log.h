/*
 * The event log of one thread, from its file (abi/trace.h) into the profile: chunks in the order
 * of time, every record checked against the thread's tree, nodes named as the profile numbers
 * them. A call that turned out at once to be of another node is written as that node's.
 */
#ifndef TARE_ASSEMBLE_TRACE_LOG_H
#define TARE_ASSEMBLE_TRACE_LOG_H

#include "profile/profile.h"
#include "session/thread_files.h"

struct trace_log {
	const struct thread_file *thread;
	int fd;		     /* of the log's file; borrowed; -1: it has none */
	uint64_t file_bytes; /* its size */
	const int64_t *ids;  /* of the thread's nodes in the profile; 0: it is not there */
	int64_t thread_id;   /* in the profile */
	uint64_t damaged;    /* out: chunks whose rest could not be used */
};

static inline bool trace_log_exists(const struct thread_file *thread)
{
	return thread->header.trace_chunk_bytes != 0;
}

bool trace_log_write(struct trace_log *log, struct profile_writer *writer, struct error *err);

#endif
