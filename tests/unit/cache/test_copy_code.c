/* Whose the places are that stand for the stub of a linkage table. */
#include "tests/support/small_elf.h"

#include "cache/copy_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Of both files alpha is `call; ret`; in the copy a stub follows. */
enum {
	CALL = SMALL_TEXT,
	CALL_BYTES = 5,
	SIZE = CALL_BYTES + 1,
	STUB = CALL + SIZE,
	COMPARE = STUB + 7,
	JE = COMPARE + 7,
	ELSEWHERE = JE + 6,
	CODE_END = ELSEWHERE + 6
};

struct made {
	struct small_elf original_elf, copy_elf;
	struct object *original, *copy;
	struct coverage coverage;
	struct copy_code code;
};

static struct object *open_with(struct small_elf *elf, const void *code, size_t size)
{
	static const struct small_elf_options plain;
	struct error err;

	small_elf_build(elf, &plain);
	memset(elf->bytes.data + SMALL_TEXT, 0xcc, SMALL_ALPHA_BYTES);
	memcpy(elf->bytes.data + SMALL_TEXT, code, size);
	struct object *object = object_open_bytes(elf->bytes.data, elf->bytes.len, "file", 0, &err);
	assert_non_null(object);
	return object;
}

static void begin(struct made *made, const void *code, size_t size)
{
	*made = (struct made){0};
	made->original = open_with(&made->original_elf, "\xe8\0\x10\0\0\xc3", SIZE);
	made->copy = open_with(&made->copy_elf, code, size);
	vec_push(&made->coverage.rows, ((struct coverage_row){.addr = SMALL_TEXT,
							      .size = SIZE,
							      .copy_addr = SMALL_TEXT,
							      .copy_bytes = CODE_END - SMALL_TEXT,
							      .name = ""}));
	copy_code_read(&made->code, made->copy, SMALL_TEXT, &made->coverage);
}

static void end(struct made *made)
{
	copy_code_fini(&made->code);
	coverage_fini(&made->coverage);
	object_close(made->copy);
	object_close(made->original);
	small_elf_fini(&made->copy_elf);
	small_elf_fini(&made->original_elf);
}

static void is_callers(struct made *made, uint64_t at)
{
	uint64_t last;

	assert_int_equal(copy_code_bound_call(&made->code, made->original, at, &last), 0);
	const uint64_t addr = copy_code_address(&made->code, made->original, at);
	assert_in_range(addr, CALL, CALL + CALL_BYTES - 1);
}

static void is_callees(struct made *made, uint64_t at)
{
	uint64_t last;

	assert_int_equal(copy_code_bound_call(&made->code, made->original, at, &last), SMALL_TEXT);
	assert_int_equal(last, CALL + CALL_BYTES - 1);
}

/* lea; cmp; je alpha; jmp *slot */
static void a_stub_that_compares(void **state)
{
	static const char code[] = "\xe8\x01\0\0\0\xc3"
				   "\x4c\x8d\x1d\0\0\0\0\x4c\x39\x1d\0\0\0\0"
				   "\x0f\x84\xe6\xff\xff\xff\xff\x25\0\0\0\0";
	struct made made;

	(void)state;
	begin(&made, code, sizeof(code) - 1);
	is_callers(&made, CALL);
	is_callers(&made, STUB);
	is_callers(&made, COMPARE);
	is_callees(&made, JE);
	is_callees(&made, ELSEWHERE);
	end(&made);
}

/* jmp alpha */
static void a_stub_that_is_a_jump(void **state)
{
	static const char code[] = "\xe8\x01\0\0\0\xc3"
				   "\xe9\xf5\xff\xff\xff";
	struct made made;

	(void)state;
	begin(&made, code, sizeof(code) - 1);
	is_callers(&made, CALL);
	is_callees(&made, STUB);
	end(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stub_that_compares),
		cmocka_unit_test(a_stub_that_is_a_jump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
