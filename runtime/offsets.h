/* Offsets of abi/arena.h and state.h for the assembly; probes.c asserts that they are right. */
#ifndef TARE_RUNTIME_OFFSETS_H
#define TARE_RUNTIME_OFFSETS_H

#define THREAD_GATE		       64
#define THREAD_TOP		       72
#define THREAD_LAST_TICKS	       80
#define THREAD_NOW_TICKS	       88
#define THREAD_FRAME_LIMIT	       128

#define FRAME_NODE		       0
#define FRAME_SP		       8
#define FRAME_START		       16
#define FRAME_EXCLUSIVE		       24
#define FRAME_OS_INCLUSIVE	       32
#define FRAME_OS_EXCLUSIVE	       40
#define FRAME_PENDING		       48
#define FRAME_BY_CALL		       56
#define FRAME_BYTES		       64

#define NODE_KEY		       0
#define NODE_LAST_CHILD		       8
#define NODE_ALIAS		       16
#define NODE_CALLS		       24
#define NODE_ELAPSED		       32
#define NODE_CALLS_BY_CALL	       40
#define NODE_CLAMPED		       48
#define NODE_ELAPSED_INCLUSIVE_MIN     64
#define NODE_ELAPSED_INCLUSIVE_MAX     72
#define NODE_ELAPSED_EXCLUSIVE_MIN     80
#define NODE_ELAPSED_EXCLUSIVE_MAX     88
#define NODE_APPLICATION_INCLUSIVE_MIN 96
#define NODE_APPLICATION_INCLUSIVE_MAX 104
#define NODE_APPLICATION_EXCLUSIVE_MIN 112
#define NODE_APPLICATION_EXCLUSIVE_MAX 120

#define SESSION_COSTS		       0
#define PROCESS_RSEQ_OFFSET	       0
#define PROCESS_SELECTOR	       8

#define KIND_ENTER		       0
#define KIND_LEAVE		       1
#define KIND_CALL		       2
#define KIND_RETURN		       3
#define KIND_CALL_INDIRECT	       4 /* TARE_EVENT_CALL, with the target on the stack */

/* How a handler tells the general path what it is: kind | frame sp's distance from rsp << 8. */
#define PLACE_KIND_MASK 0xff
#define PLACE_SP_SHIFT	8

#endif
