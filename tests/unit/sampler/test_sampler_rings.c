/*
 * Rings without a kernel: files of memory stand in the place of what perf_event_open gives, so that
 * records can be of any kind, length and order, and damaged. First one ring by itself, then what
 * the sampler makes of several.
 */
#include "sampler/perf_events.h"
#include "sampler/sampler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { RING_BYTES = 4096, RINGS = 2, TAKEN_MAX = 32 };

/* What the kernel has of a ring. */
struct made_ring {
	int fd;
	struct perf_event_mmap_page *head;
	unsigned char *data;
};

static void ring_make(struct made_ring *made)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	made->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_int_equal(ftruncate(made->fd, (off_t)(page + RING_BYTES)), 0);
	made->head = mmap(NULL, page + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, made->fd, 0);
	assert_ptr_not_equal(made->head, MAP_FAILED);
	made->data = (unsigned char *)made->head + page;
}

static void ring_drop(struct made_ring *made)
{
	munmap(made->head, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES);
	close(made->fd);
}

/* Writes at the head, and publishes it. */
static void ring_write(struct made_ring *made, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		made->data[(made->head->data_head + i) % RING_BYTES] =
			((const unsigned char *)bytes)[i];
	made->head->data_head += size;
}

/* ---- one ring ---- */

/* A record of one word more than its header. */
struct small_record {
	struct perf_event_header header;
	uint64_t words[2];
};

static struct small_record small_record(uint64_t number)
{
	return (struct small_record){
		.header = {.type = PERF_RECORD_READ, .size = sizeof(struct small_record)},
		.words = {number, ~number}};
}

struct one_ring {
	struct made_ring made;
	struct perf_ring ring;
};

static void one_ring_open(struct one_ring *one)
{
	ring_make(&one->made);
	assert_true(perf_ring_open(&one->ring, one->made.fd, RING_BYTES));
}

static void one_ring_close(struct one_ring *one)
{
	perf_ring_close(&one->ring);
	ring_drop(&one->made);
}

/* Records of 24 bytes do not fit evenly: they go over the end at every place, the header too. */
static void test_records_go_round(void **state)
{
	struct one_ring one;
	size_t size;

	(void)state;
	one_ring_open(&one);
	assert_null(perf_ring_next(&one.ring, &size));
	for (uint64_t written = 0, read = 0; read < 1000;) {
		for (int i = 0; i < 7; i++, written++) {
			const struct small_record record = small_record(written);
			ring_write(&one.made, &record, sizeof(record));
		}
		assert_null(perf_ring_next(&one.ring, &size)); /* not looked yet */
		perf_ring_look(&one.ring);
		assert_int_equal(perf_ring_filled(&one.ring), 7 * sizeof(struct small_record));
		for (const void *bytes; (bytes = perf_ring_next(&one.ring, &size)); read++) {
			const struct small_record expected = small_record(read);
			assert_int_equal(size, sizeof(expected));
			assert_memory_equal(bytes, &expected, sizeof(expected));
			perf_ring_consume(&one.ring, size);
			assert_int_equal(one.made.head->data_tail, one.ring.tail);
		}
		assert_int_equal(read, written);
		assert_int_equal(one.made.head->data_tail, one.made.head->data_head);
	}
	one_ring_close(&one);
}

/* What the kernel has published: `size` bytes that begin with a record of `length`. */
static bool has_record(uint16_t length, size_t size)
{
	const struct perf_event_header header = {.type = PERF_RECORD_READ, .size = length};
	struct one_ring one;
	size_t found = 0;

	one_ring_open(&one);
	memcpy(one.made.data, &header, sizeof(header));
	one.made.head->data_head = size;
	perf_ring_look(&one.ring);
	const bool has = perf_ring_next(&one.ring, &found) != NULL;
	if (has)
		assert_int_equal(found, length);
	one_ring_close(&one);
	return has;
}

static void test_lengths_are_not_believed(void **state)
{
	(void)state;
	assert_true(has_record(8, 8)); /* nothing but a header */
	assert_true(has_record(8, 100));
	assert_true(has_record(100, 100));
	assert_true(has_record(RING_BYTES, RING_BYTES));
	assert_false(has_record(8, 0));
	assert_false(has_record(8, 7)); /* a part of a header */
	assert_false(has_record(7, 100));
	assert_false(has_record(0, 100)); /* for ever */
	assert_false(has_record(101, 100));
	assert_false(has_record(UINT16_MAX, RING_BYTES));
	assert_false(has_record(8, RING_BYTES + 1)); /* more than there can be */
}

/* ---- several, as the sampler takes them ---- */

static struct made_ring rings[RINGS];

static const struct perf_layout layout = {.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
							 PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
					  .sample_id_all = true};

/* The linker puts these in the places of those that ask the kernel. */
bool __wrap_perf_events_begin(struct perf_events *set, const struct perf_events_options *options,
			      struct error *err);
bool __wrap_perf_events_add(struct perf_events *set, int64_t task, struct error *err);
void __wrap_perf_events_enable(const struct perf_events *set, bool enabled);
void __wrap_perf_events_close(struct perf_events *set);
const struct perf_layout *__wrap_perf_events_layout(const struct perf_events *set,
						    const void *bytes, size_t size);
size_t __wrap_perf_events_index(const struct perf_events *set, uint64_t id);

bool __wrap_perf_events_begin(struct perf_events *set, const struct perf_events_options *options,
			      struct error *err)
{
	(void)err;
	set->options = *options;
	for (int i = 0; i < RINGS; i++) {
		struct perf_processor processor = {.number = i,
						   .descriptor = eventfd(0, EFD_CLOEXEC)};

		assert_true(perf_ring_open(&processor.ring, rings[i].fd, RING_BYTES));
		vec_push(&set->processors, processor);
	}
	return true;
}

bool __wrap_perf_events_add(struct perf_events *set, int64_t task, struct error *err)
{
	(void)set;
	(void)err;
	assert_int_equal(task, PERF_EVERYTHING);
	return true;
}

void __wrap_perf_events_enable(const struct perf_events *set, bool enabled)
{
	(void)set;
	(void)enabled;
}

void __wrap_perf_events_close(struct perf_events *set)
{
	vec_foreach (processor, &set->processors) {
		perf_ring_close(&processor->ring);
		close(processor->descriptor);
	}
	vec_fini(&set->processors);
}

const struct perf_layout *__wrap_perf_events_layout(const struct perf_events *set,
						    const void *bytes, size_t size)
{
	(void)set;
	(void)bytes;
	(void)size;
	return &layout;
}

/* There is one event, whose id is 1. */
size_t __wrap_perf_events_index(const struct perf_events *set, uint64_t id)
{
	(void)set;
	return id == 1 ? 0 : SIZE_MAX;
}

/* Words behind the header of a record; its time stands in the last but one, as layout has it. */
static void write_record(size_t ring, uint32_t type, const uint64_t *words, size_t count)
{
	struct {
		struct perf_event_header header;
		uint64_t words[8];
	} record = {.header = {.type = type,
			       .size = (uint16_t)(sizeof(record.header) + count * sizeof(*words))}};

	memcpy(record.words, words, count * sizeof(*words));
	ring_write(&rings[ring], &record, record.header.size);
}

static uint64_t thread_word(uint32_t pid)
{
	return (uint64_t)pid << 32 | pid;
}

static void write_sample(size_t ring, uint64_t time, uint32_t pid, uint64_t id)
{
	write_record(ring, PERF_RECORD_SAMPLE, (uint64_t[]){id, thread_word(pid), time, 1000}, 4);
}

/* THROTTLE and UNTHROTTLE. */
static void write_throttle(size_t ring, uint32_t type, uint64_t time)
{
	write_record(ring, type, (uint64_t[]){time, 1, 1, thread_word(5), time, 1}, 6);
}

static void write_lost(size_t ring, uint64_t time, uint64_t count)
{
	write_record(ring, PERF_RECORD_LOST, (uint64_t[]){1, count, thread_word(5), time, 1}, 5);
}

static void write_lost_samples(size_t ring, uint64_t time, uint64_t count)
{
	write_record(ring, PERF_RECORD_LOST_SAMPLES, (uint64_t[]){count, thread_word(5), time, 1},
		     4);
}

/* What the sampler has told, in its order. */
struct taken {
	struct {
		uint32_t type;
		uint64_t time;
	} records[TAKEN_MAX];
	size_t count;
	uint64_t weight; /* of each sample; 0: as the record has it */
};

static void note(struct taken *taken, uint32_t type, uint64_t time)
{
	assert_true(taken->count < TAKEN_MAX);
	taken->records[taken->count].type = type;
	taken->records[taken->count++].time = time;
}

static void take_sample(void *context, const struct sampler_sample *sample)
{
	const struct taken *taken = context;

	assert_int_equal(sample->weight, taken->weight ? taken->weight : 1000);
	note(context, PERF_RECORD_SAMPLE, sample->time);
}

/* Of this process it is also told what it is called and has mapped. */
static void take_record(void *context, const struct perf_record *record)
{
	if (record->type != PERF_RECORD_COMM && record->type != PERF_RECORD_MMAP2)
		note(context, record->type, record->time);
}

static int rings_make(void **state)
{
	(void)state;
	for (size_t i = 0; i < RINGS; i++)
		ring_make(&rings[i]);
	return 0;
}

static int rings_drop(void **state)
{
	(void)state;
	for (size_t i = 0; i < RINGS; i++)
		ring_drop(&rings[i]);
	return 0;
}

static struct sampler *open_sampler(struct taken *taken)
{
	static struct event event; /* borrowed */
	const struct sampler_options options = {
		.events = &event,
		.event_count = 1,
		.sink = {.sample = take_sample, .record = take_record, .context = taken}};
	struct error err;

	event = (struct event){.name = "cycles", .period = taken->weight};
	struct sampler *sampler = sampler_open_everything(&options, &err);

	if (!sampler)
		fail_msg("%s", err.message);
	return sampler;
}

static void expect(const struct taken *taken, size_t at, uint32_t type, uint64_t time)
{
	assert_true(at < taken->count);
	assert_int_equal(taken->records[at].type, type);
	assert_int_equal(taken->records[at].time, time);
}

static void test_losses_are_counted(void **state)
{
	const uint32_t pid = (uint32_t)getpid();
	struct taken taken = {.count = 0};
	struct sampler *sampler = open_sampler(&taken);

	(void)state;
	write_sample(0, 100, pid, 1);
	write_throttle(0, PERF_RECORD_THROTTLE, 300);
	write_throttle(0, PERF_RECORD_UNTHROTTLE, 400);
	write_throttle(0, PERF_RECORD_THROTTLE, 700);
	write_lost(1, 200, 5);
	write_sample(1, 250, pid, 1);
	write_lost_samples(1, 500, 70);
	write_lost(1, 600, 900);
	sampler_stop(sampler);
	expect(&taken, 0, PERF_RECORD_SAMPLE, 100);
	expect(&taken, 1, PERF_RECORD_LOST, 200);
	expect(&taken, 2, PERF_RECORD_SAMPLE, 250);
	expect(&taken, 3, PERF_RECORD_THROTTLE, 300);
	expect(&taken, 4, PERF_RECORD_UNTHROTTLE, 400);
	expect(&taken, 5, PERF_RECORD_LOST_SAMPLES, 500);
	expect(&taken, 6, PERF_RECORD_LOST, 600);
	expect(&taken, 7, PERF_RECORD_THROTTLE, 700);
	assert_int_equal(taken.count, 8);
	const struct sampler_counts *counts = sampler_counts(sampler);
	assert_int_equal(counts->samples, 2);
	assert_int_equal(counts->lost, 5 + 70 + 900);
	assert_int_equal(counts->throttled, 2);
	assert_int_equal(counts->discarded + counts->unknown, 0);
	sampler_close(sampler);
}

static void test_what_is_no_sample_of_a_target(void **state)
{
	const uint32_t pid = (uint32_t)getpid();
	struct taken taken = {.count = 0};
	struct sampler *sampler = open_sampler(&taken);

	(void)state;
	write_sample(0, 100, 0, 1); /* nothing to do */
	write_sample(0, 150, 0, 1);
	write_sample(0, 200, UINT32_MAX, 1); /* a thread that is no more */
	write_sample(0, 300, pid, 2);	     /* another event */
	write_record(0, PERF_RECORD_SAMPLE, (uint64_t[]){1, thread_word(pid)}, 2); /* cut off */
	write_sample(0, 400, pid, 1);
	sampler_stop(sampler);
	expect(&taken, 0, PERF_RECORD_SAMPLE, 400);
	assert_int_equal(taken.count, 1);
	const struct sampler_counts *counts = sampler_counts(sampler);
	assert_int_equal(counts->samples, 1);
	assert_int_equal(counts->idle, 2);
	assert_int_equal(counts->outside, 1);
	assert_int_equal(counts->discarded, 3);
	assert_int_equal(counts->unknown, 2);
	sampler_close(sampler);
}

/* A record of now waits: another processor may have an older one that it has not published. */
static void test_young_records_wait(void **state)
{
	const uint32_t pid = (uint32_t)getpid();
	struct taken taken = {.count = 0};
	struct sampler *sampler = open_sampler(&taken);
	const uint64_t far = sampler_clock_ns() + 3600000000000ULL;

	(void)state;
	write_sample(0, 100, pid, 1);
	write_sample(0, far, pid, 1);
	sampler_poll(sampler, 0);
	assert_int_equal(taken.count, 1);
	write_sample(1, far - 1, pid, 1);
	sampler_poll(sampler, 0);
	assert_int_equal(taken.count, 1);
	sampler_stop(sampler);
	expect(&taken, 0, PERF_RECORD_SAMPLE, 100);
	expect(&taken, 1, PERF_RECORD_SAMPLE, far - 1);
	expect(&taken, 2, PERF_RECORD_SAMPLE, far);
	assert_int_equal(taken.count, 3);
	sampler_close(sampler);
}

/* With a fixed period the kernel need not write it into the records. */
static void test_samples_weigh_a_fixed_period(void **state)
{
	struct taken taken = {.weight = 40000};
	struct sampler *sampler = open_sampler(&taken);

	(void)state;
	write_sample(0, 100, (uint32_t)getpid(), 1);
	sampler_stop(sampler);
	assert_int_equal(taken.count, 1);
	sampler_close(sampler);
}

int main(void)
{
#define OF_RINGS(name) cmocka_unit_test_setup_teardown(name, rings_make, rings_drop)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_go_round),
		cmocka_unit_test(test_lengths_are_not_believed),
		OF_RINGS(test_losses_are_counted),
		OF_RINGS(test_what_is_no_sample_of_a_target),
		OF_RINGS(test_young_records_wait),
		OF_RINGS(test_samples_weigh_a_fixed_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
