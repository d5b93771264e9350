/*
 * api: connects the program's stub library with the runtime (abi/api.h).
 */
#ifndef TARE_RUNTIME_START_API_H
#define TARE_RUNTIME_START_API_H

#include "runtime/base/module.h"

/* Gives the file its runtime's functions, if it has a stub library in it. */
void api_connect(const struct module_segments *segments);

#endif
