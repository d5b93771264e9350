/*
 * A call of a poison handler with known contents of everything, and what they are behind it.
 */
#ifndef TARE_TESTS_POISON_CALLS_H
#define TARE_TESTS_POISON_CALLS_H

#ifndef __ASSEMBLER__
#include <stdint.h>

enum {
	POISON_REGISTERS = 15, /* in the order of the processor's numbers, without rsp */
	POISON_ABOVE = 2,      /* words from the handler's return address on */
	POISON_BELOW = 64,     /* words below the return address, downwards */
	POISON_VECTOR_BYTES = 2816,
};

struct poison_state {
	uint8_t vectors[POISON_VECTOR_BYTES]; /* as XSAVE has it */
	uint64_t registers[POISON_REGISTERS];
	uint64_t flags;
	uint64_t above[POISON_ABOVE];
	uint64_t below[POISON_BELOW];
} __attribute__((aligned(64)));

/* Loads `before` (but for above and below, which get POISON_MARK), calls, stores all in `after`. */
void poison_observe(void (*handler)(void), const struct poison_state *before,
		    struct poison_state *after, uint64_t vector_mask);

void tare_poison(void);
void tare_poison_call_indirect(void);
#endif

#define POISON_MARK	     0x11111111
#define POISON_OFF_REGISTERS 2816
#define POISON_OFF_FLAGS     (POISON_OFF_REGISTERS + 15 * 8)
#define POISON_OFF_ABOVE     (POISON_OFF_FLAGS + 8)
#define POISON_OFF_BELOW     (POISON_OFF_ABOVE + 16)

#endif
