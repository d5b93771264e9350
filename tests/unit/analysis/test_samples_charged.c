/* Samples beside CPU time: whose they are where the calls of both are not seen alike. */
#include "tests/support/estimated.h"

static void assert_charged(const char *name, uint64_t samples)
{
	vec_foreach (function, &analysis->functions)
		if (strcmp(function->name, name) == 0) {
			if (function->samples_charged != samples)
				fail_msg("%s: %ju", name, (uintmax_t)function->samples_charged);
			return;
		}
	fail_msg("no %s", name);
}

/* What main calls of the C library has what runs below it; the form that was chosen is not called.
 */
static void test_libraries_are_charged_where_they_are_entered(void **state)
{
	(void)state;
	const int64_t in_main = begin_main();
	const int64_t stub =
		small_function(writer, module_add("libp.so", false), "memset@plt", 0x50);
	count(thread, library, 0, 10);
	count(thread, chosen, 0, 20);
	const int64_t in_library = call(in_main, library);
	samples(in_main, 1);
	samples(call(in_main, form), 2);
	samples(call(in_main, stub), 4);
	samples(call(in_library, inner), 8);
	samples(call(in_library, form), 16);
	samples(call(call(in_library, entry), fault), 32);
	finish();
	assert_charged("main", 1);
	assert_charged("memset", 2 + 4);
	assert_charged("malloc", 8 + 16 + 32);
	assert_charged("_int_malloc", 0);
	assert_charged("__memset_avx2_unaligned_erms", 0);
	assert_charged("memset@plt", 0);
	assert_charged("handle_mm_fault", 0);
}

/* As the C library's system calls, and what is called back. */
static void test_copies_are_charged_within_libraries(void **state)
{
	(void)state;
	const int64_t in_main = begin_main();
	count(thread, library, 0, 10);
	count(thread, inner, 10, 0);
	count(thread, f, 10, 0);
	const int64_t in_inner = call(call(in_main, library), inner);
	samples(in_inner, 3);
	samples(call(call(in_main, library), f), 5);
	samples(call(in_inner, entry), 7);
	finish();
	assert_charged("malloc", 0);
	assert_charged("_int_malloc", 3 + 7);
	assert_charged("f", 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_libraries_are_charged_where_they_are_entered,
						choose_path, analysed_end),
		cmocka_unit_test_setup_teardown(test_copies_are_charged_within_libraries,
						choose_path, analysed_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
