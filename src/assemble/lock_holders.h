/*
 * lock_holders: rows of who had the locks that OS time was spent for. A record names a thread of
 * its process and the number of a node of that one, so all threads have to be read before.
 */
#ifndef TARE_ASSEMBLE_LOCK_HOLDERS_H
#define TARE_ASSEMBLE_LOCK_HOLDERS_H

#include "profile/profile.h"
#include "session/thread_files.h"

/* A thread that may have had a lock. */
struct holders_thread {
	int64_t process, thread; /* ids of rows */
	uint32_t tid;
	uint64_t begin_ticks, end_ticks; /* end 0: not seen */
	int64_t *nodes;			 /* ids by their numbers in the file; 0: left out */
	size_t node_count;
};

/* A row of OS time that was waiting for a lock. */
struct holders_wait {
	int64_t os, process;
	uint64_t begin_ticks, end_ticks; /* of the thread that waited */
	struct tare_holder holder;
};

struct holders {
	struct vec_of(struct holders_thread) threads;
	struct vec_of(struct holders_wait) waits;
};

/* `ids`: of the file's nodes, by their indexes. */
void holders_add_thread(struct holders *holders, int64_t process, int64_t thread,
			const struct thread_file *file, const int64_t *ids);
/* Does nothing where the record names none. */
void holders_add_wait(struct holders *holders, int64_t process, const struct thread_file *waiting,
		      const struct tare_os_record *record, int64_t os);

bool holders_write(const struct holders *holders, struct profile_writer *writer, struct error *err);
void holders_fini(struct holders *holders);

#endif
