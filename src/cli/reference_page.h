/*
 * reference_page: all commands with all their options as one page of Markdown, from the tables that
 * --help is printed from: docs/reference/commands.md, which a test holds against this.
 */
#ifndef TARE_CLI_REFERENCE_PAGE_H
#define TARE_CLI_REFERENCE_PAGE_H

#include "cli/command.h"

void reference_page(const struct command *const *commands, struct str *out);

#endif
