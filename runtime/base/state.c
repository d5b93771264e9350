/* What state.h declares, as it is before anything has happened. */
#include "runtime/base/state.h"

/* Alone in its page, which the kernel zeroes in forked children. */
struct state_process state_process;
_Static_assert(sizeof(struct state_process) == 4096, "what the kernel zeroes in forked children");

struct state_session state_session __attribute__((aligned(4096)));
