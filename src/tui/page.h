/*
 * page: one view of the profile as rows to move over, without a terminal: a table, a call tree
 * that is opened row by row, or text. Private to tui.
 */
#ifndef TARE_TUI_PAGE_H
#define TARE_TUI_PAGE_H

#include "report/table/table.h"

enum tui_page_kind { PAGE_TABLE, PAGE_TREE, PAGE_TEXT };

/* Which columns: all of the view, or those that are shares, or those that are none. */
enum tui_values { VALUES_ALL, VALUES_SHARES, VALUES_AMOUNTS, VALUES_COUNT };

struct tui_row {
	struct report_row row;
	const char *heading; /* a line that is no row, else NULL */
	bool is_open;	     /* of a tree: the rows below it follow */
};

struct tui_rows vec_of(struct tui_row);

/* What a page is to show. */
struct tui_target {
	const char *view;     /* a name of report_view_names */
	const char *function; /* a glob, of views that need one; else NULL */
	const char *module;   /* a glob, or NULL: all */
	bool inverted, assembly;
};

struct tui_page {
	enum tui_page_kind kind;
	struct report report;
	struct report_options options;
	char *function, *module, *sort; /* owned; what the options have of them */
	bool is_filled;			/* the report is open */
	struct tui_rows rows;
	struct report_table shown; /* the columns in effect, and rows to measure */
	enum tui_values values;
	size_t cursor, top;
	size_t shift; /* columns of the terminal */
	bool wide;
	/* text */
	char *text;
	struct vec_of(const char *) lines;
	int text_width; /* that it was made for; 0: it fits any */
	/* what is searched for; by function and by node, see search.c */
	char *wanted;
	bool *function_found, *node_found;
};

/* NULL with err where there is no such page. The analysis has to stay; `options` are copied. */
struct tui_page *tui_page_new(const struct analysis *analysis, const struct report_options *options,
			      const struct tui_target *target, struct error *err);
struct tui_page *tui_page_of_text(const char *text);
void tui_page_free(struct tui_page *page);

/* How many rows or lines there are; and the row at the cursor, NULL where it is none. */
size_t tui_page_length(const struct tui_page *page);
const struct report_row *tui_page_row(const struct tui_page *page);

/* Moves the cursor, from a heading further on in the same direction. */
void tui_page_move(struct tui_page *page, size_t to, bool backward);
/* Chooses `top` so that the cursor is among `height` lines. */
void tui_page_scroll(struct tui_page *page, size_t height);

/* Chooses the columns. */
void tui_page_show_values(struct tui_page *page, enum tui_values values);
/* The next column to sort by (steps 1), the one before (-1), or the same turned round (0). */
bool tui_page_sort(struct tui_page *page, int steps, struct error *err);
/* What it is sorted by, "-calls"; NULL: it has an order of its own. */
const char *tui_page_order(const struct tui_page *page);

/* Makes the text anew where it was made for another width. */
void tui_page_fit(struct tui_page *page, int width);

/* ---- row_tree.c ---- */

/* Puts the rows below the row into the tree, or takes them out; false: there are none. */
bool tui_tree_open(struct tui_page *page, size_t index);
void tui_tree_close(struct tui_page *page, size_t index);
/* Opens it, and below it the first row of each level that is on the hot path or has half of it. */
void tui_tree_open_hot(struct tui_page *page, size_t index);
void tui_tree_close_all(struct tui_page *page);
/* Makes the first rows. */
void tui_tree_begin(struct tui_page *page);
/* The row above it; its own index where it is one of the first. */
size_t tui_tree_above(const struct tui_page *page, size_t index);
/* The index behind the last row below it. */
size_t tui_tree_end(const struct tui_page *page, size_t index);
/* Sorts all rows that are open anew. */
void tui_tree_sort(struct tui_page *page);

/* ---- search.c ---- */

/* What n and N find from now on: a part of a name, in any case of letters. */
void tui_page_search(struct tui_page *page, const char *wanted);
/* Goes there, and opens what it is in; false: there is none. Begins again at the other end. */
bool tui_page_find(struct tui_page *page, bool backward, bool *wrapped);

#endif
