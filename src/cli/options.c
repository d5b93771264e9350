/*
 * Table-driven option parser, see options.h. Accepts --name, --name=value, --name value, -x,
 * -x value, -xvalue and -xyz for flags. Refuses unknown names (with the nearest known one),
 * missing and superfluous arguments, numbers out of range, and values that are not a choice.
 */
#include "cli/options.h"

#include "base/enum_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_INDENT = 30, HELP_WIDTH = 100, NAMES_MAX = 64 };

/* The state of one parse: argv[next] is read next, argv[0..operands) are operands. */
struct parse {
	const struct options_syntax *syntax;
	char **argv;
	int argc, next, operands;
	char *values;
	enum option_help help;
};

static const struct option *option_find(const struct option *options, const char *name,
					size_t length)
{
	for (const struct option *o = options; o->name; o++)
		if (strlen(o->name) == length && memcmp(o->name, name, length) == 0)
			return o;
	return NULL;
}

static const struct option *option_find_letter(const struct option *options, char letter)
{
	for (const struct option *o = options; o->name; o++)
		if (o->letter == letter)
			return o;
	return NULL;
}

static bool unknown_option(const struct option *options, const char *name, struct error *err)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (const struct option *o = options; o->name && count < NAMES_MAX - 1; o++)
		names[count++] = o->name;
	names[count++] = "help";
	const char *nearest = str_nearest(name, names, count);
	if (nearest)
		return error_set(err, ERROR_USAGE, "unknown option --%s; did you mean --%s?", name,
				 nearest);
	return error_set(err, ERROR_USAGE, "unknown option --%s; see --help", name);
}

static bool store_choice(const struct option *o, void *value, const char *text, struct error *err)
{
	struct str all = {0};
	size_t count = 0;

	for (; o->choices[count]; count++) {
		if (strcmp(o->choices[count], text) == 0) {
			*(int *)value = (int)count;
			str_fini(&all);
			return true;
		}
		str_printf(&all, "%s%s", count ? ", " : "", o->choices[count]);
	}
	const char *nearest = str_nearest(text, o->choices, count);
	error_set(err, ERROR_USAGE, "--%s=%s is not one of %s%s%s%s", o->name, text, all.data,
		  nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
	str_fini(&all);
	return false;
}

static bool store_number(const struct option *o, void *value, const char *text, struct error *err)
{
	const bool bounded = o->min != 0 || o->max != 0;
	const double max = bounded ? (double)o->max : HUGE_VAL;
	char *end = NULL;
	double number;

	errno = 0;
	if (o->type == OPTION_INTEGER) {
		const long long whole = strtoll(text, &end, 10);
		*(int64_t *)value = whole;
		number = (double)whole;
	} else {
		number = strtod(text, &end);
		*(double *)value = number;
	}
	if (end == text || *end || errno || isnan(number))
		return error_set(err, ERROR_USAGE, "--%s=%s is not a number", o->name, text);
	if (number < (double)o->min || number > max) {
		if (bounded)
			return error_set(err, ERROR_USAGE, "--%s=%s is not between %lld and %lld",
					 o->name, text, (long long)o->min, (long long)o->max);
		return error_set(err, ERROR_USAGE, "--%s=%s is negative", o->name, text);
	}
	return true;
}

static bool size_is_within(const struct option *o, long long number, unsigned shift)
{
	return number >= 0 && number <= INT64_MAX >> shift && number << shift >= o->min &&
	       (!o->max || number << shift <= o->max);
}

/* A number of bytes in whole units, as people write it. */
static void size_append(struct str *out, int64_t size)
{
	static const char units[] = {0, 'k', 'M', 'G'};
	unsigned unit = 0;

	while (unit < 3 && size && size % 1024 == 0) {
		size /= 1024;
		unit++;
	}
	str_printf(out, "%lld%.1s", (long long)size, unit ? &units[unit] : "");
}

static bool store_size(const struct option *o, void *value, const char *text, struct error *err)
{
	static const char units[] = "kMG";
	struct str min = {0}, max = {0};
	char *end = NULL;

	errno = 0;
	const long long number = strtoll(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;
	const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

	if (end == text || (*end && (!unit || end[1])))
		return error_set(err, ERROR_USAGE,
				 "--%s=%s is not a size; write a number, or one with k, M or G",
				 o->name, text);
	if (!errno && size_is_within(o, number, shift)) {
		*(int64_t *)value = number << shift;
		return true;
	}
	size_append(&min, o->min);
	size_append(&max, o->max);
	error_set(err, ERROR_USAGE, "--%s=%s is not between %s and %s", o->name, text, min.data,
		  max.data);
	str_fini(&min);
	str_fini(&max);
	return false;
}

static bool option_store(const struct option *o, char *values, const char *text, struct error *err)
{
	void *value = values + o->offset;

	switch (o->type) {
	case OPTION_FLAG:
		*(bool *)value = true;
		return true;
	case OPTION_TEXT:
		*(const char **)value = text;
		return true;
	case OPTION_CHOICE:
		return store_choice(o, value, text, err);
	case OPTION_INTEGER:
	case OPTION_NUMBER:
		return store_number(o, value, text, err);
	case OPTION_SIZE:
		return store_size(o, value, text, err);
	case OPTION_LIST:
		vec_push((struct option_list *)value,
			 ((struct option_item){.tag = o->tag, .value = text}));
		return true;
	}
	return true;
}

/* The option's argument: `attached` if there is one, else the next word. */
static bool take_argument(struct parse *parse, const struct option *o, const char *attached,
			  struct error *err)
{
	const char *text = attached;

	if (o->type == OPTION_FLAG)
		return option_store(o, parse->values, NULL, err);
	if (!text)
		text = o->fallback;
	if (!text && parse->next < parse->argc)
		text = parse->argv[parse->next++];
	if (!text)
		return error_set(err, ERROR_USAGE, "--%s needs %s", o->name, o->argument);
	if (!option_store(o, parse->values, text, err))
		return false;
	while (o->many && parse->next < parse->argc && parse->argv[parse->next][0] != '-')
		if (!option_store(o, parse->values, parse->argv[parse->next++], err))
			return false;
	return true;
}

static bool parse_long(struct parse *parse, const char *name, struct error *err)
{
	const char *equals = strchr(name, '=');
	const size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct option *o = option_find(parse->syntax->options, name, length);

	if (!o && length == 4 && memcmp(name, "help", 4) == 0) {
		parse->help = equals ? OPTION_HELP_ALL : OPTION_HELP_USUAL;
		return !equals || strcmp(equals + 1, "all") == 0 ||
		       error_set(err, ERROR_USAGE, "--help=%s is not --help=all", equals + 1);
	}
	if (!o) {
		struct str bare = {0};
		str_append_bytes(&bare, name, length);
		unknown_option(parse->syntax->options, bare.data ? bare.data : "", err);
		str_fini(&bare);
		return false;
	}
	if (o->type == OPTION_FLAG && equals)
		return error_set(err, ERROR_USAGE, "--%s takes no value", o->name);
	return take_argument(parse, o, equals ? equals + 1 : NULL, err);
}

static bool parse_letters(struct parse *parse, const char *letters, struct error *err)
{
	for (const char *at = letters; *at && !parse->help; at++) {
		const struct option *o = option_find_letter(parse->syntax->options, *at);
		if (!o && *at == 'h') {
			parse->help = OPTION_HELP_USUAL;
			return true;
		}
		if (!o)
			return error_set(err, ERROR_USAGE, "unknown option -%c; see --help", *at);
		if (o->type != OPTION_FLAG)
			return take_argument(parse, o, at[1] ? at + 1 : NULL, err);
		if (!take_argument(parse, o, NULL, err))
			return false;
	}
	return true;
}

bool options_parse(const struct options_syntax *syntax, struct operands *operands, void *values,
		   enum option_help *help, struct error *err)
{
	struct parse parse = {.syntax = syntax,
			      .argv = operands->items,
			      .argc = (int)operands->count,
			      .values = values};
	bool only_operands = false;

	while (parse.next < parse.argc && !parse.help) {
		char *word = parse.argv[parse.next++];
		if (only_operands || word[0] != '-' || !word[1]) {
			parse.argv[parse.operands++] = word;
			only_operands = only_operands || syntax->stop_at_operand;
		} else if (strcmp(word, "--") == 0) {
			only_operands = true;
		} else if (word[1] == '-') {
			if (!parse_long(&parse, word + 2, err))
				return false;
		} else if (!parse_letters(&parse, word + 1, err)) {
			return false;
		}
	}
	*help = parse.help;
	operands->count = (size_t)parse.operands;
	return true;
}

void options_fini(const struct option *options, void *values)
{
	for (const struct option *o = options; o->name; o++)
		if (o->type == OPTION_LIST)
			vec_fini((struct option_list *)(void *)((char *)values + o->offset));
}

/* A value of 0 is none. */
static bool option_is_given(const struct option *o, const void *values)
{
	const void *value = (const char *)values + o->offset;

	switch (o->type) {
	case OPTION_FLAG:
		return *(const bool *)value;
	case OPTION_TEXT:
		return *(const char *const *)value;
	case OPTION_CHOICE:
		return *(const int *)value;
	case OPTION_INTEGER:
	case OPTION_SIZE:
		return *(const int64_t *)value;
	case OPTION_NUMBER:
		return *(const double *)value > 0;
	case OPTION_LIST:
		vec_foreach (item, (const struct option_list *)value)
			if (item->tag == o->tag)
				return true;
		return false;
	}
	return false;
}

const char *options_needing(const struct option *options, const void *values, unsigned needs,
			    struct str *scratch)
{
	for (const struct option *o = options; o->name; o++) {
		if (!(o->needs & needs) || !option_is_given(o, values))
			continue;
		if (o->called)
			return o->called;
		str_clear(scratch);
		str_printf(scratch, "--%s", o->name);
		return scratch->data;
	}
	return NULL;
}

/* As it was given. */
static void option_describe(const struct option *o, const void *values, struct str *out)
{
	const void *value = (const char *)values + o->offset;

	switch (o->type) {
	case OPTION_FLAG:
		str_printf(out, " --%s", o->name);
		break;
	case OPTION_TEXT:
		str_printf(out, " --%s=%s", o->name, *(const char *const *)value);
		break;
	case OPTION_CHOICE:
		str_printf(out, " --%s=%s", o->name, o->choices[*(const int *)value]);
		break;
	case OPTION_INTEGER:
	case OPTION_SIZE:
		str_printf(out, " --%s=%lld", o->name, (long long)*(const int64_t *)value);
		break;
	case OPTION_NUMBER:
		str_printf(out, " --%s=%g", o->name, *(const double *)value);
		break;
	case OPTION_LIST:
		vec_foreach (item, (const struct option_list *)value)
			if (item->tag == o->tag)
				str_printf(out, " --%s=%s", o->name, item->value);
		break;
	}
}

void options_describe(const struct option *options, const void *values, struct str *out)
{
	int last = 0;

	for (const struct option *o = options; o->name; o++)
		last = o->place > last ? o->place : last;
	for (int place = 1; place <= last; place++)
		for (const struct option *o = options; o->name; o++) {
			if (o->place != place || !option_is_given(o, values))
				continue;
			if (o->describe)
				o->describe(values, out);
			else
				option_describe(o, values, out);
		}
}

/* Words of `text`, wrapped; the cursor stands in column HELP_INDENT. */
static void help_wrap(struct str *out, const char *text)
{
	size_t column = HELP_INDENT;

	while (*text) {
		const size_t word = strcspn(text, " ");
		if (column > HELP_INDENT && column + 1 + word > HELP_WIDTH) {
			str_printf(out, "\n%*s", HELP_INDENT, "");
			column = HELP_INDENT;
		} else if (column > HELP_INDENT) {
			str_append(out, " ");
			column++;
		}
		str_append_bytes(out, text, word);
		column += word;
		text += word;
		while (*text == ' ')
			text++;
	}
	str_append(out, "\n");
}

const struct option options_common[] = {
	{.name = "help",
	 .letter = 'h',
	 .argument = "all",
	 .fallback = "",
	 .help = "Print this help, or with all the rare options too, and exit"},
	{0}};

void options_argument(const struct option *option, struct str *out)
{
	if (option->type == OPTION_CHOICE) {
		str_append(out, option->fallback ? "[=" : "=");
		for (size_t i = 0; option->choices[i]; i++)
			str_printf(out, "%s%s", i ? "|" : "", option->choices[i]);
	} else if (option->argument) {
		str_printf(out, "%s%s", option->fallback ? "[=" : "=", option->argument);
	}
	if (option->fallback)
		str_append(out, "]");
}

static void help_entry(const struct option *o, struct str *out)
{
	const size_t start = out->len;

	if (o->letter)
		str_printf(out, "  -%c, --%s", o->letter, o->name);
	else
		str_printf(out, "      --%s", o->name);
	options_argument(o, out);
	if (out->len - start + 2 > HELP_INDENT)
		str_printf(out, "\n%*s", HELP_INDENT, "");
	else
		str_printf(out, "%*s", HELP_INDENT - (int)(out->len - start), "");
	help_wrap(out, o->help);
}

const char *option_group_title(enum option_group group)
{
	static const char *const titles[] = {
		[OPTION_USUAL] = "Options",
		[OPTION_WHAT] = "What is recorded",
		[OPTION_SAMPLES] = "Samples",
		[OPTION_FUNCTIONS] = "What is instrumented",
		[OPTION_RUN] = "While it runs",
		[OPTION_LIMITS] = "Limits",
		[OPTION_PART] = "Which part of the profile",
		[OPTION_ROWS] = "Rows and columns",
		[OPTION_TREE] = "Call paths",
		[OPTION_FORM] = "Form and place",
	};
	table_covers(titles, OPTION_GROUPS);

	return titles[group];
}

const struct option *options_of_group(const struct option *options, enum option_group group,
				      const struct option *at)
{
	for (at = at ? at + 1 : options; at->name; at++)
		if (at->group == group)
			return at;
	return NULL;
}

static size_t help_group(const struct option *options, enum option_group group, bool all,
			 struct str *out)
{
	const struct option *o = NULL;
	bool begun = group == OPTION_USUAL;
	size_t left_out = 0;

	while ((o = options_of_group(options, group, o))) {
		if (o->rare && !all) {
			left_out++;
			continue;
		}
		if (!begun)
			str_printf(out, "\n%s:\n", option_group_title(group));
		begun = true;
		help_entry(o, out);
	}
	return left_out;
}

size_t options_help(const struct option *options, bool all, struct str *out)
{
	size_t left_out = 0;

	str_printf(out, "%s:\n", option_group_title(OPTION_USUAL));
	for (int group = 0; group < OPTION_GROUPS; group++) {
		left_out += help_group(options, (enum option_group)group, all, out);
		for (const struct option *o = options_common; o->name && !group; o++)
			help_entry(o, out);
	}
	return left_out;
}
