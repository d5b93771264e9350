/*
 * cli: parse the command line, call the libraries, print errors, choose the exit status. One file
 * per command, which defines one `const struct command`; main.c holds the table of them.
 */
#ifndef TARE_CLI_COMMAND_H
#define TARE_CLI_COMMAND_H

#include "base/error.h"
#include "cli/options.h"

#include <stdio.h>

enum exit_status {
	EXIT_STATUS_OK = 0,
	EXIT_STATUS_FAILED = 1, /* understood, but could not be done */
	EXIT_STATUS_USAGE = 2,	/* the command line is wrong */
};

/* What the operands of a command are, for completion. */
enum operand_kind {
	OPERAND_PROFILE,   /* *.tare */
	OPERAND_FILE,	   /* any */
	OPERAND_DIRECTORY, /* any */
	OPERAND_PROCESS,   /* number of a process */
	OPERAND_COMMAND,   /* a program and its arguments */
	OPERAND_WORD,	   /* nothing but `words` */
	OPERAND_KINDS
};

struct command {
	const char *name;
	const char *operands;	      /* as shown behind [OPTIONS], e.g. "[VIEW] FILE" */
	const char *summary;	      /* a few words for the list of commands */
	const char *description;      /* paragraphs for the command's own --help */
	const char *examples;	      /* command lines, each with its end; NULL: none */
	const struct option *options; /* ends with an option without name */
	const void *defaults;	      /* initial values of `values_bytes`, NULL for zeroes */
	size_t values_bytes;	      /* size of the struct that the options are stored in */
	bool stop_at_operand;	      /* see struct options_syntax */
	enum operand_kind operand_kind;
	const char *const *(*words)(void); /* an operand's values, ending with NULL, or NULL */
	int words_at;			   /* which operand that is, from 1 */
	int function_at;		   /* which operand is a function, from 1; 0: none */
	const char *function_after; /* only behind these words, with blanks between; NULL: any */
	int failure_status;	    /* exit status where tare fails; 0: by enum exit_status */
	/*
	 * Returns an exit status, or -1 with err set: main prints it and chooses the status.
	 */
	int (*run)(const void *values, const struct operands *operands, struct error *err);
};

extern const struct command command_annotate;
extern const struct command command_ctl;
extern const struct command command_diff;
extern const struct command command_doctor;
extern const struct command command_export;
extern const struct command command_help;
extern const struct command command_import;
extern const struct command command_instrument;
extern const struct command command_merge;
extern const struct command command_record;
extern const struct command command_recover;
extern const struct command command_redact;
extern const struct command command_report;
extern const struct command command_top;
extern const struct command command_view;

/* All commands in the order of tare --help; ends with NULL. */
extern const struct command *const command_table[];

/* NULL with err (ERROR_USAGE) for an unknown name. */
const struct command *command_find(const char *name, struct error *err);
/* The names of all commands, ending with NULL. */
const char *const *command_names(void);

/* Prints the commands, or the help of one. */
void command_print_usage(FILE *stream);
void command_print_help(const struct command *command, bool all);
/* Prints "tare NAME: message" as one line on stderr; control characters are escaped. */
void command_print_error(const struct command *command, const struct error *err);

#endif
