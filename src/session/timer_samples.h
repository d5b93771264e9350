/*
 * Reading the samples that the runtime took (abi/timer.h), as untrusted bytes: what is out of
 * bounds ends the reading and is counted in `damaged`.
 */
#ifndef TARE_SESSION_TIMER_SAMPLES_H
#define TARE_SESSION_TIMER_SAMPLES_H

#include "abi/timer.h"
#include "base/base.h"

struct timer_sample {
	uint64_t ticks;
	uint32_t periods;
	bool complete; /* the stack reaches its root */
	/* Run addresses, outermost first; of a caller the last byte of its call. The first `shared`
	   are those of the sample before. */
	const uint64_t *frames;
	size_t count, shared;
};

struct timer_reader {
	struct tare_timer_file header; /* name is NUL-terminated */
	uint64_t damaged;
	int fd;
	bool owns_fd;
	uint64_t at, end; /* in the file */
	unsigned char *bytes;
	uint64_t begin, have; /* what of the file is in `bytes` */
	uint64_t frames[TARE_TIMER_FRAMES_MAX];
	size_t frame_count;
};

/* Opens a file of the session; the reader is large. False with err where it is none. */
bool timer_reader_open(struct timer_reader *reader, int dir_fd, const char *name,
		       struct error *err);
/* The same of an open file, which is borrowed. */
bool timer_reader_begin(struct timer_reader *reader, int fd, uint64_t size, struct error *err);
void timer_reader_close(struct timer_reader *reader);

/* The next sample, valid until the one after it. False at the end. */
bool timer_reader_next(struct timer_reader *reader, struct timer_sample *sample);

#endif
