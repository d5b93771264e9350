/* See instrument_ahead.h. */
#include "cache/instrument_ahead.h"

#include "cache/closure_ahead.h"
#include "object/object.h"

#include <limits.h>
#include <string.h>

enum { BUSY_LIMIT_MS = 600000 };

struct run {
	const struct instrument_ahead_options *options;
	struct instrument_ahead_result *result;
	struct instrument_options instrument;
	struct cache cache;
	struct instrumenter instrumenter;
	struct closure_ahead ahead;
	struct path_list paths;
};

static bool is_listed(const struct run *run, const char *path)
{
	vec_foreach (listed, &run->paths)
		if (!strcmp(*listed, path))
			return true;
	return false;
}

static void list(struct run *run, const char *path)
{
	char *real = realpath(path, NULL);

	if (real && !is_listed(run, real))
		vec_push(&run->paths, real);
	else
		free(real);
}

/* The file, and what its loader says that it needs. */
static bool list_file(struct run *run, const char *path, struct error *err)
{
	struct path_list libraries = {0};
	struct object *object = object_open(path, 0, err);

	if (!object)
		return false;
	const char *loader = object_loader(object);
	if (loader)
		closure_list(loader, path, NULL, &libraries);
	list(run, path);
	vec_foreach (library, &libraries)
		list(run, *library);
	closure_fini(&libraries);
	object_close(object);
	return true;
}

static void show(const struct instrument_progress *now, void *context)
{
	const struct run *run = context;
	struct instrument_progress whole = *now;

	whole.files = run->paths.len;
	vec_foreach (path, &run->paths)
		if (!strcmp(*path, now->path))
			whole.file = (size_t)(path - run->paths.data) + 1;
	if (run->options->progress)
		run->options->progress(&whole, run->options->context);
}

static void note(const struct run *run, const struct instrumented *file, bool was_made)
{
	struct str sentence = {0};

	if (!run->options->note)
		return;
	instrumented_describe(file, was_made, &sentence);
	run->options->note(sentence.data, run->options->context);
	str_fini(&sentence);
}

static bool take(struct run *run, const char *path, struct error *err)
{
	bool is_new;
	const struct instrumented *file = instrumenter_get(&run->instrumenter, path, &is_new, err);

	if (!file)
		return false;
	if (file->mode == POLICY_NONE)
		return true;
	const bool was_made = closure_ahead_was_built(&run->ahead, &file->entry);
	if (file->entry.refusal)
		run->result->refused++;
	else if (was_made)
		run->result->made++;
	else
		run->result->present++;
	note(run, file, was_made);
	return true;
}

static bool make_all(struct run *run, struct error *err)
{
	closure_ahead_begin(&run->ahead, &run->instrumenter, &run->paths);
	closure_ahead_wait(&run->ahead, &run->paths, show, run);
	vec_foreach (path, &run->paths)
		if (!take(run, *path, err))
			return false;
	return true;
}

static bool list_all(struct run *run, struct error *err)
{
	for (size_t i = 0; i < run->options->path_count; i++)
		if (!list_file(run, run->options->paths[i], err))
			return false;
	return true;
}

bool instrument_ahead(const struct instrument_ahead_options *options,
		      struct instrument_ahead_result *result, struct error *err)
{
	struct run run = {.options = options, .result = result, .cache = {.root_fd = -1}};

	*result = (struct instrument_ahead_result){0};
	char *root = cache_default_root(err);
	bool ok = root && instrument_options_init(&run.instrument, &options->selection, err) &&
		  cache_open(&run.cache, root, CACHE_LIMIT_BYTES, err);
	run.instrument.bare = options->bare ? INSTRUMENT_BARE_MAKE : INSTRUMENT_BARE_NONE;
	run.instrument.progress = show;
	run.instrument.progress_context = &run;
	/* A copy aside would be of no use to anybody. */
	run.cache.leaves_busy = true;
	run.cache.limit_ms = BUSY_LIMIT_MS;
	run.cache.waiting = options->note;
	run.cache.context = options->context;
	instrumenter_init(&run.instrumenter, &run.instrument, &run.cache);
	ok = ok && list_all(&run, err) && make_all(&run, err);
	closure_ahead_fini(&run.ahead);
	instrumenter_fini(&run.instrumenter);
	if (run.cache.root_fd >= 0) {
		if (result->made)
			cache_trim(&run.cache);
		cache_close(&run.cache);
	}
	instrument_options_fini(&run.instrument);
	closure_fini(&run.paths);
	free(root);
	return ok;
}
