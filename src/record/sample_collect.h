/*
 * sample_collect: what a sampler tells → the log of samples. Processes and threads get numbers as
 * they are met, a process that executes another program a new one; images, locations and stacks are
 * logged once each.
 */
#ifndef TARE_RECORD_SAMPLE_COLLECT_H
#define TARE_RECORD_SAMPLE_COLLECT_H

#include "assemble/sample_log.h"
#include "resolve/jit_files.h"
#include "sampler/sampler.h"

struct sample_collect;

struct sample_collect_options {
	struct sample_log *log; /* borrowed */
	/* Processes and threads are logged with their first sample, not when they begin: for whole
	   systems, most of whose processes are idle. */
	bool sampled_only;
	/* The processes live on this machine: /proc tells what they have executed. */
	bool live;
	struct jit_files *jit; /* borrowed; told of code made at run time. NULL: nobody is */
	const uint32_t *only;  /* leaves out all processes but these, by pid; NULL: none */
	size_t only_count;     /* copied */
};

struct sample_collect *sample_collect_new(const struct sample_collect_options *options);
void sample_collect_free(struct sample_collect *collect);

/* To be given to a sampler; the collector is its context. */
struct sampler_sink sample_collect_sink(struct sample_collect *collect);

/* The process that was met as number `index`, from 0; false: there are no more. A program that a
   process executes counts as another one. `is_new`: it began while samples were collected. */
bool sample_collect_process(const struct sample_collect *collect, size_t index, uint32_t *pid,
			    bool *is_new);
/* Samples whose stacks found no room. */
uint64_t sample_collect_without_room(const struct sample_collect *collect);
/* Samples of processes that were left out. */
uint64_t sample_collect_left_out(const struct sample_collect *collect);

#endif
