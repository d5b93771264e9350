/* Executions of blocks and of source lines: summed up by thread and place. */
#include "merge/private.h"

#include <inttypes.h>

#include <assert.h>
#include <string.h>

enum { NONE = 0 };

static const char *key_text(const struct keys *keys, int64_t index)
{
	return index ? keys->list.data[index - 1] : "";
}

/* Index + 1 of what the id stands for. */
static int64_t index_of(const uint32_t *indices, int64_t id)
{
	return id ? (int64_t)indices[id - 1] + 1 : NONE;
}

static size_t find(struct keys *keys, struct str *key, bool *fresh)
{
	const size_t index = keys_find(keys, key->data, fresh);

	str_fini(key);
	return index;
}

/* ---- reading ---- */

static int64_t source_of(struct input *input, int64_t id)
{
	size_t count;
	const struct profile_source *sources = profile_sources(input->profile, &count);
	bool fresh;

	if (!id)
		return NONE;
	const char *path = sources[id - 1].path ? sources[id - 1].path : "";
	return (int64_t)keys_find(&input->merge->source_keys, path, &fresh) + 1;
}

/* The one whose text comes first, if there is any: whichever input is read first. */
static int64_t least(const struct keys *keys, int64_t a, int64_t b)
{
	if (!a || !b)
		return a ? a : b;
	return strcmp(key_text(keys, a), key_text(keys, b)) <= 0 ? a : b;
}

static void take_place(struct input *input, struct profile_block *block,
		       const struct profile_block *row)
{
	const int64_t source = source_of(input, row->source);

	if (source && (!block->source ||
		       (least(&input->merge->source_keys, source, block->source) == source &&
			(source != block->source || row->line < block->line)))) {
		block->source = source;
		block->line = row->line;
	}
}

static bool take_block(const struct profile_block *row, void *context)
{
	struct input *input = context;
	struct merge *merge = input->merge;
	const int64_t module = index_of(input->modules, row->module);
	struct str key = {0};
	bool fresh;

	/* Unlike sizes are pieces of code that never ran, as often as they are met. */
	str_printf(&key, "%s" SEPARATOR "%016" PRIx64 SEPARATOR "%" PRIx64,
		   key_text(&merge->module_keys, module), row->link_addr, row->size);
	const size_t index = find(&merge->block_keys, &key, &fresh);
	if (fresh) {
		struct profile_block block = *row;
		block.module = module;
		block.function = NONE;
		block.source = NONE;
		block.line = 0;
		vec_push(&merge->blocks, block);
	}
	assert(merge->blocks.len == merge->block_keys.list.len);
	struct profile_block *block = &merge->blocks.data[index];
	block->function = least(&merge->function_keys, block->function,
				index_of(input->functions, row->function));
	take_place(input, block, row);
	vec_push(&input->blocks, (uint32_t)index);
	return true;
}

static bool take_execution(const struct profile_execution *row, void *context)
{
	struct input *input = context;
	struct merge *merge = input->merge;
	const int64_t thread = index_of(input->threads, row->thread);
	struct str key = {0};
	bool fresh;

	if ((uint64_t)row->block > input->blocks.len) {
		input->failed = true;
		return error_set(input->err, ERROR_INPUT,
				 "the profile %s is damaged: executions of block %" PRId64
				 ", which there is not",
				 input->path, row->block);
	}
	const uint32_t block = input->blocks.data[row->block - 1];
	str_printf(&key, "%s" SEPARATOR "%s", key_text(&merge->thread_keys, thread),
		   merge->block_keys.list.data[block]);
	const size_t index = find(&merge->execution_keys, &key, &fresh);
	if (fresh)
		vec_push(&merge->executions,
			 ((struct profile_execution){.thread = thread, .block = block}));
	assert(merge->executions.len == merge->execution_keys.list.len);
	add_count(&merge->executions.data[index].count, row->count);
	add_count(&merge->executions.data[index].taken, row->taken);
	return true;
}

static bool take_line(const struct profile_line_execution *row, void *context)
{
	struct input *input = context;
	struct merge *merge = input->merge;
	const struct profile_line_execution empty = {
		.thread = index_of(input->threads, row->thread),
		.function = index_of(input->functions, row->function),
		.source = source_of(input, row->source),
		.line = row->line};
	struct str key = {0};
	bool fresh;

	str_printf(&key, "%s" SEPARATOR "%s" SEPARATOR "%s" SEPARATOR "%08x",
		   key_text(&merge->thread_keys, empty.thread),
		   key_text(&merge->function_keys, empty.function),
		   key_text(&merge->source_keys, empty.source), row->line);
	const size_t index = find(&merge->line_keys, &key, &fresh);
	if (fresh)
		vec_push(&merge->lines, empty);
	assert(merge->lines.len == merge->line_keys.list.len);
	add_count(&merge->lines.data[index].count, row->count);
	return true;
}

bool combine_executions(struct input *input, struct error *err)
{
	const bool ok = profile_each_block(input->profile, take_block, input, err) &&
			profile_each_execution(input->profile, take_execution, input, err) &&
			!input->failed &&
			profile_each_line_execution(input->profile, take_line, input, err);

	vec_fini(&input->blocks);
	return ok;
}

/* ---- writing ---- */

static int64_t id_or_none(const struct ranking *ranking, int64_t index)
{
	return index ? id_of(ranking, index - 1) : NONE;
}

static bool write_blocks(const struct output *output)
{
	struct merge *merge = output->merge;

	for (size_t i = 0; i < merge->blocks.len; i++) {
		struct profile_block row = merge->blocks.data[output->blocks.order[i]];
		row.module = id_or_none(&output->modules, row.module);
		row.function = id_or_none(&output->functions, row.function);
		row.source = id_or_none(&output->sources, row.source);
		if (!profile_add_block(output->writer, &row, output->err))
			return false;
	}
	return true;
}

bool write_executions(const struct output *output)
{
	struct merge *merge = output->merge;

	if (!write_blocks(output))
		return false;
	for (size_t i = 0; i < merge->executions.len; i++) {
		struct profile_execution row = merge->executions.data[output->executions.order[i]];
		row.thread = id_or_none(&output->threads, row.thread);
		row.block = id_of(&output->blocks, row.block);
		if (!profile_add_execution(output->writer, &row, output->err))
			return false;
	}
	for (size_t i = 0; i < merge->lines.len; i++) {
		struct profile_line_execution row = merge->lines.data[output->lines.order[i]];
		row.thread = id_or_none(&output->threads, row.thread);
		row.function = id_or_none(&output->functions, row.function);
		row.source = id_or_none(&output->sources, row.source);
		if (!profile_add_line_execution(output->writer, &row, output->err))
			return false;
	}
	return true;
}
