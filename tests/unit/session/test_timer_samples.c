/* session/timer_samples: what the runtime has written, whole and damaged. */
#include "session/timer_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROOM = 1 << 20 };

/* A file under construction. */
struct made {
	unsigned char *bytes;
	struct tare_timer_file *header;
	size_t used;
};

static int setup(void **state)
{
	struct made *made = mem_zalloc(sizeof(*made));

	made->bytes = mem_zalloc(ROOM);
	made->header = (struct tare_timer_file *)made->bytes;
	*made->header = (struct tare_timer_file){
		.magic = TARE_TIMER_MAGIC, .abi = TARE_TIMER_ABI, .period_ns = 1000000};
	memset(made->header->name, 'n', sizeof(made->header->name)); /* without an end */
	made->used = TARE_TIMER_RECORDS;
	*state = made;
	return 0;
}

static int teardown(void **state)
{
	struct made *made = *state;

	free(made->bytes);
	free(made);
	return 0;
}

static struct tare_timer_record *put(struct made *made, uint16_t shared, uint16_t own)
{
	struct tare_timer_record *record = (struct tare_timer_record *)(made->bytes + made->used);
	uint64_t *frames = (uint64_t *)(record + 1);

	*record = (struct tare_timer_record){
		.size_bytes = (uint32_t)(sizeof(*record) + own * sizeof(uint64_t)),
		.kind = TARE_TIMER_SAMPLE,
		.complete = 1,
		.own = own,
		.shared = shared,
		.periods = 2,
		.ticks = made->used};
	for (int i = 0; i < own; i++)
		frames[i] = (uint64_t)(shared + i) << 8 | 7;
	made->used += record->size_bytes;
	return record;
}

static void put_gap(struct made *made, uint32_t size)
{
	struct tare_timer_record *record = (struct tare_timer_record *)(made->bytes + made->used);

	record->size_bytes = size;
	record->kind = TARE_TIMER_GAP;
	made->used += size;
}

/* How many samples it has, and in *damaged what the reader counts. */
static size_t read_made(struct made *made, uint64_t *damaged)
{
	static struct timer_reader reader;
	struct timer_sample sample;
	struct error err;
	size_t count = 0;
	const int fd = memfd_create("timer", MFD_CLOEXEC);

	if (!made->header->used_bytes)
		made->header->used_bytes = made->used;
	assert_int_equal(write(fd, made->bytes, made->used), made->used);
	assert_true(timer_reader_begin(&reader, fd, made->used, &err));
	assert_int_equal(strlen(reader.header.name), TARE_TIMER_NAME_MAX - 1);
	for (; timer_reader_next(&reader, &sample); count++)
		for (size_t i = 0; i < sample.count; i++)
			assert_int_equal(sample.frames[i], i << 8 | 7);
	*damaged = reader.damaged;
	timer_reader_close(&reader);
	close(fd);
	return count;
}

static void test_samples(void **state)
{
	struct made *made = *state;
	uint64_t damaged;

	put(made, 0, 3);
	put(made, 2, 100);
	put_gap(made, 8);
	put(made, 102, 0);
	put_gap(made, 4096);
	put(made, 0, TARE_TIMER_FRAMES_MAX);
	for (int i = 0; i < 100; i++)
		put(made, 50, 1000);
	put(made, 0, 0);
	put(made, 0, 5)->periods = 0; /* taken back; the next one's stack follows from it */
	put(made, 5, 1);
	assert_int_equal(read_made(made, &damaged), 107);
	assert_int_equal(damaged, 0);
}

static void test_damage_ends_it(void **state)
{
	struct made *made = *state;
	const size_t begin = made->used;
	uint64_t damaged;

	for (int kind = 0; kind < 8; kind++) {
		made->used = begin;
		made->header->used_bytes = 0;
		put(made, 0, 3);
		struct tare_timer_record *record = put(made, 1, 2);
		put(made, 0, 1);
		switch (kind) {
		case 0:
			record->shared = 4; /* more than there were */
			break;
		case 1:
			record->size_bytes += 8;
			break;
		case 2:
			record->size_bytes = 0;
			break;
		case 3:
			record->kind = 9;
			break;
		case 4:
			record->own = TARE_TIMER_FRAMES_MAX;
			break;
		case 5:
			record->ticks = UINT64_MAX;
			break;
		case 6:
			record->periods = TARE_TIMER_PERIODS_MAX + 1;
			break;
		default:
			record->kind = TARE_TIMER_GAP;
			record->size_bytes = 4;
			break;
		}
		assert_int_equal(read_made(made, &damaged), 1);
		assert_int_equal(damaged, 1);
	}
}

/* The file ends before what its header says, in the middle of a record. */
/* Each part of a stack is possible, both together are not. */
static void test_stack_too_deep(void **state)
{
	struct made *made = *state;
	uint64_t damaged;

	put(made, 0, TARE_TIMER_FRAMES_MAX);
	put(made, TARE_TIMER_FRAMES_MAX - 10, 10);
	put(made, TARE_TIMER_FRAMES_MAX - 10, 11);
	assert_int_equal(read_made(made, &damaged), 2);
	assert_int_equal(damaged, 1);
}

static void test_gap_of_no_length(void **state)
{
	struct made *made = *state;
	uint64_t damaged;

	put(made, 0, 3);
	put_gap(made, 8);
	((struct tare_timer_record *)(made->bytes + made->used - 8))->size_bytes = 0;
	put(made, 0, 3);
	assert_int_equal(read_made(made, &damaged), 1);
	assert_int_equal(damaged, 1);
}

static void test_cut_off(void **state)
{
	struct made *made = *state;
	uint64_t damaged;

	put(made, 0, 3);
	put(made, 3, 3);
	made->header->used_bytes = made->used;
	made->used -= 8;
	assert_int_equal(read_made(made, &damaged), 1);
	assert_true(damaged > 0);
	made->header->used_bytes = UINT64_MAX;
	assert_int_equal(read_made(made, &damaged), 1);
	assert_true(damaged > 0);
}

static void test_other_files(void **state)
{
	static struct timer_reader reader;
	struct made *made = *state;
	struct error err;
	const int fd = memfd_create("timer", MFD_CLOEXEC);

	assert_false(timer_reader_begin(&reader, fd, 0, &err));
	for (int kind = 0; kind < 5; kind++) {
		struct tare_timer_file header = *made->header;

		header.magic += kind == 0;
		header.abi += kind == 1;
		header.period_ns = kind == 2 ? 0 : kind == 3 ? UINT64_MAX : header.period_ns;
		header.in_runtime_periods = kind == 4 ? UINT64_MAX : 0;
		assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
		assert_false(timer_reader_begin(&reader, fd, sizeof(header), &err));
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_samples, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damage_ends_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stack_too_deep, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gap_of_no_length, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut_off, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_files, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
