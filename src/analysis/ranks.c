/*
 * See ranks.h. Rank by rank the trees of its threads are walked, into sums by function that are
 * emptied for the next one: so the memory needed does not grow with the number of ranks.
 *
 * In a tree, calls of MPI are found at their outermost: nothing below counts again, and what they
 * have is taken off the functions that stand above them, once each.
 *
 *   main ── solve ── exchange ── MPI_Waitall ── …    CPU of main, solve and exchange is less by
 *                      └─ pack                       that of MPI_Waitall; pack keeps its own
 *
 * Where a call path of MPI has folded, by a limit of the recording, its callers are not known, and
 * it stays in their time.
 */
#include "analysis/ranks.h"

#include "analysis/mpi_call.h"
#include "analysis/private.h"

#include <math.h>
#include <string.h>

struct sum {
	uint64_t amount[ANALYSIS_VALUES];
	uint64_t calls;
	bool met;
};

struct walk {
	const struct analysis *analysis;
	struct analysis_ranks *ranks;
	struct strmap by_call;		   /* name → 1 + number of the call */
	struct vec_of(const char *) calls; /* their names */
	uint32_t *call_of;		   /* by function: 1 + number; 0: none of MPI */
	uint32_t *depths;		   /* by function, how often it stands above */
	uint32_t within;		   /* calls of MPI that stand above */
	bool any_call;			   /* the thread has made one */
	struct vec_of(uint32_t) above;	   /* functions, each once */
	struct sum *functions, *mpi;	   /* of the rank */
	struct vec_of(uint32_t) met;	   /* functions with a sum */
	struct analysis_values *values;	   /* of the rank, by call */
};

/* ---- which functions are of MPI ---- */

/*
 * A function of MPI may end with a jump into the library, which then does the work without it on
 * the stack: MPI_Finalize of Open MPI. What is called there so goes by its own name.
 */
static bool name_call(const struct analysis *analysis, const struct analysis_function *function,
		      struct str *name)
{
	const char *module = analysis->modules.data[function->module].name;

	str_clear(name);
	if (mpi_call_name(function->symbol, name))
		return true;
	if (!module || !str_starts_with(module, "libmpi"))
		return false;
	str_append(name, function->name);
	return true;
}

static void name_calls(struct walk *walk)
{
	struct str name = {0};

	for (size_t i = 0; i < walk->analysis->functions.len; i++) {
		if (!name_call(walk->analysis, &walk->analysis->functions.data[i], &name))
			continue;
		const uint64_t *known = strmap_get(&walk->by_call, name.data);
		if (!known) {
			vec_push(&walk->calls, arena_strdup(&walk->ranks->arena, name.data));
			known = strmap_put(&walk->by_call, vec_last(&walk->calls), walk->calls.len);
		}
		walk->call_of[i] = (uint32_t)*known;
	}
	str_fini(&name);
}

/* ---- the processes of each rank ---- */

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_ranks(const void *a, const void *b)
{
	const struct analysis_rank *x = a, *y = b;
	int order = compare_texts(x->launcher, y->launcher);

	if (!order)
		order = (x->ranks > y->ranks) - (x->ranks < y->ranks);
	if (!order)
		order = (x->rank > y->rank) - (x->rank < y->rank);
	if (!order)
		order = compare_texts(x->host, y->host);
	return order;
}

/* Which processes call MPI: those of a thread with a node of such a function. */
static bool *find_callers(const struct walk *walk, bool *any)
{
	const struct analysis *analysis = walk->analysis;
	bool *callers = mem_zalloc((analysis->processes.len + 1) * sizeof(*callers));

	*any = false;
	vec_foreach (node, &analysis->nodes) {
		if (node->function == ANALYSIS_NONE || node->thread == ANALYSIS_NONE ||
		    !walk->call_of[node->function])
			continue;
		const uint32_t process = analysis->threads.data[node->thread].process;
		callers[process] = true;
		*any |= analysis->processes.data[process].row->launcher != NULL;
	}
	return callers;
}

static uint64_t elapsed_of(const struct analysis *analysis, uint32_t process)
{
	return analysis->processes.data[process].values.amount[ELAPSED_INCLUSIVE];
}

/* Joins neighbours that are of one rank. */
static void join_ranks(const struct analysis *analysis, struct analysis_ranks *ranks)
{
	size_t kept = 0;

	for (size_t i = 0; i < ranks->ranks.len; i++) {
		struct analysis_rank *each = &ranks->ranks.data[i];
		struct analysis_rank *last = kept ? &ranks->ranks.data[kept - 1] : NULL;
		if (!last || compare_ranks(last, each) != 0) {
			ranks->ranks.data[kept++] = *each;
			continue;
		}
		if (elapsed_of(analysis, each->process) > elapsed_of(analysis, last->process))
			last->process = each->process;
		last->processes++;
		analysis_values_sum(&last->values, &each->values);
	}
	ranks->ranks.len = kept;
}

/* What says of which rank a process is. */
static struct analysis_rank rank_named(const struct analysis *analysis, uint32_t process)
{
	const struct profile_process *row = analysis->processes.data[process].row;

	return (struct analysis_rank){
		.host = profile_process_host(profile_session(analysis->profile), row),
		.launcher = row->launcher,
		.rank = row->rank,
		.ranks = row->ranks};
}

/* rank_of gets 1 + the rank's index by process; 0: it is of none. */
static void find_ranks(struct walk *walk, const bool *callers, bool any, uint32_t *rank_of)
{
	const struct analysis *analysis = walk->analysis;
	struct analysis_ranks *ranks = walk->ranks;

	for (uint32_t i = 0; i < analysis->processes.len; i++) {
		const struct analysis_process *process = &analysis->processes.data[i];
		if (!process->selected || !process->row->launcher || (any && !callers[i]))
			continue;
		struct analysis_rank rank = rank_named(analysis, i);
		rank.process = i;
		rank.processes = 1;
		rank.values = analysis_values_zero();
		analysis_values_sum(&rank.values, &process->values);
		vec_push(&ranks->ranks, rank);
		rank_of[i] = 1;
	}
	if (!ranks->ranks.len)
		return;
	qsort(ranks->ranks.data, ranks->ranks.len, sizeof(ranks->ranks.data[0]), compare_ranks);
	join_ranks(analysis, ranks);
	for (uint32_t i = 0; i < analysis->processes.len; i++) {
		if (!rank_of[i])
			continue;
		const struct analysis_rank wanted = rank_named(analysis, i);
		const struct analysis_rank *found =
			bsearch(&wanted, ranks->ranks.data, ranks->ranks.len, sizeof(wanted),
				compare_ranks);
		rank_of[i] = (uint32_t)(found - ranks->ranks.data) + 1;
	}
}

/* ---- a rank's trees ---- */

static uint64_t less(uint64_t from, uint64_t taken)
{
	return from > taken ? from - taken : 0;
}

static struct sum *sum_of(struct walk *walk, uint32_t function)
{
	struct sum *sum = &walk->functions[function];

	if (!sum->met)
		vec_push(&walk->met, function);
	sum->met = true;
	return sum;
}

static void enter_call(struct walk *walk, const struct analysis_node *node, uint32_t call)
{
	struct analysis_values values = analysis_values_zero();
	struct sum *sum = &walk->mpi[call];

	analysis_values_add_outermost(&values, node);
	sum->met = walk->any_call = true;
	sum->calls += node->values.calls;
	for (int value = 0; value < ANALYSIS_VALUES; value++) {
		const uint64_t amount =
			values.amount[analysis_measure_of((enum analysis_value)value, INCLUSIVE)];
		sum->amount[value] += amount;
		if (node->folded)
			continue;
		vec_foreach (function, &walk->above)
			walk->functions[*function].amount[value] =
				less(walk->functions[*function].amount[value], amount);
	}
	analysis_values_add_inclusive(&walk->values[call], &values);
	walk->values[call].calls += node->values.calls;
}

static void enter_function(struct walk *walk, const struct analysis_node *node)
{
	struct sum *sum = sum_of(walk, node->function);

	sum->calls += node->values.calls;
	if (walk->depths[node->function]++)
		return;
	struct analysis_values values = analysis_values_zero();
	analysis_values_add_outermost(&values, node);
	for (int value = 0; value < ANALYSIS_VALUES; value++)
		sum->amount[value] +=
			values.amount[analysis_measure_of((enum analysis_value)value, INCLUSIVE)];
	vec_push(&walk->above, node->function);
}

static void node_enter(uint32_t index, void *context)
{
	struct walk *walk = context;
	const struct analysis_node *node = &walk->analysis->nodes.data[index];
	const uint32_t call = node->function == ANALYSIS_NONE ? 0 : walk->call_of[node->function];

	if (node->function == ANALYSIS_NONE)
		return;
	if (call && !walk->within)
		enter_call(walk, node, call - 1);
	if (call)
		walk->within++;
	else if (!walk->within)
		enter_function(walk, node);
}

static void node_leave(uint32_t index, void *context)
{
	struct walk *walk = context;
	const uint32_t function = walk->analysis->nodes.data[index].function;

	if (function == ANALYSIS_NONE)
		return;
	if (walk->call_of[function])
		walk->within--;
	else if (!walk->within && --walk->depths[function] == 0)
		walk->above.len--;
}

/* ---- over all ranks ---- */

static void spread_add(struct analysis_imbalance *imbalance, const struct sum *sum, uint32_t rank)
{
	for (int value = 0; value < ANALYSIS_VALUES; value++) {
		struct analysis_spread *spread = &imbalance->spread[value];
		const uint64_t amount = sum->amount[value];
		if (amount < spread->least || !imbalance->ranks) {
			spread->least = amount;
			spread->least_rank = rank;
		}
		if (amount > spread->most || !imbalance->ranks) {
			spread->most = amount;
			spread->most_rank = rank;
		}
		spread->sum += amount;
	}
	imbalance->calls += sum->calls;
	imbalance->ranks++;
	imbalance->without += imbalance->without == rank;
}

static void take_rank(struct walk *walk, uint32_t rank, struct analysis_imbalance *functions,
		      struct analysis_imbalance *mpi)
{
	struct analysis_rank *row = &walk->ranks->ranks.data[rank];

	vec_foreach (function, &walk->met) {
		struct sum *sum = &walk->functions[*function];
		spread_add(&functions[*function], sum, rank);
		*sum = (struct sum){0};
	}
	walk->met.len = 0;
	for (size_t call = 0; call < walk->calls.len; call++) {
		const struct analysis_rank_call made = {rank, walk->calls.data[call],
							walk->values[call]};
		if (!walk->mpi[call].met)
			continue;
		vec_push(&walk->ranks->calls, made);
		spread_add(&mpi[call], &walk->mpi[call], rank);
		for (int value = 0; value < ANALYSIS_VALUES; value++)
			row->mpi[value] += walk->mpi[call].amount[value];
		walk->mpi[call] = (struct sum){0};
		walk->values[call] = analysis_values_zero();
	}
	row->work = less(row->values.amount[CPU_INCLUSIVE], row->mpi[VALUE_CPU]);
	if (row->work > walk->ranks->most_work)
		walk->ranks->most_work = row->work;
}

static void walk_rank(struct walk *walk, uint32_t rank, const uint32_t *rank_of)
{
	const struct analysis *analysis = walk->analysis;
	const struct analysis_visitor visitor = {node_enter, node_leave, walk};

	vec_foreach (thread, &analysis->threads) {
		if (rank_of[thread->process] != rank + 1 || thread->root == ANALYSIS_NONE)
			continue;
		walk->any_call = false;
		analysis_walk(analysis, thread->root, &visitor);
		if (walk->any_call)
			walk->ranks->ranks.data[rank].calling +=
				thread->values.amount[ELAPSED_INCLUSIVE];
	}
}

/* Ranks that never called it have 0, and the first of them is the least. */
static void settle(struct analysis_imbalance *imbalance, size_t ranks)
{
	if (imbalance->without == ranks)
		return;
	for (int value = 0; value < ANALYSIS_VALUES; value++) {
		imbalance->spread[value].least = 0;
		imbalance->spread[value].least_rank = imbalance->without;
	}
}

static int compare_calls(const void *a, const void *b)
{
	const struct analysis_imbalance *x = a, *y = b;

	return strcmp(x->call, y->call);
}

static void walk_ranks(struct walk *walk, const uint32_t *rank_of)
{
	const size_t function_count = walk->analysis->functions.len;
	struct analysis_ranks *ranks = walk->ranks;
	struct analysis_imbalance *functions =
		mem_zalloc((function_count + 1) * sizeof(*functions));
	struct analysis_imbalance *mpi = mem_zalloc((walk->calls.len + 1) * sizeof(*mpi));

	for (uint32_t rank = 0; rank < ranks->ranks.len; rank++) {
		walk_rank(walk, rank, rank_of);
		take_rank(walk, rank, functions, mpi);
	}
	for (uint32_t i = 0; i < function_count; i++) {
		functions[i].function = i;
		settle(&functions[i], ranks->ranks.len);
		if (functions[i].ranks)
			vec_push(&ranks->functions, functions[i]);
	}
	for (uint32_t i = 0; i < walk->calls.len; i++) {
		mpi[i].function = ANALYSIS_NONE;
		mpi[i].call = walk->calls.data[i];
		settle(&mpi[i], ranks->ranks.len);
		if (mpi[i].ranks)
			vec_push(&ranks->mpi, mpi[i]);
	}
	if (ranks->mpi.len)
		qsort(ranks->mpi.data, ranks->mpi.len, sizeof(ranks->mpi.data[0]), compare_calls);
	free(functions);
	free(mpi);
}

static void make_rooms(struct walk *walk)
{
	const size_t functions = walk->analysis->functions.len + 1;

	walk->depths = mem_zalloc(functions * sizeof(*walk->depths));
	walk->functions = mem_zalloc(functions * sizeof(*walk->functions));
	walk->mpi = mem_zalloc((walk->calls.len + 1) * sizeof(*walk->mpi));
	walk->values = mem_zalloc((walk->calls.len + 1) * sizeof(*walk->values));
	for (size_t i = 0; i < walk->calls.len; i++)
		walk->values[i] = analysis_values_zero();
}

static void walk_fini(struct walk *walk)
{
	strmap_fini(&walk->by_call);
	vec_fini(&walk->calls);
	vec_fini(&walk->above);
	vec_fini(&walk->met);
	free(walk->call_of);
	free(walk->depths);
	free(walk->functions);
	free(walk->mpi);
	free(walk->values);
}

void analysis_ranks_find(const struct analysis *analysis, struct analysis_ranks *ranks)
{
	struct walk walk = {.analysis = analysis, .ranks = ranks};
	bool any;

	*ranks = (struct analysis_ranks){0};
	arena_init(&ranks->arena);
	strmap_init(&walk.by_call);
	walk.call_of = mem_zalloc((analysis->functions.len + 1) * sizeof(*walk.call_of));
	name_calls(&walk);
	make_rooms(&walk);
	uint32_t *rank_of = mem_zalloc((analysis->processes.len + 1) * sizeof(*rank_of));
	bool *callers = find_callers(&walk, &any);
	find_ranks(&walk, callers, any, rank_of);
	walk_ranks(&walk, rank_of);
	free(callers);
	free(rank_of);
	walk_fini(&walk);
}

void analysis_ranks_fini(struct analysis_ranks *ranks)
{
	vec_fini(&ranks->ranks);
	vec_fini(&ranks->calls);
	vec_fini(&ranks->functions);
	vec_fini(&ranks->mpi);
	arena_fini(&ranks->arena);
}

double analysis_imbalance_percent(const struct analysis_spread *spread, size_t ranks)
{
	if (!spread->sum)
		return NAN;
	return ((double)spread->most * (double)ranks / (double)spread->sum - 1) * 100;
}
