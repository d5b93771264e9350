/* The inside of struct lines, shared by lines.c, lines_units.c and lines_walk.c. */
#ifndef TARE_OBJECT_LINES_PRIVATE_H
#define TARE_OBJECT_LINES_PRIVATE_H

#include "object/lines.h"

#include <elfutils/libdw.h>

/*
 * Bounds of what is read for one call of lines_find: entries and ranges that are looked at. Far
 * more than any program has, and what damaged input can cost at most.
 */
enum { LINES_STEPS_MAX = 1 << 28, LINES_DEPTH_MAX = 256, LINES_INLINES_MAX = 512 };

/* A compilation unit. */
struct lines_unit {
	Dwarf_Die die;	/* that has the line table: the skeleton's where it is split */
	Dwarf_Die tree; /* that has the functions */
	bool has_tree;	/* false: they are in a file that is not there */
};

struct unit_range {
	uint64_t begin, end;
	uint64_t reach; /* the largest end up to here */
	size_t unit;
};

struct lines {
	const struct object *object;
	struct arena arena;
	enum lines_reason state;
	int fd;
	char *bytes;	       /* a copy of what is in no file, or what was unpacked, or NULL */
	struct file_view view; /* of what was unpacked before */
	const struct lines_store *store; /* while it is opened */
	Elf *elf;
	Dwarf *dwarf;
	struct vec_of(struct lines_unit) units;
	struct vec_of(struct unit_range) ranges; /* by begin */
	bool units_read;
	struct map listed; /* offset of a unit's entry → its index, of those from .debug_aranges */
	struct strmap sources; /* path as in the debug information → of the arena, cleaned */
	struct strmap names;   /* interned */
	uint64_t steps;	       /* that are left */
};

/* One address that is asked for. */
struct lines_query {
	uint64_t addr;
	size_t unit;  /* or SIZE_MAX */
	size_t frame; /* 1 + the innermost so far in the list of the walk; 0: none */
	struct lines_answer *answer;
};

/* A function, inlined or not, that holds code that is asked for. */
struct walk_frame {
	Dwarf_Die die;
	size_t outer; /* 1 + the frame that it was inlined into; 0: none */
	size_t depth; /* 1 for the outermost */
};

struct walk {
	struct lines *lines;
	struct lines_query *queries; /* of one unit, by address */
	size_t count;
	struct vec_of(struct walk_frame) frames;
	bool thorough; /* look for functions within functions too */
};

/* lines_unpack.c: is any of what lines need compressed, in a file that can be unpacked? */
enum { LINES_UNPACK_BYTES_MAX = 96 << 20 };
bool lines_is_packed(Elf *elf);
/* The file with that unpacked, and without the rest. False where that cannot be done. */
bool lines_unpack(Elf *elf, struct str *out);

/* lines_units.c: the unit that has code at `addr`, or SIZE_MAX. */
size_t lines_unit_at(struct lines *lines, uint64_t addr);
/* Counts one step; false when there were too many. */
bool lines_step(struct lines *lines);

/* lines_walk.c: finds the frames of all queries of a unit. */
void lines_walk_unit(struct walk *walk, struct lines_unit *unit);

#endif
