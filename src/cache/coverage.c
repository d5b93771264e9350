/*
 * Lines "address size copy bytes stubs unseen verdict name", ascending. Refuses unknown verdicts
 * and disorder.
 */
#include "cache/coverage.h"

#include "session/text_file.h"

#include <stdio.h>
#include <string.h>

void coverage_format(const struct rewrite_result *result, struct str *out)
{
	vec_foreach (function, &result->functions) {
		str_printf(out, "0x%jx\t0x%jx\t0x%jx\t0x%jx\t0x%jx\t%d\t%s\t",
			   (uintmax_t)function->addr, (uintmax_t)function->size,
			   (uintmax_t)function->copy_addr, (uintmax_t)function->copy_bytes,
			   (uintmax_t)function->stub_bytes, function->called_unseen,
			   rewrite_verdict_name(function->verdict));
		struct str name = {0};
		text_put_field(&name, function->name);
		if (name.data)
			str_append(out, name.data);
		str_fini(&name);
		text_end_line(out);
	}
	/* Never NULL, so that an empty list is a file too. */
	str_append(out, "");
}

static bool verdict_parse(const char *name, enum rewrite_verdict *verdict)
{
	for (int i = 0; i < REWRITE_VERDICTS; i++) {
		if (strcmp(rewrite_verdict_name((enum rewrite_verdict)i), name) != 0)
			continue;
		*verdict = (enum rewrite_verdict)i;
		return true;
	}
	return false;
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		count++;
	}
	return count;
}

bool coverage_parse(struct coverage *coverage, char *text, struct error *err)
{
	struct text_line line;
	char *at = text;

	*coverage = (struct coverage){.text = text};
	vec_reserve(&coverage->rows, count_lines(text));
	while (text_next_line(&at, &line)) {
		struct coverage_row row = {.name = text_field(&line, 7)};
		uint64_t unseen;
		if (!text_u64(&line, 0, &row.addr) || !text_u64(&line, 1, &row.size) ||
		    !text_u64(&line, 2, &row.copy_addr) || !text_u64(&line, 3, &row.copy_bytes) ||
		    !text_u64(&line, 4, &row.stub_bytes) || !text_u64(&line, 5, &unseen) ||
		    unseen > 1 || !verdict_parse(text_field(&line, 6), &row.verdict) ||
		    (coverage->rows.len && vec_last(&coverage->rows).addr > row.addr)) {
			coverage_fini(coverage);
			return error_set(err, ERROR_INPUT, "the list of functions is damaged");
		}
		row.called_unseen = unseen;
		vec_push(&coverage->rows, row);
	}
	return true;
}

void coverage_fini(struct coverage *coverage)
{
	vec_fini(&coverage->rows);
	free(coverage->text);
	coverage->text = NULL;
}

const struct coverage_row *coverage_find(const struct coverage *coverage, uint64_t addr)
{
	const size_t low =
		partition_point(coverage->rows.len, i, coverage->rows.data[i].addr < addr);

	return low < coverage->rows.len && coverage->rows.data[low].addr == addr
		       ? &coverage->rows.data[low]
		       : NULL;
}
