/*
 * The reference of commands, see reference_page.h. Of a description, paragraphs stay paragraphs and
 * entries become lists; options stand in a table for each group.
 */
#include "cli/reference_page.h"
#include "cli/manual.h"

#include <string.h>

/* Text that Markdown shows as it is. */
static void escape_append(struct str *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		str_printf(out, strchr("\\`*_<[|", text[i]) ? "\\%c" : "%c", text[i]);
}

static void description_append(struct str *out, const char *text)
{
	bool in_list = false;

	while (*text) {
		size_t length = strcspn(text, "\n");
		const char *line = text;
		const size_t term = manual_term_length(line, length);

		text += length + (text[length] == '\n');
		if (term) {
			str_printf(out, "%s- `%.*s`:", in_list ? "" : "\n", (int)term, line + 2);
			line += 2 + term;
			length -= 2 + term;
		} else if (in_list && length && *line != ' ') {
			str_append(out, "\n");
		}
		in_list = term || (in_list && *line == ' ');
		const size_t blanks = strspn(line, " ");
		const size_t skipped = blanks < length ? blanks : length;
		str_append(out, in_list ? term ? " " : "  " : "");
		escape_append(out, line + skipped, length - skipped);
		str_append(out, "\n");
	}
}

/* In code a bar needs its backslash all the same, as the table ends a cell there. */
static void code_append(struct str *out, const char *text)
{
	for (; *text; text++)
		str_printf(out, *text == '|' ? "\\%c" : "%c", *text);
}

static void option_append(struct str *out, const struct option *option)
{
	struct str argument = {0};

	str_append(&argument, "");
	options_argument(option, &argument);
	str_append(out, "| ");
	if (option->letter)
		str_printf(out, "`-%c`, ", option->letter);
	str_printf(out, "`--%s", option->name);
	code_append(out, argument.data);
	str_append(out, "` | ");
	escape_append(out, option->help, strlen(option->help));
	str_append(out, " |\n");
	str_fini(&argument);
}

static void options_append(struct str *out, const struct option *options)
{
	for (int group = 0; group < OPTION_GROUPS; group++) {
		const struct option *o = options_of_group(options, (enum option_group)group, NULL);

		if (!o)
			continue;
		str_printf(out, "\n| %s | |\n|---|---|\n",
			   option_group_title((enum option_group)group));
		for (; o; o = options_of_group(options, (enum option_group)group, o))
			option_append(out, o);
	}
}

static void command_append(struct str *out, const struct command *command)
{
	str_printf(out, "\n## tare %s\n\n", command->name);
	str_printf(out, "    tare %s [OPTIONS]%s%s\n\n", command->name,
		   *command->operands ? " " : "", command->operands);
	description_append(out, command->description);
	if (command->examples)
		str_printf(out, "\n```sh\n%s```\n", command->examples);
	options_append(out, command->options);
}

void reference_page(const struct command *const *commands, struct str *out)
{
	str_append(out,
		   "# Commands and their options\n\n"
		   "<!-- Written by tare help --markdown, as make test-update does: change the "
		   "tables of src/cli. -->\n"
		   "What `tare COMMAND --help=all` says of every command. The other pages of the "
		   "reference say more.\n\n"
		   "| command | |\n|---|---|\n");
	for (const struct command *const *at = commands; *at; at++)
		str_printf(out, "| [`tare %s`](#tare-%s) | %s |\n", (*at)->name, (*at)->name,
			   (*at)->summary);
	for (; *commands; commands++)
		command_append(out, *commands);
}
