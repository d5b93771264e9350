/* Requests for instrumented files: whole, in pieces, many at once, and malformed ones. */
#include "session/server.h"

#include "session/session_dir.h"
#include "tests/support/own_directory.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/tare-test-server-XXXXXX";
static struct session session;
static struct server server;
static int answers;

static enum tare_request_kind expected_kind = TARE_REQUEST_LIBRARY;

static struct server_answer answer(enum tare_request_kind kind, const char *path, pid_t pid,
				   void *context)
{
	(void)context;
	answers++;
	assert_int_equal(pid, getpid());
	assert_int_equal(kind, expected_kind);
	const struct server_answer copy = {.path = "/cache/a.so", .static_tls_bytes = 4711};

	return strcmp(path, "/lib/a.so") == 0 ? copy : (struct server_answer){0};
}

static int set_up(void **state)
{
	struct error err;

	(void)state;
	answers = 0;
	server = (struct server){.fd = -1, .answer = answer};
	return own_directory_make(directory) && session_open(&session, directory, &err) &&
			       server_open(&server, session.directory, session.fd, &err)
		       ? 0
		       : -1;
}

static int tear_down(void **state)
{
	(void)state;
	server_close(&server);
	session_close(&session, true);
	return 0;
}

static void serve(void)
{
	for (int i = 0; i < 3; i++) {
		struct pollfd fds[SERVER_CLIENTS_MAX + 1];
		size_t count = 0;
		server_poll(&server, fds, &count);
		assert_true(poll(fds, count, 0) >= 0);
		server_handle(&server, fds, count);
	}
}

static int connect_client(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%.64s/" TARE_SOCKET_NAME, directory);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static size_t make_request(unsigned char *bytes, const char *path)
{
	const struct tare_request request = {.abi = TARE_SESSION_ABI,
					     .kind = TARE_REQUEST_LIBRARY,
					     .pid = getpid(),
					     .path_bytes = (uint32_t)strlen(path)};

	memcpy(bytes, &request, sizeof(request));
	memcpy(bytes + sizeof(request), path, strlen(path));
	return sizeof(request) + strlen(path);
}

/* The path of the reply; "" for the original; NULL when the connection was closed. */
static const char *read_reply(int fd)
{
	static char path[TARE_PATH_MAX];
	struct tare_reply reply;

	if (recv(fd, &reply, sizeof(reply), 0) != sizeof(reply))
		return NULL;
	assert_int_equal(reply.abi, TARE_SESSION_ABI);
	assert_int_equal(reply.static_tls_bytes, reply.path_bytes ? 4711 : 0);
	assert_true(reply.path_bytes < sizeof(path));
	if (reply.path_bytes)
		assert_int_equal(recv(fd, path, reply.path_bytes, 0), reply.path_bytes);
	path[reply.path_bytes] = 0;
	return path;
}

static void test_whole_requests(void **state)
{
	static const char *const paths[] = {"/lib/a.so", "/lib/b.so"};
	static const char *const replies[] = {"/cache/a.so", ""};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		unsigned char bytes[256];
		const int fd = connect_client();
		const size_t size = make_request(bytes, paths[i]);
		assert_int_equal(send(fd, bytes, size, 0), size);
		serve();
		assert_string_equal(read_reply(fd), replies[i]);
		close(fd);
	}
	assert_int_equal(server.clients.len, 0);
}

static void test_request_byte_by_byte(void **state)
{
	unsigned char bytes[256];
	const size_t size = make_request(bytes, "/lib/a.so");
	const int fd = connect_client();

	(void)state;
	for (size_t i = 0; i < size; i++) {
		assert_int_equal(answers, 0);
		assert_int_equal(send(fd, bytes + i, 1, 0), 1);
		serve();
	}
	assert_string_equal(read_reply(fd), "/cache/a.so");
	close(fd);
}

static void test_slow_clients_hold_up_nobody(void **state)
{
	unsigned char bytes[256];
	const size_t size = make_request(bytes, "/lib/a.so");
	int slow[20];

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		slow[i] = connect_client();
		assert_int_equal(send(slow[i], bytes, i, 0), i);
		serve();
	}
	const int fd = connect_client();
	assert_int_equal(send(fd, bytes, size, 0), size);
	serve();
	assert_string_equal(read_reply(fd), "/cache/a.so");
	close(fd);
	for (size_t i = 0; i < 20; i++)
		close(slow[i]);
	serve();
	assert_int_equal(server.clients.len, 0);
}

static void expect_hang_up(const unsigned char *bytes, size_t size)
{
	const int fd = connect_client();

	assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
	serve();
	const char *reply = read_reply(fd);
	/* An unusable path is answered with "use the original". */
	assert_true(!reply || !*reply);
	assert_int_equal(answers, 0);
	assert_int_equal(server.clients.len, 0);
	close(fd);
}

static void test_malformed_requests(void **state)
{
	unsigned char bytes[TARE_PATH_MAX + 64] = {0};
	struct tare_request request;
	size_t size = make_request(bytes, "/lib/a.so");

	(void)state;
	memcpy(&request, bytes, sizeof(request));
	request.abi = 99;
	memcpy(bytes, &request, sizeof(request));
	expect_hang_up(bytes, size);
	size = make_request(bytes, "/lib/a.so");
	memcpy(&request, bytes, sizeof(request));
	request.path_bytes = TARE_PATH_MAX;
	memcpy(bytes, &request, sizeof(request));
	expect_hang_up(bytes, sizeof(bytes));
	request.path_bytes = 0;
	memcpy(bytes, &request, sizeof(request));
	expect_hang_up(bytes, sizeof(request));
	request.path_bytes = 9;
	request.kind = TARE_REQUEST_PLACE + 1;
	memcpy(bytes, &request, sizeof(request));
	expect_hang_up(bytes, size);
	size = make_request(bytes, "relative");
	expect_hang_up(bytes, size);
	size = make_request(bytes, "/lib/a.so");
	bytes[size - 3] = 0;
	expect_hang_up(bytes, size);
}

/* The longest path, and one byte more. */
static void test_paths_have_a_largest_length(void **state)
{
	static unsigned char bytes[2 * TARE_PATH_MAX];
	static char path[TARE_PATH_MAX + 1];

	(void)state;
	memset(path, 'a', TARE_PATH_MAX);
	path[0] = '/';
	expect_hang_up(bytes, make_request(bytes, path));
	path[TARE_PATH_MAX - 1] = 0;
	const size_t size = make_request(bytes, path);
	const int fd = connect_client();
	assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
	serve();
	assert_string_equal(read_reply(fd), "");
	assert_int_equal(answers, 1);
	close(fd);
}

static void test_all_kinds(void **state)
{
	unsigned char bytes[TARE_PATH_MAX + 64] = {0};
	const size_t size = make_request(bytes, "/lib/a.so");
	struct tare_request request;

	(void)state;
	memcpy(&request, bytes, sizeof(request));
	for (unsigned kind = TARE_REQUEST_LIBRARY; kind <= TARE_REQUEST_PLACE; kind++) {
		const int fd = connect_client();

		expected_kind = request.kind = kind;
		memcpy(bytes, &request, sizeof(request));
		assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
		serve();
		assert_string_equal(read_reply(fd), "/cache/a.so");
		close(fd);
	}
	assert_int_equal(answers, TARE_REQUEST_PLACE - TARE_REQUEST_LIBRARY + 1);
	expected_kind = TARE_REQUEST_LIBRARY;
	request.kind = TARE_REQUEST_PLACE + 1;
	memcpy(bytes, &request, sizeof(request));
	answers = 0;
	expect_hang_up(bytes, size);
}

/* ---- clients that say nothing ---- */

static int idle[SERVER_CLIENTS_MAX];

static void fill_with_idle_clients(void)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_cur < 2 * SERVER_CLIENTS_MAX + 64) {
		print_message("too few descriptors for as many clients as the server takes\n");
		skip();
	}
	for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++) {
		idle[i] = connect_client();
		serve();
	}
	assert_int_equal(server.clients.len, SERVER_CLIENTS_MAX);
}

static void close_idle_clients(void)
{
	for (size_t i = 0; i < SERVER_CLIENTS_MAX; i++)
		close(idle[i]);
}

/* What poll finds to do at once. */
static int ready(void)
{
	struct pollfd fds[SERVER_CLIENTS_MAX + 1];
	size_t count = 0;

	server_poll(&server, fds, &count);
	return poll(fds, count, 0);
}

static void test_full_server_rests_and_then_takes_newcomers(void **state)
{
	unsigned char bytes[256];
	const size_t size = make_request(bytes, "/lib/a.so");

	(void)state;
	server.crowded_client_ms = 1000000;
	fill_with_idle_clients();
	const int fd = connect_client();
	assert_int_equal(send(fd, bytes, size, 0), size);
	serve();
	assert_int_equal(answers, 0);
	assert_int_equal(ready(), 0); /* else the recorder would turn in circles */
	assert_in_range(server_left_ms(&server), 100000, 1000000);

	server.crowded_client_ms = 0;
	assert_int_equal(server_left_ms(&server), 0);
	serve();
	assert_string_equal(read_reply(fd), "/cache/a.so");
	assert_int_equal(recv(idle[7], bytes, 1, 0), 0); /* hung up on */
	close(fd);
	close_idle_clients();
}

static void test_idle_clients_have_a_deadline(void **state)
{
	const int fd = connect_client();
	char byte;

	(void)state;
	assert_int_equal(server_left_ms(&server), INT_MAX);
	serve();
	assert_in_range(server_left_ms(&server), 1, SERVER_CLIENT_MS);
	assert_int_equal(server.clients.len, 1);
	server.client_ms = 0;
	serve();
	assert_int_equal(server.clients.len, 0);
	assert_int_equal(recv(fd, &byte, 1, 0), 0);
	close(fd);
}

/* The server itself was late. */
static void test_request_that_is_there_is_answered_at_the_deadline(void **state)
{
	unsigned char bytes[256];
	const size_t size = make_request(bytes, "/lib/a.so");
	struct pollfd fds[2];
	size_t count = 0;
	const int fd = connect_client();

	(void)state;
	serve();
	server_poll(&server, fds, &count);
	assert_int_equal(poll(fds, count, 0), 0);
	assert_int_equal(send(fd, bytes, size, 0), size);
	server.client_ms = 0;
	server_handle(&server, fds, count);
	assert_string_equal(read_reply(fd), "/cache/a.so");
	close(fd);
}

static void test_server_without_descriptors_rests(void **state)
{
	struct rlimit limit, small;
	const int fd = connect_client();
	const int next = dup(fd);

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	close(next);
	small = limit;
	small.rlim_cur = (rlim_t)next;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
	assert_int_equal(ready(), 1);
	serve();
	assert_int_equal(server.clients.len, 0);
	assert_int_equal(ready(), 0);
	assert_in_range(server_left_ms(&server), 1, SERVER_ACCEPT_AGAIN_MS);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	server.accept_at_ms = 0;
	serve();
	assert_int_equal(server.clients.len, 1);
	close(fd);
}

int main(void)
{
#define SERVER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		SERVER_TEST(test_whole_requests),
		SERVER_TEST(test_request_byte_by_byte),
		SERVER_TEST(test_slow_clients_hold_up_nobody),
		SERVER_TEST(test_malformed_requests),
		SERVER_TEST(test_paths_have_a_largest_length),
		SERVER_TEST(test_all_kinds),
		SERVER_TEST(test_full_server_rests_and_then_takes_newcomers),
		SERVER_TEST(test_idle_clients_have_a_deadline),
		SERVER_TEST(test_request_that_is_there_is_answered_at_the_deadline),
		SERVER_TEST(test_server_without_descriptors_rests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
