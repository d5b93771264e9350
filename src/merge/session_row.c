/*
 * The session row of a merged profile. What all recordings share is kept, what differs reads
 * "various"; how many they are and what of them is left out stands at the begin of the settings, by
 * which a merged profile is known when it is merged again.
 */
#include "merge/private.h"

#include <string.h>

enum { SESSION_REASONS_MAX = 5 };

static const char various[] = "various";
static const char more_reasons[] = "other reasons";

static const char *text_of(const char *text)
{
	return text ? text : "";
}

/* The command line without "N recordings: ". */
static const char *command_of(const struct profile_session *row, bool is_merged, bool *differ)
{
	const char *text = text_of(row->command_line), *at = text;

	*differ = is_merged && profile_number_at(&at) && str_starts_with(at, " recordings: ");
	return *differ ? at + strlen(" recordings: ") : text;
}

static void take_text(struct merge *merge, const char **to, const char *text, bool first)
{
	if (first)
		*to = arena_strdup(&merge->arena, text_of(text));
	else if (strcmp(*to, text_of(text)) != 0)
		*to = various;
}

static void take_command(struct merge *merge, const struct profile_session *row, bool is_merged)
{
	struct merged_session *session = &merge->session;
	bool differ;
	const char *command = command_of(row, is_merged, &differ);

	session->commands_differ = session->commands_differ || differ;
	if (session->recordings && strcmp(session->row.command_line, command) != 0)
		session->commands_differ = true;
	if (!session->recordings || strcmp(command, session->row.command_line) < 0)
		session->row.command_line = arena_strdup(&merge->arena, command);
}

/* Keeps the first ones in the order of the alphabet: of those, too, the order of merging is none.
 */
static void take_reason(struct merge *merge, const char *reason)
{
	struct merged_session *session = &merge->session;
	size_t at = 0;

	if (strcmp(reason, more_reasons) == 0) {
		session->more_reasons = true;
		return;
	}
	while (at < session->reasons.len && strcmp(session->reasons.data[at], reason) < 0)
		at++;
	if (at < session->reasons.len && strcmp(session->reasons.data[at], reason) == 0)
		return;
	vec_push(&session->reasons, "");
	memmove(session->reasons.data + at + 1, session->reasons.data + at,
		(session->reasons.len - 1 - at) * sizeof(*session->reasons.data));
	session->reasons.data[at] = arena_strdup(&merge->arena, reason);
	if (session->reasons.len > SESSION_REASONS_MAX) {
		session->reasons.len--;
		session->more_reasons = true;
	}
}

static void take_reasons(struct merge *merge, const char *text)
{
	char *rest = arena_strdup(&merge->arena, text_of(text));

	for (char *end; (end = strstr(rest, "; ")); rest = end + 2) {
		*end = 0;
		take_reason(merge, rest);
	}
	if (rest[0])
		take_reason(merge, rest);
}

void session_take(struct merge *merge, const struct input *input)
{
	const struct profile_session *row = profile_session(input->profile);
	struct merged_session *session = &merge->session;
	const bool first = !session->recordings;
	const struct profile_merged merged = profile_merged(row);
	const uint64_t end = rescale_time(input, row->end_ticks);

	take_command(merge, row, input->is_merged);
	take_text(merge, &session->row.directory, row->directory, first);
	take_text(merge, &session->row.host, row->host, first);
	take_text(merge, &session->row.system, row->system, first);
	take_text(merge, &session->row.processor, row->processor, first);
	take_text(merge, &session->row.tare_version, row->tare_version, first);
	take_text(merge, &session->row.settings, merged.settings, first);
	session->instrument |= strstr(text_of(row->method), "instrument") != NULL;
	session->sample |= strstr(text_of(row->method), "sample") != NULL;
	if (first || row->begin_unix_ns < session->row.begin_unix_ns)
		session->row.begin_unix_ns = row->begin_unix_ns;
	if (first || input->base_ns < session->base_ns)
		session->base_ns = input->base_ns;
	if (!merge->keep_processes)
		add_count(&session->row.end_ticks, end);
	else if (end > session->row.end_ticks)
		session->row.end_ticks = end;
	if (first || row->clock_drift_ppm > session->row.clock_drift_ppm)
		session->row.clock_drift_ppm = row->clock_drift_ppm;
	if (first || row->exit_status > session->row.exit_status)
		session->row.exit_status = row->exit_status;
	session->row.complete = (first || session->row.complete) && row->complete;
	take_reasons(merge, row->incomplete_reason);
	add_count(&session->recordings, merged.recordings ? merged.recordings : 1);
	merge->summary.recordings = session->recordings;
	add_count(&merge->summary.event_logs, merged.event_logs);
	add_count(&merge->summary.sample_times, merged.sample_times);
	add_count(&merge->summary.addresses, merged.addresses);
	add_count(&merge->summary.waits, merged.waits);
}

struct profile_session session_row(struct merge *merge)
{
	const struct merged_session *session = &merge->session;
	struct profile_session row = session->row;
	const unsigned long long recordings = session->recordings;
	struct str text = {0};

	if (session->commands_differ)
		row.command_line = arena_printf(&merge->arena, "%llu recordings: %s", recordings,
						row.command_line);
	profile_merged_append(&(struct profile_merged){.recordings = recordings,
						       .processes_kept = merge->keep_processes,
						       .event_logs = merge->summary.event_logs,
						       .sample_times = merge->summary.sample_times,
						       .addresses = merge->summary.addresses,
						       .waits = merge->summary.waits,
						       .settings = row.settings},
			      &text);
	row.settings = arena_strdup(&merge->arena, text.data);
	str_clear(&text);
	row.method = session->instrument && session->sample ? "instrument,sample"
		     : session->sample			    ? "sample"
							    : "instrument";
	if (merge->keep_processes)
		row.begin_unix_ns = (int64_t)session->base_ns;
	row.begin_ticks = 0;
	row.end_ticks -= session->base_ns;
	row.ticks_per_second = 1e9;
	str_append(&text, "");
	vec_foreach (reason, &session->reasons)
		str_printf(&text, "%s%s", text.len ? "; " : "", *reason);
	if (session->more_reasons)
		str_printf(&text, "%s%s", text.len ? "; " : "", more_reasons);
	row.incomplete_reason = text.len ? arena_strdup(&merge->arena, text.data) : NULL;
	str_fini(&text);
	return row;
}

const char *name_split(struct arena *arena, const char *name, bool is_merged, uint64_t *count)
{
	const char *text = text_of(name);
	const char *open = is_merged ? strrchr(text, '(') : NULL;

	*count = 1;
	if (!open || open == text || open[-1] != ' ')
		return text;
	const char *at = open + 1;
	const uint64_t number = profile_number_at(&at);
	if (!number || strcmp(at, " merged)") != 0)
		return text;
	*count = number;
	return arena_strndup(arena, text, (size_t)(open - 1 - text));
}

/* What reads like a count is followed by one, so that merging again takes none for it. */
const char *name_join(struct arena *arena, const struct merged_name *name)
{
	uint64_t count;

	if (name->count <= 1 && name_split(arena, name->text, true, &count) == name->text)
		return name->text;
	return arena_printf(arena, "%s (%llu merged)", name->text, (unsigned long long)name->count);
}
