/* Names on their way into reports: UTF-8, escapes, widths, shortening; and numbers. */
#include "report/words/name.h"
#include "report/words/number.h"

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

/* Signs of tare's own have forms of ASCII; what else a sentence has in it is escaped all the same.
 */
static void test_sentences(void **state)
{
	static const char sentence[] = "\u2265 5 \u00b5s \u00b1 1 of caf\u00e9\033[31m\u202e\n";
	struct str out = {0};

	(void)state;
	name_append_sentence(&out, sentence, true);
	assert_string_equal(out.data,
			    "\u2265 5 \u00b5s \u00b1 1 of caf\u00e9\\x1b[31m\\u{202e}\\n");
	str_clear(&out);
	name_append_sentence(&out, sentence, false);
	assert_string_equal(out.data, ">= 5 us +- 1 of caf\\u{e9}\\x1b[31m\\u{202e}\\n");
	str_fini(&out);
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
	expect_time(999949, "999.9 us");
	expect_time(999999, "1.000 ms");
	expect_time(1000499, "1.000 ms");
	expect_time(1000500, "1.001 ms");
	expect_time(12345678, "12.35 ms");
	expect_time(999949999, "999.9 ms");
	expect_time(999950000, "1.000 s");
	expect_time(99999999999, "100.0 s");
	expect_time(1234567890123, "1,235 s");
	expect_time(UINT64_MAX, "18,446,744,074 s");
}

/* Of a column one unit and as many decimals as its largest value leaves room for. */
static void test_decimals(void **state)
{
	struct str out = {0};

	(void)state;
	assert_int_equal(time_decimals(9999499, SCALE_MS), 3);
	assert_int_equal(time_decimals(9999500, SCALE_MS), 2);
	assert_int_equal(time_decimals(642261000, SCALE_MS), 1);
	assert_int_equal(time_decimals(47508123000, SCALE_MS), 0);
	assert_int_equal(time_decimals(1, SCALE_S), 3);
	assert_int_equal(time_decimals(UINT64_MAX, SCALE_NS), 0);
	assert_int_equal(time_decimals(UINT64_MAX, SCALE_TICKS), 0);
	time_append(&out, 873499, SCALE_MS, 1);
	str_append(&out, " ");
	time_append(&out, 49999, SCALE_MS, 1);
	str_append(&out, " ");
	time_append(&out, 1234, SCALE_TICKS, 0);
	assert_string_equal(out.data, "0.9 0.0 1,234");
	str_fini(&out);
}

static void expect_plain(const char *name, const char *plain)
{
	struct str out = {0};

	name_append_plain(&out, name, false);
	assert_string_equal(out.data, plain);
	str_fini(&out);
}

static void test_plain_names(void **state)
{
	(void)state;
	expect_plain("main", "main");
	expect_plain("text::fingerprint(std::__cxx11::basic_string<char, std::char_traits<char>, "
		     "std::allocator<char> > const&)",
		     "text::fingerprint(std::string const&)");
	expect_plain("std::__cxx11::list<int, std::allocator<int> >::size() const",
		     "std::list<...>::size() const");
	expect_plain("void std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int&&)",
		     "std::vector<...>::_M_realloc_insert<...>(int&&)");
	expect_plain("std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&)",
		     "std::operator<< <...>(std::ostream&)");
	expect_plain("Foo::operator->() const", "Foo::operator->() const");
	expect_plain("a::scan[abi:cxx11](int)", "a::scan(int)");
	expect_plain("<alloc::vec::Vec<u8> as core::fmt::Debug>::fmt",
		     "<alloc::vec::Vec<...> as core::fmt::Debug>::fmt");
	expect_plain("core::ptr::drop_in_place::<alloc::string::String>",
		     "core::ptr::drop_in_place::<...>");
	expect_plain("py::Parser.<locals>.<lambda>:/srv/a b.py",
		     "py::Parser.<locals>.<lambda>:/srv/a b.py");
	expect_plain("java.lang.String.<init>(char[])", "java.lang.String.<init>(char[])");
	expect_plain("unclosed<a, b", "unclosed<...");
	expect_plain("f(int) [clone .constprop.0] [clone .isra.0]", "f(int)");
	expect_plain("f(int) [clone .cold]", "f(int) [clone .cold]");
	expect_plain("f(int) [clone .isra.0", "f(int) [clone .isra.0");
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

static void expect_fitted(const char *name, size_t width, const char *expected)
{
	struct str out = {0};

	name_append_fitted(&out, name, width, true);
	assert_string_equal(out.data, expected);
	assert_true(name_width(out.data) <= width);
	str_fini(&out);
}

static void test_fitted(void **state)
{
	const char *sort = "void std::sort<std::vector<std::pair<int, long> > >(std::vector<int>&)";

	(void)state;
	expect_fitted("parse(int)", 10, "parse(int)");
	/* inner arguments first, then all, then parameters, then the type, then the middle */
	expect_fitted(sort, 62, "void std::sort<std::vector<std::pair<…> > >(std::vector<int>&)");
	expect_fitted(sort, 55, "void std::sort<std::vector<…> >(std::vector<int>&)");
	expect_fitted(sort, 45, "void std::sort<…>(std::vector<…>&)");
	expect_fitted(sort, 33, "void std::sort<…>(…)");
	expect_fitted(sort, 18, "std::sort<…>(…)");
	/* At last the function's own name, with as many scopes as fit. */
	expect_fitted(sort, 12, "std::sort<…>");
	expect_fitted(sort, 10, "…::sort<…>");
	expect_fitted(sort, 7, "sort<…>");
	expect_fitted(sort, 6, "st…(…)");
	expect_fitted("trade::OrderBook::writeLog(int)", 26, "trade::OrderBook::writeLog");
	expect_fitted("trade::OrderBook::writeLog(int)", 22, "…::OrderBook::writeLog");
	expect_fitted("trade::OrderBook::writeLog(int)", 13, "…::writeLog");
	expect_fitted("trade::OrderBook::writeLog(int)", 9, "writeLog");
	expect_fitted("std::thread::join()", 12, "…::join()");
	expect_fitted("std::condition_variable::wait(std::unique_lock&)", 16, "std::cond…::wait");
	expect_fitted("a::b::operator<<(c::d&)", 15, "…::operator<<");
	/* brackets that are none */
	expect_fitted("operator<<(std::ostream&, std::map<int, int>)", 30, "operator<<(…)");
	expect_fitted("std::function<void (int)>::operator()(int) const", 40,
		      "std::function<…>::operator()(int) const");
	expect_fitted("(anonymous namespace)::work(std::string const&)", 30,
		      "(anonymous namespace)::work(…)");
	expect_fitted("operator new(unsigned long, std::nothrow_t const&)", 20, "operator new(…)");
	expect_fitted("non-virtual thunk to Shape<int>::draw(Canvas&)", 38,
		      "non-virtual thunk to Shape<…>::draw(…)");
	/* of Rust: what implements a trait stays, arrows close nothing */
	expect_fitted("<alloc::vec::Vec<u8> as core::fmt::Debug>::fmt", 45,
		      "<alloc::vec::Vec<…> as core::fmt::Debug>::fmt");
	expect_fitted("map<fn(u8) -> u16, Vec<u8>>::run", 20, "map<…>::run");
	/* unbalanced, and nothing to fold */
	expect_fitted("a<b<c(d", 5, "a<b<…");
	expect_fitted("a<b<c(d", 4, "a<…");
	expect_fitted("abcdefghijklmnop", 9, "abc…lmnop");
}

static void test_columns(void **state)
{
	(void)state;
	assert_int_equal(name_width("\u65e5\u672c"), 4);
	assert_int_equal(name_width("e\u0301"), 1);
	assert_int_equal(name_width("\u0e01\u0e34"), 1); /* Thai, with a vowel above */
	assert_int_equal(name_width("\u0915\u094d"), 1); /* Devanagari virama */
	assert_int_equal(name_width("\u1112\u1161\u11ab"), 2);
	assert_int_equal(name_width("\U0001f680"), 2);
	assert_int_equal(name_width("\u2588\u2591\u2501\u2026\u00b1"), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sentences),     cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_fitted),	      cmocka_unit_test(test_columns),
		cmocka_unit_test(test_invalid_utf8),  cmocka_unit_test(test_widths),
		cmocka_unit_test(test_shortening),    cmocka_unit_test(test_brief_names),
		cmocka_unit_test(test_cutting),	      cmocka_unit_test(test_times),
		cmocka_unit_test(test_decimals),      cmocka_unit_test(test_plain_names),
		cmocka_unit_test(test_number_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
