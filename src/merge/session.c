/*
 * The session row of a merged profile. What all recordings share is kept, what differs reads
 * "various"; how many they are stands at the begin of the settings, "merged=N", by which a merged
 * profile is known when it is merged again.
 */
#include "merge/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SESSION_REASONS_MAX = 5 };

static const char merged_prefix[] = "merged=";
static const char various[] = "various";
static const char more_reasons[] = "other reasons";

static const char *text_of(const char *text)
{
	return text ? text : "";
}

/* The number at *text, and *text behind it; 0 if there is none. */
static uint64_t number_at(const char **text)
{
	char *end;

	if (**text < '1' || **text > '9')
		return 0;
	errno = 0;
	const unsigned long long number = strtoull(*text, &end, 10);
	if (errno || number > INT64_MAX)
		return 0;
	*text = end;
	return number;
}

/* How many recordings the profile has, and its settings without that. */
static uint64_t recordings_of(const struct profile_session *row, const char **settings)
{
	const char *at = text_of(row->settings);

	*settings = at;
	if (!str_starts_with(at, merged_prefix))
		return 1;
	at += strlen(merged_prefix);
	const uint64_t count = number_at(&at);
	if (!count || (*at && *at != ' '))
		return 1;
	*settings = *at ? at + 1 : at;
	return count;
}

bool session_is_merged(const struct profile_session *row)
{
	return str_starts_with(text_of(row->settings), merged_prefix);
}

/* The command line without "N recordings: ". */
static const char *command_of(const struct profile_session *row, bool is_merged, bool *differ)
{
	const char *text = text_of(row->command_line), *at = text;

	*differ = is_merged && number_at(&at) && str_starts_with(at, " recordings: ");
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
	const char *settings;
	const uint64_t recordings = recordings_of(row, &settings);

	take_command(merge, row, input->is_merged);
	take_text(merge, &session->row.directory, row->directory, first);
	take_text(merge, &session->row.host, row->host, first);
	take_text(merge, &session->row.system, row->system, first);
	take_text(merge, &session->row.processor, row->processor, first);
	take_text(merge, &session->row.tare_version, row->tare_version, first);
	take_text(merge, &session->row.settings, settings, first);
	session->instrument |= strstr(text_of(row->method), "instrument") != NULL;
	session->sample |= strstr(text_of(row->method), "sample") != NULL;
	if (first || row->begin_unix_ns < session->row.begin_unix_ns)
		session->row.begin_unix_ns = row->begin_unix_ns;
	add_count(&session->row.end_ticks, rescale_time(input, row->end_ticks));
	if (first || row->clock_drift_ppm > session->row.clock_drift_ppm)
		session->row.clock_drift_ppm = row->clock_drift_ppm;
	if (first || row->exit_status > session->row.exit_status)
		session->row.exit_status = row->exit_status;
	session->row.complete = (first || session->row.complete) && row->complete;
	take_reasons(merge, row->incomplete_reason);
	add_count(&session->recordings, recordings);
	merge->summary.recordings = session->recordings;
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
	row.settings = arena_printf(&merge->arena, "%s%llu%s%s", merged_prefix, recordings,
				    row.settings[0] ? " " : "", row.settings);
	row.method = session->instrument && session->sample ? "instrument,sample"
		     : session->sample			    ? "sample"
							    : "instrument";
	row.begin_ticks = 0;
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
	const uint64_t number = number_at(&at);
	if (!number || strcmp(at, " merged)") != 0)
		return text;
	*count = number;
	return arena_strndup(arena, text, (size_t)(open - 1 - text));
}

const char *name_join(struct arena *arena, const struct merged_name *name)
{
	if (name->count <= 1)
		return name->text;
	return arena_printf(arena, "%s (%llu merged)", name->text, (unsigned long long)name->count);
}
