/*
 * members: the processes that take part in a session now. A process of the session has one of its
 * files mapped, and so have its children from the moment they are forked; the kernel shows that in
 * /proc, with the ids that the recorder's namespace gives them.
 */
#ifndef TARE_SESSION_MEMBERS_H
#define TARE_SESSION_MEMBERS_H

#include "base/base.h"

#include <sys/types.h>

struct member {
	pid_t pid;	  /* as the recorder sees it */
	pid_t inner_pid;  /* as it sees itself */
	struct str files; /* names of the session's process files that it has mapped, a NUL behind
			     each */
};

struct member_list vec_of(struct member);

/* Processes that may not be looked into are left out. */
void members_find(const char *session_directory, struct member_list *members);
void members_fini(struct member_list *members);

/* Has the process, by the recorder's number, a file of the session mapped? */
bool members_has(const char *session_directory, pid_t pid);

/*
 * Does the process of that file live? `pid` is the one that it gave itself. One that may not be
 * looked into counts if there is a process of that id.
 */
bool members_have(const struct member_list *members, const char *file, pid_t pid);

#endif
