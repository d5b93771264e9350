/* memory: the target's memory, where a pointer of the target may lead nowhere. */
#ifndef TARE_RUNTIME_MEMORY_H
#define TARE_RUNTIME_MEMORY_H

#include <stdint.h>

/* Copies `size_bytes` at `from`. Returns how many could be read, or -errno if none. */
long memory_read(void *to, uint64_t from, uint64_t size_bytes);

#endif
