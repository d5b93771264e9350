/*
 * sites: call sites whose calls go through a pointer. No node says from which of them its calls
 * come, so events are looked at while such calls cost too much.
 */
#ifndef TARE_RUNTIME_CONTROL_SITES_H
#define TARE_RUNTIME_CONTROL_SITES_H

#include <stdbool.h>
#include <stdint.h>

#define SITES_DULL_MIN 4
#define SITES_MEMORY   32 /* calls, by half of which earlier ones count half */

/*
 * A call was made from the site with that arming byte; `is_dull`: to time it tells nothing new.
 * Under arming's lock. Returns whether most of the site's calls of late are so: it then is
 * forgotten.
 */
bool sites_meet(uint64_t arm, bool is_dull);

/* A module is gone, and other sites may come to its addresses; the same lock. */
void sites_forget(uint64_t begin, uint64_t end);

#endif
