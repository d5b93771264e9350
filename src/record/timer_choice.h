/*
 * Whether a command is sampled by timers in its processes, abi/timer.h, because perf_event_open is
 * refused here.
 */
#ifndef TARE_RECORD_TIMER_CHOICE_H
#define TARE_RECORD_TIMER_CHOICE_H

#include "record/sampling.h"

struct timer_choice {
	bool by_timers;
	char reason[ERROR_MESSAGE_BYTES]; /* a sentence, if so */
};

/* Asks the kernel. `reason` is empty where perf_event_open is not refused. */
void timer_choice_examine(struct timer_choice *choice);

/* The same for a command. False with err where what is asked for takes perf_event_open. */
bool timer_choice_make(struct timer_choice *choice, const struct sampling *sampling,
		       struct error *err);

/* Behind a recording by timers: what its samples cost, for times that go by them. */
void timer_choice_measure(const struct timer_choice *choice, struct recording *recording);

/* A static executable that cannot take the runtime along; returns false. */
bool timer_choice_refuse(const struct timer_choice *choice, const char *path, struct error *err);

/* Running processes could not be sampled: says that commands can be, if so; returns false. */
bool timer_choice_explain(struct error *err);

#endif
