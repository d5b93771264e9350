/* See key_table.h. */
#include "tui/key_table.h"

const struct tui_key tui_keys[] = {
	{TUI_KEY_UP, 'k', ACT_UP, "Up, Down", "one row up or down (also k and j)"},
	{TUI_KEY_DOWN, 'j', ACT_DOWN, NULL, NULL},
	{TUI_KEY_PAGE_UP, 'b', ACT_PAGE_UP, "PgUp, PgDn", "one page (also b and space)"},
	{TUI_KEY_PAGE_DOWN, ' ', ACT_PAGE_DOWN, NULL, NULL},
	{TUI_KEY_HOME, 'g', ACT_HOME, "Home, End", "first and last row (also g and G)"},
	{TUI_KEY_END, 'G', ACT_END, NULL, NULL},
	{TUI_KEY_TAB, 0, ACT_NEXT_VIEW, "Tab, 1 to 9",
	 "next view (Shift-Tab: the one before), or the one with the number"},
	{TUI_KEY_BACK_TAB, 0, ACT_LAST_VIEW, NULL, NULL},
	{TUI_KEY_ENTER, '\r', ACT_ENTER, "Enter",
	 "call tree: open or close the row; elsewhere: callers and callees of the function, "
	 "the functions of the module, the calls of the thread or process"},
	{TUI_KEY_RIGHT, 'l', ACT_RIGHT, "Right, Left",
	 "call tree: open and close the row (also l and h); elsewhere: move the columns"},
	{TUI_KEY_LEFT, 'h', ACT_LEFT, NULL, NULL},
	{TUI_KEY_BACK, TUI_KEY_ESCAPE, ACT_BACK, "Backspace, Esc", "back to the page before"},
	{'e', 0, ACT_HOT, "e", "call tree: open the row along its hottest calls"},
	{'E', 0, ACT_COLLAPSE, "E", "call tree: close all rows"},
	{'c', 0, ACT_CALLERS, "c", "callers and callees of the row's function"},
	{'a', 0, ACT_ANNOTATE, "a", "source of the row's function, with values beside its lines"},
	{'A', 0, ACT_ASSEMBLY, "A", "the same as instructions; there: source or instructions"},
	{'/', 0, ACT_SEARCH, "/", "search for a part of a name; in call trees also in closed rows"},
	{'n', 0, ACT_NEXT_MATCH, "n, N", "next row that is found, and the one before"},
	{'N', 0, ACT_LAST_MATCH, NULL, NULL},
	{'s', 0, ACT_SORT, "s, S", "sort by the next column, or by the one before"},
	{'S', 0, ACT_SORT_BACK, NULL, NULL},
	{'r', 0, ACT_REVERSE, "r", "sort the other way round"},
	{'p', 0, ACT_VALUES, "p", "columns: all, percentages alone, values alone"},
	{'t', 0, ACT_THREAD, "t",
	 "only the thread or process of the row; the profile is read anew"},
	{'T', 0, ACT_ALL_THREADS, "T", "all threads again"},
	{'m', 0, ACT_MERGE, "m", "merge threads of one name, or take them apart again"},
	{'w', 0, ACT_WIDE, "w", "whole names, wider than the terminal; or fitted to it"},
	{'>', 0, ACT_SHIFT_RIGHT, ">, <", "move the columns to the left and back"},
	{'<', 0, ACT_SHIFT_LEFT, NULL, NULL},
	{'?', TUI_KEY_HELP, ACT_HELP, "?", "these keys (also F1)"},
	{'q', 0, ACT_QUIT, "q", "quit (also ^C)"},
};

const size_t tui_key_count = sizeof(tui_keys) / sizeof(tui_keys[0]);

enum tui_action tui_action_of(int key)
{
	for (size_t i = 0; i < tui_key_count; i++)
		if (key && (tui_keys[i].key == key || tui_keys[i].other == key))
			return tui_keys[i].action;
	return ACT_NONE;
}
