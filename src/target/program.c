/*
 * Finding a program and judging whether it can be profiled.
 *
 *   name ──PATH──▶ file ──#!──▶ interpreter ──#!──▶ … ──▶ ELF file ──▶ checks
 *
 * The header of the file is read here, with few bytes and all bounds checked, because the answer
 * decides the exit status: 126 for what the system could not run either, 125 for what tare cannot
 * profile. Refused: see program.h.
 */
#include "target/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096, SCRIPT_LINE_BYTES = 256, SCRIPT_DEPTH_MAX = 5, LOADER_BYTES_MAX = 4096 };

static bool is_runnable(const char *path, int *reason)
{
	struct stat info;

	if (stat(path, &info) < 0) {
		*reason = errno;
		return false;
	}
	*reason = EACCES;
	return S_ISREG(info.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

static char *path_search(const char *name, int *reason)
{
	const char *path = getenv("PATH");
	struct str candidate = {0};
	int worst = ENOENT;

	if (!path)
		path = "/bin:/usr/bin";
	for (const char *at = path;; at++) {
		const char *end = strchrnul(at, ':');
		str_clear(&candidate);
		/* An empty element is the current directory. */
		if (end > at)
			str_append_bytes(&candidate, at, (size_t)(end - at));
		else
			str_append(&candidate, ".");
		str_printf(&candidate, "/%s", name);
		if (is_runnable(candidate.data, reason))
			return candidate.data;
		if (*reason == EACCES)
			worst = EACCES;
		at = end;
		if (!*at)
			break;
	}
	str_fini(&candidate);
	*reason = worst;
	return NULL;
}

char *program_find(const char *name, int *status, struct error *err)
{
	int reason = ENOENT;

	if (!*name) {
		*status = TARGET_STATUS_NOT_FOUND;
		error_set(err, ERROR_NOT_FOUND, "the command is an empty word");
		return NULL;
	}
	if (!strchr(name, '/')) {
		char *found = path_search(name, &reason);
		if (found)
			return found;
		*status = reason == ENOENT ? TARGET_STATUS_NOT_FOUND : TARGET_STATUS_NOT_EXECUTABLE;
		if (reason == ENOENT)
			error_set(err, ERROR_NOT_FOUND, "%s: command not found in PATH", name);
		else
			error_set(err, ERROR_PERMISSION,
				  "%s: found in PATH, but no file of that name may be executed",
				  name);
		return NULL;
	}
	if (is_runnable(name, &reason))
		return mem_strdup(name);
	*status = reason == ENOENT || reason == ENOTDIR ? TARGET_STATUS_NOT_FOUND
							: TARGET_STATUS_NOT_EXECUTABLE;
	struct stat info;
	if (stat(name, &info) == 0 && S_ISDIR(info.st_mode))
		error_set(err, ERROR_INPUT, "%s is a directory", name);
	else if (stat(name, &info) == 0)
		error_set(err, ERROR_PERMISSION, "%s may not be executed (see chmod +x)", name);
	else
		error_set_errno(err, reason, "cannot run %s", name);
	return NULL;
}

/* ---- scripts ---- */

/* The first bytes of the file; -1 with errno where it cannot be read. */
static ssize_t read_head(const char *path, unsigned char *head, size_t size)
{
	size_t have = 0;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return -1;
	while (have < size) {
		const ssize_t got = pread(fd, head + have, size - have, (off_t)have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	close(fd);
	return (ssize_t)have;
}

/* Splits "#! interpreter argument" as the kernel does: one argument, blanks at both ends cut. */
static bool script_line_split(char *line, char **interpreter, char **argument)
{
	char *at = line + 2 + strspn(line + 2, " \t");
	char *end = at + strcspn(at, "\n");

	if (!*end && strlen(line) >= SCRIPT_LINE_BYTES - 1 && !strpbrk(at, " \t"))
		return false;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = 0;
	*interpreter = at;
	at += strcspn(at, " \t");
	*argument = NULL;
	if (*at) {
		*at++ = 0;
		at += strspn(at, " \t");
		*argument = *at ? at : NULL;
	}
	return **interpreter != 0;
}

static void arguments_replace_first(struct program *program, char *const *first, size_t count)
{
	const size_t kept = program->argument_count ? program->argument_count - 1 : 0;
	char **all = mem_zalloc((kept + count + 1) * sizeof(*all));

	for (size_t i = 0; i < count; i++)
		all[i] = mem_strdup(first[i]);
	for (size_t i = 0; i < kept; i++)
		all[count + i] = program->arguments[i + 1];
	if (program->argument_count)
		free(program->arguments[0]);
	free(program->arguments);
	program->arguments = all;
	program->argument_count = kept + count;
}

static bool script_follow(struct program *program, char **file, const unsigned char *head,
			  int *status, struct error *err)
{
	char line[SCRIPT_LINE_BYTES], *interpreter, *argument, *first[3];
	size_t count = 0;
	int reason;

	memcpy(line, head, sizeof(line) - 1);
	line[sizeof(line) - 1] = 0;
	*status = TARGET_STATUS_NOT_EXECUTABLE;
	if (!script_line_split(line, &interpreter, &argument))
		return error_set(err, ERROR_INPUT,
				 "the script %s names no interpreter in its #! line", *file);
	if (!is_runnable(interpreter, &reason)) {
		*status = reason == ENOENT ? TARGET_STATUS_NOT_FOUND : *status;
		return error_set_errno(err, reason,
				       "the script %s cannot be run by its interpreter "
				       "%s",
				       *file, interpreter);
	}
	first[count++] = interpreter;
	if (argument)
		first[count++] = argument;
	first[count++] = *file;
	arguments_replace_first(program, first, count);
	if (!program->script)
		program->script = mem_strdup(*file);
	free(*file);
	*file = mem_strdup(interpreter);
	return true;
}

/* ---- checks ---- */

static bool check_privileges(const char *path, int *status, struct error *err)
{
	struct stat info;
	const char *why = NULL;

	*status = TARGET_STATUS_FAILED;
	if (stat(path, &info) < 0)
		return error_set_errno(err, errno, "cannot read %s", path);
	if ((info.st_mode & S_ISUID) && info.st_uid != geteuid())
		why = "is setuid";
	else if ((info.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
		 info.st_gid != getegid())
		why = "is setgid";
	else if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
		why = "has file capabilities";
	return !why ||
	       error_set(err, ERROR_UNSUPPORTED,
			 "%s %s, and the loader ignores profilers in such programs; run tare "
			 "as the user or with the privileges that the program gains",
			 path, why);
}

/* 64-bit little-endian x86-64 executables and shared objects pass. */
static bool check_header(const char *path, const unsigned char *head, size_t size, int *status,
			 struct error *err)
{
	Elf64_Ehdr header;

	*status = TARGET_STATUS_NOT_EXECUTABLE;
	if (size < EI_NIDENT || memcmp(head, ELFMAG, SELFMAG) != 0)
		return error_set(err, ERROR_INPUT,
				 "%s is neither an ELF program nor a script with a #! line", path);
	if (head[EI_CLASS] == ELFCLASS32) {
		*status = TARGET_STATUS_FAILED;
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is a 32-bit program; tare profiles 64-bit x86 programs", path);
	}
	if (size < sizeof(header))
		return error_set(err, ERROR_INPUT, "%s is cut off within its ELF header", path);
	memcpy(&header, head, sizeof(header));
	if (header.e_machine != EM_X86_64 || head[EI_DATA] != ELFDATA2LSB)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is for another processor than x86-64 (ELF machine %u)", path,
				 header.e_machine);
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return error_set(err, ERROR_INPUT, "%s is an ELF file, but not a program", path);
	if (header.e_phentsize != sizeof(Elf64_Phdr) || !header.e_phnum)
		return error_set(err, ERROR_INPUT, "%s is damaged: it has no program headers",
				 path);
	return true;
}

static bool check_loader(struct program *program, int *status, struct error *err)
{
	*status = TARGET_STATUS_FAILED;
	if (program->loader && str_starts_with(path_basename(program->loader), "ld-musl"))
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s uses musl's loader, which has no audit interface; tare needs "
				 "glibc's",
				 program->path);
	return true;
}

/* Takes over the loader's name where `segment` holds it; false where it lies outside of the file.
 */
static bool check_segment(struct program *program, int fd, const Elf64_Phdr *segment,
			  uint64_t file_size, struct error *err)
{
	const uint64_t end = segment->p_offset + segment->p_filesz;
	const bool is_outside = end < segment->p_offset || end > file_size;

	if (segment->p_type == PT_LOAD && is_outside)
		return error_set(err, ERROR_INPUT,
				 "%s is cut off: a segment ends at byte %ju of %ju", program->path,
				 (uintmax_t)end, (uintmax_t)file_size);
	if (segment->p_type != PT_INTERP || program->loader)
		return true;
	if (segment->p_filesz < 2 || segment->p_filesz > LOADER_BYTES_MAX || is_outside)
		return error_set(err, ERROR_INPUT, "%s is damaged: its loader has no name",
				 program->path);
	program->loader = mem_zalloc(segment->p_filesz + 1);
	return pread(fd, program->loader, segment->p_filesz, (off_t)segment->p_offset) ==
		       (ssize_t)segment->p_filesz ||
	       error_set(err, ERROR_INPUT, "cannot read the loader's name in %s", program->path);
}

static bool check_segments(struct program *program, int fd, const Elf64_Ehdr *header,
			   struct error *err)
{
	const size_t size = header->e_phnum * sizeof(Elf64_Phdr);
	Elf64_Phdr *segments = mem_zalloc(size);
	struct stat info;
	bool ok = fstat(fd, &info) == 0 && header->e_phoff <= (uint64_t)info.st_size &&
		  pread(fd, segments, size, (off_t)header->e_phoff) == (ssize_t)size;

	if (!ok)
		error_set(err, ERROR_INPUT, "%s is cut off before its program headers",
			  program->path);
	for (size_t i = 0; ok && i < header->e_phnum; i++)
		ok = check_segment(program, fd, &segments[i], (uint64_t)info.st_size, err);
	free(segments);
	return ok;
}

static bool read_loader_name(struct program *program, const unsigned char *head, int *status,
			     struct error *err)
{
	Elf64_Ehdr header;
	const int fd = open(program->path, O_RDONLY | O_CLOEXEC);

	*status = TARGET_STATUS_NOT_EXECUTABLE;
	if (fd < 0)
		return error_set_errno(err, errno, "cannot read %s", program->path);
	memcpy(&header, head, sizeof(header));
	const bool ok = check_segments(program, fd, &header, err);
	close(fd);
	return ok && check_loader(program, status, err);
}

static bool program_check(struct program *program, char *file, int *status, struct error *err)
{
	unsigned char head[HEAD_BYTES];

	*status = TARGET_STATUS_FAILED;
	program->path = realpath(file, NULL);
	if (!program->path)
		return error_set_errno(err, errno, "cannot find %s", file);
	if (!check_privileges(program->path, status, err))
		return false;
	const ssize_t size = read_head(program->path, head, sizeof(head));
	if (size < 0)
		return error_set_errno(
			err, errno, "%s may be executed but not read, so it cannot be instrumented",
			program->path);
	return check_header(program->path, head, (size_t)size, status, err) &&
	       read_loader_name(program, head, status, err);
}

bool program_resolve(struct program *program, char *const *words, size_t count, int *status,
		     struct error *err)
{
	unsigned char head[HEAD_BYTES] = {0};
	bool ok = false;

	*program = (struct program){0};
	char *file = program_find(words[0], status, err);
	if (!file)
		return false;
	program->arguments = mem_zalloc((count + 1) * sizeof(*program->arguments));
	program->argument_count = count;
	for (size_t i = 0; i < count; i++)
		program->arguments[i] = mem_strdup(words[i]);
	for (int depth = 0;; depth++) {
		memset(head, 0, sizeof(head));
		const ssize_t size = read_head(file, head, sizeof(head) - 1);
		if (size < 2 || head[0] != '#' || head[1] != '!') {
			ok = program_check(program, file, status, err);
			break;
		}
		if (depth == SCRIPT_DEPTH_MAX) {
			*status = TARGET_STATUS_NOT_EXECUTABLE;
			error_set(err, ERROR_INPUT,
				  "the script %s goes through too many "
				  "interpreters",
				  words[0]);
			break;
		}
		if (!script_follow(program, &file, head, status, err))
			break;
	}
	free(file);
	if (!ok)
		program_fini(program);
	return ok;
}

void program_fini(struct program *program)
{
	for (size_t i = 0; i < program->argument_count; i++)
		free(program->arguments[i]);
	free(program->arguments);
	free(program->path);
	free(program->script);
	free(program->loader);
	*program = (struct program){0};
}
