/*
 * A table of keys, which only grows: who was disarmed once may have left calls on some thread's
 * stack that have ended unseen.
 *
 * Refuses to disarm more than DISARMED_MAX functions.
 */
#include "runtime/control/disarmed.h"

#include "runtime/base/bytes.h"
#include "runtime/control/triggers.h"
#include "runtime/files/process.h"

#define SLOTS	      65536 /* a power of two */
#define DISARMED_MAX  (SLOTS / 2)
#define KEY_FORGOTTEN (~0ULL - 1) /* TARE_NODE_OTHER is no function either */

static uint64_t keys[SLOTS];
static bool silent[SLOTS];	    /* beside them: a byte is cleared */
static uint32_t used[DISARMED_MAX]; /* slots with a key, in the order in which they got it */
static uint64_t key_count;

/*
 * Neighbours in the file are neighbours here, a megabyte from one multiple of the same distance to
 * the next: what was learned comes in the order of addresses, thousands at once in each process.
 */
static uint64_t slot_of(uint64_t key)
{
	return (key / 16 + key / (16ULL * SLOTS) * 0x9e3779b1) & (SLOTS - 1);
}

/* SLOTS where it is not. */
static uint64_t slot_find(uint64_t key)
{
	if (!__atomic_load_n(&key_count, __ATOMIC_ACQUIRE))
		return SLOTS;
	for (uint64_t slot = slot_of(key);; slot = (slot + 1) & (SLOTS - 1)) {
		const uint64_t found = __atomic_load_n(&keys[slot], __ATOMIC_RELAXED);

		if (!found)
			return SLOTS;
		if (found == key)
			return slot;
	}
}

bool disarmed_any(void)
{
	return __atomic_load_n(&key_count, __ATOMIC_ACQUIRE) != 0;
}

bool disarmed_now(uint64_t key)
{
	const uint64_t slot = slot_find(key);

	return slot < SLOTS && __atomic_load_n(&silent[slot], __ATOMIC_ACQUIRE);
}

bool disarmed_ever(uint64_t key)
{
	return slot_find(key) < SLOTS;
}

/* From now on its calls may end unseen; SLOTS where there is no place. */
static uint64_t slot_begin(uint64_t key)
{
	uint64_t slot = slot_of(key);

	if (key_count >= DISARMED_MAX)
		return SLOTS;
	while (keys[slot])
		slot = (slot + 1) & (SLOTS - 1);
	__atomic_store_n(&silent[slot], false, __ATOMIC_RELAXED);
	__atomic_store_n(&keys[slot], key, __ATOMIC_RELAXED);
	used[key_count] = (uint32_t)slot;
	__atomic_store_n(&key_count, key_count + 1, __ATOMIC_RELEASE);
	return slot;
}

/* The one that was put there last: no other has been placed behind it. */
static void slot_give_up(uint64_t slot)
{
	__atomic_store_n(&keys[slot], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&key_count, key_count - 1, __ATOMIC_RELEASE);
}

static bool byte_clear(uint64_t arm, struct arming_place *place)
{
	uint8_t *byte = (uint8_t *)arm;

	return arm && *(volatile uint8_t *)byte && arming_disarm(byte, place);
}

static void note(enum tare_disarm what, const struct arming_place *place, uint64_t key,
		 uint64_t calls)
{
	struct tare_disarm_record record = {
		.key = key, .calls = calls, .number = place->number, .what = what};

	record.count = place->module->function_count + place->module->call_site_count;
	memcpy(&record.module_id, place->module->source_id, sizeof(record.module_id));
	process_disarm_note(&record);
}

bool disarmed_add(uint64_t key, uint64_t arm, uint64_t calls)
{
	const uint64_t known = slot_find(key);
	struct arming_place place;

	if (triggers_know(key))
		return false;
	const uint64_t slot = known < SLOTS ? known : slot_begin(key);

	if (slot == SLOTS)
		return false;
	if (!byte_clear(arm, &place)) {
		if (slot != known)
			slot_give_up(slot);
		return false;
	}
	__atomic_store_n(&silent[slot], true, __ATOMIC_RELEASE);
	if (slot == known)
		note(TARE_DISARM_PLACE, &place, 0, 0);
	else
		note(TARE_DISARM_FUNCTION, &place, key, calls);
	return true;
}

bool disarmed_add_site(uint64_t arm)
{
	struct arming_place place;

	if (!byte_clear(arm, &place))
		return false;
	note(TARE_DISARM_PLACE, &place, 0, 0);
	return true;
}

/* Of the function or call target that the byte is about; 0: calls through a pointer. */
static uint64_t key_of(const struct tare_module *module, uint32_t number)
{
	const struct tare_counted *counted =
		(const struct tare_counted *)((uint64_t)module + (uint64_t)module->counted_offset);

	if (number >= module->counter_count || !counted[number].target)
		return 0;
	return (uint64_t)module + (uint64_t)(int64_t)counted[number].target;
}

bool disarmed_start(const struct tare_module *module, uint32_t number)
{
	uint8_t *arm = (uint8_t *)((uint64_t)module + (uint64_t)module->arm_offset);
	const uint64_t key = key_of(module, number);
	struct arming_place place;
	uint64_t slot = key ? slot_find(key) : SLOTS;

	if (triggers_know(key))
		return false;
	if (key && slot == SLOTS)
		slot = slot_begin(key);
	if ((key && slot == SLOTS) || !arming_disarm(arm + number, &place))
		return false;
	if (key)
		__atomic_store_n(&silent[slot], true, __ATOMIC_RELEASE);
	return true;
}

bool disarmed_is_pointers(const struct arming_place *place)
{
	return !key_of(place->module, place->number);
}

void disarmed_take_back(const struct arming_place *place)
{
	const uint64_t key = key_of(place->module, place->number);
	const uint64_t slot = key ? slot_find(key) : SLOTS;

	if (slot < SLOTS)
		__atomic_store_n(&silent[slot], false, __ATOMIC_RELEASE);
	note(TARE_DISARM_TAKEN_BACK, place, 0, 0);
	arming_rearm(place);
}

void disarmed_forget(uint64_t begin, uint64_t end)
{
	for (uint64_t i = 0; i < key_count; i++)
		if (keys[used[i]] - begin < end - begin)
			__atomic_store_n(&keys[used[i]], KEY_FORGOTTEN, __ATOMIC_RELAXED);
}
