/*
 * The tables without a tree. Each row gets a key, a text from what it is the same by; rows of one
 * key become one. Every rule for that is associative and commutative: sums, least and greatest
 * values, the first text of the alphabet.
 */
#include "merge/private.h"

#include <assert.h>
#include <string.h>

/* Between the parts of a key. A key ends with the lengths of its parts, so none is taken for two.
 */

static const char *text_of(const char *text)
{
	return text ? text : "";
}

static size_t key_find(struct keys *keys, struct str *key, bool *fresh)
{
	const size_t index = keys_find(keys, key->data, fresh);

	assert(index < keys->list.len);
	str_fini(key);
	return index;
}

static void add_losses(uint64_t *to, const uint64_t *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_count(&to[i], from[i]);
}

static void keep_greatest(uint64_t *to, uint64_t value)
{
	if (value > *to)
		*to = value;
}

static void keep_least(uint64_t *to, uint64_t value)
{
	if (value < *to)
		*to = value;
}

/* The first of the alphabet that is not empty. */
static void keep_text(struct merge *merge, const char **to, const char *text)
{
	if (text && text[0] && (!*to || !(*to)[0] || strcmp(text, *to) < 0))
		*to = arena_strdup(&merge->arena, text);
}

/* The same, or "various": that of the session, where the process has none of its own. */
static void keep_host(struct profile_process *to, const char *host)
{
	if (strcmp(text_of(to->host), text_of(host)) != 0)
		to->host = "various";
}

static void keep_calibration(struct tare_calibration *to, const struct tare_calibration *from)
{
	for (int i = 0; i < TARE_PAIRS; i++) {
		keep_greatest(&to->inside_ticks[i], from->inside_ticks[i]);
		keep_greatest(&to->outside_ticks[i], from->outside_ticks[i]);
	}
	keep_greatest(&to->bare_ticks, from->bare_ticks);
	keep_greatest(&to->syscall_ticks, from->syscall_ticks);
	keep_greatest(&to->counters_ticks, from->counters_ticks);
	keep_greatest(&to->gates_ticks, from->gates_ticks);
}

static uint64_t end_time(const struct input *input, uint64_t ticks)
{
	const uint64_t ns = rescale_time(input, ticks);

	/* 0 would be unknown, and is. */
	return !ticks ? 0 : ns > input->base_ns ? ns : input->base_ns + 1;
}

static struct profile_process process_rescaled(const struct input *input,
					       const struct profile_process *from)
{
	struct profile_process row = *from;

	row.begin_ticks = rescale_time(input, row.begin_ticks);
	row.end_ticks = end_time(input, row.end_ticks);
	row.host = profile_process_host(profile_session(input->profile), from);
	for (int i = 0; i < TARE_EVENT_KINDS; i++)
		row.cost_ticks[i] = rescale(input, row.cost_ticks[i]);
	rescale_calibration(input, &row.begin_calibration);
	rescale_calibration(input, &row.end_calibration);
	return row;
}

static void process_combine(struct merge *merge, struct profile_process *to,
			    const struct profile_process *from)
{
	if (to->pid != from->pid)
		to->pid = 0;
	if (to->parent_pid != from->parent_pid)
		to->parent_pid = 0;
	keep_text(merge, &to->executable, from->executable);
	keep_host(to, from->host);
	keep_least(&to->begin_ticks, from->begin_ticks);
	to->end_ticks = !to->end_ticks || !from->end_ticks ? 0
			: to->end_ticks > from->end_ticks  ? to->end_ticks
							   : from->end_ticks;
	to->forked = to->forked && from->forked;
	to->ended = to->ended && from->ended;
	for (int i = 0; i < TARE_EVENT_KINDS; i++)
		keep_greatest(&to->cost_ticks[i], from->cost_ticks[i]);
	keep_calibration(&to->begin_calibration, &from->begin_calibration);
	keep_calibration(&to->end_calibration, &from->end_calibration);
	to->os_means &= from->os_means;
	to->limits |= from->limits;
	add_losses(to->process_losses, from->process_losses, TABLE_COUNT(to->process_losses));
}

/* Ranks of a job stay apart, and what is no rank has a key without these. */
static void append_rank(struct str *key, const struct profile_process *row)
{
	str_printf(key, SEPARATOR "%s" SEPARATOR "%s" SEPARATOR "%016llx %016llx %016zx",
		   text_of(row->host), row->launcher, (unsigned long long)row->ranks,
		   (unsigned long long)row->rank, strlen(text_of(row->host)));
}

static void take_process(struct input *input, size_t at, const struct profile_process *from)
{
	struct merge *merge = input->merge;
	const struct profile_process row = process_rescaled(input, from);
	struct merged_name name;
	struct str key = {0};
	bool fresh;

	name.text = name_split(&merge->arena, row.name, input->is_merged, &name.count);
	str_append(&key, row.executable && row.executable[0] ? row.executable : name.text);
	if (row.launcher)
		append_rank(&key, &row);
	if (merge->keep_processes)
		str_printf(&key,
			   SEPARATOR "%s" SEPARATOR "%016llx %016llx %016llx" SEPARATOR "%016zx",
			   text_of(row.name), (unsigned long long)row.pid,
			   (unsigned long long)row.begin_ticks, (unsigned long long)row.end_ticks,
			   merge->processes.len);
	const size_t index = key_find(&merge->process_keys, &key, &fresh);
	input->processes[at] = (uint32_t)index;
	if (fresh) {
		struct merged_process process = {.row = row, .name = name};
		process.name.text = arena_strdup(&merge->arena, name.text);
		process.row.executable = arena_strdup(&merge->arena, text_of(row.executable));
		process.row.host = arena_strdup(&merge->arena, text_of(row.host));
		process.row.launcher =
			row.launcher ? arena_strdup(&merge->arena, row.launcher) : NULL;
		vec_push(&merge->processes, process);
		assert(merge->processes.len == merge->process_keys.list.len);
		return;
	}
	struct merged_process *process = &merge->processes.data[index];
	process_combine(merge, &process->row, &row);
	add_count(&process->name.count, name.count);
	if (strcmp(name.text, process->name.text) < 0)
		process->name.text = arena_strdup(&merge->arena, name.text);
}

/* Those that are times; the totals follow from the nodes. */
static struct profile_thread thread_rescaled(const struct input *input,
					     const struct profile_thread *from)
{
	struct profile_thread row = *from;

	row.begin_ticks = rescale_time(input, row.begin_ticks);
	row.end_ticks = end_time(input, row.end_ticks);
	row.own_ticks = rescale(input, row.own_ticks);
	row.off_ticks = rescale(input, row.off_ticks);
	row.switches_ticks = rescale(input, row.switches_ticks);
	for (int i = 0; i < THREAD_TOTALS; i++)
		*thread_total_of(&row, (enum thread_total)i) = 0;
	return row;
}

static void thread_combine(struct profile_thread *to, const struct profile_thread *from)
{
	if (to->tid != from->tid)
		to->tid = 0;
	keep_least(&to->begin_ticks, from->begin_ticks);
	to->end_ticks = !to->end_ticks || !from->end_ticks ? 0
			: to->end_ticks > from->end_ticks  ? to->end_ticks
							   : from->end_ticks;
	add_count(&to->own_ticks, from->own_ticks);
	add_count(&to->samples_in_runtime, from->samples_in_runtime);
	add_count(&to->weight_in_runtime, from->weight_in_runtime);
	add_losses(to->thread_losses, from->thread_losses, TABLE_COUNT(to->thread_losses));
	to->limits |= from->limits;
}

static void take_thread(struct input *input, size_t at, const struct profile_thread *from)
{
	struct merge *merge = input->merge;
	struct profile_thread row = thread_rescaled(input, from);
	struct merged_name name;
	struct str key = {0};
	bool fresh;

	row.process = input->processes[from->process - 1];
	name.text = name_split(&merge->arena, row.name, input->is_merged, &name.count);
	assert(from->process >= 1 && row.process < (int64_t)merge->processes.len);
	const char *process = merge->process_keys.list.data[row.process];
	str_printf(&key, "%s" SEPARATOR "%s" SEPARATOR "%zx", process, name.text,
		   strlen(name.text));
	if (merge->keep_processes)
		str_printf(&key, SEPARATOR "%016llx %016llx %016zx", (unsigned long long)row.tid,
			   (unsigned long long)row.begin_ticks, merge->threads.len);
	const size_t index = key_find(&merge->thread_keys, &key, &fresh);
	input->threads[at] = (uint32_t)index;
	if (fresh) {
		struct merged_thread thread = {.row = row, .name = name};
		thread.name.text = arena_strdup(&merge->arena, name.text);
		vec_push(&merge->threads, thread);
		assert(merge->threads.len == merge->thread_keys.list.len);
		return;
	}
	thread_combine(&merge->threads.data[index].row, &row);
	add_count(&merge->threads.data[index].name.count, name.count);
}

static void take_module(struct input *input, size_t at, const struct profile_module *row)
{
	struct merge *merge = input->merge;
	const char *path = text_of(row->path), *name = path[0] ? "" : text_of(row->name);
	struct str key = {0};
	bool fresh;

	str_printf(&key, "%s" SEPARATOR "%s" SEPARATOR "%s" SEPARATOR "%zx %zx", path,
		   text_of(row->build_id), name, strlen(path), strlen(name));
	const size_t index = key_find(&merge->module_keys, &key, &fresh);
	input->modules[at] = (uint32_t)index;
	if (fresh)
		vec_push(&merge->modules,
			 ((struct profile_module){
				 .name = "",
				 .path = arena_strdup(&merge->arena, path),
				 .build_id = arena_strdup(&merge->arena, text_of(row->build_id)),
			 }));
	assert(merge->modules.len == merge->module_keys.list.len);
	struct profile_module *module = &merge->modules.data[index];
	keep_text(merge, &module->name, row->name);
	module->system |= row->system;
	module->instrumented |= row->instrumented;
	if (row->lines && strcmp(row->lines, "known") == 0)
		module->lines = "known";
	else if (!module->lines || strcmp(module->lines, "known") != 0)
		keep_text(merge, &module->lines, row->lines);
}

static void take_function(struct input *input, size_t at, const struct profile_function *row)
{
	struct merge *merge = input->merge;
	const uint32_t module = input->modules[row->module - 1];
	struct str key = {0};
	bool fresh;

	assert(row->module >= 1 && module < merge->modules.len);
	str_printf(&key, "%s" SEPARATOR "%016llx" SEPARATOR "%s",
		   merge->module_keys.list.data[module], (unsigned long long)row->link_addr,
		   row->link_addr ? "" : text_of(row->name));
	const size_t index = key_find(&merge->function_keys, &key, &fresh);
	input->functions[at] = (uint32_t)index;
	if (fresh)
		vec_push(&merge->functions,
			 ((struct profile_function){
				 .module = module, .name = "", .link_addr = row->link_addr}));
	assert(merge->functions.len == merge->function_keys.list.len);
	struct profile_function *function = &merge->functions.data[index];
	keep_text(merge, &function->name, row->name);
	keep_greatest(&function->size, row->size);
	const char *before = function->source;
	keep_text(merge, &function->source, row->source);
	if (function->source != before)
		function->line = row->line;
	else if (before && row->source && strcmp(before, row->source) == 0 &&
		 row->line > function->line)
		function->line = row->line;
}

static void take_sampling(struct merge *merge, const struct profile_sampling *row)
{
	struct str key = {0};
	bool fresh;

	str_printf(&key, "%s" SEPARATOR "%s" SEPARATOR "%s" SEPARATOR "%d %zx",
		   text_of(row->collector), text_of(row->unwinding), text_of(row->reason),
		   row->kernel, strlen(text_of(row->collector)));
	const size_t index = key_find(&merge->sampling_keys, &key, &fresh);
	if (fresh)
		vec_push(&merge->samplings,
			 ((struct profile_sampling){
				 .collector = arena_strdup(&merge->arena, text_of(row->collector)),
				 .reason = arena_strdup(&merge->arena, text_of(row->reason)),
				 .unwinding = arena_strdup(&merge->arena, text_of(row->unwinding)),
				 .kernel = row->kernel,
				 .interrupt_ns = row->interrupt_ns}));
	assert(merge->samplings.len == merge->sampling_keys.list.len);
	struct profile_sampling *sampling = &merge->samplings.data[index];
	if (row->interrupt_ns < sampling->interrupt_ns)
		sampling->interrupt_ns = row->interrupt_ns;
	add_count(&sampling->samples, row->samples);
	add_count(&sampling->truncated, row->truncated);
	add_losses(sampling->losses, row->losses, TABLE_COUNT(row->losses));
}

static void take_unfollowed(struct input *input, const struct profile_unfollowed *row)
{
	struct merge *merge = input->merge;
	const int64_t process = row->process ? input->processes[row->process - 1] + 1 : 0;
	struct str key = {0};
	bool fresh;

	str_printf(&key, "%s" SEPARATOR "%s" SEPARATOR "%s",
		   process ? merge->process_keys.list.data[process - 1] : "", text_of(row->path),
		   text_of(row->reason));
	const size_t index = key_find(&merge->unfollowed_keys, &key, &fresh);
	if (fresh)
		vec_push(&merge->unfollowed,
			 ((struct profile_unfollowed){
				 .process = process,
				 .path = arena_strdup(&merge->arena, text_of(row->path)),
				 .reason = arena_strdup(&merge->arena, text_of(row->reason))}));
	assert(merge->unfollowed.len == merge->unfollowed_keys.list.len);
	add_count(&merge->unfollowed.data[index].count, row->count);
}

static void take_event(struct input *input, size_t at, const struct profile_event *row)
{
	struct merge *merge = input->merge;
	struct str key = {0};
	bool fresh;

	str_printf(&key, "%s" SEPARATOR "%s", text_of(row->name), text_of(row->unit));
	const size_t index = key_find(&merge->event_keys, &key, &fresh);
	input->events[at] = (uint32_t)index;
	if (fresh) {
		vec_push(&merge->events,
			 ((struct profile_event){
				 .name = arena_strdup(&merge->arena, text_of(row->name)),
				 .unit = arena_strdup(&merge->arena, text_of(row->unit)),
				 .period = row->period,
				 .frequency = row->frequency}));
		assert(merge->events.len == merge->event_keys.list.len);
		return;
	}
	struct profile_event *event = &merge->events.data[index];
	if (event->period != row->period)
		event->period = 0;
	if (event->frequency != row->frequency)
		event->frequency = 0;
}

/* The lines of a location, as rows whose source is an index + 1 of source_keys. */
static void take_lines(struct input *input, struct merged_location *location,
		       const struct profile_location_line *lines, size_t count)
{
	struct merge *merge = input->merge;
	size_t source_count;
	const struct profile_source *sources = profile_sources(input->profile, &source_count);
	struct str key = {0};

	assert(count);
	for (size_t i = 0; i < count; i++)
		str_printf(&key, "%s" SEPARATOR "%s" SEPARATOR "%u" SEPARATOR "%u" SEPARATOR,
			   text_of(lines[i].function),
			   lines[i].source ? text_of(sources[lines[i].source - 1].path) : "",
			   lines[i].line, lines[i].column);
	if (location->line_count && strcmp(location->lines_key, key.data) <= 0) {
		str_fini(&key);
		return;
	}
	struct profile_location_line *kept =
		arena_array(&merge->arena, struct profile_location_line, count);
	for (size_t i = 0; i < count; i++) {
		bool fresh;
		kept[i] = lines[i];
		kept[i].function = arena_strdup(&merge->arena, text_of(lines[i].function));
		if (lines[i].source)
			kept[i].source =
				(int64_t)keys_find(&merge->source_keys,
						   text_of(sources[lines[i].source - 1].path),
						   &fresh) +
				1;
	}
	location->lines_key = arena_strdup(&merge->arena, key.data);
	location->lines = kept;
	location->line_count = count;
	str_fini(&key);
}

static void take_locations(struct input *input)
{
	struct merge *merge = input->merge;
	size_t count, line_count, line = 0;
	const struct profile_location *rows = profile_locations(input->profile, &count);
	const struct profile_location_line *lines =
		profile_location_lines(input->profile, &line_count);

	input->locations = mem_zalloc((count + 1) * sizeof(*input->locations));
	for (size_t i = 0; i < count; i++) {
		const uint32_t function = input->functions[rows[i].function - 1];
		struct str key = {0};
		bool fresh;
		str_printf(&key, "%s" SEPARATOR "%016llx", merge->function_keys.list.data[function],
			   (unsigned long long)rows[i].link_addr);
		const size_t index = key_find(&merge->location_keys, &key, &fresh);
		input->locations[i] = (uint32_t)index;
		if (fresh)
			vec_push(&merge->locations,
				 ((struct merged_location){
					 .row = {.function = function,
						 .link_addr = rows[i].link_addr}}));
		assert(merge->locations.len == merge->location_keys.list.len);
		const size_t first = line;
		while (line < line_count && lines[line].location == (int64_t)i + 1)
			line++;
		if (line > first)
			take_lines(input, &merge->locations.data[index], lines + first,
				   line - first);
	}
	assert(line == line_count); /* each line is of a location, and they are in their order */
}

static void take_stacks(struct input *input)
{
	struct merge *merge = input->merge;
	size_t count;
	const struct profile_stack *rows = profile_stacks(input->profile, &count);

	input->stacks = mem_zalloc((count + 1) * sizeof(*input->stacks));
	for (size_t i = 0; i < count; i++) {
		assert(rows[i].parent >= 0 && (uint64_t)rows[i].parent <= i &&
		       rows[i].location >= 1);
		const uint32_t parent = rows[i].parent ? input->stacks[rows[i].parent - 1] : 0;
		const uint32_t location = input->locations[rows[i].location - 1];
		const uint64_t index = *map_put(
			&merge->stack_map, (uint64_t)parent << 32 | location, merge->stacks.len);
		assert(index <= merge->stacks.len && parent < merge->stacks.len);
		if (index == merge->stacks.len)
			vec_push(&merge->stacks,
				 ((struct merged_stack){.parent = parent, .location = location}));
		input->stacks[i] = (uint32_t)index;
	}
}

#define TAKE_TABLE(input, member, rows_of, take)                                                   \
	do {                                                                                       \
		size_t row_count;                                                                  \
		const __typeof__(*rows_of(NULL, NULL)) *rows =                                     \
			rows_of((input)->profile, &row_count);                                     \
		(input)->member = mem_zalloc((row_count + 1) * sizeof(*(input)->member));          \
		for (size_t row_at = 0; row_at < row_count; row_at++)                              \
			take(input, row_at, &rows[row_at]);                                        \
	} while (0)

void combine_tables(struct input *input)
{
	TAKE_TABLE(input, processes, profile_processes, take_process);
	TAKE_TABLE(input, threads, profile_threads, take_thread);
	TAKE_TABLE(input, modules, profile_modules, take_module);
	TAKE_TABLE(input, functions, profile_functions, take_function);
	TAKE_TABLE(input, events, profile_events, take_event);
	size_t count;
	const struct profile_sampling *samplings = profile_samplings(input->profile, &count);
	for (size_t i = 0; i < count; i++)
		take_sampling(input->merge, &samplings[i]);
	const struct profile_unfollowed *unfollowed = profile_unfollowed(input->profile, &count);
	for (size_t i = 0; i < count; i++)
		take_unfollowed(input, &unfollowed[i]);
	take_locations(input);
	take_stacks(input);
}

/* ---- rows that are read one by one ---- */

static bool take_coverage(const struct profile_coverage *row, void *context)
{
	struct input *input = context;
	struct merge *merge = input->merge;
	const uint32_t module = input->modules[row->module - 1];
	struct str key = {0};
	bool fresh;

	str_printf(&key,
		   "%s" SEPARATOR "%016llx" SEPARATOR "%s" SEPARATOR "%s" SEPARATOR "%llx %zx",
		   merge->module_keys.list.data[module], (unsigned long long)row->link_addr,
		   text_of(row->function), text_of(row->verdict), (unsigned long long)row->size,
		   strlen(text_of(row->function)));
	const size_t index = key_find(&merge->coverage_keys, &key, &fresh);
	if (fresh)
		vec_push(&merge->coverage,
			 ((struct profile_coverage){
				 .module = module,
				 .function = arena_strdup(&merge->arena, text_of(row->function)),
				 .link_addr = row->link_addr,
				 .size = row->size,
				 .verdict = arena_strdup(&merge->arena, text_of(row->verdict))}));
	assert(merge->coverage.len == merge->coverage_keys.list.len);
	/* The same functions, found in every recording. */
	if (row->count > merge->coverage.data[index].count)
		merge->coverage.data[index].count = row->count;
	return true;
}

static bool take_disarm(const struct profile_disarm *row, void *context)
{
	struct input *input = context;
	struct merge *merge = input->merge;
	const uint32_t process = input->processes[row->process - 1];
	const uint32_t function = input->functions[row->function - 1];
	const uint64_t ticks = rescale_time(input, row->ticks);
	struct str key = {0};
	bool fresh;

	str_printf(&key, "%s" SEPARATOR "%s", merge->process_keys.list.data[process],
		   merge->function_keys.list.data[function]);
	const size_t index = key_find(&merge->disarm_keys, &key, &fresh);
	if (fresh)
		vec_push(&merge->disarms,
			 ((struct profile_disarm){
				 .process = process, .function = function, .ticks = ticks}));
	assert(merge->disarms.len == merge->disarm_keys.list.len);
	keep_least(&merge->disarms.data[index].ticks, ticks);
	add_count(&merge->disarms.data[index].calls, row->calls);
	return true;
}

static bool take_counted(const struct profile_counted *row, void *context)
{
	struct input *input = context;
	struct merge *merge = input->merge;
	const uint32_t process = input->processes[row->process - 1];
	const uint32_t function = input->functions[row->function - 1];
	const int64_t thread = row->thread ? (int64_t)input->threads[row->thread - 1] + 1 : 0;
	struct str key = {0};
	bool fresh;

	str_printf(&key, "%s" SEPARATOR "%s" SEPARATOR "%s", merge->process_keys.list.data[process],
		   thread ? merge->thread_keys.list.data[thread - 1] : "",
		   merge->function_keys.list.data[function]);
	const size_t index = key_find(&merge->counted_keys, &key, &fresh);
	if (fresh)
		vec_push(&merge->counted,
			 ((struct profile_counted){
				 .process = process, .thread = thread, .function = function}));
	assert(merge->counted.len == merge->counted_keys.list.len);
	add_count(&merge->counted.data[index].entered, row->entered);
	add_count(&merge->counted.data[index].called, row->called);
	add_count(&merge->counted.data[index].cost_ticks, rescale(input, row->cost_ticks));
	merge->counted.data[index].approximate |= row->approximate;
	merge->counted.data[index].learned |= row->learned;
	return true;
}

static bool take_mark(const struct profile_mark *row, void *context)
{
	struct input *input = context;
	struct merge *merge = input->merge;
	struct profile_mark mark = *row;

	mark.name = arena_strdup(&merge->arena, text_of(row->name));
	mark.thread = row->thread ? (int64_t)input->threads[row->thread - 1] + 1 : 0;
	mark.ticks = rescale_time(input, row->ticks);
	vec_push(&merge->marks, mark);
	return true;
}

static bool take_cpu_use(const struct profile_cpu_use *row, void *context)
{
	struct input *input = context;

	vec_push(&input->merge->cpu_uses,
		 ((struct profile_cpu_use){
			 .process = row->process ? input->processes[row->process - 1] + 1 : 0,
			 .begin_ticks = rescale_time(input, row->begin_ticks),
			 .end_ticks = rescale_time(input, row->end_ticks),
			 .cpu_ticks = rescale(input, row->cpu_ticks)}));
	return true;
}

static bool take_value(const struct profile_stack_value *row, void *context)
{
	struct input *input = context;
	struct merge *merge = input->merge;
	const uint32_t thread = input->threads[row->thread - 1];
	const uint32_t event = input->events[row->event - 1];
	const uint32_t stack = row->stack ? input->stacks[row->stack - 1] : 0;
	const uint64_t pair = *map_put(&merge->thread_event_map, (uint64_t)thread << 32 | event,
				       merge->thread_event_map.len);
	const uint64_t index = *map_put(&merge->value_map, pair << 32 | stack, merge->values.len);

	assert(thread < merge->threads.len && event < merge->events.len);
	assert(stack < merge->stacks.len && index <= merge->values.len);
	if (index == merge->values.len)
		vec_push(&merge->values,
			 ((struct profile_stack_value){
				 .thread = thread, .event = event, .stack = stack}));
	struct profile_stack_value *value = &merge->values.data[index];
	add_count(&value->samples, row->samples);
	add_count(&value->weight, row->weight);
	add_count(&value->truncated, row->truncated);
	add_count(&value->squares, row->squares);
	add_count(&value->unclocked_samples, row->unclocked_samples);
	add_count(&value->unclocked_weight, row->unclocked_weight);
	add_count(&value->unclocked_squares, row->unclocked_squares);
	return true;
}

bool combine_streams(struct input *input, struct error *err)
{
	struct profile *profile = input->profile;

	return profile_each_coverage(profile, take_coverage, input, err) &&
	       profile_each_disarm(profile, take_disarm, input, err) &&
	       profile_each_counted(profile, take_counted, input, err) &&
	       combine_executions(input, err) &&
	       profile_each_mark(profile, take_mark, input, err) &&
	       profile_each_cpu_use(profile, take_cpu_use, input, err) &&
	       profile_each_stack_value(profile, take_value, input, err);
}
