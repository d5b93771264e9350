/* The sampled processes and what each has mapped, as the kernel's records tell. */
#ifndef TARE_SAMPLER_PROCESSES_H
#define TARE_SAMPLER_PROCESSES_H

#include "sampler/images.h"
#include "sampler/perf_record.h"

enum { PROCESS_NAME_BYTES = 16 };

/* Where an image is mapped; of code made at run time the bias is 0. */
struct process_image {
	uint64_t begin, end, bias;
	const struct image *image;
};

/* What is mapped as code. After fork, parent and child have one until either changes it. */
struct process_memory {
	struct unwind_map *map;
	struct vec_of(struct process_image) images; /* by begin, as mapped */
	size_t users;				    /* processes */
};

struct process {
	uint32_t pid, parent_pid;
	char name[PROCESS_NAME_BYTES];
	uint64_t begin_time, end_time; /* of the records; end 0: not seen */
	size_t threads;		       /* that have not ended */
	uint64_t known_time;	       /* when /proc told what it has mapped; 0: never */
	uint64_t looked_time;	       /* when /proc was last asked for lost records' sake */
	bool executing; /* execve has emptied its memory, and no sample was in the new one yet */
	bool known;	/* all that it has mapped has been told of, or asked for */
	bool target;	/* its samples are kept: for the sampler, which children inherit */
	struct process_memory *memory; /* empty once it has ended */
};

struct processes;

struct processes_told {
	void (*record)(void *context, const struct perf_record *record);
	void *context;
};

/* `live`: they run on this machine now, so that /proc tells what no record has told. */
struct processes *processes_new(struct images *images, bool live);
void processes_free(struct processes *processes);

/* The process, which is made when a record is the first to name it. */
struct process *processes_get(struct processes *processes, uint32_t pid);

/* All of them, in the order of their first record. */
size_t processes_count(const struct processes *processes);
const struct process *processes_at(const struct processes *processes, size_t index);

/* Applies MMAP, MMAP2, COMM, FORK and EXIT. Mappings older than what /proc told are passed. */
void processes_apply(struct processes *processes, const struct perf_record *record);

/*
 * Reads from /proc what a running process and its threads are called and what it has mapped
 * already, and gives that to `told` (may be NULL) as records, after they have been applied.
 */
bool processes_attach(struct processes *processes, uint32_t pid, const struct processes_told *told,
		      struct error *err);

/* The image at a run address, or NULL. */
const struct process_image *process_image_at(const struct process *process, uint64_t run_addr);

#endif
