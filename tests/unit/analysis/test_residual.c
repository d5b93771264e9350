/*
 * What is taken off by estimate, on profiles whose truth is known: the sums stay exact, nothing
 * falls below zero, and the truth lies within the error that the values state.
 */
#include "tests/support/analysed.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { COST_TICKS = 20, NODES_MAX = 64 };

/* A node whose calls take `least` to `most` ticks each, evenly; its probes cost (1 + residual). */
struct model {
	int64_t parent; /* index + 1 of an earlier one; 0: the root */
	uint64_t calls, least, most;
	uint64_t intervals; /* begun by probes: its own calls, and those of its children */
	uint64_t os;
};

static uint64_t recorded[NODES_MAX], truth[NODES_MAX];

static void add_node(struct profile_writer *writer, const struct profile_node *row)
{
	struct error err;

	if (!profile_add_node(writer, row, &err))
		fail_msg("%s", err.message);
}

/* As the runtime would have recorded it. The first node is the thread's root, without values. */
static uint64_t write_model(struct profile_writer *writer, const struct model *models, size_t count,
			    double residual)
{
	const struct profile_node root = {.id = 1,
					  .thread = 1,
					  .elapsed_inclusive_min = 1,
					  .elapsed_exclusive_min = 1,
					  .application_inclusive_min = 1,
					  .application_exclusive_min = 1};
	uint64_t now = 0;

	add_node(writer, &root);
	for (size_t i = 0; i < count; i++) {
		const struct model *model = &models[i];
		const uint64_t overhead = model->intervals * COST_TICKS;
		const uint64_t extra = (uint64_t)((double)overhead * residual);
		struct profile_node row = {
			.id = (int64_t)i + 2,
			.thread = 1,
			.parent = model->parent + 1,
			.function = (int64_t)i + 1,
			.calls = model->calls,
			.overhead_ticks = overhead,
		};

		truth[i] = model->calls * (model->least + model->most) / 2 + model->os;
		recorded[i] = truth[i] + extra;
		row.elapsed_ticks = recorded[i];
		row.os_ticks[TARE_OS_BLOCKED] = model->os;
		row.elapsed_exclusive_min = row.elapsed_inclusive_min = model->least;
		row.application_exclusive_min = row.application_inclusive_min = model->least;
		row.elapsed_exclusive_max = row.elapsed_inclusive_max = recorded[i];
		row.application_exclusive_max = recorded[i] - model->os;
		row.application_inclusive_max = recorded[i] - model->os;
		now += recorded[i];
		add_node(writer, &row);
	}
	return now;
}

static void open_model(const struct model *models, size_t count, double residual)
{
	struct profile_writer *writer = small_profile_open(path);
	uint64_t now = 0, os = 0;
	char name[16];

	assert_true(count < NODES_MAX);
	small_process(writer, 7, "work");
	small_module(writer, "/bin/work");
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "f%zu", i);
		small_function(writer, 1, name, 0x1000 + i * 64);
		now += models[i].calls * (models[i].least + models[i].most) / 2 + models[i].os +
		       (uint64_t)((double)(models[i].intervals * COST_TICKS) * residual);
		os += models[i].os;
	}
	small_thread(writer, 1, 7, now, os);
	assert_int_equal(write_model(writer, models, count, residual), now);
	small_profile_commit(writer);
	analysed_open(NULL);
}

static const struct analysis_values *model_values(size_t model)
{
	return &analysis->nodes.data[model + 1].values;
}

static void assert_ranges(const struct analysis_values *values)
{
	for (int i = 0; i < ANALYSIS_TIME_MEASURES; i++) {
		const struct analysis_range *range = &values->range[i];
		if (analysis_value_of((enum analysis_measure)i) == VALUE_CPU)
			continue; /* nothing is known of single calls */
		assert_true(range->min * values->calls <= values->amount[i]);
		assert_true(range->max <= values->amount[i]);
		assert_true(range->min <= range->max);
	}
}

/* What must hold for any profile. */
static void assert_sound(const struct model *models, size_t count)
{
	uint64_t elapsed = 0, residual = 0, error = 0;

	for (size_t i = 0; i < count; i++) {
		const struct analysis_values *values = model_values(i);
		const uint64_t taken = values->residual_exclusive;
		assert_int_equal(values->amount[ELAPSED_EXCLUSIVE] + taken, recorded[i]);
		assert_int_equal(values->amount[ELAPSED_EXCLUSIVE] -
					 values->amount[APPLICATION_EXCLUSIVE],
				 models[i].os);
		assert_int_equal(values->amount[OVERHEAD_EXCLUSIVE],
				 models[i].intervals * COST_TICKS + taken);
		assert_true(taken <= (recorded[i] - models[i].os) / 2);
		assert_ranges(values);
		elapsed += values->amount[ELAPSED_EXCLUSIVE];
		residual += taken;
		error += values->amount[ERROR_EXCLUSIVE];
	}
	assert_int_equal(analysis->totals.inconsistent_ticks, 0);
	assert_int_equal(analysis->totals.elapsed, elapsed);
	assert_int_equal(analysis->nodes.data[0].values.amount[ELAPSED_INCLUSIVE], elapsed);
	assert_int_equal(analysis->totals.residual, residual);
	assert_int_equal(analysis->nodes.data[0].values.amount[ERROR_INCLUSIVE], error);
	assert_int_equal(analysis->totals.error, error);
}

static void assert_truth_within(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t value = model_values(i)->amount[ELAPSED_EXCLUSIVE];
		const uint64_t distance = value > truth[i] ? value - truth[i] : truth[i] - value;
		assert_in_range(distance, 0, model_values(i)->amount[ERROR_EXCLUSIVE] + 1);
	}
}

/* A program of small functions below two larger ones. */
static const struct model dense[] = {
	{.parent = 0, .calls = 1, .least = 900000, .most = 900000, .intervals = 2001, .os = 70},
	{.parent = 1, .calls = 2000, .least = 30, .most = 500, .intervals = 202000},
	{.parent = 2, .calls = 100000, .least = 2, .most = 6, .intervals = 100000},
	{.parent = 2, .calls = 50000, .least = 4, .most = 30, .intervals = 50000},
	{.parent = 2, .calls = 40000, .least = 1, .most = 9, .intervals = 40000, .os = 5000},
	{.parent = 2, .calls = 10000, .least = 100, .most = 900, .intervals = 10000},
};
#define DENSE_COUNT (sizeof(dense) / sizeof(dense[0]))

static void test_truth_lies_within_error(void **state)
{
	(void)state;
	for (int percent = 0; percent <= 50; percent += 5) {
		open_model(dense, DENSE_COUNT, percent / 100.0);
		assert_sound(dense, DENSE_COUNT);
		assert_truth_within(DENSE_COUNT);
		analysed_end(NULL);
	}
}

/* The estimate follows what the small functions say, and is off by no more than their variation. */
static void test_estimate(void **state)
{
	(void)state;
	open_model(dense, DENSE_COUNT, 0.3);
	/* f2: 2 ticks of variation in 20; the lower quartile by cost is f2's. */
	assert_true(analysis->processes.data[0].residual > 0.3999 - 0.0001);
	assert_true(analysis->processes.data[0].residual < 0.4001);
	assert_true(analysis->totals.residual_share > 0.3999);
}

static void test_no_evidence(void **state)
{
	/* Too few calls, calls of others, too long. */
	static const struct model models[] = {
		{.parent = 0, .calls = 5000, .least = 2, .most = 40, .intervals = 10999},
		{.parent = 1, .calls = 999, .least = 2, .most = 40, .intervals = 999},
		{.parent = 1, .calls = 5000, .least = 100, .most = 140, .intervals = 5000},
	};

	(void)state;
	open_model(models, 3, 0.3);
	assert_sound(models, 3);
	assert_int_equal(analysis->totals.residual, 0);
	assert_int_equal(model_values(0)->amount[ELAPSED_EXCLUSIVE], recorded[0]);
	assert_true(model_values(0)->amount[ERROR_EXCLUSIVE] >= 10999 * COST_TICKS / 4);
}

/* Constant work is not taken for cost, whatever it is. */
static void test_constant_work(void **state)
{
	static const struct model models[] = {
		{.parent = 0, .calls = 1, .least = 5, .most = 5, .intervals = 90001},
		{.parent = 1, .calls = 90000, .least = 40, .most = 40, .intervals = 90000},
	};

	(void)state;
	open_model(models, 2, 0);
	assert_sound(models, 2);
	assert_int_equal(analysis->totals.residual, 0);
	assert_int_equal(model_values(1)->amount[ELAPSED_EXCLUSIVE], truth[1]);
}

/* A function that is nothing but residual keeps half of it, and is marked. */
static void test_never_negative(void **state)
{
	static const struct model models[] = {
		{.parent = 0, .calls = 1, .least = 0, .most = 0, .intervals = 100001},
		{.parent = 1, .calls = 100000, .least = 0, .most = 0, .intervals = 100000},
	};

	(void)state;
	open_model(models, 2, 0.1);
	assert_sound(models, 2);
	assert_truth_within(2);
	assert_int_equal(model_values(1)->amount[ELAPSED_EXCLUSIVE], 100000);
	assert_true(analysis_is_within_error(model_values(1)));
	assert_true(analysis_is_overhead_dominated(model_values(1)));
}

/* What few calls say of a program whose cost lies elsewhere is not taken for all. */
static void test_little_evidence(void **state)
{
	static const struct model models[] = {
		{.parent = 0, .calls = 1000000, .least = 900, .most = 900, .intervals = 2000000},
		{.parent = 1, .calls = 2000, .least = 10, .most = 34, .intervals = 2000},
	};

	(void)state;
	open_model(models, 2, 0);
	assert_true(analysis->processes.data[0].residual == 0);
	assert_int_equal(analysis->totals.residual, 0);
}

/* Four functions with the same cost, whose calls vary by 0.1, 0.2, 0.3 and 0.4 of it. */
static void test_lower_quartile(void **state)
{
	static const struct model models[] = {
		{.parent = 0, .calls = 1, .least = 5, .most = 5, .intervals = 40001},
		{.parent = 1, .calls = 10000, .least = 10, .most = 26, .intervals = 10000},
		{.parent = 1, .calls = 10000, .least = 10, .most = 14, .intervals = 10000},
		{.parent = 1, .calls = 10000, .least = 10, .most = 22, .intervals = 10000},
		{.parent = 1, .calls = 10000, .least = 10, .most = 18, .intervals = 10000},
	};

	(void)state;
	open_model(models, 5, 0);
	assert_float_equal(analysis->processes.data[0].residual, 0.1, 0.0001);
}

/* More than half of the calibrated cost is none of it. */
static void test_at_most_half(void **state)
{
	static const struct model models[] = {
		{.parent = 0, .calls = 1, .least = 5, .most = 5, .intervals = 10001},
		{.parent = 1, .calls = 10000, .least = 10, .most = 46, .intervals = 10000},
	};

	(void)state;
	open_model(models, 2, 0);
	assert_float_equal(analysis->processes.data[0].residual, 0.5, 0.0001);
}

static void test_drift(void **state)
{
	struct profile_process process = {0};
	double drift;

	(void)state;
	assert_false(analysis_cost_drift(&process, &drift));
	assert_true(drift == 0);
	process.begin_calibration =
		(struct tare_calibration){.inside_ticks = {20, 30}, .outside_ticks = {30, 30}};
	assert_false(analysis_cost_drift(&process, &drift));
	process.end_calibration =
		(struct tare_calibration){.inside_ticks = {25, 30}, .outside_ticks = {30, 15}};
	assert_true(analysis_cost_drift(&process, &drift));
	assert_true(drift == -0.25);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, analysed_begin, analysed_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_truth_lies_within_error),
		TEST(test_estimate),
		TEST(test_no_evidence),
		TEST(test_little_evidence),
		TEST(test_lower_quartile),
		TEST(test_at_most_half),
		TEST(test_constant_work),
		TEST(test_never_negative),
		cmocka_unit_test(test_drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
