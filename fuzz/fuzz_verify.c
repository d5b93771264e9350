/*
 * What the rewriter makes of damaged files, compared with them: the comparison must find no
 * difference, whatever is wrong with the original, as the rewriter leaves alone what it does not
 * understand. Some copies are damaged as well: then any difference and any error is fine, a crash
 * or a hang is not.
 */
#include "fuzz/elf_mutate.h"
#include "fuzz/fuzz.h"
#include "fuzz/rewrite_options.h"
#include "verify/verify.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_differences(const struct verify_result *result)
{
	vec_foreach (difference, &result->differences)
		fprintf(stderr, "%s: %s (original 0x%" PRIx64 ", copy 0x%" PRIx64 ") %s\n",
			verify_kind_name(difference->kind), difference->text, difference->addr,
			difference->copy_addr, difference->function);
}

static void check_sound(const struct object *object, const struct byte_vec *out)
{
	struct error err;
	struct verify_result result = {0};
	struct object *copy = object_open_bytes(out->data, out->len, "copy", OBJECT_ALL, &err);

	assert(copy);
	if (!verify_copy(object, copy, &result, &err)) {
		fprintf(stderr, "%s\n", err.message);
		abort();
	}
	print_differences(&result);
	assert(result.difference_count == 0);
	verify_result_fini(&result);
	object_close(copy);
}

/* The copy, changed at places that the original's bytes choose. */
static void check_damaged(const struct rewritten *rewritten)
{
	const struct byte_vec *out = rewritten->out;
	struct error err;
	struct verify_result result = {0};
	uint8_t *bytes = malloc(out->len);
	uint64_t seed = rewritten->size;

	assert(bytes);
	memcpy(bytes, out->data, out->len);
	for (size_t i = 0; i < rewritten->size; i++)
		seed = (seed ^ rewritten->data[i]) * UINT64_C(0x100000001b3);
	const size_t length = elf_mutate(bytes, out->len, out->len, (unsigned)(seed >> 32));
	struct object *copy = object_open_bytes(bytes, length, "copy", OBJECT_ALL, &err);
	if (copy && verify_copy(rewritten->object, copy, &result, &err))
		verify_result_fini(&result);
	object_close(copy);
	free(bytes);
}

static void check(const struct rewritten *rewritten)
{
	if (rewritten->result->nothing_to_do)
		return;
	check_sound(rewritten->object, rewritten->out);
	check_damaged(rewritten);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	rewrite_with_own_options(data, size, check);
	return 0;
}
