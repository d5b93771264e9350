/*
 * The file of CPU readings in a session directory. A line of it: pid, ticks at the begin and the
 * end of the interval, ns used in it. A begin of 0 is that of the process. Intervals in which a
 * process used nothing have no line.
 */
#ifndef TARE_SESSION_CPU_READINGS_H
#define TARE_SESSION_CPU_READINGS_H

#define CPU_READINGS_NAME "cpu"

/* The shortest time between two readings, which is that of the first ones. */
enum { CPU_READINGS_FIRST_MS = 5 };

#endif
