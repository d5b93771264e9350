/* What the files of merge share: the merged rows in memory, each with the key it is found by. */
#ifndef TARE_MERGE_PRIVATE_H
#define TARE_MERGE_PRIVATE_H

#include "merge/merge.h"

/* Between the parts of a key. */
#define SEPARATOR "\x01"

/* Texts with indices from 0, in the order of their first appearance. */
struct keys {
	struct strmap map;
	struct arena *arena; /* where they are kept */
	struct vec_of(const char *) list;
};

void keys_init(struct keys *keys, struct arena *arena);
void keys_fini(struct keys *keys);
/* Sets *fresh where the text is a new one. */
size_t keys_find(struct keys *keys, const char *text, bool *fresh);
/* rank[index] of every text in the order of strcmp, and order[rank] = index; to be freed. */
void keys_rank(const struct keys *keys, uint32_t **rank, uint32_t **order);

struct merged_name {
	const char *text;
	uint64_t count; /* of those that became this one */
};

struct merged_process {
	struct profile_process row;
	struct merged_name name;
};

/* A piece of the spill. */
struct spilled {
	uint64_t offset, size;
};

struct merged_thread {
	struct profile_thread row; /* process: index */
	uint64_t node_numbers;	   /* where it is kept apart: above the last node's */
	struct spilled run;	   /* then, too: its nodes */
	struct merged_name name;
};

struct merged_node {
	uint32_t parent;	 /* index; 0: none */
	struct profile_node row; /* id: in a thread kept apart, the number there, from 0 */
};

struct merged_location {
	struct profile_location row;
	const char *lines_key; /* text of the lines, "" if there are none */
	const struct profile_location_line *lines;
	size_t line_count;
};

struct merged_stack {
	uint32_t parent, location; /* parent: index; 0: none */
};

/*
 * A file without a name beside the output, for what memory need not hold. Made when it is first
 * written to.
 */
struct spill {
	const char *beside;
	int fd; /* -1: none yet */
	uint64_t size;
};

/* A part of an event log, or a chunk of samples, whose data wait in the spill. */
struct merged_part {
	union {
		struct profile_trace_chunk trace;
		struct profile_sample_chunk sample;
	};
	uint64_t offset, size, place;
};

struct merged_session {
	/* end_ticks: sum of the durations, or the last end on the clock of the wall */
	struct profile_session row;
	uint64_t base_ns; /* the first begin on that clock where processes are kept apart, else 0 */
	uint64_t recordings;
	bool commands_differ;
	bool instrument, sample;
	struct vec_of(const char *) reasons; /* ascending, at most SESSION_REASONS_MAX */
	bool more_reasons;
};

struct merge {
	struct arena arena;
	bool keep_processes;
	struct merge_summary summary;
	struct merged_session session;
	struct keys process_keys, thread_keys, module_keys, function_keys, sampling_keys,
		event_keys, source_keys, location_keys, coverage_keys, disarm_keys, counted_keys,
		unfollowed_keys, path_keys, block_keys, execution_keys, line_keys;
	struct vec_of(struct merged_process) processes;
	struct vec_of(struct merged_thread) threads;
	struct vec_of(struct profile_module) modules;
	struct vec_of(struct profile_function) functions;
	struct vec_of(struct profile_sampling) samplings;
	struct vec_of(struct profile_event) events;
	struct vec_of(struct merged_location) locations;
	struct vec_of(struct profile_coverage) coverage;
	struct vec_of(struct profile_disarm) disarms;
	struct vec_of(struct profile_counted) counted;
	/* thread, module, function, source: index + 1, or 0; block: index */
	struct vec_of(struct profile_block) blocks;
	struct vec_of(struct profile_execution) executions;
	struct vec_of(struct profile_line_execution) lines;
	struct vec_of(struct profile_unfollowed) unfollowed; /* process: index + 1, or 0 */
	struct vec_of(struct profile_mark) marks;
	struct vec_of(struct profile_cpu_use) cpu_uses; /* process: index + 1, or 0 */
	/* In the order of time, where processes are kept apart. thread, event: index. */
	struct vec_of(struct profile_trace) traces;
	struct vec_of(struct merged_part) trace_parts, sample_parts;
	struct spill spill;
	uint64_t memory_bytes; /* of nodes and what hangs on them; beyond it they make a run */
	struct vec_of(struct spilled) runs;
	/* Nodes and stacks have indices from 1, the first element stands for none. */
	struct vec_of(struct merged_node) nodes;
	struct vec_of(struct merged_stack) stacks;
	struct vec_of(struct profile_os) os;		   /* node: index */
	struct vec_of(struct profile_histogram) histogram; /* node: index */
	struct vec_of(struct profile_stack_value) values;
	struct map node_map, callee_map, stack_map, histogram_map, value_map;
	struct map syscall_map, object_map, kind_map, path_map, os_map, thread_event_map;
};

/* What a thread's row has of all its nodes. */
enum thread_total {
	TOTAL_ELAPSED,
	TOTAL_OS,
	TOTAL_BLOCKED,
	TOTAL_PREEMPTED,
	TOTAL_OVERHEAD,
	THREAD_TOTALS
};

/* Where an input's rows have gone: by id - 1 the index in the merged table. */
struct input {
	struct merge *merge;
	struct profile *profile;
	const char *path;
	double ticks_per_second;
	uint64_t begin_ticks; /* of its session; times count from there */
	uint64_t base_ns;     /* the begin on the clock of the wall, or 0; added to times */
	bool is_merged;
	uint32_t *processes, *threads, *modules, *functions, *events, *locations, *stacks;
	struct vec_of(uint32_t) blocks; /* the same, of those read so far */
	struct map nodes;		/* id → index */
	struct map os_ticks; /* (id, cause) → ticks of the rows so far, where they are converted */
	struct thread_sums {
		uint64_t of_nodes[THREAD_TOTALS]; /* in the input's ticks */
		int64_t first_node;		  /* id; 0: none yet */
	} * sums;
	struct error *err;
	bool failed; /* err is set */
};

/* ---- adding.c ---- */
/* Sums stay at the largest number where they would pass it: the writer refuses it. */
void add_count(uint64_t *to, uint64_t value);
void add_signed(int64_t *to, int64_t value);
void keep_most(uint64_t *to, uint64_t value);
/* Widens `to`, least and greatest, of which the first is larger where there is none yet. */
void keep_range(uint64_t *to, uint64_t least, uint64_t greatest);
int compare_numbers(uint64_t a, uint64_t b);
/* A node without calls. */
struct profile_node node_empty(void);
extern const struct thread_total_info {
	size_t member;	/* of the row */
	uint32_t since; /* the version since which profiles have it */
} thread_totals[];
uint64_t *thread_total_of(struct profile_thread *row, enum thread_total total);

/* ---- rescale.c: ticks of the input in ns ---- */
uint64_t rescale(const struct input *input, uint64_t ticks);
int64_t rescale_signed(const struct input *input, int64_t ticks);
/* A time of the input, which counts from its begin, or on the clock of the wall. */
uint64_t rescale_time(const struct input *input, uint64_t ticks);
void rescale_calibration(const struct input *input, struct tare_calibration *calibration);
/* The bucket in which the middle of the input's bucket lies. */
uint32_t rescale_bucket(const struct input *input, uint32_t bucket);

/* ---- session_row.c ---- */
void session_take(struct merge *merge, const struct input *input);
/* Texts live in the merge's arena. */
struct profile_session session_row(struct merge *merge);
/* The name without " (N merged)", which it has where `is_merged`; *count gets N, else 1. */
const char *name_split(struct arena *arena, const char *name, bool is_merged, uint64_t *count);
const char *name_join(struct arena *arena, const struct merged_name *name);

/* ---- combine.c: the tables that a profile keeps in memory, and the small ones ---- */
void combine_tables(struct input *input);
bool combine_streams(struct input *input, struct error *err);

/* ---- blocks.c ---- */
bool combine_executions(struct input *input, struct error *err);

/* ---- spill.c ---- */
/* Appends; *offset is where. */
bool spill_put(struct spill *spill, const void *bytes, size_t size, uint64_t *offset,
	       struct error *err);
bool spill_get(const struct spill *spill, uint64_t offset, void *bytes, size_t size,
	       struct error *err);
/* Sets err: what was read is not what was written. False. */
bool spill_fail(const struct spill *spill, struct error *err);
void spill_fini(struct spill *spill);

/* ---- times.c: event logs, and samples in the order of time ---- */
/* Counts what it leaves out where processes are not kept apart. */
bool combine_times(struct input *input, struct error *err);

/* ---- write.c ---- */
struct output {
	struct merge *merge;
	struct profile_writer *writer;
	/* rank by index, and index by rank, which is the id less 1 */
	struct ranking {
		uint32_t *rank, *order;
	} processes, threads, modules, functions, samplings, events, sources, locations, coverage,
		disarms, counted, unfollowed, blocks, executions, lines;
	uint32_t source_count;
	/* id by index, and index by id */
	struct ranking stacks;
	struct error *err;
};
/* keys.c */
int64_t id_of(const struct ranking *ranking, int64_t index);
/* rescale.c: a time as the output has it. */
uint64_t time_out(const struct output *output, uint64_t ticks);
/* times.c, runs.c */
bool write_times(const struct output *output);
bool write_nodes(const struct output *output);
/* blocks.c */
bool write_executions(const struct output *output);

/* ---- nodes.c: nodes and what hangs on them ---- */
bool combine_nodes(struct input *input, struct error *err);

/* ---- node_code.c ---- */
struct node_sum {
	struct profile_node row;
	struct vec_of(struct profile_os) os;
	struct vec_of(struct profile_histogram) histogram;
};
void node_put(struct merge *merge, const struct node_sum *node, struct byte_vec *out);
/* Adds what node_put wrote; false where it is no such thing. */
bool node_add_coded(const struct merge *merge, struct byte_reader *reader, struct node_sum *node);
/* Sorts the rows, and makes those that are the same one. */
void node_unite(struct node_sum *node);
void node_sum_fini(struct node_sum *sum);
int compare_os(const void *a, const void *b);
int compare_histogram(const void *a, const void *b);

/* ---- runs.c ---- */
/* Behind an input: writes a run where memory would hold too much, and forgets the nodes. */
bool runs_put_if_large(struct merge *merge, struct error *err);

/*
 * Numbers the items of a tree, 1 to count - 1, parents before children and children by `key`;
 * item 0 stands for none. number[item] and order[number] are to be freed.
 */
struct tree_item {
	uint32_t parent, index;
	uint64_t key;
};
void tree_number(struct tree_item *items, size_t count, uint32_t **number, uint32_t **order);

#endif
