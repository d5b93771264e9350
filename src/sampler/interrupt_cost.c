/*
 * Gaps without a sample are other interrupts, which meet plain runs, too. In the long ones another
 * thread had the processor.
 */
#include "sampler/interrupt_cost.h"

#include "sampler/perf_events.h"
#include "sampler/perf_ring.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000ULL
#define PERIOD_NS     100000
#define SPAN_NS	      8000000
#define GAP_NS	      1000 /* shorter ones are readings */
#define LONG_NS	      300000
#define GAPS_MAX      4096
#define SAMPLES_MAX   (SPAN_NS / PERIOD_NS)
#define SAMPLES_MIN   16
#define RING_BYTES    (64 << 10)

static int compare_lengths(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t interrupt_cost_of(const struct interrupt_gap *gaps, size_t gap_count,
			   const uint64_t *samples_ns, size_t sample_count)
{
	struct vec_of(uint64_t) lengths = {0};
	size_t at = 0;

	for (size_t i = 0; i < sample_count; i++) {
		while (at < gap_count && gaps[at].end_ns < samples_ns[i])
			at++;
		if (at < gap_count && gaps[at].begin_ns <= samples_ns[i])
			vec_push(&lengths, gaps[at].end_ns - gaps[at].begin_ns);
	}
	if (lengths.len)
		qsort(lengths.data, lengths.len, sizeof(*lengths.data), compare_lengths);
	const uint64_t cost = lengths.len >= SAMPLES_MIN ? lengths.data[lengths.len / 4] : 0;

	vec_fini(&lengths);
	return cost;
}

/* ---- one measurement ---- */

struct measurement {
	int fd;
	struct perf_ring ring;
	struct interrupt_gap gaps[GAPS_MAX];
	size_t gap_count;
	uint64_t outside_ns, short_ns; /* between gaps, and in those that are not long */
	uint64_t cpu_ns;	       /* that the thread's CPU clock has advanced by */
	uint64_t samples[SAMPLES_MAX];
	size_t sample_count;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

/* As a recording's event, less the stack. */
static bool open_event(struct measurement *measurement, bool kernel)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .sample_period = PERIOD_NS,
				       .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
				       .exclude_callchain_user = 1,
				       .exclude_kernel = !kernel,
				       .exclude_hv = 1,
				       .disabled = 1,
				       .use_clockid = 1,
				       .clockid = CLOCK_MONOTONIC,
				       .watermark = 1,
				       .wakeup_watermark = RING_BYTES};

	measurement->fd = perf_event_open(&attr, 0, -1);
	return measurement->fd >= 0 &&
	       perf_ring_open(&measurement->ring, measurement->fd, RING_BYTES);
}

static void gap_add(struct measurement *measurement, uint64_t begin, uint64_t end)
{
	if (end - begin < LONG_NS)
		measurement->short_ns += end - begin;
	if (measurement->gap_count < GAPS_MAX)
		measurement->gaps[measurement->gap_count++] =
			(struct interrupt_gap){.begin_ns = begin, .end_ns = end};
}

static void spin(struct measurement *measurement)
{
	const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	uint64_t last = begin, now;

	do {
		now = clock_ns(CLOCK_MONOTONIC);
		if (now - last > GAP_NS)
			gap_add(measurement, last, now);
		else
			measurement->outside_ns += now - last;
		last = now;
	} while (now - begin < SPAN_NS);
}

static void take_samples(struct measurement *measurement)
{
	const struct perf_event_header *record;
	size_t size;

	perf_ring_look(&measurement->ring);
	while ((record = perf_ring_next(&measurement->ring, &size)) != NULL) {
		uint64_t time;

		if (record->type == PERF_RECORD_SAMPLE && size >= sizeof(*record) + sizeof(time) &&
		    measurement->sample_count < SAMPLES_MAX) {
			memcpy(&time, record + 1, sizeof(time));
			measurement->samples[measurement->sample_count++] = time;
		}
		perf_ring_consume(&measurement->ring, size);
	}
}

/* What part of the gaps the thread was charged for: between them it was on the processor. */
static double charged(const struct measurement *measurement)
{
	const double in_gaps = (double)measurement->cpu_ns - (double)measurement->outside_ns;
	const double part = in_gaps / ((double)measurement->short_ns + 1);

	return part < 0 ? 0 : part > 1 ? 1 : part;
}

static uint64_t measure(struct measurement *measurement)
{
	const uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	ioctl(measurement->fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(measurement);
	ioctl(measurement->fd, PERF_EVENT_IOC_DISABLE, 0);
	measurement->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	take_samples(measurement);
	const uint64_t cost = interrupt_cost_of(measurement->gaps, measurement->gap_count,
						measurement->samples, measurement->sample_count);

	return (uint64_t)((double)cost * charged(measurement));
}

uint64_t interrupt_cost_ns(bool kernel)
{
	struct measurement *measurement = mem_zalloc(sizeof(*measurement));
	const uint64_t cost = open_event(measurement, kernel) ? measure(measurement) : 0;

	perf_ring_close(&measurement->ring);
	if (measurement->fd >= 0)
		close(measurement->fd);
	free(measurement);
	return cost;
}
