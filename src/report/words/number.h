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

/* The scale for a table whose largest value is `largest_ns`: s from 10 s on. */
enum time_scale time_scale_for(uint64_t largest_ns);

/* So many decimals give a column whose largest value is this four digits; no more than three. */
unsigned time_decimals(uint64_t largest, enum time_scale scale);
const char *time_scale_name(enum time_scale scale, bool unicode);

/* Without unit: "1,235", "12.35"; ns and ticks have no decimals. Halves are rounded up. */
void time_append(struct str *out, uint64_t value, enum time_scale scale, unsigned decimals);

/* With the unit that suits this value by itself: "12.35 ms"; s from 1 s on. */
void time_append_with_unit(struct str *out, uint64_t ns, bool unicode);

#endif
