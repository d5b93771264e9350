/* See sched_text.h: kernel/sched/core.c, in_sched_functions. */
#include "sampler/sched_text.h"

#include <stdio.h>
#include <string.h>

/* What a line tells; they are in the order of addresses. */
static void take_symbol(struct sched_text *text, const char *name, uint64_t addr)
{
	if (text->wait_begin && !text->wait_end && addr > text->wait_begin)
		text->wait_end = addr;
	if (strcmp(name, "__sched_text_start") == 0)
		text->begin = addr;
	else if (strcmp(name, "__sched_text_end") == 0)
		text->end = addr;
	else if (strcmp(name, "do_wait") == 0)
		text->wait_begin = addr;
	else if (strcmp(name, "do_exit") == 0)
		text->exit = addr;
}

struct sched_text sched_text_read(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	struct sched_text text = {0};
	char line[512], name[400];
	unsigned long long addr;

	while (file && !text.end && fgets(line, sizeof(line), file)) {
		const bool is_next = text.wait_begin && !text.wait_end;

		if ((is_next || strstr(line, " __sched_text_") || strstr(line, " do_wait\n") ||
		     strstr(line, " do_exit\n")) &&
		    sscanf(line, "%llx %*c %399s", &addr, name) == 2)
			take_symbol(&text, name, addr);
	}
	if (file)
		fclose(file);
	if (!text.begin || text.end <= text.begin)
		text.begin = text.end = 0;
	if (!text.wait_end)
		text.wait_begin = 0;
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

bool sched_text_waits_for_child(const struct sched_text *text, const uint64_t *kernel, size_t count)
{
	return count && kernel[0] >= text->wait_begin && kernel[0] < text->wait_end;
}
