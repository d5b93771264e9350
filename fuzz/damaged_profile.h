/* Profiles of which some bytes are not as they should be. */
#ifndef TARE_FUZZ_DAMAGED_PROFILE_H
#define TARE_FUZZ_DAMAGED_PROFILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes a profile to `path`. Input with an even first byte is a whole file; with an odd one, it is
 * a list of changes (three bytes of place, one of value) to a sound profile, which gets past the
 * checks that random bytes do not pass. Without input it is the sound one.
 */
void damaged_profile_write(const char *path, const uint8_t *data, size_t size);

#endif
