/*
 * Source by source, in the order of their paths.
 *
 * lcov: a tracefile (man geninfo) with SF, FN and FNDA per function, BRDA per conditional jump, DA
 * per line with code, and how many of each there are and were hit.
 *
 * gcov: the text of *.gcov files, one after the other: executions, number and text of each line.
 *
 * A line's executions are those in all functions that have its code.
 */
#include "report/export/executed.h"

#include "analysis/executions.h"
#include "analysis/source_lines.h"
#include "report/words/name.h"

#include <inttypes.h>
#include <string.h>

struct file {
	const char *path;
	int64_t source;
	size_t begin, end; /* of the executions' lines */
};

struct files {
	const struct analysis *analysis;
	const struct analysis_executions *executions;
	struct vec_of(struct file) list;
	bool *has_lines; /* by function: lines of its own are known */
};

/* Lines and others that a file has, and that were hit. */
struct tally {
	uint64_t found, hit;
};

static int compare_files(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	const int order = strcmp(x->path, y->path);

	return order ? order : (x->source > y->source) - (x->source < y->source);
}

static bool files_open(struct files *files, const struct analysis *analysis, struct error *err)
{
	size_t count;
	const struct profile_source *sources = profile_sources(analysis->profile, &count);

	*files = (struct files){.analysis = analysis, .executions = analysis->executions};
	if (!analysis->executions)
		return error_set(err, ERROR_NOT_FOUND,
				 "the profile has no executions of lines; tare record --lines "
				 "counts them");
	files->has_lines = mem_zalloc((analysis->functions.len + 1) * sizeof(*files->has_lines));
	const struct executed_line *lines = analysis->executions->lines.data;
	for (size_t i = 0; i < analysis->executions->lines.len; i++) {
		if (lines[i].function != ANALYSIS_NONE)
			files->has_lines[lines[i].function] = true;
		if (!i || lines[i].source != lines[i - 1].source)
			vec_push(&files->list, ((struct file){sources[lines[i].source - 1].path,
							      lines[i].source, i, i}));
		vec_last(&files->list).end = i + 1;
	}
	vec_sort(&files->list, compare_files);
	return true;
}

static void files_close(struct files *files)
{
	free(files->has_lines);
	vec_fini(&files->list);
}

/* The next line of the file, with the executions in all functions; false behind the last one. */
static bool next_line(const struct files *files, const struct file *file, size_t *at,
		      uint32_t *line, uint64_t *count)
{
	const struct executed_line *lines = files->executions->lines.data;

	if (*at >= file->end)
		return false;
	*line = lines[*at].line;
	*count = 0;
	for (; *at < file->end && lines[*at].line == *line; ++*at)
		*count += lines[*at].count;
	return true;
}

/* A name on a line of its own, whatever is in it. */
static void write_line(FILE *stream, const char *key, const char *name)
{
	struct str text = {0};

	name_append_escaped(&text, name, true);
	fprintf(stream, "%s%s\n", key, text.data ? text.data : "");
	str_fini(&text);
}

static void tally_add(struct tally *tally, uint64_t count)
{
	tally->found++;
	tally->hit += count != 0;
}

static void write_tally(FILE *stream, const struct tally *tally, const char *found, const char *hit)
{
	fprintf(stream, "%s%" PRIu64 "\n%s%" PRIu64 "\n", found, tally->found, hit, tally->hit);
}

/* ---- lcov ---- */

static void write_functions(const struct files *files, const struct file *file, FILE *stream)
{
	const struct analysis *analysis = files->analysis;
	struct tally tally = {0};
	struct str key = {0};

	for (size_t i = 0; i < analysis->functions.len; i++) {
		const struct analysis_function *function = &analysis->functions.data[i];
		const char *name = function->symbol[0] ? function->symbol : function->name;

		if (!files->has_lines[i] || !function->source || function->line <= 0 ||
		    strcmp(function->source, file->path) != 0)
			continue;
		str_clear(&key);
		str_printf(&key, "FN:%" PRId64 ",", function->line);
		write_line(stream, key.data, name);
		str_clear(&key);
		str_printf(&key, "FNDA:%" PRIu64 ",", function->values.calls);
		write_line(stream, key.data, name);
		tally_add(&tally, function->values.calls);
	}
	write_tally(stream, &tally, "FNF:", "FNH:");
	str_fini(&key);
}

static int compare_branches(const void *a, const void *b)
{
	const struct executed_block *x = *(const struct executed_block *const *)a;
	const struct executed_block *y = *(const struct executed_block *const *)b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (x->link_addr > y->link_addr) - (x->link_addr < y->link_addr);
}

/* A jump's two ways: taken, not taken; "-" where it was never reached. */
static void write_branch(FILE *stream, const struct executed_block *block, unsigned number,
			 struct tally *tally)
{
	const uint64_t ways[] = {block->taken, block->count - block->taken};

	for (unsigned way = 0; way < 2; way++) {
		fprintf(stream, "BRDA:%u,%u,%u,", block->line, number, way);
		if (block->count)
			fprintf(stream, "%" PRIu64 "\n", ways[way]);
		else
			fputs("-\n", stream);
		tally_add(tally, block->count ? ways[way] : 0);
	}
}

static void write_branches(const struct files *files, const struct file *file, FILE *stream)
{
	struct vec_of(const struct executed_block *) branches = {0};
	struct tally tally = {0};
	unsigned number = 0;

	vec_foreach (block, &files->executions->blocks) {
		if (block->branches && block->source == file->source && block->line &&
		    block->taken <= block->count)
			vec_push(&branches, block);
	}
	vec_sort(&branches, compare_branches);
	for (size_t i = 0; i < branches.len; i++) {
		number = i && branches.data[i]->line == branches.data[i - 1]->line ? number + 1 : 0;
		write_branch(stream, branches.data[i], number, &tally);
	}
	if (tally.found)
		write_tally(stream, &tally, "BRF:", "BRH:");
	vec_fini(&branches);
}

static void write_lines(const struct files *files, const struct file *file, FILE *stream)
{
	struct tally tally = {0};
	size_t at = file->begin;
	uint32_t line;
	uint64_t count;

	while (next_line(files, file, &at, &line, &count)) {
		if (!line)
			continue;
		fprintf(stream, "DA:%u,%" PRIu64 "\n", line, count);
		tally_add(&tally, count);
	}
	write_tally(stream, &tally, "LF:", "LH:");
}

bool executed_write_lcov(const struct analysis *analysis, const struct export_options *options,
			 FILE *stream, struct error *err)
{
	struct files files = {0};

	(void)options;
	if (!files_open(&files, analysis, err))
		return false;
	vec_foreach (file, &files.list) {
		fputs("TN:\n", stream);
		write_line(stream, "SF:", file->path);
		write_functions(&files, file, stream);
		write_branches(&files, file, stream);
		write_lines(&files, file, stream);
		fputs("end_of_record\n", stream);
	}
	files_close(&files);
	return true;
}

/* ---- gcov ---- */

/* Tabs are the source's own; other control characters are escaped. */
static void append_source(struct str *out, const char *text, size_t length)
{
	struct str part = {0};

	for (const char *at = text, *end = text + length; at <= end;) {
		const char *tab = memchr(at, '\t', (size_t)(end - at));
		str_clear(&part);
		str_append_bytes(&part, at, (size_t)((tab ? tab : end) - at));
		name_append_escaped(out, part.data ? part.data : "", true);
		if (!tab)
			break;
		str_append(out, "\t");
		at = tab + 1;
	}
	str_fini(&part);
}

/* "-" of a line without code, "#####" of one that never ran. */
static void write_gcov_line(FILE *stream, const uint64_t *count, uint64_t number,
			    const struct str *text)
{
	if (!count)
		fputs("        -", stream);
	else if (*count)
		fprintf(stream, "%9" PRIu64, *count);
	else
		fputs("    #####", stream);
	fprintf(stream, ":%5" PRIu64 ":%s\n", number, text->data ? text->data : "");
}

/* All lines of the text, and those with code; where there is no text, these alone. */
static void write_gcov_file(const struct files *files, const struct file *file, FILE *stream)
{
	struct source_lines *lines = source_lines_open(file->path);
	const char *command = profile_session(files->analysis->profile)->command_line;
	struct str text = {0};
	size_t at = file->begin, length;
	uint32_t line = 0;
	uint64_t count = 0;
	bool more = next_line(files, file, &at, &line, &count);

	write_line(stream, "        -:    0:Source:", file->path);
	write_line(stream, "        -:    0:Data:", command ? command : "");
	for (uint64_t number = 1;; number++) {
		const char *bytes = source_lines_at(lines, number, &length);
		while (more && line < number)
			more = next_line(files, file, &at, &line, &count);
		if (!bytes && !more)
			break;
		if (!bytes)
			number = line;
		str_clear(&text);
		if (bytes)
			append_source(&text, bytes, length);
		else
			str_append(&text, "/*EOF*/");
		write_gcov_line(stream, more && line == number ? &count : NULL, number, &text);
		if (more && line == number)
			more = next_line(files, file, &at, &line, &count);
	}
	str_fini(&text);
	source_lines_close(lines);
}

bool executed_write_gcov(const struct analysis *analysis, const struct export_options *options,
			 FILE *stream, struct error *err)
{
	struct files files = {0};

	(void)options;
	if (!files_open(&files, analysis, err))
		return false;
	vec_foreach (file, &files.list)
		write_gcov_file(&files, file, stream);
	files_close(&files);
	return true;
}
