/*
 * Counts of bytes, changed by several threads and processes at once. A taker that finds it has
 * gone beyond takes its part back; two at the limit may both be refused.
 */
#include "runtime/base/budget.h"

#include "runtime/base/kernel.h"
#include "runtime/base/state.h"

#define MEASURED_TICKS (1ULL << 32) /* a second or two */

static struct tare_usage own_usage;
static struct tare_usage *usage = &own_usage;
static uint64_t memory_used, files_mapped;

void budget_begin(struct tare_usage *shared)
{
	if (shared->abi == TARE_SESSION_ABI)
		usage = shared;
}

void budget_forked(void)
{
	files_mapped = 0;
}

struct tare_usage *budget_shared(void)
{
	return usage;
}

bool budget_measured_means(uint64_t *means)
{
	const uint32_t sequence = __atomic_load_n(&usage->sequence, __ATOMIC_ACQUIRE);
	const uint64_t measured_ticks = usage->measured_ticks;

	*means = usage->measured_means;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(sequence & 1) && measured_ticks &&
	       kernel_ticks() - measured_ticks < MEASURED_TICKS &&
	       __atomic_load_n(&usage->sequence, __ATOMIC_RELAXED) == sequence;
}

static uint64_t or_usual(uint64_t setting, uint64_t usual)
{
	return setting ? setting : usual;
}

/* `beside` counts too, but is not changed. */
static bool take(uint64_t *used, uint64_t bytes, uint64_t beside, uint64_t max)
{
	if (__atomic_add_fetch(used, bytes, __ATOMIC_RELAXED) + beside <= max)
		return true;
	__atomic_sub_fetch(used, bytes, __ATOMIC_RELAXED);
	return false;
}

static bool take_memory(uint64_t *used, uint64_t bytes, const uint64_t *beside)
{
	return take(used, bytes, __atomic_load_n(beside, __ATOMIC_RELAXED),
		    or_usual(state_session.settings.max_memory_bytes, TARE_MEMORY_BYTES_USUAL));
}

uint32_t budget_take_memory(uint64_t bytes)
{
	return take_memory(&memory_used, bytes, &files_mapped) ? 0 : TARE_LIMIT_MEMORY;
}

uint32_t budget_take_file(uint64_t bytes)
{
	if (!take_memory(&files_mapped, bytes, &memory_used))
		return TARE_LIMIT_MEMORY;
	if (take(&usage->disk_bytes, bytes, 0,
		 or_usual(state_session.settings.max_disk_bytes, TARE_DISK_BYTES_USUAL)))
		return 0;
	budget_give_file(bytes, true);
	return TARE_LIMIT_DISK;
}

/* What a parent took, a forked child may give without having it in its count. */
static void give(uint64_t *used, uint64_t bytes)
{
	uint64_t before = __atomic_load_n(used, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(used, &before, before > bytes ? before - bytes : 0,
					    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void budget_give_memory(uint64_t bytes)
{
	give(&memory_used, bytes);
}

void budget_give_file(uint64_t bytes, bool stored)
{
	give(&files_mapped, bytes);
	if (!stored)
		give(&usage->disk_bytes, bytes);
}

uint64_t budget_nodes(void)
{
	const struct tare_settings *settings = &state_session.settings;

	return or_usual(settings->max_nodes,
			settings->adaptive_percent ? TARE_NODES_COUNTED : TARE_NODES_USUAL);
}
