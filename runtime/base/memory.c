/*
 * Private memory is mapped by the page, but the first needs of a process, which are all of most
 * processes, are met from one block: a mapping of its own for each took a tenth of what a short
 * process costs. What is given back of the block is not used again. Of the target's memory, the
 * kernel does the copying, or says that there is something to copy: a bad pointer is no fault.
 */
#include "runtime/base/memory.h"

#include "runtime/base/budget.h"
#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/own_place.h"
#include "runtime/base/spin.h"

#include <asm/errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define PAGE_BYTES  4096ULL
#define BLOCK_BYTES 32768ULL
#define BLOCK_ALIGN 64ULL
#define NO_CHANGE                                                                                  \
	(-1L) /* no way in which the mask could be changed: the set is read, and refused */

static uint64_t block, block_used;

static uint64_t pages_map(uint64_t size_bytes)
{
	const long map = own_place_map(size_bytes, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1);

	return map >= 0 || map <= -4096 ? (uint64_t)map : 0;
}

void memory_begin(void)
{
	block = pages_map(BLOCK_BYTES);
}

/* 0 where the block has no room for so much. */
static uint64_t block_take(uint64_t size_bytes)
{
	const uint64_t size = (size_bytes + BLOCK_ALIGN - 1) & ~(BLOCK_ALIGN - 1);

	if (!block || size > BLOCK_BYTES ||
	    __atomic_load_n(&block_used, __ATOMIC_RELAXED) > BLOCK_BYTES - size)
		return 0;
	const uint64_t begin = __atomic_fetch_add(&block_used, size, __ATOMIC_RELAXED);

	return begin <= BLOCK_BYTES - size ? block + begin : 0;
}

void *memory_map(size_t size_bytes)
{
	if (budget_take_memory(size_bytes))
		return NULL;
	uint64_t memory = block_take(size_bytes);

	if (!memory)
		memory = pages_map(size_bytes);
	if (!memory)
		budget_give_memory(size_bytes);
	return (void *)memory;
}

void memory_unmap(void *memory, size_t size_bytes)
{
	budget_give_memory(size_bytes);
	if ((uint64_t)memory - block >= BLOCK_BYTES)
		kernel_call(SYS_munmap, memory, size_bytes);
}

static bool is_shared;	     /* other threads may take memory away, or open files, at any time */
static uint32_t alone_count; /* what goes on that another thread must not meet */

void memory_note_threads(void)
{
	__atomic_store_n(&is_shared, true, __ATOMIC_SEQ_CST);
	for (uint32_t rounds = 0; __atomic_load_n(&alone_count, __ATOMIC_SEQ_CST);)
		if (!spin_again(&rounds))
			break;
}

bool memory_has_threads(void)
{
	return __atomic_load_n(&is_shared, __ATOMIC_RELAXED);
}

bool memory_alone_begin(void)
{
	if (memory_has_threads())
		return false; /* many threads that ask must not all write to the count */
	__atomic_add_fetch(&alone_count, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&is_shared, __ATOMIC_SEQ_CST))
		return true;
	memory_alone_end();
	return false;
}

void memory_alone_end(void)
{
	__atomic_sub_fetch(&alone_count, 1, __ATOMIC_SEQ_CST);
}

/* -EINVAL: the page of `addr` can be read; -EFAULT: it cannot; else the question is forbidden. */
static long page_ask(uint64_t addr)
{
	return kernel_call(SYS_rt_sigprocmask, NO_CHANGE, addr & ~7ULL, 0, 8);
}

/* Does the kernel look at the set before it refuses? */
static bool is_told(void)
{
	static uint32_t answer; /* 0: not asked yet */

	if (!answer)
		answer = kernel_call(SYS_rt_sigprocmask, NO_CHANGE, 1ULL << 63, 0, 8) == -EFAULT
				 ? 1
				 : 2;
	return answer == 1;
}

static long ask_kernel(void *to, uint64_t from, uint64_t size_bytes)
{
	const struct iovec local = {.iov_base = to, .iov_len = size_bytes};
	const struct iovec remote = {.iov_base = (void *)from, .iov_len = size_bytes};

	return kernel_call(SYS_process_vm_readv, kernel_pid(), &local, 1, &remote, 1, 0);
}

/* A tenth of the cost, where nothing can happen to a page between the question and the copying. */
static long ask_alone(char *to, uint64_t from, uint64_t size_bytes)
{
	uint64_t done = 0;

	while (done < size_bytes) {
		const uint64_t to_page_end = PAGE_BYTES - ((from + done) & (PAGE_BYTES - 1));
		const uint64_t left = size_bytes - done;
		const uint64_t part = to_page_end < left ? to_page_end : left;

		const long answer = page_ask(from + done);

		if (answer != -EINVAL && answer != -EFAULT)
			return ask_kernel(to, from, size_bytes);
		if (answer == -EFAULT)
			break;
		memcpy(to + done, (const void *)(from + done), part);
		done += part;
	}
	return done ? (long)done : -EFAULT;
}

long memory_ask(void *to, uint64_t from, uint64_t size_bytes)
{
	if (!is_told() || !memory_alone_begin())
		return ask_kernel(to, from, size_bytes);
	const long done = ask_alone(to, from, size_bytes);

	memory_alone_end();
	return done;
}

bool memory_ask_text(char *text, uint64_t from, uint64_t room, uint64_t *length)
{
	uint64_t have = 0;

	for (*length = 0; have < room;) {
		const uint64_t to_page_end = PAGE_BYTES - ((from + have) & (PAGE_BYTES - 1));
		const uint64_t wanted = to_page_end < room - have ? to_page_end : room - have;

		if (memory_ask(text + have, from + have, wanted) != (long)wanted)
			return false;
		for (have += wanted; *length < have; ++*length)
			if (!text[*length])
				return true;
	}
	return true;
}

long memory_read(void *to, uint64_t from, uint64_t size_bytes)
{
	const long got = memory_ask(to, from, size_bytes);

	if (got >= 0 || got == -EFAULT)
		return got;
	memcpy(to, (const void *)from, size_bytes); /* the system call is forbidden here */
	return (long)size_bytes;
}
