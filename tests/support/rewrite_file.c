/*
 * rewrite_file MODE IN OUT: writes the instrumented copy of IN in one of the modes, for `poison`
 * with the companion that the environment's TARE_TEST_POISON names, and for static executables the
 * runtime in TARE_TEST_RUNTIME, without cache or command line
 * between, and prints the verdicts ("verdict function" in hexadecimal where it has no name) and the
 * numbers of jumps and probes ("jumps-static 3"). Status 1 with the reason on standard error where
 * the file is refused as a whole.
 */
#include "base/file.h"
#include "rewrite/rewrite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool mode_from_name(const char *name, struct rewrite_options *options)
{
	options->keep_small = true;
	options->mode = REWRITE_FULL;
	if (strcmp(name, "null") == 0)
		options->mode = REWRITE_NULL;
	else if (strcmp(name, "poison") == 0)
		options->mode = REWRITE_POISON;
	else if (strcmp(name, "all") == 0)
		options->probes = REWRITE_PROBES_ALL;
	else if (strcmp(name, "lines") != 0 && strcmp(name, "syscalls") != 0)
		return strcmp(name, "full") == 0;
	options->count_executions = strcmp(name, "lines") == 0 || strcmp(name, "poison") == 0;
	options->syscalls_only = strcmp(name, "syscalls") == 0;
	return true;
}

static void print_result(const struct rewrite_result *result)
{
	const struct rewrite_statistics *numbers = &result->statistics;
	size_t parts = 0;

	vec_foreach (function, &result->functions) {
		parts += function->verdict == REWRITE_PART;
		if (function->name[0])
			printf("%s %s\n", rewrite_verdict_name(function->verdict), function->name);
		else
			printf("%s %" PRIx64 "\n", rewrite_verdict_name(function->verdict),
			       function->addr);
	}
	printf("jumps-static %" PRIu64 "\njumps-translated %" PRIu64 "\njumps-saved %" PRIu64
	       "\njumps-by-labels %" PRIu64 "\nlabel-pointers %" PRIu64 "\njumps-tail %" PRIu64
	       "\nprobes-flags %" PRIu64 "\nparts %zu\n",
	       numbers->jumps_table_static, numbers->jumps_translated, numbers->jumps_saved,
	       numbers->jumps_by_labels, numbers->label_pointers, numbers->jumps_tail,
	       numbers->probes_with_live_flags, parts);
}

static bool write_copy(const char *path, const struct byte_vec *bytes, struct error *err)
{
	struct file_output output;

	if (!file_output_open(&output, path, err))
		return false;
	if (!file_output_write(&output, bytes->data, bytes->len, err)) {
		file_output_discard(&output);
		return false;
	}
	return file_output_commit(&output, 0755, err);
}

/* What comes along in the copy: true, and *companion NULL, where nothing does. */
static bool open_companion(const struct object *object, struct rewrite_options *options,
			   struct object **companion, struct error *err)
{
	const bool poison = options->mode == REWRITE_POISON;

	*companion = NULL;
	if (!poison &&
	    (options->mode == REWRITE_NULL || object_kind(object) != OBJECT_STATIC_EXECUTABLE))
		return true;
	const char *path = getenv(poison ? "TARE_TEST_POISON" : "TARE_TEST_RUNTIME");
	*companion = object_open(path ? path : "", OBJECT_ALL, err);
	options->companion = poison ? *companion : NULL;
	options->runtime = poison ? NULL : *companion;
	return *companion != NULL;
}

int main(int argc, char **argv)
{
	struct rewrite_options options = {0};
	struct rewrite_result result;
	struct byte_vec bytes = {0};
	struct object *companion = NULL;
	struct error err;

	if (argc != 4 || !mode_from_name(argv[1], &options)) {
		fprintf(stderr, "usage: rewrite_file null|full|all|lines|syscalls|poison IN OUT\n");
		return 2;
	}
	struct object *object = object_open(argv[2], OBJECT_ALL, &err);
	if (!object || !open_companion(object, &options, &companion, &err) ||
	    !rewrite_object(object, &options, &bytes, &result, &err)) {
		fprintf(stderr, "%s\n", err.message);
		object_close(companion);
		object_close(object);
		return 1;
	}
	print_result(&result);
	const bool ok = result.nothing_to_do || write_copy(argv[3], &bytes, &err);
	if (!ok)
		fprintf(stderr, "%s\n", err.message);
	rewrite_result_fini(&result);
	vec_fini(&bytes);
	object_close(companion);
	object_close(object);
	return ok ? 0 : 1;
}
