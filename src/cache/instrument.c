/*
 * From a path to its instrumented copy. Refusals of the rewriter become entries of the cache, so
 * that a file is not tried again; failures of the system are errors and leave no trace.
 */
#include "cache/instrument.h"

#include "cache/coverage.h"
#include "cache/learned.h"
#include "cache/other_tools.h"
#include "cache/stat_index.h"
#include "rewrite/segment_base.h"
#include "session/text_file.h"
#include "target/target.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* The companion that poisoned files take along. */
static struct object *open_poison(struct error *err)
{
	char *path = target_poison_path(err);
	struct object *object = path ? object_open(path, OBJECT_ALL, err) : NULL;

	free(path);
	return object;
}

bool instrument_options_init(struct instrument_options *options,
			     const struct instrument_request *from, struct error *err)
{
	static const enum rewrite_mode modes[] = {
		[INSTRUMENT_TRANSFORM_FULL] = REWRITE_FULL,
		[INSTRUMENT_TRANSFORM_NULL] = REWRITE_NULL,
		[INSTRUMENT_TRANSFORM_POISON] = REWRITE_POISON,
	};

	options->mode = modes[from->transform];
	options->probes = from->probes_all ? REWRITE_PROBES_ALL : REWRITE_PROBES_MERGED;
	options->keep_small = from->keep_small;
	options->count_executions = from->count_executions;
	options->selection.demangle = from->demangle;
	vec_append(&options->policy.modules, from->modules.data, from->modules.len);
	vec_foreach (pattern, &from->patterns) {
		if (!selection_add(&options->selection, pattern->text, pattern->exclude, err))
			return false;
	}
	if (options->mode == REWRITE_POISON)
		options->companion = open_poison(err);
	return options->mode != REWRITE_POISON || options->companion;
}

void instrument_options_fini(struct instrument_options *options)
{
	object_close(options->companion);
	selection_fini(&options->selection);
	policy_fini(&options->policy);
}

static const char *mode_name(enum rewrite_mode mode)
{
	static const char *const names[] = {
		[REWRITE_FULL] = "full", [REWRITE_NULL] = "null", [REWRITE_POISON] = "poison"};
	table_covers(names, REWRITE_MODES);

	return names[mode];
}

void instrumenter_init(struct instrumenter *instrumenter, struct instrument_options *options,
		       struct cache *cache)
{
	*instrumenter = (struct instrumenter){.options = options, .cache = cache};
}

static void file_free(struct instrumented *file)
{
	cache_entry_fini(&file->entry);
	cache_entry_fini(&file->full);
	free(file->path);
	free(file->stat);
	free(file);
}

void instrumenter_fini(struct instrumenter *instrumenter)
{
	vec_foreach (file, &instrumenter->files)
		file_free(*file);
	vec_fini(&instrumenter->files);
}

void instrument_describe(const struct instrument_options *options, struct str *out)
{
	str_append(out, "--method=instrument");
	if (options->mode != REWRITE_FULL)
		str_printf(out, " --transform=%s", mode_name(options->mode));
	str_printf(out, " --probes=%s --small-functions=%s",
		   options->probes == REWRITE_PROBES_ALL ? "all" : "merged",
		   options->keep_small ? "keep" : "count");
	if (options->count_executions)
		str_append(out, " --lines");
	vec_foreach (module, &options->policy.modules)
		str_printf(out, " --module=%s", *module);
	vec_foreach (units, &options->policy.units) {
		str_printf(out, " --only-units=%s", units->glob);
		if (!units->all)
			str_printf(out, ":%zu-%zu", units->first, units->last - 1);
	}
	selection_describe(&options->selection, out);
}

/* ---- building ---- */

struct build {
	struct instrument_options *options;
	enum policy_mode mode;
	const char *path;
	const struct policy_units *units; /* NULL: all */
	const struct learned *learned;	  /* of a bare copy; else NULL */
};

static bool build_select(const char *name, uint64_t addr, void *context)
{
	struct instrument_options *options = context;

	(void)addr;
	return selection_decide(&options->selection, name);
}

struct build_progress {
	const struct instrument_options *options;
	const char *path;
};

static void build_report(double done, void *context)
{
	const struct build_progress *progress = context;
	const struct instrument_progress now = {.path = progress->path, .done = done};

	progress->options->progress(&now, progress->options->progress_context);
}

/* Static executables carry the runtime. *runtime is NULL for all others, and without probes. */
static bool open_runtime(const struct instrument_options *options,
			 const struct instrument_input *input, struct object **runtime,
			 struct error *err)
{
	*runtime = NULL;
	if (object_kind(input->object) != OBJECT_STATIC_EXECUTABLE ||
	    (options->mode != REWRITE_FULL && !input->syscall_probes))
		return true;
	char *path = target_runtime_path(err);

	if (path)
		*runtime = object_open(path, OBJECT_ALL, err);
	free(path);
	return *runtime != NULL;
}

bool instrument_rewrite(struct instrument_options *options, const struct instrument_input *input,
			struct byte_vec *out, struct rewrite_result *result, struct error *err)
{
	const char *path = object_path(input->object);
	struct object *runtime;

	if (!open_runtime(options, input, &runtime, err))
		return false;
	char *directory = mem_strdup(path), *slash = strrchr(directory, '/');
	struct build_progress progress = {options, path};
	struct rewrite_options rewrite = {
		.mode = options->mode,
		.syscall_probes = input->syscall_probes,
		.syscalls_only = input->mode == POLICY_SYSCALLS,
		.probes = options->probes,
		.keep_small = options->keep_small,
		.count_executions = options->count_executions,
		.first_unit = input->first_unit,
		.last_unit = input->last_unit,
		.bare = input->learned ? input->learned->bare : NULL,
		.bare_count = input->learned ? input->learned->count : 0,
		.companion = options->companion,
		.runtime = runtime,
	};

	if (slash) {
		slash[slash == directory] = 0;
		rewrite.origin = directory;
	}
	if (input->mode == POLICY_FULL && options->selection.patterns.len) {
		rewrite.select = build_select;
		rewrite.select_context = options;
	}
	if (options->progress) {
		rewrite.progress = build_report;
		rewrite.progress_context = &progress;
	}
	if (!digest_parse(input->key, rewrite.source_id))
		memset(rewrite.source_id, 0, sizeof(rewrite.source_id));
	const bool ok = rewrite_object(input->object, &rewrite, out, result, err);
	if (options->progress)
		build_report(1, &progress);
	free(directory);
	object_close(runtime);
	return ok;
}

/* "instrumented N of M" for people, then the patterns' matches. */
static void build_summarize(const struct build *build, const struct rewrite_result *result,
			    struct str *out)
{
	size_t done = 0, refused = 0;

	vec_foreach (function, &result->functions) {
		done += rewrite_verdict_is_instrumented(function->verdict);
		refused += rewrite_verdict_is_refusal(function->verdict);
	}
	if (build->mode == POLICY_FULL)
		selection_put_matches(&build->options->selection, out);
	str_printf(out, "|%zu of %zu functions instrumented, %zu refused", done,
		   result->functions.len, refused);
}

/* Of the system, or of the one who asked: nothing to remember about the file. */
static bool is_foreign_failure(const struct error *err)
{
	return err->code == ERROR_SYSTEM || err->code == ERROR_USAGE ||
	       err->code == ERROR_PERMISSION || err->code == ERROR_NOT_FOUND;
}

static bool build_file(const char *path, const char *key, struct cache_product *product,
		       void *context, struct error *err)
{
	struct build *build = context;
	struct rewrite_result result = {0};
	struct selection *selection = &build->options->selection;
	bool ok = false;

	/* Only this file's matches go into its entry; the run's counts come from all entries. */
	selection_clear_counts(selection);
	struct object *object = object_open(path, OBJECT_ALL, err);
	const struct instrument_input input = {
		.object = object,
		.mode = build->mode,
		.key = key,
		.syscall_probes = true,
		.first_unit = build->units ? build->units->first : 0,
		.last_unit = build->units ? build->units->last : 0,
		.learned = build->learned,
	};
	if (object)
		ok = instrument_rewrite(build->options, &input, &product->bytes, &result, err);
	if (ok) {
		product->outcome = result.nothing_to_do ? CACHE_NOTHING_TO_DO : CACHE_INSTRUMENTED;
		coverage_format(&result, &product->coverage);
		build_summarize(build, &result, &product->summary);
	} else if (!is_foreign_failure(err)) {
		product->outcome = err->code == ERROR_TOO_LARGE ? CACHE_TOO_LARGE : CACHE_REFUSED;
		memcpy(product->refusal, err->message, sizeof(product->refusal));
		str_append(&product->coverage, "");
		ok = true;
	}
	rewrite_result_fini(&result);
	object_close(object);
	return ok;
}

/* ---- one run ---- */

static struct instrumented *find_known(const struct instrumenter *instrumenter, const char *path,
				       const char *stat_text)
{
	vec_foreach (file, &instrumenter->files) {
		if (!strcmp((*file)->path, path) && !strcmp((*file)->stat, stat_text))
			return *file;
	}
	return NULL;
}

typedef bool get_function(struct cache *cache, const struct cache_request *request,
			  struct cache_entry *entry, struct error *err);

/* All that a file's copy depends on beside the file; `bare`: what of it has no probes, or "". */
static void describe_copy(const struct build *build, const char *bare, struct str *text)
{
	const struct instrument_options *options = build->options;
	const struct policy_units *units = build->units;

	str_printf(text, "%s %s ", policy_mode_name(build->mode), mode_name(options->mode));
	if (units && !units->all)
		str_printf(text, "%zu-%zu ", units->first, units->last);
	if (build->mode == POLICY_FULL) {
		str_printf(text, "%d %d%s", (int)options->probes, options->keep_small,
			   options->count_executions ? " lines" : "");
		selection_describe(&options->selection, text);
	}
	if (*bare)
		str_printf(text, " bare %s", bare);
}

static bool get_copy(struct instrumenter *instrumenter, struct build *build, const char *bare,
		     get_function *get, struct cache_entry *entry, struct error *err)
{
	struct str text = {0};

	describe_copy(build, bare, &text);
	const struct cache_request request = {
		.path = build->path, .options = text.data, .build = build_file, .context = build};
	const bool ok = get(instrumenter->cache, &request, entry, err);
	str_fini(&text);
	return ok;
}

/* Is there a bare copy to ask for? */
static bool wants_bare(const struct instrument_options *options, const struct learned *learned)
{
	return options->bare == INSTRUMENT_BARE_MAKE ||
	       !memcmp(learned->command, options->command, sizeof(learned->command));
}

/* The bare copy in place of the full one. Without it that one serves. */
static void get_bare(struct instrumenter *instrumenter, struct instrumented *file,
		     struct build *build)
{
	const bool makes = instrumenter->options->bare == INSTRUMENT_BARE_MAKE;
	char digest[DIGEST_TEXT_BYTES];
	struct cache_entry entry = {0};
	struct learned learned = {0};
	struct error ignored = {0};

	if (!learned_of_entry(&file->entry, &learned))
		return;
	learned_bare_digest(&learned, digest);
	build->learned = &learned;
	if (*digest && wants_bare(instrumenter->options, &learned) &&
	    get_copy(instrumenter, build, digest, makes ? cache_get : cache_find, &entry,
		     &ignored) &&
	    entry.directory && entry.outcome == CACHE_INSTRUMENTED) {
		file->full = file->entry;
		file->entry = entry;
	} else {
		cache_entry_fini(&entry);
	}
	learned_fini(&learned);
}

static bool get_entry(struct instrumenter *instrumenter, struct instrumented *file,
		      get_function *get, struct error *err)
{
	const struct instrument_options *options = instrumenter->options;
	struct build build = {.options = instrumenter->options,
			      .mode = file->mode,
			      .path = file->path,
			      .units = policy_units_of(&options->policy, file->path)};

	if (!get_copy(instrumenter, &build, "", get, &file->entry, err))
		return false;
	if (options->bare != INSTRUMENT_BARE_NONE && file->mode == POLICY_FULL)
		get_bare(instrumenter, file, &build);
	return true;
}

/* A static executable has its C library in it, and takes the runtime along only if it is copied. */
static enum policy_mode mode_of(const struct policy *policy, const char *path)
{
	const enum policy_mode mode = policy_mode_of(policy, path);
	struct error ignored;

	if (other_tool_of(path) == OTHER_TOOL_BY_MAPPING)
		return POLICY_NONE;
	if (!policy->syscalls_only || mode != POLICY_NONE)
		return mode;
	struct object *object = object_open(path, 0, &ignored);
	const bool is_static = object && object_kind(object) == OBJECT_STATIC_EXECUTABLE;

	object_close(object);
	return is_static ? POLICY_SYSCALLS : POLICY_NONE;
}

/* The real path, of PATH_MAX bytes, and what tells that the file is the same one. */
static bool identify(const char *path, char *real, struct str *stat_text, struct error *err)
{
	struct stat info;

	if (!realpath(path, real))
		return error_set_errno(err, errno, "cannot find %s", path);
	if (stat(real, &info) < 0)
		return error_set_errno(err, errno, "cannot read %s", path);
	cache_stat_text(&info, stat_text);
	return true;
}

const struct instrumented *instrumenter_find(const struct instrumenter *instrumenter,
					     const char *path)
{
	char real[PATH_MAX];
	struct str stat_text = {0};
	struct error ignored;

	if (!identify(path, real, &stat_text, &ignored))
		return NULL;
	const struct instrumented *file = find_known(instrumenter, real, stat_text.data);
	str_fini(&stat_text);
	return file;
}

static struct instrumented *file_make(const struct instrumenter *instrumenter, const char *real,
				      const char *stat_text)
{
	struct instrumented *file = mem_zalloc(sizeof(*file));

	file->stat = mem_strdup(stat_text);
	file->path = mem_strdup(real);
	file->mode = mode_of(&instrumenter->options->policy, real);
	return file;
}

/* Known from before, or by `get`. */
static const struct instrumented *get_file(struct instrumenter *instrumenter, const char *path,
					   get_function *get, bool *is_new, struct error *err)
{
	char real[PATH_MAX];
	struct str stat_text = {0};

	*is_new = false;
	*err = (struct error){0};
	if (!identify(path, real, &stat_text, err))
		return NULL;
	struct instrumented *file = find_known(instrumenter, real, stat_text.data);
	if (!file) {
		file = file_make(instrumenter, real, stat_text.data);
		if (file->mode == POLICY_NONE ||
		    (get_entry(instrumenter, file, get, err) && file->entry.directory)) {
			vec_push(&instrumenter->files, file);
			*is_new = true;
		} else {
			file_free(file);
			file = NULL;
		}
	}
	str_fini(&stat_text);
	return file;
}

const struct instrumented *instrumenter_get(struct instrumenter *instrumenter, const char *path,
					    bool *is_new, struct error *err)
{
	return get_file(instrumenter, path, cache_get, is_new, err);
}

const struct instrumented *instrumenter_get_made(struct instrumenter *instrumenter,
						 const char *path, bool *is_new, struct error *err)
{
	return get_file(instrumenter, path, cache_find, is_new, err);
}

const struct instrumented *instrumenter_leave(struct instrumenter *instrumenter, const char *path,
					      const char *sentence, struct error *err)
{
	char real[PATH_MAX];
	struct str stat_text = {0};

	if (!identify(path, real, &stat_text, err))
		return NULL;
	struct instrumented *file = file_make(instrumenter, real, stat_text.data);
	file->mode = POLICY_NONE;
	file->entry.refusal = mem_strdup(sentence);
	vec_push(&instrumenter->files, file);
	str_fini(&stat_text);
	return file;
}

bool instrumented_takes_runtime(const struct instrumented *file)
{
	struct error ignored;
	struct object *object = object_open(file->path, 0, &ignored);
	const bool is_static = object && object_kind(object) == OBJECT_STATIC_EXECUTABLE;
	/* The loader itself is given a program to load. */
	const bool is_loaded =
		object && (object_loader(object) || policy_is_system(object_path(object)));

	object_close(object);
	return is_loaded || (is_static && file->entry.copy);
}

bool instrumented_may_set_gs(const struct instrumented *file)
{
	struct error ignored;
	struct object *object = file->entry.copy ? NULL : object_open(file->path, 0, &ignored);
	const bool may = object && code_may_set_gs(object);

	object_close(object);
	return may;
}

void instrumented_describe(const struct instrumented *file, bool was_made, struct str *out)
{
	const struct cache_entry *entry = &file->entry;
	const char *summary = entry->summary ? strchr(entry->summary, '|') : NULL;

	str_printf(out, "%s: ", file->path);
	if (entry->refusal)
		str_printf(out, "not instrumented: %s", entry->refusal);
	else if (file->mode == POLICY_NONE)
		str_append(out, "left alone");
	else
		str_printf(out, "%s%s (%s)", summary ? summary + 1 : "",
			   file->mode == POLICY_SYSCALLS ? ", system calls only" : "",
			   was_made ? "new" : "from the cache");
}

/* ---- patterns without a match ---- */

struct name_list vec_of(const char *);

bool instrumenter_report_unmatched(struct instrumenter *instrumenter, const char *pattern,
				   struct error *err)
{
	struct error ignored;
	struct name_list names = {0};
	struct vec_of(struct coverage) all = {0};
	struct str nearest = {0};

	vec_foreach (file, &instrumenter->files) {
		struct coverage coverage = {0};
		char *text = (*file)->mode == POLICY_FULL
				     ? cache_read_coverage((*file)->entry.directory, &ignored)
				     : NULL;
		if (!text || !coverage_parse(&coverage, text, &ignored))
			continue;
		vec_foreach (row, &coverage.rows)
			vec_push(&names, row->name);
		vec_push(&all, coverage);
	}
	selection_nearest(&instrumenter->options->selection, pattern, names.data, names.len,
			  &nearest);
	error_set(err, ERROR_USAGE,
		  "the pattern %s matches no function of the %zu that were found%s%s", pattern,
		  names.len, nearest.len ? "; the nearest: " : "", nearest.len ? nearest.data : "");
	vec_foreach (coverage, &all)
		coverage_fini(coverage);
	vec_fini(&all);
	vec_fini(&names);
	str_fini(&nearest);
	return false;
}

bool instrumenter_check_patterns(struct instrumenter *instrumenter, struct error *err)
{
	struct selection *selection = &instrumenter->options->selection;

	selection_clear_counts(selection);
	vec_foreach (file, &instrumenter->files) {
		if ((*file)->mode == POLICY_FULL && (*file)->entry.summary)
			selection_add_matches(selection, (*file)->entry.summary);
	}
	vec_foreach (pattern, &selection->patterns) {
		if (!pattern->matches)
			return instrumenter_report_unmatched(instrumenter, pattern->text, err);
	}
	return true;
}
