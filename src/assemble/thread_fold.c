/*
 * See thread_fold.h.
 *
 *   inclusive times, from the leaves up ─▶ the least one that has room ─▶ walk from the root:
 *     a path below it ─▶ its function's first one that folds becomes a child of the root, the
 *                        others add their values to that; its caller keeps the time as folded
 *
 * A path is never longer than its caller's, so what folds are whole subtrees.
 */
#include "assemble/thread_fold.h"

#include "session/thread_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	NONE = 0,	   /* no child, no sibling: the root is neither */
	FRACTION_BITS = 6, /* of a time by which paths are ranked */
	RANKS = (64 + 1) << FRACTION_BITS
};

/* Of a function, during the walk. */
struct function_state {
	uint32_t in_progress; /* calls of it on the path from the root */
	uint32_t row;	      /* node for what folds; NONE: not yet */
};

struct walk {
	struct thread_fold *fold;
	struct tree *tree;
	struct thread_file *thread;
	const struct resolve_target *targets;
	uint64_t *inclusive, *inclusive_os; /* per node, with what had folded below it */
	uint32_t *first, *next;		    /* children */
	uint32_t *into;			  /* per node: the one that gets its values, often itself */
	uint32_t rank;			  /* the least that is kept */
	struct function_state *functions; /* by id */
};

/* ---- which ones ---- */

static uint64_t os_ticks_of(const struct tree_node *node)
{
	uint64_t ticks = 0;

	for (size_t cause = 0; cause < TARE_OS_CAUSES; cause++)
		ticks += node->os_ticks[cause];
	return ticks;
}

static uint64_t cpu_ticks_of(const struct tree_node *node)
{
	return node->elapsed_ticks - node->os_ticks[TARE_OS_BLOCKED] -
	       node->os_ticks[TARE_OS_PREEMPTED];
}

static uint64_t above_zero(int64_t ticks)
{
	return ticks > 0 ? (uint64_t)ticks : 0;
}

/* Ascending with the time; as many ranks an octave as FRACTION_BITS say. */
static uint32_t rank_of(uint64_t ticks)
{
	if (ticks >> FRACTION_BITS == 0)
		return (uint32_t)ticks;
	const unsigned shift = 63 - (unsigned)__builtin_clzll(ticks) - FRACTION_BITS;

	return ((shift + 1) << FRACTION_BITS) + (uint32_t)(ticks >> shift) - (1u << FRACTION_BITS);
}

/* Such nodes stay as they are. */
static bool is_row(const struct walk *walk, size_t index)
{
	return !index || walk->thread->folded[index];
}

static void sum_up(struct walk *walk)
{
	const struct thread_file *thread = walk->thread;

	for (size_t i = thread->node_count; i-- > 0;) {
		const struct tree_node *node = &walk->tree->nodes[i];
		const uint32_t parent = thread->parents[i];

		if (!node->keep)
			continue;
		walk->inclusive[i] +=
			node->elapsed_ticks + above_zero(thread->nodes[i].folded_elapsed);
		walk->inclusive_os[i] += os_ticks_of(node) + above_zero(thread->nodes[i].folded_os);
		if (is_row(walk, i))
			continue;
		walk->inclusive[parent] += walk->inclusive[i];
		walk->inclusive_os[parent] += walk->inclusive_os[i];
		walk->next[i] = walk->first[parent];
		walk->first[parent] = (uint32_t)i;
	}
}

/* False where all have room. */
static bool choose(struct walk *walk, uint64_t room)
{
	uint64_t *paths = mem_zalloc(RANKS * sizeof(*paths));
	uint64_t all = 0;

	for (size_t i = 0; i < walk->thread->node_count; i++) {
		if (!walk->tree->nodes[i].keep || is_row(walk, i))
			continue;
		paths[rank_of(walk->inclusive[i])]++;
		all++;
	}
	walk->rank = 0;
	for (uint64_t left = all; left > room; walk->rank++)
		left -= paths[walk->rank];
	free(paths);
	return all > room;
}

static bool folds(const struct walk *walk, uint32_t index)
{
	return !is_row(walk, index) && rank_of(walk->inclusive[index]) < walk->rank;
}

/* ---- values ---- */

static void range_add(int64_t *range, const int64_t *from)
{
	if (from[0] > from[1])
		return;
	if (range[0] > range[1]) {
		memcpy(range, from, 2 * sizeof(*range));
		return;
	}
	range[0] = from[0] < range[0] ? from[0] : range[0];
	range[1] = from[1] > range[1] ? from[1] : range[1];
}

static void lengths_add(struct walk *walk, uint32_t to, uint32_t from)
{
	uint64_t **lengths = &walk->fold->lengths[to], more[TARE_CALL_BUCKETS];

	if (!*lengths) {
		*lengths = mem_zalloc(sizeof(more));
		thread_file_lengths(walk->thread, to, *lengths);
	}
	thread_file_lengths(walk->thread, from, more);
	for (uint32_t i = 0; i < TARE_CALL_BUCKETS; i++)
		(*lengths)[i] += more[i];
}

static void values_add(struct walk *walk, uint32_t to_index, uint32_t from_index)
{
	struct tree_node *to = &walk->tree->nodes[to_index];
	const struct tree_node *from = &walk->tree->nodes[from_index];
	struct tare_node *row = &walk->thread->nodes[to_index];
	const struct tare_node *more = &walk->thread->nodes[from_index];

	to->calls += from->calls;
	to->ended += from->ended;
	to->calls_by_call += from->calls_by_call;
	to->ended_by_call += from->ended_by_call;
	to->elapsed_ticks += from->elapsed_ticks;
	for (size_t cause = 0; cause < TARE_OS_CAUSES; cause++)
		to->os_ticks[cause] += from->os_ticks[cause];
	to->overhead_ticks += from->overhead_ticks;
	row->unwound += more->unwound;
	range_add(&row->elapsed_inclusive_min, &more->elapsed_inclusive_min);
	range_add(&row->elapsed_exclusive_min, &more->elapsed_exclusive_min);
	range_add(&row->application_inclusive_min, &more->application_inclusive_min);
	range_add(&row->application_exclusive_min, &more->application_exclusive_min);
	lengths_add(walk, to_index, from_index);
}

_Static_assert(
	offsetof(struct tare_node, elapsed_inclusive_max) ==
			offsetof(struct tare_node, elapsed_inclusive_min) + sizeof(int64_t) &&
		offsetof(struct tare_node, elapsed_exclusive_max) ==
			offsetof(struct tare_node, elapsed_exclusive_min) + sizeof(int64_t) &&
		offsetof(struct tare_node, application_inclusive_max) ==
			offsetof(struct tare_node, application_inclusive_min) + sizeof(int64_t) &&
		offsetof(struct tare_node, application_exclusive_max) ==
			offsetof(struct tare_node, application_exclusive_min) + sizeof(int64_t),
	"a range is its least value and the greatest one");

/* By what the function's inclusive time exceeds the time of its row, as in struct tare_node. */
static void excess_add(struct walk *walk, uint32_t row, uint32_t index, bool recursive)
{
	const uint64_t elapsed = walk->tree->nodes[index].elapsed_ticks,
		       os = os_ticks_of(&walk->tree->nodes[index]);
	struct tare_node *to = &walk->thread->nodes[row];

	to->folded_elapsed +=
		recursive ? -(int64_t)elapsed : (int64_t)(walk->inclusive[index] - elapsed);
	to->folded_os += recursive ? -(int64_t)os : (int64_t)(walk->inclusive_os[index] - os);
}

/* ---- the walk ---- */

static void fold_node(struct walk *walk, uint32_t index)
{
	struct tree_node *node = &walk->tree->nodes[index];
	struct function_state *state = &walk->functions[walk->targets[index].function];
	struct tare_node *caller = &walk->thread->nodes[walk->thread->parents[index]];
	const uint32_t row = state->row ? state->row : index;

	walk->fold->paths++;
	walk->fold->cpu_ticks += cpu_ticks_of(node);
	walk->thread->header.folded += node->calls;
	walk->into[index] = row;
	if (!folds(walk, walk->thread->parents[index])) {
		caller->folded_elapsed += (int64_t)walk->inclusive[index];
		caller->folded_os += (int64_t)walk->inclusive_os[index];
	}
	if (row == index) {
		state->row = row;
		walk->thread->nodes[row].folded_elapsed = walk->thread->nodes[row].folded_os = 0;
	}
	excess_add(walk, row, index, state->in_progress);
}

/* Later than the walk, which needs to know of all nodes what they were. */
static void settle(struct walk *walk)
{
	for (uint32_t i = 1; i < walk->thread->node_count; i++) {
		const uint32_t row = walk->into[i];

		if (!folds(walk, i) || !walk->tree->nodes[i].keep || row == i)
			continue;
		values_add(walk, row, i);
		walk->tree->nodes[i].keep = false;
	}
	for (uint32_t i = 1; i < walk->thread->node_count; i++) {
		if (!walk->tree->nodes[i].keep || !folds(walk, i))
			continue;
		walk->thread->folded[i] = true;
		walk->thread->parents[i] = 0;
	}
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* With where it was. */
struct placed_record {
	struct tare_os_record record;
	uint32_t at;
};

/* 0: their times are one. */
static int compare_records(const struct tare_os_record *x, const struct tare_os_record *y)
{
	if (x->node != y->node)
		return compare_u64(x->node, y->node);
	if (x->cause != y->cause)
		return compare_u64(x->cause, y->cause);
	if (x->syscall_number != y->syscall_number)
		return compare_u64(x->syscall_number, y->syscall_number);
	if (x->object != y->object)
		return compare_u64(x->object, y->object);
	if (x->name != y->name)
		return compare_u64(x->name, y->name);
	return x->holder.tid != y->holder.tid ? compare_u64(x->holder.tid, y->holder.tid)
					      : compare_u64(x->holder.node, y->holder.node);
}

static int compare_placed(const void *a, const void *b)
{
	const struct placed_record *x = a, *y = b;
	const int order = compare_records(&x->record, &y->record);

	return order ? order : compare_u64(x->at, y->at);
}

static void join_record(struct tare_os_record *to, const struct tare_os_record *from)
{
	to->count += from->count;
	to->ticks += from->ticks;
	if (to->longest_ticks < from->longest_ticks)
		to->longest_ticks = from->longest_ticks;
}

/* Waits name records by their place: numbers[i] is 1 + the new one of record i. */
static void settle_waits(struct thread_file *thread, const uint32_t *numbers)
{
	for (size_t i = 0; i < thread->wait_count; i++)
		if (thread->waits[i].os)
			thread->waits[i].os = numbers[thread->waits[i].os - 1];
}

/* Locks' holders are told by the numbers of the file. */
static void settle_numbers(struct walk *walk)
{
	struct thread_file *thread = walk->thread;

	for (size_t i = 0; i < thread->number_count; i++)
		if (thread->numbers[i] != THREAD_FILE_NODE_NONE)
			thread->numbers[i] = walk->into[thread->numbers[i]];
}

static void settle_os(struct walk *walk)
{
	struct thread_file *thread = walk->thread;
	const size_t count = thread->os_count;
	struct placed_record *placed = mem_zalloc((count + 1) * sizeof(*placed));
	uint32_t *numbers = mem_zalloc((count + 1) * sizeof(*numbers));
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		placed[i] = (struct placed_record){thread->os[i], (uint32_t)i};
		placed[i].record.node = walk->into[placed[i].record.node];
	}
	qsort(placed, count, sizeof(*placed), compare_placed);
	for (size_t i = 0; i < count; i++) {
		if (kept && compare_records(&thread->os[kept - 1], &placed[i].record) == 0)
			join_record(&thread->os[kept - 1], &placed[i].record);
		else
			thread->os[kept++] = placed[i].record;
		numbers[placed[i].at] = (uint32_t)kept;
	}
	thread->os_count = kept;
	settle_waits(thread, numbers);
	free(placed);
	free(numbers);
}

static void enter(struct walk *walk, uint32_t index)
{
	if (folds(walk, index))
		fold_node(walk, index);
	walk->functions[walk->targets[index].function].in_progress++;
}

static void leave(struct walk *walk, uint32_t index)
{
	walk->functions[walk->targets[index].function].in_progress--;
}

static void walk_tree(struct walk *walk)
{
	uint32_t index = 0;

	for (;;) {
		if (index)
			enter(walk, index);
		if (walk->first[index]) {
			index = walk->first[index];
			continue;
		}
		for (; index && !walk->next[index]; index = walk->thread->parents[index])
			leave(walk, index);
		if (!index)
			return;
		leave(walk, index);
		index = walk->next[index];
	}
}

/* Functions that have a row already; how large a table of all has to be. */
static size_t functions_count(const struct walk *walk)
{
	int64_t most = 0;

	for (size_t i = 1; i < walk->thread->node_count; i++)
		if (walk->targets[i].function > most)
			most = walk->targets[i].function;
	return (size_t)most + 1;
}

static void find_rows(struct walk *walk)
{
	for (uint32_t i = 1; i < walk->thread->node_count; i++)
		if (walk->tree->nodes[i].keep && walk->thread->folded[i])
			walk->functions[walk->targets[i].function].row = i;
}

static void fold_all(struct walk *walk)
{
	struct thread_fold *fold = walk->fold;
	const size_t count = walk->thread->node_count;

	fold->node_count = count;
	walk->into = mem_alloc(count * sizeof(*walk->into));
	fold->lengths = mem_zalloc(count * sizeof(*fold->lengths));
	for (uint32_t i = 0; i < count; i++)
		walk->into[i] = i;
	walk->functions = mem_zalloc(functions_count(walk) * sizeof(*walk->functions));
	find_rows(walk);
	walk_tree(walk);
	settle(walk);
	settle_os(walk);
	settle_numbers(walk);
	free(walk->into);
	walk->thread->header.limits |= TARE_LIMIT_PATHS;
	free(walk->functions);
}

void thread_fold_make(struct thread_fold *fold, struct tree *tree, struct thread_file *thread,
		      const struct resolve_target *targets, uint64_t room)
{
	const size_t count = thread->node_count;
	struct walk walk = {.fold = fold, .tree = tree, .thread = thread, .targets = targets};

	*fold = (struct thread_fold){0};
	if (count <= room)
		return;
	walk.inclusive = mem_zalloc(count * sizeof(*walk.inclusive));
	walk.inclusive_os = mem_zalloc(count * sizeof(*walk.inclusive_os));
	walk.first = mem_zalloc(count * sizeof(*walk.first));
	walk.next = mem_zalloc(count * sizeof(*walk.next));
	sum_up(&walk);
	if (choose(&walk, room))
		fold_all(&walk);
	free(walk.inclusive);
	free(walk.inclusive_os);
	free(walk.first);
	free(walk.next);
}

void thread_fold_fini(struct thread_fold *fold)
{
	for (size_t i = 0; i < fold->node_count; i++)
		free(fold->lengths[i]);
	free(fold->lengths);
}

void thread_fold_lengths(const struct thread_fold *fold, const struct thread_file *thread,
			 size_t index, uint64_t lengths[TARE_CALL_BUCKETS])
{
	if (fold->lengths && fold->lengths[index])
		memcpy(lengths, fold->lengths[index], TARE_CALL_BUCKETS * sizeof(*lengths));
	else
		thread_file_lengths(thread, index, lengths);
}

void thread_fold_sum(struct thread_fold_sums *sums, const struct thread_fold *fold,
		     const struct tree *tree)
{
	sums->paths += fold->paths;
	sums->folded_cpu_ticks += fold->cpu_ticks;
	sums->cpu_ticks += tree->elapsed_ticks - tree->blocked_ticks - tree->preempted_ticks;
}

void thread_fold_describe(const struct thread_fold_sums *sums, struct str *settings)
{
	if (!sums->paths)
		return;
	str_printf(settings, " (folded: %" PRIu64 " call paths with %.2f %% of the CPU time)",
		   sums->paths,
		   100 * (double)sums->folded_cpu_ticks / (double)(sums->cpu_ticks | 1));
}
