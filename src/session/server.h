/*
 * The socket in the session directory, on which the runtime asks for instrumented files; see
 * abi/session.h. Never blocks on a client: each has its own buffer and waits its turn in poll. Who
 * does not send a request for a while is hung up on, sooner where others find no place.
 */
#ifndef TARE_SESSION_SERVER_H
#define TARE_SESSION_SERVER_H

#include "abi/session.h"
#include "base/base.h"

#include <poll.h>
#include <sys/types.h>

struct server_client {
	int fd;
	int64_t begin_ms;
	size_t have;
	unsigned char bytes[sizeof(struct tare_request) + TARE_PATH_MAX];
};

struct server_answer {
	const char *path; /* the file to use instead, or NULL; borrowed until the next answer */
	uint64_t static_tls_bytes; /* see struct tare_reply */
};

struct server {
	int fd;
	struct vec_of(struct server_client *) clients;
	struct server_answer (*answer)(enum tare_request_kind kind, const char *path, pid_t pid,
				       void *context);
	void *context;
	/* How long a client may take for its request; and while there is no place for another one.
	   server_open sets both. */
	int64_t client_ms, crowded_client_ms;
	int64_t accept_at_ms; /* no client can be accepted before, as descriptors have run out */
};

enum {
	SERVER_CLIENTS_MAX = 256,
	SERVER_CLIENT_MS = 10000,
	SERVER_CROWDED_CLIENT_MS = 500,
	SERVER_ACCEPT_AGAIN_MS = 100
};

bool server_open(struct server *server, const char *session_directory, int session_fd,
		 struct error *err);
void server_close(struct server *server);
/* Appends what is to be polled, for server_left_ms at most; server_handle then takes the same
   elements, whatever poll has said. */
void server_poll(const struct server *server, struct pollfd *fds, size_t *count);
int server_left_ms(const struct server *server);
void server_handle(struct server *server, const struct pollfd *fds, size_t count);

#endif
