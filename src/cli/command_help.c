/*
 * tare help: the list of commands and topics, the help of a command, as text or as man page, a page
 * of the documents, and the scripts that complete command lines. `make` writes the installed ones
 * with it.
 */
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/known_functions.h"
#include "cli/manual.h"
#include "cli/print.h"
#include "cli/reference_page.h"
#include "cli/sink.h"
#include "cli/terminal.h"
#include "cli/topic.h"

#include <unistd.h>

/* Columns of text: longer lines are hard to read. */
enum { COLUMNS_LEAST = 40, COLUMNS_MOST = 100 };

enum { SHELL_NONE = -1, SHELL_BASH, SHELL_ZSH, SHELL_FISH };

struct help_values {
	bool manual, all, no_pager, markdown;
	const char *functions;
	int shell;
};

static const char *const shell_choices[] = {"bash", "zsh", "fish", NULL};

static const struct option help_options[] = {
	{.name = "man",
	 .help = "Print the man page of COMMAND, or of tare itself, for man -l",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct help_values, manual)},
	{.name = "all",
	 .help = "Describe the rare options of COMMAND too",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct help_values, all)},
	{.name = "markdown",
	 .help = "Print docs/reference/commands.md: all commands with all their options",
	 .type = OPTION_FLAG,
	 .rare = true,
	 .offset = offsetof(struct help_values, markdown)},
	{.name = "functions",
	 .argument = "PREFIX",
	 .fallback = "",
	 .help = "Print the names of the functions of the profile FILE, or of the newest one here, "
		 "that "
		 "begin with PREFIX: what completion proposes",
	 .type = OPTION_TEXT,
	 .rare = true,
	 .offset = offsetof(struct help_values, functions)},
	{.name = "no-pager",
	 .help = "Show a page on a terminal without $PAGER or less",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct help_values, no_pager)},
	{.name = "completion",
	 .argument = "SHELL",
	 .help = "Print the script that completes command lines of tare in this shell",
	 .type = OPTION_CHOICE,
	 .choices = shell_choices,
	 .offset = offsetof(struct help_values, shell)},
	{0},
};

static const struct help_values help_defaults = {.shell = SHELL_NONE};

static void print_manual(const struct command *command)
{
	struct str page = {0};

	if (command)
		manual_command(command, command_table, &page);
	else
		manual_program(command_table, &page);
	print_data(page.data);
	str_fini(&page);
}

static void print_reference(void)
{
	struct str page = {0};

	reference_page(command_table, &page);
	print_data(page.data);
	str_fini(&page);
}

static void print_completion(int shell)
{
	struct str script = {0};

	if (shell == SHELL_BASH)
		completion_bash(command_table, &script);
	else if (shell == SHELL_ZSH)
		completion_zsh(command_table, &script);
	else
		completion_fish(command_table, &script);
	print_data(script.data);
	str_fini(&script);
}

static size_t text_columns(void)
{
	int columns = COLUMNS_MOST, lines;

	if (isatty(STDOUT_FILENO))
		terminal_size(&columns, &lines);
	if (columns > COLUMNS_MOST)
		return COLUMNS_MOST;
	return columns < COLUMNS_LEAST ? COLUMNS_LEAST : (size_t)columns;
}

static const char *const *topic_names(void)
{
	return topic_words(command_names());
}

static bool show_topic(const char *name, bool no_pager, struct error *err)
{
	struct str text = {0};
	struct sink sink = {.file = {.fd = -1}};
	bool ok = topic_append(name, command_names(), text_columns(), &text, err) &&
		  sink_open(&sink, NULL, no_pager ? 0 : SINK_PAGES, err);

	if (ok) {
		print_text(sink.stream, text.data);
		ok = sink_close(&sink, true, err);
	}
	str_fini(&text);
	return ok;
}

static void print_list(void)
{
	struct str list = {0};

	command_print_usage(stdout);
	topic_append_list(command_names(), text_columns(), &list);
	print_text(stdout, list.data);
	str_fini(&list);
}

/* NULL: no command has the name. */
static const struct command *command_named(const char *name)
{
	struct error ignored;

	return command_find(name, &ignored);
}

static int help_run(const void *values, const struct operands *operands, struct error *err)
{
	const struct help_values *help = values;
	const struct command *command = NULL;

	if (help->markdown && !operands->count && !help->functions && !help->manual &&
	    help->shell == SHELL_NONE) {
		print_reference();
		return EXIT_STATUS_OK;
	}
	if (help->functions && !help->markdown && operands->count < 2 &&
	    help->shell == SHELL_NONE && !help->manual)
		return known_functions_print(&command_help, help->functions,
					     operands->count ? operands->items[0] : NULL, err)
			       ? EXIT_STATUS_OK
			       : -1;
	if (help->markdown || help->functions || operands->count > 1 ||
	    (operands->count && help->shell != SHELL_NONE) ||
	    (help->manual && help->shell != SHELL_NONE)) {
		error_set(err, ERROR_USAGE, "ask for one thing at a time; see tare help --help");
		return -1;
	}
	if (operands->count) {
		const char *name = operands->items[0];

		command = help->manual ? command_find(name, err) : command_named(name);
		if (!command && help->manual)
			return -1;
		if (!command)
			return show_topic(name, help->no_pager, err) ? EXIT_STATUS_OK : -1;
	}
	if (help->shell != SHELL_NONE)
		print_completion(help->shell);
	else if (help->manual)
		print_manual(command);
	else if (command)
		command_print_help(command, help->all);
	else
		print_list();
	return EXIT_STATUS_OK;
}

const struct command command_help = {
	.name = "help",
	.operands = "[COMMAND]  |  TOPIC  |  --functions[=PREFIX] [FILE]",
	.summary = "describe a command or a topic; man pages, completion for shells",
	.description =
		"Lists the commands and topics, describes COMMAND as its --help does, or shows "
		"TOPIC:\n"
		"a page of the documents, by the name of its file, or a word of the glossary. "
		"Where a\n"
		"command or another page has the same name, a page's folder stands before it.\n"
		"\n"
		"Man pages and the scripts that complete command lines are installed with tare; "
		"where\n"
		"they are not, eval \"$(tare help --completion=bash)\" does for one shell. Where "
		"a\n"
		"function is to be named, they propose those of the profile on the line, or of "
		"the\n"
		"newest one here.\n"
		"\n"
		"Exit status: 0 printed, 1 failed (output not writable), 2 wrong command line, or "
		"no\n"
		"such topic.",
	.examples = "tare help                     # what there is\n"
		    "tare help waits               # a page: what does it wait for?\n"
		    "tare help reference/record    # the page on tare record\n"
		    "tare help disturbed           # a word\n"
		    "tare help record              # as tare record --help\n"
		    "tare help --man record | man -l -\n",
	.options = help_options,
	.defaults = &help_defaults,
	.values_bytes = sizeof(struct help_values),
	.operand_kind = OPERAND_WORD,
	.words = topic_names,
	.words_at = 1,
	.run = help_run,
};
