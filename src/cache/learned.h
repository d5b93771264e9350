/*
 * What recordings learn of a copy, kept beside it in the cache (abi/learned.h): which functions and
 * call sites start disarmed the next time. Those that a recording has come to time again leave it.
 *
 * Nothing here is an error: without it a recording learns anew. A file that is another user's, that
 * others may write, that is damaged or of another copy says nothing.
 */
#ifndef TARE_CACHE_LEARNED_H
#define TARE_CACHE_LEARNED_H

#include "abi/learned.h"
#include "abi/session_files.h"
#include "cache/instrument.h"
#include "session/session_dir.h"

struct learned {
	uint32_t count; /* bits */
	uint8_t *bits;
};

/* `source_id`: of the copy's note. False where there is none; free with learned_fini. */
bool learned_read(int dir_fd, const char *name, const uint8_t *source_id, struct learned *learned);
void learned_fini(struct learned *learned);
bool learned_has(const struct learned *learned, uint32_t number);

/* Puts what is known of a file's copy into the session; before a process loads it. */
void learned_hand_over(const struct session *session, const struct instrumented *file);

/* What is in the session. */
bool learned_read_session(int session_fd, const uint8_t *source_id, struct learned *learned);

/* Keeps what the processes of a recording have noted, one after the other. */
void learned_keep(const struct instrumented *file, const struct tare_disarm_record *records,
		  size_t record_count);

#endif
