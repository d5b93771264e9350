/*
 * The part of a thread's stack that lies beyond the copy in its sample, read from the process while
 * the thread runs on. Older frames mostly stand still; whether they have is checked, as a stack of
 * two times would be a lie.
 */
#ifndef TARE_SAMPLER_STACK_READER_H
#define TARE_SAMPLER_STACK_READER_H

#include "base/base.h"
#include "unwind/unwind.h"

enum { STACK_READER_BYTES = 1 << 20 };

struct stack_reader {
	uint32_t pid;
	const struct unwind_memory *copy;
	const struct unwind_stack *stack; /* as far as it is known */
	bool asked, gone;
	uint64_t begin;	      /* run address of bytes[0] */
	size_t size_bytes;    /* read so far */
	unsigned char *bytes; /* STACK_READER_BYTES of the caller's */
};

/* The `read` of struct unwind_memory; `context` is a struct stack_reader. */
bool stack_reader_read(void *context, uint64_t run_addr, uint64_t *word);

#endif
