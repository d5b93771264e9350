/*
 * assemble/cpu_use: lines of readings become rows of the process images that they were read of, no
 * more of them than are wanted; what no line tells is one row of no process.
 */
#include "assemble/cpu_use.h"
#include "tests/support/small_profile.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "test_cpu_use.XXXXXX";
static char path[64];
static int directory_fd;

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/p.tare", directory);
	directory_fd = open(directory, O_RDONLY | O_DIRECTORY);
	return directory_fd < 0 ? -1 : 0;
}

static int remove_directory(void **state)
{
	struct error err;

	(void)state;
	close(directory_fd);
	return directory_remove(directory, &err) ? 0 : -1;
}

static void write_lines(const char *lines)
{
	char name[80];

	snprintf(name, sizeof(name), "%s/cpu", directory);
	FILE *file = fopen(name, "w");
	assert_non_null(file);
	fputs(lines, file);
	fclose(file);
}

struct rows {
	struct profile_cpu_use rows[2000];
	size_t count;
};

static bool take_row(const struct profile_cpu_use *row, void *context)
{
	struct rows *rows = context;

	if (rows->count < 2000)
		rows->rows[rows->count++] = *row;
	return true;
}

/* Of a session of 10 s, from 1 s on, with a tick per ns. Process 1 executed something at 3 s. */
static void assemble(const char *lines, uint64_t descendants_ns, struct rows *rows)
{
	static const struct sample_known_process processes[] = {
		{1, 50, 1000000000, NULL}, {2, 50, 3000000000, NULL}, {3, 51, 4000000000, NULL}};
	struct clock_point points[] = {{1000000000, 0, 10}, {11000000000, 10000000000, 10}};
	struct recording recording = {.command_pid = 50,
				      .begin_ticks = 1000000000,
				      .follow = true,
				      .descendants_cpu_ns = descendants_ns};
	const struct cpu_use_input input = {.session_fd = directory_fd,
					    .recording = &recording,
					    .processes = processes,
					    .process_count = 3,
					    .end_ticks = 11000000000};
	struct error err;

	vec_append(&recording.clock, points, 2);
	write_lines(lines);
	struct profile_writer *writer = small_profile_open(path);
	for (int i = 0; i < 3; i++)
		small_process(writer, processes[i].pid, "p");
	assert_true(cpu_use_assemble(&input, writer, &err));
	small_profile_commit(writer);
	vec_fini(&recording.clock);
	struct profile *profile = profile_open(path, &err);
	rows->count = 0;
	assert_true(profile_each_cpu_use(profile, take_row, rows, &err));
	profile_close(profile);
}

static void assert_row(const struct profile_cpu_use *row, int64_t process, uint64_t begin_ms,
		       uint64_t end_ms, uint64_t cpu_ms)
{
	assert_int_equal(row->process, process);
	assert_int_equal(row->begin_ticks, begin_ms * 1000000);
	assert_int_equal(row->end_ticks, end_ms * 1000000);
	assert_int_equal(row->cpu_ticks, cpu_ms * 1000000);
}

static void test_images(void **state)
{
	struct rows *rows = *state;

	assemble("50\t1000000000\t1900000000\t800000000\n"
		 "50\t3000000000\t3500000000\t400000000\n"
		 "51\t0\t4200000000\t100000000\n" /* since its begin */
		 "52\t0\t4200000000\t100000000\n" /* of no image */
		 "51\t4200000000\t9000000000\t1000000000",
		 0, rows); /* the last line is cut off */
	assert_int_equal(rows->count, 3);
	assert_row(&rows->rows[0], 1, 1000, 1900, 800);
	assert_row(&rows->rows[1], 2, 3000, 3500, 400);
	assert_row(&rows->rows[2], 3, 4000, 4200, 100);
}

static void test_neighbours_are_one(void **state)
{
	struct rows *rows = *state;
	struct str lines = {0};
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 2000; i++)
		str_printf(&lines, "51\t%ju\t%ju\t1000000\n", (uintmax_t)(1000000000 + i * 5000000),
			   (uintmax_t)(1005000000 + i * 5000000));
	assemble(lines.data, 0, rows);
	str_fini(&lines);
	assert_int_equal(rows->count, 500);
	for (size_t i = 0; i < rows->count; i++) {
		assert_int_equal(rows->rows[i].end_ticks - rows->rows[i].begin_ticks, 20000000);
		sum += rows->rows[i].cpu_ticks;
	}
	assert_int_equal(sum, 2000000000);
}

static void test_rest(void **state)
{
	struct rows *rows = *state;

	assemble("50\t1000000000\t1900000000\t800000000\n"
		 "51\t0\t4200000000\t100000000\n",
		 350000000, rows);
	assert_int_equal(rows->count, 3);
	assert_row(&rows->rows[2], 0, 1000, 11000, 250);
}

static void test_nonsense(void **state)
{
	struct rows *rows = *state;

	assemble("50\n\n50\tx\ty\tz\n50\t9\t8\t1\n50\t1\t18446744073709551615\t1\n"
		 "50\t1000000000\t2000000000\t18446744073709551615\n"
		 "50\t1000000000\t2000000000\t5000000\n",
		 UINT64_MAX, rows);
	assert_int_equal(rows->count, 1);
	assert_row(&rows->rows[0], 1, 1000, 2000, 5);
}

int main(void)
{
	static struct rows rows;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(test_images, &rows),
		cmocka_unit_test_prestate(test_neighbours_are_one, &rows),
		cmocka_unit_test_prestate(test_rest, &rows),
		cmocka_unit_test_prestate(test_nonsense, &rows),
	};

	return cmocka_run_group_tests_name("cpu_use", tests, make_directory, remove_directory);
}
