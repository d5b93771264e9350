/*
 * What the counters of a process say (abi/counters.h), read as untrusted bytes, and written into
 * the profile: calls per thread and function.
 */
#ifndef TARE_ASSEMBLE_COUNTED_H
#define TARE_ASSEMBLE_COUNTED_H

#include "abi/counters.h"
#include "assemble/execution_rows.h"
#include "assemble/sample_assemble.h"
#include "assemble/thread_tree.h"
#include "cache/digest.h"
#include "cache/learned.h"
#include "resolve/resolve.h"

struct counted_file {
	int fd; /* open by counted_file_read until counted_file_fini, else -1 */
	struct tare_counters_file header;
	struct tare_counter_record *records;
	uint32_t count;
	uint64_t damaged; /* entries that say nothing sensible */
};

/* False with err where the file is none of this kind, or of another version. */
bool counted_file_read(struct counted_file *file, int dir_fd, const char *name, struct error *err);
/* The same of an open file, which stays the caller's; `name` is for the sentence. */
bool counted_records_read(struct counted_file *file, int fd, const char *name, struct error *err);
void counted_file_fini(struct counted_file *file);

/*
 * What one entry has counted, as often as it says it has counters: the caller frees it. What cannot
 * be read, or cannot be, is 0.
 */
uint64_t *counted_values(int fd, const struct tare_counter_record *entry);

/* Calls that were timed where they were made, and that no counter has seen: rows of the profile. */
struct counted_timed {
	int64_t process, thread, function;
	uint64_t calls;
};

struct counted_notes {
	/* of functions that report nothing, through pointers */
	struct vec_of(struct counted_timed) by_pointer;
	/* of functions that have counters, in a file that the process has loaded beside its copy */
	struct vec_of(struct counted_timed) in_originals;
};

/* Adds the calls if they are such ones: `timed` has those of `node`, which is `from`'s; NULL: it
   has folded. */
void counted_note_node(struct counted_notes *notes, const struct counted_timed *timed,
		       const struct resolve_target *target, const struct tare_node *from,
		       const struct tree_node *node);
void counted_notes_fini(struct counted_notes *notes);

/* What was learned of each module that has counted, read once for all processes. */
struct counted_learned_module {
	uint8_t source_id[DIGEST_BYTES]; /* of its copy */
	struct learned learned;
};

struct counted_learned vec_of(struct counted_learned_module);

void counted_learned_fini(struct counted_learned *list);

struct counted_process {
	struct resolver *resolver;
	struct resolve_process *resolve;
	int64_t id; /* of its row */
	const struct sample_known_thread *threads;
	size_t thread_count;
	int dir_fd;
	struct counted_learned *learned;   /* as far as it was read, of all processes */
	const struct counted_notes *notes; /* of all processes, in any order */
	const struct process_file *file;   /* what it has noted */
	struct executions *executions;
};

/* False with err when the profile cannot be written. */
bool counted_write(struct counted_file *file, const struct counted_process *process,
		   struct error *err);

#endif
