/* See thread_ahead.h. Where there can be no other thread, it is read at the end. */
#include "assemble/thread_ahead.h"

static void *read_file(void *context)
{
	struct thread_ahead *ahead = context;

	ahead->ok = thread_file_read(&ahead->file, ahead->session_fd, ahead->name, &ahead->err);
	return NULL;
}

void thread_ahead_begin(struct thread_ahead *ahead, int session_fd, const char *name)
{
	*ahead = (struct thread_ahead){.session_fd = session_fd, .name = name};
	ahead->runs = parallel_start_thread(&ahead->thread, read_file, ahead);
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
