/* The profile that a test writes at `path`, opened and analysed: one at a time. */
#ifndef TARE_TESTS_ANALYSED_H
#define TARE_TESTS_ANALYSED_H

#include "analysis/analysis.h"

extern char path[64];
extern struct profile *profile;
extern struct analysis *analysis;

/* Set-up and teardown of a test. */
int analysed_begin(void **state);
int analysed_end(void **state);

/* False with err where the analysis refuses; a profile that cannot be opened fails the test. */
bool analysed_try(const struct analysis_options *options, struct error *err);
/* options NULL: none. */
void analysed_open(const struct analysis_options *options);

/* Fails the test where there is none. */
const struct analysis_function *analysed_function(const char *name);
const struct analysis_values *values_of(const char *name);

#endif
