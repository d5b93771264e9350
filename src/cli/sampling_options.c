/* See sampling_options.h. */
#include "cli/sampling_options.h"

#include "cli/print.h"
#include "cli/process_choice.h"

#include "session/event_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FREQUENCY = 997 };

const char *const sampling_unwind_choices[] = {"dwarf", "fp", NULL};

bool sampling_lists_events(const struct sampling_values *values)
{
	struct str text = {0};

	if (values->events.len != 1 || strcmp(values->events.data[0].value, "list") != 0)
		return false;
	event_text(&text);
	print_text(stdout, text.data);
	str_fini(&text);
	return true;
}

/* ---- method ---- */

bool sampling_method(const char *text, enum record_method *method, struct error *err)
{
	static const char *const names[] = {"instrument", "sample", "instrument,sample",
					    "sample,instrument"};
	static const enum record_method methods[] = {RECORD_INSTRUMENT, RECORD_SAMPLE, RECORD_BOTH,
						     RECORD_BOTH};
	enum { NAMES = sizeof(names) / sizeof(names[0]) };

	if (!text)
		return true;
	for (size_t i = 0; i < NAMES; i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		*method = methods[i];
		return true;
	}
	const char *nearest = str_nearest(text, names, NAMES - 1);
	return error_set(err, ERROR_USAGE,
			 "unknown method \"%s\"%s%s%s; there are instrument, sample and "
			 "instrument,sample",
			 text, nearest ? " (did you mean " : "", nearest ? nearest : "",
			 nearest ? "?)" : "");
}

/* ---- what goes together ---- */

static const char *sampling_option_given(const struct sampling_values *values)
{
	return values->frequency      ? "--frequency"
	       : values->events.len   ? "--event"
	       : values->off_cpu      ? "--off-cpu"
	       : values->wakers	      ? "--wakers"
	       : values->unwind	      ? "--unwind"
	       : values->no_kernel    ? "--no-kernel"
	       : values->pids.len     ? "--pid"
	       : values->all	      ? "--all"
	       : values->duration > 0 ? "--duration"
				      : NULL;
}

static bool check_together(const struct sampling_values *values, enum record_method method,
			   bool has_command, struct error *err)
{
	const char *given = sampling_option_given(values);

	if (method == RECORD_INSTRUMENT && given)
		return error_set(err, ERROR_USAGE,
				 "%s is about sampling; say --method=sample, or "
				 "--method=instrument,sample for both",
				 given);
	if (values->pids.len && values->all)
		return error_set(err, ERROR_USAGE,
				 "--pid and --all do not go together: --all samples all processes");
	if (values->pids.len && has_command)
		return error_set(err, ERROR_USAGE,
				 "a command and --pid do not go together; -d SECONDS says for how "
				 "long to sample");
	if (method == RECORD_BOTH && !has_command)
		return error_set(err, ERROR_USAGE,
				 "processes that run already can be sampled, not instrumented");
	if (values->duration > 0 && has_command)
		return error_set(err, ERROR_USAGE,
				 "a command is recorded until it ends; --duration is for --pid and "
				 "--all");
	return true;
}

/* ---- values ---- */

struct pid_vec vec_of(uint32_t);

/* Numbers and names, between commas. */
static bool take_pids(const char *text, struct pid_vec *pids, struct error *err)
{
	for (const char *at = text;;) {
		const size_t length = strcspn(at, ",");
		char *word = mem_strdup(at);
		uint32_t pid = 0;

		word[length] = 0;
		const bool found = process_find(word, &pid, err);
		free(word);
		if (!found)
			return error_prefix(err, "--pid=%s", text);
		vec_push(pids, pid);
		if (!at[length])
			return true;
		at += length + 1;
	}
}

bool sampling_from_options(const struct sampling_values *values, enum record_method method,
			   bool has_command, struct record_sampling *sampling, struct error *err)
{
	struct pid_vec pids = {0};
	bool ok = check_together(values, method, has_command, err);

	*sampling = (struct record_sampling){
		.frequency = values->frequency ? (uint64_t)values->frequency : FREQUENCY,
		.frequency_is_asked = values->frequency != 0,
		.off_cpu = values->off_cpu,
		.wakers = values->wakers,
		.by_frame_pointer = values->unwind == 1,
		.kernel = !values->no_kernel,
		.everything = values->all,
		.duration_s = values->duration,
	};
	vec_foreach (item, &values->events)
		vec_push(&sampling->events, item->value);
	vec_foreach (item, &values->pids)
		ok = ok && take_pids(item->value, &pids, err);
	sampling->pids = pids.data;
	sampling->pid_count = pids.len;
	return ok;
}

void sampling_release(struct record_sampling *sampling)
{
	vec_fini(&sampling->events);
	free((void *)sampling->pids);
}
