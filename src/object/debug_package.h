/*
 * The package of a Debian system that has the debug symbols of an installed file, by the lists of
 * dpkg: below /var/lib/dpkg, or where the environment variable DPKG_ADMINDIR says, as for dpkg.
 */
#ifndef TARE_OBJECT_DEBUG_PACKAGE_H
#define TARE_OBJECT_DEBUG_PACKAGE_H

#include "base/str.h"

#include <stdbool.h>

/* Appends its name, "libz1g-dbgsym"; false where the file is of no package, or there are none. */
bool debug_package_find(const char *path, struct str *name);

#endif
