/*
 * Ticks of an input in nanoseconds, to the nearest: every row of an input is converted by itself
 * and once, so that sums of the converted rows do not depend on the order of merging. A profile
 * that was merged has nanoseconds already and is not changed.
 */
#include "merge/private.h"

#include <math.h>

static bool is_in_ns(const struct input *input)
{
	return input->ticks_per_second == 1e9;
}

uint64_t rescale(const struct input *input, uint64_t ticks)
{
	if (is_in_ns(input))
		return ticks;
	const long double ns =
		roundl((long double)ticks * 1e9L / (long double)input->ticks_per_second);
	return ns < 0x1p63L ? (uint64_t)ns : UINT64_MAX;
}

int64_t rescale_signed(const struct input *input, int64_t ticks)
{
	const uint64_t size = ticks < 0 ? 0 - (uint64_t)ticks : (uint64_t)ticks;
	const uint64_t ns = rescale(input, size);
	const int64_t limited = ns > INT64_MAX ? INT64_MAX : (int64_t)ns;

	return ticks < 0 ? -limited : limited;
}

uint64_t rescale_time(const struct input *input, uint64_t ticks)
{
	uint64_t ns = ticks > input->begin_ticks ? rescale(input, ticks - input->begin_ticks) : 0;

	add_count(&ns, input->base_ns);
	return ns;
}

void rescale_calibration(const struct input *input, struct tare_calibration *calibration)
{
	for (int i = 0; i < TARE_PAIRS; i++) {
		calibration->inside_ticks[i] = rescale(input, calibration->inside_ticks[i]);
		calibration->outside_ticks[i] = rescale(input, calibration->outside_ticks[i]);
	}
	calibration->bare_ticks = rescale(input, calibration->bare_ticks);
	calibration->syscall_ticks = rescale(input, calibration->syscall_ticks);
	calibration->counters_ticks = rescale(input, calibration->counters_ticks);
	calibration->gates_ticks = rescale(input, calibration->gates_ticks);
}

uint32_t rescale_bucket(const struct input *input, uint32_t bucket)
{
	if (is_in_ns(input) || bucket == 0)
		return bucket;
	const uint64_t least = (uint64_t)1 << (bucket - 1);
	const uint64_t ns = rescale(input, least + least / 2);
	return tare_call_bucket(ns > INT64_MAX ? INT64_MAX : ns);
}

uint64_t time_out(const struct output *output, uint64_t ticks)
{
	const uint64_t base = output->merge->session.base_ns;

	return ticks > base ? ticks - base : 0;
}
