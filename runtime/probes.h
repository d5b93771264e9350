/*
 * probes: the handlers that instrumented code calls (abi/module.h) and their general path. The
 * handlers keep every register; never call them from C, their stack layout is that of a stub.
 */
#ifndef TARE_RUNTIME_PROBES_H
#define TARE_RUNTIME_PROBES_H

#include "runtime/state.h"

void probes_enter(void);
void probes_leave(void);
void probes_call(void);
void probes_call_indirect(void);
void probes_return(void);
void probes_below_flags_enter(void);
void probes_below_flags_leave(void);
void probes_below_flags_call(void);
void probes_below_flags_call_indirect(void);
void probes_below_flags_return(void);
void probes_syscall(void); /* in probes_syscall.S */

/*
 * The rest of a handler: `entry` is its rsp at entry, `ticks` the time or 0 when not yet read,
 * `place` what offsets.h says. The gate is free, or its own.
 */
void probes_general(const uint64_t *entry, uint64_t ticks, uint32_t place);

/* The registers at a SYSCALL probe, in the order in which probes_syscall stores them. */
struct probes_registers {
	uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
};

/* May change the registers: they are what the system call gets. */
void probes_syscall_event(struct probes_registers *registers);

#endif
