/*
 * A thread's distance has to lead to free memory for all modules, of which the executable and the
 * libraries are far apart:
 *
 *   0x0000_0040_0000   executables that cannot be moved
 *   0x5555_….._....    the others                      0x4b.. - 0x54..  theirs of other threads
 *   0x7f.._….._....    libraries, then the stack       0x75.. - 0x7d..
 *
 * So distances are below 0 where all modules lie high; the kernel sets no such base, the
 * processor's own instruction does. Of modules that lie low alone they are above. Else what is left
 * is between the libraries and the stack, and behind the stack. How much each of the two has is
 * chance, but together the kernel leaves 16 GiB there at least: the larger one is enough.
 *
 * Refuses places that are not free, now or by being next to the stack.
 */
#include "runtime/files/counters_place.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/state.h"

#include <errno.h>
#include <sys/mman.h>

#define GIB	      (1LL << 30)
#define HIGH_BEGIN    (1ULL << 45) /* all that lies above can have distances below 0 */
#define LOW_END	      (1ULL << 45)
#define FIRST_BELOW   (2048 * GIB)
#define NEAR_BELOW    (64 * GIB)
#define FIRST_ABOVE   (65536 * GIB)
#define STEP	      (8 * GIB)
#define MEMORY_END    ((1ULL << 47) - (1ULL << 24))
#define STACK_SPREAD  (16ULL << 30) /* where the kernel puts it, below the end */
#define STACK_ROOM    (2ULL << 30)  /* to grow into */
#define STACK_BEHIND  (1ULL << 26)  /* the program's arguments */
#define SPREAD_BYTES  (2ULL << 30)  /* libraries below the highest one */
#define FIRST_BETWEEN (4 * GIB)
#define SLOTS_BETWEEN 256
#define STEP_MIN      (1ULL << 24)
#define PAGE_BYTES    4096ULL
#define TRIES	      8
#define TRIES_APART   1021 /* slots that are not made */
#define PREFIX_GS     0x65
#define PREFIX_NONE   0x3e /* of a data segment: nothing in 64-bit mode */

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4 /* of mapped files since Linux 5.13 */
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static bool failed(long result)
{
	return result < 0 && result > -4096;
}

/* Such a page would keep the stack from growing. */
static bool is_by_stack(uint64_t addr, uint64_t size_bytes)
{
	const uint64_t stack = state_session.stack_addr;

	return stack && addr + size_bytes > stack - STACK_ROOM && addr < stack + STACK_BEHIND;
}

bool counters_reserve_at(const struct counted_module *module, int64_t delta)
{
	const uint64_t wanted = module->addr + (uint64_t)delta;

	if (is_by_stack(wanted, module->size_bytes))
		return false;
	const long map = kernel_call(
		SYS_mmap, wanted, module->size_bytes,
		module->unknown ? PROT_READ | PROT_WRITE : PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (failed(map))
		return false;
	if ((uint64_t)map == wanted)
		return true;
	kernel_call(SYS_munmap, map, module->size_bytes); /* a kernel before 4.17 */
	return false;
}

void counters_release(const struct counted_module *module, int64_t delta)
{
	kernel_call(SYS_munmap, module->addr + (uint64_t)delta, module->size_bytes);
}

static bool reserve_all(const struct counted_modules *modules, int64_t delta)
{
	for (uint64_t i = 0; i < modules->count; i++) {
		if (modules->items[i].shared || counters_reserve_at(&modules->items[i], delta))
			continue;
		while (i-- > 0)
			if (!modules->items[i].shared)
				counters_release(&modules->items[i], delta);
		return false;
	}
	return true;
}

/*
 * Of the addresses of all modules, and of this code: where it is, or just below, other libraries
 * will come.
 */
static void find_bounds(const struct counted_modules *modules, uint64_t *low, uint64_t *high)
{
	*low = *high = (uint64_t)&find_bounds;
	for (uint64_t i = 0; i < modules->count; i++) {
		const struct counted_module *module = &modules->items[i];

		if (module->addr < *low)
			*low = module->addr;
		if (module->addr + module->size_bytes > *high)
			*high = module->addr + module->size_bytes;
	}
}

/*
 * The distance of that number where some modules lie low, and the highest one ends at `high`; 0:
 * there is none.
 */
static int64_t delta_by_stack(uint64_t high, uint64_t number)
{
	const uint64_t stack = state_session.stack_addr;
	const uint64_t first = high + FIRST_BETWEEN;
	const uint64_t last = (stack ? stack : MEMORY_END - STACK_SPREAD) - STACK_ROOM;
	const uint64_t clear = stack + STACK_BEHIND + SPREAD_BYTES;
	const uint64_t behind = clear > first ? clear : first;
	const uint64_t room_before = last > first ? last - first : 0;
	const uint64_t room_behind = stack && MEMORY_END > behind ? MEMORY_END - behind : 0;
	const bool is_before = room_before >= room_behind;
	const uint64_t room = is_before ? room_before : room_behind;
	const uint64_t step = room / SLOTS_BETWEEN & ~(PAGE_BYTES - 1);
	const uint64_t again = number / TRIES_APART * (step / TRIES & ~(PAGE_BYTES - 1));

	if (number % TRIES_APART >= SLOTS_BETWEEN || step < STEP_MIN)
		return 0;
	const uint64_t least = ((is_before ? first : behind) - high) & ~(PAGE_BYTES - 1);

	return (int64_t)(least + number % TRIES_APART * step + again);
}

/* The distance of that number; 0: there is none. */
static int64_t delta_choose(uint64_t low, uint64_t high, uint64_t number)
{
	const int64_t at = (int64_t)number;

	/* The first thread's are near: ThreadSanitizer, as it begins, knows few other places. */
	if (low >= HIGH_BEGIN && state_session.sets_bases)
		return number == 1 ? -NEAR_BELOW : -(FIRST_BELOW + at * STEP);
	if (high <= LOW_END)
		return FIRST_ABOVE + at * STEP;
	return delta_by_stack(high, number);
}

bool counters_reserve(const struct counted_modules *modules, uint64_t number, int64_t *delta)
{
	uint64_t low, high;

	find_bounds(modules, &low, &high);
	for (uint64_t i = 0; i < TRIES; i++) {
		*delta = delta_choose(low, high, number + i * TRIES_APART);
		if (!*delta)
			return false;
		if (reserve_all(modules, *delta))
			return true;
	}
	return false;
}

bool counters_is_there(const struct counted_module *module)
{
	struct tare_module note;
	unsigned char is_resident;
	const long got = memory_ask(&note, (uint64_t)module->module, sizeof(note));

	if (got == sizeof(note))
		return counters_id(&note) == module->id;
	return got < 0 && got != -EFAULT &&
	       kernel_call(SYS_mincore, module->addr, PAGE_BYTES, &is_resident) != -ENOMEM;
}

uint64_t counters_id(const struct tare_module *module)
{
	uint64_t id;

	memcpy(&id, module->source_id, sizeof(id));
	return id;
}

bool counters_move(uint64_t map, const struct counted_module *module, int64_t delta, bool stays)
{
	const int flags = MREMAP_MAYMOVE | MREMAP_FIXED | (stays ? MREMAP_DONTUNMAP : 0);

	return !failed(kernel_call(SYS_mremap, map, module->size_bytes, module->size_bytes, flags,
				   module->addr + (uint64_t)delta));
}

void counters_put_private(const struct counted_module *module, int64_t delta)
{
	kernel_call(SYS_mmap, module->addr + (uint64_t)delta, module->size_bytes,
		    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* One byte each: whoever executes them meanwhile meets the old instruction or the new one. */
static void write_prefixes(const struct tare_module *module, uint64_t code)
{
	const struct tare_counted *counted =
		(const struct tare_counted *)((uint64_t)module + (uint64_t)module->counted_offset);

	for (uint32_t i = 0; i < module->counter_count; i++) {
		uint8_t *prefix = (uint8_t *)(code + counted[i].prefix);

		if (counted[i].prefix < module->code_size && *prefix == PREFIX_GS)
			__atomic_store_n(prefix, PREFIX_NONE, __ATOMIC_RELAXED);
	}
}

bool counters_unprefix(const struct tare_module *module, bool runs)
{
	const uint64_t code = (uint64_t)module + (uint64_t)module->code_offset;
	const uint64_t page = code & ~(PAGE_BYTES - 1), size = code + module->code_size - page;
	const int all = PROT_READ | PROT_WRITE | PROT_EXEC;

	if (failed(kernel_call(SYS_mprotect, page, size, all)) &&
	    (runs || failed(kernel_call(SYS_mprotect, page, size, PROT_READ | PROT_WRITE))))
		return false;
	write_prefixes(module, code);
	return !failed(kernel_call(SYS_mprotect, page, size, PROT_READ | PROT_EXEC));
}
