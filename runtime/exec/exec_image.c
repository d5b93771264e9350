/*
 * Which program does an execve start, and does that program take the session's variables out of
 * its own sight? Found out as the kernel finds it, in the file that is about to be executed:
 *
 *   file ─ #! ─▶ interpreter ─ #! ─▶ … ─▶ ELF ─ glibc's loader ─────▶ followed
 *                                          │        └─ plain, no script ─ recorder ─▶ its copy
 *                                          ├─ static ─ recorder ─▶ its copy is started instead
 *                                          └─ anything else: left alone
 *
 * Left alone, too: what gains privileges, where the loader ignores auditors; what has a tracer,
 * which must meet the program that it was asked to trace; and whatever cannot be read.
 */
#include "runtime/exec/exec_image.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/exec/status.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <linux/stat.h>
#include <sys/vfs.h>

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

#define FLAG_NOSUID	2 /* ST_NOSUID, ST_NOEXEC of statfs */
#define FLAG_NOEXEC	8
#define MODE_EXECUTABLE 1 /* X_OK */
#define MODE_WRITABLE	2 /* W_OK */
#define MODE_SETUID	04000
#define MODE_SETGID	02010 /* without the group's right to execute it is none */
#define MODE_PRIVILEGED 06000
#define AT_AS_EFFECTIVE 0x200 /* AT_EACCESS */
#define SCRIPT_BYTES	256   /* the kernel's buffer for a script's first line */
#define SCRIPT_DEPTH	5
#ifndef AT_EXECVE_CHECK /* since Linux 6.14 */
#define AT_EXECVE_CHECK 0x10000
#endif
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* ---- the ELF file ---- */

/* The program headers, or NULL; those at the end of a file count as none: no linker puts them
 * there. */
static const Elf64_Phdr *segments_of(const char *head, long size_bytes, uint64_t *count)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)head;

	if (size_bytes < (long)sizeof(*header) || !bytes_begin_with(head, ELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64 ||
	    (header->e_type != ET_EXEC && header->e_type != ET_DYN) ||
	    header->e_phentsize != sizeof(Elf64_Phdr))
		return NULL;
	if (header->e_phoff > (uint64_t)size_bytes ||
	    header->e_phnum > ((uint64_t)size_bytes - header->e_phoff) / sizeof(Elf64_Phdr))
		return NULL;
	*count = header->e_phnum;
	return *count ? (const Elf64_Phdr *)(head + header->e_phoff) : NULL;
}

/* Only glibc's loader knows auditors. Its file may have the version in its name. */
static bool is_audited_loader(const char *path)
{
	const char *base = bytes_base_name(path);

	return bytes_begin_with(base, "ld-linux-x86-64.so") ||
	       bytes_begin_with(base, "ld-lsb-x86-64.so") || bytes_begin_with(base, "ld-2.") ||
	       bytes_begin_with(base, "ld.so");
}

enum loader { LOADER_NONE, LOADER_AUDITED, LOADER_OTHER };

static enum loader loader_of(long fd, const Elf64_Phdr *segments, uint64_t count,
			     struct exec_image_work *work)
{
	for (uint64_t i = 0; i < count; i++) {
		if (segments[i].p_type != PT_INTERP)
			continue;
		if (segments[i].p_filesz >= sizeof(work->loader) ||
		    kernel_call(SYS_pread64, fd, work->loader, segments[i].p_filesz,
				segments[i].p_offset) != (long)segments[i].p_filesz)
			return LOADER_OTHER;
		work->loader[segments[i].p_filesz] = 0;
		return is_audited_loader(work->loader) ? LOADER_AUDITED : LOADER_OTHER;
	}
	/* The loader itself, with the program among its arguments. */
	work->loader[0] = 0;
	return is_audited_loader(work->path) ? LOADER_AUDITED : LOADER_NONE;
}

/* ---- rights ---- */

/* Some attribute, which a call that fails does not say. */
static bool has_capabilities(long fd)
{
	char capability;

	return kernel_call(SYS_fgetxattr, fd, "security.capability", &capability, 0) > 0;
}

/* May this process execute the file at fd, and would it stay what it is? */
static bool is_allowed(long fd)
{
	struct statx status;
	struct statfs file_system;

	if (kernel_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_MODE | STATX_TYPE, &status) ||
	    (status.stx_mode & S_IFMT) != S_IFREG || status.stx_mode & MODE_PRIVILEGED)
		return false;
	if (kernel_call(SYS_fstatfs, fd, &file_system) || file_system.f_flags & FLAG_NOEXEC)
		return false;
	if (has_capabilities(fd))
		return false;
	return kernel_call(SYS_faccessat2, fd, "", MODE_EXECUTABLE,
			   AT_AS_EFFECTIVE | AT_EMPTY_PATH) == 0;
}

/*
 * Would execve of the file at fd find nothing to object to? It does where somebody writes to the
 * file, or the kernel's security modules forbid it. Before Linux 6.14 only a file is taken that
 * this user cannot write to.
 */
static bool is_executable_now(long fd)
{
	static const char *const none[] = {NULL};
	const long checked =
		kernel_call(SYS_execveat, fd, "", none, none, AT_EMPTY_PATH | AT_EXECVE_CHECK);

	return checked == 0 ||
	       (checked == -EINVAL && kernel_call(SYS_faccessat2, fd, "", MODE_WRITABLE,
						  AT_AS_EFFECTIVE | AT_EMPTY_PATH) != 0);
}

/* Will the kernel set AT_SECURE? */
static bool gains_privileges(long fd)
{
	long user = kernel_call(SYS_geteuid, 0), group = kernel_call(SYS_getegid, 0);
	const bool is_root = user == 0;
	struct statx status;
	struct statfs file_system;

	if (kernel_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_MODE | STATX_UID | STATX_GID,
			&status))
		return true;
	const bool is_free = kernel_call(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 &&
			     (kernel_call(SYS_fstatfs, fd, &file_system) ||
			      !(file_system.f_flags & FLAG_NOSUID));

	if (is_free && status.stx_mode & MODE_SETUID)
		user = status.stx_uid;
	if (is_free && (status.stx_mode & MODE_SETGID) == MODE_SETGID)
		group = status.stx_gid;
	return user != kernel_call(SYS_getuid, 0) || group != kernel_call(SYS_getgid, 0) ||
	       (is_free && !is_root && has_capabilities(fd));
}

/* ---- tracers ---- */

/* By another one than traces the recorder, and with it all. */
static bool is_traced(void)
{
	const uint64_t tracer = status_number("\nTracerPid:");

	return tracer && tracer != state_session.settings.tracer_pid;
}

/* ---- from the call to the program ---- */

static bool path_of(long fd, char *path)
{
	char text[64];
	struct bytes_text link = {.start = text, .size_bytes = sizeof(text)};

	bytes_put(&link, "/proc/self/fd/");
	bytes_put_number(&link, (uint64_t)fd);
	const long length = kernel_call(SYS_readlinkat, AT_FDCWD, text, path, TARE_PATH_MAX - 1);

	path[length > 0 ? length : 0] = 0;
	return length > 0;
}

/* The descriptor again, for reading: it may have been opened for its path alone. */
static long reopen(long fd)
{
	char text[64];
	struct bytes_text link = {.start = text, .size_bytes = sizeof(text)};

	if (fd < 0)
		return -EBADF;
	bytes_put(&link, "/proc/self/fd/");
	bytes_put_number(&link, (uint64_t)fd);
	return kernel_call(SYS_openat, AT_FDCWD, text, OPEN_FLAGS);
}

/* What the call names, open for reading; the caller closes it. */
static long image_open(const struct probes_registers *registers)
{
	const bool at = registers->rax == SYS_execveat;
	const uint64_t no_follow = at && registers->r8 & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0;
	char first = 0;

	if (at && registers->r8 & AT_EMPTY_PATH && memory_read(&first, registers->rsi, 1) == 1 &&
	    !first)
		return reopen((long)(int)registers->rdi);
	return kernel_call(SYS_openat, at ? registers->rdi : (uint64_t)AT_FDCWD,
			   at ? registers->rsi : registers->rdi, OPEN_FLAGS | no_follow);
}

/* The interpreter in the first line of a script, ended in place; NULL where there is none. */
static const char *interpreter_of(char *head, long size_bytes)
{
	const long end = size_bytes < SCRIPT_BYTES ? size_bytes : SCRIPT_BYTES - 1;
	long at = 2;

	if (size_bytes < 3 || head[0] != '#' || head[1] != '!')
		return NULL;
	while (at < end && (head[at] == ' ' || head[at] == '\t'))
		at++;
	const char *interpreter = head + at;

	while (at < end && head[at] && head[at] != ' ' && head[at] != '\t' && head[at] != '\n')
		at++;
	head[at] = 0;
	return *interpreter ? interpreter : NULL;
}

static struct exec_image image_left(const struct exec_image_work *work, enum tare_unfollowed why)
{
	return (struct exec_image){
		.way = EXEC_IMAGE_NOT_FOLLOWED, .unfollowed = why, .path = work->path};
}

struct image_place {
	bool is_interpreter; /* of a script */
	bool is_plain;	     /* an execve without variables for the loader */
};

/* Of a static program; nobody can be given another interpreter than the one that its script names.
 */
static struct exec_image image_static(long fd, bool is_interpreter, struct exec_image_work *work)
{
	if (is_interpreter || !is_allowed(fd) || !*work->path ||
	    !session_ask(TARE_REQUEST_EXECUTABLE, work->path, &work->copy) ||
	    bytes_equal(work->path, work->copy.path))
		return image_left(work, TARE_UNFOLLOWED_NO_COPY);
	return (struct exec_image){
		.way = EXEC_IMAGE_COPY, .copy = work->copy.path, .path = work->path};
}

/* Of a program that glibc's loader starts. `direct`: its copy may be started in its place. */
static struct exec_image image_loaded(long fd, bool direct, struct exec_image_work *work)
{
	if (direct && !state_session.settings.timer_only && is_allowed(fd) &&
	    is_executable_now(fd) && session_ask(TARE_REQUEST_CHILD, work->path, &work->copy))
		return (struct exec_image){.way = EXEC_IMAGE_COPY,
					   .copy = work->copy.path,
					   .static_tls_bytes = work->copy.static_tls_bytes,
					   .path = work->path};
	return (struct exec_image){.way = EXEC_IMAGE_FOLLOWED, .path = work->path};
}

static struct exec_image image_of_elf(long fd, long size_bytes, struct image_place place,
				      struct exec_image_work *work)
{
	uint64_t count = 0;
	const Elf64_Phdr *segments = segments_of(work->head, size_bytes, &count);
	const enum loader loader = segments ? loader_of(fd, segments, count, work) : LOADER_OTHER;

	if (loader == LOADER_OTHER)
		return image_left(work, TARE_UNFOLLOWED_FOREIGN);
	if (gains_privileges(fd))
		return image_left(work, TARE_UNFOLLOWED_PRIVILEGED);
	if (is_traced())
		return image_left(work, TARE_UNFOLLOWED_TRACED);
	if (loader == LOADER_NONE)
		return image_static(fd, place.is_interpreter, work);
	return image_loaded(fd, place.is_plain && !place.is_interpreter && *work->loader, work);
}

/* The file is there, but cannot be read: does it exist for execve, too? */
static struct exec_image image_unread(long error, struct exec_image_work *work)
{
	work->path[0] = 0;
	if (error == -EACCES || error == -EPERM || error == -EMFILE || error == -ENFILE ||
	    error == -ENOMEM)
		return image_left(work, TARE_UNFOLLOWED_UNREADABLE);
	return (struct exec_image){.way = EXEC_IMAGE_ABSENT, .path = work->path};
}

struct exec_image exec_image_find(const struct probes_registers *registers, bool plain,
				  struct exec_image_work *work)
{
	const bool is_plain = plain && registers->rax == SYS_execve;
	long fd = image_open(registers);

	for (int depth = 0; fd >= 0; depth++) {
		const long size_bytes =
			kernel_call(SYS_pread64, fd, work->head, sizeof(work->head) - 1, 0);
		const char *interpreter =
			depth < SCRIPT_DEPTH ? interpreter_of(work->head, size_bytes) : NULL;

		path_of(fd, work->path);
		if (!interpreter) {
			const struct exec_image image = image_of_elf(
				fd, size_bytes, (struct image_place){depth > 0, is_plain}, work);

			kernel_call(SYS_close, fd);
			return image;
		}
		kernel_call(SYS_close, fd);
		fd = kernel_call(SYS_openat, AT_FDCWD, interpreter, OPEN_FLAGS);
	}
	return image_unread(fd, work);
}
