/* Bump allocation in blocks of at least 64 KiB; see arena.h. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ARENA_BLOCK_BYTES = 64 * 1024, ARENA_ALIGN = 16 };

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(16) unsigned char bytes[];
};

static void (*exhaustion_handler)(const char *sentence);

void mem_on_exhaustion(void (*handler)(const char *sentence))
{
	exhaustion_handler = handler;
}

static bool is_limited(__rlimit_resource_t resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static void out_of_memory(void)
{
	const char *sentence =
		is_limited(RLIMIT_AS)
			? "out of memory within its limit of address space (ulimit -v)"
		: is_limited(RLIMIT_DATA) ? "out of memory within its limit of data (ulimit -d)"
					  : "out of memory";

	if (exhaustion_handler)
		exhaustion_handler(sentence);
	fprintf(stderr, "tare: %s\n", sentence);
	_exit(EXIT_FAILURE);
}

void *mem_alloc(size_t size_bytes)
{
	void *memory = malloc(size_bytes ? size_bytes : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *mem_zalloc(size_t size_bytes)
{
	void *memory = calloc(1, size_bytes ? size_bytes : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *mem_realloc(void *old, size_t size_bytes)
{
	void *memory = realloc(old, size_bytes ? size_bytes : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

char *mem_strdup(const char *text)
{
	const size_t size = strlen(text) + 1;

	return memcpy(mem_alloc(size), text, size);
}

void arena_init(struct arena *arena)
{
	arena->blocks = NULL;
}

void arena_fini(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block) {
		struct arena_block *next = block->next;
		free(block);
		block = next;
	}
	arena->blocks = NULL;
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
	struct arena_block *block = arena->blocks;

	if (size_bytes > SIZE_MAX - sizeof(*block) - ARENA_ALIGN)
		out_of_memory();
	size_bytes = (size_bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (!block || block->size - block->used < size_bytes) {
		const size_t size =
			size_bytes > ARENA_BLOCK_BYTES ? size_bytes : (size_t)ARENA_BLOCK_BYTES;
		block = mem_zalloc(sizeof(*block) + size);
		block->size = size;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	void *memory = block->bytes + block->used;
	block->used += size_bytes;
	return memory;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args, again;

	va_start(args, format);
	va_copy(again, args);
	const int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	char *text = arena_alloc(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}
