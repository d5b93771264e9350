/*
 * timer_walk: the stack of the calling thread, from the registers at which a signal has interrupted
 * it. Runs in signal handlers: no lock, no memory but the walker's, no fault whatever the rules
 * say.
 */
#ifndef TARE_RUNTIME_TIMER_TIMER_WALK_H
#define TARE_RUNTIME_TIMER_TIMER_WALK_H

#include "abi/timer.h"
#include "unwind/step.h"

#define TIMER_RULES_KEPT 512
#define TIMER_NEAR_BYTES 8192
#define TIMER_FAR_BYTES	 16384

/* A part of the stack, copied. */
struct timer_copy {
	uint64_t begin, size_bytes;
};

/* A thread's own; zero at first. */
struct timer_walker {
	/* The rest of the stack may be read directly up to here, where copying is forbidden. */
	uint64_t stack_end;
	bool is_forbidden;   /* for this stack */
	uint64_t generation; /* of the map, when the rules were kept */
	struct timer_copy near, far;
	struct timer_rule_kept {
		uint64_t addr;
		const struct unwind_rule *rule;
		const unsigned char *programs;
	} rules[TIMER_RULES_KEPT];
	uint64_t near_bytes[TIMER_NEAR_BYTES / 8], far_bytes[TIMER_FAR_BYTES / 8];
};

/*
 * Code at [begin, end), run address = link address + bias, has these rules; they stay mapped. What
 * was there before is no longer. False where there is no room.
 */
bool timer_map_put(uint64_t begin, uint64_t end, uint64_t bias, const struct unwind_table *table);
/* The same of code without rules, which frame pointers may lead to. What is there stays. Nothing
 * where another thread changes the map at the moment, or has enough of such code. */
void timer_map_put_bare(uint64_t begin, uint64_t end);
/* The map's changes of a forked child wait for none of its parent's threads. */
void timer_map_forked(void);
/* The code at `begin` is gone. */
void timer_map_remove(uint64_t begin);

/*
 * Writes the frames, innermost first, to `frames`, which has room for TARE_TIMER_FRAMES_MAX: where
 * it was interrupted, then the last byte of each call. Returns how many; *complete: up to the root.
 */
uint32_t timer_walk(struct timer_walker *walker, const struct unwind_registers *registers,
		    uint64_t *frames, bool *complete);

#endif
