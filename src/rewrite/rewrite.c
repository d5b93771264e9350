/*
 * The passes over one file, in order; see program.h for the map. Refuses whole files that cannot
 * work: static executables (the loader brings no runtime), files that are instrumented already,
 * and programs whose language runtime keys its own tables on code addresses.
 */
#include "rewrite/program.h"

#include <string.h>

enum { PROGRESS_STEP = 1024 };

static bool has_section(const struct object *object, const char *name)
{
	return object_section_by_name(object, name) != NULL;
}

/* The language whose runtime relies on code addresses, or NULL. */
static const char *address_keyed_language(const struct object *object)
{
	size_t count;
	const struct object_symbol *symbols = object_symbols(object, &count);

	if (has_section(object, ".gopclntab") || has_section(object, ".note.go.buildid"))
		return "Go";
	for (size_t i = 0; i < count; i++) {
		if (strcmp(symbols[i].name, "caml_startup") == 0 ||
		    strcmp(symbols[i].name, "caml_startup_code") == 0)
			return "OCaml";
		if (strcmp(symbols[i].name, "hs_main") == 0 && !symbols[i].dynamic)
			return "Haskell";
	}
	return NULL;
}

static bool check_object(const struct object *object, struct error *err)
{
	const char *path = object_path(object);

	if (object_tare_note(object))
		return error_set(err, ERROR_INPUT, "%s is instrumented already", path);
	if (object_kind(object) == OBJECT_STATIC_EXECUTABLE)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is statically linked, which tare cannot instrument: no loader "
				 "would bring in its runtime",
				 path);
	const char *language = address_keyed_language(object);
	if (language)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is a %s program: its runtime relies on the addresses of its "
				 "code, so it cannot be instrumented; sampling is the way",
				 path, language);
	return true;
}

static void report_progress(const struct program *program, double done)
{
	if (program->options->progress)
		program->options->progress(done, program->options->progress_context);
}

/* Functions after whose return some caller looks at the flags. */
static void find_returned_flags(struct program *program)
{
	vec_foreach (range, &program->ranges) {
		for (uint32_t i = 0; i < range->insn_count; i++) {
			const struct insn *insn = &range->insns[i];
			if (insn->kind != INSN_CALL)
				continue;
			const struct range *callee = program_range(program, insn->target);
			if (!callee || !flags_live(program, insn_end(insn)))
				continue;
			vec_foreach (number, &program->units.data[callee->unit].ranges)
				program->ranges.data[*number].returns_flags = true;
		}
	}
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

static void emit_all(struct program *program)
{
	for (size_t i = 0; i < program->ranges.len; i++) {
		struct range *range = &program->ranges.data[i];
		if (!range->copied)
			continue;
		emit_range(program, range);
		range->first_site = program->site_count;
		program->site_count += range->site_count;
		for (uint32_t k = 0; k < range->insn_count; k++)
			program->syscall_count += range->insns[k].is_syscall;
		if (i % PROGRESS_STEP == 0)
			report_progress(program,
					0.4 + 0.4 * (double)i / (double)program->ranges.len);
	}
}

static void plan_all_jumps(struct program *program)
{
	program_find_clobbers(program);
	vec_foreach (unit, &program->units) {
		bool copied = false;
		vec_foreach (number, &unit->ranges)
			copied |= program->ranges.data[*number].copied;
		if (copied)
			unit_plan_jumps(program, unit);
	}
}

static void keep_points(const struct range *range, struct rewrite_result *result)
{
	for (uint32_t i = 0; i < range->insn_count; i++) {
		const struct rewrite_point point = {range->insns[i].addr,
						    range->copy_addr + range->copy_offset[i]};
		vec_push(&result->points, point);
	}
}

static void fill_result(const struct program *program, struct rewrite_result *result)
{
	vec_foreach (range, &program->ranges) {
		struct rewrite_function function = {.addr = range->begin,
						    .size = range->end - range->begin,
						    .name = range->name,
						    .verdict = range->verdict};
		if (range->copied && !range->entry)
			function.verdict = REWRITE_PART;
		vec_push(&result->functions, function);
		result->statistics.functions += range->entry;
		if (range->copied && program->options->keep_points)
			keep_points(range, result);
	}
	result->code_begin = program->code_begin;
	result->code_end = program->code_end;
}

static void program_fini(struct program *program)
{
	vec_foreach (range, &program->ranges) {
		vec_fini(&range->landing_pads);
		vec_fini(&range->labels);
		vec_fini(&range->jumps);
		vec_fini(&range->code);
		vec_fini(&range->fixups);
		vec_fini(&range->extras);
	}
	vec_foreach (unit, &program->units)
		vec_fini(&unit->ranges);
	vec_foreach (table, &program->tables)
		vec_fini(&table->targets);
	vec_fini(&program->ranges);
	vec_fini(&program->units);
	vec_fini(&program->branches);
	vec_fini(&program->tables);
	vec_fini(&program->image);
	map_fini(&program->landing_pads);
	arena_fini(&program->arena);
}

static bool run_passes(struct program *program, struct byte_vec *out, struct rewrite_result *result,
		       struct error *err)
{
	if (!program_read_ranges(program, err))
		return false;
	report_progress(program, 0.2);
	program_find_units(program);
	program_select(program);
	mark_copied(program);
	number_functions(program);
	find_returned_flags(program);
	report_progress(program, 0.3);
	result->nothing_to_do = program->function_count == 0;
	if (!result->nothing_to_do) {
		plan_all_jumps(program);
		report_progress(program, 0.4);
		emit_all(program);
		if (!program_output(program, out, err))
			return false;
	}
	fill_result(program, result);
	report_progress(program, 1.0);
	return true;
}

bool rewrite_object(const struct object *object, const struct rewrite_options *options,
		    struct byte_vec *out, struct rewrite_result *result, struct error *err)
{
	struct program program = {
		.object = object, .options = options, .statistics = &result->statistics};
	size_t size;

	*result = (struct rewrite_result){0};
	if (!check_object(object, err))
		return false;
	object_bytes(object, &size);
	result->statistics.input_bytes = size;
	arena_init(&program.arena);
	map_init(&program.landing_pads);
	const bool ok = run_passes(&program, out, result, err);
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
