/*
 * tare instrument: write an instrumented copy of one file, or list its functions with what would
 * become of each.
 */
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/selection_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct instrument_values {
	struct selection_values selection;
	const char *output;
	bool list, json, quiet;
};

static const struct option instrument_options[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "Write the copy to FILE instead of NAME.instrumented in the working directory",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct instrument_values, output)},
	{.name = "list",
	 .help = "List the functions with their verdicts; write a copy only with --output",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct instrument_values, list)},
	{.name = "json",
	 .help = "List as JSON (implies --list)",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct instrument_values, json)},
	SELECTION_OPTIONS(offsetof(struct instrument_values, selection)),
	{.name = "quiet",
	 .letter = 'q',
	 .help = "Print errors only",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct instrument_values, quiet)},
	{0},
};

/* Valid UTF-8 of length 1 to 4 at `at`; 0 where it is none. */
static int utf8_length(const unsigned char *at)
{
	const int length = at[0] < 0x80			   ? 1
			   : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
			   : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
			   : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
							   : 0;

	for (int i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return length;
}

static void print_json_text(const char *text)
{
	putchar('"');
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		const int length = utf8_length(at);
		if (length == 0)
			fputs("\\ufffd", stdout);
		else if (*at == '"' || *at == '\\')
			printf("\\%c", *at);
		else if (*at < 0x20 || *at == 0x7f)
			printf("\\u%04x", *at);
		else
			fwrite(at, 1, (size_t)length, stdout);
		at += length ? length : 1;
	}
	putchar('"');
}

static void print_json(const char *path, const struct record_file *file)
{
	fputs("{\"file\":", stdout);
	print_json_text(path);
	printf(",\"functions_found\":%zu,\"functions_instrumented\":%zu,\"functions_refused\":%zu,"
	       "\"functions\":[",
	       file->functions.len, file->instrumented, file->refused);
	vec_foreach (function, &file->functions) {
		printf("%s\n{\"address\":%" PRIu64 ",\"size\":%" PRIu64 ",\"function\":",
		       function == file->functions.data ? "" : ",", function->addr, function->size);
		print_json_text(function->name);
		printf(",\"verdict\":\"%s\"}", function->verdict);
	}
	puts("\n]}");
}

static void print_text_name(const char *name)
{
	for (const unsigned char *at = (const unsigned char *)name; *at; at++) {
		if (*at < 0x20 || *at == 0x7f)
			printf("\\x%02x", *at);
		else
			putchar(*at);
	}
}

static void print_list(const struct record_file *file)
{
	printf("%16s %8s  %-18s %s\n", "address", "size", "verdict", "function");
	vec_foreach (function, &file->functions) {
		printf("%16" PRIx64 " %8" PRIu64 "  %-18s ", function->addr, function->size,
		       function->verdict);
		print_text_name(*function->name ? function->name : "-");
		putchar('\n');
	}
	printf("%zu functions: %zu instrumented, %zu refused\n", file->functions.len,
	       file->instrumented, file->refused);
}

static void print_result(const struct instrument_values *values, const char *path,
			 const char *output, const struct record_file *file)
{
	if (values->json)
		print_json(path, file);
	else if (values->list)
		print_list(file);
	if (output && !values->quiet)
		fprintf(stderr,
			"tare instrument: wrote %s: %zu of %zu functions instrumented, %zu "
			"refused, "
			"%" PRIu64 " -> %" PRIu64 " bytes\n",
			output, file->instrumented, file->functions.len, file->refused,
			file->input_bytes, file->output_bytes);
}

static int instrument_run(const void *values_at, const struct operands *operands, struct error *err)
{
	const struct instrument_values *values = values_at;
	const bool lists = values->list || values->json;
	struct progress progress;
	struct record_file file;
	struct str output = {0};

	if (operands->count != 1) {
		error_set(err, ERROR_USAGE, "which file? tare instrument [OPTIONS] FILE");
		return -1;
	}
	const char *path = operands->items[0];
	if (values->output)
		str_append(&output, values->output);
	else if (!lists)
		str_printf(&output, "%s.instrumented", path_basename(path));
	progress_begin(&progress, values->quiet);
	struct record_file_options options = {
		.path = path,
		.output = output.data,
		.progress = progress_show,
		.context = &progress,
	};
	selection_from_options(&values->selection, &options.selection);
	const bool ok = record_instrument(&options, &file, err);
	progress_erase(&progress);
	if (ok) {
		print_result(values, path, output.data, &file);
		record_file_fini(&file);
	}
	selection_release(&options.selection);
	str_fini(&output);
	return ok ? EXIT_STATUS_OK : -1;
}

const struct command command_instrument = {
	.name = "instrument",
	.operands = "FILE",
	.summary = "write an instrumented copy of a program or library",
	.description =
		"Writes an instrumented copy of FILE, which runs like the original until a "
		"recording\n"
		"arms its probes; or lists its functions with what becomes of each.\n\n"
		"Exit status: 0; 1 if FILE cannot be instrumented or the copy cannot be written;\n"
		"2 for a wrong command line.",
	.options = instrument_options,
	.values_bytes = sizeof(struct instrument_values),
	.run = instrument_run,
};
