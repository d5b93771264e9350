/* Linear probing at a load of at most one half; see map.h. */
#include "base/map.h"

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_MIN = 16 };

uint64_t hash_u64(uint64_t value)
{
	value ^= value >> 33;
	value *= 0xff51afd7ed558ccdULL;
	value ^= value >> 33;
	value *= 0xc4ceb9fe1a85ec53ULL;
	return value ^ value >> 33;
}

uint64_t hash_bytes(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * 0x100000001b3ULL;
	return hash_u64(hash);
}

void map_init(struct map *map)
{
	*map = (struct map){0};
}

void map_fini(struct map *map)
{
	free(map->slots);
	*map = (struct map){0};
}

static struct map_slot *map_find(const struct map *map, uint64_t key)
{
	size_t at = hash_u64(key) & (map->cap - 1);

	while (map->slots[at].used && map->slots[at].key != key)
		at = (at + 1) & (map->cap - 1);
	return &map->slots[at];
}

uint64_t *map_get(const struct map *map, uint64_t key)
{
	if (!map->cap)
		return NULL;
	struct map_slot *slot = map_find(map, key);
	return slot->used ? &slot->value : NULL;
}

static void map_resize(struct map *map, size_t cap)
{
	struct map old = *map;

	map->cap = cap;
	map->slots = mem_zalloc(map->cap * sizeof(*map->slots));
	for (size_t i = 0; i < old.cap; i++) {
		if (old.slots[i].used)
			*map_find(map, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
}

void map_reserve(struct map *map, size_t count)
{
	size_t cap = map->cap ? map->cap : CAP_MIN;

	while (cap / 2 <= count && cap <= SIZE_MAX / 4)
		cap *= 2;
	if (cap > map->cap)
		map_resize(map, cap);
}

uint64_t *map_put(struct map *map, uint64_t key, uint64_t initial)
{
	if (map->len * 2 >= map->cap)
		map_resize(map, map->cap ? map->cap * 2 : CAP_MIN);
	struct map_slot *slot = map_find(map, key);
	if (!slot->used) {
		*slot = (struct map_slot){.key = key, .value = initial, .used = true};
		map->len++;
	}
	return &slot->value;
}

void strmap_init(struct strmap *map)
{
	*map = (struct strmap){0};
}

void strmap_fini(struct strmap *map)
{
	free(map->slots);
	*map = (struct strmap){0};
}

static struct strmap_slot *strmap_find(const struct strmap *map, const char *key)
{
	size_t at = hash_bytes(key, strlen(key)) & (map->cap - 1);

	while (map->slots[at].key && strcmp(map->slots[at].key, key) != 0)
		at = (at + 1) & (map->cap - 1);
	return &map->slots[at];
}

uint64_t *strmap_get(const struct strmap *map, const char *key)
{
	if (!map->cap)
		return NULL;
	struct strmap_slot *slot = strmap_find(map, key);
	return slot->key ? &slot->value : NULL;
}

static void strmap_resize(struct strmap *map)
{
	struct strmap old = *map;

	map->cap = old.cap ? old.cap * 2 : 16;
	map->slots = mem_zalloc(map->cap * sizeof(*map->slots));
	for (size_t i = 0; i < old.cap; i++) {
		if (old.slots[i].key)
			*strmap_find(map, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
}

uint64_t *strmap_put(struct strmap *map, const char *key, uint64_t initial)
{
	if (map->len * 2 >= map->cap)
		strmap_resize(map);
	struct strmap_slot *slot = strmap_find(map, key);
	if (!slot->key) {
		*slot = (struct strmap_slot){.key = key, .value = initial};
		map->len++;
	}
	return &slot->value;
}
