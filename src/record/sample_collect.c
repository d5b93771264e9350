/*
 * From samples to log records. Most samples of a thread share the outer part of their stacks with
 * the one before, so each thread keeps its last stack, root first, and only what differs from it is
 * looked up:
 *
 *   run addresses:  a b c d e        addresses of the next sample:  a b c x y
 *   nodes:          1 2 3 4 5                                       1 2 3 │ image, location, node
 *
 * It is forgotten when the process maps or executes something.
 */
#include "record/sample_collect.h"

#include "assemble/sample_builder.h"
#include "session/job_rank.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NONE UINT64_MAX

/* Samples of a process in which its rank is asked for again. */
enum { RANK_ASKS = 8 };

struct step {
	uint64_t run_addr;
	uint32_t node;
};

struct seen_thread {
	uint32_t number, process; /* in the log; index of the process */
	uint64_t generation;	  /* of the process, when the stack was looked up */
	char name[PROCESS_NAME_BYTES];
	struct vec_of(struct step) stack; /* the last one, root first */
};

struct seen_process {
	uint32_t number, pid, parent_pid;
	uint64_t generation;	/* counts changes of what is mapped */
	bool is_new;		/* its begin was seen */
	bool wants_executable;	/* the next mapping is of the program that it has executed */
	uint32_t rank_asks;	/* how often its rank may still be asked for */
	const char *executable; /* path, "" if not known */
	char name[PROCESS_NAME_BYTES];
	struct tare_rank rank;
	uint64_t runtime_image; /* number, of code made at run time; or NONE */
};

struct sample_collect {
	struct sample_collect_options options;
	struct arena arena;
	struct map by_pid, by_tid; /* → index, or NONE */
	struct map ended_by_tid;   /* → index of the last one that has ended */
	struct vec_of(struct seen_process) processes;
	struct vec_of(struct seen_thread) threads;
	struct vec_of(uint64_t) images;	      /* sampler's index → number in the log, or NONE */
	struct vec_of(struct map) locations;  /* of each image in the log: address → number */
	struct map nodes;		      /* parent << 32 | location → number */
	uint64_t kernel_image, unknown_image; /* numbers, or NONE */
	struct vec_of(uint32_t) only;	      /* pids; empty: all */
	uint64_t without_room, left_out, last_time;
};

struct sample_collect *sample_collect_new(const struct sample_collect_options *options)
{
	struct sample_collect *collect = mem_zalloc(sizeof(*collect));

	collect->options = *options;
	if (options->only)
		vec_append(&collect->only, options->only, options->only_count);
	collect->kernel_image = collect->unknown_image = NONE;
	arena_init(&collect->arena);
	map_init(&collect->by_pid);
	map_init(&collect->by_tid);
	map_init(&collect->ended_by_tid);
	map_init(&collect->nodes);
	return collect;
}

void sample_collect_free(struct sample_collect *collect)
{
	if (!collect)
		return;
	vec_foreach (thread, &collect->threads)
		vec_fini(&thread->stack);
	vec_foreach (locations, &collect->locations)
		map_fini(locations);
	vec_fini(&collect->threads);
	vec_fini(&collect->processes);
	vec_fini(&collect->images);
	vec_fini(&collect->only);
	vec_fini(&collect->locations);
	map_fini(&collect->by_pid);
	map_fini(&collect->by_tid);
	map_fini(&collect->ended_by_tid);
	map_fini(&collect->nodes);
	arena_fini(&collect->arena);
	free(collect);
}

uint64_t sample_collect_without_room(const struct sample_collect *collect)
{
	return collect->without_room;
}

uint64_t sample_collect_left_out(const struct sample_collect *collect)
{
	return collect->left_out;
}

bool sample_collect_process(const struct sample_collect *collect, size_t index, uint32_t *pid,
			    bool *is_new)
{
	if (index >= collect->processes.len)
		return false;
	*pid = collect->processes.data[index].pid;
	*is_new = collect->processes.data[index].is_new;
	return true;
}

static bool is_left_out(const struct sample_collect *collect, uint32_t pid)
{
	for (size_t i = 0; i < collect->only.len; i++)
		if (collect->only.data[i] == pid)
			return false;
	return collect->only.len != 0;
}

/* ---- processes ---- */

static void copy_name(char to[PROCESS_NAME_BYTES], const char *from)
{
	snprintf(to, PROCESS_NAME_BYTES, "%s", from);
}

static void set_executable(struct sample_collect *collect, struct seen_process *process,
			   const char *path)
{
	const struct sample_log_note note = {.of = process->number, .text = path};

	process->executable = arena_strdup(&collect->arena, path);
	sample_log_put_note(collect->options.log, SAMPLE_LOG_EXECUTABLE, &note);
}

static void ask_executable(struct sample_collect *collect, struct seen_process *process)
{
	char link[64], path[PATH_MAX];

	if (!collect->options.live)
		return;
	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", process->pid);
	const ssize_t length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return;
	path[length] = 0;
	set_executable(collect, process, path);
}

static void set_rank(struct sample_collect *collect, struct seen_process *process,
		     struct tare_rank rank)
{
	const struct sample_log_rank row = {process->number, rank};

	process->rank = rank;
	if (rank.launcher)
		sample_log_put_rank(collect->options.log, &row);
}

/* An environment is empty in the middle of an execve; it may also stay so. */
static void ask_rank(struct sample_collect *collect, struct seen_process *process)
{
	struct tare_rank rank;

	process->rank_asks--;
	if (!job_rank_of(process->pid, &rank))
		return;
	process->rank_asks = 0;
	set_rank(collect, process, rank);
}

static struct seen_process *find_process(struct sample_collect *collect, uint32_t pid)
{
	const uint64_t *index = map_get(&collect->by_pid, pid);

	return index && *index != NONE ? &collect->processes.data[*index] : NULL;
}

static struct seen_process *add_process(struct sample_collect *collect,
					const struct sample_log_process *row)
{
	struct seen_process process = {.pid = row->pid,
				       .parent_pid = row->parent_pid,
				       .is_new = !(row->flags & SAMPLE_LOG_RUNNING),
				       .executable = "",
				       .runtime_image = NONE};

	copy_name(process.name, row->name);
	process.number = sample_log_put_process(collect->options.log, row);
	*map_put(&collect->by_pid, row->pid, 0) = collect->processes.len;
	vec_push(&collect->processes, process);
	if (collect->options.live && !(row->flags & SAMPLE_LOG_FORKED)) {
		vec_last(&collect->processes).rank_asks = RANK_ASKS;
		ask_rank(collect, &vec_last(&collect->processes));
	}
	return &vec_last(&collect->processes);
}

/* One that no record has told the begin of. */
static struct seen_process *meet_process(struct sample_collect *collect,
					 const struct sample_log_process *row)
{
	struct seen_process *process = find_process(collect, row->pid);

	if (process)
		return process;
	process = add_process(collect, row);
	ask_executable(collect, process);
	return process;
}

/* ---- threads ---- */

static struct seen_thread *find_thread(struct sample_collect *collect, uint32_t tid)
{
	const uint64_t *index = map_get(&collect->by_tid, tid);

	return index && *index != NONE ? &collect->threads.data[*index] : NULL;
}

static struct seen_thread *add_thread(struct sample_collect *collect,
				      const struct seen_process *process, uint32_t tid,
				      uint64_t time)
{
	const struct sample_log_thread row = {
		.process = process->number, .tid = tid, .time = time, .name = process->name};
	struct seen_thread thread = {.process = (uint32_t)(process - collect->processes.data)};

	copy_name(thread.name, process->name);
	thread.number = sample_log_put_thread(collect->options.log, &row);
	*map_put(&collect->by_tid, tid, 0) = collect->threads.len;
	vec_push(&collect->threads, thread);
	return &vec_last(&collect->threads);
}

static struct seen_thread *meet_thread(struct sample_collect *collect,
				       const struct seen_process *process, uint32_t tid,
				       uint64_t time)
{
	struct seen_thread *thread = find_thread(collect, tid);

	if (thread && collect->processes.data[thread->process].number == process->number)
		return thread;
	return add_thread(collect, process, tid, time);
}

/* Who joins a thread is woken by it when it has ended. */
static struct seen_thread *meet_waker(struct sample_collect *collect,
				      const struct seen_process *process, uint32_t tid,
				      uint64_t time)
{
	const uint64_t *ended = map_get(&collect->ended_by_tid, tid);
	struct seen_thread *thread = ended ? &collect->threads.data[*ended] : NULL;

	if (!find_thread(collect, tid) && thread &&
	    collect->processes.data[thread->process].number == process->number)
		return thread;
	return meet_thread(collect, process, tid, time);
}

static void end_thread(struct sample_collect *collect, uint32_t tid, uint64_t time)
{
	struct seen_thread *thread = find_thread(collect, tid);

	if (!thread)
		return;
	const struct sample_log_note note = {.of = thread->number, .time = time};
	sample_log_put_note(collect->options.log, SAMPLE_LOG_END, &note);
	vec_fini(&thread->stack);
	*map_put(&collect->ended_by_tid, tid, 0) = *map_get(&collect->by_tid, tid);
	*map_put(&collect->by_tid, tid, 0) = NONE;
}

/* ---- records ---- */

static void take_fork(struct sample_collect *collect, const struct perf_task *task, uint64_t time)
{
	struct seen_process *process = find_process(collect, task->pid);
	const struct seen_process *parent = find_process(collect, task->parent_pid);

	if (is_left_out(collect, task->pid))
		return;
	if (collect->options.sampled_only) {
		/* What had the numbers before has ended. */
		*map_put(&collect->by_tid, task->tid, 0) = NONE;
		if (task->pid != task->parent_pid)
			*map_put(&collect->by_pid, task->pid, 0) = NONE;
		return;
	}
	if (task->pid != task->parent_pid) {
		const struct sample_log_process row = {.pid = task->pid,
						       .parent_pid = task->parent_pid,
						       .time = time,
						       .flags = SAMPLE_LOG_FORKED,
						       .name = parent ? parent->name : ""};
		const char *executable = parent ? parent->executable : "";
		const struct tare_rank rank = parent ? parent->rank : (struct tare_rank){0};
		const uint32_t rank_asks = parent ? parent->rank_asks : 0;
		process = add_process(collect, &row);
		process->rank_asks = rank_asks;
		set_rank(collect, process, rank);
		if (*executable)
			set_executable(collect, process, executable);
	}
	if (!process)
		return;
	struct seen_thread *thread = add_thread(collect, process, task->tid, time);
	const struct seen_thread *maker = find_thread(collect, task->parent_tid);
	if (!maker || !strcmp(maker->name, thread->name))
		return;
	copy_name(thread->name, maker->name);
	const struct sample_log_note note = {.of = thread->number, .text = thread->name};
	sample_log_put_note(collect->options.log, SAMPLE_LOG_NAME_OF_THREAD, &note);
}

static void take_execution(struct sample_collect *collect, const struct perf_name *name,
			   uint64_t time)
{
	const struct seen_process *before = find_process(collect, name->pid);
	struct sample_log_process row = {.pid = name->pid,
					 .parent_pid = before ? before->parent_pid : 0,
					 .time = time,
					 .name = name->name};

	end_thread(collect, name->tid, time);
	if (collect->options.sampled_only) {
		*map_put(&collect->by_pid, name->pid, 0) = NONE;
		return;
	}
	struct seen_process *process = add_process(collect, &row);
	process->wants_executable = true;
	add_thread(collect, process, name->tid, time);
}

static void take_name(struct sample_collect *collect, const struct perf_name *name, uint64_t time)
{
	const struct sample_log_process row = {
		.pid = name->pid, .time = time, .flags = SAMPLE_LOG_RUNNING, .name = name->name};

	if (is_left_out(collect, name->pid))
		return;
	if (name->exec) {
		take_execution(collect, name, time);
		return;
	}
	if (collect->options.sampled_only && !find_thread(collect, name->tid))
		return;
	struct seen_process *process = meet_process(collect, &row);
	struct seen_thread *thread = meet_thread(collect, process, name->tid, time);
	if (strcmp(thread->name, name->name) != 0) {
		const struct sample_log_note note = {.of = thread->number, .text = name->name};
		copy_name(thread->name, name->name);
		sample_log_put_note(collect->options.log, SAMPLE_LOG_NAME_OF_THREAD, &note);
	}
	if (name->pid == name->tid && strcmp(process->name, name->name) != 0) {
		const struct sample_log_note note = {.of = process->number, .text = name->name};
		copy_name(process->name, name->name);
		sample_log_put_note(collect->options.log, SAMPLE_LOG_NAME_OF_PROCESS, &note);
	}
}

/* The kernel maps a program before its loader. */
static void take_mapping(struct sample_collect *collect, const struct perf_mapping *mapping)
{
	struct seen_process *process = find_process(collect, mapping->pid);

	if (!process || !(mapping->protection & PROT_EXEC))
		return;
	process->generation++;
	if (collect->options.jit)
		jit_files_note_mapping(collect->options.jit, mapping->pid, mapping->path);
	if (!process->wants_executable || mapping->path[0] != '/')
		return;
	process->wants_executable = false;
	set_executable(collect, process, mapping->path);
}

static void take_record(void *context, const struct perf_record *record)
{
	struct sample_collect *collect = context;
	const uint64_t time = record->time ? record->time : collect->last_time;

	collect->last_time = time;
	switch (record->type) {
	case PERF_RECORD_FORK:
		take_fork(collect, &record->task, time);
		break;
	case PERF_RECORD_EXIT:
		end_thread(collect, record->task.tid, time);
		break;
	case PERF_RECORD_COMM:
		take_name(collect, &record->name, time);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_mapping(collect, &record->mapping);
		break;
	default:
		break;
	}
}

/* ---- stacks ---- */

static uint64_t add_image(struct sample_collect *collect, const struct sample_log_image *row)
{
	struct map locations = {0};

	map_init(&locations);
	vec_push(&collect->locations, locations);
	return sample_log_put_image(collect->options.log, row);
}

/* One of those that are no files. */
static uint64_t add_place(struct sample_collect *collect, const char *path)
{
	const struct sample_log_image row = {.path = path, .file = ""};

	return add_image(collect, &row);
}

static uint64_t add_file(struct sample_collect *collect, const struct image *image)
{
	struct sample_log_image row = {.path = image->path, .file = image->file ? image->file : ""};

	if (image->object)
		row.build_id = object_build_id(image->object, &row.build_id_bytes);
	return add_image(collect, &row);
}

static uint64_t image_number(struct sample_collect *collect, const struct image *image)
{
	while (collect->images.len <= image->index)
		vec_push(&collect->images, NONE);
	uint64_t *number = &collect->images.data[image->index];
	if (*number == NONE)
		*number = add_file(collect, image);
	return *number;
}

/* Code made at run time has no file; what is known of it stands where compilers write it down. */
static uint64_t runtime_image(struct sample_collect *collect, struct seen_process *process)
{
	char path[64];

	if (process->runtime_image == NONE) {
		snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", process->pid);
		process->runtime_image = add_place(collect, path);
		if (collect->options.jit)
			jit_files_note_code(collect->options.jit, process->pid);
	}
	return process->runtime_image;
}

static uint32_t location_at(struct sample_collect *collect, uint64_t image, uint64_t link_addr)
{
	const struct sample_log_location row = {.image = (uint32_t)image, .link_addr = link_addr};
	uint64_t *number = map_put(&collect->locations.data[image], link_addr, 0);

	if (!*number)
		*number = sample_log_put_location(collect->options.log, &row);
	return (uint32_t)*number;
}

static uint32_t user_location(struct sample_collect *collect, struct seen_process *process,
			      const struct sampler_sample *sample, uint64_t run_addr)
{
	const struct process_image *mapped = process_image_at(sample->process, run_addr);

	if (mapped && mapped->image->kind != IMAGE_RUNTIME)
		return location_at(collect, image_number(collect, mapped->image),
				   run_addr - mapped->bias);
	if (mapped)
		return location_at(collect, runtime_image(collect, process), run_addr);
	if (collect->unknown_image == NONE)
		collect->unknown_image = add_place(collect, RESOLVE_UNKNOWN_PATH);
	return location_at(collect, collect->unknown_image, run_addr);
}

static uint32_t kernel_location(struct sample_collect *collect, uint64_t run_addr)
{
	if (collect->kernel_image == NONE)
		collect->kernel_image = add_place(collect, RESOLVE_KERNEL_PATH);
	return location_at(collect, collect->kernel_image, run_addr);
}

/* 0: there is no room for more. */
static uint32_t node_of(struct sample_collect *collect, uint32_t parent, uint32_t location)
{
	const struct sample_log_node row = {.parent = parent, .location = location};
	const uint64_t key = (uint64_t)parent << 32 | location;
	const uint64_t *known = map_get(&collect->nodes, key);

	if (known)
		return (uint32_t)*known;
	if (collect->nodes.len >= SAMPLE_STACKS_MAX)
		return 0;
	const uint32_t number = sample_log_put_node(collect->options.log, &row);
	map_put(&collect->nodes, key, number);
	return number;
}

/* The address of frame `i` of a sample, root first: of user code, then of the kernel. */
static uint64_t frame_at(const struct sampler_sample *sample, size_t i)
{
	const size_t user_count = sample->stack->count;

	if (i < user_count)
		return sample->stack->frames[user_count - 1 - i].addr;
	const size_t from_inside = sample->kernel_count - 1 - (i - user_count);
	/* Return addresses but for the innermost. */
	return sample->kernel[from_inside] - (from_inside != 0);
}

/* The node of the sample's stack; 0 where it has no frames, or *no_room. */
static uint32_t stack_of(struct sample_collect *collect, struct seen_process *process,
			 struct seen_thread *thread, const struct sampler_sample *sample,
			 bool *no_room)
{
	const size_t count = sample->stack->count + sample->kernel_count;
	size_t same = 0;
	uint32_t node = 0;

	if (thread->generation != process->generation)
		thread->stack.len = 0;
	thread->generation = process->generation;
	while (same < count && same < thread->stack.len &&
	       thread->stack.data[same].run_addr == frame_at(sample, same))
		node = thread->stack.data[same++].node;
	thread->stack.len = same;
	for (size_t i = same; i < count; i++) {
		const uint64_t run_addr = frame_at(sample, i);
		const uint32_t location =
			i < sample->stack->count ? user_location(collect, process, sample, run_addr)
						 : kernel_location(collect, run_addr);
		const struct step step = {run_addr, node_of(collect, node, location)};
		*no_room = !step.node;
		if (*no_room)
			return 0;
		vec_push(&thread->stack, step);
		node = step.node;
	}
	return node;
}

static struct seen_process *process_of(struct sample_collect *collect, const struct process *from,
				       uint64_t time)
{
	const struct sample_log_process unseen = {.pid = from->pid,
						  .parent_pid = from->parent_pid,
						  .time = time,
						  .flags = SAMPLE_LOG_RUNNING,
						  .name = from->name};

	return meet_process(collect, &unseen);
}

/* Who ended the wait whose sample has been put. */
static void take_waker(struct sample_collect *collect, const struct sampler_waker *waker)
{
	struct sample_log_waker row = {.time = waker->time};
	bool no_room = false;

	if (waker->process && is_left_out(collect, waker->process->pid))
		return;
	if (waker->process) {
		const struct sampler_sample sample = {.process = waker->process,
						      .kernel = waker->kernel,
						      .kernel_count = waker->kernel_count,
						      .stack = waker->stack};
		struct seen_process *process = process_of(collect, waker->process, waker->time);
		struct seen_thread *thread = meet_waker(collect, process, waker->tid, waker->time);

		row.thread = thread->number + 1;
		row.node = stack_of(collect, process, thread, &sample, &no_room);
	}
	sample_log_put_waker(collect->options.log, &row);
}

static void take_sample(void *context, const struct sampler_sample *sample)
{
	struct sample_collect *collect = context;
	const struct process *from = sample->process;
	bool no_room = false;

	collect->last_time = sample->time;
	if (is_left_out(collect, from->pid)) {
		collect->left_out++;
		return;
	}
	struct seen_process *process = process_of(collect, from, sample->time);
	if (process->rank_asks)
		ask_rank(collect, process);
	struct seen_thread *thread = meet_thread(collect, process, sample->tid, sample->time);
	struct sample_log_sample row = {.thread = thread->number,
					.event = (uint32_t)sample->event,
					.time = sample->time,
					.weight = sample->weight};

	row.node = stack_of(collect, process, thread, sample, &no_room);
	row.truncated = no_room || sample->stack->end != UNWIND_ROOT;
	collect->without_room += no_room;
	sample_log_put_sample(collect->options.log, &row);
	if (sample->waker)
		take_waker(collect, sample->waker);
}

struct sampler_sink sample_collect_sink(struct sample_collect *collect)
{
	return (struct sampler_sink){
		.sample = take_sample, .record = take_record, .context = collect};
}
