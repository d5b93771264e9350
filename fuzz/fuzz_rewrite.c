/* The whole rewriter on damaged files: any error is fine, a crash or a hang is not. */
#include "fuzz/fuzz.h"
#include "rewrite/rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum rewrite_mode modes[] = {REWRITE_FULL, REWRITE_SYSCALLS, REWRITE_NULL};
	struct error err;
	struct object *object = object_open_bytes(data, size, "input", OBJECT_ALL, &err);

	if (!object)
		return 0;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		const struct rewrite_options options = {.mode = modes[i], .keep_small = true};
		struct rewrite_result result;
		struct byte_vec out = {0};
		if (rewrite_object(object, &options, &out, &result, &err))
			rewrite_result_fini(&result);
		vec_fini(&out);
	}
	object_close(object);
	return 0;
}
