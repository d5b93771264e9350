#include "runtime/exec/exec_name.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/session.h"
#include "runtime/base/state.h"

#include <asm/errno.h>
#include <fcntl.h>
#include <linux/prctl.h>

#define NAME_BYTES 15 /* the kernel keeps so many */
#define PAGE_BYTES 4096

static const char *last_part(const char *path)
{
	const char *last = path;

	for (; *path; path++)
		if (*path == '/')
			last = path + 1;
	return last;
}

static bool is_called(const char *name, const char *wanted)
{
	for (int i = 0; i < NAME_BYTES; i++) {
		if (name[i] != wanted[i])
			return false;
		if (!name[i])
			break;
	}
	return true;
}

/* Each copy has links of its own: FNV-1a of its path tells them apart. */
static uint64_t hash_of(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 0x100000001b3;
	return hash;
}

static bool link_make(struct exec_name *name, const char *copy, const char *wanted)
{
	struct bytes_text path = {.start = name->path, .size_bytes = sizeof(name->path)};

	bytes_put(&path, state_session.directory);
	bytes_put(&path, "/run.");
	bytes_put_number(&path, hash_of(copy));
	if (path.full)
		return false;
	const long made = kernel_call(SYS_mkdirat, AT_FDCWD, name->path, 0700);

	if (made && made != -EEXIST)
		return false;
	bytes_put(&path, "/");
	bytes_put(&path, wanted);
	if (path.full)
		return false;
	const long linked = kernel_call(SYS_symlinkat, copy, AT_FDCWD, name->path);

	return !linked || linked == -EEXIST;
}

const char *exec_name_path(struct exec_name *name, const char *copy, const char *wanted)
{
	if (!wanted || !*wanted || is_called(last_part(copy), wanted) ||
	    kernel_call(SYS_prctl, PR_GET_SECCOMP) != 0 || !link_make(name, copy, wanted))
		return copy;
	return name->path;
}

const char *exec_name_asked(const struct probes_registers *registers, struct exec_name *memory)
{
	const uint64_t from = registers->rax == SYS_execveat ? registers->rsi : registers->rdi;
	uint64_t length = 0;

	while (length + 1 < sizeof(memory->path)) {
		const uint64_t to_page_end = PAGE_BYTES - ((from + length) & (PAGE_BYTES - 1));
		const uint64_t room = sizeof(memory->path) - 1 - length;
		const long got = memory_read(memory->path + length, from + length,
					     to_page_end < room ? to_page_end : room);

		if (got <= 0)
			return NULL;
		memory->path[length + (uint64_t)got] = 0;
		if (bytes_length(memory->path + length) < (uint64_t)got)
			return last_part(memory->path);
		length += (uint64_t)got;
	}
	return NULL;
}

const char *exec_name_own(struct exec_name *memory)
{
	if (kernel_call(SYS_prctl, PR_GET_NAME, memory->path))
		return NULL;
	return *last_part(memory->path) && last_part(memory->path) == memory->path ? memory->path
										   : NULL;
}
