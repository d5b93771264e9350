/*
 * exec_image: what the target is about to start, and whether it may know of the session. Only a
 * program that takes the session's variables out of its own sight gets them: one that glibc's
 * loader starts, or a static one, of which the copy that carries the runtime is started instead.
 * Where nothing is unusual and the recorder has it at hand, the first one's copy is started, too: a
 * copy that the program becomes by itself costs a second execve and start of the loader.
 */
#ifndef TARE_RUNTIME_EXEC_EXEC_IMAGE_H
#define TARE_RUNTIME_EXEC_EXEC_IMAGE_H

#include "abi/unfollowed.h"
#include "runtime/base/registers.h"
#include "runtime/base/session.h"

/* Memory for the work: private to the calling thread. */
struct exec_image_work {
	char head[4096];
	char path[TARE_PATH_MAX]; /* of the program's file, "" if unknown */
	char loader[TARE_PATH_MAX];
	struct session_answer copy;
};

enum exec_image_way {
	EXEC_IMAGE_ABSENT,	 /* it is not there: the target's own call shall fail */
	EXEC_IMAGE_FOLLOWED,	 /* it gets the session */
	EXEC_IMAGE_COPY,	 /* its copy does, and is started in its place */
	EXEC_IMAGE_NOT_FOLLOWED, /* it is started as it is, and gets nothing */
};

struct exec_image {
	enum exec_image_way way;
	const char *copy;		 /* EXEC_IMAGE_COPY: its path */
	uint64_t static_tls_bytes;	 /* EXEC_IMAGE_COPY: see struct tare_reply */
	enum tare_unfollowed unfollowed; /* EXEC_IMAGE_NOT_FOLLOWED: why */
	const char *path;		 /* of the program, in the work; "" if unknown */
};

/*
 * Of the file that execve or execveat names in these registers. `plain`: the environment has
 * nothing for the loader.
 */
struct exec_image exec_image_find(const struct probes_registers *registers, bool plain,
				  struct exec_image_work *work);

#endif
