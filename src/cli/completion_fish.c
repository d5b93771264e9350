/* The script for fish, see completion.h. */
#include "cli/completion.h"

#include "base/enum_table.h"

#include <string.h>

static const char functions[] =
	"function __tare_command_is\n"
	"	set -l words (commandline -opc)\n"
	"	test (count $words) -ge 2; and contains -- $words[2] $argv\n"
	"end\n"
	"\n"
	"function __tare_operands # how many words without - there are behind the command\n"
	"	count (string match -v -- '-*' (commandline -opc)[3..-1])\n"
	"end\n"
	"\n"
	"function __tare_dashes # where the -- is\n"
	"	contains -i -- -- (commandline -opc)\n"
	"end\n"
	"\n"
	"function __tare_functions # of the profile on the line, or of the newest one here\n"
	"	set -l file (string match -- '*.tare' (commandline -opc))\n"
	"	tare help --functions=(commandline -ct | string replace -r '^--[^=]*=' '') "
	"$file[-1] "
	"2>/dev/null\n"
	"end\n"
	"\n"
	"function __tare_run # the line of the command that is recorded\n"
	"	set -l words (commandline -opc) (commandline -ct)\n"
	"	string join -- ' ' $words[(math (__tare_dashes) + 1)..-1]\n"
	"end\n"
	"\n"
	"complete -c tare -f\n"
	"complete -c tare -n __fish_is_first_token -s h -l help -d 'List the commands and exit'\n"
	"complete -c tare -n __fish_is_first_token -l version -d 'Print the version and exit'\n";

static void quoted(struct str *out, const char *text)
{
	str_append(out, "'");
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			str_append(out, "\\");
		str_append_bytes(out, text, 1);
	}
	str_append(out, "'");
}

static void option_line(const struct command *command, const struct option *option, struct str *out)
{
	const char *const *values = completion_values(option);

	str_printf(out, "complete -c tare -n '__tare_command_is %s' -l %s", command->name,
		   option->name);
	if (option->letter)
		str_printf(out, " -s %c", option->letter);
	if (completion_is_path(option))
		str_append(out, " -rF");
	else if (option->type != OPTION_FLAG && !option->fallback)
		str_append(out, " -x");
	if (completion_is_function(option))
		str_append(out, " -a '(__tare_functions)'");
	if (values) {
		str_append(out, " -a '");
		completion_words(values, out);
		str_append(out, "'");
	}
	str_append(out, " -d ");
	quoted(out, option->help);
	str_append(out, "\n");
}

static void operand_line(const struct command *command, struct str *out)
{
	static const char *const arguments[] = {
		[OPERAND_PROFILE] = " -ka '(__fish_complete_suffix .tare)'",
		[OPERAND_FILE] = " -F",
		[OPERAND_DIRECTORY] = " -a '(__fish_complete_directories)'",
		[OPERAND_PROCESS] = " -a '(__fish_complete_pids)'",
		[OPERAND_COMMAND] = "",
		[OPERAND_WORD] = "",
	};
	table_covers(arguments, OPERAND_KINDS);

	if (command->words) {
		str_printf(out,
			   "complete -c tare -n '__tare_command_is %s; and test (__tare_operands) "
			   "= %d' -a '",
			   command->name, command->words_at - 1);
		completion_words(command->words(), out);
		str_append(out, "'\n");
	}
	if (command->function_at) {
		str_printf(out,
			   "complete -c tare -n '__tare_command_is %s; and test (__tare_operands) "
			   "= %d",
			   command->name, command->function_at - 1);
		if (command->function_after)
			str_printf(out, "; and __fish_seen_subcommand_from %s",
				   command->function_after);
		str_append(out, "' -a '(__tare_functions)'\n");
	}
	if (command->operand_kind == OPERAND_COMMAND)
		str_printf(
			out,
			"complete -c tare -n '__tare_command_is %s; and __tare_dashes >/dev/null'"
			" -xa '(__fish_complete_subcommand --commandline (__tare_run))'\n",
			command->name);
	else if (command->operand_kind != OPERAND_WORD)
		str_printf(out, "complete -c tare -n '__tare_command_is %s'%s\n", command->name,
			   arguments[command->operand_kind]);
}

void completion_fish(const struct command *const *commands, struct str *out)
{
	str_append(out,
		   "# Completion of tare in fish, written by tare help --completion=fish.\n\n");
	str_append(out, functions);
	for (const struct command *const *at = commands; *at; at++) {
		str_printf(out, "complete -c tare -n __fish_is_first_token -a %s -d ", (*at)->name);
		quoted(out, (*at)->summary);
		str_append(out, "\n");
	}
	for (const struct command *const *at = commands; *at; at++) {
		for (const struct option *o = (*at)->options; o->name; o++)
			option_line(*at, o, out);
		for (const struct option *o = options_common; o->name; o++)
			option_line(*at, o, out);
		operand_line(*at, out);
	}
}
