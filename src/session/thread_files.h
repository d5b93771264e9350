/*
 * Reading what the runtime left (abi/arena.h), as untrusted bytes: copied out of the files with
 * every index, size and pointer checked, so that nothing behind this interface needs to check
 * again. What is out of bounds is dropped or cut and counted in `damaged`.
 */
#ifndef TARE_SESSION_THREAD_FILES_H
#define TARE_SESSION_THREAD_FILES_H

#include "abi/arena.h"
#include "abi/unfollowed.h"
#include "base/base.h"

#include <sys/types.h>

/* Counters and times above this are damage: it leaves room for every sum. */
#define ARENA_VALUE_MAX (1ULL << 52)

struct arena_module {
	uint64_t open_ticks, close_ticks; /* close UINT64_MAX: was still loaded */
	uint64_t bias, dynamic_addr, ordinal;
	bool instrumented;
	char *path;
};

struct arena_unfollowed {
	enum tare_unfollowed reason;
	uint32_t count; /* not 0 */
	char *path;	/* "" if unknown */
};

struct arena_process {
	struct tare_process_file header;	    /* command is NUL-terminated */
	struct vec_of(struct arena_module) modules; /* in load order */
	struct vec_of(struct tare_disarm_record) disarmed;
	struct vec_of(struct arena_unfollowed) unfollowed;
	uint64_t damaged;
};

struct arena_mark {
	uint64_t ticks;
	int64_t id;
	char *text;
};

/* Of the object of system calls. */
struct arena_name {
	uint32_t number; /* as in struct tare_os_record */
	char *text;
};

/* A call in progress when the thread's data ended. */
struct arena_open_call {
	uint32_t node; /* index of the node that keeps its values */
	bool by_call;
	bool inherited;		 /* stood open at a fork: its end is no call of this thread */
	int64_t exclusive_ticks; /* so far */
};

struct arena_thread {
	/* name is NUL-terminated */
	struct tare_thread_file header;
	struct tare_node *nodes; /* [0] is the root; in the file's order but for: */
	uint32_t *parents;	 /* indexes of callers, below their callees' */
	bool *folded;
	size_t node_count;
	uint32_t *numbers; /* index by the number in the file */
	size_t number_count;
	struct arena_open_call *open_calls; /* without the root; innermost first */
	size_t open_call_count;
	int64_t root_exclusive; /* ticks so far */
	struct tare_os_record *os;
	size_t os_count;
	struct vec_of(struct tare_os_record) full_buckets; /* of TARE_RECORD_CALLS */
	struct vec_of(struct arena_mark) marks;
	struct vec_of(struct arena_name) names; /* by number */
	char *given_name;			/* by the program, or NULL */
	uint64_t damaged;
};

/* False with err where the file is none of this kind, or of another version. */
bool arena_process_read(struct arena_process *process, int dir_fd, const char *name,
			struct error *err);
void arena_process_fini(struct arena_process *process);
bool arena_thread_read(struct arena_thread *thread, int dir_fd, const char *name,
		       struct error *err);
void arena_thread_fini(struct arena_thread *thread);

/*
 * Drops counts of losses that cannot be, which are damage: in `ticks`, the length of the recording,
 * a thread counts no more than these, and all `processors` start no more threads, programs or
 * modules than one in ARENA_LOSS_TICKS_MIN. 0 ticks: not known, all stay.
 */
enum { ARENA_LOSS_TICKS_MIN = 1000 };
void arena_process_bound(struct arena_process *process, uint64_t ticks, uint64_t processors);
void arena_thread_bound(struct arena_thread *thread, uint64_t ticks);

/* The ended calls of a node by bucket (see tare_call_bucket; those of the last one are in bucket
 * 0). */
void arena_lengths(const struct arena_thread *thread, size_t node,
		   uint64_t lengths[TARE_CALL_BUCKETS]);
/* All that ended. */
uint64_t arena_calls(const struct arena_thread *thread, size_t node);
/* What a number in struct tare_os_record.name stands for, or NULL. Until arena_thread_fini. */
const char *arena_name(const struct arena_thread *thread, uint32_t name);
/* The first bytes of a file of any kind, up to `size`; how many there are, -1 if it cannot be read.
 */
ssize_t arena_head_read(int dir_fd, const char *name, void *bytes, size_t size);

/* The same from memory, and from an open file of `size` bytes (tests, fuzzing). */
bool arena_process_parse(struct arena_process *process, const void *bytes, size_t size,
			 struct error *err);
bool arena_thread_parse(struct arena_thread *thread, int fd, uint64_t size, struct error *err);

#endif
