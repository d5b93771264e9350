/*
 * The files of the reserve are mapped where their user will have them. A forked child inherits the
 * mappings, so two processes may want the same one: the file's own word of the address decides,
 * which is shared.
 *
 * Refuses to fill up a reserve that was made: what can be made later is made by path as ever.
 */
#include "runtime/base/reserve.h"

#include "abi/session_files.h"
#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"

#include <stdbool.h>
#include <sys/mman.h>

enum { FILES = 12 };

static const uint32_t counts[RESERVE_KINDS] = {[RESERVE_PROCESS] = 4, [RESERVE_THREAD] = FILES - 4};

struct spare {
	uint64_t map; /* 0: none, or taken by this process */
	enum reserve_kind kind;
};

static struct spare spares[FILES];
static uint32_t made;

/* What tells that a file is taken: zero in a new one, and not in one in use. */
static uint64_t *owner_word(const struct spare *spare)
{
	return spare->kind == RESERVE_THREAD ? &((struct tare_thread_file *)spare->map)->run_addr
					     : &((struct tare_process_file *)spare->map)->run_addr;
}

void reserve_make(reserve_maker *const makers[RESERVE_KINDS])
{
	char name[64];
	struct bytes_text text = {.start = name, .size_bytes = sizeof(name)};
	uint32_t at = 0;

	if (__atomic_exchange_n(&made, 1, __ATOMIC_ACQ_REL))
		return;
	bytes_put(&text, "spare.");
	bytes_put_number(&text, (uint64_t)kernel_pid());
	for (enum reserve_kind kind = 0; kind < RESERVE_KINDS; kind++)
		for (uint32_t i = 0; i < counts[kind]; i++, at++) {
			spares[at].kind = kind;
			__atomic_store_n(&spares[at].map, makers[kind](name), __ATOMIC_RELEASE);
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
