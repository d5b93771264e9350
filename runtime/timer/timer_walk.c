/*
 * The map is an array that only grows: an entry is filled before the count covers it, and one whose
 * code is gone keeps its rules mapped, so that a handler may be at any place of it at any time.
 *
 *   frame ── rule kept? ── map entry ── rule of its table ── caller
 *                                 └ none: by the frame pointer, if that leads to code in the map
 *
 * Memory is copied by the kernel, which refuses what is not there. Where it may not be asked, only
 * the thread's own stack is read, from the stack pointer to its end.
 */
#include "runtime/timer/timer_walk.h"

#include "runtime/base/kernel.h"
#include "runtime/base/spin.h"

#include <asm/errno.h>
#include <sys/uio.h>

#define MAPPINGS_MAX   2048
#define BARE_MAX       512 /* of them without rules */
#define RED_ZONE_BYTES 128
#define BEFORE_BYTES   64

struct mapping {
	uint64_t begin, end, bias;	  /* end 0: gone */
	const struct unwind_table *table; /* NULL: none */
};

static struct mapping mappings[MAPPINGS_MAX];
static uint32_t mapping_count, map_lock;
static uint64_t generation = 1;

static struct mapping *mapping_free(void)
{
	for (uint32_t i = 0; i < mapping_count; i++)
		if (!mappings[i].end)
			return &mappings[i];
	return mapping_count < MAPPINGS_MAX ? &mappings[mapping_count] : NULL;
}

static void changed(void)
{
	__atomic_fetch_add(&generation, 1, __ATOMIC_RELEASE);
}

static bool map_put(uint64_t begin, uint64_t end, uint64_t bias, const struct unwind_table *table)
{
	for (uint32_t i = 0; i < mapping_count; i++)
		if (mappings[i].begin < end && begin < mappings[i].end)
			__atomic_store_n(&mappings[i].end, 0, __ATOMIC_RELEASE);
	struct mapping *mapping = mapping_free();

	if (!mapping || begin >= end)
		return false;
	mapping->begin = begin;
	mapping->bias = bias;
	mapping->table = table;
	__atomic_store_n(&mapping->end, end, __ATOMIC_RELEASE);
	if (mapping == &mappings[mapping_count])
		__atomic_store_n(&mapping_count, mapping_count + 1, __ATOMIC_RELEASE);
	changed();
	return true;
}

bool timer_map_put(uint64_t begin, uint64_t end, uint64_t bias, const struct unwind_table *table)
{
	spin_lock(&map_lock);
	const bool put = map_put(begin, end, bias, table);

	spin_unlock(&map_lock);
	return put;
}

/* JIT compilers make code executable piece by piece, and again and again: a piece makes the one
   longer that it begins in, or behind. */
static void map_put_bare(uint64_t begin, uint64_t end)
{
	struct mapping *before = NULL;
	uint32_t bare_count = 0;

	for (uint32_t i = 0; i < mapping_count; i++) {
		struct mapping *mapping = &mappings[i];
		const bool is_bare = mapping->end && !mapping->table;

		bare_count += is_bare;
		if (is_bare && mapping->begin <= begin && begin <= mapping->end &&
		    end > mapping->end)
			before = mapping;
		else if (mapping->begin < end && begin < mapping->end)
			return;
	}
	if (before) {
		__atomic_store_n(&before->end, end, __ATOMIC_RELEASE);
		changed();
	} else if (bare_count < BARE_MAX) {
		map_put(begin, end, 0, NULL);
	}
}

void timer_map_put_bare(uint64_t begin, uint64_t end)
{
	if (__atomic_exchange_n(&map_lock, 1, __ATOMIC_ACQUIRE))
		return;
	map_put_bare(begin, end);
	spin_unlock(&map_lock);
}

void timer_map_remove(uint64_t begin)
{
	spin_lock(&map_lock);
	for (uint32_t i = 0; i < mapping_count; i++)
		if (mappings[i].end && mappings[i].begin == begin)
			__atomic_store_n(&mappings[i].end, 0, __ATOMIC_RELEASE);
	changed();
	spin_unlock(&map_lock);
}

void timer_map_forked(void)
{
	map_lock = 0;
}

static const struct mapping *mapping_find(uint64_t addr)
{
	const uint32_t count = __atomic_load_n(&mapping_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		if (addr < __atomic_load_n(&mappings[i].end, __ATOMIC_ACQUIRE) &&
		    addr >= mappings[i].begin)
			return &mappings[i];
	return NULL;
}

/* NULL where there is no rule. */
static const struct timer_rule_kept *rule_find(struct timer_walker *walker, uint64_t addr)
{
	struct timer_rule_kept *kept =
		&walker->rules[addr * 0x9e3779b97f4a7c15ULL >> 32 & (TIMER_RULES_KEPT - 1)];

	if (kept->addr == addr && addr)
		return kept->rule ? kept : NULL;
	const struct mapping *mapping = mapping_find(addr);

	*kept = (struct timer_rule_kept){.addr = addr};
	if (!mapping || !mapping->table)
		return NULL;
	kept->rule = unwind_table_find(mapping->table, addr - mapping->bias);
	kept->programs = unwind_table_programs(mapping->table);
	return kept->rule ? kept : NULL;
}

/* ---- memory ---- */

/* Bytes from `from` on, as far as they are there, up to `size_bytes`; the kernel's answer. */
static long copy_take(struct timer_copy *copy, void *to, uint64_t from, uint64_t size_bytes)
{
	const struct iovec local = {.iov_base = to, .iov_len = size_bytes};
	const struct iovec remote = {.iov_base = (void *)from, .iov_len = size_bytes};
	const long got = kernel_call(SYS_process_vm_readv, kernel_pid(), &local, 1, &remote, 1, 0);

	*copy = (struct timer_copy){.begin = from, .size_bytes = got > 0 ? (uint64_t)got : 0};
	return got;
}

static bool copy_read(const struct timer_copy *copy, const void *bytes, uint64_t addr,
		      uint64_t *word)
{
	const uint64_t offset = addr - copy->begin;

	if (copy->size_bytes < sizeof(*word) || offset > copy->size_bytes - sizeof(*word))
		return false;
	__builtin_memcpy(word, (const char *)bytes + offset, sizeof(*word));
	return true;
}

/* What lies beyond the first copy. */
static bool word_read(void *context, uint64_t addr, uint64_t *word)
{
	struct timer_walker *walker = context;

	if (walker->is_forbidden) {
		if (addr < walker->near.begin || addr & 7 || addr >= walker->stack_end)
			return false;
		*word = *(const uint64_t *)addr;
		return true;
	}
	if (copy_read(&walker->far, walker->far_bytes, addr, word))
		return true;
	copy_take(&walker->far, walker->far_bytes, addr - BEFORE_BYTES, TIMER_FAR_BYTES);
	if (copy_read(&walker->far, walker->far_bytes, addr, word))
		return true;
	copy_take(&walker->far, walker->far_bytes, addr, TIMER_FAR_BYTES);
	return copy_read(&walker->far, walker->far_bytes, addr, word);
}

/* ---- frames ---- */

/* Of a caller a frame pointer of zero marks the outermost frame (System V ABI). */
static enum unwind_result end_of(const struct unwind_registers *registers)
{
	return registers->value[UNWIND_RBP] || registers->exact ? UNWIND_NO_RULE : UNWIND_ROOT;
}

static enum unwind_result step_without_rule(struct unwind_registers *registers,
					    const struct unwind_memory *memory)
{
	struct unwind_registers caller = *registers;

	if (!registers->value[UNWIND_RA] ||
	    unwind_step_frame_pointer(&caller, memory) != UNWIND_CALLER ||
	    !mapping_find(unwind_call_addr(&caller)))
		return end_of(registers);
	*registers = caller;
	return UNWIND_CALLER;
}

/* Whether a call ends there. The bytes may be nowhere: they are read as a copy. */
static bool is_return_addr(struct timer_walker *walker, uint64_t addr)
{
	unsigned char bytes[sizeof(uint64_t)];
	uint64_t word;

	if (!mapping_find(addr - 1) || !word_read(walker, addr - sizeof(bytes), &word))
		return false;
	__builtin_memcpy(bytes, &word, sizeof(bytes));
	return unwind_is_behind_call(bytes + sizeof(bytes), sizeof(bytes));
}

static enum unwind_result step(struct timer_walker *walker, struct unwind_registers *registers,
			       const struct unwind_memory *memory)
{
	const struct timer_rule_kept *kept = rule_find(walker, unwind_call_addr(registers));

	if (!kept)
		return step_without_rule(registers, memory);
	if (!(kept->rule->flags & UNWIND_FROM_CODE))
		return unwind_apply(kept->rule, kept->programs, registers, memory);
	struct unwind_registers caller = *registers;

	if (unwind_apply(kept->rule, kept->programs, &caller, memory) != UNWIND_CALLER ||
	    !is_return_addr(walker, caller.value[UNWIND_RA]))
		return step_without_rule(registers, memory);
	*registers = caller;
	return UNWIND_CALLER;
}

static void walker_begin(struct timer_walker *walker, uint64_t sp)
{
	const uint64_t now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);

	if (walker->generation != now)
		__builtin_memset(walker->rules, 0, sizeof(walker->rules));
	walker->generation = now;
	walker->far = (struct timer_copy){0};
	long got =
		copy_take(&walker->near, walker->near_bytes, sp - RED_ZONE_BYTES, TIMER_NEAR_BYTES);

	if (got < 0) /* the red zone would reach below the stack */
		got = copy_take(&walker->near, walker->near_bytes, sp, TIMER_NEAR_BYTES);
	walker->is_forbidden = got < 0 && got != -EFAULT;
}

uint32_t timer_walk(struct timer_walker *walker, const struct unwind_registers *registers,
		    uint64_t *frames, bool *complete)
{
	struct unwind_registers now = *registers;
	enum unwind_result result = UNWIND_CALLER;
	uint32_t count = 0;

	walker_begin(walker, now.value[UNWIND_RSP]);
	const struct unwind_memory memory = {.begin = walker->near.begin,
					     .size_bytes = walker->near.size_bytes,
					     .bytes = walker->near_bytes,
					     .read = word_read,
					     .context = walker};

	while (result == UNWIND_CALLER && count < TARE_TIMER_FRAMES_MAX) {
		/* A return address of zero is where a thread's stack begins. */
		if (now.value[UNWIND_RA] || !count)
			frames[count++] = unwind_call_addr(&now);
		result = step(walker, &now, &memory);
	}
	*complete = result == UNWIND_ROOT;
	return count;
}
