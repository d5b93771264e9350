/*
 * session: the private directory through which recorder and target exchange their files, and what
 * each file in it says. The target may be hostile, so all of it is read as untrusted bytes.
 */
#ifndef TARE_SESSION_SESSION_DIR_H
#define TARE_SESSION_SESSION_DIR_H

#include "abi/session.h"
#include "base/base.h"

struct session {
	char *directory; /* absolute path, mode 0700 */
	int fd;
};

/*
 * Makes the directory in memory if possible: XDG_RUNTIME_DIR or /dev/shm where they are tmpfs with
 * room, else TMPDIR, else /tmp. With `large`, for data without bound, on the disk with most room
 * if there is one. Fails where none has SESSION_ROOM_BYTES_MIN free.
 */
bool session_create(struct session *session, bool large, struct error *err);
/* Opens an existing one; checks that it is a directory of this user that nobody else can write. */
bool session_open(struct session *session, const char *directory, struct error *err);
/* The same of any user, if this one is root, who has to become that user before anything in it is
   used: see control_act_as_owner. */
bool session_open_of_any(struct session *session, const char *directory, struct error *err);
/* Writes what the runtime is to do, and the count of storage, which is 0; settings->abi is filled
 * in. Precedes the command's start. */
bool session_write_settings(const struct session *session, struct tare_settings settings,
			    struct error *err);
/*
 * Who makes a session holds it until it closes it, or dies. Whether nobody else does: it is this
 * process's then, as long as it is open.
 */
bool session_hold(const struct session *session);
/* Closes; removes everything if `remove`. */
void session_close(struct session *session, bool remove);

/* A new private directory whose files may be executed; free it. NULL with err. */
char *session_make_executable_directory(struct error *err);

/* All sessions' directories are named so, */
#define SESSION_NAME_PREFIX "tare."
/* and lie in one of these places. How many of them can be written to. */
enum { SESSION_PLACES = 5 };
size_t session_places(const char *paths[SESSION_PLACES]);

#define SESSION_ROOM_BYTES_MIN	(8ULL << 20)
#define SESSION_ROOM_BYTES_GOOD (256ULL << 20)

#endif
