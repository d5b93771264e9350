/*
 * screen: a terminal by ncurses: lines with styles, and keys. The terminal is restored when the
 * screen is closed and by the signals that end a process. Private to tui.
 */
#ifndef TARE_TUI_SCREEN_H
#define TARE_TUI_SCREEN_H

#include "base/error.h"
#include "tui/browser.h"

#include <stdbool.h>

/* Fails where there is no terminal that can place its cursor. One screen at a time. */
bool screen_open(bool color, struct error *err);
void screen_close(void);

void screen_size(int *width, int *height);
void screen_show(const struct browser_screen *screen);

/* Waits for a key: its code point or a TUI_KEY_…; false: the terminal is gone. */
bool screen_key(int *key);

#endif
