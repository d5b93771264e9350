/* Which places of a copied function lie behind a counter, and behind it alone. */
#include "tests/support/small_elf.h"

#include "abi/module.h"
#include "cache/copy_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
	FIRST = SMALL_TEXT + TARE_COUNT_BYTES, /* behind the function's counter */
	CALL_COUNT = FIRST + 3,		       /* mov */
	CALL = CALL_COUNT + TARE_COUNT_BYTES,
	BEHIND_CALL = CALL + 5,
	BRANCH = BEHIND_CALL + 3, /* dec */
	RETURN = BRANCH + 2,
	CODE_BYTES = 0x30,
	STUB_COUNT = SMALL_TEXT + CODE_BYTES,
	IN_STUB = STUB_COUNT + TARE_COUNT_BYTES,
	ORIGINAL = 0x200
};

struct made {
	struct small_elf elf;
	struct object *object;
	struct coverage coverage;
	struct copy_code code;
};

static void put(struct made *made, uint64_t addr, const void *bytes, size_t size)
{
	memcpy(made->elf.bytes.data + addr, bytes, size);
}

/* Of alpha: counter; mov; counter; call; dec; jne to `target`; ret; filling, `last` its end. */
static void begin(struct made *made, uint64_t target, uint8_t last)
{
	static const struct small_elf_options plain;
	const uint8_t branch[] = {0x75, (uint8_t)(target - RETURN)};
	struct error err;

	*made = (struct made){0};
	small_elf_build(&made->elf, &plain);
	memset(made->elf.bytes.data + SMALL_TEXT, 0xcc, SMALL_ALPHA_BYTES);
	put(made, SMALL_TEXT, TARE_COUNT, TARE_COUNT_CODE_BYTES);
	put(made, FIRST, "\x48\x8b\x07", 3);
	put(made, CALL_COUNT, TARE_COUNT, TARE_COUNT_CODE_BYTES);
	put(made, CALL, "\xe8\0\0\0\0", 5);
	put(made, BEHIND_CALL, "\x48\xff\xcf", 3);
	put(made, BRANCH, branch, sizeof(branch));
	put(made, RETURN, "\xc3", 1);
	put(made, STUB_COUNT - 1, &last, 1);
	put(made, STUB_COUNT, TARE_COUNT, TARE_COUNT_CODE_BYTES);
	made->object =
		object_open_bytes(made->elf.bytes.data, made->elf.bytes.len, "copy", 0, &err);
	assert_non_null(made->object);
	vec_push(&made->coverage.rows,
		 ((struct coverage_row){.addr = ORIGINAL,
					.size = 0x20,
					.copy_addr = SMALL_TEXT,
					.copy_bytes = CODE_BYTES,
					.stub_bytes = SMALL_ALPHA_BYTES - CODE_BYTES,
					.name = ""}));
	copy_code_read(&made->code, made->object, SMALL_TEXT, &made->coverage);
}

static void end(struct made *made)
{
	copy_code_fini(&made->code);
	coverage_fini(&made->coverage);
	object_close(made->object);
	small_elf_fini(&made->elf);
}

static void behind_a_counter(void **state)
{
	struct made made;

	(void)state;
	begin(&made, BEHIND_CALL, 0xcc);
	for (int again = 0; again < 2; again++) {
		assert_true(copy_code_is_behind_count(&made.code, FIRST));
		assert_true(copy_code_is_behind_count(&made.code, CALL));
	}
	assert_false(copy_code_is_behind_count(&made.code, SMALL_TEXT));
	assert_false(copy_code_is_behind_count(&made.code, FIRST + 1));
	assert_false(copy_code_is_behind_count(&made.code, CALL_COUNT));
	assert_false(copy_code_is_behind_count(&made.code, BEHIND_CALL));
	end(&made);
}

/* What a loop comes back to, it comes to without the counter. */
static void the_head_of_a_loop(void **state)
{
	struct made made;

	(void)state;
	begin(&made, FIRST, 0xcc);
	assert_false(copy_code_is_behind_count(&made.code, FIRST));
	assert_true(copy_code_is_behind_count(&made.code, CALL));
	end(&made);
}

static void stubs_are_tares_own(void **state)
{
	struct made made;

	(void)state;
	begin(&made, BEHIND_CALL, 0xcc);
	assert_true(copy_code_is_stub(&made.code, IN_STUB));
	assert_false(copy_code_is_behind_count(&made.code, IN_STUB));
	end(&made);
}

/* Where code cannot be read, it may lead anywhere. */
static void code_that_is_none(void **state)
{
	struct made made;

	(void)state;
	begin(&made, BEHIND_CALL, 0x06);
	assert_false(copy_code_is_behind_count(&made.code, FIRST));
	end(&made);
}

static void outside_of_copies(void **state)
{
	struct made made;

	(void)state;
	begin(&made, BEHIND_CALL, 0xcc);
	assert_false(copy_code_is_behind_count(&made.code, SMALL_TEXT - 1));
	assert_false(copy_code_is_behind_count(&made.code, UINT64_MAX));
	end(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behind_a_counter),    cmocka_unit_test(the_head_of_a_loop),
		cmocka_unit_test(stubs_are_tares_own), cmocka_unit_test(code_that_is_none),
		cmocka_unit_test(outside_of_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
