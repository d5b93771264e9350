/*
 * Is the file that is about to be executed a static executable? Then the recorder is asked for
 * its copy. What the kernel would check of the original is checked here, as it is not the file that
 * the kernel sees.
 *
 * Refuses what would change the process's privileges, and everything that cannot be read: the
 * original is then executed. A file opened without reading (O_PATH) and scripts count as that.
 */
#include "runtime/exec_static.h"

#include "runtime/bytes.h"
#include "runtime/kernel.h"
#include "runtime/memory.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/vfs.h>

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

#define FLAG_NOEXEC	8 /* ST_NOEXEC, ST_NOSUID of statfs */
#define MODE_EXECUTABLE 1 /* X_OK */
#define MODE_PRIVILEGED 06000
#define AT_AS_EFFECTIVE 0x200 /* AT_EACCESS */

static bool is_static(const char *head, long size_bytes)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)head;

	if (size_bytes < (long)sizeof(*header) || !bytes_begin_with(head, ELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64 ||
	    (header->e_type != ET_EXEC && header->e_type != ET_DYN) ||
	    header->e_phentsize != sizeof(Elf64_Phdr))
		return false;
	if (header->e_phoff > (uint64_t)size_bytes ||
	    header->e_phnum > ((uint64_t)size_bytes - header->e_phoff) / sizeof(Elf64_Phdr))
		return false; /* headers at the end of the file: nobody's linker puts them there */
	const Elf64_Phdr *segments = (const Elf64_Phdr *)(head + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_INTERP)
			return false;
	return header->e_phnum != 0;
}

/* May this process execute the file at fd, and would it stay what it is? */
static bool is_allowed(long fd)
{
	struct statx status;
	struct statfs file_system;
	char capability;

	if (kernel_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_MODE | STATX_TYPE, &status) ||
	    (status.stx_mode & S_IFMT) != S_IFREG || status.stx_mode & MODE_PRIVILEGED)
		return false;
	if (kernel_call(SYS_fstatfs, fd, &file_system) || file_system.f_flags & FLAG_NOEXEC)
		return false;
	if (kernel_call(SYS_fgetxattr, fd, "security.capability", &capability, 0) > 0)
		return false;
	return kernel_call(SYS_faccessat2, fd, "", MODE_EXECUTABLE,
			   AT_AS_EFFECTIVE | AT_EMPTY_PATH) == 0;
}

static bool path_of(long fd, char *path)
{
	char text[64];
	struct bytes_text link = {.start = text, .size_bytes = sizeof(text)};

	bytes_put(&link, "/proc/self/fd/");
	bytes_put_number(&link, (uint64_t)fd);
	const long length = kernel_call(SYS_readlinkat, AT_FDCWD, text, path, TARE_PATH_MAX - 1);

	if (length <= 0)
		return false;
	path[length] = 0;
	return true;
}

static const char *copy_of(long fd, struct exec_static *work)
{
	const long size_bytes = kernel_call(SYS_pread64, fd, work->head, sizeof(work->head), 0);

	if (!is_static(work->head, size_bytes) || !is_allowed(fd) || !path_of(fd, work->path) ||
	    !session_ask(TARE_REQUEST_EXECUTABLE, work->path, &work->copy) ||
	    bytes_equal(work->path, work->copy.path))
		return NULL;
	return work->copy.path;
}

const char *exec_static_copy(const struct probes_registers *registers, struct exec_static *work)
{
	const bool at = registers->rax == SYS_execveat;
	const uint64_t no_follow = at && registers->r8 & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0;

	char first = 0;

	if (at && registers->r8 & AT_EMPTY_PATH && memory_read(&first, registers->rsi, 1) == 1 &&
	    !first)
		return copy_of((long)registers->rdi, work);
	const long fd = kernel_call(SYS_openat, at ? registers->rdi : (uint64_t)AT_FDCWD,
				    at ? registers->rsi : registers->rdi,
				    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | no_follow);

	if (fd < 0)
		return NULL;
	const char *copy = copy_of(fd, work);

	kernel_call(SYS_close, fd);
	return copy;
}
