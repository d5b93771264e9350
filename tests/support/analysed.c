#include "tests/support/analysed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

char path[64];
struct profile *profile;
struct analysis *analysis;

static void forget(void)
{
	analysis_close(analysis);
	profile_close(profile);
	analysis = NULL;
	profile = NULL;
}

int analysed_begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "analysed.%ld.tare", (long)getpid());
	return 0;
}

int analysed_end(void **state)
{
	(void)state;
	forget();
	unlink(path);
	return 0;
}

bool analysed_try(const struct analysis_options *options, struct error *err)
{
	static const struct analysis_options none;

	forget();
	*err = (struct error){0};
	profile = profile_open(path, err);
	if (!profile)
		fail_msg("%s", err->message);
	analysis = analysis_open(profile, options ? options : &none, err);
	return analysis != NULL;
}

void analysed_open(const struct analysis_options *options)
{
	struct error err;

	if (!analysed_try(options, &err))
		fail_msg("%s", err.message);
}

const struct analysis_function *analysed_function(const char *name)
{
	vec_foreach (function, &analysis->functions)
		if (strcmp(function->name, name) == 0)
			return function;
	fail_msg("no function %s", name);
	return NULL;
}

const struct analysis_values *values_of(const char *name)
{
	return &analysed_function(name)->values;
}
