/* learned: what earlier recordings have found to cost too much starts disarmed (abi/learned.h). */
#ifndef TARE_RUNTIME_CONTROL_LEARNED_H
#define TARE_RUNTIME_CONTROL_LEARNED_H

#include "abi/module.h"

/* A module was taken up by arming_add, and has run no code yet. */
void learned_add(const struct tare_module *module);

#endif
