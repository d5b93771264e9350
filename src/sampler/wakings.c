/*
 * Raw fields begin with those that all tracepoints have (kernel/trace/trace.h, struct trace_entry):
 * type (2 bytes), flags (1): what the processor did. In a hard interrupt, the thread in whose time
 * it came has no part in the waking. A soft one may be the thread's own doing, as the kernel sends
 * through the loopback device in one; then no entry from an interrupt is among the frames.
 */
#include "sampler/wakings.h"

#include "sampler/event_sysfs.h"
#include "sampler/perf_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FLAGS_OFFSET = 2,
	IN_HARD_INTERRUPT = 0x08, /* TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ */
	IN_SOFT_INTERRUPT = 0x10,
	FORMAT_BYTES = 4096
};

bool wakings_read_format(const char *text, uint32_t *tid_offset)
{
	const char *field = strstr(text, "pid_t pid;");
	const char *offset = field ? strstr(field, "offset:") : NULL;
	char *end;

	if (!offset || offset > field + strcspn(field, "\n"))
		return false;
	const unsigned long value = strtoul(offset + strlen("offset:"), &end, 10);
	*tid_offset = (uint32_t)value;
	return *end == ';' && value < FORMAT_BYTES;
}

static bool read_format(struct wakings *wakings, struct error *err)
{
	char path[256], text[FORMAT_BYTES];
	const char *root = tracepoints_root(err);

	if (!root)
		return false;
	snprintf(path, sizeof(path), "%s/sched/sched_waking/format", root);
	FILE *file = fopen(path, "re");
	const size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	if (file)
		fclose(file);
	text[size] = '\0';
	return wakings_read_format(text, &wakings->tid_offset) ||
	       error_set(err, ERROR_UNSUPPORTED, "%s does not say which thread is woken", path);
}

/* Entries from exceptions lie there, too; none of these wakes in a soft interrupt. */
static void find_interrupts(struct wakings *wakings)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	unsigned long long addr;
	char line[512];

	while (file && !wakings->irq_end && fgets(line, sizeof(line), file)) {
		if (!strstr(line, " __irqentry_text_") || sscanf(line, "%llx", &addr) != 1)
			continue;
		if (strstr(line, "_start"))
			wakings->irq_begin = addr;
		else
			wakings->irq_end = addr;
	}
	if (file)
		fclose(file);
}

void wakings_find(struct wakings *wakings)
{
	struct error err;

	*wakings = (struct wakings){.wanted = true};
	if (!event_parse("sched:sched_waking", 0, &wakings->event, &err) ||
	    !read_format(wakings, &err))
		wakings_refuse(wakings, &err);
	else
		find_interrupts(wakings);
}

void wakings_refuse(struct wakings *wakings, const struct error *err)
{
	wakings->wanted = false;
	snprintf(wakings->reason, sizeof(wakings->reason), "%s", err->message);
}

uint32_t wakings_woken(const struct wakings *wakings, const struct perf_sample *sample)
{
	uint32_t tid;

	if (sample->raw_bytes < sizeof(tid) ||
	    wakings->tid_offset > sample->raw_bytes - sizeof(tid))
		return 0;
	memcpy(&tid, sample->raw + wakings->tid_offset, sizeof(tid));
	return tid;
}

bool wakings_by_interrupt(const struct wakings *wakings, const struct perf_sample *sample,
			  const uint64_t *kernel, size_t kernel_count)
{
	const unsigned flags = sample->raw_bytes > FLAGS_OFFSET ? sample->raw[FLAGS_OFFSET] : 0;

	if (flags & IN_HARD_INTERRUPT || !sample->pid)
		return true;
	for (size_t i = 0; flags & IN_SOFT_INTERRUPT && i < kernel_count; i++)
		if (kernel[i] >= wakings->irq_begin && kernel[i] < wakings->irq_end)
			return true;
	return false;
}
