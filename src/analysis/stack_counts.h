/*
 * The samples of the event shown by their stacks, over all selected threads: what source lines,
 * instructions and annotations are counted from. Private to analysis.
 */
#ifndef TARE_ANALYSIS_STACK_COUNTS_H
#define TARE_ANALYSIS_STACK_COUNTS_H

#include "analysis/private.h"
#include "analysis/sample_stacks.h"

/* sample_range.c: those of the time asked for, from the samples in the order of time. */
bool analysis_load_range(struct analysis *analysis, struct profile *profile,
			 const struct analysis_options *options, struct sample_values *values,
			 struct error *err);

/* Element i is of the stack with id i + 1; inclusive: with all stacks below it. */
struct analysis_stacks {
	const struct profile_stack *rows; /* location 0: nothing is known to stand there */
	struct profile_stack *own_rows;	  /* these, where they are not the profile's */
	size_t count;
	uint32_t *nodes; /* of those of calls: whose part each is; ANALYSIS_NONE */
	struct analysis_place *values;
	uint32_t *first_child, *next_sibling; /* indexes; ANALYSIS_NONE where there is none */
	uint32_t first_root;
};

/*
 * call_sites.c: the call paths as stacks of the places that the calls were made from, for
 * analysis.by_call_site; nothing of calls from no known place counts.
 */
bool analysis_call_sites_init(struct analysis_stacks *stacks, const struct analysis *analysis,
			      struct profile *profile, struct error *err);

/* call_targets.c: analysis.call_targets, of the former. */
void analysis_load_call_targets(struct analysis *analysis, const struct analysis_stacks *stacks);

/* A sample_value's amounts of a side. */
void analysis_place_add_sample(struct analysis_place *to, const struct sample_value *value,
			       enum analysis_side side);
/* Adds the amounts of a side, not the calls. */
void analysis_place_add(struct analysis_place *to, const struct analysis_place *from,
			enum analysis_side side);

/* Of stacks with rows and exclusive values: the inclusive ones and the links. */
void analysis_stacks_link(struct analysis_stacks *stacks);
void analysis_stacks_init(struct analysis_stacks *stacks, const struct analysis *analysis,
			  const struct sample_values *values);
void analysis_stacks_fini(struct analysis_stacks *stacks);

void location_places_init(struct location_places *places, const struct analysis *analysis);
/* Ends those of the location, which has to follow the one before. */
void location_places_end(struct location_places *places, size_t location);
void location_places_fini(struct location_places *places);

/* Adds to values[place], which has places->count elements. */
void analysis_stacks_count(const struct analysis_stacks *stacks,
			   const struct location_places *places, struct analysis_place *values);
/* The same of what analysis shows of places, with the calls made from there. */
void analysis_places_count(const struct analysis *analysis, const struct location_places *places,
			   struct analysis_place *values);

/* node_lines.c: analysis.node_lines; of samples, their stacks have nodes. */
void analysis_load_sample_lines(struct analysis *analysis, const struct sample_values *values,
				const struct location_places *functions);

/* The lines of each location, by its id less one: rows first[i] to first[i + 1]. */
uint32_t *analysis_lines_of_locations(const struct analysis *analysis);

#endif
