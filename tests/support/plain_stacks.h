/* What the host tells of stacks (runtime/stacks.h), for tests with one stack per thread: nothing.
 */
#ifndef TARE_TESTS_SUPPORT_PLAIN_STACKS_H
#define TARE_TESTS_SUPPORT_PLAIN_STACKS_H

#include "runtime/accumulate.h"

enum stacks_sign stacks_host_sign(const struct tare_thread_file *self,
				  const struct accumulate_event *event, struct stacks_signs *signs)
{
	(void)self, (void)event, (void)signs;
	return STACKS_UNKNOWN;
}

bool stacks_host_called_by(const struct accumulate_event *event, uint64_t stub)
{
	(void)event, (void)stub;
	return false;
}

bool stacks_host_is_own(const struct tare_thread_file *self, uint64_t sp)
{
	(void)self, (void)sp;
	return false;
}

#endif
