/*
 * exec: keeps the session's two variables out of the target's sight, and gives them to every
 * program that it starts.
 */
#ifndef TARE_RUNTIME_EXEC_EXEC_H
#define TARE_RUNTIME_EXEC_EXEC_H

#include "runtime/base/registers.h"
#include "runtime/base/session.h"
#include "runtime/files/self.h"

/*
 * Removes the session's variables from the environment on the program's initial stack, in place.
 * `environment` is followed by the auxiliary vector there, and still is afterwards.
 */
void exec_hide_session(char **environment);

/*
 * At the start of a program that is not instrumented: executes its copy, with the loader's reserve
 * of static thread-local storage that the recorder asks for. Returns when that failed.
 */
void exec_copy(const struct session_answer *copy, char **arguments, char **environment);

/*
 * At execve or execveat: performs it with the variables added. Returns when it failed; the
 * target's own system call then follows and fails likewise. `self` may be NULL.
 */
void exec_with_session(struct tare_thread_file *self, const struct probes_registers *registers);

#endif
