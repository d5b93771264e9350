/*
 * listing: the instructions of functions as the modules' files on this machine have them: their
 * bytes, where jumps and calls lead, and the source lines that each stands for. It knows no values:
 * these are in annotate.h, by address.
 */
#ifndef TARE_ANALYSIS_LISTING_H
#define TARE_ANALYSIS_LISTING_H

#include "analysis/analysis.h"

/* The numbers are those of the page, see docs/development/page.md. */
enum listing_kind {
	LISTING_PLAIN,
	LISTING_BRANCH, /* conditional */
	LISTING_JUMP,
	LISTING_JUMP_INDIRECT,
	LISTING_CALL,
	LISTING_CALL_INDIRECT,
	LISTING_RETURN,
	LISTING_STOP, /* never goes on */
};

/* A line by the path of lines that it was inlined through. */
struct listing_place {
	uint32_t outer; /* index of the place that it was inlined at; ANALYSIS_NONE: none */
	const char *source;
	uint32_t line;
};

struct listing_instruction {
	uint64_t link_addr;
	uint64_t target; /* of a direct jump or call; 0: it has none */
	uint32_t place;	 /* index, the innermost line; ANALYSIS_NONE: no line is known */
	uint8_t length;
	enum listing_kind kind;
	unsigned char bytes[15];
};

struct listing {
	uint32_t function;
	struct vec_of(struct listing_instruction) instructions; /* ascending */
};

struct code_reader;

struct listings {
	struct arena arena;
	struct code_reader *code;		 /* the files that were read, which stay open */
	struct vec_of(struct listing) functions; /* as they were asked for */
	struct vec_of(struct listing_place) places;
};

/*
 * Lists functions until there are `most` instructions, but always the first one: *functions may
 * have fewer than were asked for. What has no code here has no instructions. Ask for many at a
 * time: debug information is read once per module. To be freed by listings_fini.
 */
void listings_make(const struct analysis *analysis, const uint32_t *functions, size_t count,
		   size_t most, struct listings *listings);
void listings_fini(struct listings *listings);

/* The instruction at an address of the function; NULL: there is none. */
const struct listing_instruction *listing_at(const struct listing *listing, uint64_t link_addr);
/* The line of the function itself that a place lies below. */
const struct listing_place *listing_outermost(const struct listings *listings, uint32_t place);

#endif
