/*
 * The words from the one that is waited for on:
 *
 *                 word waited for   +4        +8       +12        +16
 *   mutex         2 (or id|flags)   count     owner    users      kind
 *   rwlock, a     phase | used      writers   pad      pad        writer
 *   rwlock, b     writers | used    pad       pad      writer     shared
 *
 * A number that is there by chance is hardly that of a recorded thread. Threads are found by the
 * low bits of their numbers: one of two with the same bits is not found.
 */
#include "runtime/os/holders.h"

#include "runtime/base/memory.h"
#include "runtime/files/process.h"

#include <linux/futex.h>

#define THREADS	      4096U /* a power of two */
#define LOCKED_WAITED 2U    /* a mutex's word */
#define RWLOCK_WAITED 3U    /* a rwlock's words: the phase or a writer, and somebody sleeps */

enum { WORD_MUTEX_OWNER = 2, WORD_WRITER_QUEUED = 3, WORD_WRITER_PHASE = 4, WORDS };

static struct state_private *threads[THREADS];

void holders_note_thread(const struct tare_thread_file *self, struct state_private *private_state)
{
	private_state->tid = (uint32_t)self->tid;
	__atomic_store_n(&threads[(uint32_t)self->tid % THREADS], private_state, __ATOMIC_RELEASE);
}

bool holders_may_wait(const struct probes_registers *registers)
{
	if (registers->rax != SYS_futex)
		return false;
	switch (registers->rsi & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return registers->rdx != 0; /* no lock is waited for while its word is 0 */
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	default:
		return false;
	}
}

/* Number of its node at the top + 1, as it is at this moment. */
static uint32_t top_number(const struct state_private *thread)
{
	const uint64_t file = thread->file_addr;

	if (!file || thread->file_process != process_begin_ticks())
		return 0;
	const struct tare_node *top = (const struct tare_node *)__atomic_load_n(
		&((const struct tare_thread_file *)file)->top, __ATOMIC_RELAXED);

	return (__atomic_load_n(&top->index, __ATOMIC_RELAXED) & ~TARE_NODE_FOLDED) + 1;
}

static struct tare_holder thread_find(uint32_t tid)
{
	const struct state_private *thread =
		__atomic_load_n(&threads[tid % THREADS], __ATOMIC_ACQUIRE);
	struct tare_holder holder = {0};

	if (!tid || !thread || thread->tid != tid || !process_threads_hold())
		return holder;
	holder.node = top_number(thread);
	holder.tid = holder.node ? tid : 0;
	process_threads_release();
	return holder;
}

static struct tare_holder holder_in(const uint32_t *words, uint64_t command)
{
	struct tare_holder holder = {0};

	if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2 || words[0] & FUTEX_WAITERS)
		return thread_find(words[0] & FUTEX_TID_MASK);
	if (words[0] == LOCKED_WAITED)
		return thread_find(words[WORD_MUTEX_OWNER]);
	if (words[0] != RWLOCK_WAITED || words[WORD_MUTEX_OWNER])
		return holder;
	holder = thread_find(words[WORD_WRITER_PHASE]);
	return holder.tid ? holder : thread_find(words[WORD_WRITER_QUEUED]);
}

struct tare_holder holders_find(const struct tare_thread_file *self,
				const struct probes_registers *registers)
{
	const struct tare_holder none = {0};
	uint32_t words[WORDS];

	if (memory_ask(words, registers->rdi, sizeof(words)) != sizeof(words))
		return none;
	const struct tare_holder holder = holder_in(words, registers->rsi & FUTEX_CMD_MASK);

	return holder.tid == (uint32_t)self->tid ? none : holder;
}
