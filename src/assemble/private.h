/*
 * Inside src/assemble only: the state of one assembly.
 *
 *   session_scan.c   the session directory ─▶ process and thread files, in order
 *   process_rows.c   a process file ─▶ rows of the process, its modules, what was disarmed
 *   thread_rows.c    a thread file ─▶ rows of its tree, OS time, marks, event log
 *   assemble.c       all in order, counters, samples, and the session
 */
#ifndef TARE_ASSEMBLE_PRIVATE_H
#define TARE_ASSEMBLE_PRIVATE_H

#include "assemble/assemble.h"
#include "assemble/counted.h"
#include "assemble/learning.h"
#include "assemble/lock_holders.h"
#include "assemble/path_room.h"
#include "assemble/sample_assemble.h"
#include "assemble/thread_fold.h"
#include "resolve/resolve.h"
#include "session/members.h"
#include "session/thread_files.h"

struct assemble_process {
	char *name; /* of its file */
	bool running;
	struct process_file file;
	struct resolve_process resolve;
	int64_t id; /* in the profile; 0: left out */
};

/* A thread file whose header was read, to be sorted. */
struct assemble_thread {
	char *name;
	int32_t pid, tid;
	uint64_t begin_ticks;
	struct path_claim claim;
	bool is_alone; /* its process has no other */
};

struct assembly {
	const struct session *session;
	const struct recording *recording;
	struct profile_writer *writer;
	struct assembled *assembled;
	struct resolver resolver;
	struct vec_of(struct assemble_process) processes; /* by begin */
	struct vec_of(struct assemble_thread) threads;	  /* by process begin, then own begin */
	struct vec_of(char *) timers;			  /* names of files of samples */
	struct vec_of(char *) counters;			  /* the same of counters */
	struct vec_of(struct sample_known_process) known_processes; /* rows written */
	struct vec_of(struct sample_known_thread) rows;
	struct counted_notes counted_notes;
	struct counted_learned learned;
	struct learning learning;
	struct executions executions;
	struct holders holders;
	struct member_list members; /* looked for where an end was not seen */
	bool members_known;
	int64_t next_node;
	uint64_t last_ticks; /* of all threads: the end where the recorder saw none */
	uint64_t span_ticks; /* what the recording can have taken; 0: not known */
	struct thread_fold_sums folded;
};

/* ---- assembly.c ---- */
/* The profile is partial, and this is why. */
__attribute__((format(printf, 2, 3))) void assembly_add_reason(struct assembly *assembly,
							       const char *format, ...);
/* The process whose file says so; NULL: there is none. */
struct assemble_process *assembly_process_of(struct assembly *assembly, int32_t pid,
					     uint64_t begin_ticks);
/* A time at which the recording went on still. */
void assembly_take_last_ticks(struct assembly *assembly, uint64_t ticks);

/* ---- session_scan.c ---- */
/* Fills the lists of files; those of processes are read, of threads their headers. */
bool assembly_find_files(struct assembly *assembly, struct error *err);

/* ---- process_rows.c ---- */
/* The path of its program. */
const char *assembly_executable(const struct assemble_process *process);
bool assembly_write_process(struct assembly *assembly, struct assemble_process *process,
			    struct error *err);

/* ---- thread_rows.c ---- */
bool assembly_write_threads(struct assembly *assembly, struct error *err);

#endif
