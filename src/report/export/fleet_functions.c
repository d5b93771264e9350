/*
 * The table of functions: a row per process and function. Functions of one name in a module, as
 * `static` ones of several files, are one: nothing else tells in another build which is which.
 *
 * Calls that counters have seen and no path has (counted functions) are not known by process: those
 * of a run with one process are its own, of others they are in a row of process 0.
 */
#include "report/export/fleet_columns.h"

#include "analysis/process_functions.h"

#include <stdlib.h>

struct functions {
	const struct fleet *fleet;
	struct fleet_sheet *sheet;
	struct analysis_process_functions *calls, *samples; /* either may be NULL */
	uint32_t *sampled; /* by group: 1 + index among the process's samples */
	uint64_t *left;	   /* by group: calls that no path has */
	uint8_t *are;	   /* by group: enum analysis_calls */
	uint32_t processes;
};

static const char *words_of(enum analysis_calls are)
{
	switch (are) {
	case ANALYSIS_CALLS_AT_LEAST:
		return "at least";
	case ANALYSIS_CALLS_ABOUT:
		return "about";
	case ANALYSIS_CALLS_ALL:
		break;
	}
	return "exact";
}

static void write_row(const struct functions *functions, const struct fleet_origin *origin,
		      uint32_t process, const struct analysis_process_function *sum,
		      const struct analysis_process_function *samples)
{
	static const struct analysis_process_function none;
	const struct fleet *fleet = functions->fleet;
	const struct analysis_function *row = &fleet->named->functions.data[sum->function];
	const struct analysis_module *module = &fleet->named->modules.data[row->module];
	struct fleet_sheet *sheet = functions->sheet;

	fleet_put_origin(sheet, origin);
	sheet_text(sheet, origin->build_id);
	sheet_number(sheet, (uint64_t)origin->ranks);
	sheet_number(sheet, process);
	sheet_number(sheet, fleet->function_hash[sum->function]);
	sheet_text(sheet, module->name);
	sheet_text(sheet, module->build_id);
	sheet_text(sheet, row->name);
	sheet_text(sheet, row->symbol);
	sheet_text(sheet, row->source);
	sheet_signed(sheet, row->line);
	sheet_number(sheet, row->link_addr);
	sheet_number(sheet, sum->calls);
	sheet_text(sheet, words_of((enum analysis_calls)functions->are[sum->function]));
	sheet_text(sheet, sum->sampled || !fleet->calls ? "samples" : "clock");
	fleet_put_times(fleet, sheet, sum->amount);
	samples = samples ? samples : &none;
	sheet_number(sheet, samples->amount[SAMPLES_INCLUSIVE]);
	sheet_number(sheet, samples->amount[SAMPLES_EXCLUSIVE]);
	sheet_end(sheet);
}

/* Those of calls with their samples, then those with samples alone. */
static void write_process(struct functions *functions, uint32_t process)
{
	const struct fleet_origin *origin = &functions->fleet->origins[process];
	size_t count = 0, sample_count = 0;
	const struct analysis_process_function *sums = NULL, *samples = NULL;

	if (functions->calls)
		sums = analysis_process_functions_next(functions->calls, process, &count);
	if (functions->samples)
		samples =
			analysis_process_functions_next(functions->samples, process, &sample_count);
	for (size_t i = 0; i < sample_count; i++)
		functions->sampled[samples[i].function] = (uint32_t)i + 1;
	for (size_t i = 0; i < count; i++) {
		struct analysis_process_function sum = sums[i];
		uint32_t *at = &functions->sampled[sum.function];
		if (functions->processes == 1) {
			sum.calls += functions->left[sum.function];
			functions->left[sum.function] = 0;
		}
		write_row(functions, origin, process + 1, &sum, *at ? &samples[*at - 1] : NULL);
		*at = 0;
	}
	for (size_t i = 0; i < sample_count; i++) {
		const struct analysis_process_function alone = {.function = samples[i].function};
		uint32_t *at = &functions->sampled[alone.function];
		if (*at)
			write_row(functions, origin, process + 1, &alone, &samples[i]);
		*at = 0;
	}
}

static void write_left(struct functions *functions)
{
	const struct fleet *fleet = functions->fleet;
	const bool is_one = functions->processes == 1;

	for (uint32_t i = 0; i < fleet->named->functions.len; i++) {
		const struct analysis_process_function left = {.function = i,
							       .calls = functions->left[i]};
		if (left.calls)
			write_row(functions, is_one ? &fleet->origins[0] : &fleet->origin, is_one,
				  &left, NULL);
	}
}

/* All calls, less those that paths have. */
static void count_left(struct functions *functions)
{
	const struct fleet *fleet = functions->fleet;
	const struct analysis *analysis = fleet->calls;

	for (size_t i = 0; i < analysis->functions.len; i++) {
		const struct analysis_values *values = &analysis->functions.data[i].values;
		const uint32_t group = fleet->group_of[i];
		const enum analysis_calls are = analysis_calls_are(values);
		functions->left[group] += values->calls;
		if (functions->are[group] == ANALYSIS_CALLS_ALL)
			functions->are[group] = (uint8_t)are;
	}
	vec_foreach (node, &analysis->nodes) {
		if (node->function == ANALYSIS_NONE)
			continue;
		uint64_t *left = &functions->left[fleet->group_of[node->function]];
		*left -= node->values.calls < *left ? node->values.calls : *left;
	}
}

void fleet_write_functions(const struct fleet *fleet, struct fleet_sheet *sheet)
{
	const size_t room = fleet->named->functions.len + 1;
	struct functions functions = {
		.fleet = fleet,
		.sheet = sheet,
		.sampled = mem_zalloc(room * sizeof(*functions.sampled)),
		.left = mem_zalloc(room * sizeof(*functions.left)),
		.are = mem_zalloc(room * sizeof(*functions.are)),
		.processes = (uint32_t)fleet->analysis->processes.len,
	};

	if (fleet->calls) {
		functions.calls = analysis_process_functions_open(fleet->calls, fleet->group_of);
		count_left(&functions);
	}
	if (fleet->samples)
		functions.samples =
			analysis_process_functions_open(fleet->samples, fleet->group_of);
	for (uint32_t i = 0; i < functions.processes && !ferror(sheet->stream); i++)
		write_process(&functions, i);
	write_left(&functions);
	if (functions.calls)
		analysis_process_functions_close(functions.calls);
	if (functions.samples)
		analysis_process_functions_close(functions.samples);
	free(functions.are);
	free(functions.left);
	free(functions.sampled);
}
