/* Names in comments: no name is markup, or ends what it stands in. */
#include "report/data/markdown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_code(void **state)
{
	static const struct {
		const char *text, *expected;
	} all[] = {
		{"", ""},
		{"main", "`main`"},
		{"@somebody <b>*x*</b>", "`@somebody <b>*x*</b>`"},
		{"operator|(a, b)", "`operator\\|(a, b)`"},
		{"a`b", "`` a`b ``"},
		{"``a```", "```` ``a``` ````"},
		{"a\nb", "`a\\nb`"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct str out = {0};
		markdown_append_code(&out, all[i].text);
		assert_string_equal(out.data ? out.data : "", all[i].expected);
		str_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_code)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
