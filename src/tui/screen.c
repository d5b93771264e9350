/* See screen.h. ^Z is ncurses' own. */
#include "tui/screen.h"

#include "tui/restore.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <ncursesw/curses.h>

enum { LOOK_MS = 250 };

static struct {
	SCREEN *screen;
	bool color;
} terminal;

/* ---- opening ---- */

static short pair_of(short color)
{
	return (short)(color + 1);
}

static void prepare_colors(bool color)
{
	terminal.color = color && has_colors() && start_color() == OK;
	if (!terminal.color)
		return;
	const short background = use_default_colors() == OK ? -1 : COLOR_BLACK;
	for (short i = 0; i < 8; i++)
		init_pair(pair_of(i), i, background);
	/* The ground of bars. */
	init_pair(pair_of(8), -1, COLOR_BLUE);
}

/* Whether the terminal has another size now, which is taken over. */
static bool take_size(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col ||
	    (size.ws_row == LINES && size.ws_col == COLS))
		return false;
	resizeterm(size.ws_row, size.ws_col);
	return true;
}

static volatile sig_atomic_t was_continued;

static void on_continue(int number)
{
	(void)number;
	was_continued = 1;
}

/* After SIGSTOP, which nobody is told of, the shell has had the terminal meanwhile. */
static bool take_back(void)
{
	if (!was_continued)
		return false;
	was_continued = 0;
	reset_prog_mode();
	clearok(curscr, TRUE);
	return true;
}

bool screen_open(bool color, struct error *err)
{
	if (!restore_is_possible(err))
		return false;
	terminal.screen = newterm(NULL, stdout, stdin);
	if (!terminal.screen)
		return error_set(err, ERROR_NOT_FOUND, "the terminal cannot be used");
	restore_on_signals();
	sigaction(SIGCONT, &(struct sigaction){.sa_handler = on_continue}, NULL);
	set_escdelay(25);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	take_size(); /* LINES and COLUMNS may have told another one */
	prepare_colors(color);
	return true;
}

void screen_close(void)
{
	if (!terminal.screen)
		return;
	endwin();
	delscreen(terminal.screen);
	terminal.screen = NULL;
}

void screen_size(int *width, int *height)
{
	getmaxyx(stdscr, *height, *width);
}

/* ---- lines ---- */

/* What a style of report/words/style.h is here; returns its length. */
static size_t take_style(const char *at, attr_t *attributes, short *pair)
{
	size_t length = 2;
	unsigned number = 0;

	for (;; length++) {
		const char c = at[length];
		if (c >= '0' && c <= '9') {
			number = number * 10 + (unsigned)(c - '0');
			continue;
		}
		if (number == 0) {
			*attributes = A_NORMAL;
			*pair = 0;
		} else if (number == 1) {
			*attributes |= A_BOLD;
		} else if (number == 2) {
			*attributes |= A_DIM;
		} else if (number == 7) {
			*attributes |= A_REVERSE;
		} else if (number >= 30 && number <= 37) {
			*pair = pair_of((short)(number - 30));
		} else if (number >= 90 && number <= 97) {
			*pair = pair_of((short)(number - 90));
		} else if (number >= 40) {
			*pair = pair_of(8);
		}
		number = 0;
		if (c != ';')
			return length + (c == 'm');
	}
}

/* Where a line is drawn. */
struct pen {
	int column, width;
	size_t shift; /* columns to leave out yet */
	attr_t attributes, always;
	short pair;
};

/* Characters that the terminal's library does not know are one question mark. */
static void put_character(struct pen *pen, wchar_t character)
{
	const int own = wcwidth(character);
	const wchar_t shown[2] = {own < 0 ? L'?' : character, 0};
	const int width = own < 0 ? 1 : own;

	if (pen->shift) {
		pen->shift -= (size_t)width < pen->shift ? (size_t)width : pen->shift;
		return;
	}
	/* What combines needs a character before it. */
	if (pen->column + width > pen->width || (!width && !pen->column))
		return;
	attr_set(pen->attributes | pen->always, terminal.color ? pen->pair : 0, NULL);
	addnwstr(shown, 1);
	pen->column += width;
}

static void draw_line(const struct browser_line *line, int y, int width)
{
	struct pen pen = {.width = width,
			  .shift = line->shift,
			  .always = line->is_current ? A_REVERSE : A_NORMAL};
	mbstate_t state = {0};
	const char *at = line->text, *end = at + strlen(at);

	move(y, 0);
	attr_set(A_NORMAL, 0, NULL);
	clrtoeol();
	while (at < end) {
		wchar_t character;
		if (at[0] == '\033' && at[1] == '[') {
			at += take_style(at, &pen.attributes, &pen.pair);
			continue;
		}
		const size_t length = mbrtowc(&character, at, (size_t)(end - at), &state);
		if (!length || length > (size_t)(end - at))
			break;
		put_character(&pen, character);
		at += length;
	}
	if (!line->is_current)
		return;
	pen.shift = 0;
	pen.attributes = A_NORMAL;
	pen.pair = 0;
	while (pen.column < width)
		put_character(&pen, L' ');
}

void screen_show(const struct browser_screen *screen)
{
	int width, height;

	screen_size(&width, &height);
	erase();
	for (int y = 0; y < height && (size_t)y < screen->lines.len; y++)
		draw_line(&screen->lines.data[y], y, width);
	refresh();
}

/* ---- keys ---- */

static int key_of(wint_t code)
{
	static const struct {
		int code, key;
	} keys[] = {{KEY_UP, TUI_KEY_UP},	   {KEY_DOWN, TUI_KEY_DOWN},
		    {KEY_LEFT, TUI_KEY_LEFT},	   {KEY_RIGHT, TUI_KEY_RIGHT},
		    {KEY_PPAGE, TUI_KEY_PAGE_UP},  {KEY_NPAGE, TUI_KEY_PAGE_DOWN},
		    {KEY_HOME, TUI_KEY_HOME},	   {KEY_END, TUI_KEY_END},
		    {KEY_BACKSPACE, TUI_KEY_BACK}, {KEY_BTAB, TUI_KEY_BACK_TAB},
		    {KEY_ENTER, TUI_KEY_ENTER},	   {KEY_F(1), TUI_KEY_HELP},
		    {KEY_RESIZE, TUI_KEY_REDRAW}};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if ((wint_t)keys[i].code == code)
			return keys[i].key;
	return TUI_KEY_REDRAW;
}

bool screen_key(int *key)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	wint_t code;

	/* What ncurses has read already comes first. A signal of a new size ends the wait. */
	for (;;) {
		const int kind = get_wch(&code);
		if (kind != ERR) {
			*key = kind == KEY_CODE_YES	  ? key_of(code)
			       : code == 127 || code == 8 ? TUI_KEY_BACK
							  : (int)code;
			return true;
		}
		if (take_size() || take_back()) {
			*key = TUI_KEY_REDRAW;
			return true;
		}
		const int ready = poll(&input, 1, LOOK_MS);
		if (ready < 0 && errno != EINTR)
			return false;
		/* Of a terminal that has gone there is nothing to read any more. */
		if (ready > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL)))
			return false;
	}
}
