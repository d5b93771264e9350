/*
 *   blocks ─insn─▶ addresses of instructions ─object/lines─▶ lines ─▶ runs: a block's lines, in
 * order
 *
 * A line is executed as often as control comes to it from another line, or from outside, but once
 * in a block, as optimised code has lines in pieces among others; and, where a loop of blocks ends
 * in one line each, as often as the loop begins anew. That is how gcov counts (gcc/gcov.cc,
 * accumulate_line_info). Two things leave a line only to come back, and begin no execution of it:
 *
 *   10: if (a ||      ─▶ test a (10) ─▶ load b (11), test it (10)    the block ends in the line
 *   11:     b)
 *   20: x = inlined() ─▶ 20 ─▶ 31, 32: inlined there ─▶ 20           what runs is part of the line
 *
 * Code without a line belongs to the line before it.
 */
#include "assemble/flow_lines.h"

#include "insn/insn.h"

#include <stdlib.h>
#include <string.h>

/* ---- addresses ---- */

struct addresses vec_of(uint64_t);

/* Of all instructions. first[i] is the first one of block i. */
static void find_instructions(const struct flow *flow, const struct object *object,
			      uint64_t note_addr, uint32_t *first, struct addresses *addrs)
{
	for (uint32_t i = 0; i < flow->block_count; i++) {
		const uint64_t addr = flow_block_addr(flow, i, note_addr);
		const uint64_t size = flow->blocks[i].size;
		const unsigned char *bytes = object_at(object, addr, size);
		struct insn insn;

		first[i] = (uint32_t)addrs->len;
		for (uint64_t at = 0; bytes && at < size; at += insn.length) {
			if (!insn_decode(bytes + at, size - at, addr + at, &insn))
				break;
			vec_push(addrs, addr + at);
		}
	}
	first[flow->block_count] = (uint32_t)addrs->len;
}

/* ---- lines ---- */

struct line_reading {
	struct flow_lines *lines;
	struct strmap sources; /* path → number */
	struct map known;      /* number of the source and line → 1 + number of the line */
};

static struct flow_place place_of(const struct lines_answer *answer)
{
	if (!answer->count || !answer->frames[0].source || !answer->frames[0].line)
		return (struct flow_place){0};
	return (struct flow_place){answer->frames, answer->count};
}

/* 1 + the line's number; 0: the code has none. */
static uint32_t line_of(struct line_reading *reading, const struct lines_frame *frame)
{
	struct flow_lines *lines = reading->lines;

	if (!frame->source || !frame->line)
		return 0;
	const struct flow_line line = {frame->source, frame->line};
	const uint64_t source = *strmap_put(&reading->sources, line.source, reading->sources.len);
	const uint64_t number =
		*map_put(&reading->known, source << 32 | line.line, lines->lines.len + 1);

	if (number > lines->lines.len)
		vec_push(&lines->lines, line);
	return (uint32_t)number;
}

static bool is_same_line(const struct lines_frame *a, const struct lines_frame *b)
{
	return a->line == b->line && a->source && b->source &&
	       (a->source == b->source || !strcmp(a->source, b->source));
}

/* Whether the code is the place's own, or was inlined there. */
static bool is_part(struct flow_place code, struct flow_place place)
{
	if (code.count < place.count || !place.count)
		return false;
	const struct lines_frame *frames = code.frames + (code.count - place.count);

	for (size_t i = 1; i < place.count; i++)
		if (!is_same_line(&frames[i], &place.frames[i]) ||
		    frames[i].column != place.frames[i].column)
			return false;
	return is_same_line(frames, place.frames);
}

static bool is_same(struct flow_place a, struct flow_place b)
{
	return a.count == b.count && is_part(a, b);
}

/* The code begins a run of each of its places that the code before it in the block was no part of.
 */
static void begin_runs(struct line_reading *reading, struct flow_place before,
		       struct flow_place code)
{
	for (size_t i = 0; i < code.count; i++) {
		const struct flow_place place = {code.frames + i, code.count - i};
		const uint32_t line = line_of(reading, place.frames);

		if (line && !is_part(before, place))
			vec_push(&reading->lines->runs,
				 ((struct flow_run){.line = line - 1,
						    .place = place,
						    .goes_on = !before.count}));
	}
}

static void find_runs_of(struct line_reading *reading, uint32_t block,
			 const struct lines_answer *begin, const struct lines_answer *end)
{
	struct flow_lines *lines = reading->lines;
	struct flow_place before = {0};

	lines->first[block] = (uint32_t)lines->runs.len;
	for (const struct lines_answer *at = begin; at < end; at++) {
		const struct flow_place code = place_of(at);
		if (!code.count || code.frames == before.frames)
			continue;
		begin_runs(reading, before, code);
		before = code;
	}
	for (size_t i = lines->first[block]; i < lines->runs.len; i++)
		lines->runs.data[i].goes_on |= is_part(before, lines->runs.data[i].place);
	lines->ends[block] = before;
	lines->last[block] = before.count ? line_of(reading, before.frames) : 0;
}

/* first[i] is that of the instructions, and becomes that of the runs. */
static void find_runs(struct line_reading *reading, const struct flow *flow,
		      const struct lines_answer *answers)
{
	struct flow_lines *lines = reading->lines;

	for (uint32_t i = 0; i < flow->block_count; i++)
		find_runs_of(reading, i, answers + lines->first[i], answers + lines->first[i + 1]);
	lines->first[flow->block_count] = (uint32_t)lines->runs.len;
}

/* A place that comes again in a block is there once: instructions are interleaved. */
static void find_again(struct flow_lines *lines, const struct flow *flow)
{
	/* Per line, 1 + its last run so far; per run, the same of the one before it. */
	uint32_t *last = mem_zalloc((lines->lines.len + 1) * sizeof(*last));
	uint32_t *before = mem_zalloc((lines->runs.len + 1) * sizeof(*before));

	for (uint32_t i = 0; i < flow->block_count; i++)
		for (uint32_t k = lines->first[i]; k < lines->first[i + 1]; k++) {
			struct flow_run *runs = lines->runs.data;

			before[k] = last[runs[k].line];
			last[runs[k].line] = k + 1;
			for (uint32_t at = before[k]; at > lines->first[i] && !runs[k].again;
			     at = before[at - 1])
				runs[k].again = is_same(runs[at - 1].place, runs[k].place);
		}
	free(last);
	free(before);
}

/* ---- loops in one line ---- */

/* Blocks that end in a place are gone through depth first: an edge to one that is still open closes
 * a loop. */
struct search {
	struct flow_lines *lines;
	const struct flow *flow;
	const uint32_t *order; /* where searches begin */
	uint32_t begin;	       /* the number of this one */
	struct flow_place place;
	uint32_t *met;	     /* per block: 1 + the number of the search that met it last */
	unsigned char *open; /* per block: whether its edges are being followed */
	uint32_t *next;	     /* per block: its edge to follow next */
	struct vec_of(uint32_t) path;
};

/* By a search for the same place. */
static bool is_met(const struct search *search, uint32_t block)
{
	const uint32_t by = search->met[block];

	return by && is_same(search->lines->ends[search->order[by - 1]], search->place);
}

static void meet(struct search *search, uint32_t block)
{
	search->met[block] = search->begin + 1;
	search->open[block] = 1;
	search->next[block] = search->flow->first_out[block];
	vec_push(&search->path, block);
}

static void follow(struct search *search, uint32_t block)
{
	if (search->next[block] == search->flow->first_out[block + 1]) {
		search->open[block] = 0;
		search->path.len--;
		return;
	}
	const uint32_t edge = search->next[block]++, to = search->flow->edges[edge].to;

	const struct flow_place *ends = search->lines->ends;

	if (to == TARE_FLOW_OUTSIDE || !is_part(ends[to], search->place))
		return;
	if (!is_met(search, to))
		meet(search, to);
	else if (search->open[to])
		search->lines->repeats[edge] |=
			(unsigned char)(is_same(ends[block], search->place) |
					is_same(ends[to], search->place) << 1);
}

/* Blocks that have lines, those with the same last line one after the other. */
static uint32_t *order_by_last_line(const struct flow_lines *lines, uint32_t block_count,
				    uint32_t *count)
{
	const size_t line_count = lines->lines.len;
	uint32_t *begin = mem_zalloc((line_count + 1) * sizeof(*begin));
	uint32_t *order = mem_zalloc((block_count + (size_t)1) * sizeof(*order));

	for (uint32_t i = 0; i < block_count; i++)
		if (lines->last[i])
			begin[lines->last[i]]++;
	for (size_t i = 0; i < line_count; i++)
		begin[i + 1] += begin[i];
	*count = begin[line_count];
	for (uint32_t i = 0; i < block_count; i++)
		if (lines->last[i])
			order[begin[lines->last[i] - 1]++] = i;
	free(begin);
	return order;
}

static void find_repeats(struct flow_lines *lines, const struct flow *flow)
{
	const size_t blocks = flow->block_count + (size_t)1;
	struct search search = {.lines = lines,
				.flow = flow,
				.met = mem_zalloc(blocks * sizeof(*search.met)),
				.open = mem_zalloc(blocks),
				.next = mem_zalloc(blocks * sizeof(*search.next))};
	uint32_t count;
	uint32_t *order = order_by_last_line(lines, flow->block_count, &count);

	search.order = order;
	for (search.begin = 0; search.begin < count; search.begin++) {
		const uint32_t block = order[search.begin];
		search.place = lines->ends[block];
		if (!is_met(&search, block))
			meet(&search, block);
		while (search.path.len)
			follow(&search, vec_last(&search.path));
	}
	free(order);
	free(search.met);
	free(search.open);
	free(search.next);
	vec_fini(&search.path);
}

/* ---- all ---- */

static void read_answers(struct flow_lines *lines, const struct flow *flow, struct lines *debug,
			 const struct addresses *addrs)
{
	struct line_reading reading = {.lines = lines};
	struct lines_answer *answers = mem_zalloc((addrs->len + 1) * sizeof(*answers));

	strmap_init(&reading.sources);
	map_init(&reading.known);
	lines_find(debug, addrs->data, addrs->len, answers);
	find_runs(&reading, flow, answers);
	find_again(lines, flow);
	free(answers);
	strmap_fini(&reading.sources);
	map_fini(&reading.known);
}

void flow_lines_read(struct flow_lines *lines, const struct flow *flow, const struct object *object,
		     struct lines *debug, uint64_t note_addr)
{
	const size_t blocks = flow->block_count + (size_t)1;
	struct addresses addrs = {0};

	*lines = (struct flow_lines){
		.debug = debug,
		.first = mem_zalloc(blocks * sizeof(*lines->first)),
		.ends = mem_zalloc(blocks * sizeof(*lines->ends)),
		.last = mem_zalloc(blocks * sizeof(*lines->last)),
		.repeats = mem_zalloc(flow->edge_count + (size_t)1),
	};
	if (debug && lines_state(debug) == LINES_KNOWN)
		find_instructions(flow, object, note_addr, lines->first, &addrs);
	if (addrs.len) {
		read_answers(lines, flow, debug, &addrs);
		find_repeats(lines, flow);
	}
	vec_fini(&addrs);
}

void flow_lines_fini(struct flow_lines *lines)
{
	lines_close(lines->debug);
	vec_fini(&lines->lines);
	free(lines->first);
	vec_fini(&lines->runs);
	free(lines->ends);
	free(lines->last);
	free(lines->repeats);
}

/* ---- executions ---- */

/* Whether the edge leads from the place to itself, and not round a loop that begins anew there. */
static bool stays(const struct flow_lines *lines, const struct flow *flow, uint32_t edge,
		  struct flow_place place)
{
	const struct flow_place from = lines->ends[flow->edges[edge].from],
				to = lines->ends[flow->edges[edge].to];
	const unsigned char repeats = lines->repeats[edge];

	return is_part(from, place) && !(repeats & 1 && is_same(from, place)) &&
	       !(repeats & 2 && is_same(to, place));
}

/* How often the run begins an execution of its line. */
static uint64_t begun(const struct flow_lines *lines, const struct flow *flow,
		      const struct flow_counts *executions, uint32_t block,
		      const struct flow_run *run)
{
	uint64_t count = executions->blocks[block];

	for (uint32_t i = flow->first_in[block]; i < flow->first_in[block + 1]; i++) {
		const uint64_t came = executions->edges[flow->in[i]];

		if (run->goes_on && stays(lines, flow, flow->in[i], run->place))
			count -= came < count ? came : count;
	}
	return run->again ? 0 : count;
}

void flow_lines_count(const struct flow_lines *lines, const struct flow *flow,
		      const struct flow_counts *executions, struct flow_unit unit, uint64_t *counts)
{
	for (uint32_t i = unit.begin; i < unit.end; i++)
		for (uint32_t k = lines->first[i]; k < lines->first[i + 1]; k++) {
			const struct flow_run *run = &lines->runs.data[k];
			counts[run->line] += begun(lines, flow, executions, i, run);
		}
}
