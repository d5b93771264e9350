/*
 * Instructions of a function with their samples. Where the file is not here any more, the addresses
 * that samples have.
 */
#include "analysis/annotator.h"
#include "analysis/executions.h"

#include <string.h>

struct instruction {
	uint64_t addr, end;
	const char *text;
};

struct code_builder {
	struct annotator *annotator;
	const struct annotated *target;
	const struct analysis_function *function;
	struct vec_of(struct instruction) instructions; /* ascending */
};

static void decode(struct code_builder *builder)
{
	struct annotation *annotation = builder->annotator->annotation;
	const char *reason;
	char text[512];
	const struct object *object =
		code_of_module(&builder->annotator->code, builder->target->module, &reason);

	if (!object) {
		annotator_note(builder->annotator, "%s", reason);
		return;
	}
	const uint64_t end = code_end(object, builder->function);
	for (uint64_t at = builder->function->link_addr; at < end;) {
		const size_t length = code_text(object, at, end, text, sizeof(text));
		if (!length)
			break;
		vec_push(&builder->instructions,
			 ((struct instruction){at, at + length,
					       arena_strdup(&annotation->arena, text)}));
		at += length;
	}
}

static int compare_instructions(const void *a, const void *b)
{
	const struct instruction *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static size_t index_of(const struct code_builder *builder, uint64_t addr)
{
	const size_t after = partition_point(builder->instructions.len, i,
					     builder->instructions.data[i].addr <= addr);

	return after && addr < builder->instructions.data[after - 1].end ? after - 1 : SIZE_MAX;
}

/* Addresses outside of what was decoded, such as those of a part that lies apart. */
static void add_unknown(struct code_builder *builder)
{
	const struct analysis *analysis = builder->annotator->analysis;
	struct vec_of(struct instruction) more = {0};

	vec_foreach (row, &analysis->instructions) {
		if (row->function == builder->target->function &&
		    index_of(builder, row->link_addr) == SIZE_MAX)
			vec_push(&more, ((struct instruction){row->link_addr, row->link_addr + 1,
							      row->text}));
	}
	vec_append(&builder->instructions, more.data, more.len);
	vec_sort(&builder->instructions, compare_instructions);
	vec_fini(&more);
}

static struct analysis_place *count(struct code_builder *builder)
{
	const struct analysis *analysis = builder->annotator->analysis;
	struct location_places places = {0};
	size_t locations_count;
	const struct profile_location *locations =
		profile_locations(analysis->profile, &locations_count);

	location_places_init(&places, analysis);
	for (size_t i = 0; i < locations_count; i++) {
		const bool own = analysis->function_of[locations[i].function - 1] ==
				 builder->target->function;
		const size_t index = own ? index_of(builder, locations[i].link_addr) : SIZE_MAX;
		if (index != SIZE_MAX)
			vec_push(&places.at, (uint32_t)index);
		location_places_end(&places, i);
	}
	places.count = (uint32_t)builder->instructions.len;
	struct analysis_place *values = mem_zalloc((places.count + 1) * sizeof(*values));
	analysis_places_count(analysis, &places, values);
	location_places_fini(&places);
	return values;
}

/* Lines are known of the addresses that samples have. */
static void set_line(const struct code_builder *builder, const struct instruction *instruction,
		     struct annotation_row *row)
{
	const struct analysis *analysis = builder->annotator->analysis;

	vec_foreach (known, &analysis->instructions) {
		if (known->function != builder->target->function ||
		    known->link_addr < instruction->addr || known->link_addr >= instruction->end)
			continue;
		row->source = known->source;
		row->line = known->line;
		return;
	}
}

void annotate_code(struct annotator *annotator, const struct annotated *target)
{
	struct annotation *annotation = annotator->annotation;
	struct code_builder builder = {
		.annotator = annotator,
		.target = target,
		.function = &annotator->analysis->functions.data[target->function]};
	const size_t from = annotation->rows.len;

	decode(&builder);
	add_unknown(&builder);
	struct analysis_place *values = count(&builder);
	for (size_t i = 0; i < builder.instructions.len; i++) {
		const struct instruction *instruction = &builder.instructions.data[i];
		struct annotation_row row = {.kind = ANNOTATION_INSTRUCTION,
					     .name = target->name,
					     .module = target->module,
					     .link_addr = instruction->addr,
					     .text = instruction->text,
					     .values = values[i]};
		row.values.has_executions =
			analysis_code_executions(annotator->analysis, target->module,
						 instruction->addr, &row.values.executions);
		if (analysis_place_is_used(&row.values))
			set_line(&builder, instruction, &row);
		vec_push(&annotation->rows, row);
	}
	if (annotation->rows.len > from)
		annotation->rows.data[from].heading =
			arena_printf(&annotation->arena, "%s  %s", target->name,
				     annotator->analysis->modules.data[target->module].path);
	annotator_leave_out(annotator, from);
	free(values);
	vec_fini(&builder.instructions);
}
