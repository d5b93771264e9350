/*
 * Rows of a table that another thread reads ahead, batch by batch, while the caller works on those
 * before: reading a large table costs about as much as what is made of it. For tables without text.
 */
#ifndef TARE_PROFILE_AHEAD_H
#define TARE_PROFILE_AHEAD_H

#include "profile/schema.h"

struct ahead;

/* Begins to read; until ahead_close nothing else may use the profile's database. NULL with err. */
struct ahead *ahead_open(struct profile *profile, enum profile_table_id table, struct error *err);
/* As scan_next. */
int ahead_next(struct ahead *ahead, void *row, int64_t *id, struct error *err);
void ahead_close(struct ahead *ahead);

#endif
