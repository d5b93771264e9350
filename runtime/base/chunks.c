/* See chunks.h. Most numbers are in the last chunk of a kind, which is as large as all before. */
#include "runtime/base/chunks.h"

const struct tare_chunk *chunks_find(const struct tare_thread_file *self, enum tare_chunk_kind kind,
				     uint32_t number)
{
	const struct tare_chunk *chunk = &self->chunks[self->chunk_count];

	do
		chunk--;
	while (chunk->kind != kind || chunk->first > number);
	return chunk;
}

void *chunks_element(const struct tare_thread_file *self, enum tare_chunk_kind kind,
		     uint32_t number)
{
	static const uint64_t element_bytes[] = {[TARE_CHUNK_NODES] = sizeof(struct tare_node),
						 [TARE_CHUNK_OS] = sizeof(struct tare_os_record),
						 [TARE_CHUNK_MARKS] = 1,
						 [TARE_CHUNK_NAMES] = 1,
						 [TARE_CHUNK_WAITS] = sizeof(struct tare_wait)};
	_Static_assert(sizeof(element_bytes) / sizeof(element_bytes[0]) == TARE_CHUNK_KINDS,
		       "one entry per value");
	const struct tare_chunk *chunk = chunks_find(self, kind, number);

	return (char *)chunk->run_addr + (number - chunk->first) * element_bytes[kind];
}
