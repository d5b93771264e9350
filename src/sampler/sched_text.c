/* See sched_text.h: kernel/sched/core.c, in_sched_functions. */
#include "sampler/sched_text.h"

#include <stdio.h>
#include <string.h>

struct sched_text sched_text_read(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	struct sched_text text = {0};
	char line[512], name[400];
	unsigned long long addr;

	while (file && !text.end && fgets(line, sizeof(line), file)) {
		if (!strstr(line, " __sched_text_") ||
		    sscanf(line, "%llx %*c %399s", &addr, name) != 2)
			continue;
		if (strcmp(name, "__sched_text_start") == 0)
			text.begin = addr;
		else if (strcmp(name, "__sched_text_end") == 0)
			text.end = addr;
	}
	if (file)
		fclose(file);
	return text.begin && text.end > text.begin ? text : (struct sched_text){0};
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
