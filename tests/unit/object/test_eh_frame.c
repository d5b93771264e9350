/* CIEs made by hand: versions, augmentations; and FDEs that cover the same code. */
#include "object/private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { RECORD_ADDR = 0x5000 };

/* A CIE of that version, with the augmentation and its data, and one nop for a program. */
static bool read_cie(unsigned version, const char *augmentation, const char *data, size_t size,
		     struct object_cie *cie)
{
	struct byte_vec bytes = {0};

	put_u32(&bytes, 0); /* lengths are not looked at here */
	put_u32(&bytes, 0);
	put_u8(&bytes, version);
	put_bytes(&bytes, augmentation, strlen(augmentation) + 1);
	if (version == 4)
		put_u16(&bytes, 8);
	put_uleb(&bytes, 1);
	put_sleb(&bytes, -8);
	put_u8(&bytes, 16);
	if (*augmentation == 'z')
		put_uleb(&bytes, size);
	put_bytes(&bytes, data, size);
	put_u8(&bytes, 0);
	const struct eh_record record = {
		.addr = RECORD_ADDR, .bytes = bytes.data, .size = bytes.len, .is_cie = true};

	*cie = (struct object_cie){0};
	const bool ok = eh_cie_read(&record, cie);
	if (ok)
		assert_int_equal(cie->program_size, 1);
	cie->program = NULL;
	vec_fini(&bytes);
	return ok;
}

static void versions(void **state)
{
	struct object_cie cie;

	(void)state;
	for (unsigned version = 0; version < 8; version++) {
		const bool known = version == 1 || version == 3 || version == 4;

		assert_int_equal(read_cie(version, "", "", 0, &cie), known);
		if (!known)
			continue;
		assert_true(cie.understood);
		assert_false(cie.augmented || cie.signal_frame);
		assert_int_equal(cie.data_align, -8);
		assert_int_equal(cie.return_register, 16);
	}
}

static void augmentations(void **state)
{
	struct object_cie cie;

	(void)state;
	assert_true(read_cie(1, "zR", "\x1b", 1, &cie));
	assert_true(cie.understood && cie.augmented && !cie.signal_frame);
	assert_int_equal(cie.pointer_encoding, 0x1b);
	assert_true(read_cie(1, "zRS", "\x1b", 1, &cie));
	assert_true(cie.understood && cie.signal_frame);
	assert_true(read_cie(1, "zLR", "\x1b\x10", 2, &cie));
	assert_int_equal(cie.lsda_encoding, 0x1b);
	assert_int_equal(cie.pointer_encoding, 0x10);
	/* its length tells where the program begins, whatever its letters mean */
	assert_true(read_cie(1, "zQR", "\x01\x02\x03", 3, &cie));
	assert_false(cie.understood);
	assert_true(cie.augmented);
}

static void code_of_two_records(void **state)
{
	struct fde_vec fdes = {0};

	(void)state;
	vec_push(&fdes, ((struct object_fde){.begin = 30, .end = 40, .addr = 4}));
	vec_push(&fdes, ((struct object_fde){.begin = 20, .end = 31, .addr = 3}));
	vec_push(&fdes, ((struct object_fde){.begin = 10, .end = 20, .addr = 2}));
	vec_push(&fdes, ((struct object_fde){.begin = 10, .end = 15, .addr = 1}));
	vec_push(&fdes, ((struct object_fde){.begin = 31, .end = 33, .addr = 5}));
	eh_fdes_sort(&fdes);
	assert_int_equal(fdes.len, 3);
	assert_int_equal(fdes.data[0].addr, 1); /* of two that begin together the first record */
	assert_int_equal(fdes.data[1].addr, 3);
	assert_int_equal(fdes.data[2].addr, 5); /* not that which begins within the one before */
	vec_fini(&fdes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions),
		cmocka_unit_test(augmentations),
		cmocka_unit_test(code_of_two_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
