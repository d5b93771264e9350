/* The views that stand side by side; those of one function are opened from a row. */
#include "tui/browser.h"

#include <string.h>

const struct browser_tab browser_tabs[] = {
	{"summary", "summary", false, false},
	{"functions", "functions", false, false},
	{"call tree", "calltree", false, false},
	{"inverted", "calltree", true, false},
	{"threads", "threads", false, false},
	{"processes", "processes", false, false},
	{"os", "os", false, false},
	{"lines", "lines", false, true},
	{"modules", "modules", false, false},
	{"instructions", "instructions", false, true},
	{"coverage", "coverage", false, false},
	{"marks", "marks", false, false},
	{"methods", "methods", false, false},
};

const size_t browser_tab_count = sizeof(browser_tabs) / sizeof(browser_tabs[0]);
_Static_assert(sizeof(browser_tabs) / sizeof(browser_tabs[0]) <= TUI_TABS_MAX,
	       "the browser has room for the pages of all tabs");

size_t browser_tab_of(const char *view, bool inverted)
{
	size_t tab = 0;

	while (tab < browser_tab_count && (strcmp(browser_tabs[tab].view, view) != 0 ||
					   browser_tabs[tab].inverted != inverted))
		tab++;
	return tab;
}
