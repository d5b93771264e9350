/* The list of a file's functions with what becomes of each, as text and as JSON. */
#ifndef TARE_CLI_FUNCTION_LIST_H
#define TARE_CLI_FUNCTION_LIST_H

#include "cache/instrument_file.h"

void function_list_print_text(const struct instrument_file *file);
/* One object; the layout is in docs/reference/checking.md. */
void function_list_print_json(const char *path, const struct instrument_file *file);

#endif
