/* From records of names in a thread's file to texts (src/session/object_names.c). */
#include "session/thread_files.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROOM = 4096 };

struct writer {
	_Alignas(8) char bytes[ROOM];
	uint32_t used;
};

static uint32_t put(struct writer *to, enum tare_name_kind kind, const void *bytes, size_t size)
{
	const bool is_text = kind == TARE_NAME_LINK || kind == TARE_NAME_PATH;
	const struct tare_name_record record = {
		.kind = (uint16_t)kind,
		.size_bytes = (uint16_t)((sizeof(record) + size + 7) & ~7ULL),
		.text_bytes = is_text ? (uint16_t)size : 0,
	};
	const uint32_t at = to->used;

	memcpy(to->bytes + at, &record, sizeof(record));
	memcpy(to->bytes + at + sizeof(record), bytes, size);
	to->used += record.size_bytes;
	return at / 8 + 1;
}

static uint32_t put_text(struct writer *to, enum tare_name_kind kind, const char *text)
{
	return put(to, kind, text, strlen(text));
}

static void parse(struct thread_file *thread, const struct writer *from, uint64_t names_bytes)
{
	const struct tare_thread_file header = {
		.magic = TARE_THREAD_MAGIC,
		.abi = TARE_SESSION_FILES_ABI,
		.names_bytes = names_bytes,
		.chunk_count = 1,
		.chunks[0] = {.kind = TARE_CHUNK_NAMES,
			      .file_offset = TARE_THREAD_HEADER_BYTES,
			      .count = TARE_THREAD_NAMES_BYTES},
	};
	const int fd = memfd_create("names", MFD_CLOEXEC);
	struct error err;

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(pwrite(fd, from->bytes, ROOM, TARE_THREAD_HEADER_BYTES), ROOM);
	assert_true(thread_file_parse(thread, fd, TARE_THREAD_HEADER_BYTES + ROOM, &err));
	close(fd);
}

static void test_texts(void **state)
{
	static const struct {
		enum tare_name_kind kind;
		const char *from, *to;
	} cases[] = {
		{TARE_NAME_LINK, "/var/lib/app.db", "/var/lib/app.db"},
		{TARE_NAME_LINK, "/tmp/x (deleted)", "/tmp/x (deleted)"},
		{TARE_NAME_LINK, "pipe", "pipe"},
		{TARE_NAME_LINK, "anon_inode:[eventpoll]", "epoll"},
		{TARE_NAME_LINK, "anon_inode:inotify", "inotify"},
		{TARE_NAME_LINK, "/memfd:shared (deleted)", "memfd:shared (deleted)"},
		{TARE_NAME_PATH, "anon_inode:[eventpoll]", "anon_inode:[eventpoll]"},
		{TARE_NAME_PATH, "relative", "relative"},
	};
	struct writer writer = {0};
	uint32_t names[sizeof(cases) / sizeof(cases[0])];
	struct thread_file thread;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		names[i] = put_text(&writer, cases[i].kind, cases[i].from);
	const uint32_t cut = put_text(&writer, TARE_NAME_PATH, "long");
	((struct tare_name_record *)(writer.bytes + (cut - 1) * 8))->flags = TARE_NAME_CUT;
	parse(&thread, &writer, writer.used);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(thread_file_name(&thread, names[i]), cases[i].to);
	assert_string_equal(thread_file_name(&thread, cut), "long…");
	assert_string_equal(thread_file_name(&thread, TARE_NAME_OTHERS), "(others)");
	assert_null(thread_file_name(&thread, TARE_NAME_UNKNOWN));
	assert_null(thread_file_name(&thread, names[1] + 1)); /* within a record */
	assert_null(thread_file_name(&thread, 4000));
	thread_file_fini(&thread);
}

static struct tare_name_socket internet(const char *local, int local_port, const char *peer,
					int peer_port)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	struct tare_name_socket socket = {.type = SOCK_STREAM, .local_bytes = sizeof(address)};

	inet_pton(AF_INET, local, &address.sin_addr);
	address.sin_port = htons((uint16_t)local_port);
	memcpy(socket.local, &address, sizeof(address));
	if (!peer)
		return socket;
	inet_pton(AF_INET, peer, &address.sin_addr);
	address.sin_port = htons((uint16_t)peer_port);
	memcpy(socket.peer, &address, sizeof(address));
	socket.peer_bytes = sizeof(address);
	return socket;
}

static struct tare_name_socket local(const char *path, size_t bytes)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct tare_name_socket socket = {.type = SOCK_STREAM};

	memcpy(address.sun_path, path, bytes);
	socket.peer_bytes = (uint32_t)(offsetof(struct sockaddr_un, sun_path) + bytes);
	memcpy(socket.peer, &address, socket.peer_bytes);
	return socket;
}

static struct tare_name_socket internet6(void)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(443)};
	struct tare_name_socket socket = {.type = SOCK_DGRAM, .peer_bytes = sizeof(address)};

	inet_pton(AF_INET6, "2001:db8::1", &address.sin6_addr);
	memcpy(socket.peer, &address, sizeof(address));
	return socket;
}

static struct tare_name_socket without_port(struct tare_name_socket socket)
{
	struct sockaddr_in6 address;

	memcpy(&address, socket.peer, sizeof(address));
	address.sin6_port = 0;
	memcpy(socket.peer, &address, sizeof(address));
	return socket;
}

static void test_sockets(void **state)
{
	struct tare_name_socket listening = internet("0.0.0.0", 6379, NULL, 0);

	listening.is_listening = 1;
	const struct {
		struct tare_name_socket socket;
		const char *text;
	} cases[] = {
		{internet("10.0.0.2", 45678, "10.0.0.1", 5432), "socket 10.0.0.1:5432"},
		{internet("10.0.0.1", 6379, "10.0.0.7", 0), "socket 10.0.0.1:6379, peer 10.0.0.7"},
		{internet("0.0.0.0", 0, NULL, 0), "socket"},
		{listening, "socket listening 0.0.0.0:6379"},
		{internet6(), "socket udp [2001:db8::1]:443"},
		{without_port(internet6()), "socket udp 2001:db8::1"},
		{local("/run/x.socket", 14), "socket /run/x.socket"},
		{local("\0bus", 4), "socket @bus"},
		{{.type = SOCK_STREAM}, "socket"},
	};
	struct writer writer = {0};
	uint32_t names[sizeof(cases) / sizeof(cases[0])];
	struct thread_file thread;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		names[i] =
			put(&writer, TARE_NAME_SOCKET, &cases[i].socket, sizeof(cases[i].socket));
	parse(&thread, &writer, writer.used);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(thread_file_name(&thread, names[i]), cases[i].text);
	thread_file_fini(&thread);
}

static void test_sets(void **state)
{
	struct writer writer = {0};
	const uint32_t tty = put_text(&writer, TARE_NAME_LINK, "/dev/tty");
	const struct tare_name_fds fds = {
		.all = 12, .known = 2, .fds = {{3, tty}, {7, TARE_NAME_UNKNOWN}}};
	const struct tare_name_fds wrong = {.all = 2, .known = 77, .fds = {{1, 3000}}};
	const uint32_t some = put(&writer, TARE_NAME_FDS, &fds, sizeof(fds));
	const uint32_t many = put(&writer, TARE_NAME_FDS, &wrong, sizeof(wrong));
	struct thread_file thread;

	(void)state;
	parse(&thread, &writer, writer.used);
	assert_string_equal(thread_file_name(&thread, some), "fd 3 /dev/tty, fd 7 and 10 more");
	assert_string_equal(thread_file_name(&thread, many), "fd 1, fd 0, fd 0, fd 0");
	thread_file_fini(&thread);
}

/* The names before the damage stay, and it is counted. */
static void test_damage(void **state)
{
	static const struct tare_name_record damages[] = {
		{.kind = TARE_NAME_PATH, .size_bytes = 16, .text_bytes = 9},
		{.kind = TARE_NAME_PATH, .size_bytes = 12, .text_bytes = 2},
		{.kind = TARE_NAME_PATH, .size_bytes = 8, .text_bytes = 0},
		{.kind = TARE_NAME_PATH, .size_bytes = 4000, .text_bytes = 9},
		{.kind = TARE_NAME_SOCKET, .size_bytes = 16},
		{.kind = TARE_NAME_FDS, .size_bytes = 16},
		{.kind = 77, .size_bytes = 16},
		{.kind = 0, .size_bytes = 16, .text_bytes = 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct writer writer = {0};
		struct thread_file sound, thread;
		const uint32_t good = put_text(&writer, TARE_NAME_PATH, "/good");
		const uint32_t bad = put_text(&writer, TARE_NAME_PATH, "/bad");

		parse(&sound, &writer, writer.used);
		memcpy(writer.bytes + (bad - 1) * 8, &damages[i], sizeof(damages[i]));
		parse(&thread, &writer, writer.used);
		assert_string_equal(thread_file_name(&thread, good), "/good");
		assert_null(thread_file_name(&thread, bad));
		assert_int_equal(thread.damaged, sound.damaged + 1);
		thread_file_fini(&thread);
		parse(&thread, &writer, UINT64_MAX);
		assert_true(thread.damaged > sound.damaged + 1);
		thread_file_fini(&thread);
		thread_file_fini(&sound);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts), cmocka_unit_test(test_sockets),
		cmocka_unit_test(test_sets), cmocka_unit_test(test_damage)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
