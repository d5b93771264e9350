/*
 * exec_static: static executables that the target is about to start. No loader brings the runtime
 * into them, so the copy, which carries it, has to be executed instead of the original.
 */
#ifndef TARE_RUNTIME_EXEC_STATIC_H
#define TARE_RUNTIME_EXEC_STATIC_H

#include "runtime/registers.h"
#include "runtime/session.h"

/* Memory for the work: private to the calling thread. */
struct exec_static {
	char head[4096];
	char path[TARE_PATH_MAX];
	struct session_answer copy;
};

/*
 * The path of the copy that execve or execveat should start in place of the file that the
 * registers name, or NULL. The caller may execute the file, and gains nothing by that.
 */
const char *exec_static_copy(const struct probes_registers *registers, struct exec_static *work);

#endif
