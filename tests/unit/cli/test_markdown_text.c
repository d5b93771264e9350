/* Pages of the documents as plain text: blocks, words within lines, tables, and bytes that are no
 * page. */
#include "cli/markdown_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void append_target(const void *context, const char *target, struct str *out)
{
	(void)context;
	str_printf(out, " <%s>", target);
}

static const struct markdown_links links = {append_target, NULL};

static void expect(const char *page, const char *expected)
{
	struct str out = {0};

	markdown_text(page, 40, &links, &out);
	assert_string_equal(out.data ? out.data : "", expected);
	str_fini(&out);
}

static void test_headings_and_paragraphs(void **state)
{
	(void)state;
	expect("# A `title`\nWords of\none paragraph.\n\n\n\nAnother.\n## Part\n### Below\n"
	       "#tag\n####### seven\n",
	       "A `title`\n=========\n\nWords of one "
	       "paragraph.\n\nAnother.\n\nPart\n----\n\nBelow\n\n"
	       "#tag ####### seven\n");
	expect("", "");
	expect("\n\n\nwords", "words\n");
	/* Exactly as wide as there is room for, one more, and a word that is wider than all. */
	expect("0123456789 123456789 123456789 123456789\n",
	       "0123456789 123456789 123456789 123456789\n");
	expect("0123456789 123456789 123456789 1234567890\n",
	       "0123456789 123456789 123456789\n1234567890\n");
	expect("a 0123456789012345678901234567890123456789012345 b\n",
	       "a\n0123456789012345678901234567890123456789012345\nb\n");
	/* Columns, not bytes. */
	expect("±±±±±±±±±± ±±±±±±±±± ±±±±±±±±± ±±±±±±±±±\n",
	       "±±±±±±±±±± ±±±±±±±±± ±±±±±±±±± ±±±±±±±±±\n");
}

static void test_lists(void **state)
{
	(void)state;
	expect("Words:\n- one that is long enough for a second line\n  and\ngoes on\n- two\n\n"
	       "  its second paragraph\n\nno more of it\n",
	       "Words:\n- one that is long enough for a second\n  line and goes on\n- two\n\n"
	       "  its second paragraph\n\nno more of it\n");
	expect("1. one\n10. ten\n   - inner\n\n2000. year\n",
	       "1. one\n10. ten\n   - inner\n\n2000. year\n");
	/* No list: a number at the begin of a paragraph's line. */
	expect("It was in\n12. of them\n", "It was in 12. of them\n");
	expect("-\n*\n", "- *\n");
}

static void test_code(void **state)
{
	(void)state;
	expect("Do:\n```sh\nls  *.c <!-- kept --> # and `this`\n\n\tx\n# no "
	       "heading\n```\nThen:\n\n    indented | too\n\n"
	       "end\n",
	       "Do:\n\n    ls  *.c <!-- kept --> # and `this`\n\n            x\n    # no "
	       "heading\n\nThen:\n\n"
	       "    indented | too\n\nend\n");
	expect("- do\n  ```\n  one\n    two\n  ```\n- then\n\n```\nthree\n```\n",
	       "- do\n\n      one\n        two\n\n- then\n\n    three\n");
	expect("```\nwithout an end", "    without an end\n");
}

static void test_words(void **state)
{
	(void)state;
	expect("**bold** and *slanted*, 2 * 3 * 4, `*.c *.h`, a\\*b\\*, **open\n",
	       "bold and slanted, 2 * 3 * 4, `*.c *.h`,\na*b*, **open\n");
	expect("*a `*` b* **both *of* them**\n", "a `*` b both of them\n");
	expect("``a ` b`` `open\n", "``a ` b`` `open\n");
	expect("see [the *page*](a/b.md#c), [i] and a[1](\n",
	       "see the page <a/b.md#c>, [i] and a[1](\n");
	expect("![a picture](x.png) [`a]b`](c)\n", "(picture: a picture) `a]b` <c>\n");
	expect("a <!-- no\nmore\n--> b<!--=x-->17<!--.--> c\n<!-- alone -->\n\nd\n",
	       "a b17 c\n\nd\n");
}

static void test_tables(void **state)
{
	(void)state;
	expect("|a|b|\n|---|---:|\n| one | 2 |\n| `x \\| y` | **3** |\n| short |\n\nend\n",
	       "a        b\n----------\none      2\n`x | y`  3\nshort\n\nend\n");
	expect("| a | b |\n|---|---|\n| one | words that take more than is left for them |\n",
	       "a    b\n----------------------------------------\n"
	       "one  words that take more than is left\n     for them\n");
	expect("| name | views | meaning |\n|---|---|---|\n"
	       "| `elapsed_ns` | summary, functions | time |\n| `x` | | all of it |\n",
	       "`elapsed_ns`\n    views: summary, functions\n    meaning: time\n"
	       "`x`\n    meaning: all of it\n");
	expect("|", "");
	expect("||||\n|-|\n", "\n----\n");
	/* Of more columns than 16 the others are left out. */
	expect("||||||||||||||||||||||||\n", "\n------------------------------\n");
}

/* Whatever the bytes: it ends, and shows no byte that is no UTF-8. */
static void test_any_bytes(void **state)
{
	static const char signs[] = "`*[]()!\\|-<># \n\n1.ab\xff\xc2\t~";
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char page[65];
		struct str out = {0};

		for (size_t i = 0; i < sizeof(page) - 1; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			page[i] = signs[(random >> 33) % (sizeof(signs) - 1)];
		}
		page[(random >> 40) % sizeof(page)] = 0;
		page[sizeof(page) - 1] = 0;
		markdown_text(page, 40, &links, &out);
		assert_true(out.len < 64 * sizeof(page));
		assert_null(memchr(out.len ? out.data : "", 0xff, out.len));
		str_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headings_and_paragraphs),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
