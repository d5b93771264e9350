/*
 * The names of what system calls were about, from a thread's file (abi/objects.h), as texts for
 * people. They end where a record is damaged, which is counted; what refers to none has no name.
 *
 *   /var/lib/app.db    pipe    epoll    socket 10.0.0.1:5432    fd 3 /dev/tty, fd 5 pipe
 */
#include "session/thread_part.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define OTHERS_TEXT "(others)"

static int compare_names(const void *key, const void *element)
{
	const uint32_t wanted = *(const uint32_t *)key;
	const uint32_t number = ((const struct thread_file_name *)element)->number;

	return wanted < number ? -1 : wanted > number;
}

const char *thread_file_name(const struct thread_file *thread, uint32_t name)
{
	if (name == TARE_NAME_UNKNOWN)
		return NULL;
	if (name == TARE_NAME_OTHERS)
		return OTHERS_TEXT;
	const struct thread_file_name *found =
		thread->names.len ? bsearch(&name, thread->names.data, thread->names.len,
					    sizeof(*thread->names.data), compare_names)
				  : NULL;
	return found ? found->text : NULL;
}

/* ---- texts ---- */

static void put_link(struct str *out, const char *text)
{
	static const struct {
		const char *kernel, *text;
	} kinds[] = {{"[eventpoll]", "epoll"},	     {"[eventfd]", "eventfd"},
		     {"[timerfd]", "timerfd"},	     {"[signalfd]", "signalfd"},
		     {"[pidfd]", "pidfd"},	     {"[io_uring]", "io_uring"},
		     {"[perf_event]", "perf_event"}, {"[userfaultfd]", "userfaultfd"}};

	if (!str_starts_with(text, "anon_inode:")) {
		str_append(out, str_starts_with(text, "/memfd:") ? text + 1 : text);
		return;
	}
	text += strlen("anon_inode:");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(text, kinds[i].kernel) != 0)
			continue;
		str_append(out, kinds[i].text);
		return;
	}
	str_append(out, text);
}

/*
 * "host:port", without a port that is 0. False where the family is another, or neither is there, as
 * of a socket that has not been given an address.
 */
static bool put_internet(struct str *out, const uint8_t *address, uint32_t bytes)
{
	char host[INET6_ADDRSTRLEN];
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
	const uint16_t family = (uint16_t)(address[0] | address[1] << 8);
	uint16_t port;

	if (family == AF_INET && bytes >= sizeof(ip4)) {
		memcpy(&ip4, address, sizeof(ip4));
		port = ntohs(ip4.sin_port);
		if (!port && !ip4.sin_addr.s_addr)
			return false;
		inet_ntop(AF_INET, &ip4.sin_addr, host, sizeof(host));
		str_append(out, host);
	} else if (family == AF_INET6 && bytes >= offsetof(struct sockaddr_in6, sin6_scope_id)) {
		memcpy(&ip6, address, offsetof(struct sockaddr_in6, sin6_scope_id));
		port = ntohs(ip6.sin6_port);
		if (!port && IN6_IS_ADDR_UNSPECIFIED(&ip6.sin6_addr))
			return false;
		inet_ntop(AF_INET6, &ip6.sin6_addr, host, sizeof(host));
		str_printf(out, port ? "[%s]" : "%s", host);
	} else {
		return false;
	}
	if (port)
		str_printf(out, ":%u", port);
	return true;
}

/* Of the local domain: a path, or a name that the kernel keeps, which ps and others show with @. */
static bool put_local(struct str *out, const uint8_t *address, uint32_t bytes)
{
	const size_t begin = offsetof(struct sockaddr_un, sun_path);

	if ((address[0] | address[1] << 8) != AF_UNIX || bytes <= begin)
		return false;
	const char *path = (const char *)address + begin;
	const size_t length = bytes - begin;

	if (path[0]) {
		str_append_bytes(out, path, strnlen(path, length));
		return true;
	}
	str_append(out, "@");
	for (size_t i = 1; i < length; i++)
		str_append_bytes(out, path[i] ? path + i : "@", 1);
	return true;
}

static bool put_address(struct str *out, const uint8_t *address, uint32_t bytes)
{
	return bytes >= sizeof(sa_family_t) &&
	       (put_internet(out, address, bytes) || put_local(out, address, bytes));
}

static bool has_port(const uint8_t *address, uint32_t bytes)
{
	return bytes >= 4 && (address[2] || address[3]);
}

static void put_socket(struct str *out, const struct tare_name_socket *socket)
{
	struct str local = {0}, peer = {0};
	const bool has_local = put_address(&local, socket->local, socket->local_bytes);
	const bool has_peer = put_address(&peer, socket->peer, socket->peer_bytes);
	const int family = socket->peer_bytes	 ? socket->peer[0] | socket->peer[1] << 8
			   : socket->local_bytes ? socket->local[0] | socket->local[1] << 8
						 : AF_UNSPEC;

	str_append(out, "socket");
	if (socket->type == SOCK_DGRAM && (family == AF_INET || family == AF_INET6))
		str_append(out, " udp");
	if (family == AF_NETLINK)
		str_append(out, " netlink");
	if (socket->is_listening && has_local)
		str_printf(out, " listening %s", local.data);
	else if (has_peer && (family == AF_UNIX || has_port(socket->peer, socket->peer_bytes)))
		str_printf(out, " %s", peer.data);
	else if (has_peer && has_local)
		str_printf(out, " %s, peer %s", local.data, peer.data);
	else if (has_peer || has_local)
		str_printf(out, " %s", has_peer ? peer.data : local.data);
	str_fini(&local);
	str_fini(&peer);
}

static void put_fds(const struct thread_file *thread, struct str *out,
		    const struct tare_name_fds *fds)
{
	const uint32_t known = fds->known < TARE_NAME_FDS_MAX ? fds->known : TARE_NAME_FDS_MAX;

	for (uint32_t i = 0; i < known; i++) {
		const char *name = thread_file_name(thread, fds->fds[i].name);
		str_printf(out, "%sfd %d", i ? ", " : "", fds->fds[i].fd);
		if (name)
			str_printf(out, " %s", name);
	}
	if (fds->all > known)
		str_printf(out, " and %u more", fds->all - known);
}

/* ---- records ---- */

static void put_text(struct str *out, const struct tare_name_record *record, const char *bytes)
{
	struct str text = {0};

	str_append_bytes(&text, bytes, strnlen(bytes, record->text_bytes));
	if (record->flags & TARE_NAME_CUT)
		str_append(&text, "…");
	if (record->kind == TARE_NAME_LINK)
		put_link(out, text.data);
	else
		str_append(out, text.data);
	str_fini(&text);
}

/* False where the record says what none does. */
static bool take_record(struct thread_file *thread, const struct tare_name_record *record,
			const char *bytes, uint32_t number)
{
	const size_t size = record->size_bytes - sizeof(*record);
	struct tare_name_socket socket;
	struct tare_name_fds fds;
	struct str out = {0};

	if ((record->kind == TARE_NAME_LINK || record->kind == TARE_NAME_PATH) &&
	    record->text_bytes && record->text_bytes <= size) {
		put_text(&out, record, bytes);
	} else if (record->kind == TARE_NAME_SOCKET && size == sizeof(socket)) {
		memcpy(&socket, bytes, sizeof(socket));
		if (socket.local_bytes <= sizeof(socket.local) &&
		    socket.peer_bytes <= sizeof(socket.peer))
			put_socket(&out, &socket);
	} else if (record->kind == TARE_NAME_FDS && size == sizeof(fds)) {
		memcpy(&fds, bytes, sizeof(fds));
		put_fds(thread, &out, &fds);
	}
	if (!out.len) {
		str_fini(&out);
		return false;
	}
	vec_push(&thread->names, ((struct thread_file_name){.number = number, .text = out.data}));
	return true;
}

void names_read(struct thread_file *thread, const struct thread_file_source *source)
{
	uint64_t size = thread->header.names_bytes, at = 0;

	if (size > TARE_THREAD_NAMES_BYTES) {
		size = TARE_THREAD_NAMES_BYTES;
		thread->damaged++;
	}
	if (!size)
		return;
	char *bytes = mem_zalloc(size);
	const size_t have = thread_file_read_kind(thread, source, TARE_CHUNK_NAMES, size, bytes);

	thread->damaged += have != size;
	while (have - at > sizeof(struct tare_name_record)) {
		struct tare_name_record record;
		memcpy(&record, bytes + at, sizeof(record));
		if (record.size_bytes <= sizeof(record) || record.size_bytes % 8 ||
		    record.size_bytes > have - at ||
		    !take_record(thread, &record, bytes + at + sizeof(record),
				 (uint32_t)(at / 8) + 1)) {
			thread->damaged++;
			break;
		}
		at += record.size_bytes;
	}
	free(bytes);
}

void names_fini(struct thread_file *thread)
{
	vec_foreach (name, &thread->names)
		free(name->text);
	vec_fini(&thread->names);
}
