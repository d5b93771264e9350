/* From the words of a command line to the ELF file that will run, and its arguments. */
#ifndef TARE_TARGET_PROGRAM_H
#define TARE_TARGET_PROGRAM_H

#include "target/target.h"

#include <stddef.h>

struct program {
	char *path;   /* absolute path of the ELF file, links resolved */
	char *script; /* the script that names it as interpreter, NULL if none */
	/* Arguments for execve: those given, or what the kernel passes to a script's interpreter.
	 */
	char **arguments;
	size_t argument_count;
	char *loader; /* PT_INTERP; NULL for a static executable */
};

/*
 * Finds words[0] in PATH as execvp does, follows #! lines (at most 5, as the kernel), and checks
 * that the program can be profiled. On failure `*status` is one of enum target_status and err says
 * why: not found; a directory, not executable, not an ELF file, damaged; 32-bit, another machine,
 * setuid, setgid, with capabilities, loader without LD_AUDIT.
 */
bool program_resolve(struct program *program, char *const *words, size_t count, int *status,
		     struct error *err);
void program_fini(struct program *program);

/* The file that execvp would run for `name`; free it. NULL with err and *status. */
char *program_find(const char *name, int *status, struct error *err);

#endif
