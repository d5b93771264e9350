/* Bars of shares and lines of lifetimes, in all three looks. */
#include "report/words/bar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <stdint.h>

#include <cmocka.h>

static void expect_bar(double whole, double solid, const struct bar_look *look,
		       const char *expected)
{
	struct str out = {0};

	bar_append(&out, whole, solid, look);
	assert_string_equal(out.data, expected);
	str_fini(&out);
}

static void test_plain(void **state)
{
	const struct bar_look look = {.width = 4, .unicode = true};

	(void)state;
	expect_bar(1, 1, &look, "████");
	expect_bar(1, 0, &look, "░░░░");
	expect_bar(0.5, 1, &look, "██  ");
	expect_bar(1, 0.375, &look, "█▌░░");
	expect_bar(0.03125, 1, &look, "▏   ");
	expect_bar(0, 1, &look, "    ");
	/* what no share is */
	expect_bar(NAN, 1, &look, "    ");
	expect_bar(-1, 0.5, &look, "    ");
	expect_bar(7, 1, &look, "████");
	expect_bar(1, 7, &look, "████");
	expect_bar(0.5, NAN, &look, "░░  ");
}

static void test_ascii(void **state)
{
	const struct bar_look look = {.width = 4};

	(void)state;
	expect_bar(1, 0.5, &look, "##::");
	expect_bar(0.25, 1, &look, "#   ");
	expect_bar(0, 0, &look, "    ");
}

/* Both parts are solid, and share the column in which they meet. */
static void test_color(void **state)
{
	const struct bar_look look = {
		.width = 3, .unicode = true, .color = true, .style = "\033[35m"};

	(void)state;
	expect_bar(1, 0.5, &look, "\033[35m█\033[0m\033[35m\033[104m▌\033[0m\033[94m█\033[0m");
	expect_bar(1.0 / 6, 0, &look, "\033[94m▌\033[0m  ");
	expect_bar(0, 0, &look, "   ");
}

static void expect_span(double begin, double end, bool unicode, const char *expected)
{
	struct str out = {0};

	bar_append_span(&out, begin, end, 4, unicode);
	assert_string_equal(out.data, expected);
	str_fini(&out);
}

static void test_spans(void **state)
{
	(void)state;
	expect_span(0, 1, true, "━━━━");
	expect_span(0.25, 0.75, true, "·━━·");
	expect_span(0.125, 0.625, true, "╺━╸·");
	expect_span(0.25, 0.75, false, ".==.");
	/* never nothing, and never outside */
	expect_span(0.5, 0.5, true, "··╸·");
	expect_span(1, 1, true, "···╺");
	expect_span(-3, 9, true, "━━━━");
	expect_span(0.75, 0.25, true, "···╸");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
