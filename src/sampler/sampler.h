/*
 * sampler: the call stacks of processes at set intervals (or every so many events), unwound while
 * they are collected. What was lost on the way is counted.
 *
 *   event          names of events              perf_record    bytes of one record → what it says
 *   perf_events    descriptors and their rings  perf_ring      one ring
 *   processes      what is mapped where         images         the files, with their unwind rules
 *
 * Records of all processors are applied in the order of their time, so that a sample meets the
 * mappings that its process had then.
 */
#ifndef TARE_SAMPLER_SAMPLER_H
#define TARE_SAMPLER_SAMPLER_H

#include "sampler/event.h"
#include "sampler/processes.h"

enum { SAMPLER_FRAMES_MAX = 4096 };

struct sampler_sample {
	const struct process *process;
	uint32_t tid, cpu;
	uint64_t time;		/* of CLOCK_MONOTONIC_RAW, ns */
	uint64_t weight;	/* events that it stands for: its period */
	size_t event;		/* index among the options' */
	const uint64_t *kernel; /* run addresses, innermost first; kernel_count may be 0 */
	size_t kernel_count;
	const struct unwind_stack *stack; /* of user code, innermost first */
};

/* What the sampler tells; all it hands out is borrowed until the function returns. */
struct sampler_sink {
	void (*sample)(void *context, const struct sampler_sample *sample);
	/* Any record of another kind, after it has been applied. May be NULL. */
	void (*record)(void *context, const struct perf_record *record);
	void *context;
};

struct sampler_counts {
	uint64_t samples;   /* given to the sink */
	uint64_t complete;  /* of these, stacks that reached their root */
	uint64_t discarded; /* taken while the processor was not executing the target */
	uint64_t lost;	    /* records that the kernel had no room for */
	uint64_t throttled; /* times that the kernel sampled less often than was asked for */
	uint64_t unknown;   /* records that could not be read */
};

struct sampler_options {
	const struct event *events;
	size_t event_count;
	size_t stack_bytes; /* copied with each sample, a multiple of 8, under 64 KiB */
	bool kernel;	    /* kernel frames too, where permitted */
	struct sampler_sink sink;
};

struct sampler;

/*
 * Samples the process `pid` and all that it starts, from its next execve on. Fails with the reason
 * and the remedy where the kernel refuses.
 */
struct sampler *sampler_open_command(const struct sampler_options *options, uint32_t pid,
				     struct error *err);
/* Samples running processes, and what they start from now on. */
struct sampler *sampler_open_running(const struct sampler_options *options, const uint32_t *pids,
				     size_t count, struct error *err);
void sampler_close(struct sampler *sampler);

/* Waits up to `timeout_ms` for records and gives what is there to the sink. */
void sampler_poll(struct sampler *sampler, int timeout_ms);
/* Takes no more samples, and gives the rest to the sink. */
void sampler_stop(struct sampler *sampler);

const struct sampler_counts *sampler_counts(const struct sampler *sampler);
struct processes *sampler_processes(const struct sampler *sampler);
struct images *sampler_images(const struct sampler *sampler);

#endif
