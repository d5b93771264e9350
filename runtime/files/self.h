/*
 * self: what the runtime knows of this thread, beside its file.
 */
#ifndef TARE_RUNTIME_FILES_SELF_H
#define TARE_RUNTIME_FILES_SELF_H

#include "runtime/base/state.h"
#include "runtime/tree/accumulate.h"

/* Of sums.h. */
struct adapt_sums {
	struct adapt_sum *items;
	uint64_t room, used;
};

/* Of costs.h: of a thread up to some moment, in ticks. */
struct costs_mark {
	uint64_t worked_ticks; /* on a processor */
	uint64_t taken_ticks;  /* by the runtime, */
	uint64_t own_ticks;    /* and of these beside the probes' short way */
};

#define ADAPT_MET     64
#define ADAPT_IMPORTS 16

/* Of adapt.h, which begins it. */
struct adapt_local {
	uint64_t due_ticks;   /* TSC: when to add up again; 0: nothing was so far */
	uint64_t pause_ticks; /* between two times */
	uint64_t generation;  /* of the set of disarmed functions, as known by the thread's stack */
	uint64_t rearmings;   /* the same of functions that are timed again */
	struct costs_mark judged; /* when it was added up last */
	struct costs_mark looked; /* when looks were last thought of */
	uint32_t looks;		  /* events to come that are looked at */
	uint32_t looks_rest;	  /* how often the time between looks was doubled */
	bool looks_found;	  /* something among these */
	bool looks_at_once;	  /* who is met goes without being met again */
	bool some_stay;		  /* functions that should go, and are called through pointers */
	uint32_t met[ADAPT_MET];  /* marks of who was called among these events */
	struct adapt_sums sums;
	uint64_t imports[ADAPT_IMPORTS]; /* stubs: see imports.h */
	uint32_t imports_met;		 /* 0: there are none, or they are gone */
};

/* Counters of the kernel for this thread, as last seen. */
struct state_os_seen {
	uint64_t voluntary_switches, involuntary_switches;
	uint64_t minor_faults, major_faults;
	uint64_t syscalls; /* of tare_thread_file.syscalls */
};

/* Its CPU clock and its run delay, as last read: see waits.h. */
struct state_waits_seen {
	uint64_t ticks; /* TSC; 0: not read */
	uint64_t cpu_ns;
	uint64_t delay_ns;
	uint64_t unasked_ticks; /* waits since delay_ns was read that were too short to ask */
	bool has_delay;
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
	/* Where the thread's time would be if what asking has taken were its share of it. */
	uint64_t asked_until_ticks;
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
	struct state_waits_seen waits_seen;
	struct state_open_call *open_calls; /* as of the last fork-like system call */
	uint64_t open_call_count, open_call_room;
	char *exec_memory; /* for the environment of a program to be started */
	uint64_t exec_memory_bytes;
	struct state_private *next; /* all threads', so that the dead ones' memory is reused */
	uint64_t modules_replaced;  /* of these the thread has taken note; see loaded.h */
	uint64_t file_addr;	    /* run address of the thread file while it is mapped, else 0 */
	uint64_t file_process;	    /* begin_ticks of the process that has it mapped */
	uint32_t tid;		    /* of the thread that was noted last with it (holders.h) */
	uint64_t file_last;	    /* of the page behind what is used of it; see files_extend */
	uint64_t file_end;	    /* that page's offset in the file */
	uint64_t unloads;	    /* of modules, as noticed: see os_flag.h */
	struct adapt_local adapt;
	bool renamed;		   /* the thread's last system call was about its name */
	bool syscall_uncounted;	   /* its last system call is in no OS record yet */
	uint64_t pace, pace_ticks; /* of pace.h, and when it was measured (TSC) */
	struct state_objects objects;
	struct state_private *made_before; /* all that were ever made */
};

static inline struct state_private *state_private_of(const struct tare_thread_file *self)
{
	return (struct state_private *)self->local; /* its first member */
}

#pragma GCC visibility push(hidden)
extern struct tare_thread_file state_unborn;
extern _Thread_local struct tare_thread_file *state_thread;
extern _Thread_local struct state_private *state_private;
extern _Thread_local uint64_t state_birth; /* sp of the probe that makes the thread's file */
extern _Thread_local struct state_stack state_signal_stack;
extern _Thread_local uint64_t state_word; /* where rseq is not to be had */
#pragma GCC visibility pop

#endif
