/* The file that a profile is made in before it has its name. Inside src/profile only. */
#ifndef TARE_PROFILE_TEMPORARY_H
#define TARE_PROFILE_TEMPORARY_H

#include "base/base.h"

#include <sqlite3.h>

/* An empty file of this user beside `path`; its name, to be freed, or NULL. */
char *temporary_create(const char *path, struct error *err);
/* It as a database; a result code of SQLite. */
int temporary_open(const char *temporary, sqlite3 **database);
/* Of a closed database: mode and contents are on the disk. Else false, with errno. */
bool temporary_make_durable(const char *temporary);
/* It has its name now. */
bool temporary_rename(const char *temporary, const char *path, struct error *err);

#endif
