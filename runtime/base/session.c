/*
 * One question to the recorder: connect, send, read, close. Nothing stays open. What others have
 * been told before is read instead (answers.h).
 *
 * Refuses to wait longer than a minute, to accept paths that do not fit, and to raise SIGPIPE.
 */
#include "runtime/base/session.h"

#include "runtime/base/answers.h"
#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"

#include <asm/errno.h>
#include <linux/time_types.h>
#include <sys/socket.h>
#include <sys/un.h>

#define WAIT_SECONDS 60

static bool socket_open(int *fd, int flags)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct bytes_text path = {.start = address.sun_path,
				  .size_bytes = sizeof(address.sun_path)};
	const struct __kernel_old_timeval wait = {.tv_sec = WAIT_SECONDS};

	bytes_put(&path, state_session.directory);
	bytes_put(&path, "/" TARE_SOCKET_NAME);
	if (path.full)
		return false;
	*fd = (int)kernel_call(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	if (*fd < 0)
		return false;
	kernel_call(SYS_setsockopt, *fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	kernel_call(SYS_setsockopt, *fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	long connected;

	do /* handlers of signals end it, and it has done nothing then */
		connected = kernel_call(SYS_connect, *fd, &address, sizeof(address));
	while (connected == -EINTR);
	if (connected == 0)
		return true;
	kernel_call(SYS_close, *fd);
	return false;
}

static bool send_all(int fd, const void *bytes, uint64_t size_bytes)
{
	for (uint64_t done = 0; done < size_bytes;) {
		const long sent = kernel_call(SYS_sendto, fd, (const char *)bytes + done,
					      size_bytes - done, MSG_NOSIGNAL);
		if (sent <= 0 && sent != -EINTR)
			return false;
		done += sent > 0 ? (uint64_t)sent : 0;
	}
	return true;
}

static bool receive_all(int fd, void *bytes, uint64_t size_bytes)
{
	for (uint64_t done = 0; done < size_bytes;) {
		const long got = kernel_call(SYS_read, fd, (char *)bytes + done, size_bytes - done);
		if (got <= 0 && got != -EINTR)
			return false;
		done += got > 0 ? (uint64_t)got : 0;
	}
	return true;
}

static bool request_send(int fd, enum tare_request_kind kind, const char *path)
{
	const struct tare_request request = {.abi = TARE_SESSION_ABI,
					     .kind = kind,
					     .pid = kernel_pid(),
					     .path_bytes = (uint32_t)bytes_length(path)};

	return send_all(fd, &request, sizeof(request)) && send_all(fd, path, request.path_bytes);
}

static bool converse(int fd, enum tare_request_kind kind, const char *path,
		     struct session_answer *answer)
{
	struct tare_reply reply;

	if (!request_send(fd, kind, path) || !receive_all(fd, &reply, sizeof(reply)))
		return false;
	if (reply.abi != TARE_SESSION_ABI || !reply.path_bytes || reply.path_bytes >= TARE_PATH_MAX)
		return false;
	answer->path[reply.path_bytes] = 0;
	answer->static_tls_bytes = reply.static_tls_bytes;
	return receive_all(fd, answer->path, reply.path_bytes);
}

static bool is_copy(enum tare_request_kind kind)
{
	return kind == TARE_REQUEST_LIBRARY || kind == TARE_REQUEST_EXECUTABLE ||
	       kind == TARE_REQUEST_CHILD;
}

bool session_ask(enum tare_request_kind kind, const char *path, struct session_answer *answer)
{
	int fd;

	if (!state_session.active || path[0] != '/' || bytes_length(path) >= TARE_PATH_MAX)
		return false;
	if (answers_find(kind, path, answer))
		return answer->path[0] != 0;
	if (!socket_open(&fd, 0))
		return false;
	const bool answered = converse(fd, kind, path, answer);

	kernel_call(SYS_close, fd);
	return answered && (!is_copy(kind) || files_can_read(answer->path));
}

void session_tell(enum tare_request_kind kind, const char *path)
{
	int fd;

	if (!state_session.active || !socket_open(&fd, SOCK_NONBLOCK))
		return;
	request_send(fd, kind, path);
	kernel_call(SYS_close, fd);
}
