/*
 * Bump allocation in blocks, each twice as large as the one before; see arena.h. Of large ones the
 * kernel is asked for large pages: to make thousands of small ones takes longer than to fill them.
 */
#include "base/arena.h"

#include "base/rlimits.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARENA_ALIGN	((size_t)16)
#define BLOCK_BYTES_MIN ((size_t)64 << 10)
#define BLOCK_BYTES_MAX ((size_t)16 << 20)
#define LARGE_BYTES	((size_t)2 << 20) /* of a large page */

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

static void out_of_memory(void)
{
	const char *sentence =
		rlimits_has(RLIMIT_AS)
			? "out of memory within its limit of address space (ulimit -v)"
		: rlimits_has(RLIMIT_DATA) ? "out of memory within its limit of data (ulimit -d)"
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

/*
 * Pages that the kernel makes when they are written are zero. Whole large ones, as of others it
 * would keep the rest in small ones.
 */
static void zero_by_pages(unsigned char *memory, size_t size_bytes)
{
	const size_t before = -(uintptr_t)memory & (LARGE_BYTES - 1);
	const size_t pages = (size_bytes - before) & ~(LARGE_BYTES - 1);

	if (madvise(memory + before, pages, MADV_DONTNEED) < 0)
		memset(memory + before, 0, pages);
	memset(memory, 0, before);
	memset(memory + before + pages, 0, size_bytes - before - pages);
}

void *mem_zalloc(size_t size_bytes)
{
	const bool is_large = size_bytes >= 2 * LARGE_BYTES;
	void *memory = is_large ? malloc(size_bytes) : calloc(1, size_bytes ? size_bytes : 1);

	if (!memory)
		out_of_memory();
	if (is_large)
		zero_by_pages(memory, size_bytes);
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

/*
 * A hint: where it is refused, nothing is different. All pages that it has a part of, as mremap, by
 * which large blocks grow, does not move a mapping some of whose pages are told apart.
 */
void mem_advise_large(void *memory, size_t size_bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)memory;
	const uintptr_t begin = first & ~(page - 1);
	const uintptr_t end = (first + size_bytes + page - 1) & ~(page - 1);

	if (size_bytes >= LARGE_BYTES)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
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

static struct arena_block *block_add(struct arena *arena, size_t least_bytes)
{
	size_t size = arena->blocks ? arena->blocks->size * 2 : BLOCK_BYTES_MIN;

	if (size > BLOCK_BYTES_MAX)
		size = BLOCK_BYTES_MAX;
	if (size < least_bytes)
		size = least_bytes;
	struct arena_block *block = mem_zalloc(sizeof(*block) + size);

	mem_advise_large(block, sizeof(*block) + size);
	block->size = size;
	block->next = arena->blocks;
	return arena->blocks = block;
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
	struct arena_block *block = arena->blocks;

	if (size_bytes > SIZE_MAX - sizeof(*block) - ARENA_ALIGN)
		out_of_memory();
	size_bytes = (size_bytes + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	if (!block || block->size - block->used < size_bytes)
		block = block_add(arena, size_bytes);
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
