/* The sampled processes and what each has mapped, as the kernel's records tell. */
#ifndef TARE_SAMPLER_PROCESSES_H
#define TARE_SAMPLER_PROCESSES_H

#include "sampler/images.h"
#include "sampler/perf_record.h"

enum { PROCESS_NAME_BYTES = 16 };

struct process {
	uint32_t pid, parent_pid;
	char name[PROCESS_NAME_BYTES];
	uint64_t begin_time, end_time; /* of the records; end 0: not seen */
	bool looked_at;		       /* what it has mapped has been asked for */
	struct unwind_map *map;
	struct vec_of(struct process_image) images; /* by begin, as mapped */
};

/* Where an image is mapped. */
struct process_image {
	uint64_t begin, end, bias;
	const struct image *image;
};

struct processes;

struct processes *processes_new(struct images *images);
void processes_free(struct processes *processes);

/* The process, which is made when a record is the first to name it. */
struct process *processes_get(struct processes *processes, uint32_t pid);

/* Applies MMAP, MMAP2, COMM, FORK and EXIT. */
void processes_apply(struct processes *processes, const struct perf_record *record);

/* Reads what a running process has mapped already, from /proc. */
bool processes_attach(struct processes *processes, uint32_t pid, struct error *err);

/* The image at a run address, or NULL. */
const struct process_image *process_image_at(const struct process *process, uint64_t run_addr);

#endif
