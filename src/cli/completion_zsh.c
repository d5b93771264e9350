/* The script for zsh, see completion.h: specifications of _arguments. */
#include "cli/completion.h"

#include "base/enum_table.h"

#include <string.h>

/* Text in single quotes; `special` are the characters that _arguments wants a backslash before. */
static void quoted(struct str *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'') {
			str_append(out, "'\\''");
			continue;
		}
		if (strchr(special, *text))
			str_append(out, "\\");
		str_append_bytes(out, text, 1);
	}
}

/* ":name:what completes it" */
static void option_action(const struct option *option, struct str *out)
{
	const char *const *values = completion_values(option);

	if (option->type == OPTION_FLAG)
		return;
	str_append(out, option->fallback ? "::" : ":");
	quoted(out, option->argument ? option->argument : option->name, ":\\");
	str_append(out, ":");
	if (values) {
		str_append(out, "(");
		completion_words(values, out);
		str_append(out, ")");
	} else if (completion_is_function(option)) {
		str_append(out, "_tare_functions");
	} else if (completion_is_path(option)) {
		str_append(out, "_files");
	} else {
		str_append(out, " ");
	}
}

static void option_spec(const struct option *option, struct str *out)
{
	const char *repeat = option->type == OPTION_LIST ? "*" : "";
	const char *equals = option->type == OPTION_FLAG ? "" : option->fallback ? "=-" : "=";

	str_append(out, "			");
	if (option->letter)
		str_printf(out, "'%s'{-%c%s,--%s%s}'[", repeat, option->letter,
			   option->type == OPTION_FLAG ? "" : "+", option->name, equals);
	else
		str_printf(out, "'%s--%s%s[", repeat, option->name, equals);
	quoted(out, option->help, "[]\\");
	str_append(out, "]");
	option_action(option, out);
	str_append(out, "' \\\n");
}

static void words_spec(const struct command *command, const char *also, struct str *out)
{
	str_printf(out, "			'%d:operand:{compadd -- ", command->words_at);
	completion_words(command->words(), out);
	str_printf(out, "%s%s}' \\\n", *also ? "; " : "", also);
}

static void operands_spec(const struct command *command, struct str *out)
{
	static const char *const specs[] = {
		[OPERAND_PROFILE] = "'*:profile:_tare_profiles'",
		[OPERAND_FILE] = "'*:file:_files'",
		[OPERAND_DIRECTORY] = "'*:directory:_files -/'",
		[OPERAND_PROCESS] = "'1:process:_pids'",
		[OPERAND_COMMAND] = "'(-)1:command:_command_names -e' '*::arguments:_normal'",
		[OPERAND_WORD] = "",
	};
	table_covers(specs, OPERAND_KINDS);

	if (command->words)
		words_spec(command,
			   command->operand_kind == OPERAND_PROFILE ? "_tare_profiles" : "", out);
	if (command->function_at)
		str_printf(out,
			   "			'%d:function:{_tare_functions; _tare_profiles}' "
			   "\\\n",
			   command->function_at);
	str_printf(out, "			%s\n", specs[command->operand_kind]);
}

void completion_zsh(const struct command *const *commands, struct str *out)
{
	str_append(out,
		   "#compdef tare\n"
		   "# Completion of tare in zsh, written by tare help --completion=zsh.\n\n"
		   "_tare_profiles() {\n	_files -g '*.tare(-.)'\n}\n\n"
		   "_tare_functions() { # of the profile on the line, or of the newest one here\n"
		   "	local -a names\n"
		   "	names=(${(f)\"$(tare help --functions=$PREFIX ${${(M)words:#*.tare}[-1]} "
		   "2>/dev/null)\"})\n"
		   "	compadd -a names\n"
		   "}\n\n"
		   "_tare() {\n"
		   "	local curcontext=$curcontext state line\n"
		   "	local -A opt_args\n"
		   "	local -a tare_commands\n\n"
		   "	tare_commands=(\n");
	for (const struct command *const *at = commands; *at; at++) {
		str_printf(out, "		'%s:", (*at)->name);
		quoted(out, (*at)->summary, "\\");
		str_append(out, "'\n");
	}
	str_append(out,
		   "	)\n"
		   "	_arguments -C '(- *)'{-h,--help}'[List the commands and exit]' \\\n"
		   "		'(- *)--version[Print the version and exit]' \\\n"
		   "		'1:command:->command' '*::arguments:->arguments' && return\n"
		   "	case $state in\n"
		   "	command) _describe command tare_commands ;;\n"
		   "	arguments)\n"
		   "		curcontext=${curcontext%:*}-$words[1]:\n"
		   "		case $words[1] in\n");
	for (const struct command *const *at = commands; *at; at++) {
		str_printf(out, "		%s)\n			_arguments -s -S : \\\n",
			   (*at)->name);
		for (const struct option *o = (*at)->options; o->name; o++)
			option_spec(o, out);
		for (const struct option *o = options_common; o->name; o++)
			option_spec(o, out);
		operands_spec(*at, out);
		str_append(out, "			;;\n");
	}
	str_append(out, "		esac\n		;;\n	esac\n}\n\n"
			"if [[ $funcstack[1] == _tare ]]; then\n	_tare \"$@\"\n"
			"else\n	compdef _tare tare\nfi\n");
}
