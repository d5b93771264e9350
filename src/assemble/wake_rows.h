/*
 * wake_rows: who ended waits, as the log of samples tells it in the order in which waits ended →
 * the tables wake and waker, and woken of the longest ones. Threads, events and stacks are ids of
 * rows. What there is no room for counts as ended by nobody known.
 */
#ifndef TARE_ASSEMBLE_WAKE_ROWS_H
#define TARE_ASSEMBLE_WAKE_ROWS_H

#include "base/base.h"
#include "profile/profile.h"

/* The end of a thread's last wait, for those that it ends itself. */
struct wake_end {
	uint64_t time;
	uint32_t wake;
};

struct wake_rows {
	struct vec_of(struct profile_wake) wakes;
	struct vec_of(uint8_t) depths; /* beside them */
	struct vec_of(struct profile_waker) waits;
	struct vec_of(struct profile_woken) longest; /* a heap, the shortest is the first; in ns */
	struct map places, wake_of, wait_of;
	struct map ends; /* thread → index of its last two ends */
	struct vec_of(struct wake_end) last, last_but_one;
};

/* A wait, and who ended it. Times are in ns. */
struct wake_told {
	int64_t thread, event, stack;
	uint64_t begin, weight; /* when it began, how long it was */
	int64_t by, by_stack;	/* 0: an interrupt; of that no stack is told */
	uint64_t woken;		/* when the wait was ended */
};

void wake_rows_init(struct wake_rows *rows);
void wake_rows_fini(struct wake_rows *rows);
void wake_rows_take(struct wake_rows *rows, const struct wake_told *told);
/* The same of a wait of which nobody knows who ended it. */
void wake_rows_miss(struct wake_rows *rows, const struct wake_told *told);
/* From a time of the samples' clock to ticks of the session. */
typedef uint64_t wake_rows_ticks(const void *context, uint64_t time_ns);
/* Once, at the end. */
bool wake_rows_write(struct wake_rows *rows, wake_rows_ticks *ticks_of, const void *context,
		     struct profile_writer *writer, struct error *err);

#endif
