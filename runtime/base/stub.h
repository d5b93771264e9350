/* stub: what stands behind a stub's call of its handler (abi/module.h). */
#ifndef TARE_RUNTIME_BASE_STUB_H
#define TARE_RUNTIME_BASE_STUB_H

#include "abi/module.h"

/* The address that word `number` of a stub's data carries; not of an indirect call's. */
static inline uint64_t stub_addr(uint64_t return_addr, uint64_t number)
{
	const uint64_t at = return_addr + TARE_STUB_DATA + number * 4;

	return at + 4 + (uint64_t)(int64_t) * (const int32_t *)at;
}

#endif
