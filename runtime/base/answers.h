/*
 * answers: what the recorder has told others before (abi/answers.h), read without asking it.
 */
#ifndef TARE_RUNTIME_BASE_ANSWERS_H
#define TARE_RUNTIME_BASE_ANSWERS_H

#include "runtime/base/session.h"

/* Maps the session's answers; without them the recorder is asked each time. */
void answers_begin(void);

/* Whether it stands there and still holds. An empty path says to use the original. */
bool answers_find(enum tare_request_kind kind, const char *path, struct session_answer *answer);

#endif
