/* Pieces of copied code that the rewriter puts there: see abi/module.h and rewrite/emit_probe.c. */
#ifndef TARE_CACHE_COPY_STEPS_H
#define TARE_CACHE_COPY_STEPS_H

#include "object/object.h"

/* Where the distance of 32 bits before `end` leads, which is where its instruction ends. */
uint64_t copy_distance_target(const unsigned char *distance_at, uint64_t end);

/* Where the `jmp` of five bytes at `at` leads; 0: there is none. */
uint64_t copy_jump_target(const struct object *copy, uint64_t at);

/* Behind a counter, if one stands at `at`; else `at`. */
uint64_t copy_behind_count(const struct object *copy, uint64_t at);

/*
 * What stands for the stub of a linkage table, where a call through a slot may be bound to a
 * function of the same file:
 *
 *   jmp copy
 *   lea function(%rip),%r11; cmp %r11,slot(%rip); je copy; jmp far, or what else leads elsewhere
 */
struct bound_stub {
	uint64_t jump; /* of that to the copy */
	uint64_t copy; /* where it leads */
	uint64_t far;  /* the call of what another file has, if it stands apart; else 0 */
};

/* False: nothing of this form stands at `addr`. */
bool bound_stub_read(const struct object *copy, uint64_t addr, struct bound_stub *stub);

#endif
