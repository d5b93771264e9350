/*
 * Looking through /proc/PID/maps for files of the session. Paths are compared from the session
 * directory's own name on, which is random: from within another root or mount namespace the kernel
 * shows only the end of a path.
 */
#include "session/members.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *process_open(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

static void files_find(pid_t pid, const char *wanted, struct str *files)
{
	char *line = NULL;
	size_t size = 0;
	FILE *maps = process_open(pid, "maps");

	while (maps && getline(&line, &size, maps) > 0) {
		const char *found = strstr(line, wanted);
		if (!found)
			continue;
		found += strlen(wanted);
		str_append_bytes(files, found, strcspn(found, " \n"));
		str_append_bytes(files, "", 1);
	}
	free(line);
	if (maps)
		fclose(maps);
}

/* The last id of the line "NSpid:", which is that in the innermost namespace. */
static pid_t inner_pid_of(pid_t pid)
{
	pid_t inner = pid;
	char *line = NULL;
	size_t size = 0;
	FILE *status = process_open(pid, "status");

	while (status && getline(&line, &size, status) > 0) {
		const char *last = strrchr(line, '\t');
		if (str_starts_with(line, "NSpid:") && last)
			inner = (pid_t)strtol(last, NULL, 10);
	}
	free(line);
	if (status)
		fclose(status);
	return inner;
}

void members_find(const char *session_directory, struct member_list *members)
{
	struct str wanted = {0};
	DIR *processes = opendir("/proc");

	*members = (struct member_list){0};
	str_printf(&wanted, "/%s/", path_basename(session_directory));
	for (const struct dirent *entry; processes && (entry = readdir(processes));) {
		struct member member = {.pid = (pid_t)strtol(entry->d_name, NULL, 10)};

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		files_find(member.pid, wanted.data, &member.files);
		if (!member.files.len)
			continue;
		member.inner_pid = inner_pid_of(member.pid);
		vec_push(members, member);
	}
	if (processes)
		closedir(processes);
	str_fini(&wanted);
}

bool members_has(const char *session_directory, pid_t pid)
{
	struct str wanted = {0}, files = {0};

	str_printf(&wanted, "/%s/", path_basename(session_directory));
	files_find(pid, wanted.data, &files);
	const bool has = files.len != 0;
	str_fini(&wanted);
	str_fini(&files);
	return has;
}

void members_fini(struct member_list *members)
{
	vec_foreach (member, members)
		str_fini(&member->files);
	vec_fini(members);
}

static bool has_file(const struct member *member, const char *file)
{
	for (size_t at = 0; at < member->files.len; at += strlen(member->files.data + at) + 1)
		if (!strcmp(member->files.data + at, file))
			return true;
	return false;
}

static bool is_hidden(pid_t pid)
{
	if (pid <= 0 || (kill(pid, 0) < 0 && errno != EPERM))
		return false;
	FILE *maps = process_open(pid, "maps");
	const bool hidden = !maps && (errno == EACCES || errno == EPERM);

	if (maps)
		fclose(maps);
	return hidden;
}

bool members_have(const struct member_list *members, const char *file, pid_t pid)
{
	vec_foreach (member, members) {
		if (member->inner_pid == pid && has_file(member, file))
			return true;
	}
	return is_hidden(pid);
}
