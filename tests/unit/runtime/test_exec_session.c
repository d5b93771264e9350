/*
 * What a program gets that is executed by a recorded one: `env` is, in a child, and says so. Its
 * own variables and the user's auditors and tunables stay, the session's are added, once; and
 * nothing is added where a program is not followed.
 */
#include "abi/unfollowed.h"
#include "runtime/base/memory.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/exec_image.h"
#include "runtime/exec/sandbox.h"
#include "runtime/files/process.h"
#include "runtime/files/self.h"
#include "runtime/process/birth.h"
#include "runtime/process/thread.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define RUNTIME	  "/nowhere/libtare-runtime.so"
#define DIRECTORY "/nowhere/session"
#define PAGE	  4096

enum { RETURNED = 9, ENTRIES = 400, OUTPUT_BYTES = 1 << 16 };

struct state_session state_session;
_Thread_local struct state_private *state_private;

/* What the child has asked for; shared with it. */
static struct {
	int completed, resumed, begun, images, noted, forgotten, threads_completed;
	enum tare_unfollowed why;
} * seen;

static struct exec_image image;
static bool copy_if_plain, is_command, permits;
static char output[OUTPUT_BYTES];

/* ---- the rest of the runtime ---- */

void *memory_map(size_t size_bytes)
{
	return calloc(1, size_bytes);
}

void memory_unmap(void *memory, size_t size_bytes)
{
	(void)size_bytes;
	free(memory);
}

/* Where the kernel may not be asked, what is behind the page might not be there. */
long memory_read(void *to, uint64_t from, uint64_t size_bytes)
{
	if (from % PAGE + size_bytes > PAGE)
		_exit(3);
	memcpy(to, (const void *)from, size_bytes);
	return (long)size_bytes;
}

bool memory_ask_text(char *text, uint64_t from, uint64_t room, uint64_t *length)
{
	*length = strnlen((const char *)from, room);
	memcpy(text, (const char *)from, *length < room ? *length + 1 : room);
	return true;
}

struct exec_image exec_image_find(const struct probes_registers *registers, bool plain,
				  struct exec_image_work *work)
{
	(void)registers;
	(void)work;
	seen->images++;
	if (copy_if_plain && !plain)
		return (struct exec_image){.way = EXEC_IMAGE_FOLLOWED, .path = ""};
	return image;
}

bool process_begin(void)
{
	seen->begun++;
	return true;
}

bool process_complete(void)
{
	seen->completed++;
	return true;
}

void process_resume(void)
{
	seen->resumed++;
}

bool process_is_command(void)
{
	return is_command;
}

struct tare_unfollowed_record *process_note_unfollowed(enum tare_unfollowed why, const char *path)
{
	(void)path;
	seen->noted++;
	seen->why = why;
	return NULL;
}

void process_forget_unfollowed(enum tare_unfollowed why, struct tare_unfollowed_record *record)
{
	(void)why;
	(void)record;
	seen->forgotten++;
}

bool sandbox_permits_image(void)
{
	return permits;
}

void thread_complete(struct tare_thread_file *self, bool with_process)
{
	(void)with_process;
	seen->threads_completed++;
	self->flags |= TARE_THREAD_ENDED;
	self->end_ticks = 77;
}

/* ---- a child that executes ---- */

static int set_up(void **state)
{
	(void)state;
	if (!seen)
		seen = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(seen, 0, sizeof(*seen));
	memset(&state_session, 0, sizeof(state_session));
	state_session.active = true;
	strcpy(state_session.directory, DIRECTORY);
	strcpy(state_session.runtime_path, RUNTIME);
	image = (struct exec_image){.way = EXEC_IMAGE_FOLLOWED, .path = ""};
	copy_if_plain = false;
	is_command = permits = true;
	return seen == MAP_FAILED ? -1 : 0;
}

static struct probes_registers execve_of(const char *program, char **environment)
{
	static char *arguments[] = {(char *)"env", NULL};

	return (struct probes_registers){.rax = SYS_execve,
					 .rdi = (uint64_t)program,
					 .rsi = (uint64_t)arguments,
					 .rdx = (uint64_t)environment};
}

/* The child's status; `output` gets what it wrote. */
static int run(const struct probes_registers *registers)
{
	int ends[2], status;
	size_t have = 0;
	ssize_t got;

	assert_int_equal(pipe(ends), 0);
	const pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		exec_with_session(NULL, registers);
		_exit(RETURNED);
	}
	close(ends[1]);
	while ((got = read(ends[0], output + have, sizeof(output) - 1 - have)) > 0)
		have += (size_t)got;
	output[have] = 0;
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_env(char **environment)
{
	const struct probes_registers registers = execve_of("/usr/bin/env", environment);

	return run(&registers);
}

/* How many lines are just that, or begin so. */
static int lines(const char *text, bool whole)
{
	const size_t length = strlen(text);
	int count = 0;

	for (const char *line = output; *line; line = strchr(line, '\n') + 1)
		count += strncmp(line, text, length) == 0 && (!whole || line[length] == '\n');
	return count;
}

static void assert_session(const char *audit)
{
	assert_int_equal(lines("TARE_SESSION=" DIRECTORY, true), 1);
	assert_int_equal(lines("TARE_SESSION=", false), 1);
	assert_int_equal(lines(audit, true), 1);
	assert_int_equal(lines("LD_AUDIT=", false), 1);
}

/* ---- tests ---- */

static void test_session_is_added(void **state)
{
	char *environment[] = {(char *)"TARE_SESSION=/own", (char *)"A=1", (char *)"B=2",
			       (char *)"TARE_SESSION=/another", NULL};

	(void)state;
	assert_int_equal(run_env(environment), 0);
	assert_session("LD_AUDIT=" RUNTIME);
	assert_int_equal(lines("A=1", true), 1);
	assert_int_equal(lines("B=2", true), 1);
	assert_int_equal(lines("", false), 4);
	assert_int_equal(seen->completed, 1);
	assert_int_equal(seen->noted, 0);
	/* Without any environment as well. */
	assert_int_equal(run_env(NULL), 0);
	assert_session("LD_AUDIT=" RUNTIME);
	assert_int_equal(lines("", false), 2);
}

/* The first of several counts, as for the loader. */
static void test_auditors_of_the_user(void **state)
{
	char *environment[] = {(char *)"LD_AUDIT=/u/a.so:/u/b.so", (char *)"A=1",
			       (char *)"LD_AUDIT=/u/c.so", NULL};

	(void)state;
	assert_int_equal(run_env(environment), 0);
	assert_session("LD_AUDIT=/u/a.so:/u/b.so:" RUNTIME);
	assert_int_equal(lines("A=1", true), 1);
}

/* What a program sees of it is what the user has given. */
static void test_session_is_hidden(void **state)
{
	char first[] = "LD_AUDIT=/u/a.so:/u/b.so:" RUNTIME, second[] = "A=1",
	     third[] = "TARE_SESSION=" DIRECTORY;
	char alone[] = "LD_AUDIT=" RUNTIME, other[] = "LD_AUDIT=/u/" RUNTIME "x";
	char *environment[] = {first, second, third, NULL};
	char *rest[] = {alone, other, NULL};

	(void)state;
	exec_hide_session(environment);
	assert_string_equal(environment[0], "LD_AUDIT=/u/a.so:/u/b.so");
	assert_string_equal(environment[1], "A=1");
	assert_null(environment[2]);
	exec_hide_session(rest);
	assert_string_equal(rest[0], "LD_AUDIT=/u/" RUNTIME "x");
	assert_null(rest[1]);
}

static void test_not_followed(void **state)
{
	char *environment[] = {(char *)"A=1", (char *)"LD_AUDIT=/u/a.so", NULL};

	(void)state;
	image.way = EXEC_IMAGE_NOT_FOLLOWED;
	image.unfollowed = TARE_UNFOLLOWED_REACH + 1;
	assert_int_equal(run_env(environment), 0);
	assert_string_equal(output, "A=1\nLD_AUDIT=/u/a.so\n");
	assert_int_equal(seen->noted, 1);
	assert_int_equal(seen->why, TARE_UNFOLLOWED_REACH + 1);
	assert_int_equal(seen->begun, 1);
	/* Nor where the session cannot be reached from there. */
	permits = false;
	image.way = EXEC_IMAGE_FOLLOWED;
	assert_int_equal(run_env(environment), 0);
	assert_string_equal(output, "A=1\nLD_AUDIT=/u/a.so\n");
	assert_int_equal(seen->why, TARE_UNFOLLOWED_REACH);
	assert_int_equal(seen->noted, 2);
}

/* --no-follow: what the command's children execute is nobody's business; the command's own is. */
static void test_no_follow(void **state)
{
	char *environment[] = {(char *)"A=1", NULL};

	(void)state;
	state_session.settings.no_follow = 1;
	is_command = false;
	assert_int_equal(run_env(environment), 0);
	assert_string_equal(output, "A=1\n");
	assert_int_equal(seen->images, 0);
	assert_int_equal(seen->noted, 0);
	assert_int_equal(seen->completed, 1);
	is_command = true;
	assert_int_equal(run_env(environment), 0);
	assert_session("LD_AUDIT=" RUNTIME);
}

/* A copy is started in its place, with room for its thread-local storage. */
static void test_copy(void **state)
{
	char *environment[] = {(char *)"A=1", (char *)"GLIBC_TUNABLES=glibc.malloc.perturb=1",
			       NULL};
	const struct probes_registers registers = execve_of("/bin/false", environment);

	(void)state;
	image = (struct exec_image){.way = EXEC_IMAGE_COPY,
				    .copy = "/usr/bin/env",
				    .static_tls_bytes = 0x1a0,
				    .path = ""};
	assert_int_equal(run(&registers), 0);
	assert_session("LD_AUDIT=" RUNTIME);
	assert_int_equal(lines("A=1", true), 1);
	assert_int_equal(lines("GLIBC_TUNABLES=glibc.malloc.perturb=1:" TARE_TUNABLE_STATIC_TLS
			       "00000000000001a0",
			       true),
			 1);
	/* One that is gone by now is the program itself. */
	image.copy = "/nowhere/of/all";
	assert_int_equal(run(&registers), 1);
	assert_string_equal(output, "");
}

/* Whether a copy may be started at once depends on variables of the loader. */
static void test_variables_of_the_loader(void **state)
{
	static const char *const entries[] = {"LD_BIND_NOW=1", "GLIBC_TUNABLES=", "LDX=1",
					      "XLD_=1"};

	(void)state;
	copy_if_plain = true;
	image = (struct exec_image){.way = EXEC_IMAGE_COPY, .copy = "/usr/bin/env", .path = ""};
	for (size_t i = 0; i < 4; i++) {
		char *environment[] = {(char *)"A=1", (char *)entries[i], NULL};
		const struct probes_registers registers = execve_of("/bin/false", environment);

		assert_int_equal(run(&registers), i < 2 ? 1 : 0);
	}
}

static void test_execveat(void **state)
{
	static char *arguments[] = {(char *)"env", NULL};
	char *environment[] = {(char *)"A=1", NULL};
	const struct probes_registers registers = {
		.rax = SYS_execveat,
		.rdi = (uint64_t)open("/usr/bin/env", O_RDONLY | O_CLOEXEC),
		.rsi = (uint64_t) "",
		.rdx = (uint64_t)arguments,
		.r10 = (uint64_t)environment,
		.r8 = AT_EMPTY_PATH};

	(void)state;
	assert_int_equal(run(&registers), 0);
	assert_session("LD_AUDIT=" RUNTIME);
	assert_int_equal(lines("A=1", true), 1);
	close((int)registers.rdi);
}

/* All entries are found, wherever pages end. */
static void test_long_environment(void **state)
{
	static char texts[ENTRIES][16];
	char *pages =
		mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char **environment = (char **)(pages + PAGE - 3 * sizeof(char *));

	(void)state;
	for (int i = 0; i < ENTRIES; i++) {
		snprintf(texts[i], sizeof(texts[i]), "V%d=x", i);
		environment[i] = texts[i];
	}
	assert_int_equal(run_env(environment), 0);
	assert_int_equal(lines("V", false), ENTRIES);
	assert_session("LD_AUDIT=" RUNTIME);
	munmap(pages, (size_t)4 * PAGE);
}

/* Then it is the program that goes on. */
static void test_exec_that_fails(void **state)
{
	char *environment[] = {(char *)"A=1", NULL};
	const struct probes_registers registers = execve_of("/nowhere/of/all", environment);
	struct tare_thread_file self = {.tid = (int32_t)syscall(SYS_gettid)};

	(void)state;
	exec_with_session(&self, &registers);
	assert_int_equal(seen->threads_completed, 1);
	assert_int_equal(self.flags, 0);
	assert_int_equal(self.end_ticks, 0);
	assert_int_equal(seen->completed, 1);
	assert_int_equal(seen->resumed, 1);
	/* In a vfork child, whose thread this is not, nothing of it is completed. */
	self.tid++;
	exec_with_session(&self, &registers);
	assert_int_equal(seen->threads_completed, 1);
	assert_int_equal(seen->completed, 1);
	/* What is absent is left to the program's own call. */
	image.way = EXEC_IMAGE_ABSENT;
	exec_with_session(NULL, &registers);
	assert_int_equal(seen->completed, 1);
	state_session.active = false;
	exec_with_session(NULL, &registers);
	assert_int_equal(seen->images, 3);
	image.way = EXEC_IMAGE_NOT_FOLLOWED;
	state_session.active = true;
	exec_with_session(NULL, &registers);
	assert_int_equal(seen->noted, 1);
	assert_int_equal(seen->forgotten, 1);
}

int main(void)
{
#define EXEC_TEST(name) cmocka_unit_test_setup(name, set_up)
	const struct CMUnitTest tests[] = {
		EXEC_TEST(test_session_is_added),
		EXEC_TEST(test_auditors_of_the_user),
		EXEC_TEST(test_session_is_hidden),
		EXEC_TEST(test_not_followed),
		EXEC_TEST(test_no_follow),
		EXEC_TEST(test_copy),
		EXEC_TEST(test_variables_of_the_loader),
		EXEC_TEST(test_execveat),
		EXEC_TEST(test_long_environment),
		EXEC_TEST(test_exec_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
