/* The host of an accumulation without an event log. */
#include "runtime/trace.h"

bool trace_host_grow(struct tare_thread_file *self)
{
	(void)self;
	return false;
}

uint64_t trace_host_next(struct tare_thread_file *self)
{
	(void)self;
	return 0;
}
