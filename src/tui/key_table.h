/*
 * The keys of the terminal's pages and what they do: one table, from which the help is made.
 * Characters are their code points, other keys the numbers behind them. Private to tui.
 */
#ifndef TARE_TUI_KEY_TABLE_H
#define TARE_TUI_KEY_TABLE_H

#include <stddef.h>

enum {
	TUI_KEY_NONE = 0,
	TUI_KEY_ENTER = '\n',
	TUI_KEY_TAB = '\t',
	TUI_KEY_ESCAPE = 27,
	TUI_KEY_FIRST = 0x110000, /* behind all characters */
	TUI_KEY_UP = TUI_KEY_FIRST,
	TUI_KEY_DOWN,
	TUI_KEY_LEFT,
	TUI_KEY_RIGHT,
	TUI_KEY_PAGE_UP,
	TUI_KEY_PAGE_DOWN,
	TUI_KEY_HOME,
	TUI_KEY_END,
	TUI_KEY_BACK,
	TUI_KEY_BACK_TAB,
	TUI_KEY_HELP,
	TUI_KEY_REDRAW,
};

enum tui_action {
	ACT_NONE,
	ACT_UP,
	ACT_DOWN,
	ACT_PAGE_UP,
	ACT_PAGE_DOWN,
	ACT_HOME,
	ACT_END,
	ACT_LEFT,
	ACT_RIGHT,
	ACT_ENTER,
	ACT_BACK,
	ACT_NEXT_VIEW,
	ACT_LAST_VIEW,
	ACT_HOT,
	ACT_COLLAPSE,
	ACT_CALLERS,
	ACT_ANNOTATE,
	ACT_ASSEMBLY,
	ACT_SEARCH,
	ACT_NEXT_MATCH,
	ACT_LAST_MATCH,
	ACT_SORT,
	ACT_SORT_BACK,
	ACT_REVERSE,
	ACT_VALUES,
	ACT_THREAD,
	ACT_ALL_THREADS,
	ACT_MERGE,
	ACT_WIDE,
	ACT_SHIFT_LEFT,
	ACT_SHIFT_RIGHT,
	ACT_HELP,
	ACT_QUIT,
};

struct tui_key {
	int key, other; /* other 0: there is one only */
	enum tui_action action;
	const char *name, *help; /* help NULL: it stands with the key before */
};

extern const struct tui_key tui_keys[];
extern const size_t tui_key_count;

enum tui_action tui_action_of(int key);

#endif
