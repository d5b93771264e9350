#include "cache/instrument_file.h"

#include "cache/instrument.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

struct instrument_file_owner {
	struct object *object, *copy;
	struct rewrite_result result;
};

static bool check_patterns(const struct instrument_options *options,
			   const struct rewrite_result *result, struct error *err)
{
	struct vec_of(const char *) names = {0};
	struct str nearest = {0};
	bool ok = true;

	vec_foreach (pattern, &options->selection.patterns) {
		if (pattern->matches || !ok)
			continue;
		vec_foreach (function, &result->functions)
			vec_push(&names, function->name);
		selection_nearest(&options->selection, pattern->text, names.data, names.len,
				  &nearest);
		ok = error_set(err, ERROR_USAGE, "the pattern %s matches none of %zu functions%s%s",
			       pattern->text, names.len, nearest.len ? "; the nearest: " : "",
			       nearest.len ? nearest.data : "");
	}
	vec_fini(&names);
	str_fini(&nearest);
	return ok;
}

static void list_functions(struct instrument_file *file, const struct rewrite_result *result)
{
	vec_foreach (function, &result->functions) {
		const struct instrument_function row = {
			.addr = function->addr,
			.size = function->size,
			.name = function->name,
			.verdict = rewrite_verdict_name(function->verdict),
			.reason = rewrite_verdict_text(function->verdict),
			.unit = function->unit,
			.instrumented = rewrite_verdict_is_instrumented(function->verdict),
			.refused = rewrite_verdict_is_refusal(function->verdict),
		};
		file->instrumented += row.instrumented;
		file->refused += row.refused;
		vec_push(&file->functions, row);
	}
}

static void count(struct instrument_file *file, const struct rewrite_statistics *statistics)
{
	file->input_bytes = statistics->input_bytes;
	file->output_bytes = statistics->output_bytes;
	file->counts = (struct instrument_file_counts){
		.units = statistics->units,
		.instructions = statistics->instructions,
		.probes = statistics->probes,
		.probes_with_live_flags = statistics->probes_with_live_flags,
		.jumps_indirect = statistics->jumps_indirect,
		.jumps_table_static = statistics->jumps_table_static,
		.jumps_translated = statistics->jumps_translated,
		.jumps_saved = statistics->jumps_saved,
		.jumps_by_labels = statistics->jumps_by_labels,
		.jumps_tail = statistics->jumps_tail,
		.label_pointers = statistics->label_pointers,
		.code_bytes = statistics->code_bytes,
		.map_bytes = statistics->map_bytes,
	};
}

static bool write_output(const struct instrument_file_options *options, const struct object *object,
			 const struct byte_vec *bytes, struct error *err)
{
	struct file_output output = {.fd = -1};

	if (file_is_same(options->path, options->output))
		return error_set(err, ERROR_USAGE, "%s would overwrite its own original",
				 options->output);
	if (!file_output_open(&output, options->output, err))
		return false;
	if (!file_output_write(&output, bytes->data, bytes->len, err)) {
		file_output_discard(&output);
		return false;
	}
	/* Never the setuid and setgid bits: the copy is another program. */
	return file_output_commit(&output, file_mode_allowed(object_mode(object) & 0777), err);
}

static bool verify_bytes(const struct instrument_file_options *options,
			 const struct byte_vec *bytes, struct instrument_file *file,
			 struct error *err)
{
	const struct instrument_file_owner *owner = file->owner;

	if (!options->verify || owner->result.nothing_to_do)
		return true;
	struct object *copy = object_open_bytes(bytes->data, bytes->len, "the instrumented copy",
						OBJECT_ALL, err);
	file->verified = copy && verify_copy(owner->object, copy, &file->verification, err);
	object_close(copy);
	return file->verified;
}

static bool instrument_object(const struct instrument_file_options *options,
			      struct instrument_options *instrument, struct instrument_file *file,
			      struct error *err)
{
	struct instrument_file_owner *owner = file->owner;
	struct byte_vec bytes = {0};
	char digest[DIGEST_TEXT_BYTES];
	size_t size;

	const unsigned char *input = object_bytes(owner->object, &size);
	digest_bytes(input, size, digest);
	struct instrument_input source = {
		.object = owner->object, .mode = POLICY_FULL, .key = digest};
	if (options->only_units &&
	    !policy_units_parse(options->only_units, &source.first_unit, &source.last_unit, err))
		return false;
	bool ok = instrument_rewrite(instrument, &source, &bytes, &owner->result, err) &&
		  check_patterns(instrument, &owner->result, err);
	if (ok) {
		list_functions(file, &owner->result);
		count(file, &owner->result.statistics);
		ok = verify_bytes(options, &bytes, file, err);
	}
	if (ok && owner->result.nothing_to_do && !options->may_be_none)
		ok = error_set(err, ERROR_UNSUPPORTED,
			       "none of the %zu functions of %s can be instrumented; see "
			       "tare instrument --list",
			       file->functions.len, options->path);
	else if (ok && options->output)
		ok = write_output(options, owner->object, &bytes, err);
	vec_fini(&bytes);
	return ok;
}

bool instrument_file_write(const struct instrument_file_options *options,
			   struct instrument_file *file, struct error *err)
{
	struct instrument_options instrument = {.progress = options->progress,
						.progress_context = options->context};
	char real[PATH_MAX];

	*file = (struct instrument_file){0};
	if (!realpath(options->path, real))
		return error_set_errno(err, errno, "cannot open %s", options->path);
	struct instrument_file_owner *owner = mem_zalloc(sizeof(*owner));
	file->owner = owner;
	bool ok = instrument_options_init(&instrument, &options->selection, err);
	if (ok) {
		owner->object = object_open(real, OBJECT_ALL, err);
		ok = owner->object && instrument_object(options, &instrument, file, err);
	}
	instrument_options_fini(&instrument);
	if (!ok)
		instrument_file_fini(file);
	return ok;
}

bool instrument_file_verify(const char *original, const char *copy, struct instrument_file *file,
			    struct error *err)
{
	struct instrument_file_owner *owner = mem_zalloc(sizeof(*owner));

	*file = (struct instrument_file){.owner = owner};
	owner->object = object_open(original, OBJECT_ALL, err);
	owner->copy = owner->object ? object_open(copy, OBJECT_ALL, err) : NULL;
	file->verified =
		owner->copy && verify_copy(owner->object, owner->copy, &file->verification, err);
	if (!file->verified)
		instrument_file_fini(file);
	return file->verified;
}

void instrument_file_fini(struct instrument_file *file)
{
	struct instrument_file_owner *owner = file->owner;

	if (owner) {
		rewrite_result_fini(&owner->result);
		object_close(owner->copy);
		object_close(owner->object);
		verify_result_fini(&file->verification);
	}
	free(owner);
	vec_fini(&file->functions);
	*file = (struct instrument_file){0};
}
