/*
 * The causes of OS time: one line per cause. Enum, columns of profiles and reports, names, words,
 * the page and the tests follow from this list. What a new cause needs besides: to be seen
 * (runtime/os/os_flag.c), a colour (web/src/style.css), and to be described
 * (docs/reference/profile-format.md, docs/reference/columns.md).
 *
 *   number   in thread files and profiles: never changes. From 0 on, without a gap. Where the time
 *            of a killed thread's causes exceeds its time, that of the largest number gives way.
 *   ID, name TARE_OS_<ID>; in CSV, JSON and in the names of columns
 *   since    version of the profile's schema in the course of which the column came
 *   title    of the column as text
 *   words    what people call it
 *   meaning  the same for who does not know it
 */
#ifndef TARE_ABI_OS_CAUSE_H
#define TARE_ABI_OS_CAUSE_H

#define TARE_OS_CAUSE_LIST(CAUSE)                                                                  \
	CAUSE(0, BLOCKED, blocked, 0, "blocked", "blocked",                                        \
	      "waited: locks, sleep, files, sockets, children"),                                   \
		CAUSE(1, PREEMPTED, preempted, 0, "preempt", "preempted",                          \
		      "could run, but other threads had the processor"),                           \
		CAUSE(2, MAJOR_FAULT, major_fault, 0, "major", "major faults",                     \
		      "pages read from storage"),                                                  \
		CAUSE(3, MINOR_FAULT, minor_fault, 0, "minor", "minor faults",                     \
		      "pages of memory on first use"),                                             \
		CAUSE(4, SYSCALL, syscall, 0, "syscall", "system calls",                           \
		      "the kernel worked for the program, without waiting"),                       \
		CAUSE(5, INTERRUPT, interrupt, 0, "irq", "interrupts", "timers and devices"),      \
		CAUSE(6, SWITCH, switch, 5, "switch", "switches",                                  \
		      "ran, in an interval with a switch and no system call")

#define TARE_OS_CAUSE_ID(number, ID, ...)     TARE_OS_##ID = (number)
#define TARE_OS_CAUSE_NUMBER(number, ID, ...) (number)

enum tare_os_cause { TARE_OS_CAUSE_LIST(TARE_OS_CAUSE_ID), TARE_OS_CAUSES };

_Static_assert(sizeof((char[]){TARE_OS_CAUSE_LIST(TARE_OS_CAUSE_NUMBER)}) == TARE_OS_CAUSES,
	       "numbers of causes have a gap");

#endif
