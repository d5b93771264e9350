/* How many columns a character takes on a terminal. Private to report. */
#ifndef TARE_REPORT_WORDS_WIDTH_H
#define TARE_REPORT_WORDS_WIDTH_H

#include <stddef.h>

/* 0 for combining marks, 2 for wide characters, else 1. */
size_t width_of(unsigned code_point);

#endif
