/*
 * verify: proves that an instrumented copy does what its original does, by comparing both files
 * alone. It knows the shapes of abi/module.h and what may change when code moves, and none of the
 * rewriter's decisions: where each instruction went is found by walking original and copy side by
 * side, from the jumps over the original entries on.
 *
 * Checked: each copied instruction, each target of a branch, jump table and map of indirect jumps,
 * each probe and its stub, unwind rows and exception tables of every copied instruction and of the
 * stubs, the original's unwind records, every byte of the file that is not a known change, program
 * headers and the dynamic section.
 *
 * Not checked, as it cannot be seen in the files: whether registers and flags that a probe or a
 * translated jump destroys are dead there. That is what poisoned copies are for.
 */
#ifndef TARE_VERIFY_VERIFY_H
#define TARE_VERIFY_VERIFY_H

#include "base/base.h"
#include "object/object.h"

enum verify_kind {
	VERIFY_CODE,	   /* an instruction, or where a branch leads */
	VERIFY_PROBE,	   /* a probe or its stub */
	VERIFY_TABLE,	   /* a jump table, or the map of a translated jump */
	VERIFY_UNWIND,	   /* call-frame information */
	VERIFY_EXCEPTIONS, /* exception tables */
	VERIFY_BYTES,	   /* bytes of the original that changed */
	VERIFY_HEADERS,	   /* program headers, dynamic section, note */
	VERIFY_KINDS
};

struct verify_difference {
	enum verify_kind kind;
	uint64_t addr, copy_addr; /* link addresses; 0 where there is none */
	const char *function;	  /* mangled name, "" if none; borrowed from the original */
	char text[128];
};

struct verify_counts {
	uint64_t ranges; /* copied: functions and parts */
	uint64_t instructions, branches, probes, tables, table_entries, maps, map_entries;
	uint64_t rows;	     /* places at which unwind states were compared */
	uint64_t call_sites; /* instructions whose exception handling was compared */
	uint64_t records;    /* unwind records of the original */
	uint64_t bytes;	     /* of the original */
};

enum { VERIFY_KEPT_DIFFERENCES = 1000 };

struct verify_result {
	struct verify_counts counts;
	struct vec_of(struct verify_difference) differences; /* the first of them */
	uint64_t difference_count;			     /* all */
};

const char *verify_kind_name(enum verify_kind kind);

/*
 * Compares; both are opened with OBJECT_ALL. False with err where `copy` is no instrumented file of
 * a layout that is known. Free the result with verify_result_fini.
 */
bool verify_copy(const struct object *original, const struct object *copy,
		 struct verify_result *result, struct error *err);
void verify_result_fini(struct verify_result *result);

#endif
