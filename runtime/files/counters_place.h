/* counters_place: where the counters of modules lie for a thread, and pages of their file there. */
#ifndef TARE_RUNTIME_FILES_COUNTERS_PLACE_H
#define TARE_RUNTIME_FILES_COUNTERS_PLACE_H

#include "runtime/base/module.h"

#include <stdint.h>

/* A loaded module that counts. */
struct counted_module {
	const struct tare_module *module;
	uint64_t id; /* counters_id of it */
	uint64_t ordinal;
	uint64_t addr, size_bytes; /* of its counters; whole pages */
	bool shared;		   /* counts without %gs: in one place for all threads */
	bool unknown;		   /* all of the module: where it counts there is not known */
};

struct counted_modules {
	struct counted_module *items;
	uint64_t count, room;
};

/*
 * A distance at which the counters of all modules find nothing, the `number`-th of those that are
 * looked for; their places are taken with memory that cannot be touched, but for those of modules
 * that count at places not known. False where there is none.
 */
bool counters_reserve(const struct counted_modules *modules, uint64_t number, int64_t *delta);

/* The same for one module and a distance that is known. */
bool counters_reserve_at(const struct counted_module *module, int64_t delta);

/* Gives such a place, or pages there, back. */
void counters_release(const struct counted_module *module, int64_t delta);

/* Tells a file from others. */
uint64_t counters_id(const struct tare_module *module);

/* Whether a module that was closed is still in memory; true if the kernel does not say. */
bool counters_is_there(const struct counted_module *module);

/* Puts pages at `map` there, over what there is. `stays`: the file goes on to be mapped at `map`.
 */
bool counters_move(uint64_t map, const struct counted_module *module, int64_t delta, bool stays);

/* Memory of no file there: nothing that is counted in it is kept. */
void counters_put_private(const struct counted_module *module, int64_t delta);

/* Lets the module count without %gs. `runs`: its code may be executed meanwhile. */
bool counters_unprefix(const struct tare_module *module, bool runs);

#endif
