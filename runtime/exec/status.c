#include "runtime/exec/status.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"

#include <fcntl.h>

#define STATUS_BYTES 2048

static uint64_t number_behind(const char *text, const char *name)
{
	uint64_t number = 0;

	while (*text && !bytes_begin_with(text, name))
		text++;
	if (*text)
		text += bytes_length(name);
	while (*text == '\t' || *text == ' ')
		text++;
	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return number;
}

uint64_t status_number(const char *line)
{
	char text[STATUS_BYTES];
	const long fd =
		kernel_call(SYS_openat, AT_FDCWD,
			    kernel_is_first() ? "/proc/self/status" : "/proc/thread-self/status",
			    O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	const long got = kernel_call(SYS_read, fd, text, sizeof(text) - 1);

	kernel_call(SYS_close, fd);
	text[got > 0 ? got : 0] = 0;
	return number_behind(text, line);
}
