/*
 * The passes over one file, in order; see private.h for the map. Refuses whole files that cannot
 * work: static executables without a runtime to put into them (no loader brings it), files that are
 * instrumented already, and those that need their code where it is (see foreign.c).
 */
#include "rewrite/graph.h"

#include <assert.h>
#include <string.h>

/* What comes along in the file, or NULL. */
static const struct object *wanted_companion(const struct object *object,
					     const struct rewrite_options *options)
{
	/* The runtime has the poison handlers, too. */
	if (object_kind(object) == OBJECT_STATIC_EXECUTABLE &&
	    (options->runtime || options->mode != REWRITE_POISON))
		return options->runtime;
	return options->companion;
}

static bool check_object(const struct object *object, const struct rewrite_options *options,
			 struct error *err)
{
	const char *path = object_path(object);

	if (object_tare_note(object))
		return error_set(err, ERROR_INPUT, "%s is instrumented already", path);
	if (!runtime_allows_copies(object, err))
		return false;
	if (object_kind(object) == OBJECT_STATIC_EXECUTABLE && options->mode == REWRITE_FULL &&
	    !options->runtime)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is statically linked, and there is no runtime to put into it",
				 path);
	return true;
}

static bool check_window(const struct program *program, struct error *err)
{
	const struct rewrite_options *options = program->options;

	if (options->last_unit <= program->units.len && options->first_unit <= options->last_unit)
		return true;
	return error_set(err, ERROR_USAGE,
			 "%s has %zu units, numbered from 0, and no units %zu-%zu",
			 object_path(program->object), program->units.len, options->first_unit,
			 options->last_unit - 1);
}

static void mark_copied(struct program *program)
{
	vec_foreach (range, &program->ranges) {
		range->copied = range->verdict == REWRITE_INSTRUMENTED;
		program->function_count += range->copied && range->entry;
	}
}

/* Arming bytes: one per function; a cold part shares that of its unit's first function. */
static void number_functions(struct program *program)
{
	uint32_t next = 0;

	vec_foreach (range, &program->ranges) {
		if (range->copied && range->entry)
			range->function = next++;
	}
	assert(next == program->function_count);
	vec_foreach (unit, &program->units) {
		const struct range *first = NULL;
		vec_foreach (number, &unit->ranges) {
			struct range *range = &program->ranges.data[*number];
			if (range->copied && range->entry && !first)
				first = range;
		}
		vec_foreach (number, &unit->ranges) {
			struct range *range = &program->ranges.data[*number];
			if (first && range->copied && !range->entry)
				range->function = first->function;
		}
	}
}

/* ---- executions ---- */

static void count_piece(void *program_at, unsigned worker, size_t begin, size_t end)
{
	struct program *program = program_at;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		struct unit *unit = &program->units.data[i];
		unit->graph = graph_make(program, unit);
		if (!unit->graph)
			continue;
		graph_weigh(program, unit, unit->graph);
		if (graph_count(program, unit->graph))
			continue;
		graph_free(unit->graph);
		unit->graph = NULL;
	}
}

/* Where counters have to stand from which the executions of all instructions follow. */
static void count_executions(struct program *program)
{
	if (!program_counts(program) || !program->options->count_executions)
		return;
	program_find_escapes(program);
	program_run(program, count_piece, program->units.len);
	vec_foreach (range, &program->ranges) {
		range->first_edge_counter = program->edge_counter_count;
		program->edge_counter_count += (uint32_t)range->edge_counters.len;
	}
}

/* By units: a range's code may ask for the map of another one in its unit. */
static void emit_piece(void *program_at, unsigned worker, size_t begin, size_t end)
{
	struct program *program = program_at;

	for (size_t i = begin; i < end; i++) {
		vec_foreach (number, &program->units.data[i].ranges) {
			struct range *range = &program->ranges.data[*number];
			if (range->copied)
				emit_range(program, range, &program->workers[worker]);
		}
	}
	if (worker == 0)
		program_report(program, 0.4 + 0.4 * (double)begin / (double)program->units.len);
}

static void number_sites(struct program *program)
{
	vec_foreach (range, &program->ranges) {
		range->first_site = program->site_count;
		program->site_count += (uint32_t)range->sites.len;
		range->first_body_call = program->body_call_count;
		program->body_call_count += (uint32_t)range->body_calls.len;
		program->syscall_count += range->syscall_count;
	}
	program->numbered = true;
}

static void emit_bare_piece(void *program_at, unsigned worker, size_t begin, size_t end)
{
	struct program *program = program_at;

	for (size_t i = begin; i < end; i++) {
		vec_foreach (number, &program->units.data[i].ranges) {
			struct range *range = &program->ranges.data[*number];
			if (range->copied && range_has_bare(program, range))
				emit_range(program, range, &program->workers[worker]);
		}
	}
}

/*
 * Once more, without the probes that are not wanted: which those are is said by numbers that only
 * follow when all call sites are known. They are few, so this is a small part of the work.
 */
static bool emit_bare(struct program *program, struct error *err)
{
	if (!program->options->bare)
		return true;
	if (program->options->bare_count != program->function_count + program->site_count)
		return error_set(err, ERROR_INPUT,
				 "what was learned of %s is of another copy: %u functions and call "
				 "sites, not %u",
				 object_path(program->object), program->options->bare_count,
				 program->function_count + program->site_count);
	program_run(program, emit_bare_piece, program->units.len);
	return true;
}

static bool emit_all(struct program *program, struct error *err)
{
	program_run(program, emit_piece, program->units.len);
	number_sites(program);
	if (!emit_bare(program, err))
		return false;
	vec_foreach (range, &program->ranges) {
		program->statistics->probes += range->probe_count;
		program->statistics->probes_with_live_flags += range->live_flags_count;
	}
	return true;
}

static void plan_piece(void *program_at, unsigned worker, size_t begin, size_t end)
{
	struct program *program = program_at;

	for (size_t i = begin; i < end; i++) {
		struct unit *unit = &program->units.data[i];
		bool copied = false;
		vec_foreach (number, &unit->ranges)
			copied |= program->ranges.data[*number].copied;
		if (copied)
			unit_plan_jumps(program, unit, &program->workers[worker]);
	}
}

static void plan_all_jumps(struct program *program)
{
	program_find_clobbers(program);
	program_find_noreturn(program);
	program_run(program, plan_piece, program->units.len);
}

static void keep_points(const struct range *range, struct rewrite_result *result)
{
	for (uint32_t i = 0; i < range->insn_count; i++) {
		const struct rewrite_point point = {range->insns[i].addr,
						    range->copy_addr + range->copy_offset[i]};
		vec_push(&result->points, point);
	}
}

/* See rewrite_function.called_unseen. */
static bool is_called_unseen(const struct program *program, const struct range *range)
{
	if (!rewrite_verdict_is_refusal(range->verdict) || !range->entry)
		return false;
	for (size_t i = program_first_branch_to(program, range->begin);
	     i < program->branches.len && program->branches.data[i].to == range->begin; i++) {
		const struct branch *branch = &program->branches.data[i];
		const struct range *source = program_range(program, branch->from);
		if (branch->call && (!source || !source->copied))
			return true;
	}
	return false;
}

static void fill_result(const struct program *program, struct rewrite_result *result)
{
	vec_foreach (range, &program->ranges) {
		struct rewrite_function function = {.addr = range->begin,
						    .size = range->end - range->begin,
						    .name = range->name,
						    .verdict = range->verdict,
						    .unit = range->unit,
						    .called_unseen =
							    is_called_unseen(program, range)};
		if (range->copied) {
			function.copy_addr = range->copy_addr;
			function.copy_bytes = range->probe_stubs_offset;
			function.stub_bytes = range->code.len - range->probe_stubs_offset;
		}
		if (range->copied && !range->entry)
			function.verdict = REWRITE_PART;
		if (range->copied && range->small)
			function.verdict = REWRITE_COUNTED;
		vec_push(&result->functions, function);
		result->statistics.functions += range->entry;
		if (range->copied && program->options->keep_points)
			keep_points(range, result);
	}
	result->code_begin = program->code_begin;
	result->code_end = program->code_end;
}

/* ---- the companion ---- */

static bool open_companion(struct program *program, struct error *err)
{
	struct companion *companion = &program->companion;

	if (!companion_init(companion, wanted_companion(program->object, program->options), err))
		return false;
	if (companion->relocations.len && object_header(program->object)->e_type != ET_EXEC)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s has relocations, which cannot be added to %s",
				 object_path(companion->object), object_path(program->object));
	if (program_poisons(program) &&
	    (!companion_symbol(companion, "tare_poison", &program->poison.plain) ||
	     !companion_symbol(companion, "tare_poison_call_indirect",
			       &program->poison.call_indirect)))
		return error_set(err, ERROR_INPUT, "%s has no poison handlers",
				 companion->object ? object_path(companion->object)
						   : "the companion, which is not given,");
	return true;
}

static void range_fini(struct range *range)
{
	vec_fini(&range->landing_pads);
	vec_fini(&range->labels);
	vec_fini(&range->jumps);
	vec_fini(&range->edge_counters);
}

static void worker_fini(struct worker *worker)
{
	struct range *emitted = &worker->emitted;

	vec_fini(&emitted->code);
	vec_fini(&emitted->fixups);
	vec_fini(&emitted->extras);
	vec_fini(&emitted->sites);
	vec_fini(&emitted->body_calls);
	vec_fini(&emitted->far_calls);
	arena_fini(&worker->arena);
}

static void program_fini(struct program *program)
{
	vec_foreach (range, &program->ranges)
		range_fini(range);
	vec_foreach (unit, &program->units) {
		vec_foreach (table, &unit->tables)
			vec_fini(&table->targets);
		vec_fini(&unit->tables);
		vec_fini(&unit->label_jumps);
		graph_free(unit->graph);
		vec_fini(&unit->ranges);
	}
	vec_fini(&program->ranges);
	vec_fini(&program->units);
	vec_fini(&program->branches);
	vec_fini(&program->file);
	companion_fini(&program->companion);
	for (unsigned i = 0; i < program->thread_count; i++)
		worker_fini(&program->workers[i]);
	free(program->workers);
	arena_fini(&program->arena);
}

static void make_workers(struct program *program)
{
	program->thread_count = parallel_threads(program->options->threads);
	program->workers = mem_zalloc(program->thread_count * sizeof(*program->workers));
	for (unsigned i = 0; i < program->thread_count; i++)
		arena_init(&program->workers[i].arena);
}

static void sum_statistics(const struct program *program)
{
	struct rewrite_statistics *sum = program->statistics;

	for (unsigned i = 0; i < program->thread_count; i++) {
		const struct rewrite_statistics *part = &program->workers[i].statistics;
		sum->instructions += part->instructions;
		sum->jumps_indirect += part->jumps_indirect;
		sum->jumps_table_static += part->jumps_table_static;
		sum->jumps_translated += part->jumps_translated;
		sum->jumps_saved += part->jumps_saved;
		sum->jumps_by_labels += part->jumps_by_labels;
		sum->jumps_tail += part->jumps_tail;
	}
}

static bool run_passes(struct program *program, struct rewrite_result *result, struct error *err)
{
	if (!program_read_ranges(program, err))
		return false;
	program_report(program, 0.2);
	program_judge_ranges(program);
	program_find_units(program);
	if (!check_window(program, err))
		return false;
	program_select(program);
	mark_copied(program);
	number_functions(program);
	program_find_returned_flags(program);
	program_report(program, 0.3);
	result->nothing_to_do = program->function_count == 0;
	if (!result->nothing_to_do) {
		plan_all_jumps(program);
		count_executions(program);
		program_report(program, 0.4);
		if (!emit_all(program, err) || !program_output(program, err))
			return false;
	}
	fill_result(program, result);
	program_report(program, 1.0);
	return true;
}

bool rewrite_object(const struct object *object, const struct rewrite_options *options,
		    struct byte_vec *out, struct rewrite_result *result, struct error *err)
{
	struct program program = {
		.object = object, .options = options, .statistics = &result->statistics};
	size_t size;

	*result = (struct rewrite_result){0};
	if (!check_object(object, options, err))
		return false;
	object_bytes(object, &size);
	result->statistics.input_bytes = size;
	arena_init(&program.arena);
	make_workers(&program);
	const bool ok = open_companion(&program, err) && run_passes(&program, result, err);
	sum_statistics(&program);
	if (ok) {
		assert(!out->len);
		vec_fini(out);
		*out = program.file;
		program.file = (struct byte_vec){0};
	}
	result->statistics.output_bytes = out->len;
	program_fini(&program);
	if (!ok)
		rewrite_result_fini(result);
	return ok;
}

void rewrite_result_fini(struct rewrite_result *result)
{
	vec_fini(&result->functions);
	vec_fini(&result->points);
}
