/* See process_parent.h. */
#include "base/process_parent.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* No chain is longer unless a number has been used again while it was followed. */
enum { GENERATIONS_MAX = 1024 };

/* The fourth field; the second one is a name in brackets, in which anything may stand. */
uint32_t process_parent(uint32_t pid)
{
	char path[64], text[512];
	uint32_t parent = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	const char *end = strrchr(text, ')');
	return end && sscanf(end, ") %*c %" SCNu32, &parent) == 1 ? parent : 0;
}

bool process_descends_from(uint32_t pid, uint32_t ancestor)
{
	for (int i = 0; pid && i < GENERATIONS_MAX; i++) {
		if (pid == ancestor)
			return true;
		pid = process_parent(pid);
	}
	return false;
}
