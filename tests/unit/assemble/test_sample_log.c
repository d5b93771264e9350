/*
 * The log of samples: what is written is read; a log that is cut off anywhere gives all whole
 * records before; bytes that were changed never lead out of what the log has told before.
 */
#include "assemble/sample_log.h"
#include "base/file_view.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "test_sample_log.XXXXXX";
static int directory_fd;
static struct file_view written;

static void write_log(struct sample_log *log)
{
	static const unsigned char build_id[20] = {0xab};
	const struct sample_log_event events[] = {{0, 997, "cpu-clock", "ns"},
						  {1000, 0, "page-faults", ""}};
	const struct sample_log_image images[] = {
		{"/bin/p", "/proc/5/root/bin/p", build_id, sizeof(build_id)},
		{"[kernel.kallsyms]", "", NULL, 0}};
	const struct sample_log_process process = {5, 4, 1000000, SAMPLE_LOG_FORKED, "p"};

	for (size_t i = 0; i < 2; i++)
		assert_int_equal(sample_log_put_event(log, &events[i]), i);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(sample_log_put_image(log, &images[i]), i);
	assert_int_equal(sample_log_put_process(log, &process), 0);
	sample_log_put_note(log, SAMPLE_LOG_EXECUTABLE,
			    &(struct sample_log_note){.of = 0, .text = "/bin/p"});
	sample_log_put_rank(log, &(struct sample_log_rank){0, {TARE_LAUNCHER_SLURM, 300, 512, 0}});
	for (uint32_t i = 0; i < 3; i++) {
		const struct sample_log_thread thread = {0, 5 + i, 1000000 + i, "worker"};
		assert_int_equal(sample_log_put_thread(log, &thread), i);
		const struct sample_log_location location = {i % 2, 0xffffffff81000000 + i};
		assert_int_equal(sample_log_put_location(log, &location), i + 1);
		const struct sample_log_node node = {i, i + 1};
		assert_int_equal(sample_log_put_node(log, &node), i + 1);
	}
}

static struct sample_log_sample sample_number(uint32_t i)
{
	return (struct sample_log_sample){.thread = i % 3,
					  .event = i % 7 == 0,
					  .node = i * 31 % 4,
					  .time = 2000000 + 1003009ULL * i - (i % 5 == 0) * 2000,
					  .weight = i % 7 == 0 ? 1000 : 1003009,
					  .truncated = i % 11 == 0};
}

enum { SAMPLES = 1000 };

static int write_all(void **state)
{
	struct sample_log log;
	struct error err;
	char path[64];

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	directory_fd = open(directory, O_RDONLY | O_DIRECTORY);
	assert_true(sample_log_create(&log, directory_fd, 0, &err));
	write_log(&log);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		const struct sample_log_sample sample = sample_number(i);
		sample_log_put_sample(&log, &sample);
	}
	sample_log_put_waker(&log, &(struct sample_log_waker){.thread = 3, .node = 2, .time = 50});
	sample_log_put_note(&log, SAMPLE_LOG_END, &(struct sample_log_note){.of = 1, .time = 99});
	sample_log_put_counts(&log, &(struct sample_log_counts){.samples = SAMPLES, .lost = 3});
	sample_log_close(&log);
	snprintf(path, sizeof(path), "%s/" SAMPLE_LOG_NAME, directory);
	return file_view_open(&written, path, &err) ? 0 : -1;
}

static int remove_all(void **state)
{
	struct error err;

	(void)state;
	file_view_close(&written);
	close(directory_fd);
	return directory_remove(directory, &err) ? 0 : -1;
}

static void test_what_is_written_is_read(void **state)
{
	struct sample_log_reader reader;
	struct sample_log_record record;
	struct error err;
	uint32_t samples = 0, others = 0;

	(void)state;
	assert_true(sample_log_reader_init(&reader, written.data, written.size, &err));
	while (sample_log_next(&reader, &record)) {
		if (record.kind == SAMPLE_LOG_SAMPLE) {
			const struct sample_log_sample want = sample_number(samples++);
			assert_int_equal(record.sample.thread, want.thread);
			assert_int_equal(record.sample.event, want.event);
			assert_int_equal(record.sample.node, want.node);
			assert_int_equal(record.sample.time, want.time);
			assert_int_equal(record.sample.weight, want.weight);
			assert_int_equal(record.sample.truncated, want.truncated);
			continue;
		}
		others++;
		if (record.kind == SAMPLE_LOG_PROCESS) {
			assert_int_equal(record.process.pid, 5);
			assert_int_equal(record.process.parent_pid, 4);
			assert_int_equal(record.process.time, 1000000);
			assert_int_equal(record.process.flags, SAMPLE_LOG_FORKED);
			assert_string_equal(record.process.name, "p");
		} else if (record.kind == SAMPLE_LOG_END) {
			assert_int_equal(record.note.of, 1);
			assert_int_equal(record.note.time, 99);
		} else if (record.kind == SAMPLE_LOG_WAKER) {
			assert_int_equal(record.waker.thread, 3);
			assert_int_equal(record.waker.node, 2);
			assert_int_equal(record.waker.time, 50);
		} else if (record.kind == SAMPLE_LOG_RANK) {
			assert_int_equal(record.rank.process, 0);
			assert_int_equal(record.rank.rank.launcher, TARE_LAUNCHER_SLURM);
			assert_int_equal(record.rank.rank.rank, 300);
			assert_int_equal(record.rank.rank.size, 512);
		} else if (record.kind == SAMPLE_LOG_COUNTS) {
			assert_int_equal(record.counts.samples, SAMPLES);
			assert_int_equal(record.counts.lost, 3);
		}
	}
	assert_false(reader.damaged);
	assert_int_equal(samples, SAMPLES);
	assert_int_equal(others, 2 + 2 + 1 + 1 + 1 + 3 * 3 + 1 + 1 + 1);
	sample_log_reader_fini(&reader);
}

static void test_samples_are_small(void **state)
{
	(void)state;
	assert_in_range(written.size, SAMPLES * 4, SAMPLES * 9 + 300);
}

/* Reads all; every number has to be one of what came before. */
static size_t read_some(const void *bytes, size_t size)
{
	struct sample_log_reader reader;
	struct sample_log_record record;
	uint32_t images = 0, processes = 0, threads = 0, events = 0, locations = 0, nodes = 0;
	struct error err;
	size_t count = 0;

	if (!sample_log_reader_init(&reader, bytes, size, &err))
		return 0;
	for (; sample_log_next(&reader, &record); count++) {
		switch (record.kind) {
		case SAMPLE_LOG_EVENT:
			events++;
			break;
		case SAMPLE_LOG_IMAGE:
			images++;
			break;
		case SAMPLE_LOG_PROCESS:
			processes++;
			break;
		case SAMPLE_LOG_THREAD:
			threads++;
			assert_true(record.thread.process < processes);
			break;
		case SAMPLE_LOG_LOCATION:
			locations++;
			assert_true(record.location.image < images);
			break;
		case SAMPLE_LOG_NODE:
			nodes++;
			assert_true(record.node.parent < nodes);
			assert_in_range(record.node.location, 1, locations);
			break;
		case SAMPLE_LOG_SAMPLE:
			assert_true(record.sample.thread < threads);
			assert_true(record.sample.event < events);
			assert_true(record.sample.node <= nodes);
			break;
		case SAMPLE_LOG_EXECUTABLE:
		case SAMPLE_LOG_NAME_OF_PROCESS:
			assert_true(record.note.of < processes);
			break;
		case SAMPLE_LOG_RANK:
			assert_true(record.rank.process < processes);
			assert_true(record.rank.rank.launcher < TARE_LAUNCHERS);
			break;
		case SAMPLE_LOG_NAME_OF_THREAD:
		case SAMPLE_LOG_END:
			assert_true(record.note.of < threads);
			break;
		default:
			break;
		}
	}
	sample_log_reader_fini(&reader);
	return count;
}

static void test_cut_off_anywhere(void **state)
{
	size_t before = 0;

	(void)state;
	for (size_t size = 0; size <= written.size; size++) {
		unsigned char *bytes = malloc(size + 1); /* so that reading beyond it is seen */
		memcpy(bytes, written.data, size);
		const size_t count = read_some(bytes, size);
		assert_true(count == before || count == before + 1);
		before = count;
		free(bytes);
	}
	assert_int_equal(before, SAMPLES + 2 + 2 + 1 + 1 + 1 + 3 * 3 + 1 + 1 + 1);
}

static void test_changed_bytes(void **state)
{
	unsigned char *bytes = malloc(written.size);

	(void)state;
	srand(1);
	for (int round = 0; round < 3000; round++) {
		memcpy(bytes, written.data, written.size);
		for (int change = rand() % 4; change >= 0; change--)
			bytes[(size_t)rand() % (round % 2 ? 300 : written.size)] =
				(unsigned char)rand();
		read_some(bytes, written.size);
	}
	free(bytes);
}

/* The limit: what does not fit is counted, and the log stays readable. */
static void test_limit(void **state)
{
	struct sample_log log;
	struct error err;
	char place[] = "test_sample_log_limit.XXXXXX", path[96];
	struct file_view view;

	(void)state;
	assert_non_null(mkdtemp(place));
	const int fd = open(place, O_RDONLY | O_DIRECTORY);
	assert_true(sample_log_create(&log, fd, 2000, &err));
	write_log(&log);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		const struct sample_log_sample sample = sample_number(i);
		sample_log_put_sample(&log, &sample);
		sample_log_flush(&log);
	}
	const uint64_t unwritten = log.unwritten;
	sample_log_close(&log);
	snprintf(path, sizeof(path), "%s/" SAMPLE_LOG_NAME, place);
	assert_true(file_view_open(&view, path, &err));
	assert_in_range(view.size, 2000, 2020);
	assert_int_equal(read_some(view.data, view.size) + unwritten, SAMPLES + 16);
	file_view_close(&view);
	close(fd);
	assert_true(directory_remove(place, &err));
}

static void test_another_file(void **state)
{
	struct sample_log_reader reader;
	struct error err;

	(void)state;
	assert_false(sample_log_reader_init(&reader, "something", 9, &err));
	assert_false(sample_log_reader_init(&reader, SAMPLE_LOG_MAGIC "\0\x63", 14, &err));
	assert_non_null(strstr(err.message, "version 99"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_samples_are_small),
		cmocka_unit_test(test_cut_off_anywhere),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_another_file),
	};

	return cmocka_run_group_tests(tests, write_all, remove_all);
}
