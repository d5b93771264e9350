/* See external_program.h. */
#include "cli/external_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool program_is_there(const char *name)
{
	const char *path = getenv("PATH");
	char full[4096];

	if (strchr(name, '/'))
		return access(name, X_OK) == 0;
	for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
		const size_t length = strcspn(at, ":");
		const int written = snprintf(full, sizeof(full), "%.*s/%s", (int)length, at, name);
		if (written > 0 && (size_t)written < sizeof(full) && access(full, X_OK) == 0)
			return true;
		at += length + (at[length] == ':');
	}
	return false;
}
