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
 * passes as likely as at any other. So moments with it are sampled ticks and `tick_periods` - 1
 * times as often, whatever has started or stopped it, and weights by that alone are right for all.
 * What the thread has waited for a processor does not count: the rest of the time is given again.
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
};

/* A number in [0, 2^64), of the generator. */
uint64_t timer_random(uint64_t *state);

/* Exponentially distributed, with that mean; not 0. */
uint64_t timer_delay_draw(uint64_t *random, uint64_t mean_ns);

#endif
