/*
 * One system call brings the return addresses of the copy's last frames once more, and the bytes
 * behind the copy. If the thread has left one of these frames meanwhile, its slot has, as good as
 * always, another word in it, and the stack ends where the copy does.
 */
#include "sampler/stack_reader.h"

#include <string.h>
#include <sys/uio.h>

enum { PAGE_BYTES = 4096, CHUNK_PAGES = 16, CHECKED_FRAMES = 4 };

/* Return addresses stand below the stack pointers of callers. */
struct slots {
	uint64_t words[CHECKED_FRAMES];
	struct iovec there[CHECKED_FRAMES + CHUNK_PAGES + 1];
	size_t count;
};

static void find_slots(const struct stack_reader *reader, struct slots *slots)
{
	const struct unwind_stack *stack = reader->stack;

	for (size_t i = stack->count; i-- > 1 && slots->count < CHECKED_FRAMES;) {
		const uint64_t slot = stack->frames[i].sp - sizeof(uint64_t);

		if (slot - reader->copy->begin >= reader->copy->size_bytes)
			continue; /* of another stack, that a signal interrupted */
		slots->there[slots->count++] =
			(struct iovec){.iov_base = (void *)slot, .iov_len = sizeof(uint64_t)};
	}
}

static bool slots_hold(const struct stack_reader *reader, const struct slots *slots)
{
	for (size_t i = 0; i < slots->count; i++) {
		const uint64_t offset = (uint64_t)slots->there[i].iov_base - reader->copy->begin;

		if (memcmp((const char *)reader->copy->bytes + offset, &slots->words[i],
			   sizeof(uint64_t)) != 0)
			return false;
	}
	return true;
}

/* Reads the next chunk; each page by itself, as what is mapped may end at any. */
static void read_chunk(struct stack_reader *reader)
{
	struct slots slots = {.count = 0};
	uint64_t at = reader->begin + reader->size_bytes;
	struct iovec here[2];
	size_t count = 0, wanted = 0;

	if (!reader->size_bytes)
		find_slots(reader, &slots);
	for (count = slots.count; count < slots.count + CHUNK_PAGES; count++) {
		const size_t size = PAGE_BYTES - at % PAGE_BYTES;

		slots.there[count] = (struct iovec){.iov_base = (void *)at, .iov_len = size};
		at += size;
		wanted += size;
	}
	if (wanted > STACK_READER_BYTES - reader->size_bytes)
		return;
	here[0] =
		(struct iovec){.iov_base = slots.words, .iov_len = slots.count * sizeof(uint64_t)};
	here[1] = (struct iovec){.iov_base = reader->bytes + reader->size_bytes, .iov_len = wanted};
	const ssize_t got = process_vm_readv((pid_t)reader->pid, here, 2, slots.there, count, 0);

	if (got < 0 || (size_t)got < here[0].iov_len || !slots_hold(reader, &slots))
		reader->gone = true;
	else
		reader->size_bytes += (size_t)got - here[0].iov_len;
}

static bool read_word(const struct stack_reader *reader, uint64_t run_addr, uint64_t *word)
{
	const struct iovec here = {.iov_base = word, .iov_len = sizeof(*word)};
	const struct iovec there = {.iov_base = (void *)run_addr, .iov_len = sizeof(*word)};

	return process_vm_readv((pid_t)reader->pid, &here, 1, &there, 1, 0) ==
	       (ssize_t)sizeof(*word);
}

bool stack_reader_read(void *context, uint64_t run_addr, uint64_t *word)
{
	struct stack_reader *reader = context;
	const uint64_t offset = run_addr - (reader->copy->begin + reader->copy->size_bytes);

	/* No part of this stack. */
	if (!reader->copy->size_bytes || offset > STACK_READER_BYTES - sizeof(*word))
		return read_word(reader, run_addr, word);
	if (!reader->asked)
		reader->begin = reader->copy->begin + reader->copy->size_bytes;
	reader->asked = true;
	while (!reader->gone && offset + sizeof(*word) > reader->size_bytes) {
		const size_t before = reader->size_bytes;

		read_chunk(reader);
		if (reader->size_bytes == before)
			return false;
	}
	if (reader->gone)
		return false;
	memcpy(word, reader->bytes + offset, sizeof(*word));
	return true;
}
