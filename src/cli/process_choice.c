/* See process_choice.h. tare itself is not found. */
#include "cli/process_choice.h"

#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMED_MAX = 8 }; /* that a sentence lists */

struct found {
	uint32_t first;
	size_t count;
	struct str list;
};

/* The first word of a file of the process, without its end. */
static bool read_word(uint32_t pid, const char *file, char *word, size_t room)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, file);
	FILE *stream = fopen(path, "re");
	if (!stream)
		return false;
	const size_t size = fread(word, 1, room - 1, stream);
	fclose(stream);
	word[size] = 0;
	word[strcspn(word, "\n")] = 0;
	return *word != 0;
}

static bool is_called(uint32_t pid, const char *name)
{
	char word[4096];

	return (read_word(pid, "comm", word, sizeof(word)) && !strcmp(word, name)) ||
	       (read_word(pid, "cmdline", word, sizeof(word)) &&
		!strcmp(path_basename(word), name));
}

static void take(struct found *found, uint32_t pid)
{
	if (!found->count++)
		found->first = pid;
	if (found->count <= NAMED_MAX)
		str_printf(&found->list, "%s%" PRIu32, found->count > 1 ? "," : "", pid);
}

static struct found find_all(const char *name)
{
	DIR *processes = opendir("/proc");
	struct found found = {.count = 0};

	for (const struct dirent *entry; processes && (entry = readdir(processes));) {
		const uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (pid && pid != (uint32_t)getpid() && is_called(pid, name))
			take(&found, pid);
	}
	if (processes)
		closedir(processes);
	return found;
}

static bool find_by_name(const char *name, uint32_t *pid, struct error *err)
{
	struct found found = find_all(name);

	*pid = found.first;
	if (!found.count)
		error_set(err, ERROR_NOT_FOUND, "no process is called \"%s\"", name);
	else if (found.count > 1)
		error_set(err, ERROR_USAGE, "%zu processes are called \"%s\"; say which: -p %s%s",
			  found.count, name, found.list.data,
			  found.count > NAMED_MAX ? " and so on" : "");
	str_fini(&found.list);
	return found.count == 1;
}

bool process_find(const char *text, uint32_t *pid, struct error *err)
{
	char *end;

	if (!*text)
		return error_set(err, ERROR_USAGE, "the process has no name");
	if (text[strspn(text, "-0123456789")])
		return find_by_name(text, pid, err);
	errno = 0;
	const unsigned long number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || !number || number > INT32_MAX)
		return error_set(err, ERROR_USAGE, "\"%s\" is no process number", text);
	*pid = (uint32_t)number;
	return true;
}
