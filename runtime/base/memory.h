/*
 * memory: private memory of the runtime, within its budget; and the target's memory, where a
 * pointer of the target may lead nowhere.
 */
#ifndef TARE_RUNTIME_BASE_MEMORY_H
#define TARE_RUNTIME_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a process needs first comes from one mapping; before this, and in tests, from many. */
void memory_begin(void);

/* Zeroed private memory, NULL when there is none; in tests, the test's. */
void *memory_map(size_t size_bytes);
void memory_unmap(void *memory, size_t size_bytes);

/*
 * Copies `size_bytes` at `from`, or some of them, where not all can be read. Returns how many, or
 * -errno if none, also where the program's filters forbid to ask.
 */
long memory_ask(void *to, uint64_t from, uint64_t size_bytes);

/*
 * The text at `from`, without NUL behind it: at most `room` bytes; `*length` is `room` where it
 * does not end within them. False where it cannot be read. No page is asked for behind the text's
 * end.
 */
bool memory_ask_text(char *text, uint64_t from, uint64_t room, uint64_t *length);

/*
 * From now on there may be other threads in this memory: called before one is made, and by each
 * that comes, for what makes it may stand in code without probes. Returns when nothing goes on any
 * more that memory_alone_begin has allowed.
 */
void memory_note_threads(void);
bool memory_has_threads(void);

/*
 * May the caller do what another thread of the process must not meet (a descriptor that comes and
 * goes, an address that is followed after it was asked about)? Where true, memory_alone_end ends
 * it, after microseconds.
 */
bool memory_alone_begin(void);
void memory_alone_end(void);

/* Copies `size_bytes` at `from`, in whatever way. Returns how many could be read, or -errno if
 * none. */
long memory_read(void *to, uint64_t from, uint64_t size_bytes);

#endif
