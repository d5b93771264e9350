/*
 * sampler: the call stacks of processes at set intervals (or every so many events), unwound while
 * they are collected. What was lost on the way is counted.
 *
 *   event          names of events
 *   perf_events    descriptors and their rings  perf_ring      one ring
 *   perf_record    bytes of one record → what it says
 *   processes      what is mapped where         images         the files, with their unwind rules
 *   waits          switches of threads → how long they waited, and where
 *
 * Records of all processors are applied in the order of their time, so that a sample meets the
 * mappings that its process had then.
 */
#ifndef TARE_SAMPLER_SAMPLER_H
#define TARE_SAMPLER_SAMPLER_H

#include "sampler/event.h"
#include "sampler/processes.h"

enum { SAMPLER_FRAMES_MAX = 4096 };

/* Who ended a wait. */
struct sampler_waker {
	const struct process *process; /* NULL: an interrupt did */
	uint32_t tid;
	uint64_t time;
	const uint64_t *kernel; /* as in struct sampler_sample */
	size_t kernel_count;
	const struct unwind_stack *stack;
};

struct sampler_sample {
	const struct process *process;
	uint32_t tid, cpu;
	uint64_t time;		/* of CLOCK_MONOTONIC_RAW, ns; of a wait: when it began */
	uint64_t weight;	/* events that it stands for: its period, or the ns of a wait */
	size_t event;		/* index among the options' */
	const uint64_t *kernel; /* run addresses, innermost first; kernel_count may be 0 */
	size_t kernel_count;
	/* Of user code, innermost first. Without frames: a kernel thread (complete), or it could
	   not be had. */
	const struct unwind_stack *stack;
	const struct sampler_waker *waker; /* of a wait; NULL: not known */
};

/* What the sampler tells; all it hands out is borrowed until the function returns. */
struct sampler_sink {
	void (*sample)(void *context, const struct sampler_sample *sample);
	/* Any record of another kind, after it has been applied. What a process that ran already is
	   called and has mapped comes as records too (COMM of each thread, MMAP2). May be NULL. */
	void (*record)(void *context, const struct perf_record *record);
	void *context;
};

struct sampler_counts {
	uint64_t samples;     /* given to the sink */
	uint64_t complete;    /* of these, stacks that reached their root */
	uint64_t discarded;   /* taken while the processor was not executing the target: */
	uint64_t idle;	      /* … it had nothing to do */
	uint64_t outside;     /* … it executed another process, or the kernel for itself */
	uint64_t lost;	      /* records that the kernel had no room for */
	uint64_t throttled;   /* times that the kernel sampled less often than was asked for */
	uint64_t unknown;     /* records that could not be read */
	uint64_t long_stacks; /* of samples: the stack went on beyond its copy… */
	uint64_t gone;	      /* … and had changed before it could be read */
	uint64_t borrowed; /* of samples: waits with the stack of another one, see switch_waits.h */
	uint64_t borrowed_wakers; /* of samples: waits with who ended another one */
	uint64_t other_abi;	  /* of samples: 32-bit code, whose stack is not unwound */
};

struct sampler_options {
	const struct event *events; /* borrowed until sampler_close */
	size_t event_count;
	size_t stack_bytes;	/* copied with each sample, at most 60 KiB; 0: that, or what rings
				   have room for */
	bool kernel;		/* kernel frames too, where permitted */
	bool wakers;		/* of waits: by whom each was ended, where permitted */
	bool by_frame_pointer;	/* no copy of the stack: the kernel follows frame pointers */
	const uint32_t *target; /* sampler_open_everything: samples of these processes, and of what
				   they start, are kept, all others discarded; NULL: all are kept */
	size_t target_count;
	struct sampler_sink sink;
};

struct sampler;

/* May this process sample itself at all? False with the reason: ERROR_PERMISSION where the kernel,
   or a sandbox, refuses perf_event_open. */
bool sampler_is_permitted(struct error *err);

/*
 * Samples the process `pid` and all that it starts, from its next execve on. Fails with the reason
 * and the remedy where the kernel refuses.
 */
struct sampler *sampler_open_command(const struct sampler_options *options, uint32_t pid,
				     struct error *err);
/* Samples running processes, and what they start from now on. */
struct sampler *sampler_open_running(const struct sampler_options *options, const uint32_t *pids,
				     size_t count, struct error *err);
/*
 * Samples all processors from now on. A process of options->target that is still this program
 * counts from the next one that it executes.
 */
struct sampler *sampler_open_everything(const struct sampler_options *options, struct error *err);
void sampler_close(struct sampler *sampler);

/* Readable when there are records to take; for poll, beside what else is waited for. */
int sampler_descriptor(const struct sampler *sampler);
/* Waits up to `timeout_ms` for records and gives what is there to the sink. */
void sampler_poll(struct sampler *sampler, int timeout_ms);
/* Takes no more samples, and gives the rest to the sink. Waits that go on end here. */
void sampler_stop(struct sampler *sampler);

/* No process that is sampled is left. */
bool sampler_is_over(const struct sampler *sampler);
/* Why there are no kernel frames although they were asked for: a sentence, or NULL. */
const char *sampler_no_kernel(const struct sampler *sampler);
/* Why wakers are not known although they were asked for: a sentence, or NULL. */
const char *sampler_no_wakers(const struct sampler *sampler);
/* Samples per second that the kernel allows, where an event asked for more and got these; else 0.
 */
uint64_t sampler_frequency_limit(const struct sampler *sampler);

const struct sampler_counts *sampler_counts(const struct sampler *sampler);
struct processes *sampler_processes(const struct sampler *sampler);
struct images *sampler_images(const struct sampler *sampler);

#endif
