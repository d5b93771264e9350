/*
 * stack_table: the stacks of this process that threads have left with calls in progress, by their
 * addresses. One for all threads: a stack may be continued by another thread than the one it was
 * left by.
 *
 * All functions but stack_table_lock want the lock held. It is held for some hundred instructions,
 * and never while anything of the target runs.
 */
#ifndef TARE_RUNTIME_TREE_STACK_TABLE_H
#define TARE_RUNTIME_TREE_STACK_TABLE_H

#include "abi/session_files.h"
#include "runtime/tree/callee.h"

#include <stdbool.h>
#include <stdint.h>

#define STACK_TABLE_MAX	  65536 /* stacks set aside at a time */
#define STACK_FRAMES_KEPT 7	/* frames for which no further memory is needed */

/* Places (struct tare_node) of the lowest and the highest frame seen of a stack. */
struct stack_extent {
	uint64_t low, base;
	bool own; /* the thread's own stack, made by kernel or C library */
};

/* A call in progress that was taken off its node. */
struct stack_frame {
	struct accumulate_callee callee;
	uint64_t sp; /* as in struct tare_node */
	uint64_t site;
	uint64_t node; /* run address of the node it was or is on */
	/* The call's times before its stack was continued last. */
	int64_t inclusive, exclusive, os_inclusive, os_exclusive;
};

struct stack_saved {
	struct stack_extent extent;
	struct tare_thread_file *on; /* the thread that is on this stack; NULL: none */
	bool listed;
	bool taken;		    /* another thread was seen on it since: it is void */
	struct stack_frame *frames; /* outermost first */
	uint64_t count, room;
	uint64_t inherited; /* so many of the outermost stood open at a fork */
	struct stack_saved *next;
	struct stack_frame kept[STACK_FRAMES_KEPT];
};

/* False when the lock cannot be had: its holder does not run, or is this thread itself. */
bool stack_table_lock(void);
void stack_table_unlock(void);

/* Opens the lock that this thread's own interrupted probe holds, if it does. */
void stack_table_lock_break(void);

/* In a forked child: forgets the parent's lock, and stacks that its other threads are on. */
void stack_table_fork(void);

/* Stacks by their base, from 0. */
uint64_t stack_table_count(void);
struct stack_saved *stack_table_at(uint64_t position);

/* The position of the first stack whose base is at or above `place`. */
uint64_t stack_table_position(uint64_t place);

/* False without memory. */
bool stack_table_insert(struct stack_saved *saved);
void stack_table_remove(struct stack_saved *saved);

/* NULL without memory. A stack to be freed is not listed. */
struct stack_saved *stack_table_new(void);
void stack_table_free(struct stack_saved *saved);

/* Makes room for `count` frames and keeps those there are. Only by who is on the stack; no lock. */
bool stack_saved_reserve(struct stack_saved *saved, uint64_t count);

#endif
