/* Refuses what is another module's, or is cut off: what has not been read stays timed. */
#include "runtime/control/learned.h"

#include "abi/learned.h"
#include "runtime/base/arming_lock.h"
#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/control/disarmed.h"

#include <fcntl.h>

#define READ_AT_ONCE 512

static long file_open(const struct tare_module *module)
{
	char name[64];
	struct bytes_text text = {.start = name, .size_bytes = sizeof(name)};
	uint64_t id;

	memcpy(&id, module->source_id, sizeof(id));
	bytes_put(&text, TARE_LEARNED_NAME);
	bytes_put_number(&text, id);
	return files_open(name, O_RDONLY);
}

static bool is_of(const struct tare_learned *head, const struct tare_module *module)
{
	for (uint64_t i = 0; i < sizeof(module->source_id); i++)
		if (head->source_id[i] != module->source_id[i])
			return false;
	return head->magic == TARE_LEARNED_MAGIC && head->abi == TARE_LEARNED_ABI &&
	       head->count == module->function_count + module->call_site_count;
}

static void bit_take(const struct tare_module *module, uint32_t number, bool bare)
{
	if (bare)
		arming_set_bare(module, number);
	else
		disarmed_start(module, number);
}

/* Bits from `first` on; those behind the last arming byte mean nothing. Nearly all are clear. */
static void bits_take(const struct tare_module *module, uint32_t first, bool bare,
		      const uint8_t *bits, uint64_t size_bytes)
{
	const uint32_t count = module->function_count + module->call_site_count;

	for (uint64_t byte = 0; byte < size_bytes; byte++)
		for (unsigned left = bits[byte]; left; left &= left - 1) {
			const uint64_t at = first + byte * 8 + (unsigned)__builtin_ctz(left);
			if (at < count)
				bit_take(module, (uint32_t)at, bare);
		}
}

/* One of the two rows of bits. */
static void row_take(const struct tare_module *module, long fd, bool bare)
{
	const uint32_t count = module->function_count + module->call_site_count;
	uint64_t left_bytes = ((uint64_t)count + 7) / 8;
	uint8_t some[READ_AT_ONCE];
	uint32_t first = 0;

	while (left_bytes) {
		const uint64_t wanted = left_bytes < sizeof(some) ? left_bytes : sizeof(some);
		const long got = kernel_call(SYS_read, fd, some, wanted);

		if (got <= 0)
			return;
		bits_take(module, first, bare, some, (uint64_t)got);
		first += (uint32_t)got * 8;
		left_bytes -= (uint64_t)got;
	}
}

void learned_add(const struct tare_module *module)
{
	struct tare_learned head;

	if (!state_session.settings.adaptive_percent)
		return;
	const long fd = file_open(module);

	if (fd < 0)
		return;
	if (kernel_call(SYS_read, fd, &head, sizeof(head)) == (long)sizeof(head) &&
	    is_of(&head, module)) {
		arming_lock_wait();
		row_take(module, fd, false);
		row_take(module, fd, true);
		arming_unlock();
	}
	kernel_call(SYS_close, fd);
}
