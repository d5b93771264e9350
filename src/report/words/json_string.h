/* Text that anybody may have chosen, as a string of JSON (RFC 8259). */
#ifndef TARE_REPORT_WORDS_JSON_STRING_H
#define TARE_REPORT_WORDS_JSON_STRING_H

#include <stdio.h>

/* With its quotes. Bytes that are no UTF-8 appear as \xNN; NULL is "". */
void json_write_string(FILE *stream, const char *text);

#endif
