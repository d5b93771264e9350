/*
 * Records come in the order of time: fork copies the parent's map, exec begins an empty one, a
 * mapping replaces what was there. Mappings that are not of code are not looked at.
 */
#include "sampler/processes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct processes {
	struct images *images;
	struct map by_pid; /* pid → index; a pid that is used again gets a new one */
	struct vec_of(struct process *) list;
};

struct processes *processes_new(struct images *images)
{
	struct processes *processes = mem_zalloc(sizeof(*processes));

	processes->images = images;
	map_init(&processes->by_pid);
	return processes;
}

void processes_free(struct processes *processes)
{
	if (!processes)
		return;
	vec_foreach (process, &processes->list) {
		unwind_map_free((*process)->map);
		vec_fini(&(*process)->images);
		free(*process);
	}
	vec_fini(&processes->list);
	map_fini(&processes->by_pid);
	free(processes);
}

static struct process *process_begin(struct processes *processes, uint32_t pid)
{
	struct process *process = mem_zalloc(sizeof(*process));

	process->pid = pid;
	process->map = unwind_map_new();
	*map_put(&processes->by_pid, pid, 0) = processes->list.len;
	vec_push(&processes->list, process);
	return process;
}

struct process *processes_get(struct processes *processes, uint32_t pid)
{
	const uint64_t *index = map_get(&processes->by_pid, pid);

	return index ? processes->list.data[*index] : process_begin(processes, pid);
}

static void images_cut(struct process *process, uint64_t begin, uint64_t end)
{
	size_t kept = 0;

	for (size_t i = 0; i < process->images.len; i++) {
		const struct process_image image = process->images.data[i];

		if (image.begin < end && begin < image.end)
			continue;
		process->images.data[kept++] = image;
	}
	process->images.len = kept;
}

static void process_map(struct process *process, const struct process_image *mapped)
{
	size_t at = 0;

	images_cut(process, mapped->begin, mapped->end);
	while (at < process->images.len && process->images.data[at].begin < mapped->begin)
		at++;
	vec_reserve(&process->images, 1);
	memmove(&process->images.data[at + 1], &process->images.data[at],
		(process->images.len - at) * sizeof(*mapped));
	process->images.data[at] = *mapped;
	process->images.len++;
	unwind_map_add(process->map, &(struct unwind_mapping){.begin = mapped->begin,
							      .end = mapped->end,
							      .bias = mapped->bias,
							      .table = mapped->image->table});
}

static bool is_vdso(const char *path)
{
	return strcmp(path, "[vdso]") == 0;
}

static void apply_mapping(struct processes *processes, const struct perf_mapping *mapping)
{
	struct process *process = processes_get(processes, mapping->pid);
	struct process_image mapped = {.begin = mapping->addr,
				       .end = mapping->addr + mapping->size};
	char root[40];

	if (!(mapping->protection & PROT_EXEC) || mapped.end <= mapped.begin)
		return;
	if (is_vdso(mapping->path)) {
		mapped.image = images_vdso(processes->images);
		mapped.bias = mapping->addr;
	} else if (mapping->path[0] == '/' && strcmp(mapping->path, "//anon") != 0) {
		snprintf(root, sizeof(root), "/proc/%" PRIu32 "/root", mapping->pid);
		mapped.image = images_get(processes->images, root, mapping->path);
		if (!image_bias(mapped.image, mapping->addr, mapping->size, mapping->file_offset,
				&mapped.bias))
			mapped.bias = mapping->addr - mapping->file_offset;
	} else {
		/* Code made at run time. */
		images_cut(process, mapped.begin, mapped.end);
		unwind_map_add(process->map,
			       &(struct unwind_mapping){.begin = mapped.begin, .end = mapped.end});
		return;
	}
	process_map(process, &mapped);
}

static void apply_fork(struct processes *processes, const struct perf_task *task, uint64_t time)
{
	if (task->pid == task->parent_pid)
		return; /* a thread */
	const struct process *parent = processes_get(processes, task->parent_pid);
	struct process *child = process_begin(processes, task->pid);

	child->parent_pid = task->parent_pid;
	child->begin_time = time;
	memcpy(child->name, parent->name, sizeof(child->name));
	vec_foreach (mapped, &parent->images)
		process_map(child, mapped);
}

static void apply_name(struct processes *processes, const struct perf_name *name)
{
	struct process *process = processes_get(processes, name->pid);

	if (name->exec) {
		process->images.len = 0;
		unwind_map_remove(process->map, 0, ~UINT64_C(0));
	}
	if (name->pid == name->tid)
		snprintf(process->name, sizeof(process->name), "%s", name->name);
}

void processes_apply(struct processes *processes, const struct perf_record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		apply_mapping(processes, &record->mapping);
		break;
	case PERF_RECORD_FORK:
		apply_fork(processes, &record->task, record->time);
		break;
	case PERF_RECORD_EXIT:
		if (record->task.pid == record->task.tid)
			processes_get(processes, record->task.pid)->end_time = record->time;
		break;
	case PERF_RECORD_COMM:
		apply_name(processes, &record->name);
		break;
	default:
		break;
	}
}

bool processes_attach(struct processes *processes, uint32_t pid, struct error *err)
{
	struct process *process = processes_get(processes, pid);
	char path[64], *line = NULL;
	size_t room = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return error_set_errno(err, errno,
				       "cannot read what process %" PRIu32 " has mapped (%s)", pid,
				       path);
	while (getline(&line, &room, file) > 0) {
		struct perf_mapping mapping = {.pid = pid, .tid = pid};
		char access[8] = "";
		uint64_t end;
		int name = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n",
			   &mapping.addr, &end, access, &mapping.file_offset, &name) < 4 ||
		    access[2] != 'x')
			continue;
		line[strcspn(line, "\n")] = 0;
		mapping.size = end - mapping.addr;
		mapping.protection = PROT_EXEC;
		mapping.path = name ? line + name : "";
		apply_mapping(processes, &mapping);
	}
	free(line);
	fclose(file);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", pid);
	file = fopen(path, "re");
	if (file && fgets(process->name, sizeof(process->name), file))
		process->name[strcspn(process->name, "\n")] = 0;
	if (file)
		fclose(file);
	return true;
}

const struct process_image *process_image_at(const struct process *process, uint64_t run_addr)
{
	size_t first = 0, count = process->images.len;

	while (count) { /* the first that ends above it */
		const size_t half = count / 2;

		if (process->images.data[first + half].end <= run_addr) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	if (first == process->images.len || process->images.data[first].begin > run_addr)
		return NULL;
	return &process->images.data[first];
}
