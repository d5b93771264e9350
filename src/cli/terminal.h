/*
 * A screen that is redrawn in place, and single keys. Works with what every terminal since the
 * VT100 understands, so no library is needed.
 */
#ifndef TARE_CLI_TERMINAL_H
#define TARE_CLI_TERMINAL_H

#include "base/base.h"

#include <termios.h>

struct terminal {
	struct termios before;
	bool open;
};

/* False where standard input and output are not a terminal. Restored by close, also on signals. */
bool terminal_open(struct terminal *terminal);
void terminal_close(struct terminal *terminal);

void terminal_size(int *columns, int *lines);

/*
 * Shows the lines, at most as many as fit, in one write: nothing flickers. What they hold is
 * escaped as by print_line.
 */
void terminal_show(const char *text);

/* A key that is pressed within `milliseconds`; 0: none, -1: it is time to end. */
int terminal_key(int milliseconds);

#endif
