/* Topics of help: what a word means, which pages have one name, and what is said of unknown ones.
 */
#include "cli/topic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const char help_pages[] =
	"how/lines\0Which line?\0# Which line?\nRead [the other](../reference/lines.md#a), "
	"[this](#b), [self](lines.md), [near](waits.md), [gone](gone.md), "
	"[web](https://example.com/a.md).\0"
	"how/waits\0Waits\0# Waits\nA futex, a Futex.\0"
	"reference/lines\0Lines, all\0# Lines, all\nfutex\0"
	"reference/record\0Record\0# Record\n[words](../glossary.md)\0"
	"glossary\0Glossary\0# Glossary\n\n**Call path**: a function\nwith all.\n\n"
	"**CPU, Elapsed**: two *times*. **Not a word**: here.\n\n**Open\0";

static const char *const commands[] = {"record", "report", NULL};

static void expect(const char *name, const char *expected)
{
	struct str out = {0};
	struct error err = {0};

	if (!topic_append(name, commands, 100, &out, &err))
		fail_msg("%s: %s", name, err.message);
	assert_string_equal(out.data, expected);
	str_fini(&out);
}

static void expect_unknown(const char *name, const char *expected)
{
	struct str out = {0};
	struct error err = {0};

	assert_false(topic_append(name, commands, 100, &out, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_string_equal(err.message, expected);
	assert_int_equal(out.len, 0);
	str_fini(&out);
}

static void test_pages(void **state)
{
	static const char lines[] = "Which line?\n===========\n\nRead the other [reference/lines], "
				    "this, self, near [waits], gone, "
				    "web <https://example.com/a.md>.\n";
	struct str both = {0};

	(void)state;
	str_printf(&both, "%s\nSee also: tare help reference/lines (Lines, all)\n", lines);
	expect("lines", both.data);
	expect("LINES.md", both.data);
	expect("how/lines", lines);
	expect("docs/how/lines.md", lines);
	expect("reference/lines", "Lines, all\n==========\n\nfutex\n");
	expect("Record", "Record\n======\n\nwords [glossary]\n");
	str_fini(&both);
}

static void test_words(void **state)
{
	(void)state;
	expect("call path", "Call path: a function with all.\n");
	expect("Call-Path", "Call path: a function with all.\n");
	expect("call_path", "Call path: a function with all.\n");
	expect("elapsed", "CPU, Elapsed: two times. Not a word: here.\n");
	expect("CPU", "CPU, Elapsed: two times. Not a word: here.\n");
}

static void test_unknown(void **state)
{
	(void)state;
	expect_unknown("linse",
		       "there is no command, page or word of the glossary \"linse\"; the nearest: "
		       "lines; tare help lists all");
	expect_unknown("futex",
		       "there is no command, page or word of the glossary \"futex\"; pages that "
		       "have the word: waits, reference/lines; tare help lists all");
	expect_unknown("zzzzzzzz",
		       "there is no command, page or word of the glossary \"zzzzzzzz\"; "
		       "tare help lists all");
	expect_unknown("call",
		       "there is no command, page or word of the glossary \"call\"; the nearest: "
		       "call path; pages that have the word: glossary; tare help lists all");
	expect_unknown("open",
		       "there is no command, page or word of the glossary \"open\"; pages that "
		       "have the word: glossary; tare help lists all");
}

static void test_list(void **state)
{
	struct str out = {0};

	(void)state;
	topic_append_list(commands, 40, &out);
	assert_string_equal(out.data, "\n\"tare help TOPIC\" shows one of these pages, or what a "
				      "word means.\n\nStart:\n\nHow do I:\n"
				      "  lines                    Which line?\n  waits             "
				      "       Waits\n\nReference:\n"
				      "  reference/lines          Lines, all\n  reference/record   "
				      "      Record\n\nExplanation:\n\n"
				      "Words (glossary has all):\n  call path, cpu, elapsed\n");
	str_fini(&out);
}

static void test_names(void **state)
{
	static const char *const expected[] = {"record",  "report",	     "lines",
					       "waits",	  "reference/lines", "reference/record",
					       "glossary"};
	(void)state;
	for (int round = 0; round < 2; round++) {
		const char *const *names = topic_words(commands);
		for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
			assert_string_equal(names[i], expected[i]);
		assert_null(names[sizeof(expected) / sizeof(expected[0])]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),	cmocka_unit_test(test_words),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_list),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
