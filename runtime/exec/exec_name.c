#include "runtime/exec/exec_name.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/session.h"
#include "runtime/base/state.h"
#include "runtime/exec/status.h"

#include <asm/errno.h>
#include <fcntl.h>
#include <linux/prctl.h>

#define NAME_BYTES 15 /* the kernel keeps so many */

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

/* Each copy has links of its own. */
static bool link_make(struct exec_name *name, const char *copy, const char *wanted)
{
	struct bytes_text path = {.start = name->path, .size_bytes = sizeof(name->path)};

	bytes_put(&path, state_session.directory);
	bytes_put(&path, "/run.");
	bytes_put_number(&path, bytes_hash(copy));
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

/* By others than the recorder has, who has made such links: a container gives its own to all. */
static bool is_filtered(void)
{
	return kernel_call(SYS_prctl, PR_GET_SECCOMP) != 0 &&
	       (!state_session.settings.filters ||
		status_number("\nSeccomp_filters:") != state_session.settings.filters);
}

const char *exec_name_path(struct exec_name *name, const char *copy, const char *wanted)
{
	if (!wanted || !*wanted || is_called(bytes_base_name(copy), wanted) || is_filtered() ||
	    !link_make(name, copy, wanted))
		return copy;
	return name->path;
}

const char *exec_name_asked(const struct probes_registers *registers, struct exec_name *memory)
{
	const uint64_t from = registers->rax == SYS_execveat ? registers->rsi : registers->rdi;
	const uint64_t room = sizeof(memory->path);
	uint64_t length;

	return memory_ask_text(memory->path, from, room, &length) && length < room
		       ? bytes_base_name(memory->path)
		       : NULL;
}

const char *exec_name_own(struct exec_name *memory)
{
	if (kernel_call(SYS_prctl, PR_GET_NAME, memory->path))
		return NULL;
	return bytes_base_name(memory->path) == memory->path ? memory->path : NULL;
}
