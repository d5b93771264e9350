/*
 * options: the command line of one command, described by a table. The same table drives parsing
 * and the text of --help. Values are stored in a struct of the command, at the offsets given.
 */
#ifndef TARE_CLI_OPTIONS_H
#define TARE_CLI_OPTIONS_H

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPTION_FLAG,	/* bool: true when given */
	OPTION_TEXT,	/* const char *: the argument, or `fallback` when given without "=…" */
	OPTION_CHOICE,	/* int: index into `choices` */
	OPTION_INTEGER, /* int64_t, between `min` and `max` */
	OPTION_NUMBER,	/* double, between `min` and `max` */
	OPTION_SIZE, /* int64_t, between `min` and `max`; k, M and G multiply by 1024 and so on */
	OPTION_LIST, /* struct option_list: appends; several options may share one list */
};

/* What an option is about: a section of the help and of the man page, in this order. */
enum option_group {
	OPTION_USUAL,
	OPTION_WHAT,
	OPTION_SAMPLES,
	OPTION_FUNCTIONS,
	OPTION_RUN,
	OPTION_LIMITS,
	OPTION_PART,
	OPTION_ROWS,
	OPTION_TREE,
	OPTION_FORM,
	OPTION_GROUPS
};

struct option {
	const char *name;	    /* without "--" */
	const char *argument;	    /* name of the argument in the help, NULL for flags */
	const char *help;	    /* one sentence, without final full stop */
	const char *fallback;	    /* OPTION_TEXT, OPTION_CHOICE: the argument is optional */
	const char *const *choices; /* OPTION_CHOICE: ends with NULL */
	/* Other types: what completion proposes, ending with NULL; NULL: nothing. */
	const char *const *(*proposals)(void);
	size_t offset; /* of the value in the command's struct */
	int64_t min,
		max; /* OPTION_INTEGER, OPTION_NUMBER, OPTION_SIZE; both 0: min 0, no maximum */
	enum option_type type;
	enum option_group group;
	bool rare; /* the help leaves it out, but for --help=all */
	int tag;   /* OPTION_LIST: stored with the argument */
	bool many; /* OPTION_LIST: takes all words up to the next option, as a shell's pattern gives
		    */
	char letter; /* short name, or 0 */
	/* For options_needing: what it is no use without, as bits of the command's own. */
	unsigned needs;
	const char *called; /* there, where not by its name alone */
	/* For options_describe: its place in the description, from 1 on; 0: it is not in it. */
	int place;
	/* Appends what stands there for it instead of the option as it was given. */
	void (*describe)(const void *values, struct str *out);
};

struct option_item {
	int tag;
	const char *value; /* part of argv */
};

struct option_list vec_of(struct option_item);

/* What is left of argv besides options. */
struct operands {
	char **items;
	size_t count;
};

struct options_syntax {
	const struct option *options; /* ends with an option without name */
	bool stop_at_operand;	      /* the first operand ends the options, as "--" does */
};

enum option_help { OPTION_HELP_NONE, OPTION_HELP_USUAL, OPTION_HELP_ALL };

/*
 * Parses the words in `operands` (without the command's name) into `values`, and leaves in it what
 * is no option, in order. Options and operands may be mixed unless stop_at_operand. Sets *help and
 * returns at once where --help, -h or --help=all is met. Fails with ERROR_USAGE.
 */
bool options_parse(const struct options_syntax *syntax, struct operands *operands, void *values,
		   enum option_help *help, struct error *err);
/* Frees the lists in `values`. */
void options_fini(const struct option *options, void *values);

/* What the first option that is given and needs any of `needs` is called; NULL: none is. */
const char *options_needing(const struct option *options, const void *values, unsigned needs,
			    struct str *scratch);
/* Appends " --name=value" of what is given, in the order of `place`: flags without a value. */
void options_describe(const struct option *options, const void *values, struct str *out);

/* --help, which every command has; ends with an option without name. */
extern const struct option options_common[];

/* Appends what follows the name of an option: nothing, "=FILE", "[=a|b]". */
void options_argument(const struct option *option, struct str *out);
/* "Which functions"; the title of the group. */
const char *option_group_title(enum option_group group);
/* The options of a group in their order: the next one behind `at`, NULL for the first; NULL: none.
 */
const struct option *options_of_group(const struct option *options, enum option_group group,
				      const struct option *at);
/* Appends one aligned, wrapped entry per option, by groups; returns how many were left out as rare,
   which are none if `all`. */
size_t options_help(const struct option *options, bool all, struct str *out);

#endif
