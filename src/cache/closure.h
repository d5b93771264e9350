/* The libraries that the loader will map for a program, asked of the program's own loader. */
#ifndef TARE_CACHE_CLOSURE_H
#define TARE_CACHE_CLOSURE_H

#include "base/base.h"

#include <sys/types.h>

struct path_list vec_of(char *);

/*
 * Runs `LOADER --list PROGRAM` with the variables, NULL for the present environment, and appends
 * the absolute paths that it prints. Only for a program that is about to be run anyway. An empty
 * list where the loader does not answer: the libraries are then found one by one when they are
 * loaded.
 */
void closure_list(const char *loader, const char *program, char *const *variables,
		  struct path_list *paths);

/*
 * The variables of a process that its loader heeds, as they were when its program began: "NAME=…"
 * of LD_PRELOAD and LD_LIBRARY_PATH, each ended by a NUL, and another one.
 */
void closure_variables(pid_t pid, struct str *variables);

/*
 * The reserve of static thread-local storage that the loader needs for these libraries under
 * LD_AUDIT, in bytes; 0 where its standard reserve serves.
 */
uint64_t closure_static_tls_bytes(const struct path_list *paths);
void closure_fini(struct path_list *paths);

#endif
