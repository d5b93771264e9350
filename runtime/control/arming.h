/*
 * arming: which probes are on. The one place that knows the arming bytes of all loaded modules
 * (abi/module.h) and sets them; the probes of a cleared byte do nothing, in all threads.
 *
 * What is switched off while calls are in progress never reports their end: see adapt.h.
 *
 * Every function may be called from any thread. None allocates through the target or blocks for
 * long: where another thread is at work, those that can be done later fail.
 */
#ifndef TARE_RUNTIME_CONTROL_ARMING_H
#define TARE_RUNTIME_CONTROL_ARMING_H

#include "abi/module.h"
#include "abi/session.h"

#include <stdbool.h>

/* Takes up a module whose bytes are all zero, and arms it unless probes are switched off. */
bool arming_add(const struct tare_module *module);

/* Before its memory goes. */
void arming_remove(const struct tare_module *module);

/*
 * Clears the bytes of all modules, or sets those that are not disarmed. Modules that come while
 * probes are switched off are not armed either. False where another thread is at it.
 */
bool arming_switch(bool on);

/*
 * While paused, only the probes of system calls run, and those whose bytes are kept; the others'
 * bytes lie where they can be set from outside (arming_shared.h). False where another thread is at
 * it.
 */
bool arming_pause(bool pause);

/* Modules for which that is not so. */
uint64_t arming_unreachable(void);

/*
 * The byte stays armed while paused, and cannot be disarmed; to be said before. False where there
 * are too many.
 */
bool arming_keep(uint8_t *byte);

/* In a forked child: the bytes are its own from now on. */
void arming_forked(void);

#define ARMING_KEPT_MAX TARE_TRIGGERS_MAX

/* What became of one byte that was ever disarmed; zero for the others. */
struct arming_state {
	uint8_t times;	/* how often it was; or ARMING_BARE */
	uint16_t quiet; /* looks in a row at which its function was rare */
	/* Its counter when it was last looked at, and when that was: ticks / ARMING_LOOK_TICKS */
	uint32_t count, look;
};

#define ARMING_TIMES_MAX  15
#define ARMING_BARE	  0xff /* it has no probes (abi/learned.h), and is never armed */
#define ARMING_LOOK_TICKS (1ULL << 20)

struct arming_place {
	const struct tare_module *module;
	uint32_t number; /* of the arming byte, and of its counter */
	struct arming_state *state;
};

/*
 * Clears one byte, and says which it is; the caller has the lock. False, and nothing happens, where
 * it belongs to no function or call site of a module, is to be kept armed, or could not be kept in
 * mind.
 */
bool arming_disarm(uint8_t *byte, struct arming_place *place);

/* Of a byte that was disarmed, under the same lock: there is nothing to arm. */
void arming_set_bare(const struct tare_module *module, uint32_t number);

/* Takes that back; the byte is set unless probes are switched off or paused. The same lock. */
void arming_rearm(const struct arming_place *place);

struct arming_cursor {
	uint64_t module;
	uint32_t number;
};

/*
 * The next byte that is disarmed and may be armed, under the same lock. False at the end, where the
 * cursor goes back to the begin, and where no more of `steps` are left: one for each that is found,
 * and for 64 others.
 */
bool arming_next_off(struct arming_cursor *cursor, struct arming_place *place, uint64_t *steps);

#endif
