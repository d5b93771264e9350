/*
 * What lies in a session's directory is read only where it is a file of this user's in that very
 * directory: links to files that would do elsewhere, other users' files, directories and clients
 * are refused. Another user is this one, after geteuid has begun to tell another number.
 */
#include "abi/module.h"
#include "session/control.h"
#include "session/server.h"
#include "session/session_dir.h"
#include "session/text_file.h"
#include "session/thread_files.h"
#include "tests/support/other_user.h"
#include "tests/support/own_directory.h"
#include "tests/support/session_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

/* The session, and a directory beside it, to which links lead. */
static char directory[] = "/tmp/tare-test-owners-XXXXXX", elsewhere[64];
static struct session session;
static int answers;

static int set_up(void **state)
{
	struct error err;

	(void)state;
	answers = 0;
	if (!own_directory_make(directory) || !session_open(&session, directory, &err))
		return -1;
	snprintf(elsewhere, sizeof(elsewhere), "%s.other", directory);
	return mkdir(elsewhere, 0700);
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	is_another_user = false;
	session_close(&session, true);
	return directory_remove(elsewhere, &err) ? 0 : -1;
}

/* Its path in the session, or elsewhere. */
static const char *at(const char *place, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", place, name);
	return path;
}

static void link_to_elsewhere(const char *name)
{
	char target[128];

	strcpy(target, at(elsewhere, name));
	assert_int_equal(symlink(target, at(directory, name)), 0);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(close(fd), 0);
}

/* A process that runs: this one. */
static void write_process(const char *place, uint64_t off_since)
{
	struct session_writer_process process;
	char name[64];

	session_writer_process_init(&process, getpid());
	process.header.flags = 0;
	process.header.control.off_since = off_since;
	snprintf(name, sizeof(name), "process.%d.0", (int)getpid());
	session_writer_write_process(&process, place, name);
}

/* ---- links ---- */

static void test_thread_files_are_no_links(void **state)
{
	struct session_writer_thread writer;
	struct thread_file thread;
	struct process_file process;
	struct error err;
	char name[64], bytes[8];

	(void)state;
	session_writer_thread_init(&writer, 10, 10);
	session_writer_write_thread(&writer, elsewhere, "thread.10.10.0");
	write_process(elsewhere, 0);
	snprintf(name, sizeof(name), "process.%d.0", (int)getpid());
	link_to_elsewhere("thread.10.10.0");
	link_to_elsewhere(name);
	assert_false(thread_file_read(&thread, session.fd, "thread.10.10.0", &err));
	assert_non_null(strstr(err.message, strerror(ELOOP)));
	assert_false(process_file_read(&process, session.fd, name, &err));
	assert_non_null(strstr(err.message, strerror(ELOOP)));
	assert_int_equal(session_file_head(session.fd, name, bytes, sizeof(bytes)), -1);
	/* Nothing but the links is wrong. */
	assert_int_equal(unlink(at(directory, "thread.10.10.0")), 0);
	session_writer_write_thread(&writer, directory, "thread.10.10.0");
	assert_true(thread_file_read(&thread, session.fd, "thread.10.10.0", &err));
	thread_file_fini(&thread);
}

/* Processes that run, and threads of the first one. */
static size_t processes_running(size_t *threads)
{
	struct control_status status;
	struct error err;

	if (!control_status_read(&session, &status, &err))
		fail_msg("%s", err.message);
	const size_t count = status.processes.len;
	*threads = count ? status.processes.data[0].threads : 0;
	control_status_fini(&status);
	return count;
}

static void test_processes_that_are_controlled_are_no_links(void **state)
{
	struct session_writer_thread thread;
	struct error err;
	char process_name[64], thread_name[64];
	size_t threads;

	(void)state;
	assert_true(control_create(&session, false, &err));
	snprintf(process_name, sizeof(process_name), "process.%d.0", (int)getpid());
	snprintf(thread_name, sizeof(thread_name), "thread.%d.1.0", (int)getpid());
	write_process(elsewhere, 0);
	session_writer_thread_init(&thread, getpid(), 1);
	thread.header.flags = 0;
	session_writer_write_thread(&thread, elsewhere, thread_name);
	link_to_elsewhere(process_name);
	link_to_elsewhere(thread_name);
	assert_int_equal(processes_running(&threads), 0);
	assert_int_equal(unlink(at(directory, process_name)), 0);
	write_process(directory, 0);
	assert_int_equal(processes_running(&threads), 1);
	assert_int_equal(threads, 0);
	assert_int_equal(unlink(at(directory, thread_name)), 0);
	session_writer_write_thread(&thread, directory, thread_name);
	assert_int_equal(processes_running(&threads), 1);
	assert_int_equal(threads, 1);
}

static void test_level_is_no_link(void **state)
{
	const struct tare_session_control control = {.magic = TARE_CONTROL_MAGIC,
						     .abi = TARE_CONTROL_ABI};
	struct control_status status;
	struct error err;

	(void)state;
	write_file(at(elsewhere, TARE_CONTROL_NAME), &control, sizeof(control));
	link_to_elsewhere(TARE_CONTROL_NAME);
	assert_false(control_status_read(&session, &status, &err));
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	assert_int_equal(unlink(at(directory, TARE_CONTROL_NAME)), 0);
	write_file(at(directory, TARE_CONTROL_NAME), &control, sizeof(control));
	assert_true(control_status_read(&session, &status, &err));
	control_status_fini(&status);
}

/* Of what is mapped every byte must be there: also what follows is looked at, and written. */
static void test_level_that_is_cut_off(void **state)
{
	const struct tare_session_control control = {.magic = TARE_CONTROL_MAGIC,
						     .abi = TARE_CONTROL_ABI};
	struct control_status status;
	struct error err;

	(void)state;
	write_file(at(directory, TARE_CONTROL_NAME), &control, sizeof(control) - 1);
	assert_false(control_status_read(&session, &status, &err));
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	write_file(at(directory, TARE_CONTROL_NAME), &control, sizeof(control));
	assert_true(control_status_read(&session, &status, &err));
	control_status_fini(&status);
}

/* Its number can be another process's by now. */
static void test_processes_that_have_ended_are_not_controlled(void **state)
{
	struct session_writer_process process;
	struct error err;
	size_t threads;
	char name[64];

	(void)state;
	assert_true(control_create(&session, false, &err));
	snprintf(name, sizeof(name), "process.%d.0", (int)getpid());
	session_writer_process_init(&process, getpid());
	process.header.flags = TARE_PROCESS_ENDED;
	session_writer_write_process(&process, directory, name);
	assert_int_equal(processes_running(&threads), 0);
	process.header.flags = 0;
	assert_int_equal(unlink(at(directory, name)), 0);
	session_writer_write_process(&process, directory, name);
	assert_int_equal(processes_running(&threads), 1);
}

/* The byte behind the header of an arming file, once the process may run probes again. */
static unsigned char byte_after_following(const char *place, const char *name)
{
	unsigned char byte = 2;

	write_process(directory, 1);
	control_follow(&session);
	const int fd = open(at(place, name), O_RDONLY);
	assert_int_equal(pread(fd, &byte, 1, TARE_ARMING_OFFSET), 1);
	assert_int_equal(close(fd), 0);
	return byte;
}

static void test_arming_bytes_are_not_written_through_links(void **state)
{
	static unsigned char bytes[TARE_ARMING_OFFSET + 8];
	const struct tare_arming_file file = {
		.magic = TARE_ARMING_MAGIC, .offset = TARE_ARMING_OFFSET, .size_bytes = 8};
	struct error err;
	char name[64];

	(void)state;
	memcpy(bytes, &file, sizeof(file));
	assert_true(control_create(&session, false, &err));
	snprintf(name, sizeof(name), TARE_ARMING_NAME "%d.0", (int)getpid());
	write_file(at(elsewhere, name), bytes, sizeof(bytes));
	link_to_elsewhere(name);
	assert_int_equal(byte_after_following(elsewhere, name), 0);
	assert_int_equal(unlink(at(directory, name)), 0);
	write_file(at(directory, name), bytes, sizeof(bytes));
	assert_int_equal(byte_after_following(directory, name), TARE_ARMED);
}

static void test_marks_are_not_written_through_links(void **state)
{
	struct stat info;
	struct error err;

	(void)state;
	assert_true(control_create(&session, false, &err));
	write_file(at(elsewhere, CONTROL_MARKS_NAME), "", 0);
	link_to_elsewhere(CONTROL_MARKS_NAME);
	assert_false(control_mark(&session, 1, "here", &err));
	assert_int_equal(stat(at(elsewhere, CONTROL_MARKS_NAME), &info), 0);
	assert_int_equal(info.st_size, 0);
	assert_int_equal(unlink(at(directory, CONTROL_MARKS_NAME)), 0);
	assert_true(control_mark(&session, 1, "here", &err));
}

static void test_text_is_no_link(void **state)
{
	struct error err;

	(void)state;
	write_file(at(elsewhere, "text"), "words", 5);
	link_to_elsewhere("text");
	assert_null(text_read_file(session.fd, "text", 100, &err));
	assert_non_null(strstr(err.message, strerror(ELOOP)));
}

/* ---- other users ---- */

static void test_text_of_another_user(void **state)
{
	struct error err;

	(void)state;
	write_file(at(directory, "text"), "words", 5);
	char *text = text_read_file(session.fd, "text", 100, &err);
	assert_string_equal(text, "words");
	free(text);
	is_another_user = true;
	assert_null(text_read_file(session.fd, "text", 100, &err));
	assert_int_equal(err.code, ERROR_PERMISSION);
	is_another_user = false;
	assert_int_equal(mkfifo(at(directory, "pipe"), 0600), 0);
	assert_null(text_read_file(session.fd, "pipe", 100, &err));
	assert_int_equal(err.code, ERROR_PERMISSION);
	assert_null(text_read_file(session.fd, "text", 4, &err));
	assert_int_equal(err.code, ERROR_INPUT);
}

static bool session_opens(mode_t mode)
{
	struct session other;
	struct error err = {0};

	assert_int_equal(chmod(elsewhere, mode), 0);
	const bool ok = session_open(&other, elsewhere, &err);
	if (ok)
		session_close(&other, false);
	else
		assert_int_equal(err.code, ERROR_PERMISSION);
	return ok;
}

static void test_session_of_another_user(void **state)
{
	(void)state;
	assert_true(session_opens(0700));
	assert_true(session_opens(0755));
	assert_false(session_opens(0720));
	assert_false(session_opens(0702));
	is_another_user = true;
	assert_false(session_opens(0700));
}

static struct server_answer answer(enum tare_request_kind kind, const char *path, pid_t pid,
				   void *context)
{
	(void)kind;
	(void)path;
	(void)pid;
	(void)context;
	answers++;
	return (struct server_answer){.path = "/cache/a.so"};
}

static void serve(struct server *server)
{
	for (int i = 0; i < 3; i++) {
		struct pollfd fds[SERVER_CLIENTS_MAX + 1];
		size_t count = 0;

		server_poll(server, fds, &count);
		if (poll(fds, count, 0) > 0)
			server_handle(server, fds, count);
	}
}

/* Bytes of the answer to a request. */
static ssize_t ask(struct server *server)
{
	struct {
		struct tare_request head;
		char path[9];
	} request = {.head = {.abi = TARE_SESSION_ABI,
			      .kind = TARE_REQUEST_LIBRARY,
			      .pid = getpid(),
			      .path_bytes = 9},
		     .path = "/lib/a.so"};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct tare_reply reply;
	const size_t size = offsetof(__typeof__(request), path) + sizeof(request.path);
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strcpy(address.sun_path, at(directory, TARE_SOCKET_NAME));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(send(fd, &request, size, MSG_NOSIGNAL), size);
	serve(server);
	const ssize_t got = recv(fd, &reply, sizeof(reply), 0);
	assert_int_equal(close(fd), 0);
	return got;
}

static void test_client_of_another_user(void **state)
{
	struct server server = {.fd = -1, .answer = answer};
	struct error err;

	(void)state;
	assert_true(server_open(&server, directory, session.fd, &err));
	is_another_user = true;
	assert_true(ask(&server) <= 0);
	assert_int_equal(answers, 0);
	is_another_user = false;
	assert_int_equal(ask(&server), sizeof(struct tare_reply));
	assert_int_equal(answers, 1);
	server_close(&server);
}

int main(void)
{
#define IN_SESSION(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		IN_SESSION(test_thread_files_are_no_links),
		IN_SESSION(test_processes_that_are_controlled_are_no_links),
		IN_SESSION(test_level_is_no_link),
		IN_SESSION(test_level_that_is_cut_off),
		IN_SESSION(test_processes_that_have_ended_are_not_controlled),
		IN_SESSION(test_arming_bytes_are_not_written_through_links),
		IN_SESSION(test_marks_are_not_written_through_links),
		IN_SESSION(test_text_is_no_link),
		IN_SESSION(test_text_of_another_user),
		IN_SESSION(test_session_of_another_user),
		IN_SESSION(test_client_of_another_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
