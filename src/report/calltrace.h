/* The view calltrace, written in each format as its events are read. Private to report. */
#ifndef TARE_REPORT_CALLTRACE_H
#define TARE_REPORT_CALLTRACE_H

#include "report/table/table.h"

bool calltrace_write(struct report *report, FILE *stream, struct error *err);

#endif
