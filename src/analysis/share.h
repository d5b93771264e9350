/*
 * share: a whole is shared out in proportion to weights, in whole numbers that add up to it.
 * Private to analysis.
 */
#ifndef TARE_ANALYSIS_SHARE_H
#define TARE_ANALYSIS_SHARE_H

#include <stdint.h>

/* Sums of a file's numbers may be large and of either sign: the file is anybody's. */
typedef __int128 wide;

struct share {
	wide whole, weight; /* what is shared out, and the sum of all weights */
	wide passed;	    /* of that, by the shares so far */
};

/* `part` of `all`, as part of `whole`, rounded down; 0 where `all` is. None is below 0. */
wide share_in_proportion(wide part, wide all, wide whole);

/*
 * The share of the next weight. When all weights have come, the shares are the whole. Where all
 * weights are 0, the first one has it.
 */
uint64_t share_next(struct share *share, wide weight);

#endif
