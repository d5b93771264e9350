/*
 * What recordings have learned of a copy: which of its functions and call sites start disarmed, as
 * they are only counted in the end (--adaptive). It is kept beside the copy; the recorder puts what
 * is valid into the session, as TARE_LEARNED_NAME and the first 8 bytes of the source_id as a
 * decimal number, before the copy's path is replied.
 *
 * A command that is recorded again gets, where there is one, a bare copy: what was learned has its
 * counters there and no probes. It is another copy of the same file with the same arming bytes, so
 * what is learned is about both, and kept beside the one that has all probes.
 *
 *   struct tare_learned | one bit per arming byte, the first in the lowest bit
 *                       | the same: in the cache what the last bare copy leaves out; in the session
 *                         what the copy that is loaded does, all of it learned
 */
#ifndef TARE_ABI_LEARNED_H
#define TARE_ABI_LEARNED_H

#include <stdbool.h>
#include <stdint.h>

#define TARE_LEARNED_NAME  "learned."
#define TARE_LEARNED_MAGIC 0x6e7261656c657261ULL /* "arelearn" */
#define TARE_LEARNED_ABI   3
#define TARE_LEARNED_MAX   (1U << 24) /* bits */

/* Who is judged, by the process that calls it (runtime/control/sums.h), and by all processes
   together when they have ended (assemble/learning.h): nobody by fewer calls, … */
#define TARE_JUDGED_CALLS_MIN 200
/* … and nobody who waits for one in so many of its time: it is timed for that. */
#define TARE_JUDGED_WAITS 8
/* Nor who calls what waits so many times as long as its probes take: at an end of an interval with
   an OS event they take twenty times as long as else. */
#define TARE_JUDGED_LEADS 1024
/* But these take no more than one in so many of the work. */
#define TARE_JUDGED_LEADS_SHARE 64
/* A wait is so many callers', from the innermost on; once each function's. */
#define TARE_JUDGED_CALLERS 64

/*
 * Is a function timed for the waits of what it calls? Without it these are on its caller's path: of
 * who waits for a lock, only the function that had got it late. All in ticks.
 */
static inline bool tare_judged_leads(uint64_t waits_below, uint64_t probes, uint64_t worked)
{
	return waits_below / TARE_JUDGED_LEADS >= probes &&
	       probes <= worked / TARE_JUDGED_LEADS_SHARE && waits_below;
}

struct tare_learned {
	uint64_t magic;
	uint32_t abi;
	uint32_t count;	       /* of functions and call sites; else it is another copy's */
	uint8_t source_id[32]; /* of struct tare_module; the same */
	uint8_t command[32];   /* digest of the one that the bare copy is for; in the cache */
};

_Static_assert(sizeof(struct tare_learned) == 80, "shared layout");

#endif
