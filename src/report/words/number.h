/* Numbers for people: digits in groups, times in the unit that suits them. */
#ifndef TARE_REPORT_WORDS_NUMBER_H
#define TARE_REPORT_WORDS_NUMBER_H

#include "base/str.h"

#include <stdint.h>
#include <stdio.h>

enum time_scale { SCALE_S, SCALE_MS, SCALE_US, SCALE_NS, SCALE_TICKS };

/* 1234567 as "1,234,567". */
void number_append(struct str *out, uint64_t number);

/* 1234567 as it is. As %llu, but tables of a million rows have fifty million numbers. */
void number_write(FILE *stream, uint64_t number);

/* The scale for a column whose largest value is `largest_ns`: s from 100 s on. */
enum time_scale time_scale_for(uint64_t largest_ns);
const char *time_scale_name(enum time_scale scale, bool unicode);

/* Without unit: "1,234.567" for s, ms and µs, whole numbers for ns and ticks. */
void time_append(struct str *out, uint64_t value, enum time_scale scale);

/* With the unit that suits this value by itself: "12.345 ms". */
void time_append_with_unit(struct str *out, uint64_t ns, bool unicode);

#endif
