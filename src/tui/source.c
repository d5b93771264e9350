/* See source.h. */
#include "tui/source.h"

#include <inttypes.h>
#include <string.h>

bool tui_source_open(struct tui_source *source, const struct tui_options *options,
		     struct error *err)
{
	*source = (struct tui_source){.path = options->path,
				      .asked = *options->selection,
				      .from = options->report->from,
				      .to = options->report->to,
				      .merge_threads = options->selection->merge_threads};
	source->profile = profile_open(options->path, err);
	return source->profile != NULL;
}

static void close_analyses(struct tui_source *source)
{
	for (int kind = 0; kind < SOURCE_KINDS; kind++) {
		analysis_close(source->analyses[kind]);
		source->analyses[kind] = NULL;
	}
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

/* ---- what a view needs ---- */

/* Whether merging threads of one name would change anything. */
static bool has_namesakes(const struct tui_source *source)
{
	size_t process_count, thread_count;
	const struct profile_process *processes =
		profile_processes(source->profile, &process_count);
	const struct profile_thread *threads = profile_threads(source->profile, &thread_count);
	struct strmap names = {0};
	struct arena arena = {0};
	bool found = false;

	arena_init(&arena);
	for (size_t i = 0; i < process_count + thread_count && !found; i++) {
		const struct profile_thread *thread =
			i < process_count ? NULL : &threads[i - process_count];
		const struct profile_process *process =
			&processes[thread ? (size_t)thread->process - 1 : i];
		const char *name = process->name ? process->name : "";
		const char *key = thread ? arena_printf(&arena, "%s/%s", name,
							thread->name ? thread->name : "")
					 : name;
		found = *strmap_put(&names, key, i) != i;
	}
	strmap_fini(&names);
	arena_fini(&arena);
	return found;
}

static bool note_block(const struct profile_block *row, void *found)
{
	(void)row;
	*(bool *)found = true;
	return false;
}

static bool note_line(const struct profile_line_execution *row, void *found)
{
	(void)row;
	*(bool *)found = true;
	return false;
}

/* True of a damaged profile, too: the analysis says what is wrong with it. */
static bool has_executions(const struct tui_source *source)
{
	struct error ignored;
	bool found = false;

	return !profile_each_block(source->profile, note_block, &found, &ignored) || found ||
	       !profile_each_line_execution(source->profile, note_line, &found, &ignored) || found;
}

static bool has_samples(const struct tui_source *source)
{
	const char *method = profile_session(source->profile)->method;
	size_t events;

	profile_events(source->profile, &events);
	return events || (method && strstr(method, "sample"));
}

/*
 * The options of the view's analysis, and which it is. Where the profile has nothing that a further
 * one would be of, the plain one is as good: the view says what it lacks.
 */
static enum source_kind choose(const struct tui_source *source, const char *view,
			       struct analysis_options *options)
{
	const struct report_options wanted = {.view = view, .from = source->from, .to = source->to};

	*options = source->asked;
	options->merge_threads = source->merge_threads;
	report_select(&wanted, options);
	if (options->places) {
		options->code = true; /* of instructions, which lines share it with */
		if (has_samples(source) || profile_has_call_sites(source->profile) ||
		    has_executions(source))
			return SOURCE_PLACES;
	} else if (options->executions && has_executions(source)) {
		return SOURCE_EXECUTED;
	} else if (options->merge_threads != source->merge_threads && has_namesakes(source)) {
		return SOURCE_MERGED;
	} else if (options->from != source->from || options->to != source->to) {
		return SOURCE_ALL_TIME;
	}
	*options = source->asked;
	options->merge_threads = source->merge_threads;
	options->from = source->from;
	options->to = source->to;
	return SOURCE_PLAIN;
}

bool tui_source_has(const struct tui_source *source, const char *view)
{
	struct analysis_options options;

	return source->analyses[choose(source, view, &options)] != NULL;
}

struct analysis *tui_source_analysis(struct tui_source *source, const char *view, struct error *err)
{
	struct analysis_options options;
	struct analysis **analysis = &source->analyses[choose(source, view, &options)];

	if (*analysis)
		return *analysis;
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
