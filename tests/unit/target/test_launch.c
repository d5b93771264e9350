/*
 * Finding programs as the shell does, following scripts, refusing what cannot be profiled, and
 * starting a program with the environment that tare was given.
 */
#include "target/launch.h"
#include "target/program.h"
#include "tests/support/own_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/tare-test-launch-XXXXXX";

static const char *at(const char *name)
{
	static char paths[4][256];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", directory, name);
	return paths[turn];
}

static void write_file(const char *name, const void *bytes, size_t size, mode_t mode)
{
	const int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void write_script(const char *name, const char *text, mode_t mode)
{
	write_file(name, text, strlen(text), mode);
}

static int set_up(void **state)
{
	(void)state;
	return own_directory_make(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(directory, &err) ? 0 : -1;
}

static bool resolve(struct program *program, int *status, struct error *err, const char *a,
		    const char *b)
{
	char *words[3] = {(char *)a, (char *)b, NULL};

	return program_resolve(program, words, b ? 2 : 1, status, err);
}

static void expect_refusal(const char *name, int status, const char *part)
{
	struct program program;
	struct error err = {0};
	int got = 0;

	assert_false(resolve(&program, &got, &err, name, NULL));
	assert_int_equal(got, status);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" does not say \"%s\"", err.message, part);
	assert_null(strchr(err.message, '\n'));
}

static void test_path_is_searched_as_execvp_does(void **state)
{
	struct error err;
	struct str path = {0};
	char *old = mem_strdup(getenv("PATH"));
	int status;

	(void)state;
	assert_int_equal(mkdir(at("one"), 0700), 0);
	assert_int_equal(mkdir(at("two"), 0700), 0);
	write_script("one/prog", "#!/bin/sh\n", 0600); /* not executable: the next counts */
	write_script("two/prog", "#!/bin/sh\n", 0700);
	assert_int_equal(mkdir(at("one/sub"), 0700), 0); /* a directory is no program */
	write_script("one/only", "#!/bin/sh\n", 0600);
	str_printf(&path, "%s/one:%s/missing:%s/two", directory, directory, directory);
	setenv("PATH", path.data, 1);
	char *found = program_find("prog", &status, &err);
	assert_string_equal(found, at("two/prog"));
	free(found);
	assert_null(program_find("only", &status, &err));
	assert_int_equal(status, 126);
	assert_null(program_find("sub", &status, &err));
	assert_int_equal(status, 126);
	assert_null(program_find("nothing", &status, &err));
	assert_int_equal(status, 127);
	assert_null(program_find("", &status, &err));
	assert_int_equal(status, 127);
	setenv("PATH", old, 1);
	free(old);
	str_fini(&path);
}

static void test_scripts_run_by_their_interpreter(void **state)
{
	struct program program;
	struct error err = {0};
	struct str text = {0};
	int status;

	(void)state;
	write_script("inner", "#! /bin/sh  -e \necho\n", 0700);
	str_printf(&text, "#!%s one argument \n", at("inner"));
	write_script("outer", text.data, 0700);
	str_fini(&text);
	if (!resolve(&program, &status, &err, at("outer"), "x"))
		fail_msg("%s", err.message);
	assert_string_equal(program.script, at("outer"));
	assert_int_equal(program.argument_count, 6);
	assert_string_equal(program.arguments[0], "/bin/sh");
	assert_string_equal(program.arguments[1], "-e");
	assert_string_equal(program.arguments[2], at("inner"));
	assert_string_equal(program.arguments[3], "one argument");
	assert_string_equal(program.arguments[4], at("outer"));
	assert_string_equal(program.arguments[5], "x");
	assert_null(program.arguments[6]);
	assert_non_null(strstr(program.loader, "ld-linux"));
	program_fini(&program);
}

static void test_scripts_that_cannot_run(void **state)
{
	struct str text = {0};

	(void)state;
	write_script("no-interpreter", "#!/nonexistent/interpreter\n", 0700);
	expect_refusal(at("no-interpreter"), 127, "/nonexistent/interpreter");
	write_script("empty", "#!  \n", 0700);
	expect_refusal(at("empty"), 126, "names no interpreter");
	str_printf(&text, "#!%s\n", at("loop"));
	write_script("loop", text.data, 0700);
	expect_refusal(at("loop"), 126, "too many interpreters");
	str_fini(&text);
}

static size_t read_sample(unsigned char *bytes, size_t size)
{
	const int fd = open("/bin/true", O_RDONLY);
	const ssize_t got = read(fd, bytes, size);

	close(fd);
	assert_true(got > 4096);
	return (size_t)got;
}

static void test_files_that_are_no_programs(void **state)
{
	static unsigned char bytes[1 << 20];
	const size_t size = read_sample(bytes, sizeof(bytes));

	(void)state;
	expect_refusal(directory, 126, "directory");
	write_script("text", "hello\n", 0700);
	expect_refusal(at("text"), 126, "neither an ELF program nor a script");
	write_script("data", "hello\n", 0600);
	expect_refusal(at("data"), 126, "may not be executed");
	expect_refusal(at("missing"), 127, "No such file");
	write_file("empty", "", 0, 0700);
	expect_refusal(at("empty"), 126, "neither an ELF");
	write_file("header", bytes, 40, 0700);
	expect_refusal(at("header"), 126, "cut off");
	write_file("half", bytes, size / 2, 0700);
	expect_refusal(at("half"), 126, "cut off");
	bytes[4] = 1; /* ELFCLASS32 */
	write_file("small", bytes, size, 0700);
	expect_refusal(at("small"), 125, "32-bit");
	bytes[4] = 2;
	bytes[18] = 183; /* EM_AARCH64 */
	write_file("other", bytes, size, 0700);
	expect_refusal(at("other"), 126, "another processor");
}

static void test_every_cut_of_a_program_is_refused(void **state)
{
	static unsigned char bytes[1 << 20];
	const size_t size = read_sample(bytes, sizeof(bytes));
	struct program program;
	struct error err;
	int status;

	(void)state;
	for (size_t cut = 0; cut < size / 2; cut += 97) {
		write_file("cut", bytes, cut, 0700);
		assert_false(resolve(&program, &status, &err, at("cut"), NULL));
		assert_int_equal(status, 126);
	}
}

static void test_privileged_programs(void **state)
{
	static unsigned char bytes[1 << 20];
	const size_t size = read_sample(bytes, sizeof(bytes));

	(void)state;
	if (geteuid() != 0) {
		print_message("not root: setuid programs of others cannot be made\n");
		skip();
	}
	write_file("setuid", bytes, size, 0755);
	assert_int_equal(chown(at("setuid"), 65534, 0), 0);
	assert_int_equal(chmod(at("setuid"), 04755), 0);
	expect_refusal(at("setuid"), 125, "setuid");
	write_file("setgid", bytes, size, 0755);
	assert_int_equal(chown(at("setgid"), 0, 65534), 0);
	assert_int_equal(chmod(at("setgid"), 02755), 0);
	expect_refusal(at("setgid"), 125, "setgid");
}

/* ---- starting ---- */

static int run_words(const char *path, char *const *arguments, struct launch *launch)
{
	struct error err = {0};
	int status;
	/* Not a library that exists: the loader says so on stderr and goes on without. */
	const struct launch_options options = {.path = path,
					       .arguments = arguments,
					       .runtime = "/nonexistent-runtime.so",
					       .session = "/nonexistent-session"};

	if (!launch_start(launch, &options, &status, &err))
		fail_msg("%s", err.message);
	while (!launch->ended) {
		struct pollfd fd = {.fd = launch->signal_fd, .events = POLLIN};
		poll(&fd, 1, 1000);
		launch_handle_signals(launch);
	}
	return launch_exit_status(launch);
}

static int run(const char *script, struct launch *launch)
{
	char *const arguments[] = {(char *)"shell", (char *)"-c", (char *)script, NULL};

	return run_words("/bin/sh", arguments, launch);
}

static void test_statuses(void **state)
{
	struct launch launch;

	(void)state;
	assert_int_equal(run("exit 42", &launch), 42);
	launch_fini(&launch);
	assert_int_equal(run("kill -9 $$", &launch), 137);
	launch_fini(&launch);
}

static void test_environment_and_name(void **state)
{
	struct launch launch;

	(void)state;
	setenv("LD_AUDIT", "/nonexistent-other.so", 1);
	setenv("TARE_SESSION", "stale", 1);
	assert_int_equal(
		run("test \"$LD_AUDIT\" = /nonexistent-other.so:/nonexistent-runtime.so && "
		    "test \"$TARE_SESSION\" = /nonexistent-session && "
		    "test \"$0\" = shell",
		    &launch),
		0);
	launch_fini(&launch);
	unsetenv("LD_AUDIT");
	unsetenv("TARE_SESSION");
}

/* "SigIgn:\t…" of this process, as /proc has it. */
static void read_ignored_signals(char *line, size_t size)
{
	FILE *file = fopen("/proc/self/status", "r");

	assert_non_null(file);
	while (fgets(line, (int)size, file) && strncmp(line, "SigIgn:", 7) != 0)
		;
	fclose(file);
	line[strcspn(line, "\n")] = 0;
}

static void test_signals_are_as_they_were(void **state)
{
	struct launch launch;
	struct sigaction after;
	sigset_t mask;
	char ignored[64];

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	read_ignored_signals(ignored, sizeof(ignored));
	/* No shell in between: shells change dispositions. */
	char *const arguments[] = {(char *)"grep", (char *)"-qx", ignored,
				   (char *)"/proc/self/status", NULL};
	assert_int_equal(run_words("/bin/grep", arguments, &launch), 0);
	launch_fini(&launch);
	char *const unblocked[] = {(char *)"grep", (char *)"-qx", (char *)"SigBlk:.0*",
				   (char *)"/proc/self/status", NULL};
	assert_int_equal(run_words("/bin/grep", unblocked, &launch), 0);
	launch_fini(&launch);
	sigaction(SIGCHLD, NULL, &after);
	assert_true(after.sa_handler == SIG_IGN);
	sigaction(SIGINT, NULL, &after);
	assert_true(after.sa_handler == SIG_DFL);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	assert_false(sigismember(&mask, SIGTERM));
	signal(SIGCHLD, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
}

static void test_terminations_are_forwarded_and_interrupts_ignored(void **state)
{
	struct launch launch;
	char script[160];

	(void)state;
	snprintf(script, sizeof(script),
		 "trap 'exit 9' TERM; kill -INT %d; kill -QUIT %d; kill -TERM %d; "
		 "i=0; while test $i -lt 500; do sleep 0.01; i=$((i+1)); done",
		 (int)getpid(), (int)getpid(), (int)getpid());
	assert_int_equal(run(script, &launch), 9);
	launch_fini(&launch);
}

/* Batch systems announce the end of the time by these, some to nobody but tare. */
static void test_users_signals_are_forwarded(void **state)
{
	static const char *const names[] = {"USR1", "USR2", "HUP"};
	struct launch launch;
	char script[160];

	(void)state;
	signal(SIGHUP, SIG_DFL); /* under nohup it is ignored, which no shell can trap */
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(script, sizeof(script),
			 "trap 'exit 9' %s; kill -%s %d; "
			 "i=0; while test $i -lt 500; do sleep 0.01; i=$((i+1)); done",
			 names[i], names[i], (int)getpid());
		assert_int_equal(run(script, &launch), 9);
		launch_fini(&launch);
	}
}

static void test_descriptors_are_not_inherited(void **state)
{
	struct launch launch;

	(void)state;
	/* The shell of the test may have more open than 0, 1 and 2: compare with a plain child. */
	char path[64], script[320];
	snprintf(path, sizeof(path), "%.40s/plain", directory);
	snprintf(script, sizeof(script), "ls /proc/self/fd 2>&1 >%s", path);
	assert_int_equal(system(script), 0);
	snprintf(script, sizeof(script),
		 "ls /proc/self/fd >%s/launched 2>/dev/null; cmp %s %s/launched", directory, path,
		 directory);
	assert_int_equal(run(script, &launch), 0);
	launch_fini(&launch);
}

static void test_failing_exec(void **state)
{
	struct launch launch;
	struct error err;
	int status;
	char *const arguments[] = {(char *)"program", NULL};
	struct launch_options options = {
		.path = at("missing"), .arguments = arguments, .runtime = "r", .session = "s"};

	(void)state;
	assert_false(launch_start(&launch, &options, &status, &err));
	assert_int_equal(status, 127);
	write_script("garbage", "garbage", 0700);
	options.path = at("garbage");
	assert_false(launch_start(&launch, &options, &status, &err));
	assert_int_equal(status, 126);
	assert_non_null(strstr(err.message, "Exec format error"));
}

int main(void)
{
#define LAUNCH_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		LAUNCH_TEST(test_path_is_searched_as_execvp_does),
		LAUNCH_TEST(test_scripts_run_by_their_interpreter),
		LAUNCH_TEST(test_scripts_that_cannot_run),
		LAUNCH_TEST(test_files_that_are_no_programs),
		LAUNCH_TEST(test_every_cut_of_a_program_is_refused),
		LAUNCH_TEST(test_privileged_programs),
		LAUNCH_TEST(test_statuses),
		LAUNCH_TEST(test_environment_and_name),
		LAUNCH_TEST(test_signals_are_as_they_were),
		LAUNCH_TEST(test_users_signals_are_forwarded),
		LAUNCH_TEST(test_terminations_are_forwarded_and_interrupts_ignored),
		LAUNCH_TEST(test_descriptors_are_not_inherited),
		LAUNCH_TEST(test_failing_exec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
