/* A running process by its number or by its name. */
#ifndef TARE_CLI_PROCESS_CHOICE_H
#define TARE_CLI_PROCESS_CHOICE_H

#include "base/error.h"

#include <stdint.h>

/*
 * `text`: a number, or what the process is called: its name as ps shows it, or the base name of
 * its first word. Fails with ERROR_NOT_FOUND where none is called so, and with ERROR_USAGE where
 * several are: these are named then.
 */
bool process_find(const char *text, uint32_t *pid, struct error *err);

#endif
