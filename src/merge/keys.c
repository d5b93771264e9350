/* The texts by which rows of different profiles are the same, and their order. */
#include "merge/private.h"

#include <assert.h>
#include <string.h>

struct ranked {
	const char *text;
	uint32_t index;
};

void keys_init(struct keys *keys, struct arena *arena)
{
	*keys = (struct keys){.arena = arena};
	strmap_init(&keys->map);
}

void keys_fini(struct keys *keys)
{
	strmap_fini(&keys->map);
	vec_fini(&keys->list);
}

size_t keys_find(struct keys *keys, const char *text, bool *fresh)
{
	const uint64_t *known = strmap_get(&keys->map, text);

	*fresh = !known;
	if (known)
		return *known;
	const char *kept = arena_strdup(keys->arena, text);
	strmap_put(&keys->map, kept, keys->list.len);
	vec_push(&keys->list, kept);
	return keys->list.len - 1;
}

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return strcmp(x->text, y->text);
}

void keys_rank(const struct keys *keys, uint32_t **rank, uint32_t **order)
{
	const size_t count = keys->list.len;
	struct ranked *ranked = mem_zalloc((count + 1) * sizeof(*ranked));

	*rank = mem_zalloc((count + 1) * sizeof(**rank));
	*order = mem_zalloc((count + 1) * sizeof(**order));
	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){.text = keys->list.data[i], .index = (uint32_t)i};
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < count; i++) {
		(*rank)[ranked[i].index] = (uint32_t)i;
		(*order)[i] = ranked[i].index;
	}
	free(ranked);
}

int64_t id_of(const struct ranking *ranking, int64_t index)
{
	assert(index >= 0);
	return (int64_t)ranking->rank[index] + 1;
}
