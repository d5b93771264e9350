/*
 * Serving requests for instrumented files. Requests are untrusted: of other users, too long, cut
 * off, late, with a NUL or a relative path, they are answered by closing the connection, and the
 * client uses the original. While nobody can be accepted the listener is not polled: it would be
 * ready all the time.
 */
#include "session/server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool server_open(struct server *server, const char *session_directory, int session_fd,
		 struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	server->client_ms = SERVER_CLIENT_MS;
	server->crowded_client_ms = SERVER_CROWDED_CLIENT_MS;
	server->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->fd < 0)
		return error_set_errno(err, errno, "cannot make a socket");
	/* The directory's descriptor keeps the address short, however long its path is. */
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/" TARE_SOCKET_NAME,
		 session_fd);
	if (bind(server->fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
	    listen(server->fd, SOMAXCONN) == 0)
		return true;
	error_set_errno(err, errno, "cannot make a socket in %s", session_directory);
	close(server->fd);
	server->fd = -1;
	return false;
}

void server_close(struct server *server)
{
	vec_foreach (client, &server->clients) {
		close((*client)->fd);
		free(*client);
	}
	vec_fini(&server->clients);
	if (server->fd >= 0)
		close(server->fd);
	server->fd = -1;
}

static bool is_crowded(const struct server *server)
{
	return server->clients.len == SERVER_CLIENTS_MAX || now_ms() < server->accept_at_ms;
}

void server_poll(const struct server *server, struct pollfd *fds, size_t *count)
{
	fds[(*count)++] =
		(struct pollfd){.fd = is_crowded(server) ? -1 : server->fd, .events = POLLIN};
	vec_foreach (client, &server->clients)
		fds[(*count)++] = (struct pollfd){.fd = (*client)->fd, .events = POLLIN};
}

static int64_t client_ms(const struct server *server)
{
	return is_crowded(server) ? server->crowded_client_ms : server->client_ms;
}

int server_left_ms(const struct server *server)
{
	const int64_t now = now_ms(), allowed_ms = client_ms(server);
	int64_t left_ms = INT_MAX;

	if (now < server->accept_at_ms)
		left_ms = server->accept_at_ms - now;
	vec_foreach (client, &server->clients) {
		const int64_t own_ms = (*client)->begin_ms + allowed_ms - now;
		if (own_ms < left_ms)
			left_ms = own_ms;
	}
	return left_ms > 0 ? (int)left_ms : 0;
}

static bool peer_is_own(int fd, pid_t *pid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid())
		return false;
	*pid = peer.pid;
	return true;
}

static void server_accept(struct server *server)
{
	pid_t pid;

	while (server->clients.len < SERVER_CLIENTS_MAX) {
		const int fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0) {
			if (errno != EAGAIN)
				server->accept_at_ms = now_ms() + SERVER_ACCEPT_AGAIN_MS;
			return;
		}
		if (!peer_is_own(fd, &pid)) {
			close(fd);
			continue;
		}
		struct server_client *client = mem_zalloc(sizeof(*client));
		client->fd = fd;
		client->begin_ms = now_ms();
		vec_push(&server->clients, client);
	}
}

static bool send_all(int fd, const void *bytes, size_t size)
{
	return send(fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool request_is_sane(const struct tare_request *request)
{
	return request->abi == TARE_SESSION_ABI && request->path_bytes > 0 &&
	       request->path_bytes < TARE_PATH_MAX && request->kind >= TARE_REQUEST_LIBRARY &&
	       request->kind <= TARE_REQUEST_PLACE;
}

static void client_answer(struct server *server, struct server_client *client)
{
	struct tare_request request;
	struct tare_reply reply = {.abi = TARE_SESSION_ABI};
	char path[TARE_PATH_MAX];
	struct server_answer answer = {0};
	pid_t pid;

	memcpy(&request, client->bytes, sizeof(request));
	memcpy(path, client->bytes + sizeof(request), request.path_bytes);
	path[request.path_bytes] = 0;
	if (path[0] == '/' && strlen(path) == request.path_bytes && peer_is_own(client->fd, &pid))
		answer = server->answer((enum tare_request_kind)request.kind, path, pid,
					server->context);
	if (answer.path && strlen(answer.path) < TARE_PATH_MAX)
		reply.path_bytes = (uint32_t)strlen(answer.path);
	reply.static_tls_bytes = answer.static_tls_bytes;
	if (send_all(client->fd, &reply, sizeof(reply)) && reply.path_bytes)
		send_all(client->fd, answer.path, reply.path_bytes);
}

/* Reads what is there. False when the client is done with: answered, gone, or malformed. */
static bool client_read(struct server *server, struct server_client *client)
{
	struct tare_request request;

	for (;;) {
		size_t want = sizeof(request);
		if (client->have >= sizeof(request)) {
			memcpy(&request, client->bytes, sizeof(request));
			if (!request_is_sane(&request))
				return false;
			want += request.path_bytes;
		}
		if (client->have == want) {
			client_answer(server, client);
			return false;
		}
		const ssize_t got =
			recv(client->fd, client->bytes + client->have, want - client->have, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return true;
		if (got <= 0)
			return false;
		client->have += (size_t)got;
	}
}

static void client_remove(struct server *server, size_t at)
{
	struct server_client *client = server->clients.data[at];

	close(client->fd);
	free(client);
	server->clients.data[at] = vec_last(&server->clients);
	server->clients.len--;
}

/* A request may have come while others were answered, which can take long: it counts. */
static void remove_late(struct server *server)
{
	const int64_t begin_ms = now_ms() - client_ms(server);

	for (size_t i = server->clients.len; i-- > 0;) {
		struct server_client *client = server->clients.data[i];
		if (client->begin_ms > begin_ms)
			continue;
		client_read(server, client);
		client_remove(server, i);
	}
}

void server_handle(struct server *server, const struct pollfd *fds, size_t count)
{
	/* From the last to the first: removal moves the last into the gap. */
	for (size_t i = count; i-- > 1;) {
		if (i - 1 < server->clients.len && fds[i].revents &&
		    !client_read(server, server->clients.data[i - 1]))
			client_remove(server, i - 1);
	}
	if (count && fds[0].revents)
		server_accept(server);
	remove_late(server);
}
