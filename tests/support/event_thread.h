/*
 * One thread of the accumulation, fed with events at explicit times, and the values of its
 * functions. A test that includes this is linked with event_thread.c, which is the host too.
 */
#ifndef TARE_TESTS_SUPPORT_EVENT_THREAD_H
#define TARE_TESTS_SUPPORT_EVENT_THREAD_H

#include "runtime/tree/accumulate.h"

#define SP_TOP	     0x7fff0000ULL
#define NODES_CAP    4096
#define OS_CAP	     8
#define OS_MAX	     4096
#define OS_OFFSET    (TARE_THREAD_HEADER_BYTES + 2 * NODES_CAP * sizeof(struct tare_node))
#define WAITS_MAX    64
#define WAITS_OFFSET (OS_OFFSET + OS_MAX * sizeof(struct tare_os_record))
#define FILE_BYTES   (WAITS_OFFSET + WAITS_MAX * sizeof(struct tare_wait))

/* Functions, by their keys. */
enum {
	MAIN = 0x1000,
	FOO = 0x2000,
	BAR = 0x3000,
	WRITE = 0x4000,
	A = 0x5000,
	B = 0x6000,
	C = 0x7000,
	D = 0x8000,
};

struct thread {
	struct tare_thread_file *file;
	struct accumulate_local local;
	uint64_t ticks, cost;
};

struct values {
	uint64_t calls, elapsed_inclusive, elapsed_exclusive;
	uint64_t application_inclusive, application_exclusive;
};

/* What the host gives: nodes to be kept, nodes and OS records in all. */
extern uint64_t nodes_cap, nodes_room, os_cap, waits_cap;
extern size_t heap_piece_bytes; /* see heap_memory.h */

void thread_begin(struct thread *thread);
void thread_end(struct thread *thread);
void event_apply(struct thread *thread, struct accumulate_event event, uint64_t after);
void enter(struct thread *thread, uint64_t after, uint64_t key, uint64_t sp);
void leave(struct thread *thread, uint64_t after, uint64_t sp);
void call(struct thread *thread, uint64_t after, uint64_t key, uint64_t sp);
void after_call(struct thread *thread, uint64_t after, uint64_t sp);
/* With the cause BLOCKED or PREEMPTED: all of the interval was waiting. */
void with_os(struct thread *thread, struct accumulate_event event, uint64_t after,
	     enum tare_os_cause cause);
struct tare_node *nodes(const struct thread *thread);
/* The first node of a function; the test fails if there is none. */
struct tare_node *node_of(const struct thread *thread, uint64_t key);
struct tare_node *top(const struct thread *thread);
struct tare_node *caller(const struct tare_node *node);
/* The exclusive time so far of the calls in progress whose values this node keeps. */
uint64_t node_open(const struct thread *thread, uint32_t at);
uint64_t node_elapsed(const struct thread *thread, uint32_t at);
uint64_t node_os(const struct thread *thread, uint32_t at);
/* The four values of a function: each interval once, however often the function is on the path. */
struct values values_of(const struct thread *thread, uint64_t key);
void assert_values(const struct thread *thread, uint64_t key, struct values expected);
/* Whatever happened, nothing is lost or charged twice. */
void assert_adds_up(const struct thread *thread);

#endif
