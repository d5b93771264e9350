/* registers: what a system call of the target is given, as the SYSCALL probe finds it. */
#ifndef TARE_RUNTIME_BASE_REGISTERS_H
#define TARE_RUNTIME_BASE_REGISTERS_H

#include <stdint.h>

/* In the order in which probes_syscall stores them. */
struct probes_registers {
	uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
};

#endif
