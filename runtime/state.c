/* What state.h declares, as it is before anything has happened. */
#include "runtime/state.h"

/* Alone in its page, which the kernel zeroes in forked children. */
struct state_process state_process;
_Static_assert(sizeof(struct state_process) == 4096, "what the kernel zeroes in forked children");

struct state_session state_session __attribute__((aligned(4096)));
/* The file of threads that have none: every probe finds the gate closed. Never written. */
struct tare_thread_file state_unborn = {.gate = ~0ULL};
_Thread_local struct tare_thread_file *state_thread = &state_unborn;
_Thread_local struct state_private *state_private;
_Thread_local uint64_t state_birth;
_Thread_local struct state_stack state_signal_stack;
_Thread_local uint64_t state_word;
