/*
 * What a merged profile says of itself stands at the begin of its settings:
 *
 *   merged=N [keep=processes] [left-out=event-logs:N,sample-times:N,addresses:N,waits:N]
 *   settings
 *
 * Anything else there is settings of a recording.
 */
#include "profile/profile.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
} losses[] = {
	{"event-logs:", offsetof(struct profile_merged, event_logs)},
	{"sample-times:", offsetof(struct profile_merged, sample_times)},
	{"addresses:", offsetof(struct profile_merged, addresses)},
	{"waits:", offsetof(struct profile_merged, waits)},
};

enum { LOSSES = sizeof(losses) / sizeof(losses[0]) };

static uint64_t *loss_of(struct profile_merged *merged, size_t which)
{
	return (uint64_t *)(void *)((char *)merged + losses[which].offset);
}

/* Moves *at behind `prefix`. */
static bool take_word(const char **at, const char *prefix)
{
	if (!str_starts_with(*at, prefix))
		return false;
	*at += strlen(prefix);
	return true;
}

uint64_t profile_number_at(const char **text)
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

/* Behind a word; false where another character than a space ends it. */
static bool end_word(const char **at)
{
	if (**at && **at != ' ')
		return false;
	*at += **at == ' ';
	return true;
}

static bool take_losses(const char **at, struct profile_merged *merged)
{
	for (size_t i = 0; i < LOSSES; i++) {
		if (!take_word(at, losses[i].name))
			continue;
		uint64_t *loss = loss_of(merged, i);
		*loss = profile_number_at(at);
		if (!*loss)
			return false;
		take_word(at, ",");
	}
	return end_word(at);
}

struct profile_merged profile_merged(const struct profile_session *session)
{
	const char *at = session->settings ? session->settings : "";
	const struct profile_merged none = {.settings = at};
	struct profile_merged merged = {0};

	if (!take_word(&at, "merged="))
		return none;
	merged.recordings = profile_number_at(&at);
	if (!merged.recordings || !end_word(&at))
		return none;
	merged.processes_kept = take_word(&at, "keep=processes") && end_word(&at);
	const char *rest = at;
	if (take_word(&rest, "left-out=") && take_losses(&rest, &merged))
		at = rest;
	merged.settings = at;
	return merged;
}

void profile_merged_append(const struct profile_merged *merged, struct str *settings)
{
	const char *before = " left-out=";
	struct profile_merged copy = *merged;

	str_printf(settings, "merged=%llu%s", (unsigned long long)merged->recordings,
		   merged->processes_kept ? " keep=processes" : "");
	for (size_t i = 0; i < LOSSES; i++) {
		const uint64_t loss = *loss_of(&copy, i);
		if (!loss)
			continue;
		str_printf(settings, "%s%s%llu", before, losses[i].name, (unsigned long long)loss);
		before = ",";
	}
	str_printf(settings, "%s%s", merged->settings[0] ? " " : "", merged->settings);
}
