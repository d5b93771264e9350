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
	uint32_t count; /* of bits, in each of the two */
	uint8_t *bits;
	uint8_t *bare; /* what the bare copy leaves out, in `bits` too when it is made */
	uint8_t command[DIGEST_BYTES]; /* that it is for */
};

/* `source_id`: of the copy's note. False where there is none; free with learned_fini. */
bool learned_read(int dir_fd, const char *name, const uint8_t *source_id, struct learned *learned);
void learned_fini(struct learned *learned);
bool learned_has(const struct learned *learned, uint32_t number);
bool learned_is_bare(const struct learned *learned, uint32_t number);

/*
 * What is known of a file's copy. False where there is nothing; free with learned_fini. `entry` is
 * the one of the copy with all probes.
 */
bool learned_of_entry(const struct cache_entry *entry, struct learned *learned);
/* What tells bare copies of one file apart; "" where nothing is left out. */
void learned_bare_digest(const struct learned *learned, char text[DIGEST_TEXT_BYTES]);

/* Puts what is known of a file's copy into the session; before a process loads it. */
void learned_hand_over(const struct session *session, const struct instrumented *file);

/* What is in the session. */
bool learned_read_session(int session_fd, const uint8_t *source_id, struct learned *learned);

/*
 * Keeps what the processes of a recording have noted, one after the other. With `command`, the
 * digest of what was recorded, true where a bare copy for it is to be made.
 */
bool learned_keep(const struct instrumented *file, const struct tare_disarm_record *records,
		  size_t record_count, const uint8_t *command);

#endif
