#include "sampler/interrupt_cost.h"

#include "sampler/clock_gaps.h"
#include "sampler/perf_events.h"
#include "sampler/perf_ring.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PERIOD_NS   100000
#define SPAN_NS	    8000000
#define SAMPLES_MAX (SPAN_NS / PERIOD_NS)
#define RING_BYTES  (64 << 10)

struct measurement {
	int fd;
	struct perf_ring ring;
	struct clock_gaps gaps;
	uint64_t samples_ns[SAMPLES_MAX];
	size_t count;
};

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

static void take_samples(struct measurement *measurement)
{
	const struct perf_event_header *record;
	size_t size;

	perf_ring_look(&measurement->ring);
	while ((record = perf_ring_next(&measurement->ring, &size)) != NULL) {
		uint64_t time;

		if (record->type == PERF_RECORD_SAMPLE && size >= sizeof(*record) + sizeof(time) &&
		    measurement->count < SAMPLES_MAX) {
			memcpy(&time, record + 1, sizeof(time));
			measurement->samples_ns[measurement->count++] = time;
		}
		perf_ring_consume(&measurement->ring, size);
	}
}

static uint64_t measure(struct measurement *measurement)
{
	ioctl(measurement->fd, PERF_EVENT_IOC_ENABLE, 0);
	clock_gaps_find(&measurement->gaps, SPAN_NS);
	ioctl(measurement->fd, PERF_EVENT_IOC_DISABLE, 0);
	take_samples(measurement);
	return clock_gaps_cost(&measurement->gaps, measurement->samples_ns, measurement->count);
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
