/*
 * The table: pointers sorted by base, found by halving. Records come from pages that are never
 * given back, and return to a list of free ones; what a deep stack needs more is mapped apart and
 * stays with its record.
 *
 * Refuses to wait for long: after WAIT_ROUNDS the stack at hand is given up by the caller.
 */
#include "runtime/tree/stack_table.h"

#include "runtime/base/memory.h"
#include "runtime/tree/accumulate.h"

#define WAIT_ROUNDS  (1 << 22)
#define CHUNK_BYTES  16384ULL
#define FIRST_STACKS 512ULL
#define PAGE_BYTES   4096ULL

static uint64_t holder; /* thread pointer of the lock's holder; 0: free */
static struct stack_saved **stacks;
static uint64_t stack_count, stack_room;
static struct stack_saved *free_records;

bool stack_table_lock(void)
{
	const uint64_t self = (uint64_t)__builtin_thread_pointer();

	for (int round = 0; round < WAIT_ROUNDS; round++) {
		uint64_t found = 0;

		if (__atomic_compare_exchange_n(&holder, &found, self, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return true;
		if (found == self)
			return false;
		__builtin_ia32_pause();
	}
	return false;
}

void stack_table_unlock(void)
{
	__atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
}

void stack_table_lock_break(void)
{
	if (__atomic_load_n(&holder, __ATOMIC_RELAXED) == (uint64_t)__builtin_thread_pointer())
		stack_table_unlock();
}

uint64_t stack_table_count(void)
{
	return __atomic_load_n(&stack_count, __ATOMIC_RELAXED);
}

struct stack_saved *stack_table_at(uint64_t position)
{
	return stacks[position];
}

uint64_t stack_table_position(uint64_t place)
{
	uint64_t low = 0, high = stack_count;

	while (low < high) {
		const uint64_t middle = (low + high) / 2;

		if (stacks[middle]->extent.base < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool table_reserve(void)
{
	if (stack_count < stack_room)
		return true;
	const uint64_t room = stack_room ? stack_room * 2 : FIRST_STACKS;
	struct stack_saved **larger = memory_map(room * sizeof(struct stack_saved *));

	if (!larger)
		return false;
	for (uint64_t i = 0; i < stack_count; i++)
		larger[i] = stacks[i];
	if (stacks)
		memory_unmap(stacks, stack_room * sizeof(struct stack_saved *));
	stacks = larger;
	stack_room = room;
	return true;
}

bool stack_table_insert(struct stack_saved *saved)
{
	if (!table_reserve())
		return false;
	const uint64_t at = stack_table_position(saved->extent.base);

	for (uint64_t i = stack_count; i > at; i--)
		stacks[i] = stacks[i - 1];
	stacks[at] = saved;
	stack_count++;
	saved->listed = true;
	return true;
}

void stack_table_remove(struct stack_saved *saved)
{
	uint64_t at = stack_table_position(saved->extent.base);

	while (at < stack_count && stacks[at] != saved)
		at++;
	saved->listed = false;
	if (at == stack_count)
		return;
	for (stack_count--; at < stack_count; at++)
		stacks[at] = stacks[at + 1];
}

struct stack_saved *stack_table_new(void)
{
	if (!free_records) {
		struct stack_saved *chunk = memory_map(CHUNK_BYTES);

		for (uint64_t i = 0; chunk && i < CHUNK_BYTES / sizeof(*chunk); i++)
			stack_table_free(&chunk[i]);
	}
	struct stack_saved *saved = free_records;

	if (!saved)
		return NULL;
	free_records = saved->next;
	saved->next = NULL;
	if (!saved->frames) {
		saved->frames = saved->kept;
		saved->room = STACK_FRAMES_KEPT;
	}
	return saved;
}

void stack_table_free(struct stack_saved *saved)
{
	saved->on = NULL;
	saved->taken = false;
	saved->count = saved->inherited = 0;
	saved->next = free_records;
	free_records = saved;
}

bool stack_saved_reserve(struct stack_saved *saved, uint64_t count)
{
	uint64_t bytes = PAGE_BYTES;

	if (count <= saved->room)
		return true;
	while (bytes < count * sizeof(struct stack_frame))
		bytes *= 2;
	struct stack_frame *larger = memory_map(bytes);

	if (!larger)
		return false;
	for (uint64_t i = 0; i < saved->room; i++)
		larger[i] = saved->frames[i];
	if (saved->frames != saved->kept)
		memory_unmap(saved->frames, saved->room * sizeof(struct stack_frame));
	saved->frames = larger;
	saved->room = bytes / sizeof(struct stack_frame);
	return true;
}

/* Calls that stood open at the fork are the parent's; of their time the child knows its own. */
static void saved_inherit(struct stack_saved *saved)
{
	saved->inherited = saved->count;
	for (uint64_t i = 0; i < saved->count; i++) {
		struct stack_frame *frame = &saved->frames[i];

		*frame = (struct stack_frame){
			.callee = frame->callee, .sp = frame->sp, .site = frame->site};
	}
}

void stack_table_fork(void)
{
	uint64_t count = 0;

	if (holder) /* by another thread, which does not exist here: nothing can be relied on */
		stack_count = stack_room = 0, stacks = NULL, free_records = NULL;
	stack_table_unlock();
	for (uint64_t i = 0; i < stack_count; i++) {
		struct stack_saved *saved = stacks[i];

		if (saved->on) {
			saved->listed = false;
			stack_table_free(saved);
			continue;
		}
		saved_inherit(saved);
		stacks[count++] = saved;
	}
	stack_count = count;
}
