/* See terminal.h. Ends orderly on SIGINT, SIGTERM and SIGHUP; a new size redraws. */
#include "cli/terminal.h"

#include "cli/print.h"
#include "report/words/name.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l\033[?7l" /* the other screen, no cursor, no wrapping */
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

enum { COLUMNS_DEFAULT = 80, LINES_DEFAULT = 24 };

static volatile sig_atomic_t ends;

static void on_end(int signal)
{
	(void)signal;
	ends = 1;
}

static void on_resize(int signal)
{
	(void)signal;
}

static void put(const char *text, size_t length)
{
	while (length) {
		const ssize_t done = write(STDOUT_FILENO, text, length);
		if (done < 0 && errno != EINTR)
			return;
		if (done > 0) {
			text += done;
			length -= (size_t)done;
		}
	}
}

bool terminal_open(struct terminal *terminal)
{
	const struct sigaction end = {.sa_handler = on_end}, resize = {.sa_handler = on_resize};

	*terminal = (struct terminal){0};
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    tcgetattr(STDIN_FILENO, &terminal->before) < 0)
		return false;
	struct termios raw = terminal->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) < 0)
		return false;
	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, &end, NULL);
	sigaction(SIGWINCH, &resize, NULL);
	put(ENTER, strlen(ENTER));
	terminal->open = true;
	return true;
}

void terminal_close(struct terminal *terminal)
{
	if (!terminal->open)
		return;
	put(LEAVE, strlen(LEAVE));
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
	terminal->open = false;
}

void terminal_size(int *columns, int *lines)
{
	struct winsize size = {0};

	*columns = COLUMNS_DEFAULT;
	*lines = LINES_DEFAULT;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return;
	if (size.ws_col)
		*columns = size.ws_col;
	if (size.ws_row)
		*lines = size.ws_row;
}

void terminal_show(const char *text)
{
	const bool unicode = print_is_unicode();
	struct str screen = {0}, one = {0};
	int columns, lines;

	terminal_size(&columns, &lines);
	str_append(&screen, "\033[H");
	for (int line = 0; line < lines && *text; line++) {
		const size_t length = strcspn(text, "\n");
		str_clear(&one);
		str_append_bytes(&one, text, length);
		name_append_sentence(&screen, one.data, unicode);
		str_append(&screen, line + 1 < lines ? "\033[K\r\n" : "\033[K");
		text += length + (text[length] == '\n');
	}
	str_append(&screen, "\033[J");
	put(screen.data, screen.len);
	str_fini(&screen);
	str_fini(&one);
}

int terminal_key(int milliseconds)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	char key;

	if (ends)
		return -1;
	const int ready = poll(&input, 1, milliseconds);
	if (ends || (ready > 0 && read(STDIN_FILENO, &key, 1) != 1))
		return -1;
	return ready > 0 ? key : 0;
}
