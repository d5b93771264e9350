/*
 * Records of names one after the other, found again by a hash of their bytes.
 *
 * Refuses names beyond the room of the chunk: rows of these can only be shown together.
 */
#include "runtime/os/names.h"

#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/index.h"
#include "runtime/files/thread_file.h"
#include "runtime/tree/context.h"

#define GROWTH_BYTES 8192ULL
#define UNIT	     8ULL

static uint64_t area_find(const struct tare_thread_file *self)
{
	for (uint64_t i = self->chunk_count; i-- > 0;)
		if (self->chunks[i].kind == TARE_CHUNK_NAMES)
			return self->chunks[i].run_addr;
	return 0;
}

static uint64_t area_of(struct tare_thread_file *self)
{
	struct state_objects *objects = &state_private_of(self)->objects;

	if (!objects->names && !objects->no_names) {
		objects->names = area_find(self);
		if (!objects->names)
			objects->names =
				thread_area(self, TARE_CHUNK_NAMES, TARE_THREAD_NAMES_BYTES);
		objects->no_names = !objects->names;
	}
	return objects->names;
}

static bool room_make(struct tare_thread_file *self, uint64_t area, uint64_t end)
{
	if (end <= self->names_limit)
		return true;
	if (end > TARE_THREAD_NAMES_BYTES || files_back(area + self->names_limit, GROWTH_BYTES))
		return false;
	self->names_limit += GROWTH_BYTES;
	return true;
}

static const struct tare_name_record *record_at(uint64_t area, uint32_t number)
{
	return (const struct tare_name_record *)(area + number * UNIT);
}

static bool bytes_same(const void *a, const void *b, uint64_t size_bytes)
{
	const char *x = a, *y = b;

	while (size_bytes && *x == *y) {
		x++;
		y++;
		size_bytes--;
	}
	return !size_bytes;
}

static bool record_is(const struct tare_name_record *record, const struct tare_name_record *wanted,
		      const void *bytes, uint64_t size_bytes)
{
	return record->kind == wanted->kind && record->flags == wanted->flags &&
	       record->text_bytes == wanted->text_bytes &&
	       record->size_bytes == wanted->size_bytes &&
	       bytes_same(record + 1, bytes, size_bytes);
}

static uint64_t hash_of(const struct tare_name_record *wanted, const char *bytes,
			uint64_t size_bytes)
{
	uint64_t hash = index_hash(wanted->kind, size_bytes);

	for (uint64_t i = 0; i < size_bytes; i++)
		hash = (hash ^ (uint8_t)bytes[i]) * 0x100000001b3ULL;
	return index_hash(hash, 0);
}

static uint32_t name_put(struct tare_thread_file *self, uint64_t area,
			 const struct tare_name_record *wanted, const void *bytes,
			 uint64_t size_bytes)
{
	struct accumulate_index *index = &context_local(self)->names;
	const uint64_t at = self->names_bytes;
	struct tare_name_record *record = (struct tare_name_record *)(area + at);

	if (!room_make(self, area, at + wanted->size_bytes) || !index_reserve(index))
		return TARE_NAME_OTHERS;
	*record = *wanted;
	record->kind = 0;
	memcpy(record + 1, bytes, size_bytes);
	state_barrier();
	record->kind = wanted->kind;
	self->names_bytes = at + wanted->size_bytes;
	index_put(index, hash_of(wanted, bytes, size_bytes), (uint32_t)(at / UNIT));
	return (uint32_t)(at / UNIT) + 1;
}

static uint32_t name_find(struct tare_thread_file *self, struct tare_name_record *wanted,
			  const void *bytes, uint64_t size_bytes)
{
	const uint64_t area = area_of(self);
	const uint64_t hash = hash_of(wanted, bytes, size_bytes);
	uint64_t at = UINT64_MAX;
	uint32_t number;

	if (!area)
		return TARE_NAME_UNKNOWN;
	wanted->size_bytes = (uint16_t)((sizeof(*wanted) + size_bytes + UNIT - 1) & ~(UNIT - 1));
	while (index_next(&context_local(self)->names, hash, &at, &number))
		if (record_is(record_at(area, number), wanted, bytes, size_bytes))
			return number + 1;
	return name_put(self, area, wanted, bytes, size_bytes);
}

uint32_t names_text(struct tare_thread_file *self, enum tare_name_kind kind, const char *text,
		    uint64_t text_bytes)
{
	struct tare_name_record wanted = {.kind = (uint16_t)kind};

	if (text_bytes > TARE_NAME_PATH_BYTES) {
		text_bytes = TARE_NAME_PATH_BYTES;
		wanted.flags = TARE_NAME_CUT;
	}
	wanted.text_bytes = (uint16_t)text_bytes;
	return name_find(self, &wanted, text, text_bytes);
}

uint32_t names_struct(struct tare_thread_file *self, enum tare_name_kind kind, const void *bytes,
		      uint32_t size_bytes)
{
	struct tare_name_record wanted = {.kind = (uint16_t)kind};

	return name_find(self, &wanted, bytes, size_bytes);
}

void names_reserve(struct tare_thread_file *self)
{
	const uint64_t area = area_of(self);

	if (area && !context_local(self)->names.slot_count)
		index_double(&context_local(self)->names);
	if (area)
		room_make(self, area, self->names_bytes + GROWTH_BYTES / 2);
}

const char *names_text_of(const struct tare_thread_file *self, uint32_t name,
			  enum tare_name_kind kind, uint32_t *text_bytes)
{
	const uint64_t area = state_private_of(self)->objects.names;

	if (!area || name == TARE_NAME_UNKNOWN || name == TARE_NAME_OTHERS)
		return NULL;
	const struct tare_name_record *record = record_at(area, name - 1);

	*text_bytes = record->text_bytes;
	return record->kind == (uint16_t)kind && !record->flags ? (const char *)(record + 1) : NULL;
}
