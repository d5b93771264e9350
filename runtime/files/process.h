/*
 * process: the process file, its module records, and what all threads share.
 */
#ifndef TARE_RUNTIME_FILES_PROCESS_H
#define TARE_RUNTIME_FILES_PROCESS_H

#include "abi/unfollowed.h"
#include "runtime/files/self.h"

/*
 * Makes the process file anew; in a forked child, which has its parent's mapped, gives that up.
 * False where it cannot be made. See birth.h.
 */
bool process_make(void);

/* The part of the file that says whether collection is on. */
struct tare_control *process_control(void);

/* Module records; kept in private memory too, because a forked child writes them anew. */
struct process_module {
	uint32_t type; /* enum tare_record_type */
	bool instrumented;
	uint64_t bias, dynamic_addr;
	uint64_t ordinal; /* of MODULE_OPEN */
	const char *path; /* the same */
};

void process_module_note(const struct process_module *module);

/* Notes what --adaptive has done; head and ticks are filled in. The caller has arming's lock. */
void process_disarm_note(const struct tare_disarm_record *what);

/* Notes code that the program has mapped; head and ticks are filled in. Nothing where another
   thread notes something at the moment. */
void process_mapped_note(const struct tare_mapped_record *what);

/*
 * The process becomes another program; the second takes it back when that failed. False when it
 * has no file.
 */
bool process_complete(void);
void process_resume(void);

/* A file for a process to come, in the reserve; its run address, or 0. */
uint64_t process_file_spare(const char *name);

/* Makes room for what is noted later, when no call of ours may be allowed. */
void process_file_reserve(void);

/* The id of the process, as in its file; 0: it has none. */
int32_t process_pid(void);

/* Where what probes cost at the end is to be noted; NULL where that is not to be measured. */
struct tare_calibration *process_calibration_due(void);

/* Identifies the process among those of its id; see struct tare_thread_file. 0: it has no file. */
uint64_t process_begin_ticks(void);

/* A thread could not be recorded, because of `limits`. */
void process_thread_lost(uint32_t limits);

/* Did it begin by a fork, so that it has executed nothing? */
bool process_is_forked(void);

/* With --no-follow only the command has the session: is this it, and no child of it? */
bool process_is_command(void);

/*
 * The process is about to execute a program that is not recorded, of which the path is known or "".
 * Returns its record, or NULL; the second: that failed.
 */
struct tare_unfollowed_record *process_note_unfollowed(enum tare_unfollowed why, const char *path);
void process_forget_unfollowed(enum tare_unfollowed why, struct tare_unfollowed_record *record);

/* One of enum tare_process_flags is true from now on. */
void process_note_flag(uint32_t flag);

/* A probe found the C library of a static executable not ready, or ready for the first time. */
void process_note_ready(bool ready);

/* state_session.os_means has changed. */
void process_means_note(void);

/* Private memory of ended threads, for new ones. NULL when there is none. */
struct state_private *process_private_take(void);
void process_private_give(struct state_private *private_state);

/* To be said once of each that was made. */
void process_private_made(struct state_private *private_state);

/*
 * Calls `each` for the files of all threads that have one mapped; of those that ended unseen, too.
 * Not at all where another thread is at it for too long.
 */
void process_each_thread(void (*each)(uint64_t file_addr));

/*
 * No thread's file is unmapped until it is released, which must be soon. False where another thread
 * is at it.
 */
bool process_threads_hold(void);
void process_threads_release(void);

/* Before a thread's file is unmapped. False where it may be in use: it then has to stay. */
bool process_thread_gone(struct state_private *private_state);

#endif
