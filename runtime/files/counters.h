/*
 * counters: pages of their own for what each thread counts (abi/module.h, abi/counters.h).
 *
 *   slot 0          gs base 0: the modules' own counters. Of all threads that can have none of
 * their own; made pages of the file when there is one. Until then they stay as they are mapped from
 * the module: tools that read /proc/PID/maps (elfutils) take what another file cuts in two for two
 * modules. slot k          gs base d(k): each module's counters lie at their own address + d(k) as
 * well
 *
 * Where a module's pages were once mapped at a slot they stay until it is unloaded, so that a
 * thread that counts by another's base meets memory.
 *
 * Nothing here fails in the target's sight: what cannot be had makes threads share pages, which the
 * file says.
 */
#ifndef TARE_RUNTIME_FILES_COUNTERS_H
#define TARE_RUNTIME_FILES_COUNTERS_H

#include "abi/counters.h"
#include "runtime/base/module.h"
#include "runtime/base/state.h"

/* The recording of a process begins; `began` where it has a file. In a forked child the pages are
   the parent's until then. */
void counters_begin_process(bool began, int32_t pid, uint64_t begin_ticks);

/* What is counted is kept: where it is not, all calls are to be timed. */
bool counters_are_kept(void);

/* A module was loaded and runs no code yet; it is about to be unloaded. */
void counters_add(const struct tare_module *module, uint64_t ordinal);
/* The same of one that counts at places that are not known, between these addresses. */
void counters_add_unknown(const struct tare_module *module, uint64_t begin, uint64_t end);
void counters_remove(const struct tare_module *module);

/* The calling thread gets its pages, unless it has some. */
void counters_enter(void);

/* Its file, whose begin names the thread. */
void counters_name(uint64_t thread_begin_ticks);

/* Has it a base of %gs, that the kernel sets at each switch to it? */
bool counters_have_base(void);

/* It counts nothing any more. */
void counters_leave(void);

/*
 * What all threads have counted so far of these counters of a module, each modulo 2^32; what ended
 * threads had may be missing once others have their pages. False where they are not known.
 */
bool counters_totals(const struct tare_module *module, const uint32_t *numbers, uint64_t count,
		     uint32_t *totals);

/* Collection of the process, or of the calling thread, is off or on from now on. */
void counters_switch(bool off);
void counters_switch_thread(bool off);

/* The program itself uses %gs: from now on nothing of the runtime does. */
void counters_give_up_gs(void);

#endif
