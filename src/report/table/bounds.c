/* See bounds.h. A column is known by its getter: that says what its parameter is. */
#include "report/table/bounds.h"

#include <math.h>

#define NS_PER_S 1e9

static bool is_of_samples(const struct column *column)
{
	return column->get == report_get_samples || column->get == report_get_samples_percent;
}

static bool is_per_call(const struct column *column)
{
	return column->get == report_get_average || column->get == report_get_min ||
	       column->get == report_get_max || column->get == report_get_percentile;
}

static bool is_of_time(const struct column *column)
{
	return column->get == report_get_total || column->get == report_get_percent ||
	       is_per_call(column);
}

/* Percentiles are of elapsed inclusive time alone: their parameter is which. */
static enum analysis_measure measure_of(const struct column *column)
{
	return column->get == report_get_percentile ? ELAPSED_INCLUSIVE
						    : (enum analysis_measure)column->param;
}

static bool is_place(const struct report_row *row)
{
	return row->type == ROW_LINE || row->type == ROW_INSTRUCTION;
}

static uint64_t samples_at(const struct report_row *row, enum analysis_side side)
{
	return row->values->amount[analysis_measure_of(VALUE_SAMPLES, side)];
}

/* ---- times ---- */

/* Ticks that the time may be less, or more. */
struct margin {
	double below, above;
};

static struct margin place_margin(const struct report *report, const struct report_row *row,
				  enum analysis_side side)
{
	const uint64_t samples = samples_at(row, side);
	double low, high;

	if (!analysis_samples_repeated(report->analysis, samples, &low, &high))
		return (struct margin){0};
	const double share = analysis_samples_percent(report->analysis, samples);
	const double one = (double)report->analysis->places_cpu / 100;
	return (struct margin){(share - low) * one, (high - share) * one};
}

/*
 * So much of an elapsed time other threads had the processor for, which is not the program's: as
 * far as it is known, which of inclusive times is that it is waiting, and no more than there was.
 */
static double preempted(const struct report *report, const struct analysis_values *values,
			enum analysis_side side)
{
	const uint64_t all = report->analysis->totals.os_ticks[TARE_OS_PREEMPTED];
	const uint64_t elapsed = values->amount[analysis_measure_of(VALUE_ELAPSED, side)];
	const uint64_t cpu = values->amount[analysis_measure_of(VALUE_CPU, side)];
	const uint64_t waiting = elapsed > cpu ? elapsed - cpu : 0;

	if (side == EXCLUSIVE)
		return (double)values->os_ticks[TARE_OS_PREEMPTED];
	return (double)(waiting < all ? waiting : all);
}

static struct margin time_margin(const struct report *report, const struct report_row *row,
				 enum analysis_measure measure)
{
	const enum analysis_side side = (enum analysis_side)(measure % ANALYSIS_SIDES);
	const struct analysis_values *values = row->values;
	uint64_t low, high;

	if (measure >= ANALYSIS_TIME_MEASURES)
		return (struct margin){0};
	if (is_place(row))
		return measure == analysis_measure_of(VALUE_CPU, side)
			       ? place_margin(report, row, side)
			       : (struct margin){0};
	const double error = (double)values->amount[analysis_measure_of(VALUE_ERROR, side)];
	const double others =
		analysis_value_of(measure) == VALUE_ELAPSED ? preempted(report, values, side) : 0;
	const double cpu = (double)values->amount[analysis_measure_of(VALUE_CPU, side)];
	if (analysis_cpu_interval(report->analysis, values, side, &low, &high))
		return (struct margin){fmax(cpu - (double)low, 0) + error + others,
				       fmax((double)high - cpu, 0) + error};
	const double all = (double)analysis_total(report->analysis, analysis_value_of(measure));
	const double between = analysis_between_runs(all, (double)values->amount[measure]);
	return (struct margin){between + error + others, between + error};
}

/* The unit of the column's cells that one tick is. */
static double unit_per_tick(const struct column *column, const struct report *report,
			    const struct report_row *row)
{
	const struct analysis *analysis = report->analysis;
	const double time =
		report->options->unit == REPORT_TICKS ? 1 : NS_PER_S / analysis->ticks_per_second;

	if (column->get == report_get_percent) {
		const uint64_t total =
			analysis_total(analysis, analysis_value_of(measure_of(column)));
		return total ? 100 / (double)total : 0;
	}
	if (column->get != report_get_average)
		return time;
	const uint64_t timed = row->values->calls - row->values->untimed;
	return row->values->calls > row->values->untimed ? time / (double)timed : 0;
}

static struct column_bounds time_bounds(const struct column *column, const struct report *report,
					const struct report_row *row, double value)
{
	const struct margin margin = time_margin(report, row, measure_of(column));
	const double one = unit_per_tick(column, report, row);

	return (struct column_bounds){.low = fmax(value - margin.below * one, 0),
				      .high = value + margin.above * one,
				      .is_known = true};
}

/* ---- samples ---- */

/* Of a weight the interval of its samples: as a share of it. */
static struct column_bounds samples_bounds(const struct column *column, const struct report *report,
					   const struct report_row *row, double value)
{
	const struct analysis_sample_totals *totals = &report->analysis->totals.samples;
	const enum analysis_side side = (enum analysis_side)(column->param % ANALYSIS_SIDES);
	const uint64_t samples = samples_at(row, side);
	const double share = analysis_samples_percent(report->analysis, samples);
	struct column_bounds bounds = {.low = value, .high = value, .is_known = true};
	double low, high;

	if (!analysis_samples_repeated(report->analysis, samples, &low, &high))
		return bounds;
	if (share > 0) {
		bounds.low = value * low / share;
		bounds.high = value * high / share;
		return bounds;
	}
	const bool is_weight =
		analysis_value_of((enum analysis_measure)column->param) == VALUE_WEIGHT;
	const double whole = column->type == CELL_PERCENT
				     ? 100
				     : (double)(is_weight ? totals->weight : totals->kept);
	bounds.high = value + whole * high / 100;
	return bounds;
}

/* ---- all ---- */

static double value_of(const struct cell *cell)
{
	if (cell->type == CELL_PERCENT)
		return cell->percent;
	return cell->type == CELL_COUNT || cell->type == CELL_TIME ? (double)cell->number : 0;
}

static struct column_bounds bounds_around(const struct column *column, const struct report *report,
					  const struct report_row *row, double value)
{
	struct column_bounds bounds = {.low = value, .high = value, .is_known = true};

	if (!row->values)
		return bounds;
	if (is_of_samples(column))
		return samples_bounds(column, report, row, value);
	if (column->get == report_get_total || column->get == report_get_percent ||
	    column->get == report_get_average)
		return time_bounds(column, report, row, value);
	if (column->get == report_get_calls)
		bounds.is_known = analysis_calls_are(row->values) == ANALYSIS_CALLS_ALL;
	return bounds;
}

struct column_bounds column_bounds_of(const struct column *column, const struct report *report,
				      const struct report_row *row)
{
	struct str scratch = {0};
	struct cell cell;

	column_read(column, report, row, &scratch, &cell);
	str_fini(&scratch);
	return bounds_around(column, report, row, value_of(&cell));
}

struct column_bounds column_bounds_missing(const struct column *column, const struct report *report,
					   const struct report_row *like)
{
	struct analysis_values none = {0};
	struct report_row row = *like;

	if (like->values) {
		none.sampled = like->values->sampled || like->values->amount[BASIS_INCLUSIVE];
		row.values = &none;
	}
	return bounds_around(column, report, &row, 0);
}

double column_share(const struct column *column, const struct report *report,
		    const struct report_row *row)
{
	const struct analysis *analysis = report->analysis;

	if (!row->values)
		return NAN;
	if (is_of_time(column) || is_of_samples(column))
		return analysis_percent(analysis, row->values, measure_of(column));
	if (column->get == report_get_os && analysis->totals.elapsed)
		return 100 * (double)row->values->os_ticks[column->param] /
		       (double)analysis->totals.elapsed;
	return NAN;
}
