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
	if (perf_events_add(attachment->set, tid, err))
		return true;
	if (err->code == ERROR_SYSTEM)
		return false;
	/* A leader can have ended before its threads. */
	return !exists(tid) || (tid == attachment->pid && err->code == ERROR_NOT_FOUND);
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

bool attach_threads(struct perf_events *set, uint32_t pid, struct error *err)
{
	struct attachment attachment = {.set = set, .pid = pid};
	const size_t before = set->opened;
	size_t found = 1;
	bool good = true;

	map_init(&attachment.open);
	while (good && found)
		good = attach_round(&attachment, &found, err);
	map_fini(&attachment.open);
	if (good && set->opened == before)
		return error_set(err, ERROR_NOT_FOUND, "process %" PRIu32 " has ended", pid);
	return good;
}
