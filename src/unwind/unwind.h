/*
 * unwind: from the registers of a thread, what can be read of its memory, and the files that its
 * process has mapped, to the calls that are in progress. No input or output.
 *
 *   table.h       the rules of one file, searched and applied without memory of its own
 *   build.h       makes them from an object
 *   step.h        one frame to its caller
 *   expression.h  DWARF expressions
 *   unwind.h      a process's map of files, and whole stacks
 *
 * table, step and expression use nothing of the C library and may run in a signal handler.
 */
#ifndef TARE_UNWIND_UNWIND_H
#define TARE_UNWIND_UNWIND_H

#include "unwind/step.h"

struct unwind_map;

struct unwind_map *unwind_map_new(void);
void unwind_map_free(struct unwind_map *map);

/* A file, or a part of one, at [begin, end); run address = link address + bias. */
struct unwind_mapping {
	uint64_t begin, end, bias;
	const struct unwind_table *table; /* borrowed while it is mapped; NULL: has none */
};

/* Maps it over what was there, as mmap does. */
void unwind_map_add(struct unwind_map *map, const struct unwind_mapping *mapping);
/* Nothing is mapped at [begin, end) any more. */
void unwind_map_remove(struct unwind_map *map, uint64_t begin, uint64_t end);
/* What is mapped at `run_addr`, or NULL. Valid until the map is changed. */
const struct unwind_mapping *unwind_map_find(const struct unwind_map *map, uint64_t run_addr);

enum unwind_frame_flags {
	UNWIND_FRAME_EXACT = 1,	  /* interrupted here; otherwise `addr` lies in the call */
	UNWIND_FRAME_GUESSED = 2, /* found by the frame pointer of code without rules */
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
