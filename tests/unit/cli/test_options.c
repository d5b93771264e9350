/* The option parser: every way to write an option, and every way to get one wrong. */
#include "cli/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <stdint.h>

#include <cmocka.h>

struct values {
	bool all, quick;
	const char *name, *trace;
	int color;
	int64_t count, size;
	double share;
	struct option_list patterns;
};

static const char *const colors[] = {"auto", "always", "never", NULL};

static const struct option options[] = {
	{.name = "all",
	 .letter = 'a',
	 .help = "All",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct values, all)},
	{.name = "quick", .letter = 'q', .help = "Quick", .offset = offsetof(struct values, quick)},
	{.name = "name",
	 .letter = 'n',
	 .argument = "NAME",
	 .help = "Some words that are long enough to be wrapped by the help, because they go on "
		 "and "
		 "on, until the line is full, and then some more",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct values, name)},
	{.name = "trace",
	 .argument = "SIZE",
	 .fallback = "default",
	 .help = "Trace",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct values, trace)},
	{.name = "color",
	 .fallback = "always",
	 .help = "Colour",
	 .type = OPTION_CHOICE,
	 .choices = colors,
	 .offset = offsetof(struct values, color)},
	{.name = "count",
	 .argument = "N",
	 .help = "Count",
	 .type = OPTION_INTEGER,
	 .max = 10,
	 .offset = offsetof(struct values, count)},
	{.name = "size",
	 .argument = "SIZE",
	 .help = "Size",
	 .type = OPTION_SIZE,
	 .min = 64,
	 .max = 1LL << 40,
	 .offset = offsetof(struct values, size)},
	{.name = "share",
	 .argument = "X",
	 .help = "Share",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, share)},
	{.name = "with",
	 .argument = "GLOB",
	 .help = "With",
	 .type = OPTION_LIST,
	 .tag = 1,
	 .offset = offsetof(struct values, patterns)},
	{.name = "without",
	 .argument = "GLOB",
	 .help = "Without",
	 .type = OPTION_LIST,
	 .tag = 2,
	 .offset = offsetof(struct values, patterns)},
	{0},
};

static struct values values;
static struct operands operands;
static struct error err;
static enum option_help help;

static bool parse(bool stop, char **words)
{
	const struct options_syntax syntax = {.options = options, .stop_at_operand = stop};

	options_fini(options, &values);
	values = (struct values){0};
	operands = (struct operands){.items = words};
	while (words[operands.count])
		operands.count++;
	return options_parse(&syntax, &operands, &values, &help, &err);
}

#define PARSE(stop, ...) parse(stop, (char *[]){__VA_ARGS__, NULL})

static void test_forms(void **state)
{
	(void)state;
	assert_true(PARSE(false, "--all", "--name=x", "file"));
	assert_true(values.all);
	assert_string_equal(values.name, "x");
	assert_int_equal(operands.count, 1);
	assert_string_equal(operands.items[0], "file");
	assert_true(PARSE(false, "--name", "--all"));
	assert_string_equal(values.name, "--all");
	assert_false(values.all);
	assert_true(PARSE(false, "-aqn", "x"));
	assert_true(values.all && values.quick);
	assert_string_equal(values.name, "x");
	assert_true(PARSE(false, "-nx"));
	assert_string_equal(values.name, "x");
	assert_true(PARSE(false, "--name="));
	assert_string_equal(values.name, "");
}

static void test_optional_arguments(void **state)
{
	(void)state;
	assert_true(PARSE(false, "--trace", "file"));
	assert_string_equal(values.trace, "default");
	assert_int_equal(operands.count, 1);
	assert_true(PARSE(false, "--trace=9"));
	assert_string_equal(values.trace, "9");
	assert_true(PARSE(false, "--color"));
	assert_int_equal(values.color, 1);
	assert_true(PARSE(false, "--color=never"));
	assert_int_equal(values.color, 2);
}

static void test_operands(void **state)
{
	(void)state;
	assert_true(PARSE(false, "a", "--all", "b", "-"));
	assert_int_equal(operands.count, 3);
	assert_string_equal(operands.items[2], "-");
	assert_true(PARSE(true, "--quick", "a", "--all", "b"));
	assert_int_equal(operands.count, 3);
	assert_false(values.all);
	assert_true(PARSE(false, "--", "--all"));
	assert_int_equal(operands.count, 1);
	assert_string_equal(operands.items[0], "--all");
}

static void test_lists_keep_their_order(void **state)
{
	(void)state;
	assert_true(PARSE(false, "--with=a", "--without", "b", "--with=c"));
	assert_int_equal(values.patterns.len, 3);
	assert_int_equal(values.patterns.data[1].tag, 2);
	assert_string_equal(values.patterns.data[1].value, "b");
	assert_string_equal(values.patterns.data[2].value, "c");
}

static void test_numbers(void **state)
{
	(void)state;
	assert_true(PARSE(false, "--count=10", "--share=0.5"));
	assert_int_equal(values.count, 10);
	assert_true(values.share > 0.49 && values.share < 0.51);
	assert_false(PARSE(false, "--count=11"));
	assert_false(PARSE(false, "--count="));
	assert_false(PARSE(false, "--count=1x"));
	assert_false(PARSE(false, "--count=99999999999999999999"));
	assert_false(PARSE(false, "--share=nan"));
	assert_false(PARSE(false, "--share=-1"));
}

static void test_sizes(void **state)
{
	static const struct {
		const char *text;
		int64_t size;
	} good[] = {
		{"64", 64},
		{"1000", 1000},
		{"1k", 1024},
		{"32M", 32 << 20},
		{"3G", 3LL << 30},
		{"1024G", 1LL << 40},
		{"1099511627776", 1LL << 40},
	};
	/* 2^34 + 1 G and 2^63 k are small again in 64 bits. */
	static const char *const bad[] = {
		"",
		"k",
		"x",
		"1K",
		"1kB",
		"1.5M",
		"1T",
		"63",
		"0",
		"-64",
		"-1k",
		"1025G",
		"1099511627777",
		"17179869185G",
		"9223372036854775808k",
		"99999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(PARSE(false, "--size", (char *)good[i].text));
		assert_int_equal(values.size, good[i].size);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(PARSE(false, "--size", (char *)bad[i]));
}

static void expect_error(bool ok, const char *text)
{
	assert_false(ok);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_string_equal(err.message, text);
}

static void test_errors(void **state)
{
	(void)state;
	expect_error(PARSE(false, "--al"), "unknown option --al; did you mean --all?");
	expect_error(PARSE(false, "--xyzzy=1"), "unknown option --xyzzy; see --help");
	expect_error(PARSE(false, "-z"), "unknown option -z; see --help");
	expect_error(PARSE(false, "--name"), "--name needs NAME");
	expect_error(PARSE(false, "-n"), "--name needs NAME");
	expect_error(PARSE(false, "--all=yes"), "--all takes no value");
	expect_error(PARSE(false, "--color=nevr"),
		     "--color=nevr is not one of auto, always, never; did you mean never?");
}

static void test_help(void **state)
{
	struct str text = {0};

	(void)state;
	assert_true(PARSE(false, "--all", "--help", "--nonsense"));
	assert_true(help);
	assert_true(PARSE(false, "-ah"));
	assert_true(help);
	assert_true(PARSE(true, "command", "--help"));
	assert_false(help);
	assert_true(PARSE(false, "--help=all"));
	assert_int_equal(help, OPTION_HELP_ALL);
	expect_error(PARSE(false, "--help=some"), "--help=some is not --help=all");
	assert_int_equal(options_help(options, true, &text), 0);
	assert_non_null(strstr(text.data, "  -n, --name=NAME"));
	assert_non_null(strstr(text.data, "--color[=auto|always|never]"));
	for (const char *line = text.data; line; line = strchr(line, '\n'))
		assert_true(strcspn(++line, "\n") <= 100);
	str_fini(&text);
}

/* In the order of the groups, each with its title; rare ones only where all are wanted. */
static void test_help_in_groups(void **state)
{
	static const struct option grouped[] = {
		{.name = "late", .help = "Late", .group = OPTION_FORM},
		{.name = "seldom", .help = "Seldom", .group = OPTION_FORM, .rare = true},
		{.name = "hidden", .help = "Hidden", .group = OPTION_LIMITS, .rare = true},
		{.name = "early", .help = "Early"},
		{0}};
	static const char *const usual[] = {"Options:\n", "--early", "--help[=all]",
					    "\nForm and place:\n", "--late"};
	struct str text = {0};

	(void)state;
	assert_int_equal(options_help(grouped, false, &text), 2);
	const char *at = text.data;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		at = strstr(at, usual[i]);
		if (!at)
			fail_msg("%s is not in its place: %s", usual[i], text.data);
	}
	assert_null(strstr(text.data, "--seldom"));
	assert_null(strstr(text.data, "Limits"));
	str_clear(&text);
	assert_int_equal(options_help(grouped, true, &text), 0);
	assert_non_null(strstr(text.data, "\nLimits:\n      --hidden"));
	assert_non_null(strstr(text.data, "--seldom"));
	str_fini(&text);
}

/* In the order of their places, with what was given; what has none is left out. */
static void test_description(void **state)
{
	static const struct option described[] = {
		{.name = "size",
		 .type = OPTION_SIZE,
		 .place = 2,
		 .offset = offsetof(struct values, size)},
		{.name = "count", .type = OPTION_INTEGER, .offset = offsetof(struct values, count)},
		{.name = "all",
		 .type = OPTION_FLAG,
		 .place = 1,
		 .offset = offsetof(struct values, all)},
		{.name = "quick",
		 .type = OPTION_FLAG,
		 .place = 3,
		 .offset = offsetof(struct values, quick)},
		{.name = "with",
		 .type = OPTION_LIST,
		 .tag = 1,
		 .place = 4,
		 .offset = offsetof(struct values, patterns)},
		{0}};
	struct values given = {.size = 4096, .count = 3, .all = true};
	struct str out = {0};

	(void)state;
	vec_push(&given.patterns, ((struct option_item){.tag = 1, .value = "a"}));
	vec_push(&given.patterns, ((struct option_item){.tag = 2, .value = "b"}));
	vec_push(&given.patterns, ((struct option_item){.tag = 1, .value = "c"}));
	options_describe(described, &given, &out);
	assert_string_equal(out.data, " --all --size=4096 --with=a --with=c");
	vec_fini(&given.patterns);
	str_fini(&out);
}

/* The first that is given and needs it; one of a list that others share only where it is there. */
static void test_needs(void **state)
{
	enum { A = 1, B = 2 };
	static const struct option needing[] = {{.name = "with",
						 .type = OPTION_LIST,
						 .tag = 1,
						 .needs = A,
						 .offset = offsetof(struct values, patterns)},
						{.name = "without",
						 .type = OPTION_LIST,
						 .tag = 2,
						 .needs = A,
						 .called = "--with or --without",
						 .offset = offsetof(struct values, patterns)},
						{.name = "share",
						 .type = OPTION_NUMBER,
						 .needs = B,
						 .offset = offsetof(struct values, share)},
						{0}};
	struct values given = {.share = 0.5};
	struct str scratch = {0};

	(void)state;
	assert_null(options_needing(needing, &given, A, &scratch));
	assert_string_equal(options_needing(needing, &given, A | B, &scratch), "--share");
	vec_push(&given.patterns, ((struct option_item){.tag = 2, .value = "b"}));
	assert_string_equal(options_needing(needing, &given, A, &scratch), "--with or --without");
	vec_fini(&given.patterns);
	str_fini(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_optional_arguments),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_lists_keep_their_order),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_help_in_groups),
		cmocka_unit_test(test_description),
		cmocka_unit_test(test_needs),
	};
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	options_fini(options, &values);
	return failed;
}
