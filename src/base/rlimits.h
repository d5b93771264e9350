/*
 * rlimits: limits of resources, as this process was given them. They are meant for the programs
 * that it runs, not for its own work: that raises them as far as it may, and programs that it
 * starts get them back as they were.
 */
#ifndef TARE_BASE_RLIMITS_H
#define TARE_BASE_RLIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

/*
 * Raises them, the hard ones too where that is permitted. What stays is an error where it is met: a
 * file that would grow too large is one, not a signal. Once, before any thread is made.
 */
void rlimits_raise(void);
/* Whether this process may not have as much of it as it wants. */
bool rlimits_has(__rlimit_resource_t resource);
/* In a child that is to execute another program: undoes all that. */
void rlimits_give_back(void);

/* Runs it on a stack of STACK_BYTES, wherever the process's own may not grow as large. */
int rlimits_run_with_stack(int (*run)(void *context), void *context);

enum { RLIMITS_STACK_BYTES = 8 << 20 };

#endif
