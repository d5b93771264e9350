/*
 * state: what the runtime knows of this process and this thread.
 *
 * Two words decide whether a probe may work at once: the thread's `state_thread`, which at first
 * is a file whose gate is always closed, and `state_process.rseq_offset` in a page that the kernel
 * zeroes in every forked child (the thread files' mappings do not exist there). Without either the
 * probe takes its general path, which makes what is missing.
 */
#ifndef TARE_RUNTIME_STATE_H
#define TARE_RUNTIME_STATE_H

#include "abi/arena.h"
#include "abi/session.h"
#include "runtime/accumulate.h"
#include "runtime/adapt.h"

/* Counters of the kernel for this thread, as last seen. */
struct state_os_seen {
	uint64_t voluntary_switches, involuntary_switches;
	uint64_t minor_faults, major_faults;
	uint64_t syscalls; /* of tare_thread_file.syscalls */
};

/* The signal stack that the thread has registered. */
struct state_stack {
	uint64_t low, size_bytes; /* no bytes: none */
};

#define STATE_DESCRIPTORS 128
#define STATE_TEXT_BYTES  (2 * TARE_NAME_PATH_BYTES + 8)

/* What a descriptor was found to be. */
struct state_descriptor {
	uint64_t number; /* 1 + it; 0: none */
	uint32_t generation, name;
};

/* Of the objects of system calls, see objects.h. */
struct state_objects {
	struct state_descriptor known[STATE_DESCRIPTORS];
	uint64_t changing; /* what the last system call may change; see descriptors.c */
	uint64_t names;	   /* run address of their chunk, 0: not yet */
	bool no_names;	   /* there is no room for it */
	_Alignas(8) char text[STATE_TEXT_BYTES];
};

/* A call that stood open when a fork began. */
struct state_open_call {
	struct accumulate_callee callee;
	uint64_t sp;
};

/* Private memory of a thread; in a forked child a copy of its parent's. */
struct state_private {
	struct accumulate_local local;
	struct state_os_seen os_seen;
	struct state_open_call *open_calls; /* as of the last fork-like system call */
	uint64_t open_call_count, open_call_room;
	char *exec_memory; /* for the environment of a program to be started */
	uint64_t exec_memory_bytes;
	struct state_private *next; /* all threads', so that the dead ones' memory is reused */
	uint64_t modules_replaced;  /* of these the thread has taken note; see loaded.h */
	uint64_t file_addr;	    /* run address of the thread file while it is mapped, else 0 */
	uint64_t file_process;	    /* begin_ticks of the process that has it mapped */
	uint64_t file_last;	    /* of the page behind what is used of it; see files_extend */
	uint64_t file_end;	    /* that page's offset in the file */
	uint64_t unloads;	    /* of modules, as noticed: see os_flag.h */
	struct adapt_local adapt;
	bool renamed; /* the thread's last system call was about its name */
	struct state_objects objects;
	struct state_private *made_before; /* all that were ever made */
};

static inline struct state_private *state_private_of(const struct tare_thread_file *self)
{
	return (struct state_private *)self->local; /* its first member */
}

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
	uint64_t cost_ticks[TARE_EVENT_KINDS];
	uint64_t rseq_armed; /* what the rseq word holds while nothing has happened */
	char directory[TARE_PATH_MAX];
	char runtime_path[TARE_PATH_MAX]; /* our own entry in LD_AUDIT */
	bool active;			  /* the environment named a session */
	bool started;			  /* a process of this image has been recorded */
	uint32_t os_means;
	uint64_t rseq_offset, selector; /* for state_process */
	/* In a static executable: the thread pointer until the C library has made its own. */
	uint64_t start_pointer;
	struct tare_settings settings; /* all zero where the session has none */
	struct tare_calibration calibration;
};

#pragma GCC visibility push(hidden)
extern struct state_process state_process;
extern struct state_session state_session;
extern struct tare_thread_file state_unborn;
extern _Thread_local struct tare_thread_file *state_thread;
extern _Thread_local struct state_private *state_private;
extern _Thread_local uint64_t state_birth; /* sp of the probe that makes the thread's file */
extern _Thread_local struct state_stack state_signal_stack;
extern _Thread_local uint64_t state_word; /* where rseq is not to be had */
#pragma GCC visibility pop

/* Keeps the compiler from moving memory accesses across; a signal handler sees program order. */
static inline void state_barrier(void)
{
	__asm__ volatile("" ::: "memory");
}

#endif
