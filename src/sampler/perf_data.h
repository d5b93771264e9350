/*
 * perf_data: the files that `perf record` writes (perf.data), and its output through a pipe, as
 * samples of a sampler.
 *
 *   perf_input ─ records ─ perf_unpack (-z) ─▶ perf_order (by time) ─▶ processes, perf_stack ─▶
 * sink └ header, features: perf_header, perf_attrs
 *
 * Memory is bounded by what perf has in two of its rounds, and by the number of processes and
 * files. Not read: hardware traces (Intel PT), what is behind a damaged record.
 */
#ifndef TARE_SAMPLER_PERF_DATA_H
#define TARE_SAMPLER_PERF_DATA_H

#include "sampler/perf_header.h"
#include "sampler/sampler.h"

struct perf_data;

struct perf_data_counts {
	struct sampler_counts samples;
	uint64_t late;	      /* records that could not be brought into order */
	uint64_t trace_bytes; /* of hardware traces, which were left out */
	uint64_t left_bytes;  /* behind the place where reading had to end, as far as known */
	const char *why_cut;  /* why the recording is not whole; NULL: it is */
};

/* The kernel, as far as the recording tells which one it was. */
struct perf_kernel {
	uint64_t text_addr;		      /* run address of `symbol`; 0: unknown */
	const char *symbol;		      /* "_text" or "_stext" */
	const struct perf_build_id *build_id; /* or NULL */
};

/*
 * Opens a file, or the standard input where path is "-"; of a directory that perf record --kcore
 * made, the file in it. Fails where it is not of perf, cannot be read, or is of another machine.
 */
struct perf_data *perf_data_open(const char *path, struct error *err);
void perf_data_close(struct perf_data *data);

/*
 * Gives all samples to the sink, in the order of their time; times are those of perf's clock. What
 * is damaged ends the reading and is told by the counts; fails only where nothing can be made of
 * it.
 */
bool perf_data_read(struct perf_data *data, const struct sampler_sink *sink, struct error *err);

/* Events that samples can be of. */
size_t perf_data_event_count(const struct perf_data *data);
const struct event *perf_data_event(const struct perf_data *data, size_t index);
/* Whether some event has call stacks: by registers and a copy of the stack; by the kernel or the
   processor. */
bool perf_data_has_stacks(const struct perf_data *data);
bool perf_data_has_chains(const struct perf_data *data);
/* Whether processors were sampled, whatever they executed: perf record -a. */
bool perf_data_is_of_everything(const struct perf_data *data);

const struct perf_origin *perf_data_origin(const struct perf_data *data);
struct perf_kernel perf_data_kernel(const struct perf_data *data);
const struct perf_data_counts *perf_data_counts(const struct perf_data *data);
struct images *perf_data_images(const struct perf_data *data);
/* When the file was last written, ns since 1970; 0: it is a pipe. */
uint64_t perf_data_written_ns(const struct perf_data *data);

#endif
