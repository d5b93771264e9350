/* What becomes of texts that anybody may have chosen; different ones stay different. */
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64], redacted[64];

static int choose_paths(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "test_redact.%ld.tare", (long)getpid());
	snprintf(redacted, sizeof(redacted), "test_redact.%ld.out.tare", (long)getpid());
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(path);
	unlink(redacted);
	return 0;
}

static const struct {
	const char *before, *after;
} names[] = {
	{"main", "main"},
	{"operator/(x const&, int)", "operator/(x const&, int)"},
	{"run /home/u/x.js:12", "run x.js:12"},
	{"run /srv/u/x.js:12", "run x.js~2:12"},
	{"again /home/u/x.js", "again x.js"},
	{"f(\"/etc/passwd\",/tmp/a b)", "f(\"passwd\",a b)"},
	{"API_KEY=very secret", "API_KEY=[redacted] secret"},
	{"with HOME=/home/u", "with HOME=[redacted]"},
	{"is=not 9A=b", "is=not 9A=b"},
	{"/", "/"},
	{"a // b", "a [redacted] b"},
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static void write_profile(void)
{
	struct profile_writer *writer = small_profile_open(path);
	const int64_t thread = small_thread(writer, small_process(writer, 5, "K=v"), 5, 10, 0);
	const int64_t module = small_module(writer, "/one/p");

	small_module(writer, "/two/p");
	small_module(writer, "[vdso]");
	for (uint64_t i = 0; i < NAMES; i++)
		small_function(writer, module, names[i].before, 0x1000 + 16 * i);
	small_nodes(writer, (const struct small_node[]){{.thread = thread, .elapsed = 10}}, 1);
	small_profile_commit(writer);
}

static void test_texts(void **state)
{
	struct error err = {0};
	struct stat info;
	size_t count;

	(void)state;
	write_profile();
	struct profile *profile = profile_open(path, &err);
	assert_true(profile_redact(profile, redacted, &err));
	profile_close(profile);
	assert_int_equal(stat(redacted, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	profile = profile_open(redacted, &err);
	assert_non_null(profile);
	assert_string_equal(profile_session(profile)->command_line, "[redacted]");
	assert_string_equal(profile_processes(profile, &count)->name, "K=[redacted]");
	const struct profile_module *modules = profile_modules(profile, &count);
	assert_int_equal(count, 3);
	assert_string_equal(modules[0].path, "p");
	assert_string_equal(modules[1].path, "p~2");
	assert_string_equal(modules[2].path, "[vdso]");
	const struct profile_function *functions = profile_functions(profile, &count);
	assert_int_equal(count, NAMES);
	for (size_t i = 0; i < NAMES; i++)
		assert_string_equal(functions[i].name, names[i].after);
	profile_close(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_texts, choose_paths, remove_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
