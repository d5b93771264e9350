/*
 * What recordings have learned: kept beside the copy, handed over to sessions, changed by what the
 * next recording notes; and every file that is not just that says nothing. Another user is this
 * one, after geteuid has begun to tell another number.
 */
#include "cache/learned.h"
#include "tests/support/other_user.h"
#include "tests/support/own_directory.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNT = 21, BYTES = 3 };

#define KEY                                                                                        \
	"0102030405060708"                                                                         \
	"a0a1a2a3a4a5a6a7b0b1b2b3b4b5b6b7c0c1c2c3c4c5c6c7"
#define MODULE_ID 0x0807060504030201ULL /* the key's first bytes */

static char directory[] = "/tmp/tare-test-learned-XXXXXX";
static struct session session;
static struct instrumented file;
static uint8_t id[DIGEST_BYTES];

static int set_up(void **state)
{
	struct error err;

	(void)state;
	is_another_user = false;
	if (!own_directory_make(directory) || !session_open(&session, directory, &err))
		return -1;
	file = (struct instrumented){
		.mode = POLICY_FULL,
		.entry = {.outcome = CACHE_INSTRUMENTED, .key = KEY, .directory = directory}};
	return digest_parse(KEY, id) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct error ignored;

	(void)state;
	session_close(&session, false);
	directory_remove(directory, &ignored);
	return 0;
}

/* ---- files ---- */

struct contents {
	struct tare_learned head;
	uint8_t bits[BYTES], bare[BYTES], more;
};

/* The first, the tenth and the last one. */
static struct contents good(void)
{
	struct contents contents = {
		{.magic = TARE_LEARNED_MAGIC, .abi = TARE_LEARNED_ABI, .count = COUNT},
		{0x01, 0x02, 0x10},
		{0x00, 0x02, 0x10},
		0};

	memcpy(contents.head.source_id, id, sizeof(id));
	return contents;
}

static void put(const char *name, const struct contents *contents, size_t size)
{
	const int fd = openat(session.fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, contents, size), size);
	close(fd);
}

static bool is_read(const char *name)
{
	struct learned learned = {.count = 1};
	const bool ok = learned_read(session.fd, name, id, &learned);

	assert_int_equal(ok, learned.count != 0);
	assert_int_equal(ok, learned.bits != NULL);
	learned_fini(&learned);
	return ok;
}

#define GOOD_BYTES (sizeof(struct tare_learned) + 2 * BYTES)

static bool is_read_with(const struct contents *contents, size_t size)
{
	put("f", contents, size);
	return is_read("f");
}

static void test_bits(void **state)
{
	const struct contents contents = good();
	struct learned learned;
	uint32_t found = 0;

	(void)state;
	put("f", &contents, GOOD_BYTES);
	assert_true(learned_read(session.fd, "f", id, &learned));
	assert_int_equal(learned.count, COUNT);
	for (uint32_t i = 0; i < 8 * BYTES; i++)
		found += learned_has(&learned, i);
	assert_int_equal(found, 3);
	assert_true(learned_has(&learned, 0));
	assert_true(learned_has(&learned, 9));
	assert_true(learned_has(&learned, COUNT - 1));
	/* Bits behind the last one mean nothing. */
	learned.bits[2] = 0xff;
	assert_false(learned_has(&learned, COUNT));
	assert_false(learned_has(&learned, UINT32_MAX));
	learned_fini(&learned);
	assert_false(learned_has(&learned, 0));
}

static void test_damaged(void **state)
{
	struct contents contents = good();

	(void)state;
	assert_true(is_read_with(&contents, GOOD_BYTES));
	assert_false(is_read_with(&contents, GOOD_BYTES - 1));
	assert_false(is_read_with(&contents, GOOD_BYTES + 1));
	assert_false(is_read_with(&contents, sizeof(contents.head)));
	assert_false(is_read_with(&contents, sizeof(contents.head) - 1));
	assert_false(is_read_with(&contents, 0));
	contents.head.magic++;
	assert_false(is_read_with(&contents, GOOD_BYTES));
	contents = good();
	contents.head.abi++;
	assert_false(is_read_with(&contents, GOOD_BYTES));
	contents = good();
	contents.head.source_id[DIGEST_BYTES - 1]++;
	assert_false(is_read_with(&contents, GOOD_BYTES));
}

/* Counts that the size does not bear out, among them such as wrap around. */
static void test_counts(void **state)
{
	static const uint32_t counts[] = {0, 8, 16, 25, TARE_LEARNED_MAX, UINT32_MAX};
	struct contents contents = good();

	(void)state;
	for (size_t i = 0; i < TABLE_COUNT(counts); i++) {
		contents.head.count = counts[i];
		assert_false(is_read_with(&contents, GOOD_BYTES));
	}
	contents.head.count = 0;
	assert_false(is_read_with(&contents, sizeof(contents.head)));
	contents.head.count = 24;
	assert_true(is_read_with(&contents, GOOD_BYTES));
	contents.head.count = 17;
	assert_true(is_read_with(&contents, GOOD_BYTES));
}

/* As large as its count says, and still refused by one. */
static void test_most(void **state)
{
	struct contents contents = good();
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/f", directory);
	contents.head.count = TARE_LEARNED_MAX;
	put("f", &contents, GOOD_BYTES);
	assert_int_equal(truncate(path, sizeof(contents.head) + TARE_LEARNED_MAX / 4), 0);
	assert_true(is_read("f"));
	contents.head.count++;
	put("f", &contents, GOOD_BYTES);
	assert_int_equal(truncate(path, sizeof(contents.head) + TARE_LEARNED_MAX / 4 + 2), 0);
	assert_false(is_read("f"));
}

static void test_files_of_others(void **state)
{
	const struct contents contents = good();

	(void)state;
	assert_false(is_read("nothing"));
	put("f", &contents, GOOD_BYTES);
	assert_int_equal(symlinkat("f", session.fd, "link"), 0);
	assert_false(is_read("link"));
	assert_int_equal(mkdirat(session.fd, "d", 0700), 0);
	assert_false(is_read("d"));
	assert_int_equal(mkfifoat(session.fd, "fifo", 0600), 0);
	assert_false(is_read("fifo"));
	assert_int_equal(fchmodat(session.fd, "f", 0620, 0), 0);
	assert_false(is_read("f"));
	assert_int_equal(fchmodat(session.fd, "f", 0602, 0), 0);
	assert_false(is_read("f"));
	assert_int_equal(fchmodat(session.fd, "f", 0644, 0), 0);
	assert_true(is_read("f"));
	is_another_user = true;
	assert_false(is_read("f"));
}

/* ---- what is kept ---- */

static struct tare_disarm_record record_of(uint32_t number, enum tare_disarm what)
{
	return (struct tare_disarm_record){
		.module_id = MODULE_ID, .number = number, .count = COUNT, .what = what};
}

/* What is beside the copy, as the session has it; the number of bits, or -1 if there is nothing. */
static int kept(uint32_t first, uint32_t second)
{
	struct learned learned;
	int bits = 0;

	learned_hand_over(&session, &file);
	if (!learned_read_session(session.fd, id, &learned))
		return -1;
	for (uint32_t i = 0; i < learned.count; i++)
		bits += learned_has(&learned, i);
	assert_true(bits == 0 || learned_has(&learned, first));
	assert_true(bits < 2 || learned_has(&learned, second));
	learned_fini(&learned);
	return bits;
}

static void test_kept_and_taken_back(void **state)
{
	struct tare_disarm_record records[] = {record_of(3, TARE_DISARM_FUNCTION),
					       record_of(COUNT - 1, TARE_DISARM_PLACE)};
	char name[64];
	struct stat info;

	(void)state;
	assert_int_equal(kept(0, 0), -1);
	learned_keep(&file, records, 0, NULL);
	assert_int_equal(kept(0, 0), -1);
	learned_keep(&file, records, 2, NULL);
	assert_int_equal(kept(3, COUNT - 1), 2);
	snprintf(name, sizeof(name), TARE_LEARNED_NAME "%llu", MODULE_ID);
	assert_int_equal(fstatat(session.fd, name, &info, 0), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	/* The next recording adds, and takes back; what it says last counts. */
	records[0] = record_of(5, TARE_DISARM_FUNCTION);
	records[1] = record_of(3, TARE_DISARM_TAKEN_BACK);
	learned_keep(&file, records, 2, NULL);
	assert_int_equal(kept(5, COUNT - 1), 2);
	records[0] = record_of(5, TARE_DISARM_TAKEN_BACK);
	records[1] = record_of(5, TARE_DISARM_PLACE);
	learned_keep(&file, records, 2, NULL);
	assert_int_equal(kept(5, COUNT - 1), 2);
	records[0] = record_of(5, TARE_DISARM_TAKEN_BACK);
	records[1] = record_of(COUNT - 1, TARE_DISARM_TAKEN_BACK);
	learned_keep(&file, records, 2, NULL);
	assert_int_equal(kept(0, 0), 0);
}

/* Records come from a file of the program's: numbers are checked against all that is known. */
static void test_hostile_records(void **state)
{
	struct tare_disarm_record records[3] = {record_of(3, TARE_DISARM_FUNCTION),
						record_of(COUNT, TARE_DISARM_FUNCTION),
						record_of(4, TARE_DISARM_FUNCTION)};

	(void)state;
	records[2].count = COUNT + 100; /* of another copy */
	learned_keep(&file, records, 3, NULL);
	assert_int_equal(kept(3, 3), 1);
	records[0] = record_of(UINT32_MAX, TARE_DISARM_FUNCTION);
	records[1] = record_of(7, TARE_DISARM_FUNCTION);
	records[1].module_id++;
	records[2] = record_of(6, TARE_DISARM_FUNCTION);
	learned_keep(&file, records, 3, NULL);
	assert_int_equal(kept(3, 6), 2);
	/* The first that is valid decides how many there are. */
	records[0].count = UINT32_MAX;
	records[0].number = TARE_LEARNED_MAX;
	records[2].number = 8;
	records[2].count = COUNT + 100;
	learned_keep(&file, records, 3, NULL);
	assert_int_equal(kept(8, 8), 1);
	records[2].count = 0;
	learned_keep(&file, records + 2, 1, NULL);
	assert_int_equal(kept(8, 8), 1);
}

static void test_files_without(void **state)
{
	const struct tare_disarm_record record = record_of(3, TARE_DISARM_FUNCTION);
	struct instrumented other = file;

	(void)state;
	other.mode = POLICY_SYSCALLS;
	learned_keep(&other, &record, 1, NULL);
	other = file;
	other.entry.outcome = CACHE_REFUSED;
	learned_keep(&other, &record, 1, NULL);
	other = file;
	other.entry.key[5] = 'x';
	learned_keep(&other, &record, 1, NULL);
	assert_int_equal(kept(0, 0), -1);
	/* A directory that is gone is no error either. */
	other = file;
	other.entry.directory = (char *)"/nowhere/of/all";
	learned_keep(&other, &record, 1, NULL);
	learned_hand_over(&session, &other);
	assert_int_equal(kept(0, 0), -1);
}

/* ---- bare copies ---- */

static const uint8_t first_command[DIGEST_BYTES] = {1}, second_command[DIGEST_BYTES] = {2};

static bool keep(uint32_t first, uint32_t end, const uint8_t *command)
{
	struct tare_disarm_record records[COUNT] = {0};

	for (uint32_t i = first; i < end; i++)
		records[i - first] = record_of(i, TARE_DISARM_FUNCTION);
	return learned_keep(&file, records, end - first, command);
}

/* How many have no probes in the copy that serves, as a session is told. */
static uint32_t bare_in_session(void)
{
	struct learned learned;
	uint32_t bare = 0;

	learned_hand_over(&session, &file);
	assert_true(learned_read_session(session.fd, id, &learned));
	for (uint32_t i = 0; i < learned.count; i++) {
		bare += learned_is_bare(&learned, i);
		assert_true(!learned_is_bare(&learned, i) || learned_has(&learned, i));
	}
	learned_fini(&learned);
	return bare;
}

static void bare_digest(char text[DIGEST_TEXT_BYTES])
{
	struct learned learned;

	assert_true(learned_of_entry(file.full.directory ? &file.full : &file.entry, &learned));
	learned_bare_digest(&learned, text);
	learned_fini(&learned);
}

static void test_bare_copies(void **state)
{
	char first[DIGEST_TEXT_BYTES], now[DIGEST_TEXT_BYTES];

	(void)state;
	/* Without a command, or with nothing learned, none is wanted. */
	assert_false(keep(0, 0, first_command));
	assert_false(keep(0, 10, NULL));
	bare_digest(first);
	assert_string_equal(first, "");
	assert_int_equal(bare_in_session(), 0);
	assert_true(keep(0, 10, first_command));
	bare_digest(first);
	assert_string_not_equal(first, "");
	/* It is wanted until there is one; what is loaded has all probes so far. */
	assert_int_equal(bare_in_session(), 0);
	assert_true(keep(0, 0, first_command));
	bare_digest(now);
	assert_string_equal(first, now);
	/* Now there is: another copy, by another key, and the same file beside the first. */
	file.full = file.entry;
	file.entry.key[0] = '7';
	assert_true(digest_parse(file.entry.key, id));
	assert_int_equal(bare_in_session(), 10);
	assert_false(keep(0, 0, first_command));
	/* A little more is not worth another; nor is another command, for which it serves. */
	struct tare_disarm_record record = record_of(10, TARE_DISARM_FUNCTION);
	memcpy(&record.module_id, id, sizeof(record.module_id));
	assert_false(learned_keep(&file, &record, 1, first_command));
	assert_int_equal(bare_in_session(), 10);
	assert_false(learned_keep(&file, &record, 1, second_command));
	bare_digest(now);
	assert_string_equal(first, now);
	/* What has no probes stays so, though a recording by the full copy has timed it again. */
	record = record_of(3, TARE_DISARM_TAKEN_BACK);
	memcpy(&record.module_id, id, sizeof(record.module_id));
	assert_false(learned_keep(&file, &record, 1, first_command));
	assert_int_equal(bare_in_session(), 10);
	/* More is. */
	struct tare_disarm_record more[4];
	for (uint32_t i = 0; i < 4; i++) {
		more[i] = record_of(11 + i, TARE_DISARM_FUNCTION);
		memcpy(&more[i].module_id, id, sizeof(more[i].module_id));
	}
	assert_true(learned_keep(&file, more, 4, first_command));
	bare_digest(now);
	assert_string_not_equal(first, now);
}

/* Damage beside the copy never reaches a session. */
static void test_damage_is_not_handed_over(void **state)
{
	const struct tare_disarm_record record = record_of(2, TARE_DISARM_FUNCTION);
	struct contents contents = good();

	(void)state;
	put(".tare-learned", &contents, GOOD_BYTES);
	assert_int_equal(kept(0, 9), 3);
	assert_int_equal(unlinkat(session.fd, TARE_LEARNED_NAME "578437695752307201", 0), 0);
	put(".tare-learned", &contents, GOOD_BYTES - 1);
	assert_int_equal(kept(0, 0), -1);
	/* What is learned then begins anew. */
	learned_keep(&file, &record, 1, NULL);
	assert_int_equal(kept(2, 2), 1);
}

int main(void)
{
#define LEARNED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		LEARNED_TEST(test_bits),
		LEARNED_TEST(test_damaged),
		LEARNED_TEST(test_counts),
		LEARNED_TEST(test_most),
		LEARNED_TEST(test_files_of_others),
		LEARNED_TEST(test_kept_and_taken_back),
		LEARNED_TEST(test_hostile_records),
		LEARNED_TEST(test_files_without),
		LEARNED_TEST(test_bare_copies),
		LEARNED_TEST(test_damage_is_not_handed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
