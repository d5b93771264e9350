/* Names of system calls (x86-64). */
#ifndef TARE_REPORT_TABLE_SYSCALLS_H
#define TARE_REPORT_TABLE_SYSCALLS_H

/* NULL if unknown. */
const char *syscall_name(int number);

#endif
