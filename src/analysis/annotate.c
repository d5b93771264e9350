/*
 * Which functions are annotated, and how. Refuses names that no sample has.
 */
#include "analysis/annotator.h"

#include "analysis/demangle.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TARGETS_MAX = 8 };

struct targets vec_of(struct annotated);

void annotator_note(struct annotator *annotator, const char *format, ...)
{
	char text[2 * ERROR_MESSAGE_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	vec_foreach (note, &annotator->annotation->notes) {
		if (strcmp(*note, text) == 0)
			return;
	}
	vec_push(&annotator->annotation->notes, arena_strdup(&annotator->annotation->arena, text));
}

static bool is_near(const struct annotation_row *rows, size_t count, size_t at, uint32_t context)
{
	const size_t begin = at > context ? at - context : 0;
	const size_t end = count - at > (size_t)context + 1 ? at + context + 1 : count;

	for (size_t i = begin; i < end; i++)
		if (analysis_place_is_used(&rows[i].values))
			return true;
	return false;
}

void annotator_leave_out(struct annotator *annotator, size_t from)
{
	__typeof__(annotator->annotation->rows) *rows = &annotator->annotation->rows;
	const uint32_t context = annotator->options->context;
	const size_t count = rows->len - from;

	if (context == UINT32_MAX || !count)
		return;
	struct annotation_row *all = mem_alloc(count * sizeof(*all));
	memcpy(all, rows->data + from, count * sizeof(*all));
	rows->len = from;
	for (size_t i = 0; i < count; i++) {
		struct annotation_row *last = rows->len > from ? &vec_last(rows) : NULL;
		if (all[i].heading || is_near(all, count, i, context)) {
			vec_push(rows, all[i]);
		} else if (last && last->kind == ANNOTATION_GAP) {
			last->left_out++;
		} else {
			struct annotation_row gap = {.kind = ANNOTATION_GAP,
						     .name = all[i].name,
						     .module = all[i].module,
						     .left_out = 1};
			vec_push(rows, gap);
		}
	}
	free(all);
}

/* ---- targets ---- */

/* Whether samples were taken in the function, or calls made by it. */
static bool has_places(const struct analysis *analysis, const struct analysis_function *function)
{
	if (!analysis->by_call_site)
		return function->values.amount[SAMPLES_INCLUSIVE] ||
		       ((analysis->places_call || analysis->executions) && function->values.calls);
	return function->values.calls || function->values.amount[ELAPSED_INCLUSIVE];
}

static void add_function(const struct annotator *annotator, uint32_t index, struct targets *targets)
{
	const struct analysis_function *function = &annotator->analysis->functions.data[index];

	vec_push(targets, ((struct annotated){.module = function->module,
					      .function = index,
					      .symbol = function->symbol,
					      .name = function->name}));
}

static void add_functions(const struct annotator *annotator, const struct analysis_globs *wanted,
			  struct targets *targets)
{
	const struct analysis *analysis = annotator->analysis;

	for (uint32_t i = 0; i < analysis->functions.len; i++) {
		const struct analysis_function *function = &analysis->functions.data[i];
		if (!has_places(analysis, function) || function->inlined ||
		    !analysis_function_matches(analysis, i, wanted))
			continue;
		add_function(annotator, i, targets);
	}
}

static bool is_known(const struct targets *targets, uint32_t module, const char *symbol)
{
	vec_foreach (target, targets) {
		if (target->module == module && strcmp(target->symbol, symbol) == 0)
			return true;
	}
	return false;
}

/* Functions that have no code of their own, or had no samples in it. */
static void add_inlined(const struct annotator *annotator, const struct analysis_globs *wanted,
			struct targets *targets)
{
	const struct analysis *analysis = annotator->analysis;
	struct strmap asked = {0}; /* symbols, and whether they match */
	size_t count;
	const struct profile_location *locations = profile_locations(analysis->profile, &count);
	const struct profile_location_line *lines =
		profile_location_lines(analysis->profile, &count);

	strmap_init(&asked);
	for (size_t i = 0; i + 1 < count; i++) {
		const char *symbol = lines[i].function ? lines[i].function : "";
		/* The last line of a location is that of the function that has the code. */
		if (lines[i + 1].location != lines[i].location || !symbol[0])
			continue;
		const char *name = analysis_demangle(&annotator->annotation->arena, symbol);
		uint64_t *matches = strmap_put(&asked, symbol, 2);
		if (*matches == 2)
			*matches = analysis_name_matches(name, wanted) ||
				   analysis_glob_matches(wanted, symbol);
		if (!*matches)
			continue;
		const uint32_t host =
			analysis->function_of[locations[lines[i].location - 1].function - 1];
		const uint32_t module = analysis->functions.data[host].module;
		if (!is_known(targets, module, symbol))
			vec_push(targets, ((struct annotated){.module = module,
							      .function = ANALYSIS_NONE,
							      .symbol = symbol,
							      .name = name}));
	}
	strmap_fini(&asked);
}

static bool unknown(const struct annotator *annotator)
{
	const char *wanted = annotator->options->function;
	struct vec_of(const char *) names = {0};

	vec_foreach (function, &annotator->analysis->functions) {
		if (has_places(annotator->analysis, function))
			vec_push(&names, function->name);
	}
	const char *nearest = str_nearest(wanted, names.data, names.len);
	if (nearest)
		error_set(annotator->err, ERROR_NOT_FOUND,
			  "no function with samples is called \"%s\"; did you mean \"%s\"?", wanted,
			  nearest);
	else
		error_set(annotator->err, ERROR_NOT_FOUND,
			  "no function with samples is called \"%s\"; the functions view lists "
			  "them",
			  wanted);
	vec_fini(&names);
	return false;
}

static bool find_targets(const struct annotator *annotator, struct targets *targets)
{
	const struct analysis_globs wanted = {.items = &annotator->options->function, .count = 1};

	if (annotator->options->whole) {
		add_function(annotator, annotator->options->whole->function, targets);
		return true;
	}
	add_functions(annotator, &wanted, targets);
	add_inlined(annotator, &wanted, targets);
	if (targets->len > TARGETS_MAX)
		return error_set(annotator->err, ERROR_USAGE,
				 "%zu functions match \"%s\", at most %d can be annotated; give a "
				 "longer name",
				 targets->len, annotator->options->function, TARGETS_MAX);
	return targets->len || unknown(annotator);
}

/* ---- all of it ---- */

static bool parse_paths(struct annotator *annotator)
{
	for (size_t i = 0; i < annotator->options->source_path_count; i++)
		if (!source_prefix_parse(&annotator->prefixes, &annotator->annotation->arena,
					 annotator->options->source_paths[i], annotator->err))
			return false;
	return true;
}

static void annotate(struct annotator *annotator, const struct annotated *target)
{
	if (!annotator->options->assembly && annotate_source(annotator, target))
		return;
	/* Who knows the code asks for its instructions anyway. */
	if (!annotator->options->assembly && annotator->options->whole)
		return;
	if (!annotator->options->assembly)
		annotator_note(annotator, "no source line of %s is known: its instructions instead",
			       target->name);
	if (target->function == ANALYSIS_NONE)
		annotator_note(annotator, "%s has no code of its own, it was inlined everywhere",
			       target->name);
	else
		annotate_code(annotator, target);
}

bool analysis_annotate(const struct analysis *analysis, const struct annotation_options *options,
		       struct annotation *annotation, struct error *err)
{
	struct annotator annotator = {
		.analysis = analysis, .options = options, .annotation = annotation, .err = err};
	struct targets targets = {0};

	*annotation = (struct annotation){0};
	arena_init(&annotation->arena);
	if (!analysis->stacks && !analysis->executions)
		return unknown(&annotator);
	uint32_t *first_line = analysis_lines_of_locations(analysis);
	annotator.first_line = first_line;
	struct code_reader *shared = options->whole ? options->whole->code : NULL;
	if (shared)
		annotator.code = *shared;
	else
		code_reader_init(&annotator.code, analysis);
	const bool ok = parse_paths(&annotator) && find_targets(&annotator, &targets);
	for (size_t i = 0; i < targets.len && ok; i++)
		annotate(&annotator, &targets.data[i]);
	if (!shared)
		code_reader_fini(&annotator.code);
	free(first_line);
	vec_fini(&targets);
	vec_fini(&annotator.prefixes);
	return ok;
}

void analysis_annotation_fini(struct annotation *annotation)
{
	vec_fini(&annotation->rows);
	vec_fini(&annotation->notes);
	arena_fini(&annotation->arena);
}
