/* Digests of bytes and files; of contents with holes, however these are stored. */
#include "cache/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = (3 << 20) + 11 };

static unsigned char contents[SIZE];

/* The contents in a file without a name. */
static int file_of(bool sparse)
{
	char path[] = "/tmp/tare-test-digest-XXXXXX";
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	if (sparse)
		assert_true(file_write_sparse(fd, contents, SIZE));
	else
		assert_int_equal(pwrite(fd, contents, SIZE, 0), SIZE);
	return fd;
}

static void known_digest(void **state)
{
	char text[DIGEST_TEXT_BYTES];

	(void)state;
	digest_bytes("abc", 3, text);
	assert_string_equal(text,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void files_have_the_digest_of_their_bytes(void **state)
{
	char of_bytes[DIGEST_TEXT_BYTES], of_file[DIGEST_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		contents[i] = (unsigned char)(i * 7 % 251);
	const int fd = file_of(false);
	digest_bytes(contents, SIZE, of_bytes);
	assert_true(digest_file(fd, SIZE, of_file));
	assert_string_equal(of_bytes, of_file);
	assert_false(digest_file(fd, SIZE + 1, of_file));
	close(fd);
}

static void holes_do_not_matter(void **state)
{
	char of_bytes[DIGEST_TEXT_BYTES], of_file[DIGEST_TEXT_BYTES];

	(void)state;
	memset(contents, 0, SIZE);
	contents[100] = contents[(1 << 20) - 1] = contents[2 << 20] = 5;
	digest_sparse_bytes(contents, SIZE, of_bytes);
	for (int sparse = 0; sparse < 2; sparse++) {
		const int fd = file_of(sparse);
		assert_true(digest_sparse_file(fd, SIZE, of_file));
		assert_string_equal(of_bytes, of_file);
		close(fd);
	}
}

/* Each change of a byte, of its place or of the size is another digest. */
static void all_that_differs_is_seen(void **state)
{
	enum { KINDS = 6 };
	char seen[KINDS][DIGEST_TEXT_BYTES];

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		size_t size = SIZE;
		memset(contents, 0, SIZE);
		contents[kind == 1 ? 8192 : 4096] = kind == 2 ? 6 : 5;
		if (kind == 3)
			contents[SIZE - 1] = 5;
		if (kind == 4)
			size--;
		if (kind == 5)
			contents[1 << 20] = 5;
		digest_sparse_bytes(contents, size, seen[kind]);
		for (int other = 0; other < kind; other++)
			assert_string_not_equal(seen[kind], seen[other]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_digest),
		cmocka_unit_test(files_have_the_digest_of_their_bytes),
		cmocka_unit_test(holes_do_not_matter),
		cmocka_unit_test(all_that_differs_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
