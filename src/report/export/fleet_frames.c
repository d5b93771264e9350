/*
 * The table of frames: what a flame graph of many runs needs. A row per process and call path, its
 * threads together, for paths that have 1 / FRAME_SHARE of the process's CPU time or more with
 * their callees. The time of smaller callees is in `small` of the nearest caller that has a row, so
 * that `own` and `small` of all rows add up to the process. Of each path a process leaves out less
 * than 1 / FRAME_SHARE, so any number of them together leaves out less than that, too.
 */
#include "report/export/fleet_columns.h"

#include <stdlib.h>

enum { FRAME_SHARE = 10000 };

struct frame {
	uint32_t node;	 /* the first one of this path */
	uint32_t parent; /* index; ANALYSIS_NONE */
	uint32_t process;
	bool has_row;
	uint64_t calls, own, small, with_callees;
};

struct frames {
	const struct fleet *fleet;
	const struct analysis *analysis;
	int own_measure;
	const char *event, *unit;
	uint64_t *paths;		  /* by node */
	uint32_t *frame_of;		  /* by node */
	uint64_t *process_of;		  /* sums, by process */
	struct vec_of(struct frame) list; /* callers precede their callees */
};

static void collect(struct frames *frames)
{
	struct map known = {0};

	map_init(&known);
	for (uint32_t i = 0; i < frames->analysis->nodes.len; i++) {
		const struct analysis_node *node = &frames->analysis->nodes.data[i];
		const uint32_t process = frames->analysis->threads.data[node->thread].process;
		const uint64_t own = node->values.amount[frames->own_measure];
		const uint64_t key = fleet_path_hash((uint64_t)process + 1, frames->paths[i]);
		const uint32_t at = (uint32_t)*map_put(&known, key, frames->list.len);
		if (at == frames->list.len) {
			const uint32_t parent = node->parent == ANALYSIS_NONE
							? ANALYSIS_NONE
							: frames->frame_of[node->parent];
			vec_push(&frames->list,
				 ((struct frame){.node = i, .parent = parent, .process = process}));
		}
		frames->frame_of[i] = at;
		frames->list.data[at].calls += node->values.calls;
		frames->list.data[at].own += own;
		frames->process_of[process] += own;
	}
	map_fini(&known);
}

static void add_up(struct frames *frames)
{
	struct frame *list = frames->list.data;

	for (size_t i = frames->list.len; i-- > 0;) {
		list[i].with_callees += list[i].own;
		if (list[i].parent != ANALYSIS_NONE)
			list[list[i].parent].with_callees += list[i].with_callees;
	}
	for (size_t i = frames->list.len; i-- > 0;) {
		struct frame *frame = &list[i];
		const uint64_t least = frames->process_of[frame->process] / FRAME_SHARE;
		frame->has_row = frame->parent == ANALYSIS_NONE ||
				 (frame->with_callees && frame->with_callees >= least);
		if (!frame->has_row)
			list[frame->parent].small += frame->own + frame->small;
	}
}

static uint64_t in_unit(const struct frames *frames, uint64_t amount)
{
	return frames->own_measure == CPU_EXCLUSIVE ? analysis_ns(frames->analysis, amount)
						    : amount;
}

static void write_frame(const struct frames *frames, struct fleet_sheet *sheet,
			const struct frame *frame)
{
	const struct fleet *fleet = frames->fleet;
	const struct analysis_node *node = &frames->analysis->nodes.data[frame->node];
	const bool is_root = node->function == ANALYSIS_NONE;

	fleet_put_origin(sheet, &fleet->origins[frame->process]);
	sheet_number(sheet, (uint64_t)frame->process + 1);
	sheet_text(sheet, frames->event);
	sheet_text(sheet, frames->unit);
	sheet_number(sheet, frames->paths[frame->node]);
	sheet_number(sheet, node->parent == ANALYSIS_NONE ? 0 : frames->paths[node->parent]);
	sheet_number(sheet, node->level);
	sheet_number(sheet, is_root ? 0 : fleet->function_hash[node->function]);
	sheet_text(sheet, is_root ? "" : fleet->named->functions.data[node->function].name);
	sheet_number(sheet, frame->calls);
	sheet_number(sheet, in_unit(frames, frame->own));
	sheet_number(sheet, in_unit(frames, frame->small));
	sheet_number(sheet, in_unit(frames, frame->with_callees));
	sheet_end(sheet);
}

static void write_frames(struct frames *frames, struct fleet_sheet *sheet)
{
	const struct analysis *analysis = frames->analysis;

	frames->paths = fleet_paths(frames->fleet, analysis);
	frames->frame_of = mem_zalloc((analysis->nodes.len + 1) * sizeof(*frames->frame_of));
	frames->process_of =
		mem_zalloc((analysis->processes.len + 1) * sizeof(*frames->process_of));
	collect(frames);
	add_up(frames);
	vec_foreach (frame, &frames->list)
		if (frame->has_row && !ferror(sheet->stream))
			write_frame(frames, sheet, frame);
	vec_fini(&frames->list);
	free(frames->process_of);
	free(frames->frame_of);
	free(frames->paths);
}

void fleet_write_frames(const struct fleet *fleet, struct fleet_sheet *sheet)
{
	const struct analysis *samples = fleet->samples;

	if (fleet->calls)
		write_frames(&(struct frames){.fleet = fleet,
					      .analysis = fleet->calls,
					      .own_measure = CPU_EXCLUSIVE,
					      .event = "cpu",
					      .unit = "ns"},
			     sheet);
	if (samples && samples->event)
		write_frames(&(struct frames){.fleet = fleet,
					      .analysis = samples,
					      .own_measure = WEIGHT_EXCLUSIVE,
					      .event = samples->event->name,
					      .unit = samples->event->unit},
			     sheet);
}
