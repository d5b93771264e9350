/* See path_room.h. The order of `claims` changes. */
#include "assemble/path_room.h"

#include <stdlib.h>

static uint64_t weight_of(const struct path_claim *claim)
{
	return claim->ticks ? claim->ticks : 1;
}

/* Those first that need least for their work; the order of equal ones does not matter. */
static int compare_claims(const void *a, const void *b)
{
	const struct path_claim *x = *(struct path_claim *const *)a,
				*y = *(struct path_claim *const *)b;
	const unsigned __int128 left = (unsigned __int128)x->paths * weight_of(y),
				right = (unsigned __int128)y->paths * weight_of(x);

	return left < right ? -1 : left > right;
}

void path_room_share(struct path_claim **claims, size_t count, uint64_t room)
{
	unsigned __int128 work = 0;

	if (!room)
		room = count > PATH_ROOM_THREADS ? PATH_ROOM_MANY : PATH_ROOM_USUAL;
	for (size_t i = 0; i < count; i++)
		work += weight_of(claims[i]);
	if (count)
		qsort(claims, count, sizeof(*claims), compare_claims);
	for (size_t i = 0; i < count; i++) {
		struct path_claim *claim = claims[i];
		const uint64_t share =
			(uint64_t)((unsigned __int128)room * weight_of(claim) / work);

		claim->room = claim->paths < share ? claim->paths : share;
		room -= claim->room;
		work -= weight_of(claim);
	}
}
