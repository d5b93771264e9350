/* Names of system calls (x86-64), and what their first argument stands for. */
#ifndef TARE_REPORT_SYSCALLS_H
#define TARE_REPORT_SYSCALLS_H

enum syscall_object {
	SYSCALL_OBJECT_OTHER,
	SYSCALL_OBJECT_FILE,  /* a file descriptor */
	SYSCALL_OBJECT_FUTEX, /* the address of a futex */
};

/* NULL if unknown. */
const char *syscall_name(int number);
enum syscall_object syscall_object_kind(int number);

#endif
