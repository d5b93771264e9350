/* See number.h. Independent of the locale. */
#include "report/words/number.h"

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

enum time_scale time_scale_for(uint64_t largest_ns)
{
	if (largest_ns >= UINT64_C(100000000000))
		return SCALE_S;
	if (largest_ns >= 1000000)
		return SCALE_MS;
	return largest_ns >= 1000 ? SCALE_US : SCALE_NS;
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

void time_append(struct str *out, uint64_t value, enum time_scale scale)
{
	if (scale == SCALE_NS || scale == SCALE_TICKS) {
		number_append(out, value);
		return;
	}
	const uint64_t unit = scale == SCALE_S ? 1000000 : scale == SCALE_MS ? 1000 : 1;
	const uint64_t thousandths = value / unit + (unit > 1 && value % unit >= unit / 2);
	number_append(out, thousandths / 1000);
	const unsigned rest = (unsigned)(thousandths % 1000);
	const char fraction[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
				 (char)('0' + rest % 10)};
	str_append_bytes(out, fraction, sizeof(fraction));
}

void time_append_with_unit(struct str *out, uint64_t ns, bool unicode)
{
	const enum time_scale scale = time_scale_for(ns);

	time_append(out, ns, scale);
	str_printf(out, " %s", time_scale_name(scale, unicode));
}
