/*
 * Growing array. `struct vec_of(T) v = {0};` then vec_push(&v, x); elements in v.data[0..v.len).
 * vec_fini frees it. Elements move when it grows: do not keep pointers across a push.
 */
#ifndef TARE_BASE_VEC_H
#define TARE_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#define vec_of(type)                                                                               \
	{                                                                                          \
		type *data;                                                                        \
		size_t len, cap;                                                                   \
	}

void vec_grow(void **data, size_t *cap, size_t want, size_t element_bytes);

/* Makes room for `extra` more elements without changing len. */
#define vec_reserve(v, extra)                                                                      \
	do {                                                                                       \
		if ((v)->cap - (v)->len < (size_t)(extra))                                         \
			vec_grow((void **)&(v)->data, &(v)->cap, (v)->len + (size_t)(extra),       \
				 sizeof(*(v)->data));                                              \
	} while (0)

#define vec_push(v, value)                                                                         \
	do {                                                                                       \
		vec_reserve(v, 1);                                                                 \
		(v)->data[(v)->len++] = (value);                                                   \
	} while (0)

/* Appends `count` elements from `from`. */
#define vec_append(v, from, count)                                                                 \
	do {                                                                                       \
		const size_t vec_count = (count);                                                  \
		vec_reserve(v, vec_count);                                                         \
		if (vec_count)                                                                     \
			__builtin_memcpy((v)->data + (v)->len, (from),                             \
					 vec_count * sizeof(*(v)->data));                          \
		(v)->len += vec_count;                                                             \
	} while (0)

#define vec_last(v) ((v)->data[(v)->len - 1])

#define vec_foreach(item, v)                                                                       \
	for (__typeof__(*(v)->data) *item = (v)->data; item && item < (v)->data + (v)->len; item++)

#define vec_sort(v, compare)                                                                       \
	do {                                                                                       \
		if ((v)->len > 1)                                                                  \
			qsort((v)->data, (v)->len, sizeof(*(v)->data), (compare));                 \
	} while (0)

#define vec_fini(v)                                                                                \
	do {                                                                                       \
		free((v)->data);                                                                   \
		(v)->data = NULL;                                                                  \
		(v)->len = (v)->cap = 0;                                                           \
	} while (0)

struct byte_vec vec_of(unsigned char);

#endif
