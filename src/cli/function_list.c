/*
 * See function_list.h. Names are bytes of the file: what is no text is escaped in the list, and
 * replaced in JSON, where the mangled name and the address still tell functions apart.
 */
#include "cli/function_list.h"

#include "cli/json_text.h"
#include "cli/print.h"

#include "analysis/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void function_list_print_text(const struct instrument_file *file)
{
	print_line(stdout, "%16s %8s %6s  %-18s %s", "address", "size", "unit", "verdict",
		   "function");
	vec_foreach (function, &file->functions)
		print_line(stdout, "%16" PRIx64 " %8" PRIu64 " %6zu  %-18s %s", function->addr,
			   function->size, function->unit, function->verdict,
			   *function->name ? function->name : "-");
	print_line(stdout, "%zu functions: %zu instrumented, %zu refused", file->functions.len,
		   file->instrumented, file->refused);
}

/* ---- JSON ---- */

static void append_function(const struct instrument_function *function, struct str *out)
{
	struct arena arena = {0};

	arena_init(&arena);
	str_printf(out, "{\"address\":%" PRIu64 ",\"size\":%" PRIu64 ",\"unit\":%zu,\"function\":",
		   function->addr, function->size, function->unit);
	json_text_append(out, analysis_demangle(&arena, function->name));
	str_append(out, ",\"mangled\":");
	json_text_append(out, function->name);
	str_printf(out, ",\"verdict\":\"%s\",\"reason\":", function->verdict);
	json_text_append(out, function->reason);
	str_append(out, "}");
	arena_fini(&arena);
}

/* Functions per verdict, in the order of their first function. */
static void append_verdicts(const struct instrument_file *file, struct str *out)
{
	struct verdict_count {
		const char *verdict, *reason;
		size_t functions;
	};
	struct vec_of(struct verdict_count) counts = {0};

	vec_foreach (function, &file->functions) {
		size_t i = 0;
		while (i < counts.len && strcmp(counts.data[i].verdict, function->verdict) != 0)
			i++;
		if (i == counts.len)
			vec_push(&counts,
				 ((struct verdict_count){function->verdict, function->reason, 0}));
		counts.data[i].functions++;
	}
	vec_foreach (count, &counts) {
		str_printf(out, "%s\n{\"verdict\":\"%s\",\"functions\":%zu,\"reason\":",
			   count == counts.data ? "" : ",", count->verdict, count->functions);
		json_text_append(out, count->reason);
		str_append(out, "}");
	}
	vec_fini(&counts);
}

static void append_counts(const struct instrument_file *file, struct str *out)
{
	const struct instrument_file_counts *counts = &file->counts;
	const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
		{"instructions", counts->instructions},
		{"probes", counts->probes},
		{"probes_with_live_flags", counts->probes_with_live_flags},
		{"jumps_indirect", counts->jumps_indirect},
		{"jumps_by_table", counts->jumps_table_static},
		{"jumps_translated", counts->jumps_translated},
		{"jumps_translated_with_saves", counts->jumps_saved},
		{"jumps_by_labels", counts->jumps_by_labels},
		{"jumps_leaving", counts->jumps_tail},
		{"label_pointers", counts->label_pointers},
		{"input_bytes", file->input_bytes},
		{"output_bytes", file->output_bytes},
		{"code_bytes", counts->code_bytes},
		{"map_bytes", counts->map_bytes},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		str_printf(out, "%s\"%s\":%" PRIu64, i ? "," : "", fields[i].name, fields[i].value);
}

void function_list_print_json(const char *path, const struct instrument_file *file)
{
	struct str out = {0};

	str_append(&out, "{\"file\":");
	json_text_append(&out, path);
	str_printf(
		&out,
		",\"functions_found\":%zu,\"functions_instrumented\":%zu,\"functions_refused\":%zu,"
		"\"units\":%" PRIu64 ",\n\"statistics\":{",
		file->functions.len, file->instrumented, file->refused, file->counts.units);
	append_counts(file, &out);
	str_append(&out, "},\n\"verdicts\":[");
	append_verdicts(file, &out);
	str_append(&out, "\n],\n\"functions\":[");
	vec_foreach (function, &file->functions) {
		str_append(&out, function == file->functions.data ? "\n" : ",\n");
		append_function(function, &out);
	}
	str_append(&out, "\n]}\n");
	print_data(out.data);
	str_fini(&out);
}
