/*
 * readlink, open and execve get the original; stat is not, for reading the path costs as much
 * as a stat does. Other processes' links, and relative paths to the own one, are left as they are.
 */
#include "runtime/os/executable.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/session.h"

#include <fcntl.h>

#define PROC_PATH_BYTES 32 /* "/proc/4194304/exe" fits */

static struct session_answer original_link;
static char original_path[TARE_PATH_MAX];
static bool is_known;

void executable_know(const char *path, Elf64_auxv_t *vector)
{
	if (!session_ask(TARE_REQUEST_ORIGINAL, path, &original_link))
		return;
	const long length = kernel_call(SYS_readlinkat, AT_FDCWD, original_link.path, original_path,
					TARE_PATH_MAX - 1);

	if (length <= 0)
		return;
	original_path[length] = 0;
	is_known = true;
	for (; vector->a_type != AT_NULL; vector++)
		if (vector->a_type == AT_EXECFN)
			vector->a_un.a_val = (uint64_t)original_path;
}

static bool is_own_link(const char *path)
{
	char text[PROC_PATH_BYTES];
	struct bytes_text own = {.start = text, .size_bytes = sizeof(text)};

	if (bytes_equal(path, "/proc/self/exe") || bytes_equal(path, "/proc/thread-self/exe"))
		return true;
	bytes_put(&own, "/proc/");
	bytes_put_number(&own, (uint64_t)kernel_pid());
	bytes_put(&own, "/exe");
	return !own.full && bytes_equal(path, text);
}

static uint64_t *path_argument(struct probes_registers *registers)
{
	switch (registers->rax) {
	case SYS_readlink:
	case SYS_open:
	case SYS_execve:
		return &registers->rdi;
	case SYS_readlinkat:
	case SYS_openat:
	case SYS_execveat:
		return &registers->rsi;
	default:
		return NULL;
	}
}

void executable_show(struct probes_registers *registers)
{
	uint64_t *argument = is_known ? path_argument(registers) : NULL;
	char path[PROC_PATH_BYTES + 1];

	if (!argument)
		return;
	const uint64_t to_page_end = 4096 - (*argument & 4095);
	/* The string may end before the page does, and the next page need not exist. */
	const uint64_t wanted = to_page_end < PROC_PATH_BYTES ? to_page_end : PROC_PATH_BYTES;
	long got = memory_read(path, *argument, wanted);

	if (got == (long)wanted && wanted < PROC_PATH_BYTES) {
		const long more =
			memory_read(path + got, *argument + wanted, PROC_PATH_BYTES - wanted);
		got += more > 0 ? more : 0;
	}
	if (got <= 0)
		return;
	path[got] = 0;
	if (!is_own_link(path))
		return;
	if (registers->rax != SYS_execve && registers->rax != SYS_execveat)
		*argument = (uint64_t)original_link.path;
	else if (kernel_call(SYS_faccessat, AT_FDCWD, original_path, 1 /* X_OK */) == 0)
		*argument = (uint64_t)original_path;
}
