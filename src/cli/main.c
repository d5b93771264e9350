/*
 * tare: the command table, --help, --version, and the one place where errors are printed. Refuses
 * unknown commands with the nearest name. Exit statuses: see enum exit_status in command.h; the
 * commands document their own.
 */
#include "cli/command.h"

#include "base/arena.h"
#include "base/heap.h"
#include "base/rlimits.h"
#include "base/str.h"
#include "cli/external_program.h"
#include "cli/print.h"
#include "cli/written.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lines; build_facts.c.in. */
extern const char build_facts[];

const struct command *const command_table[] = {
	&command_record,     &command_report, &command_annotate, &command_view,
	&command_diff,	     &command_export, &command_merge,	 &command_import,
	&command_instrument, &command_ctl,    &command_top,	 &command_redact,
	&command_recover,    &command_doctor, &command_help,	 NULL,
};

enum { COMMAND_COUNT = sizeof(command_table) / sizeof(command_table[0]) - 1 };

void command_print_error(const struct command *command, const struct error *err)
{
	print_note(command, "%s", err->message);
}

const char *const *command_names(void)
{
	static const char *names[COMMAND_COUNT + 1];

	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = command_table[i]->name;
	return names;
}

const struct command *command_find(const char *name, struct error *err)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(command_table[i]->name, name) == 0)
			return command_table[i];
	const char *nearest = str_nearest(name, command_names(), COMMAND_COUNT);
	if (nearest)
		error_set(err, ERROR_USAGE, "unknown command \"%s\"; did you mean \"%s\"?", name,
			  nearest);
	else
		error_set(err, ERROR_USAGE, "unknown command \"%s\"; see tare --help", name);
	return NULL;
}

/* The commands by what they are for; each is in one group. */
static const struct {
	const char *title, *names; /* between blanks */
} groups[] = {
	{"Record", " record import instrument "},
	{"Look", " report annotate view diff export merge "},
	{"While it runs", " top ctl "},
	{"More", " redact recover doctor help "},
};

static void print_group(FILE *stream, const char *title, const char *names)
{
	print_text(stream, "\n");
	print_line(stream, "%s:", title);
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const char *name = command_table[i]->name;
		const char *at = strstr(names, name);

		if (at && at[-1] == ' ' && at[strlen(name)] == ' ')
			print_line(stream, "  %-12s %s", name, command_table[i]->summary);
	}
}

void command_print_usage(FILE *stream)
{
	print_text(stream, "tare - where a program spends its time\n\n"
			   "Usage: tare COMMAND [OPTIONS] [--] [ARGUMENTS]\n"
			   "       tare FILE.tare\n");
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		print_group(stream, groups[i].title, groups[i].names);
	print_text(stream, "\nExamples:\n"
			   "  tare record -- ./prog     run it, and write prog.tare\n"
			   "  tare report               the summary of the newest profile here\n"
			   "  tare view                 the same in a browser\n"
			   "  tare top PID              what runs already, live\n"
			   "\n\"tare COMMAND --help\" describes a command, \"tare help\" lists "
			   "what else can be read.\n\"tare --version\" prints the version, with "
			   "--build also what it was built from.\n");
}

static void append_examples(const char *examples, struct str *text)
{
	str_append(text, "Examples:\n");
	while (*examples) {
		const size_t length = strcspn(examples, "\n") + 1;

		str_append(text, "  ");
		str_append_bytes(text, examples, length);
		examples += length;
	}
	str_append(text, "\n");
}

void command_print_help(const struct command *command, bool all)
{
	struct str text = {0};

	str_printf(&text, "Usage: tare %s [OPTIONS]%s%s\n\n%s\n\n", command->name,
		   *command->operands ? " " : "", command->operands, command->description);
	if (command->examples)
		append_examples(command->examples, &text);
	const size_t left_out = options_help(command->options, all, &text);
	if (left_out)
		str_printf(&text, "\n%zu rare options are left out: tare %s --help=all\n", left_out,
			   command->name);
	print_text(stdout, text.data);
	str_fini(&text);
}

static int failure_status(const struct command *command, const struct error *err)
{
	if (command->failure_status)
		return command->failure_status;
	return err->code == ERROR_USAGE ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILED;
}

static int command_run(const struct command *command, char **argv, int argc)
{
	const struct options_syntax syntax = {.options = command->options,
					      .stop_at_operand = command->stop_at_operand};
	void *values = mem_zalloc(command->values_bytes + 1);
	struct operands operands = {.items = argv, .count = (size_t)argc};
	struct error err = {0};
	enum option_help help = OPTION_HELP_NONE;
	int status = -1;

	if (command->defaults)
		memcpy(values, command->defaults, command->values_bytes);
	if (options_parse(&syntax, &operands, values, &help, &err)) {
		if (help) {
			command_print_help(command, help == OPTION_HELP_ALL);
			status = EXIT_STATUS_OK;
		} else {
			status = command->run(values, &operands, &err);
		}
	}
	if (status < 0) {
		command_print_error(command, &err);
		status = failure_status(command, &err);
	}
	options_fini(command->options, values);
	free(values);
	return status;
}

/* A full disk or closed pipe behind stdout is a failure too. */
static int finish_output(int status)
{
	struct error err;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	error_set_errno(&err, errno, "cannot write the standard output");
	command_print_error(NULL, &err);
	return status ? status : EXIT_STATUS_FAILED;
}

/* ---- words that are no commands ---- */

static bool is_profile_name(const char *word)
{
	return word[0] != '-' && str_ends_with(word, ".tare");
}

/* A path of one, or a name that is like no command's. */
static bool is_program(const char *word)
{
	struct stat status;

	if (strchr(word, '/'))
		return stat(word, &status) == 0 && S_ISREG(status.st_mode) &&
		       access(word, X_OK) == 0;
	return *word && word[0] != '-' && !str_nearest(word, command_names(), COMMAND_COUNT) &&
	       program_is_there(word);
}

/* To run a program does what it does, and writes a profile: that is said, not done unasked. */
static void tell_of_program(const char *word, bool has_arguments, struct error *err)
{
	struct str command = {0};

	written_append_word(&command, word);
	error_set(err, ERROR_USAGE,
		  "%s is no command of tare but a program; to record it: tare record -- %s%s", word,
		  command.data, has_arguments ? " …" : "");
	str_fini(&command);
}

static int print_version(char **words, int count)
{
	const bool of_build = count == 1 && strcmp(words[0], "--build") == 0;
	struct error err;

	if (count && !of_build) {
		error_set(&err, ERROR_USAGE, "tare --version takes nothing but --build");
		command_print_error(NULL, &err);
		return EXIT_STATUS_USAGE;
	}
	print_text(stdout, "tare " TARE_VERSION "\n");
	if (of_build)
		print_text(stdout, build_facts);
	return EXIT_STATUS_OK;
}

struct words {
	int argc;
	char **argv;
};

static int run_words(void *context)
{
	const struct words *words = context;
	const int argc = words->argc;
	char **argv = words->argv;
	struct error err = {0};

	written_set_caller(argc ? argv[0] : "");
	if (argc < 2) {
		command_print_usage(stderr);
		return EXIT_STATUS_USAGE;
	}
	const char *name = argv[1];
	if (strcmp(name, "--version") == 0)
		return finish_output(print_version(argv + 2, argc - 2));
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		command_print_usage(stdout);
		return finish_output(EXIT_STATUS_OK);
	}
	/* To show a profile changes nothing, so one in the place of a command is shown. */
	if (is_profile_name(name))
		return finish_output(command_run(&command_report, argv + 1, argc - 1));
	const struct command *command = command_find(name, &err);
	if (!command) {
		if (is_program(name))
			tell_of_program(name, argc > 2, &err);
		command_print_error(NULL, &err);
		return EXIT_STATUS_USAGE;
	}
	return finish_output(command_run(command, argv + 2, argc - 2));
}

int main(int argc, char **argv)
{
	rlimits_raise();
	heap_begin();
	return rlimits_run_with_stack(run_words, &(struct words){argc, argv});
}
