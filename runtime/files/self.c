/* What self.h declares, as it is before anything has happened. */
#include "runtime/files/self.h"

/* The file of threads that have none: every probe finds the gate closed. Never written. */
struct tare_thread_file state_unborn = {.gate = ~0ULL};
_Thread_local struct tare_thread_file *state_thread = &state_unborn;
_Thread_local struct state_private *state_private;
_Thread_local uint64_t state_birth;
_Thread_local struct state_stack state_signal_stack;
_Thread_local uint64_t state_word;
