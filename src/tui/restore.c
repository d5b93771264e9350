/*
 * See restore.h. The handler runs at any moment, so it calls only what may be called there: the
 * sequences that it writes are ready beforehand.
 */
#include "tui/restore.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <ncursesw/curses.h>
#include <ncursesw/term.h>

enum { RESTORE_BYTES = 512 };

static struct termios before;
static char sequences[RESTORE_BYTES];
static size_t sequences_bytes;

bool restore_is_possible(struct error *err)
{
	const char *name = getenv("TERM");
	int result = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) < 0)
		return error_set(err, ERROR_NOT_FOUND,
				 "--interactive needs a terminal as standard input and output; "
				 "without it tare report writes text");
	if (!name || !name[0] || setupterm(NULL, STDOUT_FILENO, &result) != OK || !cursor_address)
		return error_set(
			err, ERROR_NOT_FOUND,
			"--interactive needs a terminal whose cursor can be placed, and TERM "
			"is \"%s\"; without it tare report writes text",
			name ? name : "");
	return true;
}

static int keep_byte(int byte)
{
	if (sequences_bytes < RESTORE_BYTES)
		sequences[sequences_bytes++] = (char)byte;
	return byte;
}

/* Attributes, cursor, keypad and the screen that was there. */
static void keep_sequences(void)
{
	const char *const wanted[] = {exit_attribute_mode, orig_pair, cursor_normal, keypad_local,
				      exit_ca_mode};

	sequences_bytes = 0;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (wanted[i])
			tputs(wanted[i], 1, keep_byte);
}

static void on_end(int number)
{
	const ssize_t ignored = write(STDOUT_FILENO, sequences, sequences_bytes);

	(void)ignored;
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	signal(number, SIG_DFL);
	raise(number);
}

void restore_on_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP,	SIGQUIT, SIGABRT, SIGSEGV, SIGBUS,
				      SIGFPE, SIGILL,  SIGXCPU, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2};
	const struct sigaction end = {.sa_handler = on_end};
	struct sigaction now;

	keep_sequences();
	/* Those that are ignored stay so. */
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(numbers[i], &end, NULL);
}
