/* See source.h. */
#include "tui/source.h"

#include <inttypes.h>
#include <string.h>

bool tui_source_open(struct tui_source *source, const char *path,
		     const struct analysis_options *asked, struct error *err)
{
	*source = (struct tui_source){
		.path = path, .asked = *asked, .merge_threads = asked->merge_threads};
	source->profile = profile_open(path, err);
	return source->profile != NULL;
}

static void close_analyses(struct tui_source *source)
{
	analysis_close(source->plain);
	analysis_close(source->places);
	source->plain = source->places = NULL;
}

static void forget_selection(struct tui_source *source)
{
	free(source->process);
	free(source->thread);
	source->process = source->thread = NULL;
	str_clear(&source->filter);
}

void tui_source_close(struct tui_source *source)
{
	close_analyses(source);
	forget_selection(source);
	str_fini(&source->filter);
	if (source->profile)
		profile_close(source->profile);
}

bool tui_source_has(const struct tui_source *source, bool places)
{
	return places ? source->places != NULL : source->plain != NULL;
}

bool tui_source_has_places(const struct tui_source *source)
{
	return !source->plain || source->plain->method == ANALYSIS_SAMPLE ||
	       profile_has_call_sites(source->profile);
}

struct analysis *tui_source_analysis(struct tui_source *source, bool places, struct error *err)
{
	struct analysis **analysis = places ? &source->places : &source->plain;
	struct analysis_options options = source->asked;

	if (*analysis)
		return *analysis;
	options.merge_threads = source->merge_threads;
	options.places = options.call_places = options.code = options.sampled_places = places;
	options.executions = places;
	if (source->process)
		options.processes = (struct analysis_globs){
			.items = (const char *const *)&source->process, .count = 1};
	if (source->thread)
		options.threads = (struct analysis_globs){
			.items = (const char *const *)&source->thread, .count = 1};
	*analysis = analysis_open(source->profile, &options, err);
	if (*analysis && !(*analysis)->totals.threads &&
	    (options.threads.count || options.processes.count)) {
		error_set(err, ERROR_NOT_FOUND,
			  "no process or thread of %s matches; the threads view lists them",
			  source->path);
		analysis_close(*analysis);
		*analysis = NULL;
	}
	return *analysis;
}

void tui_append_glob(struct str *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("*?[\\", *text))
			str_append(out, "\\");
		str_append_bytes(out, text, 1);
	}
}

/* One by its id, several of one name by that; and that in words. */
static char *select_one(struct str *words, const char *kind, const char *name, int64_t id,
			uint32_t merged)
{
	struct str glob = {0};

	str_printf(words, "%s%s %s", words->len ? ", " : "", kind, name ? name : "");
	if (merged > 1) {
		tui_append_glob(&glob, name ? name : "");
	} else {
		str_printf(&glob, "%" PRId64, id);
		str_printf(words, " (%" PRId64 ")", id);
	}
	char *text = mem_strdup(glob.data ? glob.data : "");
	str_fini(&glob);
	return text;
}

bool tui_source_select(struct tui_source *source, const struct report_row *row)
{
	char *process = NULL, *thread = NULL;
	struct str words = {0};

	if (row && !row->process && !row->thread)
		return false;
	if (row && row->process)
		process = select_one(&words, "process", row->process->row->name,
				     row->process->row->pid, row->process->merged);
	if (row && row->thread)
		thread = select_one(&words, "thread", row->thread->row->name, row->thread->row->tid,
				    row->thread->merged);
	close_analyses(source);
	forget_selection(source);
	source->process = process;
	source->thread = thread;
	str_append(&source->filter, words.data ? words.data : "");
	str_fini(&words);
	return true;
}

void tui_source_merge(struct tui_source *source, bool merge_threads)
{
	close_analyses(source);
	source->merge_threads = merge_threads;
}
