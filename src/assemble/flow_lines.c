/*
 *   blocks ─insn─▶ addresses of instructions ─object/lines─▶ lines ─▶ runs: a block's lines, in
 * order
 *
 * A line is executed as often as control comes to it from another line, or from outside, but once
 * in a block, as optimised code has lines in pieces among others; and, where blocks lie in one line
 * wholly, as often as a loop of them begins anew. That is how gcov counts (gcc/gcov.cc,
 * accumulate_line_info). Code without a line belongs to the line before it.
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

/* 1 + the line's number; 0: the code has none. */
static uint32_t line_of(struct line_reading *reading, const struct lines_answer *answer)
{
	struct flow_lines *lines = reading->lines;

	if (!answer->count || !answer->frames[0].source || !answer->frames[0].line)
		return 0;
	const struct flow_line line = {answer->frames[0].source, answer->frames[0].line};
	const uint64_t source = *strmap_put(&reading->sources, line.source, reading->sources.len);
	const uint64_t number =
		*map_put(&reading->known, source << 32 | line.line, lines->lines.len + 1);

	if (number > lines->lines.len)
		vec_push(&lines->lines, line);
	return (uint32_t)number;
}

/* A line that comes again in a block is there once: instructions are interleaved. */
static void mark_again(struct flow_lines *lines, uint32_t begin, uint32_t end, uint32_t *block_of,
		       uint32_t block)
{
	for (uint32_t i = begin; i < end; i++) {
		lines->again[i] = block_of[lines->runs[i]] == block + 1;
		block_of[lines->runs[i]] = block + 1;
	}
}

static void find_again(struct flow_lines *lines, const struct flow *flow)
{
	uint32_t *block_of = mem_zalloc((lines->lines.len + 1) * sizeof(*block_of));

	for (uint32_t i = 0; i < flow->block_count; i++)
		mark_again(lines, lines->first[i], lines->first[i + 1], block_of, i);
	free(block_of);
}

/* first[i] becomes that of the runs. */
static void find_runs(struct line_reading *reading, const struct flow *flow,
		      const struct lines_answer *answers)
{
	struct flow_lines *lines = reading->lines;
	uint32_t *first = lines->first, count = 0;

	for (uint32_t i = 0; i < flow->block_count; i++) {
		const uint32_t begin = first[i], end = first[i + 1];
		uint32_t last = 0;

		first[i] = count;
		for (uint32_t k = begin; k < end; k++) {
			const uint32_t line = line_of(reading, &answers[k]);
			if (!line || line == last)
				continue;
			lines->runs[count++] = line - 1;
			last = line;
		}
	}
	first[flow->block_count] = count;
}

/* ---- loops in one line ---- */

static bool is_wholly(const struct flow_lines *lines, uint32_t block, uint32_t line)
{
	return lines->first[block + 1] - lines->first[block] == 1 &&
	       lines->runs[lines->first[block]] == line;
}

/* Such blocks are gone through depth first: an edge to one that is still open closes a loop. */
struct search {
	struct flow_lines *lines;
	const struct flow *flow;
	unsigned char *state; /* per block: not met, open, done */
	uint32_t *next;	      /* per block: its edge to follow next */
	struct vec_of(uint32_t) path;
};

enum { NOT_MET, OPEN, DONE };

static void meet(struct search *search, uint32_t block)
{
	search->state[block] = OPEN;
	search->next[block] = search->flow->first_out[block];
	vec_push(&search->path, block);
}

static void follow(struct search *search, uint32_t block, uint32_t line)
{
	if (search->next[block] == search->flow->first_out[block + 1]) {
		search->state[block] = DONE;
		search->path.len--;
		return;
	}
	const uint32_t edge = search->next[block]++, to = search->flow->edges[edge].to;

	if (to == TARE_FLOW_OUTSIDE || !is_wholly(search->lines, to, line))
		return;
	if (search->state[to] == OPEN)
		search->lines->repeats[edge] = 1;
	else if (search->state[to] == NOT_MET)
		meet(search, to);
}

static void find_repeats(struct flow_lines *lines, const struct flow *flow)
{
	struct search search = {
		.lines = lines,
		.flow = flow,
		.state = mem_zalloc(flow->block_count + (size_t)1),
		.next = mem_zalloc((flow->block_count + (size_t)1) * sizeof(*search.next))};

	for (uint32_t i = 0; i < flow->block_count; i++) {
		if (search.state[i] != NOT_MET || lines->first[i + 1] - lines->first[i] != 1)
			continue;
		const uint32_t line = lines->runs[lines->first[i]];
		meet(&search, i);
		while (search.path.len)
			follow(&search, vec_last(&search.path), line);
	}
	free(search.state);
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
		.repeats = mem_zalloc(flow->edge_count + (size_t)1),
	};
	if (debug && lines_state(debug) == LINES_KNOWN)
		find_instructions(flow, object, note_addr, lines->first, &addrs);
	lines->runs = mem_zalloc((addrs.len + 1) * sizeof(*lines->runs));
	lines->again = mem_zalloc(addrs.len + 1);
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
	free(lines->runs);
	free(lines->again);
	free(lines->repeats);
}

/* ---- executions ---- */

/* What comes into the block from blocks that end in the same line. */
static uint64_t from_same_line(const struct flow_lines *lines, const struct flow *flow,
			       const struct flow_counts *executions, uint32_t block)
{
	const uint32_t line = lines->runs[lines->first[block]];
	uint64_t count = 0;

	for (uint32_t i = flow->first_in[block]; i < flow->first_in[block + 1]; i++) {
		const uint32_t edge = flow->in[i], from = flow->edges[edge].from;
		const uint32_t end = lines->first[from + 1];

		if (end > lines->first[from] && lines->runs[end - 1] == line &&
		    !lines->repeats[edge])
			count += executions->edges[edge];
	}
	return count;
}

void flow_lines_count(const struct flow_lines *lines, const struct flow *flow,
		      const struct flow_counts *executions, struct flow_unit unit, uint64_t *counts)
{
	for (uint32_t i = unit.begin; i < unit.end; i++) {
		const uint64_t count = executions->blocks[i];

		for (uint32_t k = lines->first[i]; k < lines->first[i + 1]; k++)
			counts[lines->runs[k]] += lines->again[k] ? 0 : count;
		if (lines->first[i] == lines->first[i + 1])
			continue;
		const uint64_t same = from_same_line(lines, flow, executions, i);
		counts[lines->runs[lines->first[i]]] -= same < count ? same : count;
	}
}
