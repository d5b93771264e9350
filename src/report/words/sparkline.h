/* Numbers as a line of columns of different heights. Private to report. */
#ifndef TARE_REPORT_WORDS_SPARKLINE_H
#define TARE_REPORT_WORDS_SPARKLINE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* A column per number, eight heights up to `most`; what is 0 is a dot. ASCII unless `unicode`. */
void sparkline_append(struct str *out, const uint64_t *numbers, uint32_t count, uint64_t most,
		      bool unicode);

#endif
