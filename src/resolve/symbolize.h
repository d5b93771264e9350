/*
 * symbolize: source files and lines of what a profile mentions. Functions get the place of their
 * declaration, locations their lines with the functions that were inlined there, modules what is
 * known of them ("known", or why nothing is). The last thing before a profile is committed: every
 * file's debug information is read once, those of different files at the same time.
 */
#ifndef TARE_RESOLVE_SYMBOLIZE_H
#define TARE_RESOLVE_SYMBOLIZE_H

#include "resolve/resolve.h"

/*
 * Looks up all functions and locations that the resolver has met. Sets source and line of
 * functions, and lines of modules; adds the rows of the tables source and location_line. False when
 * the profile cannot be written.
 */
bool symbolize_profile(struct resolver *resolver, struct error *err);

#endif
