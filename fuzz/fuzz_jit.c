/*
 * What compilers in the program have written of their code: any bytes, as a map and as a dump, then
 * every address near what they told of.
 */
#include "fuzz/fuzz.h"
#include "resolve/jit_code.h"

#include <assert.h>

static void look_around(struct jit_code *code, struct arena *arena, uint64_t addr)
{
	struct jit_line declared;

	for (uint64_t at = addr - 32; at != addr + 32; at++) {
		const struct jit_function *function = jit_code_find(code, at);
		if (!function)
			continue;
		assert(at - function->run_addr < function->size && function->name);
		const struct jit_line *line = jit_function_line(function, at);
		assert(!line || line->source);
		jit_function_declared(function, arena, &declared);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_code *code = jit_code_new();
	struct arena arena = {0};

	arena_init(&arena);
	jit_code_read_map(code, data, size);
	look_around(code, &arena, 0x1000);
	jit_code_read_dump(code, data, size);
	look_around(code, &arena, 0x1000);
	look_around(code, &arena, 0x7f0000001000);
	jit_code_free(code);
	arena_fini(&arena);
	return 0;
}
