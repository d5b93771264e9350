/*
 * state: what the runtime knows of this session and this process; of this thread see self.h.
 *
 * Two words decide whether a probe may work at once: the thread's `state_thread`, which at first
 * is a file whose gate is always closed, and `state_process.rseq_offset` in a page that the kernel
 * zeroes in every forked child (the thread files' mappings do not exist there). Without either the
 * probe takes its general path, which makes what is missing.
 */
#ifndef TARE_RUNTIME_BASE_STATE_H
#define TARE_RUNTIME_BASE_STATE_H

#include "abi/session.h"
#include "abi/session_files.h"

#include <stdbool.h>
#include <stdint.h>

/* Has the recording of this process begun? The last: it is not recorded. */
enum state_begun {
	STATE_BEGUN_NOT,
	STATE_BEGUN_IN_WORK,
	STATE_BEGUN_DONE,
	STATE_BEGUN_REFUSED,
};

/* Zero in every forked child. Alone in its page: aligned and as large as one. */
struct state_process {
	uint64_t rseq_offset; /* from the thread pointer to the word that switches clear */
	uint64_t selector;    /* what %es holds while nothing has happened; 0: it tells nothing */
	uint64_t timers;      /* begin_ticks of the process whose threads have timers; 0: none */
	uint32_t begun;	      /* enum state_begun */
} __attribute__((aligned(4096)));

/* Kept across fork. */
struct state_session {
	uint64_t rseq_armed;  /* what the rseq word holds while nothing has happened */
	uint64_t rseq_called; /* … from a system call on, until the thread is switched */
	uint64_t cost_ticks[TARE_EVENT_KINDS]; /* by calibration */
	char directory[TARE_PATH_MAX];
	char runtime_path[TARE_PATH_MAX]; /* our own entry in LD_AUDIT */
	bool active;			  /* the environment named a session */
	bool started;			  /* a process of this image has been recorded */
	uint32_t os_means;
	uint64_t rseq_offset, selector; /* for state_process */
	uint64_t stack_addr; /* in the first thread's stack, near its begin; 0: unknown */
	struct tare_rank rank;
	bool sets_bases; /* threads may execute wrgsbase: to any address, also below 0 */
	/* In a static executable: the thread pointer until the C library has made its own. */
	uint64_t start_pointer;
	struct tare_settings settings; /* all zero where the session has none */
	struct tare_calibration calibration;
};

#pragma GCC visibility push(hidden)
extern struct state_process state_process;
extern struct state_session state_session;
#pragma GCC visibility pop

/* Keeps the compiler from moving memory accesses across; a signal handler sees program order. */
static inline void state_barrier(void)
{
	__asm__ volatile("" ::: "memory");
}

#endif
