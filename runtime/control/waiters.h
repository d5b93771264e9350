/*
 * waiters: functions that wait in some thread, or call what waits.
 *
 * Each thread judges by its own calls (sums.h), and a function may wait in one thread only: of two
 * that pass something to and fro, one may always find what the other has to wait for. What one
 * thread waits in must not be disarmed by another, as the byte is all threads'.
 *
 *   a wait of thread A ─▶ is it SUMS_WAITS of that function's time there? ─▶ A's
 *   thread B disarms   ─▶ not what is A's
 *   A judges again     ─▶ no more ─▶ forgotten, unless a second thread has said so, too
 *
 * Of functions that call what waits each thread says for how long; another keeps the function as
 * long as that is worth the probes of its own calls (sums_leads). So a function that one thread
 * calls all the time goes, if another one's waits do not pay for it.
 *
 * Which of two threads waits may change while they run. What is a thread's stays so when the thread
 * ends, until a thread in its place says otherwise.
 */
#ifndef TARE_RUNTIME_CONTROL_WAITERS_H
#define TARE_RUNTIME_CONTROL_WAITERS_H

#include "runtime/files/self.h"

/* The thread is about to take an interval of its top node, in which it has waited. */
void waiters_note(const struct tare_thread_file *self, const struct adapt_local *local);

/* The function is known to wait, in whatever thread. */
bool waiters_know(uint64_t key);

/* Threads have waited for so long, once more, in what the function calls. */
void waiters_note_below(uint64_t key, uint64_t ticks);

/* For how long all threads have, as they have said when they judged. */
uint64_t waiters_below(uint64_t key);

/* By all its calls, the thread does not wait in the function: forgets what it has said before. */
void waiters_take_back(const struct tare_thread_file *self, uint64_t key);

/* A module that occupied [begin, end) is gone. */
void waiters_forget(uint64_t begin, uint64_t end);

#endif
