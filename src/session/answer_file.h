/*
 * answer_file: what the recorder has answered, for processes that would ask the same
 * (abi/answers.h). What finds no room in it is answered by the server each time.
 */
#ifndef TARE_SESSION_ANSWER_FILE_H
#define TARE_SESSION_ANSWER_FILE_H

#include "abi/answers.h"
#include "session/server.h"
#include "session/session_dir.h"

#include <sys/stat.h>

struct answer_known {
	enum tare_request_kind kind;
	char *path;
	uint32_t offset;
};

struct answer_file {
	int fd; /* -1: there is none */
	uint32_t used_bytes;
	uint32_t slots[TARE_ANSWERS_SLOTS]; /* as in the file, which is never read */
	struct vec_of(struct answer_known) known;
};

/* Without the file, which is no error, nothing is put into it. */
void answer_file_create(struct answer_file *file, const struct session *session);
/* Tells the processes that nothing in it holds any more. */
void answer_file_close(struct answer_file *file);

/*
 * What the server answers to `kind` about `path`. It holds while the file at the path is the one
 * that `info` says, or, with NULL, in any case.
 */
void answer_file_put(struct answer_file *file, enum tare_request_kind kind, const char *path,
		     const struct stat *info, const struct server_answer *answer);

/* From now on the server is to be asked. */
void answer_file_withdraw(struct answer_file *file, enum tare_request_kind kind, const char *path);

#endif
