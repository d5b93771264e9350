/*
 * children: programs that recorded ones start. What is found out when a process that has executed
 * the original first asks for its copy serves those who would execute the copy at once.
 */
#ifndef TARE_CACHE_CHILDREN_H
#define TARE_CACHE_CHILDREN_H

#include "base/base.h"
#include "cache/instrument.h"

#include <sys/types.h>

struct child_program {
	const struct instrumented *file; /* borrowed */
	struct str variables;		 /* of the process; see closure_variables */
	uint64_t static_tls_bytes;
	bool same_rights; /* its process has the security label that this one has */
};

struct children {
	struct vec_of(struct child_program) programs;
};

void children_fini(struct children *children);

/*
 * What process `pid`, which has executed `file` and asks for its copy, needs of the loader's
 * reserve (struct tare_reply). Found out once per program and its variables.
 */
uint64_t children_static_tls_bytes(struct children *children, const struct instrumented *file,
				   pid_t pid);

/*
 * May the copy of `file` be executed without the original before it, by a process that gives it no
 * variables for the loader? Only where a process has executed the original in this recording,
 * without such variables, and the kernel's security modules gave it no other rights: a copy has
 * another path, so it would not get them.
 */
bool children_may_skip(const struct children *children, const struct instrumented *file,
		       uint64_t *static_tls_bytes);

#endif
