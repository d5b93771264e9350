/*
 * See row_filter.h. An expression becomes a list of nodes, operands before what joins them, so that
 * it is evaluated from left to right with a stack of truth values and no recursion.
 */
#include "report/table/row_filter.h"

#include <assert.h>
#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* A level of nesting has at most two operands that wait: of "or" and of "and". */
enum { DEPTH_MAX = 60, STACK_MAX = 2 * DEPTH_MAX + 2, SHOWN_MAX = 20 };

enum kind { TEST, NOT, AND, OR };
enum comparison { EQUAL, DIFFERS, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, MATCHES, MATCHES_NOT };

struct node {
	enum kind kind;
	const struct column *column; /* the rest is of tests */
	enum comparison comparison;
	double number;
	const char *text;
	regex_t *regex; /* NULL: none */
};

struct filter {
	struct vec_of(struct node) nodes;
	struct arena arena;
};

/* ---- parsing ---- */

struct parser {
	struct filter *filter;
	const char *start, *at;
	const struct view *view;
	size_t depth;
	struct error *err;
};

static bool refuse(struct parser *parser, const char *what)
{
	return error_set(parser->err, ERROR_USAGE, "--filter=%s: %s at \"%.*s\"", parser->start,
			 what, SHOWN_MAX, *parser->at ? parser->at : "its end");
}

static void skip_blanks(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static size_t word_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || at[length] == '_')
		length++;
	return length;
}

static bool take_word(struct parser *parser, const char *word)
{
	skip_blanks(parser);
	if (word_length(parser->at) != strlen(word) || strncmp(parser->at, word, strlen(word)) != 0)
		return false;
	parser->at += strlen(word);
	return true;
}

static bool take_sign(struct parser *parser, char sign)
{
	skip_blanks(parser);
	if (*parser->at != sign)
		return false;
	parser->at++;
	return true;
}

static bool take_operator(struct parser *parser, enum comparison *comparison)
{
	static const struct {
		const char *text;
		enum comparison comparison;
	} known[] = {{"!=", DIFFERS},	    {"!~", MATCHES_NOT}, {"<=", LESS_EQUAL},
		     {">=", GREATER_EQUAL}, {"==", EQUAL},	 {"=", EQUAL},
		     {"<", LESS},	    {">", GREATER},	 {"~", MATCHES}};

	skip_blanks(parser);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!str_starts_with(parser->at, known[i].text))
			continue;
		parser->at += strlen(known[i].text);
		*comparison = known[i].comparison;
		return true;
	}
	return refuse(parser, "a comparison (=, !=, <, <=, >, >=, ~, !~) is missing");
}

/* In quotes with \ before what would end it, between slashes with these, or up to a blank or ")".
 */
static bool take_text(struct parser *parser, struct node *node)
{
	struct str text = {0};
	skip_blanks(parser);
	const char end = *parser->at == '"' || *parser->at == '/' ? *parser->at : 0;

	if (end == '/')
		str_append(&text, "/");
	parser->at += end != 0;
	while (*parser->at && (end ? *parser->at != end
				   : !isspace((unsigned char)*parser->at) && *parser->at != ')')) {
		if (*parser->at == '\\' && end && parser->at[1] == end)
			parser->at++;
		str_append_bytes(&text, parser->at++, 1);
	}
	const bool closed = !end || *parser->at == end;
	parser->at += end && closed;
	node->text = arena_strdup(&parser->filter->arena, text.data ? text.data : "");
	const bool empty = !text.len && !end;
	str_fini(&text);
	if (!closed)
		return refuse(parser, end == '/' ? "the / that ends the expression is missing"
						 : "the quote that ends the text is missing");
	return !empty || refuse(parser, "a value is missing");
}

static bool compile(struct parser *parser, struct node *node)
{
	char message[160];

	if (node->text[0] != '/' || node->comparison < MATCHES)
		return true;
	node->regex = mem_zalloc(sizeof(*node->regex));
	const int code = regcomp(node->regex, node->text + 1, REG_EXTENDED | REG_NOSUB);
	if (!code)
		return true;
	regerror(code, node->regex, message, sizeof(message));
	free(node->regex);
	node->regex = NULL;
	return error_set(parser->err, ERROR_USAGE, "--filter=%s: the regular expression /%s/: %s",
			 parser->start, node->text + 1, message);
}

static bool take_number(struct parser *parser, struct node *node)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	const bool is_time = node->column->type == CELL_TIME;
	char *end;

	skip_blanks(parser);
	if (node->comparison >= MATCHES)
		return refuse(parser, "the column is a number, which has no patterns,");
	node->number = node->column->type == CELL_ADDRESS ? (double)strtoull(parser->at, &end, 16)
							  : strtod(parser->at, &end);
	if (end == parser->at || isnan(node->number))
		return refuse(parser, "a number is missing");
	parser->at = end;
	if (node->column->type == CELL_PERCENT && *parser->at == '%')
		parser->at++;
	if (!is_time)
		return true;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!take_word(parser, units[i].name))
			continue;
		node->number *= units[i].ns;
		return true;
	}
	return refuse(parser, "a unit (ns, us, ms, s) is missing");
}

static bool take_test(struct parser *parser)
{
	struct node node = {.kind = TEST};

	skip_blanks(parser);
	const size_t length = word_length(parser->at);
	if (!length)
		return refuse(parser, "a column is missing");
	node.column = column_find(parser->view, parser->at, length, parser->err);
	if (!node.column)
		return false;
	parser->at += length;
	if (!take_operator(parser, &node.comparison))
		return false;
	if (node.column->type != CELL_TEXT) {
		if (!take_number(parser, &node))
			return false;
	} else if (node.comparison != EQUAL && node.comparison != DIFFERS &&
		   node.comparison < MATCHES) {
		return refuse(parser, "the column is text, which has no order,");
	} else if (!take_text(parser, &node) || !compile(parser, &node)) {
		return false;
	}
	vec_push(&parser->filter->nodes, node);
	return true;
}

static bool take_or(struct parser *parser);

static void push(struct parser *parser, enum kind kind)
{
	const struct node node = {.kind = kind};

	vec_push(&parser->filter->nodes, node);
}

static bool take_factor(struct parser *parser)
{
	if (parser->depth >= DEPTH_MAX)
		return refuse(parser, "it is nested too deeply");
	parser->depth++;
	bool ok;
	if (take_word(parser, "not")) {
		ok = take_factor(parser);
		push(parser, NOT);
	} else if (take_sign(parser, '(')) {
		ok = take_or(parser) &&
		     (take_sign(parser, ')') || refuse(parser, "a \")\" is missing"));
	} else {
		ok = take_test(parser);
	}
	parser->depth--;
	return ok;
}

static bool take_and(struct parser *parser)
{
	if (!take_factor(parser))
		return false;
	while (take_word(parser, "and")) {
		if (!take_factor(parser))
			return false;
		push(parser, AND);
	}
	return true;
}

static bool take_or(struct parser *parser)
{
	if (!take_and(parser))
		return false;
	while (take_word(parser, "or")) {
		if (!take_and(parser))
			return false;
		push(parser, OR);
	}
	return true;
}

struct filter *filter_parse(const char *text, const struct view *view, struct error *err)
{
	struct filter *filter = mem_zalloc(sizeof(*filter));
	struct parser parser = {
		.filter = filter, .start = text, .at = text, .view = view, .err = err};

	arena_init(&filter->arena);
	bool ok = take_or(&parser);
	skip_blanks(&parser);
	if (ok && *parser.at)
		ok = refuse(&parser, "\"and\" or \"or\" is missing");
	if (ok)
		return filter;
	filter_free(filter);
	return NULL;
}

void filter_free(struct filter *filter)
{
	if (!filter)
		return;
	vec_foreach (node, &filter->nodes) {
		if (node->regex)
			regfree(node->regex);
		free(node->regex);
	}
	vec_fini(&filter->nodes);
	arena_fini(&filter->arena);
	free(filter);
}

/* ---- evaluating ---- */

bool filter_applies(const struct filter *filter, const struct report *report, struct error *err)
{
	vec_foreach (node, &filter->nodes) {
		if (node->kind == TEST && !column_check(report, node->column, " of --filter", err))
			return false;
	}
	return true;
}

static bool compare_numbers(enum comparison comparison, double value, double limit)
{
	switch (comparison) {
	case EQUAL:
		return value == limit;
	case LESS:
		return value < limit;
	case LESS_EQUAL:
		return value <= limit;
	case GREATER:
		return value > limit;
	case GREATER_EQUAL:
		return value >= limit;
	default:
		return value != limit;
	}
}

static bool compare_texts(const struct node *node, const char *text)
{
	const bool wanted = node->comparison == EQUAL || node->comparison == MATCHES;
	bool same;

	if (node->comparison == EQUAL || node->comparison == DIFFERS)
		same = strcmp(text, node->text) == 0;
	else if (node->regex)
		same = regexec(node->regex, text, 0, NULL, 0) == 0;
	else
		same = fnmatch(node->text, text, 0) == 0;
	return same == wanted;
}

/* Times of a report in ticks are compared in nanoseconds all the same. */
static double cell_number(const struct report *report, const struct cell *cell)
{
	if (cell->type == CELL_PERCENT)
		return cell->percent;
	if (cell->type == CELL_SIGNED)
		return (double)(int64_t)cell->number;
	if (cell->type == CELL_TIME && report->options->unit == REPORT_TICKS)
		return (double)analysis_ns(report->analysis, cell->number);
	return (double)cell->number;
}

static bool test_passes(const struct node *node, const struct report *report,
			const struct report_row *row)
{
	struct str scratch = {0};
	struct cell cell;
	bool passes;

	column_read(node->column, report, row, &scratch, &cell);
	if (cell.type == CELL_EMPTY)
		passes = node->comparison == DIFFERS || node->comparison == MATCHES_NOT;
	else if (cell.type == CELL_TEXT)
		passes = node->text && compare_texts(node, cell.text);
	else
		passes = !node->text && compare_numbers(node->comparison,
							cell_number(report, &cell), node->number);
	str_fini(&scratch);
	return passes;
}

bool filter_passes(const struct filter *filter, const struct report *report,
		   const struct report_row *row)
{
	bool stack[STACK_MAX];
	size_t depth = 0;

	vec_foreach (node, &filter->nodes) {
		switch (node->kind) {
		case TEST:
			assert(depth < STACK_MAX);
			stack[depth++] = test_passes(node, report, row);
			break;
		case NOT:
			assert(depth >= 1);
			stack[depth - 1] = !stack[depth - 1];
			break;
		case AND:
			assert(depth >= 2);
			depth--;
			stack[depth - 1] = stack[depth - 1] && stack[depth];
			break;
		case OR:
			assert(depth >= 2);
			depth--;
			stack[depth - 1] = stack[depth - 1] || stack[depth];
			break;
		}
	}
	assert(depth == 1);
	return stack[0];
}
