/*
 * timer_between: samples between the kernel's ticks. A timer of processor time passes at ticks
 * only, and one of real time would end what the thread waits in. So each thread has one of real
 * time that runs only while the thread cannot come to wait: a tick starts it, and the next system
 * call of the program that may wait stops it before it begins.
 *
 *   tick ─▶ started ── passes ─▶ sample ─▶ started …      what a sample stands for:
 *      ▲         └── system call ─▶ stopped                 while it runs     one unit
 *      └───────────────────── next tick ◀──┘                while it does not one tick
 *
 * How long it runs is drawn each time, by chance without memory: at any moment at which it runs, it
 * passes as likely as at any other. So in an interval from tick to tick all of which it runs there
 * is one such sample less than it has units, in the mean, and the tick at its end stands for the
 * one that is left. Where it was stopped, that tick stands for all of them (timer_tick.h), and the
 * samples since the tick before are taken back: as it starts at a tick, they would count what
 * follows ticks once more, of a thread that waits after 5 ms of work each time a quarter of its
 * time. What the thread has waited for a processor does not count: the rest of the time is given
 * again.
 */
#ifndef TARE_RUNTIME_TIMER_TIMER_BETWEEN_H
#define TARE_RUNTIME_TIMER_TIMER_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

struct timer_between {
	int32_t timer; /* the kernel's id of it */
	bool has_timer;
	bool runs;
	uint32_t files;			 /* that may be asked about while it runs */
	uint64_t random;		 /* state of a generator */
	uint64_t begin_cpu_ns, delay_ns; /* of the thread's processor time */
	/* Up to the last tick: records in the window, and samples in the runtime. */
	uint64_t tick_used, tick_in_runtime;
};

/* A number in [0, 2^64), of the generator. */
uint64_t timer_random(uint64_t *state);

/* Exponentially distributed, with that mean; not 0. */
uint64_t timer_delay_draw(uint64_t *random, uint64_t mean_ns);

#endif
