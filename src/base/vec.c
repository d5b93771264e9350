/* Growth by doubling; see vec.h. */
#include "base/vec.h"

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

void vec_grow(void **data, size_t *cap, size_t want, size_t element_bytes)
{
	size_t size = *cap ? *cap * 2 : 8;

	if (size < want)
		size = want;
	if (size > SIZE_MAX / element_bytes)
		abort();
	*data = mem_realloc(*data, size * element_bytes);
	mem_advise_large(*data, size * element_bytes);
	*cap = size;
}
