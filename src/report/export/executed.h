/* Exports of executions (tare record --lines) by source: for genhtml, and as gcov writes them. */
#ifndef TARE_REPORT_EXPORT_EXECUTED_H
#define TARE_REPORT_EXPORT_EXECUTED_H

#include "report/export.h"

bool executed_write_lcov(const struct analysis *analysis, const struct export_options *options,
			 FILE *stream, struct error *err);
bool executed_write_gcov(const struct analysis *analysis, const struct export_options *options,
			 FILE *stream, struct error *err);

#endif
