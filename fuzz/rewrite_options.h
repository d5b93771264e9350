/*
 * The options that a damaged file is rewritten with: its unused bytes of e_ident choose them, so
 * that mutations of an input try all of them.
 */
#ifndef TARE_FUZZ_REWRITE_OPTIONS_H
#define TARE_FUZZ_REWRITE_OPTIONS_H

#include "rewrite/rewrite.h"

/* `bytes`: of the file, with its whole e_ident. */
struct rewrite_options rewrite_options_read(const unsigned char *bytes);

#endif
