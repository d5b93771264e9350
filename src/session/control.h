/*
 * Control of a running recording from outside (abi/control.h): finding it by a process, its levels,
 * its state, marks. The processes' files are mapped here, so a process that damages its own
 * can end the caller: recorders call control_follow_apart.
 */
#ifndef TARE_SESSION_CONTROL_H
#define TARE_SESSION_CONTROL_H

#include "abi/control.h"
#include "session/recording_file.h"
#include "session/session_dir.h"

/* Makes the file of the global level, which is stopped or on. */
bool control_create(const struct session *session, bool stopped, struct error *err);
/* Says so to all processes that load a file from now on; what was there before knows already. */
void control_take_gs(const struct session *session);

/*
 * Opens the session that the process belongs to, as one that is recorded or as the recorder. Fails
 * where there is no such process, where it is another user's (unless this is root), and where it is
 * not recorded.
 */
bool control_find(pid_t pid, struct session *session, struct error *err);
/* The only recording of this user that runs, or, where root has none, of any user; fails where
   there is none, or several. */
bool control_find_only(struct session *session, struct error *err);
/*
 * Root becomes the user whose recording this is, and stays so: what is in a session is that user's
 * word, and leads wherever that user may go. For everybody else nothing changes.
 */
bool control_act_as_owner(const struct session *session, struct error *err);

/* Changes the global level, or for a pid other than 0 that process's, and lets them follow. */
bool control_change_level(const struct session *session, enum tare_operation operation, pid_t pid,
			  struct error *err);

/* Lets all processes take in the levels as they are. */
void control_follow(const struct session *session);
/* The same in a process of its own, waited for. */
void control_follow_apart(const struct session *session);

struct control_process {
	pid_t pid;
	char command[64];
	uint64_t level;
	bool on;
	size_t threads;
	uint64_t begin_ticks, off_ticks;
	uint64_t unreachable; /* see struct tare_control */
};

struct control_status {
	uint64_t global;				 /* level */
	bool on;					 /* it is */
	struct vec_of(struct control_process) processes; /* that run, by pid */
};

bool control_status_read(const struct session *session, struct control_status *status,
			 struct error *err);
void control_status_fini(struct control_status *status);

/* A mark of no thread. Fails while the global level is off. */
bool control_mark(const struct session *session, int64_t id, const char *text, struct error *err);

#define CONTROL_MARKS_NAME	"marks"
#define CONTROL_MARKS_BYTES_MAX (64 << 20)

#endif
