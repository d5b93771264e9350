/*
 * imports: call sites that lead to a function of another file by way of its linkage table (PLT).
 *
 * A call that its function reports, too, is the function's, and its site goes to sleep (call_join).
 * A function that is counted does not report itself: its site would time the calls, at a cost, and
 * with them what it calls last, which is not part of it. Where a table's entry leads is known when
 * the loader has bound it.
 */
#ifndef TARE_RUNTIME_CONTROL_IMPORTS_H
#define TARE_RUNTIME_CONTROL_IMPORTS_H

#include "runtime/files/self.h"

/*
 * After an event of the thread: the sites that it has met lately whose functions are counted are
 * disarmed. Returns whether there was one.
 */
bool imports_look(struct adapt_local *local, const struct accumulate_event *event);

#endif
