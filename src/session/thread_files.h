/*
 * Reading what the runtime left (abi/session_files.h), as untrusted bytes: copied out of the files
 * with every index, size and pointer checked, so that nothing behind this interface needs to check
 * again. What is out of bounds is dropped or cut and counted in `damaged`.
 */
#ifndef TARE_SESSION_THREAD_FILES_H
#define TARE_SESSION_THREAD_FILES_H

#include "abi/session_files.h"
#include "abi/unfollowed.h"
#include "base/base.h"

#include <sys/types.h>

/* Counters and times above this are damage: it leaves room for every sum. */
#define SESSION_FILE_VALUE_MAX (1ULL << 52)

struct process_file_module {
	uint64_t open_ticks, close_ticks; /* close UINT64_MAX: was still loaded */
	uint64_t bias, dynamic_addr, ordinal;
	bool instrumented;
	char *path;
};

struct process_file_unfollowed {
	enum tare_unfollowed reason;
	uint32_t count; /* not 0 */
	char *path;	/* "" if unknown */
};

struct process_file {
	struct tare_process_file header;		   /* command is NUL-terminated */
	struct vec_of(struct process_file_module) modules; /* in load order */
	struct vec_of(struct tare_disarm_record) disarmed;
	struct vec_of(struct process_file_unfollowed) unfollowed;
	struct vec_of(struct tare_mapped_record) mapped; /* none is empty */
	uint64_t damaged;
};

struct thread_file_mark {
	uint64_t ticks;
	int64_t id;
	char *text;
};

/* Of the object of system calls. */
struct thread_file_name {
	uint32_t number; /* as in struct tare_os_record */
	char *text;
};

/* A call in progress when the thread's data ended. */
struct thread_file_open_call {
	uint32_t node; /* index of the node that keeps its values */
	bool by_call;
	bool inherited;		 /* stood open at a fork: its end is no call of this thread */
	int64_t exclusive_ticks; /* so far */
};

struct thread_file {
	/* name is NUL-terminated */
	struct tare_thread_file header;
	struct tare_node *nodes; /* [0] is the root; in the file's order but for: */
	uint32_t *parents;	 /* indexes of callers, below their callees' */
	bool *folded;
	size_t node_count;
	uint32_t *numbers; /* index by the number in the file */
	size_t number_count;
	struct thread_file_open_call *open_calls; /* without the root; innermost first */
	size_t open_call_count;
	int64_t root_exclusive; /* ticks so far */
	struct tare_os_record *os;
	size_t os_count;
	struct vec_of(struct tare_os_record) full_buckets; /* of TARE_RECORD_CALLS */
	/* One behind the other; `os` is 1 + an index of the list above, 0: none. Their times add up
	   to at most the header's. */
	struct tare_wait *waits;
	size_t wait_count;
	struct vec_of(struct thread_file_mark) marks;
	struct vec_of(struct thread_file_name) names; /* by number */
	char *given_name;			      /* by the program, or NULL */
	uint64_t damaged;
};

/* False with err where the file is none of this kind, or of another version. */
bool process_file_read(struct process_file *process, int dir_fd, const char *name,
		       struct error *err);
void process_file_fini(struct process_file *process);

/* The highest ordinal of the modules that were opened until then. */
uint64_t process_file_modules_at(const struct process_file *file, uint64_t ticks);
bool thread_file_read(struct thread_file *thread, int dir_fd, const char *name, struct error *err);
void thread_file_fini(struct thread_file *thread);

/*
 * Drops counts of losses that cannot be, which are damage: in `ticks`, the length of the recording,
 * a thread counts no more than these, and all `processors` start no more threads, programs or
 * modules than one in PROCESS_FILE_LOSS_TICKS_MIN. 0 ticks: not known, all stay.
 */
enum { PROCESS_FILE_LOSS_TICKS_MIN = 1000 };
void process_file_bound(struct process_file *process, uint64_t ticks, uint64_t processors);
void thread_file_bound(struct thread_file *thread, uint64_t ticks);

/* The ended calls of a node by bucket (see tare_call_bucket; those of the last one are in bucket
 * 0). */
void thread_file_lengths(const struct thread_file *thread, size_t node,
			 uint64_t lengths[TARE_CALL_BUCKETS]);
/* All that ended. */
uint64_t thread_file_calls(const struct thread_file *thread, size_t node);
/* What a number in struct tare_os_record.name stands for, or NULL. Until thread_file_fini. */
const char *thread_file_name(const struct thread_file *thread, uint32_t name);
/* The first bytes of a file of any kind, up to `size`; how many there are, -1 if it cannot be read.
 */
ssize_t session_file_head(int dir_fd, const char *name, void *bytes, size_t size);

/* The same from memory, and from an open file of `size` bytes (tests, fuzzing). */
bool process_file_parse(struct process_file *process, const void *bytes, size_t size,
			struct error *err);
bool thread_file_parse(struct thread_file *thread, int fd, uint64_t size, struct error *err);

#endif
