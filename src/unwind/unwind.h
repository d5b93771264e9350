/*
 * unwind: from the registers of a thread, what can be read of its memory, and the files that its
 * process has mapped, to the calls that are in progress. No input or output.
 *
 *   rule_table.h  the rules of one file, searched and applied without memory of its own
 *   build.h       makes them from an object
 *   rules.h       the rules of one file, made when they are asked for
 *   rule_cache.h  rules that were found, of a file or of a process
 *   from_code.h   a rule of code that has no unwind information
 *   step.h        one frame to its caller
 *   expression.h  DWARF expressions
 *   unwind.h      a process's map of files, and whole stacks
 *
 * table, step and expression use nothing of the C library and may run in a signal handler.
 */
#ifndef TARE_UNWIND_UNWIND_H
#define TARE_UNWIND_UNWIND_H

#include "unwind/rules.h"
#include "unwind/step.h"

struct unwind_map;

struct unwind_map *unwind_map_new(void);
void unwind_map_free(struct unwind_map *map);

/* A file, or a part of one, at [begin, end); run address = link address + bias. */
struct unwind_mapping {
	uint64_t begin, end, bias;
	/* One of them, borrowed while it is mapped; both NULL: code made at run time. */
	const struct unwind_table *table;
	struct unwind_rules *rules;
};

/* Maps it over what was there, as mmap does. */
void unwind_map_add(struct unwind_map *map, const struct unwind_mapping *mapping);
/* Nothing is mapped at [begin, end) any more. */
void unwind_map_remove(struct unwind_map *map, uint64_t begin, uint64_t end);
/* What is mapped at `run_addr`, or NULL. Valid until the map is changed. */
const struct unwind_mapping *unwind_map_find(const struct unwind_map *map, uint64_t run_addr);

/* Whether the unwind information of the code at `run_addr` says that nothing has called it. */
bool unwind_map_is_outermost(struct unwind_map *map, uint64_t run_addr);

enum unwind_frame_flags {
	UNWIND_FRAME_EXACT = 1, /* interrupted here; otherwise `addr` lies in the call */
	/* Called code without unwind information, and was found by its frame pointer: if that code
	   has not set it up yet, one frame between them is missing. */
	UNWIND_FRAME_GUESSED = 2,
	UNWIND_FRAME_FROM_CODE = 4, /* the same, but found by what that code does */
};

struct unwind_frame {
	uint64_t addr; /* run address of the instruction that was at work */
	uint64_t sp;
	uint32_t flags; /* enum unwind_frame_flags */
};

struct unwind_stack {
	struct unwind_frame *frames; /* innermost first; the caller's storage */
	size_t room, count;
	enum unwind_result end; /* why it ends there: complete if UNWIND_ROOT */
};

/*
 * Fills `stack` from `registers`, those at which the thread was interrupted. The map is not const:
 * it remembers the rules that it has found.
 */
void unwind_walk(struct unwind_map *map, const struct unwind_registers *registers,
		 const struct unwind_memory *memory, struct unwind_stack *stack);

#endif
