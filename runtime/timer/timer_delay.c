/*
 * Delays without memory: - mean × ln(u), of a number u between 0 and 1. The logarithm is that of
 * base 2: the leading zeros, and for the rest a parabola, which is never wrong by more than 0.008.
 */
#include "runtime/timer/timer_between.h"

#define LN_2	 2977044472ULL /* << 32 */
#define PARABOLA 1478291063ULL /* << 32: log2(1 + f) - f is about this much × f (1 - f) */
#define ONE	 (1ULL << 32)

/* Marsaglia's xorshift64 */
uint64_t timer_random(uint64_t *state)
{
	uint64_t random = *state;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	*state = random;
	return random;
}

/* - log2(value / 2^64) << 32 */
static uint64_t log2_below(uint64_t value)
{
	const uint64_t zeros = (uint64_t)__builtin_clzll(value);
	const uint64_t rest = value << zeros << 1 >> 32;
	const uint64_t bow = (rest * (ONE - rest) >> 32) * PARABOLA >> 32;

	return ((zeros + 1) << 32) - rest - bow;
}

uint64_t timer_delay_draw(uint64_t *random, uint64_t mean_ns)
{
	const uint64_t log2 = log2_below(timer_random(random) | 1);
	const uint64_t delay_ns =
		(uint64_t)((unsigned __int128)(mean_ns * LN_2 >> 32) * log2 >> 32);

	return delay_ns + 1;
}
