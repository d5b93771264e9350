/*
 * See function_list.h. Names are bytes of the file: what is no text is escaped in the list, and
 * replaced in JSON, where the mangled name and the address still tell functions apart.
 */
#include "cli/function_list.h"

#include "cli/json_text.h"

#include "analysis/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_text_name(const char *name)
{
	for (const unsigned char *at = (const unsigned char *)name; *at; at++) {
		if (*at < 0x20 || *at == 0x7f)
			printf("\\x%02x", *at);
		else
			putchar(*at);
	}
}

void function_list_print_text(const struct record_file *file)
{
	printf("%16s %8s %6s  %-18s %s\n", "address", "size", "unit", "verdict", "function");
	vec_foreach (function, &file->functions) {
		printf("%16" PRIx64 " %8" PRIu64 " %6zu  %-18s ", function->addr, function->size,
		       function->unit, function->verdict);
		print_text_name(*function->name ? function->name : "-");
		putchar('\n');
	}
	printf("%zu functions: %zu instrumented, %zu refused\n", file->functions.len,
	       file->instrumented, file->refused);
}

/* ---- JSON ---- */

static void print_function(const struct record_function *function)
{
	struct arena arena = {0};

	arena_init(&arena);
	printf("{\"address\":%" PRIu64 ",\"size\":%" PRIu64 ",\"unit\":%zu,\"function\":",
	       function->addr, function->size, function->unit);
	json_text_print(analysis_demangle(&arena, function->name));
	fputs(",\"mangled\":", stdout);
	json_text_print(function->name);
	printf(",\"verdict\":\"%s\",\"reason\":", function->verdict);
	json_text_print(function->reason);
	putchar('}');
	arena_fini(&arena);
}

/* Functions per verdict, in the order of their first function. */
static void print_verdicts(const struct record_file *file)
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
		printf("%s\n{\"verdict\":\"%s\",\"functions\":%zu,\"reason\":",
		       count == counts.data ? "" : ",", count->verdict, count->functions);
		json_text_print(count->reason);
		putchar('}');
	}
	vec_fini(&counts);
}

static void print_counts(const struct record_file *file)
{
	const struct record_file_counts *counts = &file->counts;
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
		{"jumps_leaving", counts->jumps_tail},
		{"input_bytes", file->input_bytes},
		{"output_bytes", file->output_bytes},
		{"code_bytes", counts->code_bytes},
		{"map_bytes", counts->map_bytes},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		printf("%s\"%s\":%" PRIu64, i ? "," : "", fields[i].name, fields[i].value);
}

void function_list_print_json(const char *path, const struct record_file *file)
{
	fputs("{\"file\":", stdout);
	json_text_print(path);
	printf(",\"functions_found\":%zu,\"functions_instrumented\":%zu,\"functions_refused\":%zu,"
	       "\"units\":%" PRIu64 ",\n\"statistics\":{",
	       file->functions.len, file->instrumented, file->refused, file->counts.units);
	print_counts(file);
	fputs("},\n\"verdicts\":[", stdout);
	print_verdicts(file);
	fputs("\n],\n\"functions\":[", stdout);
	vec_foreach (function, &file->functions) {
		fputs(function == file->functions.data ? "\n" : ",\n", stdout);
		print_function(function);
	}
	puts("\n]}");
}
