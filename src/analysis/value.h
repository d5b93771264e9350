/*
 * The values of functions, call paths, modules, threads, lines, …: one line per value. Each has an
 * amount inclusive and one exclusive; sums, percents, columns, the page's quantities and what is
 * exported follow from these lists. What a new value needs besides is to be measured, in its
 * exclusive amount: times in tree_load.c
 * (analysis_values_measure).
 *
 *   ID, name  VALUE_<ID>, <ID>_INCLUSIVE, <ID>_EXCLUSIVE; in the names of columns
 *   title     of its columns as text
 */
#ifndef TARE_ANALYSIS_VALUE_H
#define TARE_ANALYSIS_VALUE_H

/*
 * Times of calls, in ticks; their percents are of the session's. `calls`: what is known of single
 * ones besides the average: SPREAD their least, greatest and percentiles, RANGE the first two,
 * AVERAGE nothing.
 */
#define ANALYSIS_TIMES(TIME)                                                                       \
	TIME(ELAPSED, elapsed, "Elapsed", SPREAD), TIME(CPU, cpu, "CPU", AVERAGE),                 \
		TIME(APPLICATION, application, "Application", RANGE)

/* Ticks that were subtracted from these, and by how much they may be wrong. */
#define ANALYSIS_COSTS(COST) COST(OVERHEAD, overhead, "Overhead"), COST(ERROR, error, "Error")

/*
 * Of the CPU time, the ticks that were found by samples, the number of these samples, and their
 * squares (struct profile_stack_value): what the interval of such a time follows from (estimate.h).
 * Of the overhead there, what counters and dormant probes took (struct profile_counted).
 */
#define ANALYSIS_ESTIMATES(ESTIMATE)                                                               \
	ESTIMATE(ESTIMATED, estimated, NULL), ESTIMATE(BASIS, basis, NULL),                        \
		ESTIMATE(SQUARES, squares, NULL), ESTIMATE(COUNTING, counting, NULL)

/*
 * Kept samples of the event shown, and the events that they stand for, in the event's unit.
 * Inclusive where the function, line, … stands anywhere on the stack.
 */
#define ANALYSIS_SAMPLED(SAMPLED)                                                                  \
	SAMPLED(SAMPLES, samples, "Samples"), SAMPLED(WEIGHT, weight, NULL)

#define ANALYSIS_VALUE_ID(ID, ...)	   VALUE_##ID
#define ANALYSIS_MEASURE_IDS(ID, ...)	   ID##_INCLUSIVE, ID##_EXCLUSIVE
#define ANALYSIS_VALUE_NAME(ID, name, ...) name

/* The name of ANALYSIS_RANKING_TIME, for names of columns. */
#define ANALYSIS_RANKING "cpu"

enum analysis_value {
	ANALYSIS_TIMES(ANALYSIS_VALUE_ID),
	ANALYSIS_COSTS(ANALYSIS_VALUE_ID),
	ANALYSIS_ESTIMATES(ANALYSIS_VALUE_ID),
	ANALYSIS_SAMPLED(ANALYSIS_VALUE_ID),
	ANALYSIS_VALUES,
	ANALYSIS_RANKING_TIME = VALUE_CPU, /* what calls are ranked by */
	ANALYSIS_FIRST_COST = VALUE_OVERHEAD,
	ANALYSIS_FIRST_SAMPLED = VALUE_SAMPLES,
	ANALYSIS_TIME_VALUES = ANALYSIS_FIRST_COST,
	ANALYSIS_SAMPLED_VALUES = ANALYSIS_VALUES - ANALYSIS_FIRST_SAMPLED,
};

/* The measures of a value follow each other, so those of a side are every second one. */
enum analysis_side { INCLUSIVE, EXCLUSIVE, ANALYSIS_SIDES };

/* What an amount is of: a value, and a side of it. */
enum analysis_measure {
	ANALYSIS_TIMES(ANALYSIS_MEASURE_IDS),
	ANALYSIS_COSTS(ANALYSIS_MEASURE_IDS),
	ANALYSIS_ESTIMATES(ANALYSIS_MEASURE_IDS),
	ANALYSIS_SAMPLED(ANALYSIS_MEASURE_IDS),
	ANALYSIS_MEASURES,
	ANALYSIS_TIME_MEASURES = ANALYSIS_SIDES * ANALYSIS_TIME_VALUES
};

static inline enum analysis_measure analysis_measure_of(enum analysis_value value,
							enum analysis_side side)
{
	return (enum analysis_measure)(ANALYSIS_SIDES * value + side);
}

static inline enum analysis_value analysis_value_of(enum analysis_measure measure)
{
	return (enum analysis_value)(measure / ANALYSIS_SIDES);
}

struct analysis_value_info {
	const char *name, *title;
};
extern const struct analysis_value_info analysis_value_infos[];

#endif
