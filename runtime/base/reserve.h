/*
 * reserve: session files made beforehand, by a process that is about to lose the right to make
 * them: it changes its root, its user, its limits, or puts itself into a sandbox. Its forked
 * children have the same reserve; a file goes to whoever takes it first.
 */
#ifndef TARE_RUNTIME_BASE_RESERVE_H
#define TARE_RUNTIME_BASE_RESERVE_H

#include <stdint.h>

/*
 * Threads of a process that may not map memory either need more in their files than others. Of
 * those for samples there are as many as of both.
 */
enum reserve_kind {
	RESERVE_PROCESS,
	RESERVE_TIMER,
	RESERVE_THREAD,
	RESERVE_SMALL_THREAD,
	RESERVE_SMALL_TIMER,
	RESERVE_KINDS
};

/* Makes a file of that name; its run address, or 0. NULL: none are wanted. */
typedef uint64_t reserve_maker(const char *name);

/*
 * Fills the reserve up to the kind `last`, each kind once for the process that `owner` (not 0)
 * tells from others that were forked from it or that it was forked from; as far as that is
 * possible.
 */
void reserve_make(reserve_maker *const makers[RESERVE_KINDS], enum reserve_kind last,
		  uint64_t owner);

/* The run address of a file that is the caller's from now on, mapped and backed; 0: none left. */
uint64_t reserve_take(enum reserve_kind kind);

#endif
