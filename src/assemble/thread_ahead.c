/*
 * See thread_ahead.h. A file with little in it, as short processes leave them, is read at the end:
 * to start a thread takes longer. So is one where there can be no other thread.
 */
#include "assemble/thread_ahead.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { AHEAD_BYTES_MIN = 1 << 19 };

static void *read_file(void *context)
{
	struct thread_ahead *ahead = context;

	ahead->ok = thread_file_read(&ahead->file, ahead->session_fd, ahead->name, &ahead->err);
	return NULL;
}

/* The files are sparse: what they have is what is stored of them. */
static bool is_worth_a_thread(int session_fd, const char *name)
{
	struct stat info;

	return fstatat(session_fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	       info.st_blocks >= AHEAD_BYTES_MIN / S_BLKSIZE;
}

void thread_ahead_begin(struct thread_ahead *ahead, int session_fd, const char *name)
{
	*ahead = (struct thread_ahead){.session_fd = session_fd, .name = name};
	ahead->runs = is_worth_a_thread(session_fd, name) &&
		      parallel_start_thread(&ahead->thread, read_file, ahead);
}

void thread_ahead_end(struct thread_ahead *ahead)
{
	if (ahead->runs)
		pthread_join(ahead->thread, NULL);
	else
		read_file(ahead);
	ahead->runs = false;
}

void thread_ahead_fini(struct thread_ahead *ahead)
{
	if (ahead->runs)
		thread_ahead_end(ahead);
	if (ahead->ok)
		thread_file_fini(&ahead->file);
	*ahead = (struct thread_ahead){0};
}
