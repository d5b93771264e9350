/*
 * own_place: where the runtime's own mappings lie. The kernel puts a mapping without a wish into
 * the highest gap that has room for it. The program's mappings would find other gaps then: a
 * library that is closed and opened again would come to another place. So the runtime wishes for
 * addresses some way below.
 */
#ifndef TARE_RUNTIME_BASE_OWN_PLACE_H
#define TARE_RUNTIME_BASE_OWN_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* As mmap without an address and with an offset of 0. Returns the address, or -errno. */
long own_place_map(uint64_t size_bytes, int protection, int flags, long fd);

/* A further mapping of what the shared page at `page` maps, from there on. The same. */
long own_place_map_again(uint64_t page, uint64_t size_bytes);

#endif
