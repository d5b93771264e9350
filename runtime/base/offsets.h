/* Offsets of abi/session_files.h and state.h for the assembly; probes.c asserts that they are
 * right. */
#ifndef TARE_RUNTIME_BASE_OFFSETS_H
#define TARE_RUNTIME_BASE_OFFSETS_H

#define THREAD_GATE		       64
#define THREAD_TOP		       72
#define THREAD_NOW_TICKS	       80
#define THREAD_LOST_TICKS	       88
#define THREAD_STACK_LOW	       96
#define THREAD_COSTS		       104
#define THREAD_TRACE_NEXT	       128
#define THREAD_TRACE_END	       136
#define THREAD_TRACE_TICKS	       144
#define THREAD_TRACE_EVENTS	       152

#define NODE_STUB		       0
#define NODE_LAST_CHILD		       8
#define NODE_PARENT		       16
#define NODE_SP			       24
#define NODE_START		       32
#define NODE_CHILD		       40
#define NODE_KEY		       48
#define NODE_ELAPSED		       56
#define NODE_ELAPSED_INCLUSIVE_MIN     64
#define NODE_ELAPSED_INCLUSIVE_MAX     72
#define NODE_ELAPSED_EXCLUSIVE_MIN     80
#define NODE_ELAPSED_EXCLUSIVE_MAX     88
#define NODE_APPLICATION_INCLUSIVE_MIN 96
#define NODE_APPLICATION_INCLUSIVE_MAX 104
#define NODE_APPLICATION_EXCLUSIVE_MIN 112
#define NODE_APPLICATION_EXCLUSIVE_MAX 120
#define NODE_ALIAS		       128
#define NODE_NEXT		       136
#define NODE_SITE		       144
#define NODE_CALLS_BY_CALL	       152
#define NODE_INDEX		       192
#define NODE_CALL_SITE		       248
#define NODE_BUCKETS		       256

/* What is subtracted from the place in a node's sp. */
#define MARK_PENDING	    1
#define MARK_BY_CALL	    2
#define CALL_BELOW	    40 /* TARE_CALL_BELOW */

#define SESSION_RSEQ_ARMED  0
#define PROCESS_RSEQ_OFFSET 0

#define STUB_DATA	    8 /* TARE_STUB_DATA */
#define STUB_DATA_INDIRECT  12
#define SELECTOR_ARMED	    3	  /* in %es while nothing has happened */
#define FLAG_DIRECTION	    0x400 /* of rflags */
#define FLAG_ALIGNMENT	    0x40000
#define SHORT_TICKS	    256

#define KIND_ENTER	    0
#define KIND_LEAVE	    1
#define KIND_CALL	    2
#define KIND_RETURN	    3
#define KIND_CALL_INDIRECT  4 /* TARE_EVENT_CALL, with the target on the stack */
#define KIND_LANDING	    5 /* TARE_EVENT_RETURN, by an exception */

/* Kinds of records of the event log (abi/trace.h). */
#define LOG_ENTER 1
#define LOG_LEAVE 2
#define LOG_JOIN  4

/* How a handler tells the general path what it is: kind | frame sp's distance from rsp << 8. */
#define PLACE_KIND_MASK 0xff
#define PLACE_SP_SHIFT	8

#endif
