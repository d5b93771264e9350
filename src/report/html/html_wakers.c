/*
 * The tree of what `tare export --format=folded --wakers` tells in lines: below each thread that
 * waited its call paths, below these who ended the wait, from its innermost function to the thread:
 *
 *   thread ── main ── take ── read ── (woken by) ─┬─ write ── put ── (thread 7)
 *                                                 ├─ (interrupt)
 *                                                 └─ (unseen)
 *
 * These have the numbers behind those of the functions. Beside the tree there is a list of waits:
 * the row of the view that they are in, the node that they end at, how many there are, and their
 * ticks. The tree's values follow from it, for all rows or for one.
 */
#include "report/html/html_wakers.h"

#include "analysis/sample_stacks.h"
#include "analysis/waker_stacks.h"
#include "report/html/html_paths.h"

enum { WOKEN_BY, UNSEEN, INTERRUPT, THREADS }; /* behind the functions */

struct ended {
	struct waker_stacks waits; /* wake: of the thread and the stack below */
	int64_t waker, waker_stack;
	bool seen;
};

/* Waits of one row that end at one node. */
struct sum {
	uint32_t row, node;
	uint64_t waits, ns, longest_ns;
};

struct wakers {
	struct html_paths paths;
	struct vec_of(struct ended) all;
	struct vec_of(struct sum) sums;
	struct map sum_at;		/* row << 32 | node → index */
	struct vec_of(uint32_t) joined; /* subjects of a wait, outermost first */
	uint64_t left_out_ns;
};

bool html_has_wakers(const struct analysis *analysis, const struct export_options *options)
{
	return analysis->wakers.len && analysis != options->base && !options->from && !options->to;
}

uint64_t html_waker_of(const struct analysis *analysis, const struct analysis_os *os)
{
	return (uint64_t)((const struct analysis_sampled_wait *)os - analysis->wakers.data);
}

static bool take(const struct waker_stacks *row, void *context)
{
	struct wakers *wakers = context;
	const struct profile_wake *wake = row->wake;

	if (row->row != ANALYSIS_NONE)
		vec_push(&wakers->all, ((struct ended){*row, wake ? wake->thread : 0,
						       wake ? wake->stack : 0, wake != NULL}));
	return true;
}

/* Of those that take as long, in the order of rows and threads: whatever the profile's order is. */
static int compare_ended(const void *a, const void *b)
{
	const struct waker_stacks *x = &((const struct ended *)a)->waits;
	const struct waker_stacks *y = &((const struct ended *)b)->waits;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* ---- paths ---- */

static void join(struct wakers *wakers, const struct ended *ended)
{
	struct html_paths *paths = &wakers->paths;
	const uint32_t behind = (uint32_t)paths->analysis->functions.len;

	wakers->joined.len = 0;
	html_paths_read(paths, ended->waits.stack);
	for (size_t i = paths->chain.len; i-- > 0;)
		vec_push(&wakers->joined, paths->chain.data[i]);
	vec_push(&wakers->joined, behind + WOKEN_BY);
	if (!ended->seen || !ended->waker) {
		vec_push(&wakers->joined, behind + (ended->seen ? INTERRUPT : UNSEEN));
		return;
	}
	html_paths_read(paths, ended->waker_stack);
	vec_foreach (function, &paths->chain)
		vec_push(&wakers->joined, *function);
	vec_push(&wakers->joined, behind + THREADS + (uint32_t)(ended->waker - 1));
}

/* The node that the wait ends at; ANALYSIS_NONE: there is no room. */
static uint32_t node_of(struct wakers *wakers, const struct ended *ended)
{
	struct html_paths *paths = &wakers->paths;
	uint32_t node = html_paths_thread(paths, ended->waits.thread);
	bool room = true;

	join(wakers, ended);
	/* Else the beginnings of paths that have no room would take up what there is. */
	if (wakers->joined.len > paths->most)
		return ANALYSIS_NONE;
	vec_foreach (subject, &wakers->joined)
		node = html_paths_node(paths, node, *subject, &room);
	return room ? node : ANALYSIS_NONE;
}

static void add(struct wakers *wakers, const struct ended *ended)
{
	const struct waker_stacks *waits = &ended->waits;
	const uint32_t node = node_of(wakers, ended);
	const uint64_t key = (uint64_t)waits->row << 32 | node;
	const uint64_t *known = node == ANALYSIS_NONE ? NULL : map_get(&wakers->sum_at, key);

	if (node == ANALYSIS_NONE || (!known && wakers->sums.len >= wakers->paths.most)) {
		wakers->left_out_ns += waits->ns;
		return;
	}
	if (!known) {
		map_put(&wakers->sum_at, key, wakers->sums.len);
		vec_push(&wakers->sums, ((struct sum){.row = waits->row, .node = node}));
	}
	struct sum *sum = &wakers->sums.data[known ? *known : wakers->sums.len - 1];

	sum->waits += waits->waits;
	sum->ns += waits->ns;
	if (sum->longest_ns < waits->longest_ns)
		sum->longest_ns = waits->longest_ns;
}

/* ---- columns ---- */

/* Of each row of the analysis, who ended its waits, and who had ended that one's wait before. */
static void pack_chains(struct html_pack *pack, const struct analysis *analysis)
{
	html_pack_begin(pack);
	vec_foreach (waker, &analysis->wakers) {
		uint64_t steps = 0;

		for (const struct analysis_wake *at = waker->os.wake; at; at = at->before)
			steps++;
		html_pack_number(pack, steps);
	}
	html_pack_end(pack, "woken.steps");
	html_pack_begin(pack);
	vec_foreach (waker, &analysis->wakers)
		for (const struct analysis_wake *at = waker->os.wake; at; at = at->before)
			html_pack_number(pack, at->kind);
	html_pack_end(pack, "woken.step_kind");
	html_pack_begin(pack);
	vec_foreach (waker, &analysis->wakers)
		for (const struct analysis_wake *at = waker->os.wake; at; at = at->before)
			html_pack_number(pack,
					 at->function == ANALYSIS_NONE ? 0 : at->function + 1);
	html_pack_end(pack, "woken.step_function");
	html_pack_begin(pack);
	vec_foreach (waker, &analysis->wakers)
		for (const struct analysis_wake *at = waker->os.wake; at; at = at->before)
			html_pack_number(pack, at->thread == ANALYSIS_NONE ? 0 : at->thread + 1);
	html_pack_end(pack, "woken.step_thread");
}

static void pack_kernel(struct html_pack *pack, const struct analysis *analysis)
{
	html_pack_begin(pack);
	vec_foreach (module, &analysis->modules) {
		html_pack_number(pack, analysis_is_kernels(module->path));
	}
	html_pack_end(pack, "woken.kernel");
}

static void pack_columns(struct html_pack *pack, const struct wakers *wakers)
{
	html_pack_key_number(pack, "wakers_left_out_ns", wakers->left_out_ns);
	html_paths_pack(&wakers->paths, pack, "woken");
	html_pack_begin(pack);
	vec_foreach (sum, &wakers->sums) {
		html_pack_number(pack, sum->row);
	}
	html_pack_end(pack, "woken.row");
	html_pack_begin(pack);
	vec_foreach (sum, &wakers->sums) {
		html_pack_number(pack, sum->node);
	}
	html_pack_end(pack, "woken.node");
	html_pack_begin(pack);
	vec_foreach (sum, &wakers->sums) {
		html_pack_number(pack, sum->waits);
	}
	html_pack_end(pack, "woken.waits");
	html_pack_begin(pack);
	vec_foreach (sum, &wakers->sums) {
		html_pack_number(pack, analysis_ticks_of_ns(wakers->paths.analysis, sum->ns));
	}
	html_pack_end(pack, "woken.ticks");
	html_pack_begin(pack);
	vec_foreach (sum, &wakers->sums) {
		html_pack_number(pack,
				 analysis_ticks_of_ns(wakers->paths.analysis, sum->longest_ns));
	}
	html_pack_end(pack, "woken.longest");
	pack_chains(pack, wakers->paths.analysis);
	pack_kernel(pack, wakers->paths.analysis);
}

bool html_pack_wakers_within(struct html_pack *pack, const struct analysis *analysis, size_t most,
			     struct error *err)
{
	struct wakers wakers = {0};

	html_paths_init(&wakers.paths, analysis, most);
	map_init(&wakers.sum_at);
	const bool ok = analysis_each_waker_stacks(analysis, take, &wakers, err);

	vec_sort(&wakers.all, compare_ended);
	vec_foreach (ended, &wakers.all)
		add(&wakers, ended);
	if (ok)
		pack_columns(pack, &wakers);
	vec_fini(&wakers.all);
	vec_fini(&wakers.sums);
	vec_fini(&wakers.joined);
	map_fini(&wakers.sum_at);
	html_paths_fini(&wakers.paths);
	return ok;
}

bool html_pack_wakers(struct html_pack *pack, const struct analysis *analysis,
		      const struct export_options *options, struct error *err)
{
	return !html_has_wakers(analysis, options) ||
	       html_pack_wakers_within(pack, analysis, HTML_WAKERS_MAX, err);
}
