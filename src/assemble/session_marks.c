/* See session_marks.h. Lines that make no sense are left out. */
#include "assemble/session_marks.h"

#include "session/control.h"
#include "session/text_file.h"

#include <stdlib.h>

bool session_marks_write(int session_fd, struct profile_writer *writer, struct error *err)
{
	struct error absent;
	struct text_line line;
	char *text =
		text_read_file(session_fd, CONTROL_MARKS_NAME, CONTROL_MARKS_BYTES_MAX, &absent);
	bool ok = true;

	for (char *at = text; ok && text && text_next_line(&at, &line);) {
		struct profile_mark row = {.name = text_field(&line, 3)};
		if (text_u64(&line, 1, &row.ticks) && text_i64(&line, 2, &row.mark) &&
		    row.ticks >> 62 == 0)
			ok = profile_add_mark(writer, &row, err);
	}
	free(text);
	return ok;
}
