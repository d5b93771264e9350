/*
 * disarmed: the functions and call targets whose probes --adaptive has switched off, by their keys.
 *
 * Changes are made under arming's lock; any thread may ask at any time.
 */
#ifndef TARE_RUNTIME_CONTROL_DISARMED_H
#define TARE_RUNTIME_CONTROL_DISARMED_H

#include "runtime/control/arming.h"

/* Were the probes of anything ever off? */
bool disarmed_any(void);

/* Are the probes of `key` off, or some of the call sites that lead to it? */
bool disarmed_now(uint64_t key);

/* Were they ever, or are they just being switched off? Then calls may have ended unseen. */
bool disarmed_ever(uint64_t key);

/*
 * Clears the byte at `arm` (0: none) of the function or target `key`, of which the calling thread
 * has counted so many calls, and notes it in the process file. Before that all threads know that
 * its calls may end unseen; when it has happened, that they will. False where no byte was cleared.
 */
bool disarmed_add(uint64_t key, uint64_t arm, uint64_t calls);

/* The same of a call site whose calls have no one target. */
bool disarmed_add_site(uint64_t arm);

/* At the begin of a module, before it runs: a byte of its own. */
bool disarmed_start(const struct tare_module *module, uint32_t number);

/* Is it the byte of a call site whose calls go through a pointer? */
bool disarmed_is_pointers(const struct arming_place *place);

/* Sets a byte again. */
void disarmed_take_back(const struct arming_place *place);

/* Other functions may come to these addresses. */
void disarmed_forget(uint64_t begin, uint64_t end);

#endif
