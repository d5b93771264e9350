/*
 * marks: what the program says about itself, kept in the thread file (struct tare_mark_record).
 */
#ifndef TARE_RUNTIME_PROCESS_MARKS_H
#define TARE_RUNTIME_PROCESS_MARKS_H

#include <stdint.h>

/* Functions of abi/api.h; both return enum tare_result. */
int marks_put(int64_t id, const char *text);
int marks_name_thread(const char *name);

#endif
