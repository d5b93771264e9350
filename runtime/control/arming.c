/*
 * The modules' arming bytes. Beside each module that has disarmed bytes lies the state of each of
 * its bytes, so that switching all probes off and on again leaves them off. Which are off is told
 * by bits: of 100,000 bytes some thousand are, and they are looked for some thirty times a second.
 *
 * Refuses to arm a module that it cannot keep in mind, and bytes that are no module's.
 */
#include "runtime/control/arming.h"

#include "runtime/base/arming_lock.h"
#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/control/arming_shared.h"
#include "runtime/tree/accumulate.h"

#define FIRST_MODULES 64

struct armed_module {
	uint8_t *arm; /* NULL: its place is free */
	uint64_t size_bytes;
	uint64_t reachable;	     /* bytes of functions and call sites, which come first */
	struct arming_state *states; /* of the reachable ones; NULL: none was ever disarmed */
	uint64_t *off;		     /* behind them: a bit for each that is disarmed now */
	const struct tare_module *module;
	bool shared; /* its bytes lie in a file: arming_shared.h */
};

static struct armed_module *modules;
static uint64_t module_count, module_room;
static bool switched_off, paused;
static uint8_t *kept[ARMING_KEPT_MAX]; /* armed also while paused */
static uint32_t kept_count;

static bool is_off(const struct armed_module *module, uint64_t number)
{
	return module->off[number / 64] >> number % 64 & 1;
}

static struct armed_module *place_find(void)
{
	for (uint64_t i = 0; i < module_count; i++)
		if (!modules[i].arm)
			return &modules[i];
	if (module_count == module_room) {
		const uint64_t room = module_room ? module_room * 2 : FIRST_MODULES;
		struct armed_module *larger = memory_map(room * sizeof(*larger));

		if (!larger)
			return NULL;
		memcpy(larger, modules, module_count * sizeof(*modules));
		if (modules)
			memory_unmap(modules, module_room * sizeof(*modules));
		modules = larger;
		module_room = room;
	}
	return &modules[module_count++];
}

static uint8_t *module_bytes(const struct tare_module *module)
{
	return (uint8_t *)((uint64_t)module + (uint64_t)module->arm_offset);
}

static void module_arm_all(const struct armed_module *module)
{
	if (!module->states) {
		memset(module->arm, TARE_ARMED, module->size_bytes);
		return;
	}
	for (uint64_t i = 0; i < module->reachable; i++)
		module->arm[i] = is_off(module, i) ? 0 : TARE_ARMED;
	module->arm[module->reachable] = TARE_ARMED;
}

/* System calls are followed, and kept functions reported, all the time. */
static void module_pause(struct armed_module *module)
{
	const struct arming_range range = {.bytes = module->arm, .size_bytes = module->reachable};

	if (!module->shared)
		module->shared = arming_share(&range);
	memset(module->arm, 0, module->reachable);
	module->arm[module->reachable] = TARE_ARMED;
	for (uint32_t i = 0; i < kept_count; i++)
		if ((uint64_t)kept[i] - (uint64_t)module->arm < module->reachable)
			*kept[i] = TARE_ARMED;
}

static void module_set(struct armed_module *module)
{
	if (switched_off)
		memset(module->arm, 0, module->size_bytes);
	else if (paused)
		module_pause(module);
	else
		module_arm_all(module);
}

static void modules_set(void)
{
	for (uint64_t i = 0; i < module_count; i++)
		if (modules[i].arm)
			module_set(&modules[i]);
}

void arming_forked(void)
{
	for (uint64_t i = 0; i < module_count; i++) {
		const struct arming_range range = {.bytes = modules[i].arm,
						   .size_bytes = modules[i].reachable};

		if (modules[i].arm && modules[i].shared)
			modules[i].shared = !arming_unshare(&range);
	}
}

bool arming_keep(uint8_t *byte)
{
	arming_lock_wait();
	const bool room = kept_count < ARMING_KEPT_MAX;

	if (room)
		kept[kept_count++] = byte;
	arming_unlock();
	return room;
}

static bool is_kept(const uint8_t *byte)
{
	for (uint32_t i = 0; i < kept_count; i++)
		if (kept[i] == byte)
			return true;
	return false;
}

static void kept_forget(const struct armed_module *module)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < kept_count; i++)
		if ((uint64_t)kept[i] - (uint64_t)module->arm >= module->reachable)
			kept[count++] = kept[i];
	kept_count = count;
}

bool arming_add(const struct tare_module *module)
{
	arming_lock_wait();
	struct armed_module *place = place_find();

	if (place) {
		place->reachable = (uint64_t)module->function_count + module->call_site_count;
		place->size_bytes = place->reachable + 1;
		place->arm = module_bytes(module);
		place->module = module;
		place->shared = false;
		module_set(place);
	}
	arming_unlock();
	return place != NULL;
}

/* Where the bits begin. */
static uint64_t off_offset(const struct armed_module *module)
{
	return (module->reachable * sizeof(struct arming_state) + 7) & ~7ULL;
}

static uint64_t states_bytes(const struct armed_module *module)
{
	return off_offset(module) + (module->reachable + 63) / 64 * sizeof(uint64_t);
}

void arming_remove(const struct tare_module *module)
{
	const uint8_t *arm = module_bytes(module);

	arming_lock_wait();
	for (uint64_t i = 0; i < module_count; i++) {
		if (modules[i].arm != arm)
			continue;
		if (modules[i].states)
			memory_unmap(modules[i].states, states_bytes(&modules[i]));
		kept_forget(&modules[i]);
		modules[i] = (struct armed_module){0};
	}
	arming_unlock();
}

bool arming_switch(bool on)
{
	if (!arming_lock())
		return false;
	switched_off = !on;
	modules_set();
	arming_unlock();
	return true;
}

bool arming_pause(bool pause)
{
	if (!arming_lock())
		return false;
	paused = pause;
	modules_set();
	arming_unlock();
	return true;
}

uint64_t arming_unreachable(void)
{
	uint64_t count = 0;

	for (uint64_t i = 0; paused && i < module_count; i++)
		count += modules[i].arm && !modules[i].shared;
	return count;
}

static struct armed_module *module_of(const uint8_t *byte)
{
	for (uint64_t i = 0; i < module_count; i++)
		if (modules[i].arm &&
		    (uint64_t)byte - (uint64_t)modules[i].arm < modules[i].reachable)
			return &modules[i];
	return NULL;
}

static bool states_make(struct armed_module *module)
{
	if (!module->states) {
		module->states = memory_map(states_bytes(module));
		module->off = (uint64_t *)((uint64_t)module->states + off_offset(module));
	}
	return module->states != NULL;
}

bool arming_disarm(uint8_t *byte, struct arming_place *place)
{
	struct armed_module *module = module_of(byte);

	if (!module || is_kept(byte) || !states_make(module))
		return false;
	const uint32_t number = (uint32_t)(byte - module->arm);
	struct arming_state *state = &module->states[number];

	*state = (struct arming_state){.times = state->times};
	module->off[number / 64] |= 1ULL << number % 64;
	if (state->times < ARMING_TIMES_MAX)
		state->times++;
	*place = (struct arming_place){module->module, number, state};
	__atomic_store_n(byte, 0, __ATOMIC_RELEASE);
	return true;
}

void arming_set_bare(const struct tare_module *module, uint32_t number)
{
	const struct armed_module *place = module_of(module_bytes(module) + number);

	if (place && place->states && is_off(place, number))
		place->states[number].times = ARMING_BARE;
}

void arming_rearm(const struct arming_place *place)
{
	uint8_t *byte = module_bytes(place->module) + place->number;
	const struct armed_module *module = module_of(byte);

	if (module)
		module->off[place->number / 64] &= ~(1ULL << place->number % 64);
	if (!switched_off && !paused)
		__atomic_store_n(byte, TARE_ARMED, __ATOMIC_RELEASE);
}

/* Goes to the first that is off. False at the module's end, and where no steps are left before. */
static bool off_find(const struct armed_module *module, uint32_t *number, uint64_t *steps)
{
	for (; *number < module->reachable && *steps; *number = (*number | 63) + 1) {
		const uint64_t bits = module->off[*number / 64] >> *number % 64;

		--*steps;
		if (!bits)
			continue;
		*number += (uint32_t)__builtin_ctzll(bits);
		return true;
	}
	return false;
}

/* The same, and past those that have no probes. */
static bool off_find_probed(const struct armed_module *module, uint32_t *number, uint64_t *steps)
{
	while (off_find(module, number, steps)) {
		if (module->states[*number].times != ARMING_BARE)
			return true;
		++*number;
	}
	return false;
}

bool arming_next_off(struct arming_cursor *cursor, struct arming_place *place, uint64_t *steps)
{
	for (; cursor->module < module_count; cursor->module++, cursor->number = 0) {
		const struct armed_module *module = &modules[cursor->module];

		if (!module->arm || !module->states)
			continue;
		if (off_find_probed(module, &cursor->number, steps)) {
			*place = (struct arming_place){module->module, cursor->number,
						       &module->states[cursor->number]};
			cursor->number++;
			return true;
		}
		if (cursor->number < module->reachable)
			return false;
	}
	*cursor = (struct arming_cursor){0};
	return false;
}
