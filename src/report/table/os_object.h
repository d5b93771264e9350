/* os_object: what a system call was about, for people. */
#ifndef TARE_REPORT_TABLE_OS_OBJECT_H
#define TARE_REPORT_TABLE_OS_OBJECT_H

#include "analysis/analysis.h"

/* "fd 3 /var/lib/app.db", "futex 0x7f…", "pid 17", "10 ms"; nothing where nothing is known. */
void os_object_put(struct str *out, const struct analysis_os *os, bool unicode);

#endif
