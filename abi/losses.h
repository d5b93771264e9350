/*
 * What the runtime counts of a thread and of a process besides calls and times: what was lost, and
 * what was otherwise not as usual. One line per counter: members of the structs, checks, columns of
 * the profile, sums, merging, and what reports say follow from these lists. What a new counter
 * needs besides: to be counted, and to be described (docs/reference/profile-format.md,
 * docs/reference/columns.md).
 *
 *   name   member of the structs of files, profile rows and totals; column of the profile
 *   since  version of the profile's schema in the course of which the column came
 *   line   of the text report's header: enum tare_loss_line
 *   place  among all losses in that line, and in the header of JSON. Those that reports do not
 *          tell have one, too
 *   key    in the header of JSON; NULL: not there
 *   words  in the line, after the number; NULL: the line is written otherwise
 *
 * The order of lines is that of the columns: new ones come last.
 */
#ifndef TARE_ABI_LOSSES_H
#define TARE_ABI_LOSSES_H

#include "abi/list.h"

#include <stdint.h>

enum tare_loss_line {
	TARE_LOSS_KEPT,	     /* none, and nothing in JSON */
	TARE_LOSS_LOST,	     /* "! losses" */
	TARE_LOSS_WHILE_OFF, /* "while off" */
	TARE_LOSS_OFF_TIME,  /* how long that was, in ticks; JSON has nanoseconds */
	TARE_LOSS_TIME,	     /* how long something took, the same, and JSON only */
	TARE_LOSS_TOO_DEEP,  /* "too deep" */
	TARE_LOSS_UNTOLD,    /* JSON only */
};

/*
 *   dropped           events dropped: a probe interrupted by a signal's probes
 *   negative          intervals that would have been negative
 *   folded            calls whose context has folded
 *   too_deep          calls for which no node could be had
 *   unmatched         LEAVE or RETURN without its frame
 *   os_lost           OS intervals whose record did not fit; their time is still counted
 *   flagged           intervals with an OS event
 *   open_frames       in progress when the thread's data ended; 0 until the recorder counts them
 *   stack_switches    to other stacks than the thread's own: fibers, coroutines, contexts. A call
 *                     on a stack that the thread has left is in no node until a thread, this or
 *                     another, comes back to it
 *   calls_set_aside   calls in progress on the stacks left, each time
 *   calls_taken_back  by coming back to a stack, or to end them as unwound
 *   stacks_lost       for which there was no room, or whose thread told too late: their calls
 *                     ended as unwound
 *   off_ticks         time off, which is in lost_ticks
 *   cut               calls that ended while off: neither unwound, nor in min and max
 *   begun_while_off   ends of calls whose begin was not seen for that reason
 *   beyond_depth      calls deeper than --max-depth; their time is the caller's
 *   marks_lost        marks for which there was no room
 *   causes_unasked    of `flagged`: the kernel could not be asked for the cause
 *   cpu_unread        of `flagged`, switched: the thread's CPU clock could not be read, and all of
 *                     it counts as waiting
 *   delays_unread     of `flagged`, with a voluntary switch: how long the thread was ready to run
 *                     could not be read, and all waiting counts as blocked
 *   switches_ticks    that switches of threads took longer than without tare, which is in
 *                     lost_ticks (runtime/os/os_flag.c)
 */
#define TARE_THREAD_LOSSES(LOSS)                                                                   \
	LOSS(dropped, 0, LOST, 0, "events_dropped", "events dropped"),                             \
		LOSS(negative, 0, LOST, 1, "intervals_negative", "negative intervals discarded"),  \
		LOSS(folded, 0, LOST, 2, "calls_folded", "calls folded into overflow nodes"),      \
		LOSS(too_deep, 0, LOST, 3, "calls_too_deep", "calls too deep"),                    \
		LOSS(unmatched, 0, LOST, 4, "events_unmatched", "ends without begin"),             \
		LOSS(os_lost, 0, LOST, 5, "os_records_lost", "OS records lost"),                   \
		LOSS(flagged, 0, KEPT, 19, NULL, NULL),                                            \
		LOSS(open_frames, 0, UNTOLD, 6, "frames_open", NULL),                              \
		LOSS(stack_switches, 1, KEPT, 20, NULL, NULL),                                     \
		LOSS(calls_set_aside, 1, KEPT, 21, NULL, NULL),                                    \
		LOSS(calls_taken_back, 1, KEPT, 22, NULL, NULL),                                   \
		LOSS(stacks_lost, 1, LOST, 7, "stacks_lost", "stacks given up"),                   \
		LOSS(off_ticks, 1, OFF_TIME, 11, "off_ns", NULL),                                  \
		LOSS(cut, 1, WHILE_OFF, 12, "calls_ended_while_off", "calls ended meanwhile"),     \
		LOSS(begun_while_off, 1, WHILE_OFF, 13, "calls_begun_while_off",                   \
		     "began meanwhile"),                                                           \
		LOSS(beyond_depth, 1, TOO_DEEP, 14, "calls_beyond_depth",                          \
		     "calls, whose time is their callers'"),                                       \
		LOSS(marks_lost, 1, LOST, 15, "marks_lost", "marks lost"),                         \
		LOSS(causes_unasked, 1, LOST, 18, "os_causes_unknown",                             \
		     "OS events of unknown cause"),                                                \
		LOSS(cpu_unread, 5, LOST, 23, "cpu_unread", "switches whose CPU time is unknown"), \
		LOSS(delays_unread, 5, UNTOLD, 24, "run_delays_unread", NULL),                     \
		LOSS(switches_ticks, 14, TIME, 25, "switches_ns", NULL)

/*
 * Of a process, the recorder also says what was lost, in a sentence of its own: so many `what` of
 * process PID, its command where `named`, and what became of them. NULL: it does not, or otherwise.
 *
 *   threads_lost       threads whose file could not be made
 *   records_lost       module records that did not fit
 *   children_lost      forked children whose own file could not be made
 *   images_unfollowed  programs started that are not recorded (abi/unfollowed.h); reports name them
 */
#define TARE_PROCESS_LOSSES(LOSS)                                                                  \
	LOSS(threads_lost, 0, LOST, 9, "threads_lost", "threads lost", "threads of process",       \
	     false, "found no room for their data"),                                               \
		LOSS(records_lost, 0, LOST, 10, "module_records_lost", "module records lost",      \
		     "modules of process", false, "found no room in its list"),                    \
		LOSS(children_lost, 1, LOST, 16, "children_lost", "forked children lost",          \
		     "children that process", true, "forked found no room for their data"),        \
		LOSS(images_unfollowed, 1, UNTOLD, 17, "programs_not_followed", NULL, NULL, false, \
		     NULL)

#define TARE_LOSS_MEMBERS(all, LIST) TARE_LIST_MEMBERS(uint64_t, all, LIST)

enum {
	TARE_THREAD_LOSS_COUNT = TARE_LIST_COUNT(TARE_THREAD_LOSSES),
	TARE_PROCESS_LOSS_COUNT = TARE_LIST_COUNT(TARE_PROCESS_LOSSES)
};

#endif
