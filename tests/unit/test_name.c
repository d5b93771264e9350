/* Names on their way into reports: UTF-8, escapes, widths, shortening; and numbers. */
#include "report/name.h"
#include "report/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <stdint.h>

#include <cmocka.h>

static void expect_escaped(const char *text, const char *unicode, const char *ascii)
{
	struct str out = {0};

	name_append_escaped(&out, text, true);
	assert_string_equal(out.data, unicode);
	str_clear(&out);
	name_append_escaped(&out, text, false);
	assert_string_equal(out.data, ascii);
	str_fini(&out);
}

static void test_escapes(void **state)
{
	(void)state;
	expect_escaped("plain name", "plain name", "plain name");
	expect_escaped("a\nb\tc\rd\033e\177", "a\\nb\\tc\\rd\\x1be\\x7f",
		       "a\\nb\\tc\\rd\\x1be\\x7f");
	expect_escaped("caf\xc3\xa9", "caf\xc3\xa9", "caf\\u{e9}");
	/* C1 control, right-to-left override, zero-width space */
	expect_escaped("\xc2\x9b\xe2\x80\xae\xe2\x80\x8b", "\\u{9b}\\u{202e}\\u{200b}",
		       "\\u{9b}\\u{202e}\\u{200b}");
}

static void test_invalid_utf8(void **state)
{
	(void)state;
	expect_escaped("\xff", "\\xff", "\\xff");
	expect_escaped("a\xc3", "a\\xc3", "a\\xc3");
	expect_escaped("\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf");		      /* overlong */
	expect_escaped("\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"); /* surrogate */
	expect_escaped("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80");
	expect_escaped("\xe2\x82", "\\xe2\\x82", "\\xe2\\x82");
}

static void test_widths(void **state)
{
	(void)state;
	assert_int_equal(name_width(""), 0);
	assert_int_equal(name_width("abc"), 3);
	assert_int_equal(name_width("caf\xc3\xa9"), 4);
	assert_int_equal(name_width("e\xcc\x81"), 1);
	assert_int_equal(name_width("\xe6\xbc\xa2\xe5\xad\x97"), 4);
}

static void expect_shortened(const char *text, size_t width, const char *mark, const char *expected)
{
	struct str out = {0};

	name_append_shortened(&out, text, width, mark);
	assert_string_equal(out.data, expected);
	if (!mark[0])
		assert_true(name_width(out.data) <= width);
	str_fini(&out);
}

static void test_shortening(void **state)
{
	(void)state;
	expect_shortened("short", 5, "", "short");
	expect_shortened("0123456789", 7, "", "01...89");
	expect_shortened("0123456789", 8, "", "012...89");
	/* Wide characters are never cut in half. */
	expect_shortened("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 6, "",
			 "\xe6\xbc\xa2...");
	expect_shortened("0123456789abcdef", 14, "[1f]...", "01...[1f]...ef");
}

static void expect_time(uint64_t ns, const char *expected)
{
	struct str out = {0};

	time_append_with_unit(&out, ns, false);
	assert_string_equal(out.data, expected);
	str_fini(&out);
}

static void expect_brief(const char *name, const char *brief)
{
	struct str out = {0};

	name_append_brief(&out, name);
	assert_string_equal(out.data, brief);
	str_fini(&out);
}

static void test_brief_names(void **state)
{
	(void)state;
	expect_brief("main", "main");
	expect_brief("compute(int)", "compute");
	expect_brief("std::map<int, std::less<int> >::operator[](int&&)",
		     "std::map<...>::operator[]");
	expect_brief("bool std::operator< <char, int>(char, int)", "bool std::operator< <...>");
	expect_brief("a::operator<<(a&)", "a::operator<<");
	expect_brief("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	expect_brief("a::(anonymous namespace)::f(int) const", "a::(anonymous namespace)::f");
	expect_brief("f(int) const::{lambda(int)#1}::operator()(int) const",
		     "f(...)::{lambda(int)#1}::operator()");
	expect_brief("unclosed(int", "unclosed");
	expect_brief("a<b", "a<...>");
}

static void test_cutting(void **state)
{
	struct str out = {0};

	(void)state;
	name_append_cut(&out, "short", 5);
	name_append_cut(&out, "much too long", 10);
	name_append_cut(&out, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2", 5);
	assert_string_equal(out.data, "shortmuch to...\xe6\xbc\xa2...");
	str_fini(&out);
}

static void test_times(void **state)
{
	(void)state;
	expect_time(0, "0 ns");
	expect_time(999, "999 ns");
	expect_time(1000, "1.000 us");
	expect_time(999999, "999.999 us");
	expect_time(1000499, "1.000 ms");
	expect_time(1000500, "1.001 ms");
	expect_time(1234567890123, "1,234,567.890 ms");
	expect_time(UINT64_MAX, "18,446,744,073,709.552 ms");
}

static void test_number_groups(void **state)
{
	struct str out = {0};

	(void)state;
	number_append(&out, 0);
	str_append(&out, " ");
	number_append(&out, 999);
	str_append(&out, " ");
	number_append(&out, 1000);
	str_append(&out, " ");
	number_append(&out, UINT64_MAX);
	assert_string_equal(out.data, "0 999 1,000 18,446,744,073,709,551,615");
	str_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),	    cmocka_unit_test(test_invalid_utf8),
		cmocka_unit_test(test_widths),	    cmocka_unit_test(test_shortening),
		cmocka_unit_test(test_brief_names), cmocka_unit_test(test_cutting),
		cmocka_unit_test(test_times),	    cmocka_unit_test(test_number_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
