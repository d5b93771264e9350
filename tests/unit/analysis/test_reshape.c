/*
 * Properties of trees made anew, over random ones of calls and of samples: my code, root and
 * folded recursion move values and lose none. And the same on small trees that can be checked by
 * hand.
 */
#include "analysis/inverted.h"
#include "analysis/outline.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 3, MODULES = 4, OF_MODULE = 3, FUNCTIONS = MODULES * OF_MODULE, NODES = 120 };
enum { SEEDS = 8 };

static char path[64];
static uint64_t random_state;

static unsigned random_below(unsigned limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 33) % limit;
}

static int choose_path(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "test_reshape.%ld.tare", (long)getpid());
	return 0;
}

static int remove_path(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

/* Functions f1 to f12: those of the first two modules are mine. */
static void add_functions(struct profile_writer *writer)
{
	static const char *const paths[MODULES] = {"/usr/bin/work", "/usr/lib/libpart.so.1",
						   "[kernel.kallsyms]", "[vdso]"};

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		char name[16];
		if (i % OF_MODULE == 0)
			small_module(writer, paths[i / OF_MODULE]);
		snprintf(name, sizeof(name), "f%u", i + 1);
		small_function(writer, i / OF_MODULE + 1, name, 0x1000 + 64 * i);
	}
}

static void add_node(struct profile_writer *writer, const struct profile_node *node)
{
	struct error err = {0};

	if (!profile_add_node(writer, node, &err))
		fail_msg("%s", err.message);
}

/* `folded`: with call paths that have folded, which stand below the roots. */
static void write_calls(uint64_t seed, bool folded)
{
	struct profile_node nodes[NODES] = {0};
	uint64_t now[THREADS] = {0}, os[THREADS] = {0};
	struct profile_writer *writer = small_profile_open(path);

	random_state = seed;
	for (unsigned i = 0; i < NODES; i++) {
		struct profile_node *node = &nodes[i];
		node->id = i + 1;
		if (i < THREADS) {
			node->thread = i + 1;
		} else {
			const bool folds = folded && random_below(8) == 0;
			const unsigned parent = folds ? random_below(THREADS) : random_below(i);
			node->folded = folds;
			node->parent = parent + 1;
			node->thread = nodes[parent].thread;
			node->function = random_below(FUNCTIONS) + 1;
			node->calls = 1 + random_below(9);
			if (folded && !folds)
				node->folded_elapsed_ticks = random_below(50);
		}
		node->elapsed_ticks = random_below(1000);
		node->os_ticks[random_below(TARE_OS_CAUSES)] = node->elapsed_ticks / 3;
		node->elapsed_inclusive_min = node->elapsed_exclusive_min = 1;
		now[node->thread - 1] += node->elapsed_ticks;
		os[node->thread - 1] += node->elapsed_ticks / 3;
	}
	small_process(writer, 100, "work");
	for (unsigned i = 0; i < THREADS; i++)
		small_thread(writer, 1, 101 + i, now[i], os[i]);
	add_functions(writer);
	for (unsigned i = 0; i < NODES; i++)
		add_node(writer, &nodes[i]);
	small_profile_commit(writer);
}

static void write_samples(uint64_t seed)
{
	struct profile_writer *writer = small_profile_open(path);

	random_state = seed;
	small_process(writer, 100, "work");
	for (unsigned i = 0; i < THREADS; i++)
		small_thread(writer, 1, 101 + i, 0, 0);
	add_functions(writer);
	small_event(writer, "cpu-clock", "ns");
	for (unsigned i = 0; i < NODES; i++) {
		const unsigned function = random_below(FUNCTIONS);
		const int64_t stack = small_stack(writer, random_below(i + 1), function + 1,
						  0x1000 + 64 * function + 2 * i % 60);
		const struct profile_stack_value row = {.thread = random_below(THREADS) + 1,
							.event = 1,
							.stack = stack,
							.samples = 1 + random_below(20)};
		small_samples(writer, &row);
	}
	small_profile_commit_as(writer, "sample");
}

/* ---- sums ---- */

struct opened {
	struct profile *profile;
	struct analysis *analysis;
};

static struct opened open_with(const struct analysis_options *options)
{
	struct opened opened;
	struct error err = {0};

	opened.profile = profile_open(path, &err);
	opened.analysis = opened.profile ? analysis_open(opened.profile, options, &err) : NULL;
	if (!opened.analysis)
		fail_msg("%s", err.message);
	return opened;
}

static void close_opened(struct opened *opened)
{
	analysis_close(opened->analysis);
	profile_close(opened->profile);
}

static struct analysis_values sum_exclusive(const struct analysis *analysis, uint32_t function)
{
	struct analysis_values sum = {0};

	vec_foreach (node, &analysis->nodes) {
		if (function != ANALYSIS_NONE && node->function != function)
			continue;
		sum.calls += node->values.calls;
		for (int i = 0; i < ANALYSIS_MEASURES; i++)
			sum.amount[i] += node->values.amount[i];
		for (int i = 0; i < TARE_OS_CAUSES; i++)
			sum.os_ticks[i] += node->values.os_ticks[i];
	}
	return sum;
}

static void same_exclusive(const struct analysis_values *a, const struct analysis_values *b)
{
	assert_int_equal(a->amount[ELAPSED_EXCLUSIVE], b->amount[ELAPSED_EXCLUSIVE]);
	assert_int_equal(a->amount[APPLICATION_EXCLUSIVE], b->amount[APPLICATION_EXCLUSIVE]);
	assert_int_equal(a->amount[SAMPLES_EXCLUSIVE], b->amount[SAMPLES_EXCLUSIVE]);
	assert_int_equal(a->amount[WEIGHT_EXCLUSIVE], b->amount[WEIGHT_EXCLUSIVE]);
	assert_memory_equal(a->os_ticks, b->os_ticks, sizeof(a->os_ticks));
}

static void same_inclusive(const struct analysis_values *a, const struct analysis_values *b)
{
	assert_int_equal(a->amount[ELAPSED_INCLUSIVE], b->amount[ELAPSED_INCLUSIVE]);
	assert_int_equal(a->amount[APPLICATION_INCLUSIVE], b->amount[APPLICATION_INCLUSIVE]);
	assert_int_equal(a->amount[SAMPLES_INCLUSIVE], b->amount[SAMPLES_INCLUSIVE]);
	assert_int_equal(a->amount[WEIGHT_INCLUSIVE], b->amount[WEIGHT_INCLUSIVE]);
}

/* Of a session; where no function was left out, of its threads and their roots as well. */
static void same_sums(const struct opened *before, const struct opened *after)
{
	const struct analysis *a = before->analysis, *b = after->analysis;
	const struct analysis_values x = sum_exclusive(a, ANALYSIS_NONE);
	const struct analysis_values y = sum_exclusive(b, ANALYSIS_NONE);

	same_exclusive(&x, &y);
	assert_int_equal(a->totals.elapsed, b->totals.elapsed);
	assert_int_equal(a->totals.application, b->totals.application);
	assert_int_equal(a->totals.inconsistent_ticks, b->totals.inconsistent_ticks);
	assert_memory_equal(a->totals.os_ticks, b->totals.os_ticks, sizeof(a->totals.os_ticks));
	for (size_t i = 0; i < a->threads.len; i++) {
		const struct analysis_thread *s = &a->threads.data[i], *t = &b->threads.data[i];
		assert_int_equal(s->root == ANALYSIS_NONE, t->root == ANALYSIS_NONE);
		if (s->root != ANALYSIS_NONE)
			same_inclusive(&a->nodes.data[s->root].values,
				       &b->nodes.data[t->root].values);
	}
}

static void same_totals(const struct opened *before, const struct opened *after)
{
	const struct analysis *a = before->analysis, *b = after->analysis;

	same_sums(before, after);
	assert_int_equal(a->totals.root_ticks, b->totals.root_ticks);
	for (size_t i = 0; i < a->threads.len; i++) {
		const struct analysis_thread *s = &a->threads.data[i], *t = &b->threads.data[i];
		same_inclusive(&s->values, &t->values);
		same_exclusive(&s->values, &t->values);
		if (s->root != ANALYSIS_NONE)
			same_exclusive(&a->nodes.data[s->root].values,
				       &b->nodes.data[t->root].values);
	}
}

/* Lists of children and levels agree with parents, and no parent has two like children. */
static void is_well_formed(const struct analysis *analysis)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	size_t listed = 0;

	for (uint32_t i = 0; i < analysis->nodes.len; i++) {
		assert_true(nodes[i].parent == ANALYSIS_NONE || nodes[i].parent < i);
		assert_int_equal(nodes[i].level, nodes[i].parent == ANALYSIS_NONE
							 ? 0
							 : nodes[nodes[i].parent].level + 1);
		listed += nodes[i].parent == ANALYSIS_NONE;
		for (uint32_t at = nodes[i].first_child; at != ANALYSIS_NONE;
		     at = nodes[at].next_sibling) {
			listed++;
			assert_int_equal(nodes[at].parent, i);
			for (uint32_t other = nodes[at].next_sibling; other != ANALYSIS_NONE;
			     other = nodes[other].next_sibling)
				assert_false(nodes[at].function == nodes[other].function &&
					     nodes[at].folded == nodes[other].folded);
		}
	}
	assert_int_equal(listed, analysis->nodes.len);
}

/* Where nothing has folded, a node has what its children have and what is its own. */
static void adds_up(const struct analysis *analysis)
{
	vec_foreach (node, &analysis->nodes) {
		uint64_t ticks = node->values.amount[ELAPSED_EXCLUSIVE];
		uint64_t samples = node->values.amount[SAMPLES_EXCLUSIVE];
		for (uint32_t at = node->first_child; at != ANALYSIS_NONE;
		     at = analysis->nodes.data[at].next_sibling) {
			ticks += analysis->nodes.data[at].values.amount[ELAPSED_INCLUSIVE];
			samples += analysis->nodes.data[at].values.amount[SAMPLES_INCLUSIVE];
		}
		assert_int_equal(node->values.amount[ELAPSED_INCLUSIVE], ticks);
		assert_int_equal(node->values.amount[SAMPLES_INCLUSIVE], samples);
	}
}

/* ---- properties ---- */

static bool is_mine(const struct analysis *analysis, uint32_t node)
{
	const uint32_t function = analysis->nodes.data[node].function;

	return function != ANALYSIS_NONE && function / OF_MODULE < 2;
}

/* But for what has folded, whose callers are not known. */
static void is_only_mine(const struct analysis *analysis)
{
	bool folded[FUNCTIONS] = {false};

	for (uint32_t i = 0; i < analysis->nodes.len; i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		assert_true(node->parent == ANALYSIS_NONE || node->folded || is_mine(analysis, i));
		if (node->folded)
			folded[node->function] = true;
	}
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct analysis_values *values = &analysis->functions.data[i].values;
		if (i / OF_MODULE < 2 || folded[i])
			continue;
		assert_int_equal(values->calls, 0);
		assert_int_equal(values->amount[ELAPSED_EXCLUSIVE], 0);
		assert_int_equal(values->amount[SAMPLES_EXCLUSIVE], 0);
	}
}

static void check_my_code(const struct opened *plain)
{
	static const struct analysis_options options = {.my_code = true};
	struct opened hidden = open_with(&options);
	const struct analysis *a = plain->analysis, *b = hidden.analysis;

	same_sums(plain, &hidden);
	is_well_formed(b);
	is_only_mine(b);
	assert_true(b->totals.frames_hidden > 0);
	assert_true(b->totals.modules_hidden > 0 && b->totals.modules_hidden <= 2);
	/* What is mine has the time of what it called, and its own. */
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct analysis_values *x = &a->functions.data[i].values;
		const struct analysis_values *y = &b->functions.data[i].values;
		if (i / OF_MODULE >= 2)
			continue;
		same_inclusive(x, y);
		assert_int_equal(x->calls, y->calls);
		assert_true(y->amount[ELAPSED_EXCLUSIVE] >= x->amount[ELAPSED_EXCLUSIVE]);
		assert_true(y->amount[SAMPLES_EXCLUSIVE] >= x->amount[SAMPLES_EXCLUSIVE]);
	}
	close_opened(&hidden);
}

static void check_root(const struct opened *plain)
{
	for (unsigned i = 0; i < FUNCTIONS; i += 4) {
		char name[16];
		snprintf(name, sizeof(name), "f%u", i + 1);
		const struct analysis_values *function = &plain->analysis->functions.data[i].values;
		for (int by_thread = 0; by_thread < 2; by_thread++) {
			const struct analysis_options options = {.root = name,
								 .root_by_thread = by_thread};
			struct analysis_values sum = {0};
			struct opened rooted = open_with(&options);
			const struct analysis *analysis = rooted.analysis;
			is_well_formed(analysis);
			vec_foreach (node, &analysis->nodes) {
				const bool top = by_thread ? node->level == 1
							   : node->parent == ANALYSIS_NONE;
				assert_true(!top || node->function == i);
				if (!top)
					continue;
				sum.amount[ELAPSED_INCLUSIVE] +=
					node->values.amount[ELAPSED_INCLUSIVE];
				sum.amount[APPLICATION_INCLUSIVE] +=
					node->values.amount[APPLICATION_INCLUSIVE];
				sum.amount[SAMPLES_INCLUSIVE] +=
					node->values.amount[SAMPLES_INCLUSIVE];
				sum.amount[WEIGHT_INCLUSIVE] +=
					node->values.amount[WEIGHT_INCLUSIVE];
			}
			same_inclusive(&sum, function);
			same_inclusive(&analysis->functions.data[i].values, function);
			assert_true(analysis->totals.root_paths > 0);
			close_opened(&rooted);
		}
	}
}

static void check_recursion(const struct opened *plain)
{
	static const struct analysis_options options = {.fold_recursion = true};
	struct opened flat = open_with(&options);
	const struct analysis *analysis = flat.analysis;
	const struct analysis_node *nodes = analysis->nodes.data;

	same_totals(plain, &flat);
	is_well_formed(analysis);
	assert_true(analysis->totals.recursion_folded > 0);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct analysis_values x = sum_exclusive(plain->analysis, i);
		const struct analysis_values y = sum_exclusive(analysis, i);
		same_exclusive(&x, &y);
		assert_int_equal(x.calls, y.calls);
	}
	for (uint32_t i = 0; i < analysis->nodes.len; i++)
		for (uint32_t at = nodes[i].parent; at != ANALYSIS_NONE; at = nodes[at].parent)
			assert_false(nodes[at].function == nodes[i].function &&
				     nodes[at].folded == nodes[i].folded);
	close_opened(&flat);
}

/* All threads are called "worker", and are of one process. */
static void check_merged(const struct opened *plain)
{
	static const struct analysis_options options = {.merge_threads = true};
	struct opened merged = open_with(&options);
	const struct analysis *a = plain->analysis, *b = merged.analysis;
	struct analysis_values before = {0};
	size_t roots = 0;

	is_well_formed(b);
	vec_foreach (thread, &a->threads) {
		roots += thread->root != ANALYSIS_NONE;
		if (thread->root != ANALYSIS_NONE)
			analysis_values_sum(&before, &a->nodes.data[thread->root].values);
	}
	vec_foreach (thread, &b->threads) {
		assert_true((thread->root == ANALYSIS_NONE) == (thread != b->threads.data));
		assert_int_equal(thread->merged, thread == b->threads.data ? roots : 0);
	}
	same_inclusive(&before, &b->nodes.data[b->threads.data[0].root].values);
	same_exclusive(&before, &b->nodes.data[b->threads.data[0].root].values);
	assert_true(b->nodes.len < a->nodes.len);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct analysis_values x = sum_exclusive(a, i), y = sum_exclusive(b, i);
		same_exclusive(&x, &y);
		assert_int_equal(x.calls, y.calls);
		same_inclusive(&a->functions.data[i].values, &b->functions.data[i].values);
	}
	close_opened(&merged);
}

/* Callers have what their callee has, but for what no function called. */
static void check_callers(const struct analysis *analysis, const struct analysis_inverted *row,
			  struct arena *arena)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	struct analysis_inverted_rows callers = {0};
	uint64_t ticks = 0, samples = 0, calls = 0;
	size_t paths = 0;

	analysis_inverted_callers(analysis, row, arena, &callers);
	vec_foreach (caller, &callers) {
		const struct analysis_values *values = &(*caller)->values;
		assert_ptr_equal((*caller)->callee, row);
		assert_int_equal((*caller)->level, row->level + 1);
		assert_int_equal(values->amount[ELAPSED_INCLUSIVE],
				 values->amount[ELAPSED_EXCLUSIVE]);
		ticks += values->amount[ELAPSED_EXCLUSIVE];
		samples += values->amount[SAMPLES_EXCLUSIVE];
		calls += values->calls;
		paths += (*caller)->count;
		for (size_t i = 0; i < (*caller)->count; i++)
			assert_int_equal(nodes[(*caller)->paths[i].at].function,
					 (*caller)->function);
		check_callers(analysis, *caller, arena);
	}
	for (size_t i = 0; i < row->count; i++) {
		const uint32_t above = nodes[row->paths[i].at].parent;
		const struct analysis_values *values = &nodes[row->paths[i].leaf].values;
		if (above != ANALYSIS_NONE && nodes[above].function != ANALYSIS_NONE)
			continue;
		ticks += values->amount[ELAPSED_EXCLUSIVE];
		samples += values->amount[SAMPLES_EXCLUSIVE];
		calls += values->calls;
		paths++;
	}
	assert_int_equal(ticks, row->values.amount[ELAPSED_EXCLUSIVE]);
	assert_int_equal(samples, row->values.amount[SAMPLES_EXCLUSIVE]);
	assert_int_equal(calls, row->values.calls);
	assert_int_equal(paths, row->count);
	vec_fini(&callers);
}

static void check_inverted(const struct opened *plain)
{
	const struct analysis *analysis = plain->analysis;
	struct analysis_inverted_rows tops = {0};
	struct arena arena;
	size_t paths = 0;

	arena_init(&arena);
	analysis_inverted_tops(analysis, &arena, &tops);
	vec_foreach (top, &tops) {
		struct analysis_values sum = {0};
		assert_null((*top)->callee);
		vec_foreach (node, &analysis->nodes)
			if (node->function == (*top)->function)
				analysis_values_sum(&sum, &node->values);
		same_exclusive(&sum, &(*top)->values);
		assert_int_equal(sum.calls, (*top)->values.calls);
		paths += (*top)->count;
		check_callers(analysis, *top, &arena);
	}
	assert_int_equal(paths, analysis->nodes.len);
	vec_fini(&tops);
	arena_fini(&arena);
}

/* All three, one after the other: the root's time is still that of the function. */
static void check_together(const struct opened *plain)
{
	const struct analysis_options options = {
		.my_code = true, .root = "f2", .fold_recursion = true};
	struct opened all = open_with(&options);
	uint64_t ticks = 0, samples = 0;

	is_well_formed(all.analysis);
	vec_foreach (node, &all.analysis->nodes) {
		if (node->parent != ANALYSIS_NONE)
			continue;
		ticks += node->values.amount[ELAPSED_INCLUSIVE];
		samples += node->values.amount[SAMPLES_INCLUSIVE];
	}
	const struct analysis_values *function = &plain->analysis->functions.data[1].values;
	assert_int_equal(ticks, function->amount[ELAPSED_INCLUSIVE]);
	assert_int_equal(samples, function->amount[SAMPLES_INCLUSIVE]);
	close_opened(&all);
}

static void test_calls(void **state)
{
	static const struct analysis_options none;

	(void)state;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		write_calls(0x9e3779b97f4a7c15 * seed, false);
		struct opened plain = open_with(&none);
		adds_up(plain.analysis);
		check_my_code(&plain);
		check_root(&plain);
		check_recursion(&plain);
		check_together(&plain);
		check_merged(&plain);
		check_inverted(&plain);
		close_opened(&plain);
	}
}

static void test_samples(void **state)
{
	static const struct analysis_options none;

	(void)state;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		write_samples(0x9e3779b97f4a7c15 * seed);
		struct opened plain = open_with(&none);
		adds_up(plain.analysis);
		check_my_code(&plain);
		check_root(&plain);
		check_recursion(&plain);
		check_together(&plain);
		check_merged(&plain);
		check_inverted(&plain);
		close_opened(&plain);
	}
}

/* Where call paths have folded, what callers have of them moves along. */
static void test_folded_calls(void **state)
{
	static const struct analysis_options none;

	(void)state;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		write_calls(0x9e3779b97f4a7c15 * seed, true);
		struct opened plain = open_with(&none);
		check_my_code(&plain);
		check_recursion(&plain);
		close_opened(&plain);
	}
}

/* ---- outlines ---- */

/* What rows have of their own, and the paths in none of them: that is all there is. */
static void check_outline(const struct analysis *analysis,
			  const struct analysis_outline_options *options)
{
	struct analysis_outline outline;
	uint64_t own = 0, left_out = 0, rows = 0;
	bool *in_row = mem_zalloc(analysis->nodes.len + 1);

	analysis_outline_make(analysis, options, &outline);
	for (uint32_t i = 0; i < analysis->processes.len; i++)
		rows += outline.processes[i];
	for (uint32_t i = 0; i < analysis->nodes.len; i++) {
		const uint32_t parent = analysis->nodes.data[i].parent;
		if (outline.last[i] == ANALYSIS_NONE)
			continue;
		rows++;
		const struct analysis_values values =
			analysis_outline_values(analysis, &outline, i);
		own += analysis_exclusive(analysis, &values);
		assert_int_equal(analysis_inclusive(analysis, &values),
				 analysis_inclusive(analysis, &analysis->nodes.data[i].values));
		/* The row above is there: the parent is the last frame of it. */
		assert_true(parent == ANALYSIS_NONE || in_row[parent]);
		for (uint32_t at = outline.last[i];; at = analysis->nodes.data[at].parent) {
			assert_false(in_row[at]);
			in_row[at] = true;
			if (at == i)
				break;
			assert_int_equal(outline.hot[at], outline.hot[i]);
		}
	}
	assert_int_equal(rows, outline.rows);
	assert_true(rows <= options->limit);
	for (uint32_t i = 0; i < analysis->nodes.len; i++)
		if (!in_row[i])
			left_out += analysis_exclusive(analysis, &analysis->nodes.data[i].values);
	assert_int_equal(own + left_out, analysis->totals.cpu + analysis->totals.samples.kept);
	assert_true(outline.trimmed_value <= left_out);
	if (options->limit == UINT64_MAX && options->expand == EXPAND_ALL)
		assert_int_equal(outline.trimmed_value, left_out);
	analysis_outline_fini(&outline);
	free(in_row);
}

static void check_outlines(const struct analysis *analysis)
{
	static const uint64_t limits[] = {1, 2, 7, 30, UINT64_MAX};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		for (int expand = EXPAND_ALL; expand <= EXPAND_LEVELS; expand++)
			for (int percent = 0; percent < 4; percent++) {
				const struct analysis_outline_options options = {
					.trim = percent,
					.fold = 3 - percent,
					.expand = (enum analysis_expand)expand,
					.levels = 2,
					.limit = limits[i]};
				check_outline(analysis, &options);
			}
}

static void test_outlines(void **state)
{
	static const struct analysis_options none;

	(void)state;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		write_calls(0x9e3779b97f4a7c15 * seed, seed % 2);
		struct opened plain = open_with(&none);
		check_outlines(plain.analysis);
		close_opened(&plain);
		write_samples(0x9e3779b97f4a7c15 * seed);
		plain = open_with(&none);
		check_outlines(plain.analysis);
		close_opened(&plain);
	}
}

/* ---- by hand ---- */

static struct opened open_made(const struct small_node *nodes, size_t count, uint64_t now,
			       const struct analysis_options *options)
{
	struct profile_writer *writer = small_profile_open(path);

	small_process(writer, 100, "work");
	small_thread(writer, 1, 101, now, 0);
	add_functions(writer);
	small_nodes(writer, nodes, count);
	small_profile_commit(writer);
	return open_with(options);
}

struct expected {
	uint32_t parent;
	unsigned function;
	uint64_t calls, inclusive, exclusive;
};

static void is_node(const struct analysis *analysis, uint32_t node, struct expected expected)
{
	const struct analysis_node *row = &analysis->nodes.data[node];

	assert_int_equal(row->parent, expected.parent);
	assert_int_equal(row->function, expected.function - 1);
	assert_int_equal(row->values.calls, expected.calls);
	assert_int_equal(row->values.amount[ELAPSED_INCLUSIVE], expected.inclusive);
	assert_int_equal(row->values.amount[ELAPSED_EXCLUSIVE], expected.exclusive);
}

/* f7 to f12 are the system's: f7 begins the thread, f8 is between, f9 calls f1, which calls f10. */
static void test_what_is_not_mine_leaves(void **state)
{
	static const struct small_node nodes[] = {
		{.thread = 1, .elapsed = 5},
		{.thread = 1, .parent = 1, .function = 7, .calls = 1, .elapsed = 10},
		{.thread = 1, .parent = 2, .function = 8, .calls = 1, .elapsed = 20},
		{.thread = 1, .parent = 3, .function = 9, .calls = 1, .elapsed = 30},
		{.thread = 1, .parent = 4, .function = 1, .calls = 2, .elapsed = 40},
		{.thread = 1, .parent = 5, .function = 10, .calls = 3, .elapsed = 50},
		{.thread = 1, .parent = 6, .function = 11, .calls = 4, .elapsed = 60},
		{.thread = 1, .parent = 7, .function = 2, .calls = 5, .elapsed = 70},
	};
	static const struct analysis_options options = {.my_code = true};
	struct opened opened = open_made(nodes, 8, 285, &options);
	const struct analysis *analysis = opened.analysis;

	(void)state;
	assert_int_equal(analysis->nodes.len, 3);
	assert_int_equal(analysis->totals.frames_hidden, 5);
	assert_int_equal(analysis->nodes.data[0].values.amount[ELAPSED_INCLUSIVE], 285);
	assert_int_equal(analysis->nodes.data[0].values.amount[ELAPSED_EXCLUSIVE], 65);
	is_node(analysis, 1, (struct expected){0, 1, 2, 220, 150}); /* with f10 and f11 */
	is_node(analysis, 2, (struct expected){1, 2, 5, 70, 70});
	assert_true(analysis->functions.data[0].values.absorbed);
	assert_int_equal(analysis->functions.data[9].values.calls, 0);
	close_opened(&opened);
}

static void test_modules_by_name(void **state)
{
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 10},
		{.thread = 1, .parent = 2, .function = 2, .calls = 1, .elapsed = 10},
		{.thread = 1, .parent = 3, .function = 4, .calls = 1, .elapsed = 10},
		{.thread = 1, .parent = 4, .function = 7, .calls = 1, .elapsed = 10},
		{.thread = 1, .parent = 5, .function = 8, .calls = 1, .elapsed = 10},
	};
	static const struct analysis_options mine = {.my_code = true, .mine = "other,libpart*"};
	static const struct analysis_options nobodys = {.my_code = true, .mine = "other,"};
	struct opened opened = open_made(nodes, 6, 50, &mine);
	struct error err = {0};

	(void)state;
	assert_true(opened.analysis->modules.data[0].system);
	assert_false(opened.analysis->modules.data[1].system);
	/* f1 and f2 call mine, f7 and f8 are called by it. */
	assert_int_equal(opened.analysis->totals.frames_hidden, 4);
	is_node(opened.analysis, 1, (struct expected){0, 4, 1, 30, 30});
	assert_null(analysis_open(opened.profile, &nobodys, &err));
	assert_string_equal(err.message, "no module of the profile matches --my-code=other,; the "
					 "modules view lists them");
	close_opened(&opened);
}

/* A glob may be about a module's whole path, of which the name is a part. */
static void test_modules_by_path(void **state)
{
	static const char *const lists[] = {"/usr/lib/*", "other,*/lib/libpart.so.1",
					    "/usr/*/libpart.so.*,", "libpart.so.1"};
	static const struct small_node nodes[] = {
		{.thread = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 10},
		{.thread = 1, .parent = 2, .function = 4, .calls = 1, .elapsed = 10},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct analysis_options mine = {.my_code = true, .mine = lists[i]};
		struct opened opened = open_made(nodes, 3, 20, &mine);
		assert_true(opened.analysis->modules.data[0].system);
		assert_false(opened.analysis->modules.data[1].system);
		close_opened(&opened);
		unlink(path);
	}
}

/* f1 → f2 → f1 → f2 → f3, and f1 → f3. */
static const struct small_node recursive_nodes[] = {
	{.thread = 1},
	{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 1},
	{.thread = 1, .parent = 2, .function = 2, .calls = 2, .elapsed = 2},
	{.thread = 1, .parent = 3, .function = 1, .calls = 3, .elapsed = 4},
	{.thread = 1, .parent = 4, .function = 2, .calls = 4, .elapsed = 8},
	{.thread = 1, .parent = 5, .function = 3, .calls = 5, .elapsed = 16},
	{.thread = 1, .parent = 2, .function = 3, .calls = 6, .elapsed = 32},
};

static void test_recursion_by_hand(void **state)
{
	static const struct analysis_options options = {.fold_recursion = true};
	struct opened opened = open_made(recursive_nodes, 7, 63, &options);
	const struct analysis *analysis = opened.analysis;

	(void)state;
	/* The inner f1 is the outer one; what it calls is called by that: f2 below f1 once. */
	assert_int_equal(analysis->nodes.len, 5);
	assert_int_equal(analysis->totals.recursion_folded, 1);
	is_node(analysis, 1, (struct expected){0, 1, 4, 63, 5});
	is_node(analysis, 2, (struct expected){1, 2, 6, 26, 10});
	is_node(analysis, 3, (struct expected){2, 3, 5, 16, 16});
	is_node(analysis, 4, (struct expected){1, 3, 6, 32, 32});
	close_opened(&opened);
}

static void test_root_by_hand(void **state)
{
	static const struct analysis_options options = {.root = "f2"};
	static const struct analysis_options several = {.root = "f[23]"};
	static const struct analysis_options nothing = {.root = "f22"};
	struct opened opened = open_made(recursive_nodes, 7, 63, &options);
	struct error err = {0};

	(void)state;
	assert_true(opened.analysis->is_rooted);
	assert_int_equal(opened.analysis->totals.root_paths, 1);
	is_node(opened.analysis, 0, (struct expected){ANALYSIS_NONE, 2, 2, 30, 2});
	is_node(opened.analysis, 1, (struct expected){0, 1, 3, 28, 4});
	close_opened(&opened);
	/* f3 below f2 is part of that. */
	opened = open_with(&several);
	assert_int_equal(opened.analysis->totals.root_paths, 2);
	is_node(opened.analysis, 4, (struct expected){ANALYSIS_NONE, 3, 6, 32, 32});
	assert_null(analysis_open(opened.profile, &nothing, &err));
	assert_string_equal(err.message, "no function of the profile is called \"f22\"; did you "
					 "mean \"f2\"?");
	close_opened(&opened);
}

/* Threads are all called "worker": those of the processes "a" are one, that of "b" stays apart. */
static void test_merged_by_hand(void **state)
{
	static const struct analysis_options options = {.merge_threads = true};
	static const struct small_node nodes[] = {
		{.thread = 1, .elapsed = 1},
		{.thread = 1, .parent = 1, .function = 1, .calls = 1, .elapsed = 10},
		{.thread = 2, .elapsed = 2},
		{.thread = 2, .parent = 3, .function = 1, .calls = 2, .elapsed = 20},
		{.thread = 3, .elapsed = 4},
		{.thread = 3, .parent = 5, .function = 1, .calls = 3, .elapsed = 40},
		{.thread = 3, .parent = 6, .function = 2, .calls = 5, .elapsed = 400},
	};
	struct profile_writer *writer = small_profile_open(path);

	(void)state;
	small_process(writer, 100, "a");
	small_process(writer, 200, "b");
	small_process(writer, 300, "a");
	small_thread(writer, 1, 101, 11, 0);
	small_thread(writer, 2, 201, 22, 0);
	small_thread(writer, 3, 301, 444, 0);
	add_functions(writer);
	small_nodes(writer, nodes, sizeof(nodes) / sizeof(nodes[0]));
	small_profile_commit(writer);
	struct opened merged = open_with(&options);
	const struct analysis *analysis = merged.analysis;
	const struct analysis_process *processes = analysis->processes.data;
	const struct analysis_thread *threads = analysis->threads.data;
	is_well_formed(analysis);
	adds_up(analysis);
	assert_int_equal(analysis->nodes.len, 5);
	const uint32_t of[] = {2, 1, 0};
	for (int i = 0; i < 3; i++) {
		assert_int_equal(processes[i].merged, of[i]);
		assert_int_equal(threads[i].merged, of[i]);
	}
	assert_int_equal(processes[0].tree.amount[ELAPSED_INCLUSIVE], 455);
	assert_int_equal(processes[1].tree.amount[ELAPSED_INCLUSIVE], 22);
	assert_int_equal(processes[2].tree.amount[ELAPSED_INCLUSIVE], 0);
	const struct analysis_node *root = &analysis->nodes.data[threads[0].root];
	assert_int_equal(root->values.amount[ELAPSED_INCLUSIVE], 455);
	assert_int_equal(root->values.amount[ELAPSED_EXCLUSIVE], 5);
	const struct analysis_node *call = &analysis->nodes.data[root->first_child];
	assert_int_equal(call->values.calls, 4);
	assert_int_equal(call->values.amount[ELAPSED_INCLUSIVE], 450);
	close_opened(&merged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_calls, remove_path),
		cmocka_unit_test_teardown(test_samples, remove_path),
		cmocka_unit_test_teardown(test_folded_calls, remove_path),
		cmocka_unit_test_teardown(test_outlines, remove_path),
		cmocka_unit_test_teardown(test_what_is_not_mine_leaves, remove_path),
		cmocka_unit_test_teardown(test_modules_by_name, remove_path),
		cmocka_unit_test_teardown(test_modules_by_path, remove_path),
		cmocka_unit_test_teardown(test_recursion_by_hand, remove_path),
		cmocka_unit_test_teardown(test_root_by_hand, remove_path),
		cmocka_unit_test_teardown(test_merged_by_hand, remove_path),
	};

	return cmocka_run_group_tests(tests, choose_path, NULL);
}
