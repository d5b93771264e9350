/*
 * session: the runtime's side of the conversation with the recorder (abi/session.h).
 */
#ifndef TARE_RUNTIME_BASE_SESSION_H
#define TARE_RUNTIME_BASE_SESSION_H

#include "runtime/base/state.h"

struct session_answer {
	char path[TARE_PATH_MAX];
	uint64_t static_tls_bytes; /* see struct tare_reply */
};

/*
 * Asks which file to use instead of the one at `path` (absolute). True when there is one. False
 * also when the recorder is gone or silent.
 */
bool session_ask(enum tare_request_kind kind, const char *path, struct session_answer *answer);

/* The same without an answer, and without waiting; it may get lost. */
void session_tell(enum tare_request_kind kind, const char *path);

#endif
