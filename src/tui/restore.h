/*
 * The terminal as it was before, also where a signal ends the process. Private to tui.
 */
#ifndef TARE_TUI_RESTORE_H
#define TARE_TUI_RESTORE_H

#include "base/error.h"

#include <stdbool.h>

/* Keeps how the terminal is. Fails where there is none, or none that can place its cursor. */
bool restore_is_possible(struct error *err);
/* From now on: what ends the process restores the terminal first. */
void restore_on_signals(void);

#endif
