/*
 * Man pages, see manual.h. A description's paragraphs become paragraphs, its indented lists become
 * lists, and its last paragraph, on the exit status, a section.
 */
#include "cli/manual.h"

#include <ctype.h>
#include <string.h>

/* When the texts below were last looked at: pages built anew are the same. */
#define MANUAL_DATE	  "2026-11-22"
#define EXIT_STATUS_WORDS "Exit status: "

struct entry {
	const char *term, *text;
	const char *commands; /* whose pages have it, between spaces; NULL: tare(1) alone */
};

static const struct entry environment[] = {
	{"PAGER",
	 "Shows text on a terminal (default less, with the options FRSX unless LESS has others); "
	 "empty or cat: nothing does.",
	 " report annotate diff "},
	{"NO_COLOR", "If set, output is not coloured.", " report annotate diff "},
	{"BROWSER", "Opens the page, before xdg-open is tried.", " view "},
	{"XDG_CACHE_HOME", "Instrumented files are kept in its directory tare (default ~/.cache).",
	 " record doctor "},
	{"TARE_DEBUG_PATH",
	 "Directories with separate debug files, separated by colons (default /usr/lib/debug).",
	 " record import recover report annotate view diff export "},
	{"DEBUGINFOD_URLS",
	 "Servers, separated by blanks, that are asked for debug files that are not on this "
	 "machine, "
	 "unless --no-debuginfod is given. Needs libdebuginfod, which has further variables.",
	 " record import recover "},
	{0},
};

static const struct entry files[] = {
	{"COMMAND.tare",
	 "The profile that tare record writes unless -o is given: an SQLite database. An existing "
	 "one is kept as COMMAND.tare.old.",
	 " record "},
	{"~/.cache/tare", "Instrumented files, for the next run.", " record "},
	{0},
};

static const char program_description[] =
	"Writes instrumented copies of an ELF program and of the libraries that it loads, runs the "
	"program from these copies, and keeps for every thread a tree of the calls that were made, "
	"with their number and times. Or leaves the program as it is and collects its call stacks "
	"at set intervals. No source, debug information or privilege is needed. The originals are "
	"never changed.\n"
	"\n"
	"For every function there are six times. CPU is the time that the thread ran on a "
	"processor; Elapsed has its waits, too; Application leaves out each interval in which the "
	"operating system was active in the thread: context "
	"switches, system calls, page faults, signals, interrupts. Inclusive times hold the "
	"functions that were called, exclusive times do not. The cost of the probes is measured at "
	"the start of each process, subtracted, and shown in columns of its own.";

static const char program_examples[] =
	".nf\n"
	"tare record \\-o sort.tare \\-\\- sort big.txt\n"
	"tare report functions sort.tare \\-\\-limit=20\n"
	"tare report callers qsort_r sort.tare\n"
	"tare report functions sort.tare \\-\\-format=csv > sort.csv\n"
	"tare diff old.tare sort.tare\n"
	"tare record \\-\\-method=sample \\-p 1234 \\-d 10\n"
	".fi\n";

/* ---- text ---- */

/* Bytes of the UTF-8 character at `text`, and what it is. */
static size_t utf8_decode(const char *text, size_t length, unsigned *code)
{
	const unsigned char *at = (const unsigned char *)text;
	const size_t bytes = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc0 ? 2 : 1;

	if (bytes > length || bytes == 1) {
		*code = *at;
		return 1;
	}
	*code = *at & (0x7fu >> bytes);
	for (size_t i = 1; i < bytes; i++)
		*code = *code << 6 | (at[i] & 0x3f);
	return bytes;
}

/* One line of text that roff shows as it is. */
static void roff_append(struct str *out, const char *text, size_t length)
{
	static const char special[] = "\\-'`^~\"";
	static const char *const escapes[] = {"\\e",   "\\-",	"\\(aq", "\\(ga",
					      "\\(ha", "\\(ti", "\\(dq"};

	if (length && *text == '.')
		str_append(out, "\\&");
	for (size_t i = 0; i < length;) {
		const char *found = strchr(special, text[i]);
		unsigned code;
		const size_t bytes = utf8_decode(text + i, length - i, &code);

		if (found && *found)
			str_append(out, escapes[found - special]);
		else if (code == 0x2026) /* not in ASCII, as what it stands for is */
			str_append(out, "...");
		else if (bytes > 1)
			str_printf(out, "\\[u%04X]", code);
		else
			str_append_bytes(out, text + i, 1);
		i += bytes;
	}
}

static void roff_text(struct str *out, const char *text)
{
	roff_append(out, text, strlen(text));
}

/* An entry of a list; `text` may be empty. */
static void roff_entry(struct str *out, const char *term, size_t length)
{
	str_append(out, ".TP\n\\fB");
	roff_append(out, term, length);
	str_append(out, "\\fR\n");
}

size_t manual_term_length(const char *line, size_t length)
{
	size_t at = 2;

	if (length <= 2 || line[0] != ' ' || line[1] != ' ' || line[2] == ' ')
		return 0;
	while (at < length && !(line[at] == ' ' && (at + 1 == length || line[at + 1] == ' ')))
		at++;
	return at - 2;
}

/* Paragraphs and lists, up to `end`. */
static void roff_paragraphs(struct str *out, const char *text, const char *end)
{
	bool pause = false, in_list = false;

	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((line_end ? line_end : end) - text);
		const char *line = text;

		text += length + 1;
		if (!length) {
			pause = true;
			continue;
		}
		const size_t term = manual_term_length(line, length);
		if (term) {
			roff_entry(out, line + 2, term);
			line += 2 + term;
			length -= 2 + term;
			in_list = true;
		} else if (pause || (in_list && *line != ' ')) {
			str_append(out, ".PP\n");
			in_list = false;
		}
		pause = false;
		while (length && *line == ' ') {
			line++;
			length--;
		}
		roff_append(out, line, length);
		str_append(out, "\n");
	}
}

/* ---- sections ---- */

static void title(struct str *out, const char *name, const char *summary)
{
	str_append(out, ".\\\" Written by tare help --man.\n.TH ");
	for (const char *at = "tare"; *at; at++)
		str_printf(out, "%c", toupper(*at));
	if (*name) {
		str_append(out, "\\-");
		for (const char *at = name; *at; at++)
			str_printf(out, "%c", toupper(*at));
	}
	str_printf(out,
		   " 1 " MANUAL_DATE " \"tare " TARE_VERSION
		   "\" \"User Commands\"\n.SH NAME\ntare%s%s \\- ",
		   *name ? "\\-" : "", name);
	roff_text(out, summary);
	str_append(out, "\n");
}

/* One line for each form of the operands, which "|" between double spaces separates. */
static void synopsis(struct str *out, const struct command *command)
{
	static const char separator[] = "  |  ";
	const char *operands = command->operands;

	for (;;) {
		const char *next = strstr(operands, separator);
		const size_t length = next ? (size_t)(next - operands) : strlen(operands);

		str_printf(out, "\\fBtare %s\\fR [\\fIOPTIONS\\fR]%s", command->name,
			   length ? " " : "");
		roff_append(out, operands, length);
		str_append(out, "\n");
		if (!next)
			return;
		str_append(out, ".br\n");
		operands = next + strlen(separator);
	}
}

static void option_entry(struct str *out, const struct option *option)
{
	struct str argument = {0};

	options_argument(option, &argument);
	str_append(out, ".TP\n");
	if (option->letter)
		str_printf(out, "\\fB\\-%c\\fR, ", option->letter);
	str_append(out, "\\fB\\-\\-");
	roff_text(out, option->name);
	str_append(out, "\\fR");
	if (argument.len) {
		str_append(out, "\\fI");
		roff_text(out, argument.data);
		str_append(out, "\\fR");
	}
	str_append(out, "\n");
	roff_text(out, option->help);
	str_append(out, ".\n");
	str_fini(&argument);
}

/* The first group has no title but the section's. */
static void options_by_group(struct str *out, const struct option *options)
{
	for (int group = 0; group < OPTION_GROUPS; group++) {
		const struct option *o = options_of_group(options, (enum option_group)group, NULL);

		if (o && group)
			str_printf(out, ".SS %s\n", option_group_title((enum option_group)group));
		for (; o; o = options_of_group(options, (enum option_group)group, o))
			option_entry(out, o);
		for (o = options_common; o->name && !group; o++)
			option_entry(out, o);
	}
}

static void roff_lines(struct str *out, const char *text)
{
	while (*text) {
		const size_t length = strcspn(text, "\n");

		roff_append(out, text, length);
		str_append(out, "\n");
		text += length + 1;
	}
}

static bool concerns(const struct entry *entry, const char *command)
{
	if (!*command)
		return true;
	const char *found = entry->commands ? strstr(entry->commands, command) : NULL;
	return found && found[-1] == ' ' && found[strlen(command)] == ' ';
}

/* `command` "": of all commands. */
static void entries(struct str *out, const char *heading, const struct entry *list,
		    const char *command)
{
	bool first = true;

	for (const struct entry *entry = list; entry->term; entry++) {
		if (!concerns(entry, command))
			continue;
		if (first)
			str_printf(out, ".SH %s\n", heading);
		first = false;
		roff_entry(out, entry->term, strlen(entry->term));
		roff_text(out, entry->text);
		str_append(out, "\n");
	}
}

static void see_also(struct str *out, const struct command *const *commands,
		     const struct command *self)
{
	const char *separator = "";

	str_append(out, ".SH SEE ALSO\n");
	if (self) {
		str_append(out, ".BR tare (1)");
		separator = ",\n";
	}
	for (; *commands; commands++) {
		if (*commands == self)
			continue;
		str_printf(out, "%s.BR tare\\-%s (1)", separator, (*commands)->name);
		separator = ",\n";
	}
	str_append(out, "\n");
}

void manual_program(const struct command *const *commands, struct str *out)
{
	title(out, "", "measure where a program spends its time, function by function");
	str_append(out, ".SH SYNOPSIS\n\\fBtare\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\-\\-] "
			"[\\fIARGUMENTS\\fR]\n.br\n\\fBtare \\-\\-version\\fR\n.SH DESCRIPTION\n");
	roff_paragraphs(out, program_description, strchr(program_description, 0));
	str_append(out, ".SH COMMANDS\n");
	for (const struct command *const *at = commands; *at; at++) {
		str_printf(out, ".TP\n.BR tare\\-%s (1)\n", (*at)->name);
		roff_text(out, (*at)->summary);
		str_append(out, "\n");
	}
	str_append(out,
		   ".PP\n\\fBtare\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR lists the options of a "
		   "command.\n.SH EXIT STATUS\n\\fBtare record\\fR ends with the status of the "
		   "command that it ran, or with 125 if tare itself failed, 126 if the command "
		   "cannot be executed, 127 if it was not found, and 128+N if signal N killed "
		   "it. \\fBtare diff\\fR ends with 1 if a gate failed and with 2 on any "
		   "trouble. The other commands end with 0, with 2 if the command line is "
		   "wrong, and with 1 if they failed for another reason.\n");
	entries(out, "ENVIRONMENT", environment, "");
	entries(out, "FILES", files, "");
	str_append(out, ".SH EXAMPLES\n");
	str_append(out, program_examples);
	see_also(out, commands, NULL);
}

void manual_command(const struct command *command, const struct command *const *commands,
		    struct str *out)
{
	const char *text = command->description, *end = strchr(text, 0);
	const char *status = strstr(text, "\n" EXIT_STATUS_WORDS);

	title(out, command->name, command->summary);
	str_append(out, ".SH SYNOPSIS\n");
	synopsis(out, command);
	str_append(out, ".SH DESCRIPTION\n");
	roff_paragraphs(out, text, status ? status : end);
	str_append(out, ".SH OPTIONS\n");
	options_by_group(out, command->options);
	if (command->examples) {
		str_append(out, ".SH EXAMPLES\n.nf\n");
		roff_lines(out, command->examples);
		str_append(out, ".fi\n");
	}
	if (status) {
		str_append(out, ".SH EXIT STATUS\n");
		roff_paragraphs(out, status + strlen("\n" EXIT_STATUS_WORDS), end);
	}
	entries(out, "ENVIRONMENT", environment, command->name);
	entries(out, "FILES", files, command->name);
	see_also(out, commands, command);
}
