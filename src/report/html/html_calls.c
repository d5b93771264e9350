/*
 * Calls in rows: those of one thread that have as many callers stand in one, from left to right.
 *
 *   thread  depth 0  |main----------------------------------|
 *           depth 1    |read|  |parse------------|   |write|
 *
 * The log is read twice: first how many calls there are of each length, to a sixteenth, then the
 * calls that are long enough for all of these to have room. A caller is as long as its callees, so
 * nothing is left without its caller.
 */
#include "report/html/html_calls.h"

#include "analysis/trace.h"

enum { BITS = 64, PARTS = 16, LENGTHS = (BITS - 3) * PARTS };

struct call {
	uint32_t thread, depth, function;
	uint64_t begin, ticks;
};

struct calls {
	const struct analysis *analysis;
	uint64_t of_length[LENGTHS], deep, left_out;
	uint64_t shortest; /* ticks of those that are kept */
	struct vec_of(struct call) kept;
};

static bool is_end(const struct analysis_trace_event *event)
{
	return (event->kind == TRACE_LEAVE || event->kind == TRACE_UNWOUND) && event->has_duration;
}

/* Numbers below PARTS, then PARTS of each power of two. */
static int length_of(uint64_t ticks)
{
	if (ticks < PARTS)
		return (int)ticks;
	const int bits = BITS - 1 - __builtin_clzll(ticks);

	return (bits - 3) * PARTS + (int)(ticks >> (bits - 4)) % PARTS;
}

static uint64_t shortest_of(int length)
{
	return length < PARTS ? (uint64_t)length
			      : (uint64_t)(PARTS + length % PARTS) << (length / PARTS - 1);
}

static void count(struct calls *calls, const struct analysis_trace_event *event)
{
	if (event->depth < HTML_CALLS_DEPTH)
		calls->of_length[length_of(event->duration_ticks)]++;
	else
		calls->deep++;
}

static void keep(struct calls *calls, const struct analysis_trace_event *event)
{
	if (event->depth >= HTML_CALLS_DEPTH || event->duration_ticks < calls->shortest)
		return;
	vec_push(&calls->kept, ((struct call){.thread = event->thread,
					      .depth = event->depth,
					      .function = event->function,
					      .begin = event->ticks - event->duration_ticks,
					      .ticks = event->duration_ticks}));
}

static bool each_call(struct calls *calls,
		      void (*take)(struct calls *calls, const struct analysis_trace_event *event),
		      struct error *err)
{
	const struct analysis_trace_options options = {.balanced = true};
	struct analysis_trace *trace = analysis_trace_open(
		calls->analysis, (struct profile *)calls->analysis->profile, &options, err);
	struct analysis_trace_event event;
	int more;

	if (!trace)
		return false;
	while ((more = analysis_trace_next(trace, &event, err)) > 0)
		if (is_end(&event))
			take(calls, &event);
	analysis_trace_close(trace);
	return more == 0;
}

/* The shortest length of which all calls, and all longer ones, have room. */
static void choose_shortest(struct calls *calls, size_t most)
{
	uint64_t sum = 0, all = calls->deep;
	int length = LENGTHS;

	for (int i = 0; i < LENGTHS; i++)
		all += calls->of_length[i];
	while (length > 0 && sum + calls->of_length[length - 1] <= most)
		sum += calls->of_length[--length];
	calls->shortest = length == LENGTHS ? UINT64_MAX : shortest_of(length);
	calls->left_out = all - sum;
}

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* ---- columns ---- */

static bool is_same_row(const struct call *a, const struct call *b)
{
	return a->thread == b->thread && a->depth == b->depth;
}

/* Of each thread the number of its rows; of each of these that of its calls. */
static void pack_rows(struct html_pack *pack, const struct calls *calls)
{
	const size_t threads = calls->analysis->threads.len;
	uint64_t *rows = mem_zalloc((threads + 1) * sizeof(*rows));
	size_t first = 0;

	vec_foreach (call, &calls->kept)
		rows[call->thread] = call->depth + 1;
	html_pack_begin(pack);
	for (size_t i = 0; i < threads; i++)
		html_pack_number(pack, rows[i]);
	html_pack_end(pack, "calls.rows");
	html_pack_begin(pack);
	for (uint32_t thread = 0; thread < threads; thread++) {
		for (uint32_t depth = 0; depth < rows[thread]; depth++) {
			const struct call row = {.thread = thread, .depth = depth};
			size_t end = first;

			while (end < calls->kept.len && is_same_row(&calls->kept.data[end], &row))
				end++;
			html_pack_number(pack, end - first);
			first = end;
		}
	}
	html_pack_end(pack, "calls.count");
	free(rows);
}

static void pack_columns(struct html_pack *pack, const struct calls *calls)
{
	const struct call *before = NULL;

	html_pack_key_number(pack, "calls_left_out", calls->left_out);
	html_pack_key_number(pack, "calls_shortest_ticks", calls->shortest);
	pack_rows(pack, calls);
	html_pack_begin(pack);
	vec_foreach (call, &calls->kept) {
		const bool follows = before && is_same_row(before, call);
		const uint64_t end = follows ? before->begin + before->ticks : 0;

		html_pack_signed(pack, (int64_t)(call->begin - end));
		before = call;
	}
	html_pack_end(pack, "calls.begin");
	html_pack_begin(pack);
	vec_foreach (call, &calls->kept) {
		html_pack_number(pack, call->ticks);
	}
	html_pack_end(pack, "calls.ticks");
	html_pack_begin(pack);
	vec_foreach (call, &calls->kept) {
		html_pack_number(pack, call->function == ANALYSIS_NONE ? 0 : call->function + 1);
	}
	html_pack_end(pack, "calls.function");
}

bool html_pack_calls_within(struct html_pack *pack, const struct analysis *analysis, size_t most,
			    struct error *err)
{
	struct calls calls = {.analysis = analysis};

	/* The log is about paths of calls; those of samples are others. */
	if (analysis->method == ANALYSIS_SAMPLE)
		return true;
	if (!each_call(&calls, count, err))
		return err->code == ERROR_NOT_FOUND;
	choose_shortest(&calls, most);
	const bool ok = each_call(&calls, keep, err);

	if (ok && calls.kept.len) {
		vec_sort(&calls.kept, compare_calls);
		pack_columns(pack, &calls);
	}
	vec_fini(&calls.kept);
	return ok;
}

bool html_pack_calls(struct html_pack *pack, const struct analysis *analysis, struct error *err)
{
	return html_pack_calls_within(pack, analysis, HTML_CALLS_MAX, err);
}
