/*
 * The file `samples` in a session directory: what a sampler tells, in the order in which it tells
 * it, appended while recording, so that a profile can be built from what a killed recorder left.
 *
 * A mark and a version, then records: a byte that says which, then numbers in LEB128 (signed ones
 * zigzag: n >= 0 ? 2n : -2n - 1) and texts that end with NUL. Things get numbers from 0 in the
 * order of their records (events, images, processes, threads), stack nodes and locations from 1.
 *
 *   EVENT      period, frequency, name, unit
 *   IMAGE      path, file that was read for it ("": none), build-id (length, bytes)
 *   PROCESS    pid, parent pid, time, flags, name
 *   EXECUTABLE process, path
 *   NAME       process, name
 *   RANK       process, launcher, rank, number of ranks: those of abi/rank.h
 *   THREAD     process, tid, time, name
 *   CALLED     thread, name
 *   END        thread, time
 *   LOCATION   image, link address
 *   NODE       number less that of the parent (= number: it has none), location
 *   WAKER      of the sample before it, which is a wait: number of the thread that ended it and 1,
 *              0: an interrupt; node of its stack; time
 *   COUNTS     as many numbers as struct sample_log_counts has; the last record holds
 *   0x80 to 0x8f: a sample; bits: truncated 1, of another thread 2, of another event 4, of another
 *     weight 8 than the one before it (the first: 0, 0 and 0)
 *              [thread] [event] time less that of the record before, signed; node less that of the
 *              thread's sample before, signed; [weight]
 *
 * Times are CLOCK_MONOTONIC_RAW in ns, each as the signed difference from the time before it in
 * the file, of whatever record.
 */
#ifndef TARE_ASSEMBLE_SAMPLE_LOG_H
#define TARE_ASSEMBLE_SAMPLE_LOG_H

#include "abi/rank.h"
#include "base/base.h"
#include "base/byte_reader.h"

#include <stdint.h>

#define SAMPLE_LOG_NAME	   "samples"
#define SAMPLE_LOG_MAGIC   "tare-samples"
#define SAMPLE_LOG_VERSION 3 /* 1: without WAKER, 2: without RANK */

enum sample_log_kind {
	SAMPLE_LOG_END_OF_LOG,
	SAMPLE_LOG_EVENT,
	SAMPLE_LOG_IMAGE,
	SAMPLE_LOG_PROCESS,
	SAMPLE_LOG_EXECUTABLE,
	SAMPLE_LOG_NAME_OF_PROCESS,
	SAMPLE_LOG_THREAD,
	SAMPLE_LOG_NAME_OF_THREAD,
	SAMPLE_LOG_END,
	SAMPLE_LOG_LOCATION,
	SAMPLE_LOG_NODE,
	SAMPLE_LOG_COUNTS,
	SAMPLE_LOG_WAKER,
	SAMPLE_LOG_RANK,
	SAMPLE_LOG_SAMPLE = 0x80,
};

struct sample_log_event {
	uint64_t period, frequency;
	const char *name, *unit;
};

struct sample_log_image {
	const char *path; /* as mapped, or one of those in resolve.h that are no files */
	const char
		*file; /* by which it was found, perhaps in /proc of its process; "": it was not */
	const unsigned char *build_id;
	size_t build_id_bytes;
};

enum sample_log_process_flags {
	SAMPLE_LOG_FORKED = 1,	/* began by fork, not by execve */
	SAMPLE_LOG_RUNNING = 2, /* had begun before it was first seen */
};

struct sample_log_process {
	uint32_t pid, parent_pid;
	uint64_t time; /* when it began, or was first seen */
	uint32_t flags;
	const char *name;
};

struct sample_log_thread {
	uint32_t process, tid;
	uint64_t time;
	const char *name;
};

struct sample_log_location {
	uint32_t image;
	uint64_t link_addr;
};

struct sample_log_node {
	uint32_t parent, location; /* parent 0: outermost */
};

struct sample_log_sample {
	uint32_t thread, event, node; /* node 0: nothing of the stack could be read */
	uint64_t time, weight;
	bool truncated;
};

/* Who ended the wait that the sample before it is. */
struct sample_log_waker {
	uint32_t thread; /* and 1; 0: an interrupt */
	uint32_t node;	 /* 0: nothing of the stack could be read */
	uint64_t time;
};

/* As they are at that time of the recording. */
struct sample_log_counts {
	uint64_t samples, discarded, lost, throttled, unreadable;
	uint64_t without_room; /* samples whose stacks found none; kept without */
};

/* A text about a process (executable, name) or a thread (name), or the end of a thread. */
struct sample_log_note {
	uint32_t of;
	uint64_t time;
	const char *text;
};

struct sample_log_rank {
	uint32_t process;
	struct tare_rank rank;
};

/* ---- writing ---- */

struct sample_log {
	int fd;
	struct byte_vec buffer;
	uint64_t written_bytes, limit_bytes;
	uint64_t last_time;
	uint32_t counts_of[SAMPLE_LOG_COUNTS]; /* how many records of a kind there are */
	struct vec_of(uint32_t) last_nodes;    /* of each thread */
	struct sample_log_sample last;
	uint64_t unwritten;
	bool full; /* it met the limit, or the disk is full: takes nothing more */
};

/* Creates the file; it takes up to `limit_bytes`, 0: any number. */
bool sample_log_create(struct sample_log *log, int session_fd, uint64_t limit_bytes,
		       struct error *err);
/* These return the number of what was added. Where a record cannot be written it is counted. */
uint32_t sample_log_put_event(struct sample_log *log, const struct sample_log_event *event);
uint32_t sample_log_put_image(struct sample_log *log, const struct sample_log_image *image);
uint32_t sample_log_put_process(struct sample_log *log, const struct sample_log_process *process);
uint32_t sample_log_put_thread(struct sample_log *log, const struct sample_log_thread *thread);
uint32_t sample_log_put_location(struct sample_log *log,
				 const struct sample_log_location *location);
uint32_t sample_log_put_node(struct sample_log *log, const struct sample_log_node *node);
/* `kind`: EXECUTABLE, NAME_OF_PROCESS, NAME_OF_THREAD, END. */
void sample_log_put_note(struct sample_log *log, enum sample_log_kind kind,
			 const struct sample_log_note *note);
void sample_log_put_sample(struct sample_log *log, const struct sample_log_sample *sample);
void sample_log_put_waker(struct sample_log *log, const struct sample_log_waker *waker);
void sample_log_put_rank(struct sample_log *log, const struct sample_log_rank *rank);
void sample_log_put_counts(struct sample_log *log, const struct sample_log_counts *counts);
/* Hands what is buffered to the kernel: from then on it outlives this process. */
void sample_log_flush(struct sample_log *log);
/* Flushes and closes. */
void sample_log_close(struct sample_log *log);

/* ---- reading ---- */

struct sample_log_record {
	enum sample_log_kind kind;
	union {
		struct sample_log_event event;
		struct sample_log_image image;
		struct sample_log_process process;
		struct sample_log_thread thread;
		struct sample_log_location location;
		struct sample_log_node node;
		struct sample_log_note note;
		struct sample_log_sample sample;
		struct sample_log_waker waker;
		struct sample_log_rank rank;
		struct sample_log_counts counts;
	};
};

struct sample_log_reader {
	struct byte_reader bytes;
	uint64_t last_time;
	uint32_t counts_of[SAMPLE_LOG_COUNTS];
	struct vec_of(uint32_t) last_nodes;
	struct sample_log_sample last;
	bool damaged; /* it ended at bytes that are no record, or a part of one */
};

/* `bytes` are borrowed until sample_log_reader_fini, as is all text in records. */
bool sample_log_reader_init(struct sample_log_reader *reader, const void *bytes, size_t size,
			    struct error *err);
/* The next record. Every number in it is one of a record before. False at the end. */
bool sample_log_next(struct sample_log_reader *reader, struct sample_log_record *record);
void sample_log_reader_fini(struct sample_log_reader *reader);

#endif
