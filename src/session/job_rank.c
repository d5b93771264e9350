/* See job_rank.h. */
#include "session/job_rank.h"

#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENVIRONMENT_BYTES = 256 << 10 };

struct tare_rank job_rank_own(void)
{
	struct tare_rank_scan scan = {0};

	for (char *const *entry = environ; entry && *entry; entry++)
		tare_rank_take(&scan, *entry);
	return tare_rank_of(&scan);
}

bool job_rank_of(uint32_t pid, struct tare_rank *rank)
{
	struct tare_rank_scan scan = {0};
	char path[64];

	*rank = tare_rank_of(&scan);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/environ", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	char *text = mem_alloc(ENVIRONMENT_BYTES + 1);
	const size_t size = fread(text, 1, ENVIRONMENT_BYTES, file);
	text[size] = 0;
	/* A last entry that is cut off could be a part of a number. */
	for (size_t at = 0; at < size && at + strlen(text + at) < size; at += strlen(text + at) + 1)
		tare_rank_take(&scan, text + at);
	free(text);
	fclose(file);
	*rank = tare_rank_of(&scan);
	return size != 0;
}

const char *job_rank_launcher(uint32_t launcher)
{
#define NAME(constant, name, ...) name,
	static const char *const names[] = {NULL, TARE_LAUNCHER_LIST(NAME)};
#undef NAME

	return launcher < TABLE_COUNT(names) ? names[launcher] : NULL;
}
