/*
 * The loader's own list of what a program links to ("name => /path (0x…)" or "/path (0x…)" per
 * line). It honours RUNPATH, LD_LIBRARY_PATH, LD_PRELOAD and ld.so.cache as only the loader knows.
 */
#include "cache/closure.h"

#include "object/object.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static pid_t loader_start(const char *loader, const char *program, char *const *variables,
			  int *output_fd)
{
	char *const arguments[] = {(char *)loader, (char *)"--list", (char *)program, NULL};
	posix_spawn_file_actions_t actions;
	int pipe_fds[2];
	pid_t pid = -1;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, loader, &actions, NULL, arguments,
			(char **)(variables ? variables : environ)) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_fds[1]);
	if (pid < 0)
		close(pipe_fds[0]);
	*output_fd = pipe_fds[0];
	return pid;
}

static void take_line(char *line, struct path_list *paths)
{
	char *at = strstr(line, "=> "), *end = strstr(line, " (0x");

	at = at ? at + 3 : line + strspn(line, " \t");
	if (!end || *at != '/')
		return;
	*end = 0;
	vec_push(paths, mem_strdup(at));
}

void closure_list(const char *loader, const char *program, char *const *variables,
		  struct path_list *paths)
{
	char *line = NULL;
	size_t size = 0;
	int fd;
	const pid_t pid = loader_start(loader, program, variables, &fd);

	if (pid < 0)
		return;
	FILE *output = fdopen(fd, "r");
	while (output && getline(&line, &size, output) > 0)
		take_line(line, paths);
	free(line);
	if (output)
		fclose(output);
	else
		close(fd);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void closure_variables(pid_t pid, struct str *variables)
{
	char path[64], *entry = NULL;
	size_t size = 0;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	FILE *environment = fopen(path, "re");
	while (environment && (length = getdelim(&entry, &size, 0, environment)) > 0) {
		if (str_starts_with(entry, "LD_PRELOAD=") ||
		    str_starts_with(entry, "LD_LIBRARY_PATH="))
			str_append_bytes(variables, entry, (size_t)length);
	}
	str_append_bytes(variables, "", 1);
	free(entry);
	if (environment)
		fclose(environment);
}

/* What the loader keeps by itself since glibc 2.33, and a bound for damaged files. */
enum { STATIC_TLS_STANDARD = 512, STATIC_TLS_MAX = 64 << 20 };

uint64_t closure_static_tls_bytes(const struct path_list *paths)
{
	uint64_t wanted = 0;

	vec_foreach (path, paths) {
		struct error ignored;
		struct object *object = object_open(*path, 0, &ignored);
		const uint64_t bytes = object ? object_static_tls_bytes(object) : 0;
		object_close(object);
		if (bytes > STATIC_TLS_MAX || wanted > STATIC_TLS_MAX)
			return 0;
		wanted += bytes;
	}
	return wanted > STATIC_TLS_STANDARD ? wanted + STATIC_TLS_STANDARD : 0;
}

void closure_fini(struct path_list *paths)
{
	vec_foreach (path, paths)
		free(*path);
	vec_fini(paths);
}
