/* Names of outputs: which places they have, and where rank and size of a job come from. */
#include "cli/output_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const variables[] = {"OMPI_COMM_WORLD_RANK",
					"OMPI_COMM_WORLD_SIZE",
					"PMIX_RANK",
					"PMIX_SIZE",
					"PMI_RANK",
					"PMI_SIZE",
					"MV2_COMM_WORLD_RANK",
					"MV2_COMM_WORLD_SIZE",
					"SLURM_PROCID",
					"SLURM_NTASKS"};

static int no_job(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
	unsetenv("SLURM_STEP_ID");
	return 0;
}

static void expect(const char *name, const char *expected)
{
	struct str out = {0};
	struct error err = {0};

	if (!output_name_expand(name, &out, &err))
		fail_msg("%s: %s", name, err.message);
	assert_string_equal(out.data, expected);
	str_fini(&out);
}

static void expect_refused(const char *name, const char *why)
{
	struct str out = {0};
	struct error err = {0};

	assert_false(output_name_expand(name, &out, &err));
	if (err.code != ERROR_USAGE || !strstr(err.message, why))
		fail_msg("%s: %s", name, err.message);
	str_fini(&out);
}

static void test_places(void **state)
{
	char expected[300], host[256] = "";

	(void)state;
	gethostname(host, sizeof(host) - 1);
	snprintf(expected, sizeof(expected), "a/%s.%d.tare", host, (int)getpid());
	expect("a/%h.%p.tare", expected);
	expect("100%%.tare", "100%.tare");
	expect_refused("run.%r.tare", "%r has no value");
	expect_refused("run.%n.tare", "%n has no value");
	expect_refused("run.%x.tare", "%x is no place");
	expect_refused("run.tare%", "is no place");
}

static void test_launchers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i += 2) {
		no_job(state);
		setenv("SLURM_STEP_ID", "0", 1);
		setenv(variables[i], "3", 1);
		expect("%r", "3");
		expect_refused("%n", "%n has no value");
		setenv(variables[i + 1], "16", 1);
		expect("%r-%n", "3-16");
	}
	/* mpirun within an allocation of Slurm: the job is mpirun's. */
	setenv("SLURM_PROCID", "0", 1);
	setenv("SLURM_NTASKS", "1", 1);
	setenv("PMIX_RANK", "7", 1);
	setenv("PMIX_SIZE", "8", 1);
	expect("%r-%n", "7-8");
}

static void test_batch_script(void **state)
{
	(void)state;
	setenv("SLURM_PROCID", "0", 1);
	setenv("SLURM_NTASKS", "4", 1);
	expect_refused("%r", "%r has no value");
}

static void test_what_is_no_number(void **state)
{
	(void)state;
	setenv("PMI_RANK", "../3", 1);
	expect_refused("%r", "%r has no value");
	setenv("PMI_RANK", "", 1);
	expect_refused("%r", "%r has no value");
	setenv("PMI_RANK", "12345678901", 1);
	expect_refused("%r", "%r has no value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_places, no_job),
		cmocka_unit_test_setup(test_launchers, no_job),
		cmocka_unit_test_setup(test_batch_script, no_job),
		cmocka_unit_test_setup(test_what_is_no_number, no_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
