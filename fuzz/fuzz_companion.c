/*
 * Companions: any error is fine; what is accepted is as companion.h says, so that nothing that it
 * names lies outside its memory.
 */
#include "fuzz/fuzz.h"
#include "rewrite/companion.h"

#include <assert.h>

static void check(struct companion *companion)
{
	uint64_t offset, last = 0;

	assert(companion->code_size && companion->code_size % 0x1000 == 0);
	assert(companion->bytes.len >= companion->code_size);
	assert(companion->memory_size >= companion->bytes.len);
	vec_foreach (place, &companion->relocations) {
		assert(*place >= companion->code_size && *place > last);
		assert(*place <= companion->bytes.len - sizeof(uint64_t));
		last = *place;
	}
	if (companion_symbol(companion, "tare_poison", &offset))
		assert(offset < companion->memory_size);
	companion_place(companion, 0x10000000, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;
	struct companion companion = {0};
	struct object *object = object_open_bytes(data, size, "input", OBJECT_ALL, &err);

	if (!object)
		return 0;
	if (companion_init(&companion, object, &err)) {
		check(&companion);
		companion_fini(&companion);
	}
	object_close(object);
	return 0;
}
