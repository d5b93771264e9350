/* What the recorder writes into the file of answers, read by the runtime's own code. */
#include "session/answer_file.h"

#include "runtime/base/answers.h"
#include "tests/support/own_directory.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/tare-test-answers-XXXXXX";
static struct session session;
static struct answer_file file;
static char asked[64], copy[64];
static struct session_answer found;

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static int set_up(void **state)
{
	struct error err;

	(void)state;
	if (!own_directory_make(directory) || !session_open(&session, directory, &err))
		return -1;
	snprintf(asked, sizeof(asked), "%s/asked", directory);
	snprintf(copy, sizeof(copy), "%s/copy", directory);
	write_file(asked, "original");
	write_file(copy, "copy");
	strcpy(state_session.directory, directory);
	state_session.active = true;
	answer_file_create(&file, &session);
	answers_begin();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	answer_file_close(&file);
	session_close(&session, true);
	return 0;
}

static void put(enum tare_request_kind kind, const char *path, const char *reply)
{
	const struct server_answer answer = {.path = reply, .static_tls_bytes = 4711};
	struct stat info;

	assert_int_equal(stat(path, &info), 0);
	answer_file_put(&file, kind, path, &info, &answer);
}

static bool find(enum tare_request_kind kind, const char *path)
{
	memset(&found, 0x5a, sizeof(found));
	return answers_find(kind, path, &found);
}

static void test_found(void **state)
{
	(void)state;
	assert_false(find(TARE_REQUEST_LIBRARY, asked));
	put(TARE_REQUEST_LIBRARY, asked, copy);
	assert_true(find(TARE_REQUEST_LIBRARY, asked));
	assert_string_equal(found.path, copy);
	assert_int_equal(found.static_tls_bytes, 4711);
	/* another question about the same file, and the same about another */
	assert_false(find(TARE_REQUEST_CHILD, asked));
	assert_false(find(TARE_REQUEST_LIBRARY, copy));
}

static void test_use_original(void **state)
{
	(void)state;
	put(TARE_REQUEST_LIBRARY, asked, NULL);
	assert_true(find(TARE_REQUEST_LIBRARY, asked));
	assert_string_equal(found.path, "");
}

static void test_changed(void **state)
{
	(void)state;
	put(TARE_REQUEST_LIBRARY, asked, copy);
	write_file(asked, "replaced by another");
	assert_false(find(TARE_REQUEST_LIBRARY, asked));
	put(TARE_REQUEST_LIBRARY, asked, copy);
	assert_true(find(TARE_REQUEST_LIBRARY, asked));
	unlink(asked);
	assert_false(find(TARE_REQUEST_LIBRARY, asked));
}

/* A file that differs in anything from what it was: the answer is about another one. */
static void test_each_part_of_identity(void **state)
{
	const off_t at = sizeof(struct tare_answers) + offsetof(struct tare_answer, identity);
	const int fd = openat(session.fd, TARE_ANSWERS_NAME, O_RDWR);
	uint64_t parts[sizeof(struct tare_file_identity) / sizeof(uint64_t)];

	(void)state;
	put(TARE_REQUEST_LIBRARY, asked, copy);
	assert_int_equal(pread(fd, parts, sizeof(parts), at), sizeof(parts));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		parts[i]++;
		assert_int_equal(pwrite(fd, parts, sizeof(parts), at), sizeof(parts));
		assert_false(find(TARE_REQUEST_LIBRARY, asked));
		parts[i]--;
		assert_int_equal(pwrite(fd, parts, sizeof(parts), at), sizeof(parts));
		assert_true(find(TARE_REQUEST_LIBRARY, asked));
	}
	close(fd);
}

static void test_copy_gone(void **state)
{
	(void)state;
	put(TARE_REQUEST_LIBRARY, asked, copy);
	unlink(copy);
	assert_false(find(TARE_REQUEST_LIBRARY, asked));
}

static void test_without_identity(void **state)
{
	const struct server_answer answer = {.path = copy};

	(void)state;
	answer_file_put(&file, TARE_REQUEST_ORIGINAL, "/nowhere", NULL, &answer);
	assert_true(find(TARE_REQUEST_ORIGINAL, "/nowhere"));
	assert_string_equal(found.path, copy);
}

static void test_withdrawn(void **state)
{
	(void)state;
	put(TARE_REQUEST_CHILD, asked, copy);
	put(TARE_REQUEST_LIBRARY, asked, copy);
	answer_file_withdraw(&file, TARE_REQUEST_CHILD, asked);
	assert_false(find(TARE_REQUEST_CHILD, asked));
	assert_true(find(TARE_REQUEST_LIBRARY, asked));
	put(TARE_REQUEST_CHILD, asked, asked);
	assert_true(find(TARE_REQUEST_CHILD, asked));
	assert_string_equal(found.path, asked);
}

static void test_closed(void **state)
{
	(void)state;
	put(TARE_REQUEST_LIBRARY, asked, copy);
	answer_file_close(&file);
	assert_false(find(TARE_REQUEST_LIBRARY, asked));
}

/* As many as have room; those are all found, and the others are not. */
static void test_full(void **state)
{
	const struct server_answer answer = {.path = copy};
	char path[TARE_PATH_MAX];

	(void)state;
	for (int i = 0; i < 2 * TARE_ANSWERS_SLOTS; i++) {
		snprintf(path, sizeof(path), "/library.%d", i);
		answer_file_put(&file, TARE_REQUEST_LIBRARY, path, NULL, &answer);
	}
	for (int i = 0; i < 2 * TARE_ANSWERS_SLOTS; i++) {
		snprintf(path, sizeof(path), "/library.%d", i);
		assert_int_equal(find(TARE_REQUEST_LIBRARY, path), i < TARE_ANSWERS_SLOTS / 2);
	}
	/* and what is long */
	answer_file_close(&file);
	unlinkat(session.fd, TARE_ANSWERS_NAME, 0);
	answer_file_create(&file, &session);
	answers_begin();
	for (int i = 0; i < 200; i++) {
		snprintf(path, sizeof(path), "/%03d%03000d", i, 0);
		answer_file_put(&file, TARE_REQUEST_LIBRARY, path, NULL, &answer);
		assert_int_equal(find(TARE_REQUEST_LIBRARY, path), i < 82);
	}
}

/* A program has written over the file. */
static void test_damaged(void **state)
{
	struct tare_answer wrong = {.kind = TARE_REQUEST_LIBRARY,
				    .hash = tare_answer_hash(TARE_REQUEST_LIBRARY, asked),
				    .asked_bytes = UINT32_MAX - 1};
	const int fd = openat(session.fd, TARE_ANSWERS_NAME, O_RDWR);
	const uint32_t offsets[] = {1, 8, TARE_ANSWERS_BYTES - 8, UINT32_MAX - 7};
	const off_t slot = (off_t)(offsetof(struct tare_answers, slots) +
				   4 * (wrong.hash % TARE_ANSWERS_SLOTS));

	(void)state;
	put(TARE_REQUEST_LIBRARY, asked, copy);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		assert_int_equal(pwrite(fd, &offsets[i], 4, slot), 4);
		assert_false(find(TARE_REQUEST_LIBRARY, asked));
	}
	const uint32_t first = sizeof(struct tare_answers);

	assert_int_equal(pwrite(fd, &first, 4, slot), 4);
	assert_true(find(TARE_REQUEST_LIBRARY, asked));
	assert_int_equal(pwrite(fd, &wrong, sizeof(wrong), first), sizeof(wrong));
	assert_false(find(TARE_REQUEST_LIBRARY, asked));
	wrong.asked_bytes = (uint32_t)strlen(asked);
	wrong.path_bytes = TARE_PATH_MAX;
	assert_int_equal(pwrite(fd, &wrong, sizeof(wrong), first), sizeof(wrong));
	assert_false(find(TARE_REQUEST_LIBRARY, asked));
	close(fd);
}

/* A file that is not there as a whole is not mapped: to read it would end the process. */
static void test_cut_off(void **state)
{
	(void)state;
	put(TARE_REQUEST_LIBRARY, asked, copy);
	const int fd = openat(session.fd, TARE_ANSWERS_NAME, O_RDWR | O_TRUNC);

	close(fd);
	answers_begin();
	assert_false(find(TARE_REQUEST_LIBRARY, asked));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_use_original, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_changed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_each_part_of_identity, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_copy_gone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_without_identity, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_withdrawn, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_closed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_full, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_damaged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cut_off, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
