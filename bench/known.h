/* The work of known.c, in the program and in its library. */
#ifndef TARE_BENCH_KNOWN_H
#define TARE_BENCH_KNOWN_H

#include <stdint.h>

static inline uint64_t known_chain(uint64_t x, long count)
{
	for (long i = 0; i < count; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

uint64_t known_library_work(uint64_t x, long count);

#endif
