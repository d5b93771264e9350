/* See number.h. Independent of the locale. */
#include "report/words/number.h"

enum { DECIMALS_MAX = 3, FOUR_DIGITS = 10000 };

void number_append(struct str *out, uint64_t number)
{
	char digits[32], *at = digits + sizeof(digits);

	for (int count = 0; number || !count; count++) {
		if (count && count % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + number % 10);
		number /= 10;
	}
	str_append_bytes(out, at, (size_t)(digits + sizeof(digits) - at));
}

void number_write(FILE *stream, uint64_t number)
{
	char digits[20], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	fwrite(at, 1, (size_t)(digits + sizeof(digits) - at), stream);
}

/* Of the units that have fractions. */
static uint64_t unit_ns(enum time_scale scale)
{
	switch (scale) {
	case SCALE_S:
		return UINT64_C(1000000000);
	case SCALE_MS:
		return 1000000;
	case SCALE_US:
		return 1000;
	case SCALE_NS:
	case SCALE_TICKS:
		break;
	}
	return 1;
}

/* What is rounded to the next unit has that one. */
enum time_scale time_scale_for(uint64_t largest_ns)
{
	if (largest_ns >= UINT64_C(9999500000))
		return SCALE_S;
	if (largest_ns >= 999950)
		return SCALE_MS;
	return largest_ns >= 1000 ? SCALE_US : SCALE_NS;
}

static uint64_t rounded(uint64_t value, uint64_t quantum)
{
	return value / quantum + (value % quantum >= quantum - quantum / 2);
}

unsigned time_decimals(uint64_t largest, enum time_scale scale)
{
	uint64_t quantum = unit_ns(scale) / 1000;
	unsigned decimals = quantum ? DECIMALS_MAX : 0;

	for (; decimals && rounded(largest, quantum) >= FOUR_DIGITS; quantum *= 10)
		decimals--;
	return decimals;
}

const char *time_scale_name(enum time_scale scale, bool unicode)
{
	switch (scale) {
	case SCALE_S:
		return "s";
	case SCALE_MS:
		return "ms";
	case SCALE_US:
		return unicode ? "\xc2\xb5s" : "us";
	case SCALE_NS:
		return "ns";
	case SCALE_TICKS:
		break;
	}
	return "ticks";
}

void time_append(struct str *out, uint64_t value, enum time_scale scale, unsigned decimals)
{
	uint64_t quantum = unit_ns(scale), parts = 1;

	for (unsigned i = 0; i < decimals; i++) {
		quantum /= 10;
		parts *= 10;
	}
	const uint64_t count = rounded(value, quantum);
	number_append(out, count / parts);
	if (decimals)
		str_printf(out, ".%0*llu", (int)decimals, (unsigned long long)(count % parts));
}

void time_append_with_unit(struct str *out, uint64_t ns, bool unicode)
{
	const enum time_scale scale = ns >= UINT64_C(999950000) ? SCALE_S : time_scale_for(ns);

	time_append(out, ns, scale, time_decimals(ns, scale));
	str_printf(out, " %s", time_scale_name(scale, unicode));
}
