/* What perf_event_open's error numbers mean for people, and what to do. */
#ifndef TARE_SAMPLER_PERF_ERRORS_H
#define TARE_SAMPLER_PERF_ERRORS_H

#include "sampler/event.h"

/* kernel.perf_event_paranoid; -1 where it cannot be read. */
int perf_paranoid_level(void);

/* An event of a task (PERF_EVERYTHING: of all) was refused. ERROR_PERMISSION where this user may
   not sample, ERROR_UNSUPPORTED where this machine cannot. Returns false, as the next does. */
bool perf_errors_open(const struct event *event, int64_t task, int errno_value, struct error *err);
/* A ring was refused. */
bool perf_errors_ring(int errno_value, struct error *err);

/* Why there are no kernel frames: a sentence. */
void perf_errors_kernel(char *text, size_t size);

#endif
