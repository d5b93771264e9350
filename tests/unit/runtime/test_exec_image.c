/*
 * Which programs get the session, by files made for it: scripts, static and foreign programs, those
 * of other loaders, those that gain privileges; by path and by descriptor.
 */
#include "runtime/base/memory.h"
#include "runtime/exec/exec_image.h"
#include "tests/support/own_directory.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LOADER "/lib64/ld-linux-x86-64.so.2"
#define COPY   "/cache/copy"

enum { SCRIPTS = 7, OTHER_USER = 65534 };

struct state_session state_session;

static char base[] = "/tmp/tare-test-image-XXXXXX";
static struct exec_image_work work;
static int asked;
static enum tare_request_kind asked_kind;
static bool has_copy;

long memory_read(void *to, uint64_t from, uint64_t size_bytes)
{
	memcpy(to, (const void *)from, size_bytes);
	return (long)size_bytes;
}

bool session_ask(enum tare_request_kind kind, const char *path, struct session_answer *answer)
{
	assert_string_equal(path, work.path);
	asked++;
	asked_kind = kind;
	strcpy(answer->path, COPY);
	answer->static_tls_bytes = 64;
	return has_copy;
}

/* ---- files ---- */

static int set_up(void **state)
{
	(void)state;
	asked = 0;
	has_copy = true;
	memset(&state_session, 0, sizeof(state_session));
	return own_directory_make(base) && chmod(base, 0755) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", base);
	return system(command);
}

static const char *at(const char *name)
{
	static char paths[4][128];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", base, name);
	return path;
}

static void put(const char *name, const void *bytes, size_t size, mode_t mode)
{
	const int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

/* A program with that loader, or a static one. */
struct program {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	char loader[64];
};

static struct program program_of(const char *loader)
{
	struct program program = {.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
					     .e_type = ET_DYN,
					     .e_machine = EM_X86_64,
					     .e_phoff = sizeof(Elf64_Ehdr),
					     .e_phnum = 1,
					     .e_phentsize = sizeof(Elf64_Phdr)},
				  .segment = {.p_type = loader ? PT_INTERP : PT_LOAD}};

	if (loader) {
		strcpy(program.loader, loader);
		program.segment.p_offset = offsetof(struct program, loader);
		program.segment.p_filesz = strlen(loader) + 1;
	}
	return program;
}

static void put_program(const char *name, const char *loader, mode_t mode)
{
	const struct program program = program_of(loader);

	put(name, &program, sizeof(program), mode);
}

static void put_script(const char *name, const char *interpreter)
{
	char text[256];

	snprintf(text, sizeof(text), "#! %s -x\necho\n", interpreter);
	put(name, text, strlen(text), 0755);
}

static struct exec_image find_with(const char *name, bool plain)
{
	const struct probes_registers registers = {.rax = SYS_execve, .rdi = (uint64_t)at(name)};

	return exec_image_find(&registers, plain, &work);
}

static struct exec_image find(const char *name)
{
	return find_with(name, false);
}

static void assert_left(struct exec_image image, enum tare_unfollowed why)
{
	assert_int_equal(image.way, EXEC_IMAGE_NOT_FOLLOWED);
	assert_int_equal(image.unfollowed, why);
	assert_int_equal(asked, 0);
}

/* ---- tests ---- */

static void test_by_loader(void **state)
{
	(void)state;
	put_program("glibc", LOADER, 0755);
	put_program("musl", "/lib/ld-musl-x86_64.so.1", 0755);
	put_program("older", "/lib/ld-2.31.so", 0755);
	const struct exec_image image = find("glibc");
	assert_int_equal(image.way, EXEC_IMAGE_FOLLOWED);
	assert_string_equal(image.path, at("glibc"));
	assert_int_equal(find("older").way, EXEC_IMAGE_FOLLOWED);
	assert_left(find("musl"), TARE_UNFOLLOWED_FOREIGN);
}

static void test_foreign(void **state)
{
	struct program program = program_of(LOADER);

	(void)state;
	program.header.e_machine = EM_AARCH64;
	put("arm", &program, sizeof(program), 0755);
	assert_left(find("arm"), TARE_UNFOLLOWED_FOREIGN);
	program = program_of(LOADER);
	program.header.e_ident[EI_CLASS] = ELFCLASS32;
	put("32", &program, sizeof(program), 0755);
	assert_left(find("32"), TARE_UNFOLLOWED_FOREIGN);
	/* Tables and names that lie elsewhere. */
	program = program_of(LOADER);
	program.header.e_phoff = UINT64_MAX - 8;
	put("far", &program, sizeof(program), 0755);
	assert_left(find("far"), TARE_UNFOLLOWED_FOREIGN);
	program = program_of(LOADER);
	program.header.e_phnum = UINT16_MAX;
	put("many", &program, sizeof(program), 0755);
	assert_left(find("many"), TARE_UNFOLLOWED_FOREIGN);
	program = program_of(LOADER);
	program.segment.p_filesz = TARE_PATH_MAX;
	put("long", &program, sizeof(program), 0755);
	assert_left(find("long"), TARE_UNFOLLOWED_FOREIGN);
	put("text", "echo\n", 5, 0755);
	assert_left(find("text"), TARE_UNFOLLOWED_FOREIGN);
	put("empty", "", 0, 0755);
	assert_left(find("empty"), TARE_UNFOLLOWED_FOREIGN);
}

static void test_static(void **state)
{
	(void)state;
	put_program("static", NULL, 0755);
	const struct exec_image image = find("static");
	assert_int_equal(image.way, EXEC_IMAGE_COPY);
	assert_string_equal(image.copy, COPY);
	assert_int_equal(asked_kind, TARE_REQUEST_EXECUTABLE);
	has_copy = false;
	asked = 0;
	assert_int_equal(find("static").unfollowed, TARE_UNFOLLOWED_NO_COPY);
	/* Who may not execute it is not helped to. */
	has_copy = true;
	asked = 0;
	put_program("data", NULL, 0644);
	assert_left(find("data"), TARE_UNFOLLOWED_NO_COPY);
}

static void test_scripts(void **state)
{
	(void)state;
	put_program("shell", LOADER, 0755);
	put_script("script", at("shell"));
	put_script("second", at("script"));
	assert_int_equal(find("script").way, EXEC_IMAGE_FOLLOWED);
	const struct exec_image image = find("second");
	assert_int_equal(image.way, EXEC_IMAGE_FOLLOWED);
	assert_string_equal(image.path, at("shell"));
	/* The kernel starts no copy for an interpreter that a script names. */
	put_program("static", NULL, 0755);
	put_script("static-script", at("static"));
	assert_left(find("static-script"), TARE_UNFOLLOWED_NO_COPY);
	put_script("lost", at("nowhere"));
	assert_int_equal(find("lost").way, EXEC_IMAGE_ABSENT);
	put("none", "#!  \n", 5, 0755);
	assert_left(find("none"), TARE_UNFOLLOWED_FOREIGN);
}

/* As many as the kernel follows. */
static void test_scripts_of_scripts(void **state)
{
	char name[8], before[8] = "0";

	(void)state;
	put_program("0", LOADER, 0755);
	for (int i = 1; i < SCRIPTS; i++) {
		snprintf(name, sizeof(name), "%d", i);
		put_script(name, at(before));
		strcpy(before, name);
	}
	assert_int_equal(find("5").way, EXEC_IMAGE_FOLLOWED);
	assert_left(find("6"), TARE_UNFOLLOWED_FOREIGN);
	put_script("loop", at("loop"));
	assert_left(find("loop"), TARE_UNFOLLOWED_FOREIGN);
}

static struct exec_image find_at(int fd, const char *name, uint64_t flags)
{
	const struct probes_registers registers = {.rax = SYS_execveat,
						   .rdi = (uint64_t)(int64_t)fd,
						   .rsi = (uint64_t)name,
						   .r8 = flags};

	return exec_image_find(&registers, true, &work);
}

static void test_by_descriptor(void **state)
{
	(void)state;
	put_program("glibc", LOADER, 0755);
	const int fd = open(at("glibc"), O_PATH | O_CLOEXEC);
	const int directory = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct exec_image image = find_at(fd, "", AT_EMPTY_PATH);
	assert_int_equal(image.way, EXEC_IMAGE_FOLLOWED);
	assert_string_equal(image.path, at("glibc"));
	assert_int_equal(find_at(directory, "glibc", 0).way, EXEC_IMAGE_FOLLOWED);
	assert_int_equal(find_at(directory, "", 0).way, EXEC_IMAGE_ABSENT);
	assert_int_equal(find_at(-1, "", AT_EMPTY_PATH).way, EXEC_IMAGE_ABSENT);
	assert_int_equal(symlinkat("glibc", directory, "link"), 0);
	assert_int_equal(find_at(directory, "link", 0).way, EXEC_IMAGE_FOLLOWED);
	assert_int_equal(find_at(directory, "link", AT_SYMLINK_NOFOLLOW).way, EXEC_IMAGE_ABSENT);
	close(directory);
	/* The caller's descriptor is its own. */
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
}

/* Another user's setuid program, as root may make one. */
static void test_privileges(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		print_message("only root can give a file to another user\n");
		skip();
	}
	put_program("glibc", LOADER, 0755);
	assert_int_equal(chown(at("glibc"), OTHER_USER, OTHER_USER), 0);
	assert_int_equal(find("glibc").way, EXEC_IMAGE_FOLLOWED);
	assert_int_equal(chmod(at("glibc"), 04755), 0);
	assert_left(find("glibc"), TARE_UNFOLLOWED_PRIVILEGED);
	assert_int_equal(chmod(at("glibc"), 02755), 0);
	assert_left(find("glibc"), TARE_UNFOLLOWED_PRIVILEGED);
	/* Without the group's right to execute that is a lock of older kernels. */
	assert_int_equal(chmod(at("glibc"), 02745), 0);
	assert_int_equal(find("glibc").way, EXEC_IMAGE_FOLLOWED);
}

/* A copy may be started at once where nothing is for the loader and nobody writes to the file. */
static void test_copies_of_children(void **state)
{
	(void)state;
	const struct probes_registers registers = {.rax = SYS_execve,
						   .rdi = (uint64_t) "/bin/true"};
	const struct exec_image image = exec_image_find(&registers, true, &work);

	/* Before Linux 6.14 root may write to all files, and nobody can ask whether they are free.
	 */
	if (image.way == EXEC_IMAGE_COPY) {
		assert_int_equal(asked_kind, TARE_REQUEST_CHILD);
		assert_string_equal(image.copy, COPY);
		assert_int_equal(image.static_tls_bytes, 64);
	} else {
		assert_int_equal(asked, 0);
	}
	asked = 0;
	assert_int_equal(exec_image_find(&registers, false, &work).way, EXEC_IMAGE_FOLLOWED);
	state_session.settings.timer_only = 1;
	assert_int_equal(exec_image_find(&registers, true, &work).way, EXEC_IMAGE_FOLLOWED);
	assert_int_equal(asked, 0);
}

/* In a child that this process traces, which tells what it found by its status. */
static int way_when_traced(int64_t known_tracer)
{
	int status;
	const pid_t pid = fork();

	if (!pid) {
		state_session.settings.tracer_pid = (int32_t)known_tracer;
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(99);
		const struct exec_image image = find("glibc");
		_exit(image.way == EXEC_IMAGE_NOT_FOLLOWED ? 10 + (int)image.unfollowed
							   : (int)image.way);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A tracer must meet the program that it was asked to trace; one of the recorder meets all. */
static void test_traced(void **state)
{
	(void)state;
	put_program("glibc", LOADER, 0755);
	if (way_when_traced(0) == 99) {
		print_message("processes may not be traced here\n");
		skip();
	}
	assert_int_equal(way_when_traced(0), 10 + TARE_UNFOLLOWED_TRACED);
	assert_int_equal(way_when_traced(getpid()), EXEC_IMAGE_FOLLOWED);
}

static void test_what_is_not_there(void **state)
{
	(void)state;
	assert_int_equal(find("nowhere").way, EXEC_IMAGE_ABSENT);
}

int main(void)
{
#define IMAGE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		IMAGE_TEST(test_by_loader),
		IMAGE_TEST(test_foreign),
		IMAGE_TEST(test_static),
		IMAGE_TEST(test_scripts),
		IMAGE_TEST(test_scripts_of_scripts),
		IMAGE_TEST(test_by_descriptor),
		IMAGE_TEST(test_privileges),
		IMAGE_TEST(test_copies_of_children),
		IMAGE_TEST(test_traced),
		IMAGE_TEST(test_what_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
