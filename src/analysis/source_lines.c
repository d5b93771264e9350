/* See source_lines.h. */
#include "analysis/source_lines.h"

#include "object/source_text.h"

struct source_lines {
	struct source_text text;
};

struct source_lines *source_lines_open(const char *path)
{
	struct source_lines *lines = mem_zalloc(sizeof(*lines));
	struct error ignored;

	if (source_text_open(&lines->text, NULL, path, &ignored))
		return lines;
	free(lines);
	return NULL;
}

void source_lines_close(struct source_lines *lines)
{
	if (lines)
		source_text_close(&lines->text);
	free(lines);
}

const char *source_lines_at(const struct source_lines *lines, size_t number, size_t *length)
{
	return lines ? source_text_line(&lines->text, number, length) : NULL;
}
