/*
 * Records come in the order of time: fork shares the parent's map until one of the two changes it,
 * exec begins an empty one, a mapping replaces what was there. Mappings that are not of code are
 * not looked at. A process has ended when its last thread has, which need not be its first one.
 */
#include "sampler/processes.h"

#include "base/process_parent.h"
#include "sampler/perf_events.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct processes {
	struct images *images;
	struct process_memory *empty; /* of all that have mapped nothing, or not yet */
	bool live;
	struct map by_pid; /* pid → index; a pid that is used again gets a new one */
	struct vec_of(struct process *) list;
};

/* ---- memory ---- */

static struct process_memory *memory_new(void)
{
	struct process_memory *memory = mem_zalloc(sizeof(*memory));

	memory->map = unwind_map_new();
	memory->users = 1;
	return memory;
}

static void memory_drop(struct process_memory *memory)
{
	if (--memory->users)
		return;
	unwind_map_free(memory->map);
	vec_fini(&memory->images);
	free(memory);
}

static struct process_memory *memory_share(struct process_memory *memory)
{
	memory->users++;
	return memory;
}

static void memory_clear(const struct processes *processes, struct process *process)
{
	memory_drop(process->memory);
	process->memory = memory_share(processes->empty);
}

/* The process's memory, for a change that no other process must see. */
static struct process_memory *memory_own(struct process *process)
{
	struct process_memory *shared = process->memory;

	if (shared->users == 1)
		return shared;
	process->memory = memory_new();
	vec_append(&process->memory->images, shared->images.data, shared->images.len);
	vec_foreach (mapped, &shared->images)
		unwind_map_add(process->memory->map,
			       &(struct unwind_mapping){.begin = mapped->begin,
							.end = mapped->end,
							.bias = mapped->bias,
							.rules = mapped->image->rules});
	memory_drop(shared);
	return process->memory;
}

/* Index of the first image that ends above `run_addr`. */
static size_t first_above(const struct process_memory *memory, uint64_t run_addr)
{
	size_t first = 0, count = memory->images.len;

	while (count) {
		const size_t half = count / 2;

		if (memory->images.data[first + half].end <= run_addr) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return first;
}

static void insert(struct process_memory *memory, size_t at, const struct process_image *mapped)
{
	vec_reserve(&memory->images, 1);
	memmove(&memory->images.data[at + 1], &memory->images.data[at],
		(memory->images.len - at) * sizeof(*mapped));
	memory->images.data[at] = *mapped;
	memory->images.len++;
}

/* Takes [begin, end) out, cutting what lies over its ends; returns where it was. */
static size_t cut(struct process_memory *memory, uint64_t begin, uint64_t end)
{
	size_t at = first_above(memory, begin), last;

	if (at < memory->images.len && memory->images.data[at].begin < begin) {
		struct process_image rest = memory->images.data[at];

		memory->images.data[at++].end = begin;
		if (rest.end > end) {
			rest.begin = end;
			insert(memory, at, &rest);
			return at;
		}
	}
	for (last = at; last < memory->images.len && memory->images.data[last].end <= end;)
		last++;
	if (last > at)
		memmove(&memory->images.data[at], &memory->images.data[last],
			(memory->images.len - last) * sizeof(*memory->images.data));
	memory->images.len -= last - at;
	if (at < memory->images.len && memory->images.data[at].begin < end)
		memory->images.data[at].begin = end;
	return at;
}

static void memory_map(struct process_memory *memory, const struct process_image *mapped)
{
	insert(memory, cut(memory, mapped->begin, mapped->end), mapped);
	unwind_map_add(memory->map, &(struct unwind_mapping){.begin = mapped->begin,
							     .end = mapped->end,
							     .bias = mapped->bias,
							     .rules = mapped->image->rules});
}

/* ---- processes ---- */

struct processes *processes_new(struct images *images, bool live)
{
	struct processes *processes = mem_zalloc(sizeof(*processes));

	processes->images = images;
	processes->live = live;
	processes->empty = memory_new();
	map_init(&processes->by_pid);
	return processes;
}

void processes_free(struct processes *processes)
{
	if (!processes)
		return;
	vec_foreach (process, &processes->list) {
		memory_drop((*process)->memory);
		free(*process);
	}
	memory_drop(processes->empty);
	vec_fini(&processes->list);
	map_fini(&processes->by_pid);
	free(processes);
}

static struct process *find(const struct processes *processes, uint32_t pid)
{
	const uint64_t *index = map_get(&processes->by_pid, pid);

	return index ? processes->list.data[*index] : NULL;
}

static struct process *process_begin(struct processes *processes, uint32_t pid,
				     struct process_memory *memory)
{
	struct process *process = mem_zalloc(sizeof(*process));

	process->pid = pid;
	process->threads = 1;
	process->memory = memory_share(memory);
	*map_put(&processes->by_pid, pid, 0) = processes->list.len;
	vec_push(&processes->list, process);
	return process;
}

struct process *processes_get(struct processes *processes, uint32_t pid)
{
	struct process *process = find(processes, pid);

	return process ? process : process_begin(processes, pid, processes->empty);
}

size_t processes_count(const struct processes *processes)
{
	return processes->list.len;
}

const struct process *processes_at(const struct processes *processes, size_t index)
{
	return processes->list.data[index];
}

/* ---- records ---- */

static void apply_mapping(struct processes *processes, const struct perf_mapping *mapping,
			  uint64_t time)
{
	struct process_image mapped = {.begin = mapping->addr};

	if (!(mapping->protection & PROT_EXEC) || !mapping->size ||
	    __builtin_add_overflow(mapping->addr, mapping->size, &mapped.end))
		return;
	struct process *process = processes_get(processes, mapping->pid);

	if (time && time < process->known_time)
		return; /* it has been replaced by what /proc has told */
	mapped.image = images_get(processes->images, mapping, processes->live);
	if (mapped.image->kind == IMAGE_VDSO)
		mapped.bias = mapping->addr;
	else if (mapped.image->kind == IMAGE_FILE &&
		 !image_bias(mapped.image, mapping->addr, mapping->size, mapping->file_offset,
			     &mapped.bias))
		mapped.bias = mapping->addr - mapping->file_offset;
	memory_map(memory_own(process), &mapped);
}

static void apply_fork(struct processes *processes, const struct perf_task *task, uint64_t time)
{
	struct process *parent = processes_get(processes, task->parent_pid);

	if (task->pid == task->parent_pid) {
		if (time >= parent->known_time) /* else it has been counted in /proc */
			parent->threads++;
		return;
	}
	struct process *before = find(processes, task->pid);
	if (before && !before->end_time) { /* its end has been lost */
		before->end_time = time;
		memory_clear(processes, before);
	}
	struct process *child = process_begin(
		processes, task->pid, task->ran_already ? processes->empty : parent->memory);

	child->parent_pid = task->parent_pid;
	child->begin_time = time;
	child->known = parent->known;
	child->target = parent->target;
	memcpy(child->name, parent->name, sizeof(child->name));
}

static void apply_exit(struct processes *processes, const struct perf_task *task, uint64_t time)
{
	struct process *process = processes_get(processes, task->pid);

	if (time < process->known_time)
		return;
	if (process->threads)
		process->threads--;
	if (process->threads)
		return;
	process->end_time = time;
	memory_clear(processes, process);
}

static void apply_name(struct processes *processes, const struct perf_name *name)
{
	struct process *process = processes_get(processes, name->pid);

	if (name->exec) {
		memory_clear(processes, process);
		process->executing = true;
		process->known = true;
		process->known_time = 0; /* what /proc has told was of the program before */
		process->threads = 1;	 /* the others have ended, without records of their own */
	}
	if (name->pid == name->tid)
		snprintf(process->name, sizeof(process->name), "%s", name->name);
}

void processes_apply(struct processes *processes, const struct perf_record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		apply_mapping(processes, &record->mapping, record->time);
		break;
	case PERF_RECORD_FORK:
		apply_fork(processes, &record->task, record->time);
		break;
	case PERF_RECORD_EXIT:
		apply_exit(processes, &record->task, record->time);
		break;
	case PERF_RECORD_COMM:
		apply_name(processes, &record->name);
		break;
	default:
		break;
	}
}

/* ---- what runs already ---- */

static void tell(struct processes *processes, const struct processes_told *told,
		 const struct perf_record *record)
{
	processes_apply(processes, record);
	if (told)
		told->record(told->context, record);
}

static FILE *open_file_of(uint32_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, name);
	return fopen(path, "re");
}

/* Lines of /proc/PID/maps, which escape nothing but line ends in paths. */
static void attach_maps(struct processes *processes, uint32_t pid, FILE *file, uint64_t time,
			const struct processes_told *told)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, file) > 0) {
		struct perf_record record = {.type = PERF_RECORD_MMAP2, .time = time};
		struct perf_mapping *mapping = &record.mapping;
		char access[8] = "";
		uint64_t end;
		int name = 0;

		if (sscanf(line,
			   "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %" SCNx32 ":%" SCNx32
			   " %" SCNu64 " %n",
			   &mapping->addr, &end, access, &mapping->file_offset, &mapping->major,
			   &mapping->minor, &mapping->inode, &name) < 7 ||
		    access[2] != 'x' || end <= mapping->addr)
			continue;
		line[strcspn(line, "\n")] = 0;
		mapping->pid = mapping->tid = pid;
		mapping->size = end - mapping->addr;
		mapping->protection = PROT_EXEC;
		mapping->path = name && line[name] ? line + name : "//anon";
		tell(processes, told, &record);
	}
	free(line);
}

static void attach_thread_name(struct processes *processes, uint32_t pid, uint32_t tid,
			       uint64_t time, const struct processes_told *told)
{
	char name[PROCESS_NAME_BYTES + 1] = "", path[48];

	snprintf(path, sizeof(path), "task/%" PRIu32 "/comm", tid);
	FILE *file = open_file_of(pid, path);
	if (!file)
		return;
	if (fgets(name, sizeof(name), file)) {
		name[strcspn(name, "\n")] = 0;
		tell(processes, told,
		     &(struct perf_record){.type = PERF_RECORD_COMM,
					   .time = time,
					   .name = {.pid = pid, .tid = tid, .name = name}});
	}
	fclose(file);
}

static size_t attach_threads_names(struct processes *processes, uint32_t pid, uint64_t time,
				   const struct processes_told *told)
{
	char path[64];
	size_t count = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	DIR *directory = opendir(path);
	for (const struct dirent *entry; directory && (entry = readdir(directory));) {
		const uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (!tid)
			continue;
		attach_thread_name(processes, pid, tid, time, told);
		count++;
	}
	if (directory)
		closedir(directory);
	return count;
}

bool processes_attach(struct processes *processes, uint32_t pid, const struct processes_told *told,
		      struct error *err)
{
	FILE *file = open_file_of(pid, "maps");

	if (!file)
		return error_set_errno(err, errno,
				       "cannot read what process %" PRIu32 " has mapped", pid);
	struct process *process = processes_get(processes, pid);
	const uint64_t now = sampler_clock_ns();

	/* One that has ended, and a thread of the kernel, have none. */
	const int first = getc(file);
	if (first != EOF) {
		ungetc(first, file);
		memory_clear(processes, process);
		process->known_time = now;
	}
	if (!process->known) {
		process->known = true;
		if (!process->parent_pid)
			process->parent_pid = process_parent(pid);
		const size_t threads = attach_threads_names(processes, pid, now, told);
		process->threads = threads ? threads : 1;
	}
	attach_maps(processes, pid, file, now, told);
	fclose(file);
	return true;
}

const struct process_image *process_image_at(const struct process *process, uint64_t run_addr)
{
	const struct process_memory *memory = process->memory;
	const size_t at = first_above(memory, run_addr);

	if (at == memory->images.len || memory->images.data[at].begin > run_addr)
		return NULL;
	return &memory->images.data[at];
}
