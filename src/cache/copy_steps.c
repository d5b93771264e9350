#include "cache/copy_steps.h"

#include "abi/module.h"

#include <string.h>

enum { JUMP = 0xe9, JUMP_BYTES = 5, LEA_BYTES = 7, COMPARE_BYTES = 7, JE_BYTES = 6 };

uint64_t copy_distance_target(const unsigned char *distance_at, uint64_t end)
{
	int32_t distance;

	memcpy(&distance, distance_at, sizeof(distance));
	return end + (uint64_t)(int64_t)distance;
}

uint64_t copy_jump_target(const struct object *copy, uint64_t at)
{
	const unsigned char *bytes = object_at(copy, at, JUMP_BYTES);

	return bytes && *bytes == JUMP ? copy_distance_target(bytes + 1, at + JUMP_BYTES) : 0;
}

uint64_t copy_behind_count(const struct object *copy, uint64_t at)
{
	const unsigned char *bytes = object_at(copy, at, TARE_COUNT_BYTES);

	return bytes && memcmp(bytes, TARE_COUNT, TARE_COUNT_CODE_BYTES) == 0
		       ? at + TARE_COUNT_BYTES
		       : at;
}

static bool is_compared(const unsigned char *bytes)
{
	static const unsigned char lea[] = {0x4c, 0x8d, 0x1d}, compare[] = {0x4c, 0x39, 0x1d},
				   je[] = {0x0f, 0x84};

	return memcmp(bytes, lea, sizeof(lea)) == 0 &&
	       memcmp(bytes + LEA_BYTES, compare, sizeof(compare)) == 0 &&
	       memcmp(bytes + LEA_BYTES + COMPARE_BYTES, je, sizeof(je)) == 0;
}

bool bound_stub_read(const struct object *copy, uint64_t addr, struct bound_stub *stub)
{
	enum { JUMP_AT = LEA_BYTES + COMPARE_BYTES, BEHIND = JUMP_AT + JE_BYTES };
	const unsigned char *bytes = object_at(copy, addr, BEHIND);

	*stub = (struct bound_stub){.jump = addr, .copy = copy_jump_target(copy, addr)};
	if (!stub->copy && bytes && is_compared(bytes)) {
		stub->jump = addr + JUMP_AT;
		stub->copy = copy_distance_target(bytes + BEHIND - 4, addr + BEHIND);
		stub->far = copy_jump_target(copy, addr + BEHIND);
	}
	return stub->copy;
}
