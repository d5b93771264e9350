/*
 * session: the runtime's side of the conversation with the recorder (abi/session.h).
 */
#ifndef TARE_RUNTIME_SESSION_H
#define TARE_RUNTIME_SESSION_H

#include "runtime/state.h"

/*
 * Asks which file to use instead of the one at `path` (absolute). True when there is one; its path
 * is then in `copy` (TARE_PATH_MAX bytes). False also when the recorder is gone or silent.
 */
bool session_ask(enum tare_request_kind kind, const char *path, char *copy);

#endif
