/*
 * The name of an output with places in it that tell jobs of many processes and hosts apart:
 *
 *   %r  the rank of the process    %n  how many there are    %h  the host's name
 *   %p  the number of tare's process                         %%  a percent sign
 *
 * Rank and number are those of session/job_rank.h.
 */
#ifndef TARE_CLI_OUTPUT_NAME_H
#define TARE_CLI_OUTPUT_NAME_H

#include "base/error.h"
#include "base/str.h"

/* Fails where a place is not known, or %r and %n have no value. */
bool output_name_expand(const char *name, struct str *out, struct error *err);

#endif
