/*
 * The files of the reserve are mapped where their user will have them. A forked child inherits the
 * mappings, so two processes may want the same one: the file's own word of the address decides,
 * which is shared.
 *
 * A child that may still make files makes a reserve of its own: a server's children give up their
 * rights each for itself, and have many threads. Refuses to fill up a reserve that its process has
 * made: what can be made later is made by path as ever.
 */
#include "runtime/base/reserve.h"

#include "abi/session_files.h"
#include "abi/timer.h"
#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"

#include <stdbool.h>
#include <sys/mman.h>

enum {
	PROCESSES = 4,
	THREADS = 8,
	SMALL_THREADS = 56,
	FILES = PROCESSES + 2 * (THREADS + SMALL_THREADS)
};

static const uint32_t counts[RESERVE_KINDS] = {[RESERVE_PROCESS] = PROCESSES,
					       [RESERVE_TIMER] = THREADS,
					       [RESERVE_THREAD] = THREADS,
					       [RESERVE_SMALL_THREAD] = SMALL_THREADS,
					       [RESERVE_SMALL_TIMER] = SMALL_THREADS};

struct spare {
	uint64_t map; /* 0: none, or taken by this process */
	enum reserve_kind kind;
};

static struct spare spares[FILES];
static uint64_t owners[RESERVE_KINDS]; /* for which process each kind was made last */

/* What tells that a file is taken: zero in a new one, and not in one in use. */
static uint64_t *owner_word(const struct spare *spare)
{
	switch (spare->kind) {
	case RESERVE_PROCESS:
		return &((struct tare_process_file *)spare->map)->run_addr;
	case RESERVE_TIMER:
	case RESERVE_SMALL_TIMER:
		return &((struct tare_timer_file *)spare->map)->process_begin_ticks;
	default:
		return &((struct tare_thread_file *)spare->map)->run_addr;
	}
}

/* What cannot be made leaves what was inherited. */
static void kind_fill(enum reserve_kind kind, uint32_t first, reserve_maker *make)
{
	char name[64];
	struct bytes_text text = {.start = name, .size_bytes = sizeof(name)};

	bytes_put(&text, "spare.");
	bytes_put_number(&text, (uint64_t)kernel_pid());
	for (uint32_t i = first; i < first + counts[kind]; i++) {
		const uint64_t map = make(name);
		if (!map)
			return;
		spares[i].kind = kind;
		__atomic_store_n(&spares[i].map, map, __ATOMIC_RELEASE);
	}
}

void reserve_make(reserve_maker *const makers[RESERVE_KINDS], enum reserve_kind last,
		  uint64_t owner)
{
	uint32_t first = 0;

	for (enum reserve_kind kind = 0; kind < RESERVE_KINDS && kind <= last; kind++) {
		if (makers[kind] &&
		    __atomic_exchange_n(&owners[kind], owner, __ATOMIC_ACQ_REL) != owner)
			kind_fill(kind, first, makers[kind]);
		first += counts[kind];
	}
}

uint64_t reserve_take(enum reserve_kind kind)
{
	for (uint32_t i = 0; i < FILES; i++) {
		const struct spare spare = {__atomic_load_n(&spares[i].map, __ATOMIC_ACQUIRE),
					    spares[i].kind};
		uint64_t nobody = 0;

		if (!spare.map || spare.kind != kind)
			continue;
		const bool mine =
			__atomic_compare_exchange_n(owner_word(&spare), &nobody, spare.map, false,
						    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
		__atomic_store_n(&spares[i].map, 0, __ATOMIC_RELEASE);
		if (mine)
			return spare.map;
	}
	return 0;
}
