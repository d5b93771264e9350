/*
 * Arena: memory that lives as long as its module or profile. Objects are carved from growing
 * blocks and freed all at once. Allocation never fails: when memory is exhausted the process ends
 * with a message and status 1, as nothing sensible could follow.
 */
#ifndef TARE_BASE_ARENA_H
#define TARE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
};

void arena_init(struct arena *arena);
void arena_fini(struct arena *arena);

/* Zeroed memory of `size_bytes`, aligned to 16. Valid until arena_fini. */
void *arena_alloc(struct arena *arena, size_t size_bytes);

/* A copy of `length` bytes of `text`, with a terminating NUL. */
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_strdup(struct arena *arena, const char *text);
__attribute__((format(printf, 2, 3))) char *arena_printf(struct arena *arena, const char *format,
							 ...);

#define arena_new(arena, type)		((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_alloc((arena), sizeof(type) * (count)))

/*
 * malloc family that ends the process with a message when memory is exhausted. Of much zeroed
 * memory only the pages that are used are made.
 */
void *mem_alloc(size_t size_bytes);
void *mem_zalloc(size_t size_bytes);
void *mem_realloc(void *old, size_t size_bytes);
char *mem_strdup(const char *text);

/* Memory that will be filled: the kernel may use pages as large as it has, which are fewer. */
void mem_advise_large(void *memory, size_t size_bytes);

/* Called before that, with the sentence; it may end the process by itself. NULL: nobody. */
void mem_on_exhaustion(void (*handler)(const char *sentence));

#endif
