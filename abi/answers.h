/*
 * What the recorder has answered before, for all processes of the session to read: the file
 * TARE_ANSWERS_NAME beside the socket. Whoever finds a question in it need not ask.
 *
 *   header with slots ─▶ answer, question, NUL, path replied, NUL │ answer …
 *
 * Only the recorder writes it, and each answer before the slot that leads to it. A question is
 * found by its hash: the first slot is that modulo their number, and the search ends at an empty
 * one. An answer about a file holds only while the file has the identity that it had then.
 */
#ifndef TARE_ABI_ANSWERS_H
#define TARE_ABI_ANSWERS_H

#include <stdint.h>

#define TARE_ANSWERS_NAME  "answers"
#define TARE_ANSWERS_MAGIC 0x7765736e61726174ULL /* "taransew" */
#define TARE_ANSWERS_ABI   1
#define TARE_ANSWERS_SLOTS 1024
#define TARE_ANSWERS_BYTES (256U << 10) /* of the file */

/* A file that is replaced or written to is another one. */
struct tare_file_identity {
	uint64_t device_major, device_minor;
	uint64_t inode; /* 0: whatever the file is, or none */
	uint64_t size_bytes;
	int64_t modified_seconds, modified_ns;
	int64_t changed_seconds, changed_ns;
};

struct tare_answer {
	uint32_t kind; /* enum tare_request_kind; 0: withdrawn */
	uint32_t hash;
	uint32_t asked_bytes; /* without their NULs */
	uint32_t path_bytes;  /* 0: use the original */
	uint64_t static_tls_bytes;
	struct tare_file_identity identity; /* of the file at the path that is asked about */
};

struct tare_answers {
	uint64_t magic;
	uint32_t abi;
	uint32_t closed; /* the recording is over: nothing in it holds any more */
	uint32_t slots[TARE_ANSWERS_SLOTS]; /* offset of an answer in the file; 0: empty */
};

/* FNV-1a of the kind and the path. */
static inline uint32_t tare_answer_hash(uint32_t kind, const char *path)
{
	uint32_t hash = (2166136261U ^ kind) * 16777619U;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 16777619U;
	return hash;
}

_Static_assert(sizeof(struct tare_answer) == 88, "fixed layout");
_Static_assert(sizeof(struct tare_answers) == 16 + 4 * TARE_ANSWERS_SLOTS, "fixed layout");

#endif
