/*
 * What a profile says about the machine and the command, noted in the recording file. Words are
 * quoted as a shell would need them, so that the line can be run again.
 */
#include "session/notes.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void put_quoted(struct str *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789@%_-+=:,./";

	if (*word && !word[strspn(word, plain)]) {
		str_append(out, word);
		return;
	}
	str_append_quoted(out, word);
}

void recording_put_command_line(struct recording *recording, char *const *words, size_t count)
{
	struct str line = {0};

	for (size_t i = 0; i < count; i++) {
		if (i)
			str_append(&line, " ");
		put_quoted(&line, words[i]);
	}
	recording_put_text(recording, "command_line", line.data);
	str_fini(&line);
}

static void put_processor(struct recording *recording)
{
	char *line = NULL;
	size_t size = 0;
	FILE *file = fopen("/proc/cpuinfo", "re");

	while (file && getline(&line, &size, file) > 0) {
		char *value = strchr(line, ':');
		if (!str_starts_with(line, "model name") || !value)
			continue;
		value += 1 + (value[1] == ' ');
		value[strcspn(value, "\n")] = 0;
		recording_put_text(recording, "processor", value);
		break;
	}
	free(line);
	if (file)
		fclose(file);
}

void recording_put_host(struct recording *recording)
{
	struct utsname host;
	struct str system = {0};
	char directory[PATH_MAX];

	if (uname(&host) == 0) {
		str_printf(&system, "%s %s %s", host.sysname, host.release, host.machine);
		recording_put_text(recording, "host", host.nodename);
		recording_put_text(recording, "system", system.data);
		str_fini(&system);
	}
	if (getcwd(directory, sizeof(directory)))
		recording_put_text(recording, "directory", directory);
	put_processor(recording);
}
