/* Text as a JSON string. */
#ifndef TARE_CLI_JSON_TEXT_H
#define TARE_CLI_JSON_TEXT_H

#include "base/str.h"

/* In quotes; what is no UTF-8 is replaced. */
void json_text_append(struct str *out, const char *text);

#endif
