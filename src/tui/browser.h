/*
 * browser: the pages of a profile, and what keys do with them, as lines of text: without a
 * terminal, so that tests press keys and read lines. Private to tui.
 */
#ifndef TARE_TUI_BROWSER_H
#define TARE_TUI_BROWSER_H

#include "tui/key_table.h"
#include "tui/page.h"
#include "tui/source.h"
#include "tui/tui.h"

enum { TUI_TABS_MAX = 16, TUI_WIDTH_MIN = 24, TUI_HEIGHT_MIN = 6 };

/* A line of the screen: with styles (report/words/style.h), from the column `shift` on. */
struct browser_line {
	char *text;
	size_t shift;
	bool is_current; /* the cursor stands there */
	bool is_bar;	 /* of the screen: above and below the rows */
};

struct browser_screen {
	struct vec_of(struct browser_line) lines;
};

struct browser {
	const struct tui_options *options;
	struct tui_source source;
	struct tui_page *tabs[TUI_TABS_MAX]; /* NULL: not looked at yet */
	size_t tab;
	struct vec_of(struct tui_page *) above; /* pages of single functions, the last one shown */
	struct tui_page *help;			/* shown above all; NULL: it is not */
	struct str message;			/* in the last line until the next key */
	bool is_typing;				/* what is searched for */
	struct str typed, wanted;
	int width, height;
	bool has_quit;
	/* Called before the profile is read, with a screen that says so; NULL: nobody looks. */
	void (*announce)(const struct browser_screen *screen);
};

/*
 * Opens the profile, its first analysis and the first page. `options` have to stay. To be closed in
 * any case.
 */
bool browser_open(struct browser *browser, const struct tui_options *options, struct error *err);
/* The first page: apart, so that the caller can have a screen for it first. */
bool browser_begin(struct browser *browser, struct error *err);
void browser_close(struct browser *browser);

void browser_resize(struct browser *browser, int width, int height);
void browser_press(struct browser *browser, int key);

/* The page in front. */
struct tui_page *browser_page(const struct browser *browser);

/* What is known of the profile before it is read. */
void browser_draw_reading(const struct browser *browser, struct browser_screen *screen);
/* At most `height` lines. To be freed; the next call may be with the same screen. */
void browser_draw(struct browser *browser, struct browser_screen *screen);
void browser_screen_fini(struct browser_screen *screen);

/* ---- tabs.c: the views that have a page each ---- */

struct browser_tab {
	const char *name, *view;
	bool inverted;
};
extern const struct browser_tab browser_tabs[];
extern const size_t browser_tab_count;

/* The tab of a view; the number of tabs where it has none. */
size_t browser_tab_of(const char *view, bool inverted);

#endif
