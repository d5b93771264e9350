/* The views that stand side by side; those of one function are opened from a row. */
#include "tui/browser.h"

#include <string.h>

const struct browser_tab browser_tabs[] = {
	{"summary", "summary", false},
	{"functions", "functions", false},
	{"call tree", "calltree", false},
	{"inverted", "calltree", true},
	{"threads", "threads", false},
	{"processes", "processes", false},
	{"os", "os", false},
	{"lines", "lines", false},
	{"modules", "modules", false},
	{"instructions", "instructions", false},
	{"coverage", "coverage", false},
	{"marks", "marks", false},
	{"methods", "methods", false},
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
