/*
 * Text for people: columns aligned and as wide as the terminal, one unit per column, names
 * shortened in the middle and told apart by their address where that makes them look alike.
 * Two passes over the rows: the first measures, the second writes.
 */
#include "report/text/text.h"
#include "report/table/calltree.h"
#include "report/text/line.h"
#include "report/words/bar.h"
#include "report/words/name.h"
#include "report/words/number.h"
#include "report/words/style.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
	GAP = 2,
	NAME_MIN = 9,
	MODULE_MIN = 14, /* where it is half of a function's name */
	MAIN_MIN = 22,
	MAIN_WANTED = 28, /* and of wide terminals MAIN_SHARE % */
	MAIN_SHARE = 40,
	TREE_WANTED = 48,
	TREE_MIN = 40,
	INDENT_SHARE = 5,
	FUNCTION_MORE = 6,
	LOOK_ALIKES_MAX = 1000,
	WHOLE_MAX = 36, /* wider places are shortened after all */
	BAR_SHARE = 13, /* of the width for a bar */
	BAR_MIN = 6,
	BAR_MAX = 12,
	SIGNS_MAX = 16,
	OWN_SCALE = 10000, /* so much less than the largest time of a table has a unit of its own */
};

struct text_column {
	const struct column *column;
	size_t natural, width;
	bool is_text, is_main, is_empty, is_time;
	bool is_whole;	  /* not to be shortened */
	double most;	  /* of bars: the largest share, which fills the column */
	uint64_t largest; /* of times */
	enum time_scale scale;
	unsigned decimals;
	char title[48];
};

struct text_table {
	const struct report *report;
	const struct report_table *table;
	FILE *stream;
	struct text_column columns[COLUMNS_MAX];
	size_t count;
	uint64_t largest; /* of all times but those per call */
	struct str scratch, cell, line, beside;
	struct str full;	     /* what the cell is short for, where it is a function's name */
	const struct column *module; /* NULL: the table shows no modules */
	bool needs_module;	     /* a name is short because of that */
	struct strmap shown; /* shortened name → its row's function, to find look-alikes */
	struct arena names;
	bool has_sign[SIGNS_MAX], any_shaded;
};

static bool is_text(const struct column *column)
{
	return column->type == CELL_TEXT || column->type == CELL_ADDRESS;
}

static void cell_get(struct text_table *t, const struct report_row *row,
		     const struct text_column *column, struct cell *cell)
{
	column_read(column->column, t->report, row, &t->scratch, cell);
}

/* What stands before the name of a row of a tree: blanks, for deep ones fewer and the level. */
static void append_indent(const struct text_table *t, const struct report_row *row,
			  const struct text_column *column, struct str *out)
{
	const size_t natural = 2 * (size_t)row->indent;
	const int most = t->report->options->width / INDENT_SHARE;

	if (column->column->role != ROLE_FRAME)
		return;
	if (natural <= (size_t)most)
		str_printf(out, "%*s", (int)natural, "");
	else
		str_printf(out, "%*s[%u] ", most, "", row->indent);
}

/* Of the bits of an int64_t. */
static uint64_t magnitude(uint64_t number)
{
	return (int64_t)number < 0 ? 0 - number : number;
}

static void append_sign(struct str *out, uint64_t number, bool unicode)
{
	if (number)
		str_append(out, (int64_t)number > 0 ? "+" : unicode ? "\u2212" : "-");
}

/*
 * The name of a function without one is its module and an address, "libx.so+0x4970": the address
 * alone where the row has the module in a column of its own.
 */
static const char *without_module(struct text_table *t, const struct report_row *row,
				  const struct text_column *column, const char *text)
{
	const enum column_role role = column->column->role;
	const char *address = strstr(text, "+0x");
	struct cell module;

	if (!t->module || !address || row->last != row->node ||
	    (role != ROLE_FUNCTION && role != ROLE_FRAME))
		return text;
	column_read(t->module, t->report, row, &t->beside, &module);
	const size_t length = (size_t)(address - text);
	if (module.type != CELL_TEXT || strlen(module.text) != length ||
	    memcmp(module.text, text, length) != 0)
		return text;
	t->needs_module = true;
	return address;
}

/* Whether the cell is the name of a function. */
static bool names_code(const struct report_row *row, const struct text_column *column)
{
	const enum column_role role = column->column->role;

	if (role == ROLE_CALLER)
		return true;
	return (row->function || row->type == ROW_VERDICT || row->type == ROW_LINE ||
		row->type == ROW_PAIR) &&
	       (role == ROLE_FUNCTION || role == ROLE_FRAME || role == ROLE_OTHER_FUNCTION);
}

static void format_text(struct text_table *t, const struct report_row *row,
			const struct text_column *column, const char *text)
{
	const bool unicode = t->report->options->unicode;

	const bool is_path = column->column->role == ROLE_CALL_PATH;

	text = without_module(t, row, column, text);
	str_clear(&t->full);
	if (!is_path && !names_code(row, column)) {
		name_append_escaped(&t->cell, text, unicode);
		return;
	}
	name_append_escaped(&t->full, text, unicode);
	report_append_frames_plain(&t->cell, t->full.data ? t->full.data : "",
				   is_path ? ";" : report_frames_separator(unicode), unicode);
}

/* The cell as text in t->cell, names as wide as they are. */
static void cell_format(struct text_table *t, const struct report_row *row,
			const struct text_column *column)
{
	const bool unicode = t->report->options->unicode;
	struct cell cell;

	str_clear(&t->cell);
	cell_get(t, row, column, &cell);
	switch (cell.type) {
	case CELL_EMPTY:
		break;
	case CELL_TEXT:
		format_text(t, row, column, cell.text);
		break;
	case CELL_COUNT:
		number_append(&t->cell, cell.number);
		break;
	case CELL_SIGNED:
		str_printf(&t->cell, "%" PRId64, (int64_t)cell.number);
		break;
	case CELL_TIME:
		if (column->column->each && column->scale != SCALE_TICKS)
			time_append_with_unit(&t->cell, cell.number, unicode);
		else
			time_append(&t->cell, cell.number, column->scale, column->decimals);
		break;
	case CELL_PERCENT:
		if (column->column->role == ROLE_EACH) {
			str_printf(&t->cell, "%.2f", cell.percent);
			break;
		}
		/* What rounds to nothing has no sign. */
		str_printf(&t->cell, "%.1f", fabs(cell.percent) < 0.05 ? 0.0 : cell.percent);
		break;
	case CELL_COUNT_CHANGE:
		append_sign(&t->cell, cell.number, unicode);
		number_append(&t->cell, magnitude(cell.number));
		break;
	case CELL_TIME_CHANGE:
		append_sign(&t->cell, cell.number, unicode);
		time_append(&t->cell, magnitude(cell.number), column->scale, column->decimals);
		break;
	case CELL_PERCENT_CHANGE:
		append_sign(&t->cell, cell.percent < 0 ? UINT64_MAX : cell.percent > 0, unicode);
		str_printf(&t->cell, "%.1f", fabs(cell.percent));
		break;
	case CELL_BAR: /* drawn by itself */
		break;
	case CELL_ADDRESS:
		str_printf(&t->cell, "0x%" PRIx64, cell.number);
		break;
	}
}

/* ---- measuring ---- */

static void column_scan(struct text_table *t, struct text_column *column)
{
	vec_foreach (row, &t->table->rows) {
		struct cell cell;
		cell_get(t, row, column, &cell);
		if (cell.type != CELL_EMPTY)
			column->is_empty = false;
		if (cell.type == CELL_BAR && cell.percent > column->most)
			column->most = cell.percent;
		const bool change = cell.type == CELL_TIME_CHANGE;
		if ((cell.type != CELL_TIME && !change) || column->column->each)
			continue;
		const uint64_t size = change ? magnitude(cell.number) : cell.number;
		column->is_time = true;
		if (size > column->largest)
			column->largest = size;
	}
	if (column->largest > t->largest)
		t->largest = column->largest;
}

/*
 * Times of a table have one unit, so that they compare. Where a column would have no digit of it
 * left, it has its own.
 */
static void column_choose_scale(const struct text_table *t, struct text_column *column)
{
	const bool ticks = t->report->options->unit == REPORT_TICKS;

	column->scale = ticks ? SCALE_TICKS : time_scale_for(t->largest);
	if (!ticks && column->largest && column->largest < t->largest / OWN_SCALE)
		column->scale = time_scale_for(column->largest);
	column->decimals = column->largest ? time_decimals(column->largest, column->scale) : 0;
}

/* How wide its cells are; no narrower than it is. */
static void cells_measure(struct text_table *t, struct text_column *column)
{
	vec_foreach (row, &t->table->rows) {
		str_clear(&t->line);
		append_indent(t, row, column, &t->line);
		cell_format(t, row, column);
		const size_t width = t->line.len + (t->cell.data ? name_width(t->cell.data) : 0);
		if (width > column->natural)
			column->natural = width;
	}
	str_clear(&t->line);
	column->width = column->natural;
}

static void column_measure(struct text_table *t, struct text_column *column)
{
	const struct report_options *options = t->report->options;
	const struct column *c = column->column;
	struct str title = {0};
	const bool of_time = c->type == CELL_TIME || c->type == CELL_TIME_CHANGE;

	const bool with_unit = column->is_time || (of_time && !c->each);
	name_append_sentence(&title, with_unit && c->role == ROLE_WEIGHT ? "time" : c->title,
			     options->unicode);
	snprintf(column->title, sizeof(column->title), "%s%s%s", title.data ? title.data : "",
		 with_unit ? " " : "",
		 with_unit ? time_scale_name(column->scale, options->unicode) : "");
	str_fini(&title);
	column->natural = name_width(column->title);
	if (c->type == CELL_BAR) {
		const size_t wanted = (size_t)options->width / BAR_SHARE;
		column->natural = wanted < BAR_MIN ? BAR_MIN : wanted < BAR_MAX ? wanted : BAR_MAX;
	}
	cells_measure(t, column);
	column->is_whole = column->is_whole && column->natural <= WHOLE_MAX;
}

/* Of the columns that can take what room is left, the first does; else the last name. */
static void choose_main(struct text_table *t)
{
	struct text_column *best = NULL;

	/* A function, its caller and what they wait for are worth the same. */
	for (size_t i = 0; i < t->count; i++)
		if (t->columns[i].column->role == ROLE_CALLER)
			return;
	for (size_t i = 0; i < t->count; i++) {
		struct text_column *column = &t->columns[i];
		const enum column_role role = column->column->role;
		if (role >= ROLE_FUNCTION && role <= ROLE_SOURCE) {
			best = column;
			break;
		}
		if (column->is_text && column->column->title[0])
			best = column;
	}
	if (best)
		best->is_main = true;
}

static size_t total_width(const struct text_table *t)
{
	size_t width = 0;

	for (size_t i = 0; i < t->count; i++)
		width += t->columns[i].width + (i ? GAP : 0);
	return width;
}

static size_t main_wanted(const struct text_table *t)
{
	const size_t share = (size_t)t->report->options->width * MAIN_SHARE / 100;

	return share > MAIN_WANTED ? share : MAIN_WANTED;
}

static size_t least_name(const struct text_table *t, const struct text_column *column)
{
	return t->needs_module && column->column == t->module ? MODULE_MIN : NAME_MIN;
}

static size_t wanted_width(const struct text_table *t, const struct text_column *column)
{
	if (column->column->role == ROLE_FRAME)
		return TREE_WANTED;
	if (column->is_whole)
		return column->natural;
	const enum column_role role = column->column->role;
	const bool is_function =
		role == ROLE_FUNCTION || role == ROLE_CALLER || role == ROLE_OBJECT;
	const size_t least = column->is_main ? main_wanted(t)
			     : is_function   ? MAIN_MIN
					     : least_name(t, column);
	const size_t title = name_width(column->title);
	return least > title ? least : title;
}

/* What the table takes when names are as short as is still useful. */
static size_t least_width(const struct text_table *t)
{
	size_t width = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct text_column *column = &t->columns[i];
		const size_t least = wanted_width(t, column);
		width += (column->is_text && column->natural > least ? least : column->natural) +
			 (i ? GAP : 0);
	}
	return width;
}

static void column_remove(struct text_table *t, size_t index)
{
	memmove(&t->columns[index], &t->columns[index + 1],
		(t->count - index - 1) * sizeof(t->columns[0]));
	t->count--;
}

static void column_drop(struct text_table *t, const char *name, size_t length)
{
	for (size_t i = 0; i < t->count; i++) {
		const char *own = t->columns[i].column->name;
		if (strlen(own) == length && memcmp(own, name, length) == 0) {
			column_remove(t, i);
			return;
		}
	}
}

/* Leaves out the view's less important columns until there is room for the rest. */
static void drop_columns(struct text_table *t, size_t width)
{
	const char *drop = t->table->drop;

	while (!t->table->by_user && drop && *drop && least_width(t) > width) {
		const size_t length = strcspn(drop, ",");
		column_drop(t, drop, length);
		drop += length + (drop[length] == ',');
	}
}

/* Among names that are worth much the same, a function's may be longer. */
static size_t wideness(const struct text_column *column)
{
	const bool is_favoured = column->column->role == ROLE_FUNCTION && !column->is_main;

	return is_favoured && column->width > FUNCTION_MORE ? column->width - FUNCTION_MORE
							    : column->width;
}

/*
 * Takes what is too much from names, the main one or the others, down to `least`, which is for the
 * main one, or the title: from
 * the widest, so that all of them stay readable.
 */
static void shrink_to(struct text_table *t, size_t width, bool main, size_t least)
{
	while (total_width(t) > width) {
		struct text_column *widest = NULL;

		for (size_t i = 0; i < t->count; i++) {
			struct text_column *column = &t->columns[i];
			const size_t title = name_width(column->title);
			const size_t name = main ? least : least_name(t, column);
			if (column->is_text && !column->is_whole && column->is_main == main &&
			    column->width > (name > title ? name : title) &&
			    (!widest || wideness(column) >= wideness(widest)))
				widest = column;
		}
		if (!widest)
			return;
		widest->width--;
	}
}

static void shrink_names(struct text_table *t, size_t width)
{
	bool tree = false;

	for (size_t i = 0; i < t->count; i++)
		tree = tree || t->columns[i].column->role == ROLE_FRAME;
	shrink_to(t, width, true, tree ? TREE_WANTED : main_wanted(t));
	shrink_to(t, width, false, 0);
	shrink_to(t, width, true, tree ? TREE_MIN : MAIN_MIN);
	for (size_t i = 0; i < t->count; i++)
		t->columns[i].is_whole = false;
	shrink_to(t, width, false, 0);
}

/* The last column of the group that begins at `first`; groups without title are single columns. */
static size_t group_last(const struct text_table *t, size_t first)
{
	const char *group = t->columns[first].column->group;
	size_t last = first;

	while (group[0] && last + 1 < t->count &&
	       strcmp(t->columns[last + 1].column->group, group) == 0)
		last++;
	return last;
}

static size_t span_width(const struct text_table *t, size_t first, size_t last)
{
	size_t width = (last - first) * GAP;

	for (size_t i = first; i <= last; i++)
		width += t->columns[i].width;
	return width;
}

/* A group's title needs as much room as its columns. */
static void widen_groups(struct text_table *t)
{
	for (size_t i = 0; i < t->count; i = group_last(t, i) + 1) {
		const size_t width = span_width(t, i, group_last(t, i));
		const size_t title = strlen(t->columns[i].column->group);
		if (width >= title)
			continue;
		t->columns[i].width += title - width;
		t->columns[i].natural += title - width;
	}
}

/* The column of the rows' modules that is still shown, and the names that stand beside it. */
static void find_module(struct text_table *t)
{
	const struct column *before = t->module;

	t->module = NULL;
	for (size_t i = 0; i < t->count; i++) {
		const struct column *column = t->columns[i].column;
		if (strcmp(column->name, "module") == 0)
			t->module = column;
	}
	for (size_t i = 0; before && !t->module && i < t->count; i++)
		if (t->columns[i].is_text)
			cells_measure(t, &t->columns[i]);
}

static void table_measure(struct text_table *t)
{
	const size_t width = (size_t)t->report->options->width;

	for (size_t i = 0; i < t->table->column_count; i++) {
		struct text_column *column = &t->columns[t->count++];
		*column = (struct text_column){.column = t->table->columns[i],
					       .is_text = is_text(t->table->columns[i]),
					       .is_empty = true};
		column->is_whole =
			column->column->type == CELL_ADDRESS || column->column->role == ROLE_WHOLE;
		column_scan(t, column);
		/* A column of marks that nothing bears, or lines of code that has none. */
		if (column->is_empty &&
		    (!column->column->title[0] || t->report->view->id == VIEW_ANNOTATE))
			t->count--;
	}
	find_module(t);
	for (size_t i = 0; i < t->count; i++) {
		column_choose_scale(t, &t->columns[i]);
		column_measure(t, &t->columns[i]);
	}
	choose_main(t);
	widen_groups(t);
	drop_columns(t, width);
	find_module(t);
	widen_groups(t);
	/* Columns that the user asked for and that cannot fit are not mutilated either. */
	if (!t->table->by_user || least_width(t) <= width)
		shrink_names(t, width);
}

/* ---- writing ---- */

static void append_padding(struct text_table *t, size_t width)
{
	static const char blanks[] = "                                                            ";

	for (size_t left = width; left;) {
		const size_t part = left < sizeof(blanks) - 1 ? left : sizeof(blanks) - 1;
		str_append_bytes(&t->line, blanks, part);
		left -= part;
	}
}

/* The line that was appended, without the blanks at its end. */
static const char *line_end(struct text_table *t)
{
	while (t->line.len && t->line.data[t->line.len - 1] == ' ')
		t->line.data[--t->line.len] = 0;
	return t->line.data ? t->line.data : "";
}

/* Styled lines begin and end so by themselves, as pagers want it. */
static void write_line(struct text_table *t, const char *style)
{
	line_end(t);
	line_write(t->stream, t->report->options, style, t->line.data ? t->line.data : "");
	str_clear(&t->line);
}

/* A title over neighbouring columns of one group: "---- Elapsed ----". */
static void append_group(struct text_table *t, const char *title, size_t width)
{
	const size_t around = width - strlen(title), left = around / 2;

	for (size_t i = 0; i < left; i++)
		str_append(&t->line, i + 1 < left ? "-" : " ");
	str_append(&t->line, title);
	for (size_t i = 0; i < around - left; i++)
		str_append(&t->line, i ? "-" : " ");
}

/* Whether there is any. */
static bool append_groups(struct text_table *t)
{
	bool any = false;

	for (size_t i = 0; i < t->count; i = group_last(t, i) + 1) {
		const char *title = t->columns[i].column->group;
		const size_t width = span_width(t, i, group_last(t, i));
		any = any || title[0];
		append_padding(t, i ? GAP : 0);
		if (title[0])
			append_group(t, title, width);
		else
			append_padding(t, width);
	}
	return any;
}

static void append_titles(struct text_table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct text_column *column = &t->columns[i];
		const size_t pad = column->width - name_width(column->title);
		append_padding(t, (i ? GAP : 0) + (column->is_text ? 0 : pad));
		str_append(&t->line, column->title);
		append_padding(t, column->is_text ? pad : 0);
	}
}

static void write_titles(struct text_table *t)
{
	if (append_groups(t))
		write_line(t, STYLE_DIM);
	str_clear(&t->line);
	append_titles(t);
	write_line(t, STYLE_BOLD);
}

/* What tells names apart, from the second on that look alike. */
static void put_mark(const struct report_row *row, unsigned attempt, uint64_t identity, char *mark,
		     size_t size)
{
	/* Rows of several frames differ in those between, of which there are many. */
	if (attempt == 2 && row->last != row->node)
		snprintf(mark, size, "[%06x]...", (unsigned)(identity & 0xffffff));
	else if (attempt == 2 && row->function && row->function->link_addr)
		snprintf(mark, size, "[%" PRIx64 "]...", row->function->link_addr);
	else if (attempt > 1)
		snprintf(mark, size, "[%u]...", attempt - 1);
}

/*
 * Appends the name in t->cell. Names that differ but would look alike when shortened get the
 * arguments of their templates, their address, or a number.
 */
static void append_distinct(struct text_table *t, const struct report_row *row, size_t width,
			    bool is_code, struct str *out)
{
	const bool unicode = t->report->options->unicode;
	const struct str *whole = t->full.len ? &t->full : &t->cell;
	const uint64_t identity = hash_bytes(whole->data, whole->len);
	struct str name = {0};
	char mark[32] = "";

	/* A full name looks like no shortened one, unless it has dots of its own. */
	if (name_width(whole->data) <= width && strcmp(whole->data, t->cell.data) == 0 &&
	    !strstr(whole->data, "...") && !strstr(whole->data, "\u2026")) {
		str_append(out, whole->data);
		return;
	}
	for (unsigned attempt = 0; attempt < LOOK_ALIKES_MAX; attempt++) {
		const bool fitted =
			is_code && (attempt == 0 || (attempt == 1 && t->full.len != t->cell.len));
		put_mark(row, attempt, identity, mark, sizeof(mark));
		str_clear(&name);
		report_append_frames_shortened(&name, attempt == 1 ? whole->data : t->cell.data,
					       width, fitted ? NULL : mark, unicode);
		const char *key = arena_strdup(&t->names, name.data ? name.data : "");
		if (*strmap_put(&t->shown, key, identity) == identity)
			break;
	}
	str_append(out, name.data ? name.data : "");
	str_fini(&name);
}

static const char *cell_style(const struct text_table *t, const struct report_row *row,
			      const struct text_column *column, const struct cell *cell)
{
	const enum column_role role = column->column->role;

	if (!t->report->options->color)
		return "";
	if (cell->type == CELL_PERCENT && role != ROLE_MARGIN && role != ROLE_BOUND &&
	    role != ROLE_DIFFERENCE && role != ROLE_EACH)
		return style_of_share(cell->percent);
	if (role == ROLE_HOT)
		return STYLE_HOT;
	if (row->type == ROW_OS_TOTAL || (row->hot && column->is_text))
		return STYLE_BOLD;
	if (cell->type == CELL_EMPTY || role == ROLE_ASIDE)
		return column->is_main ? "" : STYLE_DIM;
	return role == ROLE_CONFIDENCE ? STYLE_WARM : "";
}

/* What is explained below the table, where a column of the role has the sign. */
static const struct sign {
	enum column_role role;
	const char *sign, *ascii; /* NULL: the column is there */
	const char *words;
	bool once; /* below the last table only */
} signs[] = {
	{ROLE_CONFIDENCE, "~", "~",
	 "~ overhead-dominated: exclusive time per call < 5 x probe cost", false},
	{ROLE_CONFIDENCE, "?", "?",
	 "? within the error: exclusive time may be nothing but probe cost", false},
	{ROLE_DISARMED, "\u2265", ">=",
	 "\u2265 at least: calls by code without probes, through pointers, or while disarmed are "
	 "not in it",
	 false},
	{ROLE_DISARMED, "\u2248", "~",
	 "\u2248 of call paths: shared out by samples; of functions: some calls may be missing",
	 false},
	{ROLE_HOT, "\u25b8", ">",
	 "\u25b8 hot path: children with at least half of their parent's value", false},
	{ROLE_MARGIN, NULL, NULL,
	 "\u00b1 95 % confidence: the sampling error of the share before it", true},
	{ROLE_DIFFERS, "!", "!", "! the share by calls lies outside of the samples' 95 % interval",
	 false},
};
_Static_assert(TABLE_COUNT(signs) <= SIGNS_MAX, "text_table has room for all signs");

static void note_signs(struct text_table *t, const struct text_column *column,
		       const struct cell *cell)
{
	for (size_t i = 0; i < TABLE_COUNT(signs); i++)
		if (signs[i].role == column->column->role &&
		    (!signs[i].sign ||
		     (cell->type == CELL_TEXT && (strcmp(cell->text, signs[i].sign) == 0 ||
						  strcmp(cell->text, signs[i].ascii) == 0))))
			t->has_sign[i] = true;
	t->any_shaded |=
		column->column->role == ROLE_TIME_BAR && cell->type == CELL_BAR && cell->on_cpu < 1;
}

static bool is_code(const struct column *column)
{
	return column->role == ROLE_CODE || column->role == ROLE_SOURCE;
}

static bool is_annotation(const struct report_row *row)
{
	return row->type == ROW_ANNOTATED || row->type == ROW_BARE;
}

/* The cell's text, as wide as it is or as the column lets it be. */
static void append_shown(struct text_table *t, const struct report_row *row,
			 const struct text_column *column, struct str *out)
{
	cell_format(t, row, column);
	append_indent(t, row, column, out);
	if (is_code(column->column) && t->cell.len)
		name_append_cut(out, t->cell.data, column->width);
	else if (column->is_text && t->cell.len)
		append_distinct(t, row, column->width - out->len, names_code(row, column), out);
	else if (t->cell.len)
		str_append(out, t->cell.data);
	else
		str_append(out, column->is_text || is_annotation(row) ? "" : "-");
}

static void append_bar(struct text_table *t, const struct text_column *column,
		       const struct cell *cell)
{
	const struct report_options *options = t->report->options;
	const struct bar_look look = {.width = column->width,
				      .unicode = options->unicode,
				      .color = options->color,
				      .style = STYLE_WORK};

	if (cell->type == CELL_BAR && column->most > 0)
		bar_append(&t->line, cell->percent / column->most, cell->on_cpu, &look);
	else
		append_padding(t, column->width);
}

static void append_cell(struct text_table *t, const struct report_row *row, size_t index)
{
	const struct text_column *column = &t->columns[index];
	struct str text = {0};
	struct cell cell;

	append_padding(t, index ? GAP : 0);
	cell_get(t, row, column, &cell);
	note_signs(t, column, &cell);
	if (column->column->type == CELL_BAR) {
		append_bar(t, column, &cell);
		return;
	}
	const char *style = cell_style(t, row, column, &cell);
	append_shown(t, row, column, &text);
	const char *shown = text.data ? text.data : "";
	const size_t width = name_width(shown);
	const size_t pad = column->width > width ? column->width - width : 0;
	append_padding(t, column->is_text ? 0 : pad);
	if (style[0] && shown[0])
		str_printf(&t->line, "%s%s%s", style, shown, STYLE_OFF);
	else
		str_append(&t->line, shown);
	append_padding(t, column->is_text ? pad : 0);
	str_fini(&text);
}

static void write_rows(struct text_table *t)
{
	vec_foreach (row, &t->table->rows) {
		if (row->heading) {
			if (row != t->table->rows.data)
				line_write(t->stream, t->report->options, "", "");
			name_append_escaped(&t->line, row->heading, t->report->options->unicode);
			write_line(t, STYLE_BOLD);
		}
		for (size_t i = 0; i < t->count; i++)
			append_cell(t, row, i);
		write_line(t, "");
	}
}

/* What could not be shown; names of files are in it. */
static void write_note(const struct text_table *t, const char *note)
{
	line_printf(t->stream, t->report->options, "note: %s", note);
}

/* What the bars mean is said once. */
static bool is_first_with_bars(const struct text_table *t)
{
	for (const struct report_table *table = t->report->tables; table != t->table; table++)
		for (size_t i = 0; i < table->column_count; i++)
			if (table->rows.len && table->columns[i]->role == ROLE_TIME_BAR)
				return false;
	return true;
}

static void write_legend(const struct text_table *t)
{
	const bool unicode = t->report->options->unicode, color = t->report->options->color;

	line_printf(t->stream, t->report->options,
		    "%s%s%s on the CPU  %s%s%s waiting: blocked or preempted",
		    color ? STYLE_WORK : "", unicode ? "\u2588" : "#", color ? STYLE_OFF : "",
		    color ? STYLE_WAIT : "",
		    !unicode ? ":"
		    : color  ? "\u2588"
			     : "\u2591",
		    color ? STYLE_OFF : "");
}

static void write_footer(struct text_table *t)
{
	const struct report_options *options = t->report->options;
	const bool is_last = t->table == &t->report->tables[t->report->table_count - 1];
	struct str text = {0};

	if (t->table->hidden) {
		number_append(&text, t->table->hidden);
		line_printf(t->stream, options, "... %s more; --limit=0 shows all", text.data);
	}
	if (t->report->is_outlined && t->table == &t->report->tables[t->report->outlined])
		report_write_text_noise(t->report, t->stream);
	if (t->any_shaded && is_first_with_bars(t))
		write_legend(t);
	for (size_t i = 0; i < TABLE_COUNT(signs); i++)
		if (t->has_sign[i] && (is_last || !signs[i].once))
			line_write(t->stream, options, "", signs[i].words);
	if (t->report->annotated)
		vec_foreach (note, &t->report->annotation.notes)
			write_note(t, *note);
	str_fini(&text);
}

static struct text_table *text_table_new(const struct report *report,
					 const struct report_table *table, FILE *stream)
{
	struct text_table *t = mem_zalloc(sizeof(*t));

	t->report = report;
	t->table = table;
	t->stream = stream;
	strmap_init(&t->shown);
	arena_init(&t->names);
	return t;
}

struct text_table *report_lines_new(const struct report *report, const struct report_table *table)
{
	struct text_table *t = text_table_new(report, table, NULL);

	table_measure(t);
	return t;
}

const char *report_lines_groups(struct text_table *t)
{
	str_clear(&t->line);
	if (!append_groups(t))
		str_clear(&t->line);
	return line_end(t);
}

const char *report_lines_titles(struct text_table *t)
{
	str_clear(&t->line);
	append_titles(t);
	return line_end(t);
}

const char *report_lines_row(struct text_table *t, const struct report_row *row)
{
	str_clear(&t->line);
	for (size_t i = 0; i < t->count; i++)
		append_cell(t, row, i);
	return line_end(t);
}

void report_write_text_table(const struct report *report, const struct report_table *table,
			     FILE *stream)
{
	struct text_table *t = text_table_new(report, table, stream);

	line_write(stream, report->options, "", "");
	if (table->title)
		line_write_parts(stream, report->options, STYLE_BOLD, table->title);
	if (table->rows.len) {
		table_measure(t);
		write_titles(t);
		write_rows(t);
	} else {
		line_write(stream, report->options, "", "(no rows)");
	}
	write_footer(t);
	report_lines_free(t);
}

void report_lines_free(struct text_table *t)
{
	if (!t)
		return;
	strmap_fini(&t->shown);
	arena_fini(&t->names);
	str_fini(&t->scratch);
	str_fini(&t->cell);
	str_fini(&t->full);
	str_fini(&t->line);
	str_fini(&t->beside);
	free(t);
}

/* Whether the view is where a reader looks for how it was recorded. */
static bool ends_with_facts(const struct report *report)
{
	return !report->options->verbose &&
	       (report->view->id == VIEW_SUMMARY || report->view->id == VIEW_COVERAGE);
}

void report_write_text(const struct report *report, FILE *stream)
{
	const bool advises = report->view->id == VIEW_SUMMARY || report->view->id == VIEW_COVERAGE;
	bool advised = false;

	report_write_text_header(report, stream, report->options->verbose);
	for (size_t i = 0; i < report->table_count; i++) {
		const struct report_table *table = &report->tables[i];
		/* What only waits for work is no answer: that comes first. */
		if (advises && strcmp(table->name, "idle") == 0) {
			report_write_text_advice(report, stream);
			advised = true;
		}
		report_write_text_table(report, table, stream);
	}
	if (advises && !advised)
		report_write_text_advice(report, stream);
	if (ends_with_facts(report)) {
		line_write(stream, report->options, "", "");
		line_write(stream, report->options, STYLE_BOLD, "How it was recorded");
		report_write_text_facts(report, stream);
	}
}
