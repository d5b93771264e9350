/* Function patterns: globs and regular expressions over demangled names, order, nearest names. */
#include "cache/selection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A demangler for the names of this test. */
static char *demangle(const char *name)
{
	if (!strcmp(name, "_ZN2ns1fEi"))
		return mem_strdup("ns::f(int)");
	if (!strcmp(name, "_ZN2ns1gEPFvvE"))
		return mem_strdup("ns::g(void (*)())");
	if (!strcmp(name, "_ZN2nsclEv"))
		return mem_strdup("ns::A::operator()() const");
	if (!strcmp(name, "_ZN2ns1aE"))
		return mem_strdup("ns::A::operator()"); /* as some tools write it */
	return NULL;
}

static struct selection make(const char *const *patterns)
{
	struct selection selection = {.demangle = demangle};
	struct error err;

	/* A leading '!' stands for --exclude. */
	for (; *patterns; patterns++)
		assert_true(selection_add(&selection, *patterns + (**patterns == '!'),
					  **patterns == '!', &err));
	return selection;
}

static bool decides(const char *const *patterns, const char *name)
{
	struct selection selection = make(patterns);
	const bool wanted = selection_decide(&selection, name);

	selection_fini(&selection);
	return wanted;
}

#define PATTERNS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_default_depends_on_the_first(void **state)
{
	(void)state;
	assert_true(decides(PATTERNS(NULL), "main"));
	assert_false(decides(PATTERNS("foo"), "main"));
	assert_true(decides(PATTERNS("!foo"), "main"));
	assert_false(decides(PATTERNS("foo"), ""));
	assert_true(decides(PATTERNS("!foo"), ""));
}

static void test_the_last_match_decides(void **state)
{
	(void)state;
	assert_false(decides(PATTERNS("fo*", "!foo"), "foo"));
	assert_true(decides(PATTERNS("fo*", "!foo"), "fob"));
	assert_true(decides(PATTERNS("!*", "foo"), "foo"));
	assert_false(decides(PATTERNS("!*", "foo"), "bar"));
}

static void test_demangled_names(void **state)
{
	(void)state;
	assert_true(decides(PATTERNS("ns::f"), "_ZN2ns1fEi"));
	assert_true(decides(PATTERNS("ns::f(int)"), "_ZN2ns1fEi"));
	assert_true(decides(PATTERNS("_ZN2ns1fEi"), "_ZN2ns1fEi"));
	assert_false(decides(PATTERNS("f"), "_ZN2ns1fEi"));
	assert_true(decides(PATTERNS("/::f\\(/"), "_ZN2ns1fEi"));
	assert_true(decides(PATTERNS("ns::g"), "_ZN2ns1gEPFvvE"));
	assert_true(decides(PATTERNS("ns::A::operator()"), "_ZN2nsclEv"));
	assert_true(decides(PATTERNS("ns::A::operator()"), "_ZN2ns1aE"));
	assert_false(decides(PATTERNS("ns::A::operator"), "_ZN2ns1aE"));
	assert_true(decides(PATTERNS("work"), "work.constprop.0"));
	assert_true(decides(PATTERNS("*.constprop.*"), "work.constprop.0"));
}

static void test_malformed_patterns(void **state)
{
	struct selection selection = {0};
	struct error err;

	(void)state;
	assert_false(selection_add(&selection, "", false, &err));
	assert_false(selection_add(&selection, "/(/", false, &err));
	assert_non_null(strstr(err.message, "/(/"));
	assert_int_equal(selection.patterns.len, 0);
}

static void test_matches_survive_the_cache(void **state)
{
	struct selection selection = make(PATTERNS("a", "b", "c"));
	struct str matches = {0};

	(void)state;
	selection_decide(&selection, "b");
	selection_put_matches(&selection, &matches);
	assert_string_equal(matches.data, "010");
	selection_clear_counts(&selection);
	selection_add_matches(&selection, "001|rest");
	assert_int_equal(selection.patterns.data[1].matches, 0);
	assert_int_equal(selection.patterns.data[2].matches, 1);
	str_fini(&matches);
	selection_fini(&selection);
}

static void test_nearest_names(void **state)
{
	static const char *const names[] = {"parse_line", "parse_lines", "print", "_ZN2ns1fEi", ""};
	struct selection selection = {.demangle = demangle};
	struct str text = {0};

	(void)state;
	selection_nearest(&selection, "parse_lime", names, 5, &text);
	assert_string_equal(text.data, "parse_line or parse_lines");
	str_clear(&text);
	selection_nearest(&selection, "ns::h", names, 5, &text);
	assert_string_equal(text.data, "ns::f");
	str_clear(&text);
	selection_nearest(&selection, "entirely_else", names, 5, &text);
	assert_int_equal(text.len, 0);
	str_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_depends_on_the_first),
		cmocka_unit_test(test_the_last_match_decides),
		cmocka_unit_test(test_demangled_names),
		cmocka_unit_test(test_malformed_patterns),
		cmocka_unit_test(test_matches_survive_the_cache),
		cmocka_unit_test(test_nearest_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
