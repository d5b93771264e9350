/* What the three scripts share, and the one for bash. See completion.h. */
#include "cli/completion.h"

#include "base/enum_table.h"

#include <string.h>

bool completion_is_path(const struct option *option)
{
	static const char *const names[] = {"FILE", "OUT", "BASE", "DIRECTORY"};

	for (size_t i = 0; option->argument && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(option->argument, names[i]) == 0)
			return true;
	return false;
}

bool completion_is_function(const struct option *option)
{
	static const char *const names[] = {"function", "exclude", "root", "start-at", "stop-at"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(option->name, names[i]) == 0)
			return true;
	return false;
}

const char *const *completion_values(const struct option *option)
{
	if (option->type == OPTION_CHOICE)
		return option->choices;
	return option->proposals ? option->proposals() : NULL;
}

void completion_words(const char *const *words, struct str *out)
{
	for (size_t i = 0; words[i]; i++)
		str_printf(out, "%s%s", i ? " " : "", words[i]);
}

/* ---- bash ---- */

static const char bash_functions[] =
	"_tare_reply()\n"
	"{\n"
	"	local IFS=$'\\n'\n"
	"	COMPREPLY+=($(compgen \"$@\"))\n"
	"}\n"
	"\n"
	"_tare_files() # WORD [GLOB]: files, or those of a kind and directories\n"
	"{\n"
	"	compopt -o filenames 2>/dev/null\n"
	"	if [[ ${2-} ]]; then\n"
	"		_tare_reply -f -X \"!$2\" -- \"$1\"\n"
	"		_tare_reply -d -- \"$1\"\n"
	"	else\n"
	"		_tare_reply -f -- \"$1\"\n"
	"	fi\n"
	"}\n"
	"\n"
	"_tare_functions() # WORD: functions of the profile on the line, or of the newest one "
	"here\n"
	"{\n"
	"	local word file=\n"
	"	for word in \"${given[@]:1:${#given[@]}-2}\"; do\n"
	"		[[ $word == *.tare && -f $word ]] && file=$word\n"
	"	done\n"
	"	_tare_reply -W \"$(tare help --functions=\"$1\" ${file:+\"$file\"} 2>/dev/null)\" "
	"-- \"$1\"\n"
	"	# readline replaces what stands behind the last colon\n"
	"	[[ $1 == *:* && $COMP_WORDBREAKS == *:* ]] &&\n"
	"		COMPREPLY=(\"${COMPREPLY[@]#\"${1%\"${1##*:}\"}\"}\")\n"
	"}\n"
	"\n"
	"_tare_operand() # WORD: operand number $operand of $command\n"
	"{\n"
	"	[[ $operand = \"$words_at\" ]] && _tare_reply -W \"${words// /$'\\n'}\" -- \"$1\"\n"
	"	[[ $operand = \"$function_at\" && (! $function_after || \" $function_after \" == "
	"*\" $first \"*) ]] &&\n"
	"		_tare_functions \"$1\"\n"
	"	case $kind in\n"
	"	profile) _tare_files \"$1\" '*.tare' ;;\n"
	"	file) _tare_files \"$1\" ;;\n"
	"	directory)\n"
	"		compopt -o filenames 2>/dev/null\n"
	"		_tare_reply -d -- \"$1\"\n"
	"		;;\n"
	"	process) [[ $operand = 1 ]] && _tare_reply -W \"$(cd /proc && printf '%s\\n' "
	"[0-9]*)\" -- \"$1\" ;;\n"
	"	command)\n"
	"		if [[ $begin ]] && declare -F _command_offset >/dev/null; then\n"
	"			_command_offset \"$begin\"\n"
	"		elif [[ $begin ]]; then\n"
	"			_tare_files \"$1\"\n"
	"		else\n"
	"			_tare_reply -c -- \"$1\"\n"
	"			_tare_files \"$1\"\n"
	"		fi\n"
	"		;;\n"
	"	esac\n"
	"}\n"
	"\n"
	"_tare_option_argument() # WORD OPTION\n"
	"{\n"
	"	local values=\n"
	"	_tare_values \"$command:$2\"\n"
	"	case $values in\n"
	"	'') ;;\n"
	"	/) _tare_files \"$1\" ;;\n"
	"	'()') _tare_functions \"$1\" ;;\n"
	"	*) _tare_reply -W \"${values// /$'\\n'}\" -- \"$1\" ;;\n"
	"	esac\n"
	"}\n"
	"\n"
	"_tare()\n"
	"{\n"
	"	local i word current command options takes kind words words_at function_at "
	"function_after\n"
	"	local begin= rest= pending= first=\n"
	"	local operand=1\n"
	"	local -a given=() place=()\n"
	"\n"
	"	COMPREPLY=()\n"
	"	# bash breaks --option=value into three words, and names at their colons\n"
	"	for ((i = 1; i <= COMP_CWORD; i++)); do\n"
	"		word=${COMP_WORDS[i]}\n"
	"		if ((${#given[@]})) && [[ ${given[-1]} == --* &&\n"
	"			($word == = || ${COMP_WORDS[i - 1]} == =) ]]; then\n"
	"			given[-1]+=$word\n"
	"		elif ((${#given[@]} > 1)) && [[ $word == +(:) || ${COMP_WORDS[i - 1]} == "
	"+(:) ]]; then\n"
	"			given[-1]+=$word\n"
	"		else\n"
	"			given+=(\"$word\")\n"
	"			place+=($i)\n"
	"		fi\n"
	"	done\n"
	"	current=${given[-1]}\n"
	"	command=${given[0]}\n"
	"	if ((${#given[@]} == 1)); then\n"
	"		_tare_reply -W \"${_tare_commands// /$'\\n'}\" -- \"$current\"\n"
	"		return\n"
	"	fi\n"
	"	_tare_command \"$command\" || return\n"
	"	for ((i = 1; i < ${#given[@]} - 1; i++)); do\n"
	"		word=${given[i]}\n"
	"		if [[ $pending ]]; then\n"
	"			pending=\n"
	"		elif [[ ! $rest && $word == -- ]]; then\n"
	"			rest=1\n"
	"		elif [[ ! $rest && $word == -?* ]]; then\n"
	"			[[ $takes == *\" $word \"* ]] && pending=$word\n"
	"		else\n"
	"			((operand++))\n"
	"			[[ $first ]] || first=$word\n"
	"			[[ $kind == command && ! $begin ]] && rest=1 begin=${place[i]}\n"
	"		fi\n"
	"	done\n"
	"	if [[ $pending ]]; then\n"
	"		_tare_option_argument \"$current\" \"$pending\"\n"
	"	elif [[ ! $rest && $current == --*=* ]]; then\n"
	"		_tare_option_argument \"${current#*=}\" \"${current%%=*}\"\n"
	"		[[ $COMP_WORDBREAKS == *=* ]] ||\n"
	"			COMPREPLY=(\"${COMPREPLY[@]/#/${current%%=*}=}\")\n"
	"	elif [[ ! $rest && $current == -* ]]; then\n"
	"		_tare_reply -W \"${options// /$'\\n'}\" -- \"$current\"\n"
	"		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null\n"
	"	else\n"
	"		_tare_operand \"$current\"\n"
	"	fi\n"
	"	return 0\n"
	"}\n"
	"\n"
	"complete -F _tare tare\n";

static void bash_options(const struct option *options, struct str *out)
{
	for (const struct option *o = options; o->name; o++) {
		if (o->letter)
			str_printf(out, "-%c ", o->letter);
		if (o->type == OPTION_FLAG || o->fallback)
			str_printf(out, "--%s ", o->name);
		if (o->type != OPTION_FLAG)
			str_printf(out, "--%s= ", o->name);
	}
}

static void bash_command(const struct command *command, struct str *out)
{
	static const char *const kinds[] = {"profile", "file",	  "directory",
					    "process", "command", "word"};
	table_covers(kinds, OPERAND_KINDS);

	str_printf(out, "	%s)\n		options='", command->name);
	bash_options(command->options, out);
	bash_options(options_common, out);
	out->len--;
	str_append(out, "'\n		takes=' ");
	for (const struct option *o = command->options; o->name; o++) {
		if (o->type == OPTION_FLAG || o->fallback)
			continue;
		str_printf(out, "--%s ", o->name);
		if (o->letter)
			str_printf(out, "-%c ", o->letter);
	}
	str_printf(out, "'\n		kind=%s words_at=%d words='", kinds[command->operand_kind],
		   command->words_at);
	if (command->words)
		completion_words(command->words(), out);
	str_printf(out, "'\n		function_at=%d function_after='%s'\n		;;\n",
		   command->function_at, command->function_after ? command->function_after : "");
}

static void bash_values(const struct command *command, struct str *out)
{
	for (const struct option *o = command->options; o->name; o++) {
		const char *const *values = completion_values(o);

		const bool is_function = completion_is_function(o);

		if (!values && !is_function && !completion_is_path(o))
			continue;
		str_printf(out, "	%s:--%s", command->name, o->name);
		if (o->letter)
			str_printf(out, " | %s:-%c", command->name, o->letter);
		str_append(out, ") values='");
		if (values)
			completion_words(values, out);
		else
			str_append(out, is_function ? "()" : "/");
		str_append(out, "' ;;\n");
	}
}

void completion_bash(const struct command *const *commands, struct str *out)
{
	str_append(out, "# Completion of tare in bash, written by tare help --completion=bash.\n\n"
			"_tare_commands='--help --version");
	for (const struct command *const *at = commands; *at; at++)
		str_printf(out, " %s", (*at)->name);
	str_append(out, "'\n\n_tare_command() # NAME: sets what is to know of a command\n{\n"
			"	case $1 in\n");
	for (const struct command *const *at = commands; *at; at++)
		bash_command(*at, out);
	str_append(out, "	*) return 1 ;;\n	esac\n}\n\n"
			"_tare_values() # COMMAND:OPTION: sets values; \"/\" are files\n{\n"
			"	case $1 in\n");
	for (const struct command *const *at = commands; *at; at++)
		bash_values(*at, out);
	str_append(out, "	esac\n}\n\n");
	str_append(out, bash_functions);
}
