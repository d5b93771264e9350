/*
 * The file of a process's counters (abi/module.h): counters.<pid>.<n> in the session directory.
 * What was counted survives any death of the process.
 *
 *   struct tare_counters_file | records | pages of counters and, as large, of what does not count
 *
 * A thread has an owner record, and per module an entry with pages of its own. What an entry has
 * counted while collection was on is counter - off, or -off while it is off: at each change to off
 * the counters were subtracted from `off`, at each change to on they were added.
 *
 * Readers treat everything here as untrusted: a killed target leaves half-done updates.
 */
#ifndef TARE_ABI_COUNTERS_H
#define TARE_ABI_COUNTERS_H

#include <stdint.h>

#define TARE_COUNTERS_NAME  "counters."
#define TARE_COUNTERS_MAGIC 0x746e756f63657261ULL /* "arecount" */
#define TARE_COUNTERS_ABI   1

/* Of the file, before the first pages of counters. */
#define TARE_COUNTERS_HEAD_BYTES (1ULL << 20)

enum tare_counters_flags {
	/* Threads have counted in each other's pages, so some counts may be lost: the program uses
	   %gs itself, or there were no pages for some thread. */
	TARE_COUNTERS_SHARED = 1,
};

struct tare_counters_file {
	uint64_t magic;
	uint32_t abi;
	uint32_t flags; /* enum tare_counters_flags */
	int32_t pid;
	uint32_t record_count;
	uint64_t process_begin_ticks; /* of its process file */
	uint64_t threads_shared;      /* threads without pages of their own */
	uint64_t reserved[3];
};

enum tare_counter_kind {
	TARE_COUNTER_NONE, /* half-done */
	TARE_COUNTER_OWNER,
	TARE_COUNTER_ENTRY,
};

enum tare_counter_flags {
	TARE_COUNTER_OFF = 1, /* of an entry: its collection is off */
};

struct tare_counter_record {
	uint32_t kind;
	uint32_t flags; /* enum tare_counter_flags */
	/* OWNER: begin_ticks of its thread's file; 0: the thread has none (yet) */
	uint64_t thread_begin_ticks;
	/* ENTRY: */
	uint32_t owner; /* number of the owner's record */
	uint32_t counter_count;
	uint64_t module_addr;	 /* run address of struct tare_module */
	uint64_t module_ordinal; /* of its MODULE_OPEN record; 0: there is none */
	uint64_t file_offset;	 /* of the counters: uint64_t[counter_count] */
	uint64_t off_offset;	 /* of what does not count, the same */
};

#define TARE_COUNTER_RECORDS_MAX                                                                   \
	((TARE_COUNTERS_HEAD_BYTES - sizeof(struct tare_counters_file)) /                          \
	 sizeof(struct tare_counter_record))

_Static_assert(sizeof(struct tare_counters_file) == 64, "shared layout");
_Static_assert(sizeof(struct tare_counter_record) == 56, "shared layout");

#endif
