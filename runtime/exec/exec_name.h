/* exec_name: what ps shows of a process, which is the name of the file that it has executed. */
#ifndef TARE_RUNTIME_EXEC_EXEC_NAME_H
#define TARE_RUNTIME_EXEC_EXEC_NAME_H

#include "runtime/base/answers.h"
#include "runtime/base/registers.h"

struct exec_name {
	char path[TARE_PATH_MAX];
};

/*
 * The path by which to execute the copy so that the process is called `wanted` (NULL: it does not
 * matter): a link of that name in the session, in `name`, where the copy has another one. The copy
 * itself where there can be none, as in a process whose system calls are filtered.
 */
const char *exec_name_path(struct exec_name *name, const char *copy, const char *wanted);

/* The last part of the path that execve or execveat names, in `memory`; NULL: it has none. */
const char *exec_name_asked(const struct probes_registers *registers, struct exec_name *memory);

/* What this process is called, in `memory`. */
const char *exec_name_own(struct exec_name *memory);

#endif
