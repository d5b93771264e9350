/*
 * The socket in the session directory, on which the runtime asks for instrumented files; see
 * abi/session.h. Never blocks on a client: each has its own buffer and waits its turn in poll.
 */
#ifndef TARE_RECORD_SERVER_H
#define TARE_RECORD_SERVER_H

#include "abi/session.h"
#include "base/base.h"

#include <poll.h>
#include <sys/types.h>

struct server_client {
	int fd;
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
};

enum { SERVER_CLIENTS_MAX = 256 };

bool server_open(struct server *server, const char *session_directory, int session_fd,
		 struct error *err);
void server_close(struct server *server);
/* Appends what is to be polled; server_handle then takes the same elements. */
void server_poll(const struct server *server, struct pollfd *fds, size_t *count);
void server_handle(struct server *server, const struct pollfd *fds, size_t count);

#endif
