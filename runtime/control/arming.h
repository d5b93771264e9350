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

/*
 * Clears one byte for good; the caller has the lock. False, and nothing happens, where it belongs
 * to no function or call site of a module, is to be kept armed, or could not be kept in mind.
 */
bool arming_disarm(uint8_t *byte);

#endif
