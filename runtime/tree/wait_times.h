/*
 * wait_times: when a thread waited, in bounded memory (struct tare_wait, abi/session_files.h).
 *
 * Every interval with a switch is kept by itself while there is room for it. Then time is divided
 * into slots, and the waits that lie in one slot become one: so what is kept has the same
 * resolution from the thread's begin to its end, and a wait that is longer than a slot stays what
 * it is. When there is no more room again, slots become longer.
 */
#ifndef TARE_RUNTIME_TREE_WAIT_TIMES_H
#define TARE_RUNTIME_TREE_WAIT_TIMES_H

#include "runtime/tree/accumulate.h"

/* An interval that ends now; `os` counts from 1, and `uses` and `count` are not read. */
void wait_times_note(struct tare_thread_file *self, const struct tare_wait *wait);

#endif
