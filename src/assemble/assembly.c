/* What all parts of an assembly use. */
#include "assemble/private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REASON_BYTES_MAX = 2000 };

void assembly_add_reason(struct assembly *assembly, const char *format, ...)
{
	struct str *reason = &assembly->assembled->reason;
	char sentence[ERROR_MESSAGE_BYTES];
	va_list args;

	assembly->assembled->complete = false;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	if (reason->len + strlen(sentence) < REASON_BYTES_MAX)
		str_printf(reason, "%s%s", reason->len ? "; " : "", sentence);
}

struct assemble_process *assembly_process_of(struct assembly *assembly, int32_t pid,
					     uint64_t begin_ticks)
{
	vec_foreach (process, &assembly->processes) {
		if (process->file.header.pid == pid &&
		    process->file.header.begin_ticks == begin_ticks)
			return process;
	}
	return NULL;
}

void assembly_take_last_ticks(struct assembly *assembly, uint64_t ticks)
{
	if (ticks > assembly->last_ticks && ticks >> 62 == 0)
		assembly->last_ticks = ticks;
}
