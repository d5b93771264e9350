/* Names of system calls (x86-64). */
#ifndef TARE_ANALYSIS_SYSCALLS_H
#define TARE_ANALYSIS_SYSCALLS_H

/* NULL if unknown. */
const char *syscall_name(int number);
/* -1 if there is none of that name. */
int syscall_number(const char *name);

#endif
