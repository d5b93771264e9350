/*
 * tare help: the list of commands or the help of one, as text or as man page, and the scripts that
 * complete command lines. `make` writes the installed ones with it.
 */
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/known_functions.h"
#include "cli/manual.h"
#include "cli/print.h"

enum { SHELL_NONE = -1, SHELL_BASH, SHELL_ZSH, SHELL_FISH };

struct help_values {
	bool manual, all;
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
	{.name = "functions",
	 .argument = "PREFIX",
	 .fallback = "",
	 .help = "Print the names of the functions of the profile FILE, or of the newest one here, "
		 "that "
		 "begin with PREFIX: what completion proposes",
	 .type = OPTION_TEXT,
	 .rare = true,
	 .offset = offsetof(struct help_values, functions)},
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

static int help_run(const void *values, const struct operands *operands, struct error *err)
{
	const struct help_values *help = values;
	const struct command *command = NULL;

	if (help->functions && operands->count < 2 && help->shell == SHELL_NONE && !help->manual)
		return known_functions_print(&command_help, help->functions,
					     operands->count ? operands->items[0] : NULL, err)
			       ? EXIT_STATUS_OK
			       : -1;
	if (help->functions || operands->count > 1 ||
	    (operands->count && help->shell != SHELL_NONE) ||
	    (help->manual && help->shell != SHELL_NONE)) {
		error_set(err, ERROR_USAGE, "too much at once; see tare help --help");
		return -1;
	}
	if (operands->count) {
		command = command_find(operands->items[0], err);
		if (!command)
			return -1;
	}
	if (help->shell != SHELL_NONE)
		print_completion(help->shell);
	else if (help->manual)
		print_manual(command);
	else if (command)
		command_print_help(command, help->all);
	else
		command_print_usage(stdout);
	return EXIT_STATUS_OK;
}

const struct command command_help = {
	.name = "help",
	.operands = "[COMMAND]  |  --functions[=PREFIX] [FILE]",
	.summary = "describe a command; man pages, completion for shells",
	.description =
		"Lists the commands, or describes COMMAND as its --help does. Man pages and the\n"
		"scripts that complete command lines are installed with tare; where they are not,\n"
		"eval \"$(tare help --completion=bash)\" does for one shell. Where a function is "
		"to be\n"
		"named, they propose those of the profile on the line, or of the newest one here.\n"
		"\n"
		"Exit status: 0 printed, 1 failed (output not writable), 2 wrong command line.",
	.options = help_options,
	.defaults = &help_defaults,
	.values_bytes = sizeof(struct help_values),
	.operand_kind = OPERAND_WORD,
	.words = command_names,
	.words_at = 1,
	.run = help_run,
};
