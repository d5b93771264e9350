/*
 * Hash map from a 64-bit key to a 64-bit value, open addressing, no removal. Every key is allowed.
 */
#ifndef TARE_BASE_MAP_H
#define TARE_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key, value;
	bool used;
};

struct map {
	struct map_slot *slots;
	size_t len, cap; /* cap is 0 or a power of two */
};

void map_init(struct map *map);
void map_fini(struct map *map);

/* Makes room for `count` keys in all, so that putting them moves nothing. */
void map_reserve(struct map *map, size_t count);
/* The value of `key`, or NULL. Valid until the next map_put. */
uint64_t *map_get(const struct map *map, uint64_t key);

/* The value of `key`, entered as `initial` where it was missing. Valid until the next map_put. */
uint64_t *map_put(struct map *map, uint64_t key, uint64_t initial);

/* A well-mixed hash of `length` bytes and of one word (finalizer of MurmurHash3). */
uint64_t hash_bytes(const void *bytes, size_t length);
uint64_t hash_u64(uint64_t value);

/* The same from a NUL-terminated string to a 64-bit value; keys are borrowed, not copied. */
struct strmap_slot {
	const char *key;
	uint64_t value;
};

struct strmap {
	struct strmap_slot *slots;
	size_t len, cap;
};

void strmap_init(struct strmap *map);
void strmap_fini(struct strmap *map);
uint64_t *strmap_get(const struct strmap *map, const char *key);
uint64_t *strmap_put(struct strmap *map, const char *key, uint64_t initial);

#endif
