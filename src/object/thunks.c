/*
 * Names of functions that have no symbol: of exported ones whose code is nothing but a jump there,
 * as compilers make them of functions with the same body, and of wrappers.
 *
 *   exported "open_file" ── [endbr64] jmp ──▶ function without a symbol: called "open_file", too
 *
 * A name belongs to where a jump leads, not to what lies around it: a jump into what a symbol
 * covers names nothing. Of several exported functions the first by name gives it.
 */
#include "object/private.h"

#include <string.h>

enum { AHEAD = 16 }; /* of symbols: the code of each is met for the first time */

/* The address that the code at `addr` jumps to and its length; 0: it is anything else. */
static uint64_t jump_target(const struct object *object, uint64_t addr, uint64_t *length)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint64_t rest;
	const unsigned char *start = object_rest_at(object, addr, &rest);
	int64_t distance = 0;

	if (!start)
		return 0;
	struct byte_reader code = byte_reader(start, rest);
	if (rest >= sizeof(endbr64) && memcmp(start, endbr64, sizeof(endbr64)) == 0)
		read_skip(&code, sizeof(endbr64));
	switch (read_u8(&code)) {
	case 0xe9:
		distance = (int32_t)read_u32(&code);
		break;
	case 0xeb:
		distance = (int64_t)(int8_t)read_u8(&code);
		break;
	default:
		return 0;
	}
	*length = (uint64_t)(code.at - start);
	return code.failed ? 0 : addr + *length + (uint64_t)distance;
}

static void thunk_take(struct object *object, const struct object_symbol *symbol)
{
	uint64_t length = 0;

	if (!symbol->dynamic || symbol->type != STT_FUNC || symbol->bind == STB_LOCAL)
		return;
	const uint64_t target = jump_target(object, symbol->addr, &length);
	if (!target || (symbol->size && symbol->size != length) ||
	    !object_is_executable(object, target) || object_symbol_at(object, target) ||
	    object_symbol_covering(object, target))
		return;
	const uint64_t index = (uint64_t)(symbol - object->symbols.data);
	uint64_t *known = map_put(&object->thunks, target, index);
	if (strcmp(symbol->name, object->symbols.data[*known].name) < 0)
		*known = index;
}

void thunks_load(struct object *object)
{
	if (object->of_data)
		return;
	for (size_t i = 0; i < object->symbols.len; i++) {
		if (i + AHEAD < object->symbols.len)
			__builtin_prefetch(
				object_at(object, object->symbols.data[i + AHEAD].addr, 1));
		thunk_take(object, &object->symbols.data[i]);
	}
}

const char *object_function_name(const struct object *object, uint64_t addr)
{
	const struct object_symbol *symbol = object_symbol_at(object, addr);

	if (symbol)
		return symbol->name;
	const uint64_t *thunk = map_get(&object->thunks, addr);
	return thunk ? object->symbols.data[*thunk].name : NULL;
}
