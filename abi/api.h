/*
 * How a program's calls of include/tare/tare.h reach the runtime. The stub library has a word that
 * is null, and a note (PT_NOTE, name TARE_NOTE_NAME of abi/module.h, type TARE_NOTE_API) whose
 * descriptor is the distance from itself to that word. A runtime that finds the note in a loaded
 * file, instrumented or not, puts the address of its struct tare_api into the word.
 */
#ifndef TARE_ABI_API_H
#define TARE_ABI_API_H

#include <stdint.h>

#define TARE_NOTE_API	 2
#define TARE_API_VERSION 1

/* Members are only added, at the end. All return enum tare_result. */
struct tare_api {
	uint32_t version;
	uint32_t size_bytes;
	int (*change)(int operation, int level, uint32_t id); /* enum tare_operation */
	int (*mark)(int64_t id, const char *text);	      /* text may be NULL */
	int (*name_thread)(const char *name);
	int (*state)(void); /* TARE_OK: the calling thread is recorded */
};

#endif
