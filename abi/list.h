/*
 * What follows from a list: a macro LIST(ITEM) with a line ITEM(name, …) for each of its items.
 */
#ifndef TARE_ABI_LIST_H
#define TARE_ABI_LIST_H

#define TARE_LIST_NAME(name, ...)  name
#define TARE_LIST_RANGE(name, ...) name##_min, name##_max
#define TARE_LIST_ONE(name, ...)   0
#define TARE_LIST_COUNT(LIST)	   sizeof((char[]){LIST(TARE_LIST_ONE)})

/* Members of a struct: each by its name, and all of them. */
#define TARE_LIST_MEMBERS(type, all, LIST)                                                         \
	union {                                                                                    \
		type all[TARE_LIST_COUNT(LIST)];                                                   \
		struct {                                                                           \
			type LIST(TARE_LIST_NAME);                                                 \
		};                                                                                 \
	}
/* The same of ranges: `name`_min and `name`_max, and all as pairs. */
#define TARE_LIST_RANGES(type, all, LIST)                                                          \
	union {                                                                                    \
		type all[TARE_LIST_COUNT(LIST)][2];                                                \
		struct {                                                                           \
			type LIST(TARE_LIST_RANGE);                                                \
		};                                                                                 \
	}

#endif
