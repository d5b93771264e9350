/*
 * /proc/PID/task is read until nothing new stands in it: what a thread starts once its events are
 * open inherits them.
 */
#include "sampler/attach.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

struct attachment {
	struct perf_events *set;
	const struct perf_events_options *options;
	struct map open; /* thread ids */
	uint32_t pid;
};

static bool exists(uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32, tid);
	DIR *directory = opendir(path);
	if (directory)
		closedir(directory);
	return directory != NULL;
}

static bool attach_thread(struct attachment *attachment, uint32_t tid, struct error *err)
{
	if (map_get(&attachment->open, tid))
		return true;
	map_put(&attachment->open, tid, 1);
	if (perf_events_open(attachment->set, attachment->options, tid, err))
		return true;
	return tid != attachment->pid && !exists(tid);
}

/* One reading of the directory; *found counts the threads that were new. */
static bool attach_round(struct attachment *attachment, size_t *found, struct error *err)
{
	char path[64];
	bool good = true;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", attachment->pid);
	DIR *directory = opendir(path);
	if (!directory && errno == ENOENT)
		return error_set(err, ERROR_NOT_FOUND, "there is no process %" PRIu32,
				 attachment->pid);
	if (!directory)
		return error_set_errno(err, errno, "cannot read %s", path);
	const size_t before = attachment->open.len;
	for (const struct dirent *entry; good && (entry = readdir(directory));) {
		const uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		good = !tid || attach_thread(attachment, tid, err);
	}
	*found = attachment->open.len - before;
	closedir(directory);
	return good;
}

bool attach_threads(struct perf_events *set, const struct perf_events_options *options,
		    uint32_t pid, struct error *err)
{
	struct attachment attachment = {.set = set, .options = options, .pid = pid};
	size_t found = 1;
	bool good = true;

	map_init(&attachment.open);
	while (good && found)
		good = attach_round(&attachment, &found, err);
	map_fini(&attachment.open);
	return good;
}
