/*
 * arming_lock: the lock on what the process knows of its modules: their arming bytes (arming.h) and
 * their records in the process file (process.h).
 */
#ifndef TARE_RUNTIME_BASE_ARMING_LOCK_H
#define TARE_RUNTIME_BASE_ARMING_LOCK_H

#include <stdbool.h>

/*
 * Also for work that must not meet a module going away. False where another thread has it. A signal
 * handler that finds it taken by its own thread shares it. In a forked child the holder may be
 * gone: unlock.
 */
bool arming_lock(void);
void arming_lock_wait(void); /* for what cannot be put off */
void arming_unlock(void);

#endif
