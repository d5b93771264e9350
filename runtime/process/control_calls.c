/*
 * The program's own changes of levels (lib/, abi/api.h), and those from outside, at system calls.
 *
 * Refuses to change a thread's level in a handler of a signal that has interrupted one of the
 * thread's own probes, and levels of other processes and threads.
 */
#include "runtime/process/control_calls.h"

#include "runtime/base/kernel.h"
#include "runtime/base/session.h"
#include "runtime/control/control.h"
#include "runtime/files/process.h"
#include "runtime/process/birth.h"
#include "runtime/process/thread.h"
#include "runtime/tree/gate.h"

#include <tare/tare.h>

void control_poll(void)
{
	/* a forked child that no probe has told of itself yet */
	if (!state_process.rseq_offset && (!control_is_paused() || !process_begin()))
		return;
	control_follow();
}

/* The other processes are the recorder's to tell. */
static int change_global(enum tare_operation operation)
{
	if (control_change_session(operation))
		session_tell(TARE_REQUEST_CONTROL, state_session.directory);
	return TARE_OK;
}

static int change_thread(enum tare_operation operation, uint64_t sp)
{
	struct tare_thread_file *self = thread_own(sp);

	if (!self)
		return TARE_NO_ROOM;
	if (!gate_enter(self, sp))
		return TARE_BUSY;
	gate_exit(self, control_change_thread(self, operation, sp) ? 0 : GATE_OFF);
	return TARE_OK;
}

static bool id_is_own(uint32_t id, int32_t own)
{
	return id == TARE_CURRENT_ID || own <= 0 || id == (uint32_t)own;
}

static int change_level(enum tare_operation operation, int level, uint32_t id)
{
	switch (level) {
	case TARE_GLOBAL_LEVEL:
		return change_global(operation);
	case TARE_PROCESS_LEVEL:
		if (!id_is_own(id, kernel_pid()))
			return TARE_NO_ID;
		control_change_process(operation);
		return TARE_OK;
	case TARE_THREAD_LEVEL:
		if (!id_is_own(id, kernel_tid()))
			return TARE_NO_ID;
		return change_thread(operation, (uint64_t)__builtin_frame_address(0));
	default:
		return TARE_NO_LEVEL;
	}
}

int control_change(int operation, int level, uint32_t id)
{
	if (!process_begin())
		return TARE_NOT_RECORDED;
	return change_level((enum tare_operation)operation, level, id);
}

int control_state(void)
{
	if (!process_begin())
		return TARE_NOT_RECORDED;
	const struct tare_thread_file *self = thread_own((uint64_t)__builtin_frame_address(0));

	if (control_process_is_off() || (self && !tare_level_is_on(self->level)))
		return TARE_OFF;
	return self ? TARE_OK : TARE_NOT_RECORDED;
}
