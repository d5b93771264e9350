/*
 * control: collection on and off (abi/control.h), for the probes.
 *
 *   a level changes ─▶ process on or off ─▶ arming bytes, attention of all threads
 *                                            └▶ each thread's next event: control_admits
 *
 * A thread that is off has the gate GATE_OFF, so that its probes go no further than the
 * general path; where the whole process is off, its arming bytes are zero besides.
 */
#ifndef TARE_RUNTIME_CONTROL_CONTROL_H
#define TARE_RUNTIME_CONTROL_CONTROL_H

#include "abi/control.h"
#include "runtime/files/self.h"

/*
 * Takes the session's global level; NULL, or another version's: one of this process's own. Says
 * how the process's level begins.
 */
void control_begin_session(struct tare_session_control *shared);
/* Before a file is loaded of which there may be no copy: it may set the base of %gs itself. */
void control_notice_gs(void);

/*
 * The process file's part begins to count; NULL: the process is not recorded. A forked child has
 * its parent's process level.
 */
void control_begin_process(struct tare_control *own);

/* A module has been armed. */
void control_note_module(void);

/* The thread's clock has begun, at an event with that frame sp. */
void control_begin_thread(struct tare_thread_file *self, uint64_t sp);

/* The same of a thread file that is not a thread's: its events count whatever the levels are. */
void control_begin_own(struct tare_thread_file *self);

/* Is the process off? Sees to it that no more probes run, where they still do. */
bool control_process_is_off(void);

/* Of a thread whose gate is GATE_OFF: is it still to be so? */
bool control_thread_is_off(const struct tare_thread_file *self);

/*
 * With the gate closed: is the event to be counted? Takes the time off out of the thread's clock.
 * Where the thread is off from now on, the time until then is charged, and the gate is to become
 * GATE_OFF.
 */
bool control_admits(struct tare_thread_file *self, const struct accumulate_event *event);

/* Are the process's probes switched off, as collection is? */
bool control_is_paused(void);

/* Is this thread off just now? Changes nothing, so a signal handler may ask. */
bool control_is_off_now(void);
/* Another number than before where it has been off in between. As safe. */
uint64_t control_off_mark(void);

/* Takes in what has been changed from outside. */
void control_follow(void);

/* A change of the process's level; nothing where it makes no difference. */
void control_change_process(enum tare_operation operation);

/* A change of the session's level. Whether collection is on where it was off, or the reverse. */
bool control_change_session(enum tare_operation operation);

/*
 * A change of the calling thread's own level, with the gate closed. Whether its events count; else
 * the gate is to become GATE_OFF.
 */
bool control_change_thread(struct tare_thread_file *self, enum tare_operation operation,
			   uint64_t sp);

#endif
