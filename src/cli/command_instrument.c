/*
 * tare instrument: write an instrumented copy of one file, or list its functions with what would
 * become of each.
 */
#include "cache/instrument_ahead.h"
#include "cli/command.h"
#include "cli/function_list.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/selection_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct instrument_values {
	struct selection_values selection;
	const char *output, *only_units, *original;
	bool cache, learned, verify, null, poison, list, json, quiet;
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
	{.name = "cache",
	 .help = "Put copies of all FILEs and their libraries into the cache, where recordings "
		 "find "
		 "them; write no others",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct instrument_values, cache)},
	{.name = "learned",
	 .help = "With --cache: also make the copies, for commands that are recorded again, "
		 "without "
		 "the probes of what recordings have learned to count only",
	 .type = OPTION_FLAG,
	 .rare = true,
	 .offset = offsetof(struct instrument_values, learned)},
	SELECTION_OPTIONS(offsetof(struct instrument_values, selection)),
	{.name = "null",
	 .help = "The same as --transform=null",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct instrument_values, null)},
	{.name = "poison",
	 .help = "The same as --transform=poison",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct instrument_values, poison)},
	{.name = "only-units",
	 .argument = "A-B",
	 .help = "Instrument only the units A to B, as the list numbers them",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct instrument_values, only_units)},
	{.name = "verify",
	 .help = "Compare the copy with the original, instruction by instruction; written only "
		 "with --output. Exit status 1 if they differ",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct instrument_values, verify)},
	{.name = "original",
	 .argument = "FILE",
	 .help = "With --verify: the operand is a copy that was made before, of FILE",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct instrument_values, original)},
	{.name = "quiet",
	 .letter = 'q',
	 .help = "Print errors only",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct instrument_values, quiet)},
	{0},
};

/* ---- verification ---- */

static void print_difference(const struct verify_difference *difference)
{
	print_line(stdout, "%s: 0x%" PRIx64 " copy 0x%" PRIx64 " %s: %s",
		   verify_kind_name(difference->kind), difference->addr, difference->copy_addr,
		   *difference->function ? difference->function : "-", difference->text);
}

static void print_verification(const struct verify_result *result)
{
	const struct verify_counts *counts = &result->counts;

	vec_foreach (difference, &result->differences)
		print_difference(difference);
	if (result->difference_count > result->differences.len)
		print_line(stdout, "and %" PRIu64 " more differences",
			   result->difference_count - result->differences.len);
	print_line(stdout,
		   "compared: %" PRIu64 " functions and parts, %" PRIu64 " instructions, %" PRIu64
		   " branches, %" PRIu64 " probes, %" PRIu64 " entries of %" PRIu64
		   " jump tables, %" PRIu64 " of %" PRIu64 " maps, %" PRIu64
		   " unwind states, %" PRIu64 " call sites, %" PRIu64 " unwind records, %" PRIu64
		   " bytes: %" PRIu64 " differences",
		   counts->ranges, counts->instructions, counts->branches, counts->probes,
		   counts->table_entries, counts->tables, counts->map_entries, counts->maps,
		   counts->rows, counts->call_sites, counts->records, counts->bytes,
		   result->difference_count);
}

static void print_result(const struct instrument_values *values, const char *path,
			 const char *output, const struct instrument_file *file)
{
	if (values->json)
		function_list_print_json(path, file);
	else if (values->list)
		function_list_print_text(file);
	if (file->verified && (!values->quiet || file->verification.difference_count))
		print_verification(&file->verification);
	if (output && !values->quiet)
		print_note(&command_instrument,
			   "wrote %s: %zu of %zu functions instrumented, %zu refused, %" PRIu64
			   " -> %" PRIu64 " bytes",
			   output, file->instrumented, file->functions.len, file->refused,
			   file->input_bytes, file->output_bytes);
}

static int verify_written(const struct instrument_values *values, const char *copy,
			  struct error *err)
{
	struct instrument_file file = {0};

	if (!instrument_file_verify(values->original, copy, &file, err))
		return -1;
	const int status = file.verification.difference_count ? EXIT_STATUS_FAILED : EXIT_STATUS_OK;
	if (!values->quiet || status != EXIT_STATUS_OK)
		print_verification(&file.verification);
	instrument_file_fini(&file);
	return status;
}

static void request_from_options(const struct instrument_values *values,
				 struct instrument_request *request)
{
	selection_from_options(&values->selection, request);
	if (values->null)
		request->transform = INSTRUMENT_TRANSFORM_NULL;
	if (values->poison)
		request->transform = INSTRUMENT_TRANSFORM_POISON;
}

/* ---- the cache ---- */

static void show_note(const char *sentence, void *context)
{
	progress_erase(context);
	print_note(&command_instrument, "%s", sentence);
}

static int put_into_cache(const struct instrument_values *values, const struct operands *operands,
			  struct error *err)
{
	struct progress progress;
	struct instrument_ahead_result result;
	struct instrument_ahead_options options = {
		.paths = operands->items,
		.path_count = operands->count,
		.bare = values->learned,
		.progress = progress_show,
		.note = values->quiet ? NULL : show_note,
		.context = &progress,
	};

	request_from_options(values, &options.selection);
	progress_begin(&progress, &command_instrument, values->quiet);
	const bool ok = instrument_ahead(&options, &result, err);
	progress_end(&progress);
	selection_release(&options.selection);
	if (!ok)
		return -1;
	if (!values->quiet)
		print_note(&command_instrument,
			   "%zu copies made, %zu there before, %zu files that cannot be "
			   "instrumented",
			   result.made, result.present, result.refused);
	return EXIT_STATUS_OK;
}

static bool check_cache(const struct instrument_values *values, struct error *err)
{
	if (!values->output && !values->list && !values->json && !values->verify &&
	    !values->only_units && !values->original)
		return true;
	return error_set(err, ERROR_USAGE,
			 "--cache makes copies of whole files in the cache; leave out --output, "
			 "--list, --json, --verify, --original and --only-units");
}

static int instrument_run(const void *values_at, const struct operands *operands, struct error *err)
{
	const struct instrument_values *values = values_at;
	const bool lists = values->list || values->json;
	struct progress progress;
	struct instrument_file file = {0};
	struct str output = {0};

	if (values->null && values->poison) {
		error_set(err, ERROR_USAGE, "--null and --poison exclude each other");
		return -1;
	}
	if (values->cache && operands->count)
		return check_cache(values, err) ? put_into_cache(values, operands, err) : -1;
	if (operands->count != 1) {
		error_set(err, ERROR_USAGE, "which file? tare instrument [OPTIONS] FILE");
		return -1;
	}
	if (values->original && !values->verify) {
		error_set(err, ERROR_USAGE, "--original belongs to --verify");
		return -1;
	}
	if (values->learned) {
		error_set(err, ERROR_USAGE, "--learned belongs to --cache");
		return -1;
	}
	const char *path = operands->items[0];
	if (values->original)
		return verify_written(values, path, err);
	if (values->output)
		str_append(&output, values->output);
	else if (!lists && !values->verify)
		str_printf(&output, "%s.instrumented", path_basename(path));
	progress_begin(&progress, &command_instrument, values->quiet);
	struct instrument_file_options options = {
		.path = path,
		.output = output.data,
		.only_units = values->only_units,
		.verify = values->verify,
		.may_be_none = lists && !values->output,
		.progress = progress_show,
		.context = &progress,
	};
	request_from_options(values, &options.selection);
	const bool ok = instrument_file_write(&options, &file, err);
	int status = ok ? EXIT_STATUS_OK : -1;
	progress_end(&progress);
	if (ok) {
		print_result(values, path, output.data, &file);
		if (file.verification.difference_count)
			status = EXIT_STATUS_FAILED;
		instrument_file_fini(&file);
	}
	selection_release(&options.selection);
	str_fini(&output);
	return status;
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
	.examples =
		"tare instrument --list ./prog         # its functions, and what becomes of each\n"
		"tare instrument -o prog.copy ./prog   # a copy with probes\n"
		"tare instrument --verify ./prog       # holds a copy against the original\n"
		"tare instrument --cache ./prog        # so that no recording waits for copies\n",
	.options = instrument_options,
	.operand_kind = OPERAND_FILE,
	.values_bytes = sizeof(struct instrument_values),
	.run = instrument_run,
};
