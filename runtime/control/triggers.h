/*
 * triggers: --start-at, --stop-at. Functions whose begin changes the process's level. The recorder
 * says which, in the session file TARE_TRIGGERS_NAME (abi/session.h); the bytes of those that start
 * stay armed while the process is off.
 *
 * A probe of such a function reaches triggers_meet because it takes the general path: one that
 * starts, since the gates of threads that are off are closed; one that stops, since no node is ever
 * made for it.
 */
#ifndef TARE_RUNTIME_CONTROL_TRIGGERS_H
#define TARE_RUNTIME_CONTROL_TRIGGERS_H

#include "abi/module.h"
#include "runtime/tree/accumulate.h"

/* Takes up those of a module; before it is armed. */
void triggers_add(const struct tare_module *module);

/* Before the module's memory goes. */
void triggers_remove(const struct tare_module *module);

/* Whether the function at `key` is one: its probes must not be disarmed. */
bool triggers_know(uint64_t key);

/* Lets the process's level follow, where the event is the begin or a call of one of them. */
void triggers_meet(const struct accumulate_event *event);

#endif
