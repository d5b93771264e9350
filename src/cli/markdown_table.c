/*
 * Tables of Markdown, see markdown_text.h. Where all columns but the last one leave room for that
 * one, they stand side by side, and the last one is wrapped. Else each row is its first cell, with
 * the other cells below it, each behind the name of its column.
 */
#include "base/vec.h"
#include "cli/markdown_text.h"
#include "report/words/name.h"

#include <string.h>

enum { CELLS_MAX = 16, GAP = 2, LAST_LEAST = 30 };

struct row {
	char *cells[CELLS_MAX];
};

struct table {
	struct vec_of(struct row) rows;
	size_t widths[CELLS_MAX];
	size_t count; /* of columns, by the head */
};

static void trim(const char **begin, const char **end)
{
	while (*begin < *end && **begin == ' ')
		++*begin;
	while (*end > *begin && (*end)[-1] == ' ')
		--*end;
}

/* Where the cell ends that begins at `at`: at a bar that no backslash stands before. */
static const char *cell_end(const char *at, const char *end)
{
	while (at < end && *at != '|')
		at += *at == '\\' && at + 1 < end ? 2 : 1;
	return at;
}

/* A bar within a cell has a backslash, in code too. */
static char *cell_text(const char *begin, const char *end, const struct markdown_links *links)
{
	struct str plain = {0}, text = {0};

	trim(&begin, &end);
	str_append(&plain, "");
	str_append(&text, "");
	for (; begin < end; begin++)
		if (*begin != '\\' || begin + 1 == end || begin[1] != '|')
			str_append_bytes(&plain, begin, 1);
	markdown_inline(plain.data, plain.len, links, &text);
	str_fini(&plain);
	return text.data;
}

static size_t read_row(struct row *row, const char *line, const char *end,
		       const struct markdown_links *links)
{
	size_t count = 0;

	for (const char *at = line + 1; at < end && count < CELLS_MAX; count++) {
		const char *cell = cell_end(at, end);

		if (cell == end && strspn(at, " \n") >= (size_t)(end - at))
			break;
		row->cells[count] = cell_text(at, cell, links);
		at = cell + 1;
	}
	return count;
}

/* "|---|---:|" */
static bool is_rule(const char *line, size_t length)
{
	return strspn(line, "|-: ") >= length && memchr(line, '-', length);
}

static const char *read_table(struct table *table, const char *text,
			      const struct markdown_links *links)
{
	while (*text == '|') {
		const size_t length = strcspn(text, "\n");

		if (!is_rule(text, length)) {
			struct row row = {0};
			const size_t count = read_row(&row, text, text + length, links);

			if (!table->rows.len)
				table->count = count;
			vec_push(&table->rows, row);
		}
		text += length + (text[length] == '\n');
	}
	vec_foreach (row, &table->rows) {
		for (size_t i = 0; i < table->count; i++) {
			const size_t width = row->cells[i] ? name_width(row->cells[i]) : 0;
			table->widths[i] = width > table->widths[i] ? width : table->widths[i];
		}
	}
	return text;
}

static void append_blanks(struct str *out, size_t count)
{
	str_printf(out, "%*s", (int)count, "");
}

/* `before`: columns of all cells but the last one, with gaps. */
static void append_beside(const struct table *table, const struct row *row, size_t before,
			  size_t columns, struct str *out)
{
	struct str first = {0};

	str_append(&first, "");
	for (size_t i = 0; i + 1 < table->count; i++) {
		const char *cell = row->cells[i] ? row->cells[i] : "";

		str_append(&first, cell);
		append_blanks(&first, table->widths[i] + GAP - name_width(cell));
	}
	const char *last = row->cells[table->count - 1];
	markdown_wrap(last ? last : "", first.data, before, columns, out);
	str_fini(&first);
}

static void append_below(const struct table *table, const struct row *row, size_t columns,
			 struct str *out)
{
	const struct row *head = &table->rows.data[0];

	markdown_wrap(row->cells[0] ? row->cells[0] : "", "", 0, columns, out);
	for (size_t i = 1; i < table->count; i++) {
		struct str first = {0};

		if (!row->cells[i] || !*row->cells[i])
			continue;
		str_append(&first, "    ");
		if (table->count > 2 && head->cells[i] && *head->cells[i])
			str_printf(&first, "%s: ", head->cells[i]);
		markdown_wrap(row->cells[i], first.data, 6, columns, out);
		str_fini(&first);
	}
}

static void append_rows(const struct table *table, size_t columns, struct str *out)
{
	size_t before = 0;

	for (size_t i = 0; i + 1 < table->count; i++)
		before += table->widths[i] + GAP;
	const size_t last = table->widths[table->count - 1];
	const bool beside = before + (last < LAST_LEAST ? last : LAST_LEAST) <= columns;
	vec_foreach (row, &table->rows) {
		if (beside)
			append_beside(table, row, before, columns, out);
		else if (row != table->rows.data)
			append_below(table, row, columns, out);
		if (beside && row == table->rows.data) {
			const size_t wanted = before + last;
			for (size_t i = 0; i < (wanted < columns ? wanted : columns); i++)
				str_append(out, "-");
			str_append(out, "\n");
		}
	}
}

const char *markdown_table(const char *text, size_t columns, const struct markdown_links *links,
			   struct str *out)
{
	struct table table = {0};
	const char *end = read_table(&table, text, links);

	if (table.count)
		append_rows(&table, columns, out);
	vec_foreach (row, &table.rows) {
		for (size_t i = 0; i < CELLS_MAX; i++)
			free(row->cells[i]);
	}
	vec_fini(&table.rows);
	return end;
}
