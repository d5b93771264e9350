/* What a thread did, over a time and in parts of it. */
#include "report/table/getter.h"
#include "report/words/sparkline.h"

/* A part in which the thread did nothing else for so much of it is idle. */
#define MOSTLY 0.875

GET(lane_begin)
{
	const uint64_t begin = profile_session(report->analysis->profile)->begin_ticks;

	set_ticks(report, cell, row->lane->range.begin - begin);
}

GET(lane_end)
{
	const uint64_t begin = profile_session(report->analysis->profile)->begin_ticks;

	set_ticks(report, cell, row->lane->range.end - begin);
}

static uint64_t blocked(const struct thread_state_slice *slice)
{
	uint64_t ticks = 0;

	for (int i = 0; i < WAITINGS; i++)
		ticks += slice->blocked[i];
	return ticks;
}

GET(lane)
{
	const struct thread_state_slice *sum = &row->lane->sum;
	const uint64_t ticks = column->param == LANE_CPU	 ? sum->cpu
			       : column->param == LANE_BLOCKED	 ? blocked(sum)
			       : column->param == LANE_PREEMPTED ? sum->preempted
								 : sum->blocked[column->param];

	set_ticks(report, cell, ticks);
}

/* One sign: how busy the thread was, or what it mostly waited for. */
static void append_state(struct str *out, const struct thread_state_slice *slice, uint64_t length,
			 bool unicode)
{
	const char *const signs[WAITINGS] = {[WAITING_OTHER] = "w",
					     [WAITING_LOCK] = "L",
					     [WAITING_IO] = "f",
					     [WAITING_IDLE] = unicode ? "\u00b7" : "."};
	const uint64_t all = slice->cpu + slice->preempted + blocked(slice);
	const char *sign = "p";
	uint64_t most = slice->preempted;

	if (!all) {
		str_append(out, " ");
		return;
	}
	for (int i = 0; i < WAITINGS; i++) {
		const bool counts =
			i != WAITING_IDLE || (double)slice->blocked[i] >= MOSTLY * (double)all;

		if (counts && slice->blocked[i] > most) {
			most = slice->blocked[i];
			sign = signs[i];
		}
	}
	if (slice->cpu >= most)
		sparkline_append(out, &slice->cpu, 1, length ? length : 1, unicode);
	else
		str_append(out, sign);
}

GET(lane_states)
{
	const struct report_lane *lane = row->lane;
	const uint64_t length = (lane->range.end - lane->range.begin) / lane->range.count;

	for (uint32_t i = 0; i < lane->range.count; i++)
		append_state(scratch, &lane->slices[i], length, report->options->unicode);
	cell_set_scratch(cell, scratch);
}
