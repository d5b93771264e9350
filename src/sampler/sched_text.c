/* See sched_text.h: kernel/sched/core.c, in_sched_functions. */
#include "sampler/sched_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions of fs/select.c, fs/eventpoll.c, kernel/exit.c and kernel/signal.c. Which of them there
   are as such, and with what behind a point, is the compiler's choice. */
static const struct waiting {
	const char *name;
	enum sched_wait wait;
} waiting[] = {
	{"do_wait", SCHED_WAIT_CHILD},
	{"poll_schedule_timeout", SCHED_WAIT_SIGNAL},
	{"do_select", SCHED_WAIT_SIGNAL},
	{"do_poll", SCHED_WAIT_SIGNAL},
	{"do_sys_poll", SCHED_WAIT_SIGNAL},
	{"ep_poll", SCHED_WAIT_SIGNAL},
	{"do_epoll_wait", SCHED_WAIT_SIGNAL},
	{"sigsuspend", SCHED_WAIT_SIGNAL},
	{"__x64_sys_rt_sigsuspend", SCHED_WAIT_SIGNAL},
	{"do_sigtimedwait", SCHED_WAIT_SIGNAL},
	{"__x64_sys_pause", SCHED_WAIT_SIGNAL},
};

/* What seldom runs may lie apart, as NAME.cold. */
_Static_assert(2 * sizeof(waiting) / sizeof(waiting[0]) <= SCHED_PLACES_MAX, "two places for each");

/* Up to the end, or the point. */
static bool is_named(const char *name, const char *wanted)
{
	for (; *wanted; name++, wanted++)
		if (*name != *wanted)
			return false;
	return !*name || *name == '.';
}

static void take_place(struct sched_text *text, const char *name, uint64_t addr)
{
	for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++)
		if (text->place_count < SCHED_PLACES_MAX && is_named(name, waiting[i].name)) {
			text->places[text->place_count++] =
				(struct sched_place){.begin = addr, .wait = waiting[i].wait};
			return;
		}
}

/* What a line tells; they are in the order of addresses. */
static void take_symbol(struct sched_text *text, const char *name, uint64_t addr)
{
	struct sched_place *last = text->place_count ? &text->places[text->place_count - 1] : NULL;

	if (last && !last->end && addr > last->begin)
		last->end = addr;
	if (strcmp(name, "__sched_text_start") == 0)
		text->begin = addr;
	else if (strcmp(name, "__sched_text_end") == 0)
		text->end = addr;
	else if (strcmp(name, "do_exit") == 0)
		text->exit = addr;
	else
		take_place(text, name, addr);
}

struct sched_text sched_text_read(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	struct sched_text text = {0};
	char line[512];

	/* "ADDRESS TYPE NAME", and a module's name behind a tab. */
	while (file && !text.end && fgets(line, sizeof(line), file)) {
		char *rest;
		const uint64_t addr = strtoull(line, &rest, 16);
		if (rest == line || rest[0] != ' ' || !rest[1] || rest[2] != ' ')
			continue;
		rest[3 + strcspn(rest + 3, "\t\n")] = 0;
		take_symbol(&text, rest + 3, addr);
	}
	if (file)
		fclose(file);
	if (!text.begin || text.end <= text.begin)
		text.begin = text.end = 0;
	return text;
}

size_t sched_text_frames(const struct sched_text *text, const uint64_t *kernel, size_t count)
{
	size_t frames = 0;

	while (frames < count) {
		const uint64_t addr = kernel[frames] - (frames != 0);

		if (addr < text->begin || addr >= text->end)
			break;
		frames++;
	}
	return frames;
}

enum sched_wait sched_text_wait_of(const struct sched_text *text, const uint64_t *kernel,
				   size_t count)
{
	for (size_t i = 0; i < text->place_count && count; i++)
		if (kernel[0] >= text->places[i].begin && kernel[0] < text->places[i].end)
			return text->places[i].wait;
	return SCHED_WAIT_OTHER;
}
