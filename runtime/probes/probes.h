/*
 * probes: the handlers that instrumented code calls (abi/module.h) and their general path. The
 * handlers keep every register; never call them from C, their stack layout is that of a stub.
 */
#ifndef TARE_RUNTIME_PROBES_PROBES_H
#define TARE_RUNTIME_PROBES_PROBES_H

#include "abi/module.h"
#include "runtime/base/registers.h"
#include "runtime/base/state.h"
#include "runtime/base/stub.h"

/*
 * Families of handlers: for hosts where %es tells what interrupted a probe and for the others
 * (os_flag.h), without an event log (probes_fast.S), with one (probes_log.S), and those that tell
 * calls apart by where they are made from (probes_sites.S).
 */
#pragma GCC visibility push(hidden)
extern const struct tare_slots probes_by_selector, probes_by_selector_log;
extern const struct tare_slots probes_by_clock, probes_by_clock_log;
extern const struct tare_slots probes_by_selector_sites, probes_by_clock_sites;
#pragma GCC visibility pop

static inline const struct tare_slots *probes_slots(void)
{
	const bool selector = state_session.os_means & TARE_OS_BY_SELECTOR;

	if (state_session.settings.call_sites)
		return selector ? &probes_by_selector_sites : &probes_by_clock_sites;
	if (state_session.settings.trace_bytes)
		return selector ? &probes_by_selector_log : &probes_by_clock_log;
	return selector ? &probes_by_selector : &probes_by_clock;
}

void probes_syscall(void); /* in probes_syscall.S */

/*
 * The rest of a handler: `entry` is its rsp at entry, `ticks` the time or 0 when not yet read,
 * `place` what offsets.h says. The gate is free, or its own.
 */
void probes_general(const uint64_t *entry, uint64_t ticks, uint32_t place);

/* At a SYSCALL probe. May change the registers: they are what the system call gets. True: the call
   has been made, and they are what it gave. */
bool probes_syscall_event(struct probes_registers *registers);

#endif
