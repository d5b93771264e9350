/*
 * The log is read twice, as processes and threads have rows with their ends and last names, which
 * stand behind their samples:
 *
 *   1  processes, threads, events, counts ─▶ their rows
 *   2  locations, nodes (kept until a sample needs them), samples ─▶ sample_builder
 *
 * Processes that executed another program before any sample of them was taken are left out, and
 * threads of such; where calls are recorded, too, also those that led to a program that is
 * recorded: their samples count as taken outside of it.
 */
#include "assemble/sample_assemble.h"
#include "assemble/process_name.h"
#include "assemble/wake_rows.h"
#include "session/job_rank.h"

#include <string.h>

#define UNWRITTEN     INT64_MIN
#define NS_PER_SECOND 1000000000ULL
#define PERIODS_MAX   1000

struct log_process {
	struct sample_log_process row;
	const char *executable;
	struct tare_rank rank;
	uint64_t samples, end_time;
	bool open, replaced;		    /* a thread lives; it has executed another program */
	bool is_new;			    /* nothing but samples tells of it */
	const struct tare_control *control; /* NULL: it was always on */
	size_t next; /* of those that were replaced: the one that it executed */
	int64_t id;
};

struct log_thread {
	struct sample_log_thread row;
	uint64_t end_time; /* 0: not seen */
	uint64_t samples;
	int64_t id;
};

/* Where the address is. In an instrumented copy it stands for the function that it is a copy of. */
enum location_place { PLACE_UNKNOWN, PLACE_USER, PLACE_KERNEL, PLACE_RUNTIME };

struct log_location {
	struct sample_log_location row;
	enum location_place place;
	uint64_t link_addr; /* in the original */
	uint64_t callee;    /* where a sample is of this function's call; else 0 */
	int64_t id;	    /* 0: not asked for yet */
};

struct log_node {
	struct sample_log_node row;
	int64_t stack; /* 0: not asked for yet */
};

struct log_image {
	const char *path;
	const unsigned char *build_id;
	size_t build_id_bytes;
	struct resolve_module *module; /* NULL: not asked for yet */
	bool runtime, kernel;	       /* tare's own, the kernel's */
};

/* Of an image. */
struct sampled_addrs {
	const char *path;
	struct vec_of(uint64_t) link_addrs;
};

struct sample_assembly {
	const struct sample_input *input;
	struct sample_output *output;
	struct sample_builder *builder;
	struct vec_of(struct log_process) processes;
	struct vec_of(struct log_thread) threads;
	struct vec_of(int64_t) events;		     /* ids */
	struct vec_of(uint64_t) periods_ns;	     /* of each by a timer; else 0 */
	uint64_t drawn, periods;		     /* samples, and what they stand for together */
	struct vec_of(struct sampled_addrs) sampled; /* from the first reading on to the second */
	struct vec_of(struct log_image) images;
	struct vec_of(struct log_location) locations;
	struct vec_of(struct log_node) nodes;
	struct vec_of(uint32_t) path; /* of nodes, from the innermost out */
	struct map known_threads;     /* process id << 32 | tid → row id */
	struct vec_of(const struct sample_known_thread *) shared_threads;
	struct clock_rate rate;
	struct arena arena;
	struct wake_rows wakes;
	int64_t wait_event;    /* off-cpu; 0: there is none */
	size_t event_count;    /* in the first reading */
	size_t preempted;      /* number of that event in the log; SIZE_MAX: there is none */
	struct wake_told wait; /* the last sample, if it was a wait; else its thread is 0 */
};

/* ---- first reading ---- */

static void take_process(struct sample_assembly *assembly, const struct sample_log_process *row)
{
	const struct log_process process = {.row = *row, .executable = ""};

	vec_push(&assembly->processes, process);
}

static void take_thread(struct sample_assembly *assembly, const struct sample_log_thread *row)
{
	const struct log_thread thread = {.row = *row};

	vec_push(&assembly->threads, thread);
}

static void take_note(struct sample_assembly *assembly, enum sample_log_kind kind,
		      const struct sample_log_note *note)
{
	if (kind == SAMPLE_LOG_EXECUTABLE)
		assembly->processes.data[note->of].executable = note->text;
	else if (kind == SAMPLE_LOG_NAME_OF_PROCESS)
		assembly->processes.data[note->of].row.name = note->text;
	else if (kind == SAMPLE_LOG_NAME_OF_THREAD)
		assembly->threads.data[note->of].row.name = note->text;
	else
		assembly->threads.data[note->of].end_time = note->time;
}

/* Where samples are in the copies of modules that are known already is looked up at once. */
static void prepare_locations(struct sample_assembly *assembly)
{
	struct sampled_addrs *sampled = assembly->sampled.data;

	for (size_t i = 0; i < assembly->sampled.len; i++) {
		struct resolve_module *module =
			resolver_find(assembly->input->resolver, sampled[i].path);

		if (module)
			resolver_prepare_sampled(module, sampled[i].link_addrs.data,
						 sampled[i].link_addrs.len);
		vec_fini(&sampled[i].link_addrs);
	}
	vec_fini(&assembly->sampled);
}

/* Before it ran at all: as all that run have such a sample, it says nothing of its thread. */
static bool is_first_wait(const struct sample_assembly *assembly,
			  const struct sample_log_sample *sample)
{
	return sample->event == assembly->preempted && !sample->node;
}

/* Or what else makes its thread one that needs a row. */
static void count_sample(struct sample_assembly *assembly, uint32_t number)
{
	struct log_thread *thread = &assembly->threads.data[number];

	thread->samples++;
	assembly->processes.data[thread->row.process].samples++;
}

static void take_first(struct sample_assembly *assembly, const struct sample_log_record *record)
{
	switch (record->kind) {
	case SAMPLE_LOG_PROCESS:
		take_process(assembly, &record->process);
		break;
	case SAMPLE_LOG_THREAD:
		take_thread(assembly, &record->thread);
		break;
	case SAMPLE_LOG_EXECUTABLE:
	case SAMPLE_LOG_NAME_OF_PROCESS:
	case SAMPLE_LOG_NAME_OF_THREAD:
	case SAMPLE_LOG_END:
		take_note(assembly, record->kind, &record->note);
		break;
	case SAMPLE_LOG_RANK:
		assembly->processes.data[record->rank.process].rank = record->rank.rank;
		break;
	case SAMPLE_LOG_COUNTS:
		assembly->output->counts = record->counts;
		break;
	case SAMPLE_LOG_IMAGE: {
		const struct sampled_addrs sampled = {.path = record->image.path};
		vec_push(&assembly->sampled, sampled);
		break;
	}
	case SAMPLE_LOG_LOCATION:
		vec_push(&assembly->sampled.data[record->location.image].link_addrs,
			 record->location.link_addr);
		break;
	case SAMPLE_LOG_EVENT:
		if (strcmp(record->event.name, "preempted") == 0)
			assembly->preempted = assembly->event_count;
		assembly->event_count++;
		break;
	case SAMPLE_LOG_SAMPLE:
		if (!is_first_wait(assembly, &record->sample))
			count_sample(assembly, record->sample.thread);
		break;
	case SAMPLE_LOG_WAKER:
		if (record->waker.thread)
			count_sample(assembly, record->waker.thread - 1);
		break;
	default:
		break;
	}
}

/* ---- processes and threads ---- */

static uint64_t ticks_of(const struct sample_assembly *assembly, uint64_t time)
{
	return clock_ticks_at(&assembly->input->recording->clock, &assembly->rate, time);
}

static uint64_t ticks_of_wake(const void *assembly, uint64_t time)
{
	return ticks_of(assembly, time);
}

/* A process ends with its last thread. */
static void find_ends(struct sample_assembly *assembly)
{
	struct map last_by_pid = {0};

	vec_foreach (thread, &assembly->threads) {
		struct log_process *process = &assembly->processes.data[thread->row.process];
		process->open |= !thread->end_time;
		if (thread->end_time > process->end_time)
			process->end_time = thread->end_time;
	}
	map_init(&last_by_pid);
	for (size_t i = 0; i < assembly->processes.len; i++) {
		const struct sample_log_process *row = &assembly->processes.data[i].row;
		uint64_t *last = map_put(&last_by_pid, row->pid, i);
		/* One that began by execve: its process was another one until then. */
		if (*last != i && !row->flags) {
			struct log_process *before = &assembly->processes.data[*last];
			before->replaced = true;
			before->next = i;
			before->open = false;
			before->end_time = row->time;
		}
		*last = i;
	}
	map_fini(&last_by_pid);
}

static const struct sample_known_process *known_process(const struct sample_input *input,
							uint32_t pid, uint64_t end_ticks)
{
	const struct sample_known_process *found = NULL;

	for (size_t i = 0; i < input->process_count; i++) {
		const struct sample_known_process *known = &input->processes[i];
		if (known->pid == pid && known->begin_ticks < end_ticks &&
		    (!found || known->begin_ticks > found->begin_ticks))
			found = known;
	}
	return found;
}

static int64_t parent_of(const struct sample_assembly *assembly, const struct log_process *process)
{
	const struct recording *recording = assembly->input->recording;

	if (!process->row.parent_pid && process->row.pid == recording->command_pid)
		return recording->recorder_pid;
	return process->row.parent_pid;
}

/* A program that executes its instrumented copy is one process: until then it is none. */
static bool executed_own_copy(const struct sample_assembly *assembly,
			      const struct log_process *process)
{
	const struct log_process *next = &assembly->processes.data[process->next];
	const struct recording_module *module =
		recording_find(assembly->input->recording, next->executable);

	return process->replaced && module && *module->copy &&
	       !strcmp(module->copy, next->executable) &&
	       !strcmp(module->path, process->executable);
}

/* Where calls are recorded, too, what leads to the program that is recorded is not followed. */
static bool is_on_the_way(const struct sample_assembly *assembly, const struct log_process *process)
{
	return assembly->input->process_count && process->replaced &&
	       (process->row.flags & SAMPLE_LOG_FORKED || executed_own_copy(assembly, process));
}

static bool write_process(struct sample_assembly *assembly, struct log_process *process,
			  struct error *err)
{
	const uint64_t end_time = process->open ? UINT64_MAX : process->end_time;
	const struct sample_known_process *known =
		known_process(assembly->input, process->row.pid,
			      process->open ? UINT64_MAX : ticks_of(assembly, end_time));

	if (known) {
		process->id = known->id;
		process->control = known->control;
		return true;
	}
	if (process->replaced && (!process->samples || is_on_the_way(assembly, process)))
		return true;
	const struct profile_process row = {
		.pid = process->row.pid,
		.parent_pid = parent_of(assembly, process),
		.name = process_name_choose(process->executable, process->row.name),
		.executable = process->executable,
		.begin_ticks = ticks_of(assembly, process->row.time),
		.end_ticks = process->open ? 0 : ticks_of(assembly, end_time),
		.forked = process->row.flags & SAMPLE_LOG_FORKED,
		.ended = !process->open,
		.host = assembly->input->recording->host,
		.launcher = job_rank_launcher(process->rank.launcher),
		.rank = process->rank.rank,
		.ranks = process->rank.size,
	};
	process->is_new = true;
	process->id = profile_add_process(assembly->input->writer, &row, err);
	const struct sample_known_process added = {process->id, row.pid, row.begin_ticks, NULL};
	vec_push(&assembly->output->rows, added);
	assembly->output->processes++;
	assembly->output->running += process->open;
	return process->id != 0;
}

static uint64_t thread_key(int64_t process, uint32_t tid)
{
	return (uint64_t)process << 32 | tid;
}

static void index_known_threads(struct sample_assembly *assembly)
{
	const struct sample_input *input = assembly->input;

	for (size_t i = 0; i < input->thread_count; i++)
		*map_put(&assembly->known_threads,
			 thread_key(input->threads[i].process, (uint32_t)input->threads[i].tid),
			 0) = (uint64_t)input->threads[i].id;
	for (size_t i = 0; i < input->thread_count; i++) {
		sample_builder_clock(assembly->builder, &input->threads[i]);
		if (input->threads[i].shared)
			vec_push(&assembly->shared_threads, &input->threads[i]);
	}
}

/* The row that a thread without one of its own may share; 0: there is none. */
static int64_t shared_row(const struct sample_assembly *assembly, int64_t process)
{
	vec_foreach (shared, &assembly->shared_threads)
		if ((*shared)->process == process)
			return (*shared)->id;
	return 0;
}

static bool write_thread(struct sample_assembly *assembly, struct log_thread *thread,
			 struct error *err)
{
	const struct log_process *process = &assembly->processes.data[thread->row.process];
	const uint64_t *known =
		map_get(&assembly->known_threads, thread_key(process->id, thread->row.tid));

	if (known)
		thread->id = (int64_t)*known;
	else if (process->id && !process->is_new)
		thread->id = shared_row(assembly, process->id);
	/* The threads of a recorded process have rows already, if there was anything to record. */
	if (thread->id || !process->id || (!process->is_new && !thread->samples))
		return true;
	const uint64_t end_time = thread->end_time ? thread->end_time
				  : process->open  ? 0
						   : process->end_time;
	const struct profile_thread row = {
		.process = process->id,
		.tid = thread->row.tid,
		.name = thread->row.name,
		.begin_ticks = ticks_of(assembly, thread->row.time),
		.end_ticks = end_time ? ticks_of(assembly, end_time) : 0,
	};
	thread->id = profile_add_thread(assembly->input->writer, &row, err);
	assembly->output->threads++;
	return thread->id != 0;
}

static bool write_owners(struct sample_assembly *assembly, struct error *err)
{
	find_ends(assembly);
	index_known_threads(assembly);
	vec_foreach (process, &assembly->processes) {
		if (!write_process(assembly, process, err))
			return false;
	}
	vec_foreach (thread, &assembly->threads) {
		if (!write_thread(assembly, thread, err))
			return false;
	}
	return true;
}

/* ---- second reading ---- */

/* Of an event by a timer, whatever modifiers are behind its name. 0: it is another, or has none. */
static uint64_t timer_period_ns(const struct sample_log_event *event)
{
	static const char *const timers[] = {"cpu-clock", "task-clock"};

	for (size_t i = 0; i < TABLE_COUNT(timers); i++)
		if (event->frequency && !strncmp(event->name, timers[i], strlen(timers[i])))
			return NS_PER_SECOND / event->frequency;
	return 0;
}

static bool put_event(struct sample_assembly *assembly, const struct sample_log_event *event,
		      struct error *err)
{
	const struct profile_event row = {.name = event->name,
					  .unit = event->unit,
					  .period = event->period,
					  .frequency = event->frequency};
	const int64_t id = profile_add_event(assembly->input->writer, &row, err);

	vec_push(&assembly->events, id);
	vec_push(&assembly->periods_ns, timer_period_ns(event));
	if (strcmp(event->name, "off-cpu") == 0)
		assembly->wait_event = id;
	return id != 0;
}

static bool has_build_id(const char *file, const struct sample_log_image *row)
{
	struct error ignored;
	size_t size = 0;
	struct object *object = *file ? object_open(file, 0, &ignored) : NULL;
	const unsigned char *build_id = object ? object_build_id(object, &size) : NULL;

	/* Without one there is nothing to tell files apart by. */
	const bool same = object && size == row->build_id_bytes &&
			  (!size || memcmp(build_id, row->build_id, size) == 0);
	object_close(object);
	return same;
}

static bool is_file(const char *path)
{
	return path[0] == '/' &&
	       !(str_starts_with(path, "/tmp/perf-") && str_ends_with(path, ".map"));
}

/* A path that another file had before gets the build-id of this one behind it. */
static const char *path_of(struct sample_assembly *assembly, const struct sample_log_image *row)
{
	unsigned id = 0;

	vec_foreach (other, &assembly->images) {
		if (strcmp(other->path, row->path) != 0 ||
		    (other->build_id_bytes == row->build_id_bytes &&
		     !memcmp(other->build_id ? other->build_id : (const unsigned char *)"",
			     row->build_id, row->build_id_bytes)))
			continue;
		for (size_t i = 0; i < row->build_id_bytes && i < 4; i++)
			id = id << 8 | row->build_id[i];
		return arena_printf(&assembly->arena, "%s (%08x)", row->path, id);
	}
	return row->path;
}

/*
 * The file may have been replaced since, or be one in another root: it is read by the path, or by
 * where it was found, if it is the same; else its functions stay unknown.
 */
static bool put_image(struct sample_assembly *assembly, const struct sample_log_image *row,
		      struct error *err)
{
	const char *runtime = assembly->input->recording->runtime;
	const struct log_image image = {.path = path_of(assembly, row),
					.build_id = row->build_id,
					.build_id_bytes = row->build_id_bytes,
					.runtime = *runtime && !strcmp(runtime, row->path),
					.kernel = !strcmp(row->path, RESOLVE_KERNEL_PATH)};

	vec_push(&assembly->images, image);
	if (!is_file(row->path))
		return true;
	const char *file = !*row->file			  ? NULL
			   : has_build_id(row->path, row) ? row->path
			   : has_build_id(row->file, row) ? row->file
							  : NULL;
	if (file == row->path && image.path == row->path)
		return true;
	return resolver_settle(assembly->input->resolver, image.path, file, err);
}

/* The location with its place known; NULL with err. */
static struct log_location *location_at(struct sample_assembly *assembly, uint32_t number,
					struct error *err)
{
	struct log_location *location = &assembly->locations.data[number - 1];
	struct log_image *image = &assembly->images.data[location->row.image];

	if (location->place != PLACE_UNKNOWN)
		return location;
	if (!image->module)
		image->module = resolver_module(assembly->input->resolver, image->path, err);
	if (!image->module)
		return NULL;
	const uint64_t addr = location->row.link_addr;
	const uint64_t original = resolver_sampled_address(image->module, addr, &location->callee);
	location->link_addr = original ? original : addr;
	location->place = image->kernel						     ? PLACE_KERNEL
			  : image->runtime || resolver_is_probe(image->module, addr) ? PLACE_RUNTIME
										     : PLACE_USER;
	return location;
}

static int64_t location_id(struct sample_assembly *assembly, uint32_t number, struct error *err)
{
	struct log_location *location = location_at(assembly, number, err);

	if (location && !location->id)
		location->id = resolver_location(assembly->input->resolver,
						 assembly->images.data[location->row.image].module,
						 location->link_addr, err);
	return location ? location->id : 0;
}

/* From the innermost node out to one that has its row, then back. 0 with err. */
static int64_t stack_id(struct sample_assembly *assembly, uint32_t number, struct error *err)
{
	int64_t stack = 0;

	assembly->path.len = 0;
	while (number && !assembly->nodes.data[number - 1].stack) {
		vec_push(&assembly->path, number);
		number = assembly->nodes.data[number - 1].row.parent;
	}
	if (number)
		stack = assembly->nodes.data[number - 1].stack;
	for (size_t i = assembly->path.len; i-- > 0;) {
		struct log_node *node = &assembly->nodes.data[assembly->path.data[i] - 1];
		const int64_t location = location_id(assembly, node->row.location, err);

		if (!location)
			return 0;
		stack = sample_builder_stack(assembly->builder, stack, location, err);
		if (!stack)
			return 0;
		node->stack = stack;
	}
	return stack;
}

/* What stands for the stub of a linkage table is the callee's, as samples in that are. */
static int64_t sampled_stack_id(struct sample_assembly *assembly, uint32_t number,
				struct error *err)
{
	const int64_t stack = stack_id(assembly, number, err);
	const struct log_location *location =
		&assembly->locations.data[assembly->nodes.data[number - 1].row.location - 1];

	return stack ? sample_builder_called(assembly->builder, stack,
					     assembly->images.data[location->row.image].module,
					     location->callee, err)
		     : 0;
}

/* In tare's own code, or in the kernel on its behalf: the place of the innermost user frame. */
static bool is_in_runtime(struct sample_assembly *assembly, uint32_t number, bool *in_runtime,
			  struct error *err)
{
	*in_runtime = false;
	while (number) {
		const struct log_node *node = &assembly->nodes.data[number - 1];
		const struct log_location *location =
			location_at(assembly, node->row.location, err);

		if (!location)
			return false;
		*in_runtime = location->place == PLACE_RUNTIME;
		if (location->place != PLACE_KERNEL)
			break;
		number = node->row.parent;
	}
	return true;
}

/* Events of perf know nothing of levels. */
static bool was_off(const struct sample_assembly *assembly, const struct log_thread *thread,
		    uint64_t ticks)
{
	const struct tare_control *control = assembly->processes.data[thread->row.process].control;

	return control && tare_control_was_off(control, ticks);
}

/*
 * Where threads switch often a timer's samples are few, and each stands for more time
 * (sampler/timer_thin.h). Nothing is lost by a rest.
 */
static uint64_t periods_of(const struct sample_assembly *assembly,
			   const struct sample_log_sample *from)
{
	const uint64_t period_ns = assembly->periods_ns.data[from->event];
	const uint64_t periods = period_ns ? (from->weight + period_ns / 2) / period_ns : 1;

	return periods > 1 && periods <= PERIODS_MAX && from->weight % periods == 0 ? periods : 1;
}

static bool put_sample(struct sample_assembly *assembly, const struct sample_log_sample *from,
		       struct error *err)
{
	const uint64_t periods = periods_of(assembly, from);
	const struct log_thread *thread = &assembly->threads.data[from->thread];
	struct sample_builder_sample sample = {.thread = thread->id,
					       .event = assembly->events.data[from->event],
					       .ticks = ticks_of(assembly, from->time),
					       .weight = from->weight / periods,
					       .at_once = periods,
					       .truncated = from->truncated};
	bool in_runtime;

	if (assembly->wait.thread)
		wake_rows_miss(&assembly->wakes, &assembly->wait);
	assembly->wait.thread = 0;
	if (!thread->id && is_first_wait(assembly, from))
		return true;
	if (!thread->id || was_off(assembly, thread, sample.ticks)) {
		assembly->output->counts.discarded++;
		return true;
	}
	assembly->drawn++;
	assembly->periods += periods;
	if (!is_in_runtime(assembly, from->node, &in_runtime, err))
		return false;
	if (in_runtime) {
		sample_builder_add_periods(assembly->builder, &sample, true, err);
		return true;
	}
	if (from->node)
		sample.stack = sampled_stack_id(assembly, from->node, err);
	if (sample.event == assembly->wait_event)
		assembly->wait = (struct wake_told){
			.thread = sample.thread,
			.event = sample.event,
			.stack = sample.stack == SAMPLE_STACK_NONE ? 0 : sample.stack,
			.begin = from->time,
			.weight = from->weight};
	return (!from->node || sample.stack) &&
	       sample_builder_add_periods(assembly->builder, &sample, false, err);
}

/* Of tare's own code no stack is told. */
static bool put_waker(struct sample_assembly *assembly, const struct sample_log_waker *from,
		      struct error *err)
{
	struct wake_told *wait = &assembly->wait;
	bool in_runtime = false;

	wait->by = from->thread ? assembly->threads.data[from->thread - 1].id : 0;
	wait->by_stack = 0;
	wait->woken = from->time;
	if (!wait->thread || (from->thread && !wait->by))
		return true;
	if (!is_in_runtime(assembly, from->node, &in_runtime, err))
		return false;
	if (wait->by && from->node && !in_runtime) {
		const int64_t stack = stack_id(assembly, from->node, err);

		if (!stack)
			return false;
		wait->by_stack = stack == SAMPLE_STACK_NONE ? 0 : stack;
	}
	wake_rows_take(&assembly->wakes, wait);
	wait->thread = 0;
	return true;
}

static bool take_second(struct sample_assembly *assembly, const struct sample_log_record *record,
			struct error *err)
{
	switch (record->kind) {
	case SAMPLE_LOG_EVENT:
		return put_event(assembly, &record->event, err);
	case SAMPLE_LOG_IMAGE:
		return put_image(assembly, &record->image, err);
	case SAMPLE_LOG_LOCATION: {
		const struct log_location location = {.row = record->location};
		vec_push(&assembly->locations, location);
		return true;
	}
	case SAMPLE_LOG_NODE: {
		const struct log_node node = {.row = record->node};
		vec_push(&assembly->nodes, node);
		return true;
	}
	case SAMPLE_LOG_SAMPLE:
		return put_sample(assembly, &record->sample, err);
	case SAMPLE_LOG_WAKER:
		return put_waker(assembly, &record->waker, err);
	default:
		return true;
	}
}

/* What a sample took, on average: one that stands for several was one interrupt. */
static uint64_t interrupt_ns(const struct sample_assembly *assembly)
{
	const uint64_t each_ns = assembly->input->recording->interrupt_ns;

	return assembly->periods > assembly->drawn
		       ? (uint64_t)((double)each_ns * (double)assembly->drawn /
				    (double)assembly->periods)
		       : each_ns;
}

static bool write_samples(struct sample_assembly *assembly, struct error *err)
{
	const struct recording *recording = assembly->input->recording;
	const struct sample_log_counts *counts = &assembly->output->counts;
	struct profile_sampling row = {
		.collector = recording->collector,
		.reason = recording->sampling_reason,
		.unwinding = recording->unwinding,
		.kernel = recording->sampled_kernel,
		.interrupt_ns = interrupt_ns(assembly),
		.discarded = counts->discarded,
		.lost = counts->lost + recording->samples_unwritten,
		.throttled = counts->throttled,
		.unreadable = counts->unreadable,
	};

	assembly->output->built = *sample_builder_counts(assembly->builder);
	return sample_builder_write(assembly->builder, row, err);
}

static bool read_twice(struct sample_assembly *assembly, struct error *err)
{
	const struct sample_input *input = assembly->input;
	struct sample_log_reader reader = {0};
	struct sample_log_record record;
	struct error unreadable;
	bool ok = true;

	if (!clock_rate_compute(&input->recording->clock, &assembly->rate, err))
		return error_prefix(err, "times cannot be converted");
	if (!sample_log_reader_init(&reader, input->log, input->log_bytes, &unreadable)) {
		assembly->output->damaged = true;
		return true;
	}
	while (sample_log_next(&reader, &record))
		take_first(assembly, &record);
	assembly->output->damaged = reader.damaged;
	assembly->output->last_ticks = ticks_of(assembly, reader.last_time);
	sample_log_reader_fini(&reader);
	prepare_locations(assembly);
	if (!write_owners(assembly, err) ||
	    !sample_log_reader_init(&reader, input->log, input->log_bytes, err))
		return false;
	while (ok && sample_log_next(&reader, &record))
		ok = take_second(assembly, &record, err);
	sample_log_reader_fini(&reader);
	return ok && write_samples(assembly, err) &&
	       wake_rows_write(&assembly->wakes, ticks_of_wake, assembly, input->writer, err);
}

bool sample_assemble(const struct sample_input *input, struct sample_output *output,
		     struct error *err)
{
	struct sample_assembly assembly = {.input = input, .output = output, .preempted = SIZE_MAX};

	*output = (struct sample_output){0};
	arena_init(&assembly.arena);
	map_init(&assembly.known_threads);
	wake_rows_init(&assembly.wakes);
	assembly.builder = sample_builder_new(input->resolver, input->writer);
	const bool ok = read_twice(&assembly, err);
	sample_builder_free(assembly.builder);
	wake_rows_fini(&assembly.wakes);
	map_fini(&assembly.known_threads);
	vec_fini(&assembly.shared_threads);
	arena_fini(&assembly.arena);
	vec_fini(&assembly.processes);
	vec_fini(&assembly.threads);
	vec_fini(&assembly.events);
	vec_fini(&assembly.periods_ns);
	vec_fini(&assembly.images);
	vec_fini(&assembly.locations);
	vec_fini(&assembly.nodes);
	vec_fini(&assembly.path);
	return ok;
}
