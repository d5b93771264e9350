/*
 * The merged tables as a profile, in an order that depends on the rows alone: tables with keys in
 * the order of these, trees from parents to children, the others by what they refer to.
 */
#include "merge/private.h"

#include <assert.h>
#include <string.h>

static void ranking_fini(struct ranking *ranking)
{
	free(ranking->rank);
	free(ranking->order);
}

static void rank_tables(struct output *output)
{
	struct merge *merge = output->merge;
	const struct {
		const struct keys *keys;
		struct ranking *ranking;
	} tables[] = {
		{&merge->process_keys, &output->processes},
		{&merge->thread_keys, &output->threads},
		{&merge->module_keys, &output->modules},
		{&merge->function_keys, &output->functions},
		{&merge->sampling_keys, &output->samplings},
		{&merge->event_keys, &output->events},
		{&merge->source_keys, &output->sources},
		{&merge->location_keys, &output->locations},
		{&merge->coverage_keys, &output->coverage},
		{&merge->disarm_keys, &output->disarms},
		{&merge->counted_keys, &output->counted},
		{&merge->unfollowed_keys, &output->unfollowed},
		{&merge->block_keys, &output->blocks},
		{&merge->execution_keys, &output->executions},
		{&merge->line_keys, &output->lines},
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		keys_rank(tables[i].keys, &tables[i].ranking->rank, &tables[i].ranking->order);
}

/* Only those that lines have: others were of lines in whose place better ones came. */
static void rank_sources(struct output *output)
{
	const struct merge *merge = output->merge;
	const size_t count = merge->source_keys.list.len;
	struct ranking *sources = &output->sources;
	bool *used = mem_zalloc(count + 1);

	vec_foreach (location, &merge->locations)
		for (size_t i = 0; i < location->line_count; i++)
			used[location->lines[i].source] = true; /* index + 1 */
	vec_foreach (block, &merge->blocks)
		used[block->source] = true;
	vec_foreach (line, &merge->lines)
		used[line->source] = true;
	assert(output->source_count == 0);
	for (size_t i = 0; i < count; i++) {
		const uint32_t source = sources->order[i];
		if (!used[source + 1])
			continue;
		assert(output->source_count <= i); /* what is kept moves to the front */
		sources->rank[source] = output->source_count;
		sources->order[output->source_count++] = source;
	}
	free(used);
}

static void rank_stacks(struct output *output)
{
	const struct merge *merge = output->merge;
	struct tree_item *items = mem_zalloc(merge->stacks.len * sizeof(*items));

	for (size_t i = 1; i < merge->stacks.len; i++)
		items[i] = (struct tree_item){
			.index = (uint32_t)i,
			.parent = merge->stacks.data[i].parent,
			.key = output->locations.rank[merge->stacks.data[i].location]};
	tree_number(items, merge->stacks.len, &output->stacks.rank, &output->stacks.order);
	free(items);
}

static bool write_processes(const struct output *output)
{
	struct merge *merge = output->merge;

	for (size_t i = 0; i < merge->processes.len; i++) {
		const struct merged_process *process =
			&merge->processes.data[output->processes.order[i]];
		struct profile_process row = process->row;
		row.name = name_join(&merge->arena, &process->name);
		row.begin_ticks = time_out(output, row.begin_ticks);
		row.end_ticks = time_out(output, row.end_ticks);
		if (!profile_add_process(output->writer, &row, output->err))
			return false;
	}
	for (size_t i = 0; i < merge->threads.len; i++) {
		const struct merged_thread *thread = &merge->threads.data[output->threads.order[i]];
		struct profile_thread row = thread->row;
		row.name = name_join(&merge->arena, &thread->name);
		row.begin_ticks = time_out(output, row.begin_ticks);
		row.end_ticks = time_out(output, row.end_ticks);
		row.process = id_of(&output->processes, row.process);
		if (!profile_add_thread(output->writer, &row, output->err))
			return false;
	}
	return true;
}

static bool write_unfollowed(const struct output *output)
{
	const struct merge *merge = output->merge;

	for (size_t i = 0; i < merge->unfollowed.len; i++) {
		struct profile_unfollowed row = merge->unfollowed.data[output->unfollowed.order[i]];
		row.process = row.process ? id_of(&output->processes, row.process - 1) : 0;
		if (!profile_add_unfollowed(output->writer, &row, output->err))
			return false;
	}
	return true;
}

static bool write_functions(const struct output *output)
{
	const struct merge *merge = output->merge;

	for (size_t i = 0; i < merge->modules.len; i++)
		if (!profile_add_module(output->writer,
					&merge->modules.data[output->modules.order[i]],
					output->err))
			return false;
	for (size_t i = 0; i < merge->functions.len; i++) {
		struct profile_function row = merge->functions.data[output->functions.order[i]];
		row.module = id_of(&output->modules, row.module);
		if (!profile_add_function(output->writer, &row, output->err))
			return false;
	}
	return true;
}

static bool write_samplings(const struct output *output)
{
	const struct merge *merge = output->merge;

	for (size_t i = 0; i < merge->samplings.len; i++)
		if (!profile_add_sampling(output->writer,
					  &merge->samplings.data[output->samplings.order[i]],
					  output->err))
			return false;
	for (size_t i = 0; i < merge->events.len; i++)
		if (!profile_add_event(output->writer, &merge->events.data[output->events.order[i]],
				       output->err))
			return false;
	for (size_t i = 0; i < output->source_count; i++) {
		const struct profile_source row = {
			.path = merge->source_keys.list.data[output->sources.order[i]]};
		if (!profile_add_source(output->writer, &row, output->err))
			return false;
	}
	return true;
}

static bool write_lines(const struct output *output, const struct merged_location *location,
			int64_t id)
{
	for (size_t i = 0; i < location->line_count; i++) {
		struct profile_location_line row = location->lines[i];
		row.location = id;
		if (row.source)
			row.source = id_of(&output->sources, row.source - 1);
		if (!profile_add_location_line(output->writer, &row, output->err))
			return false;
	}
	return true;
}

static bool write_stacks(const struct output *output)
{
	const struct merge *merge = output->merge;

	for (size_t i = 0; i < merge->locations.len; i++) {
		struct profile_location row = merge->locations.data[output->locations.order[i]].row;
		row.function = id_of(&output->functions, row.function);
		if (!profile_add_location(output->writer, &row, output->err))
			return false;
	}
	for (size_t i = 0; i < merge->locations.len; i++)
		if (!write_lines(output, &merge->locations.data[output->locations.order[i]],
				 (int64_t)i + 1))
			return false;
	for (size_t i = 1; i < merge->stacks.len; i++) {
		const struct merged_stack *stack = &merge->stacks.data[output->stacks.order[i]];
		const struct profile_stack row = {
			.parent = output->stacks.rank[stack->parent],
			.location = id_of(&output->locations, stack->location)};
		if (!profile_add_stack(output->writer, &row, output->err))
			return false;
	}
	return true;
}

static int compare_values(const void *a, const void *b)
{
	const struct profile_stack_value *x = a, *y = b;

	if (x->thread != y->thread)
		return compare_numbers((uint64_t)x->thread, (uint64_t)y->thread);
	if (x->event != y->event)
		return compare_numbers((uint64_t)x->event, (uint64_t)y->event);
	return compare_numbers((uint64_t)x->stack, (uint64_t)y->stack);
}

static bool write_values(const struct output *output)
{
	struct merge *merge = output->merge;

	vec_foreach (value, &merge->values) {
		value->thread = id_of(&output->threads, value->thread);
		value->event = id_of(&output->events, value->event);
		value->stack = output->stacks.rank[value->stack];
	}
	vec_sort(&merge->values, compare_values);
	vec_foreach (value, &merge->values) {
		if (!profile_add_stack_value(output->writer, value, output->err))
			return false;
	}
	return true;
}

static int compare_marks(const void *a, const void *b)
{
	const struct profile_mark *x = a, *y = b;

	if (x->ticks != y->ticks)
		return compare_numbers(x->ticks, y->ticks);
	if (x->thread != y->thread)
		return compare_numbers((uint64_t)x->thread, (uint64_t)y->thread);
	if (x->mark != y->mark)
		return x->mark < y->mark ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int compare_cpu_uses(const void *a, const void *b)
{
	const struct profile_cpu_use *x = a, *y = b;

	if (x->process != y->process)
		return compare_numbers((uint64_t)x->process, (uint64_t)y->process);
	if (x->begin_ticks != y->begin_ticks)
		return compare_numbers(x->begin_ticks, y->begin_ticks);
	if (x->end_ticks != y->end_ticks)
		return compare_numbers(x->end_ticks, y->end_ticks);
	return compare_numbers(x->cpu_ticks, y->cpu_ticks);
}

static bool write_cpu_uses(const struct output *output)
{
	struct merge *merge = output->merge;

	vec_foreach (row, &merge->cpu_uses) {
		row->process = row->process ? id_of(&output->processes, row->process - 1) : 0;
		row->begin_ticks = time_out(output, row->begin_ticks);
		row->end_ticks = time_out(output, row->end_ticks);
	}
	vec_sort(&merge->cpu_uses, compare_cpu_uses);
	vec_foreach (row, &merge->cpu_uses) {
		if (!profile_add_cpu_use(output->writer, row, output->err))
			return false;
	}
	return true;
}

static bool write_events(const struct output *output)
{
	struct merge *merge = output->merge;

	for (size_t i = 0; i < merge->coverage.len; i++) {
		struct profile_coverage row = merge->coverage.data[output->coverage.order[i]];
		row.module = id_of(&output->modules, row.module);
		if (!profile_add_coverage(output->writer, &row, output->err))
			return false;
	}
	for (size_t i = 0; i < merge->disarms.len; i++) {
		struct profile_disarm row = merge->disarms.data[output->disarms.order[i]];
		row.process = id_of(&output->processes, row.process);
		row.function = id_of(&output->functions, row.function);
		row.ticks = time_out(output, row.ticks);
		if (!profile_add_disarm(output->writer, &row, output->err))
			return false;
	}
	for (size_t i = 0; i < merge->counted.len; i++) {
		struct profile_counted row = merge->counted.data[output->counted.order[i]];
		row.process = id_of(&output->processes, row.process);
		row.thread = row.thread ? id_of(&output->threads, row.thread - 1) : 0;
		row.function = id_of(&output->functions, row.function);
		if (!profile_add_counted(output->writer, &row, output->err))
			return false;
	}
	vec_foreach (mark, &merge->marks) {
		mark->thread = mark->thread ? id_of(&output->threads, mark->thread - 1) : 0;
		mark->ticks = time_out(output, mark->ticks);
	}
	vec_sort(&merge->marks, compare_marks);
	vec_foreach (mark, &merge->marks) {
		if (!profile_add_mark(output->writer, mark, output->err))
			return false;
	}
	return true;
}

static bool write_tables(const struct output *output)
{
	const struct profile_session session = session_row(output->merge);

	return profile_write_session(output->writer, &session, output->err) &&
	       write_processes(output) && write_unfollowed(output) && write_functions(output) &&
	       write_samplings(output) && write_stacks(output) && write_values(output) &&
	       write_executions(output) && write_nodes(output) && write_events(output) &&
	       write_cpu_uses(output) && write_times(output);
}

bool merge_write(struct merge *merge, struct error *err)
{
	struct output output = {.merge = merge, .err = err};

	output.writer = profile_writer_open(merge->spill.beside, true, err);
	if (!output.writer)
		return false;
	rank_tables(&output);
	rank_sources(&output);
	rank_stacks(&output);
	bool ok = write_tables(&output);
	if (ok)
		ok = profile_writer_commit(output.writer, err);
	else
		profile_writer_discard(output.writer);
	struct ranking *rankings[] = {
		&output.processes, &output.threads, &output.modules,	&output.functions,
		&output.samplings, &output.events,  &output.sources,	&output.locations,
		&output.coverage,  &output.disarms, &output.counted,	&output.unfollowed,
		&output.stacks,	   &output.blocks,  &output.executions, &output.lines};
	for (size_t i = 0; i < sizeof(rankings) / sizeof(rankings[0]); i++)
		ranking_fini(rankings[i]);
	return ok;
}
