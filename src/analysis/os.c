/*
 * OS time by cause × function × the program's own caller × system call × object and its path,
 * summed over call paths. What the records do not cover, because some were lost, appears as rows
 * without system call, so that the rows of a function and cause add up to the function's value.
 */
#include "analysis/demangle.h"
#include "analysis/private.h"

#include <assert.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/syscall.h>

struct loading {
	struct analysis *analysis;
	struct strmap paths;   /* → as it is kept */
	struct map os_holders; /* id of a row → thread << 32 | function, both indexes */
	bool keep_mangled;
};

/* Of a variable, "SYMBOL+0x10 (module)". */
static const char *variable_name(struct arena *arena, const char *text)
{
	const size_t length = strcspn(text, "+ ");
	const char *symbol = arena_strndup(arena, text, length);

	return arena_printf(arena, "%s%s", analysis_demangle(arena, symbol), text + length);
}

static const char *path_keep(struct loading *loading, const struct profile_os *row)
{
	struct arena *arena = &loading->analysis->arena;

	if (!row->path)
		return NULL;
	const uint64_t *known = strmap_get(&loading->paths, row->path);
	if (known)
		return (const char *)(uintptr_t)*known;
	const char *path = arena_strdup(arena, row->path), *kept = path;
	if (!loading->keep_mangled && str_starts_with(path, "_") &&
	    tare_object_of(row->syscall_number) == TARE_OBJECT_FUTEX)
		kept = variable_name(arena, path);
	strmap_put(&loading->paths, path, (uintptr_t)kept);
	return kept;
}

static bool is_own(const struct analysis *analysis, uint32_t function)
{
	return function != ANALYSIS_NONE &&
	       !analysis->modules.data[analysis->functions.data[function].module].system;
}

static uint32_t own_caller(const struct analysis *analysis, uint32_t node)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	uint32_t at = nodes[node].parent;

	while (at != ANALYSIS_NONE && !is_own(analysis, nodes[at].function))
		at = nodes[at].parent;
	return at == ANALYSIS_NONE ? ANALYSIS_NONE : nodes[at].function;
}

/* The program's own function that the thread was in; else the innermost one that was timed. */
static uint32_t holder_function(const struct analysis *analysis, uint32_t node)
{
	const struct analysis_node *nodes = analysis->nodes.data;

	if (node == ANALYSIS_NONE)
		return ANALYSIS_NONE;
	return is_own(analysis, nodes[node].function) || own_caller(analysis, node) == ANALYSIS_NONE
		       ? nodes[node].function
		       : own_caller(analysis, node);
}

static bool load_holder(const struct profile_holder *row, void *context)
{
	struct loading *loading = context;
	const struct analysis *analysis = loading->analysis;
	const uint32_t node = row->node ? analysis_node_find(analysis, row->node) : ANALYSIS_NONE;

	map_put(&loading->os_holders, (uint64_t)row->os,
		(uint64_t)(row->thread - 1) << 32 | holder_function(analysis, node));
	return true;
}

enum analysis_waiting analysis_waiting_of(const struct analysis_os *os, bool idle)
{
	if (os->cause != TARE_OS_BLOCKED)
		return WAITING_OTHER;
	if (idle)
		return WAITING_IDLE;
	switch (os->object_kind) {
	case TARE_OBJECT_NONE:
	case TARE_OBJECT_PROCESS:
	case TARE_OBJECT_WAIT:
	case TARE_OBJECT_SLEEP:
	case TARE_OBJECT_SLEEP_CLOCK:
		return WAITING_OTHER;
	case TARE_OBJECT_FUTEX:
		return WAITING_LOCK;
	default:
		return WAITING_IO;
	}
}

/* What the row waited for, by its id; ids have no gaps. */
static void note_waiting(struct analysis *analysis, int64_t id, enum analysis_waiting waiting,
			 const struct analysis_os *os)
{
	while (analysis->os_waiting.len < (uint64_t)id) {
		vec_push(&analysis->os_waiting, WAITING_OTHER);
		vec_push(&analysis->os_wait, 0);
	}
	vec_push(&analysis->waits, *os);
	vec_push(&analysis->os_waiting, (uint8_t)waiting);
	vec_push(&analysis->os_wait, (uint32_t)analysis->waits.len);
}

/* False where its node is not in the analysis. */
static bool read_os(struct loading *loading, const struct profile_os *row, struct analysis_os *os)
{
	const struct analysis *analysis = loading->analysis;
	const uint32_t node = analysis_node_find(analysis, row->node);
	const uint64_t *holder = map_get(&loading->os_holders, (uint64_t)row->id);

	assert(row->cause < TARE_OS_CAUSES);
	assert(node == ANALYSIS_NONE || node < analysis->nodes.len);
	if (node == ANALYSIS_NONE)
		return false;
	*os = (struct analysis_os){.function = analysis->nodes.data[node].function,
				   .caller = own_caller(analysis, node),
				   .cause = row->cause,
				   .syscall_number = row->syscall_number,
				   .object = row->object,
				   .object_kind = tare_object_of(row->syscall_number),
				   .path = path_keep(loading, row),
				   .count = row->count,
				   .ticks = row->ticks,
				   .longest_ticks = row->longest_ticks,
				   .holder = holder ? (uint32_t)*holder : ANALYSIS_NONE,
				   .holder_thread =
					   holder ? (uint32_t)(*holder >> 32) : ANALYSIS_NONE,
				   .held_ticks = holder ? row->ticks : 0};
	return true;
}

static bool load_os(const struct profile_os *row, void *context)
{
	struct loading *loading = context;
	struct analysis *analysis = loading->analysis;
	struct analysis_os os;

	if (!read_os(loading, row, &os))
		return true;
	const enum analysis_waiting waiting =
		analysis_waiting_of(&os, analysis_os_is_idle(analysis, &os));

	if (row->cause == TARE_OS_BLOCKED || row->cause == TARE_OS_PREEMPTED)
		note_waiting(analysis, row->id, waiting, &os);
	vec_push(&analysis->os, os);
	if (waiting == WAITING_LOCK)
		vec_push(&analysis->locks, os);
	analysis->any_holders |= os.holder_thread != ANALYSIS_NONE;
	return true;
}

static int os_compare_key(const void *a, const void *b)
{
	const struct analysis_os *x = a, *y = b;

	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->syscall_number != y->syscall_number)
		return x->syscall_number < y->syscall_number ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->path == y->path)
		return 0;
	return !x->path ? -1 : !y->path ? 1 : strcmp(x->path, y->path);
}

static int os_compare_ticks(const void *a, const void *b)
{
	const struct analysis_os *x = a, *y = b;

	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	if (x->ticks != y->ticks)
		return x->ticks > y->ticks ? -1 : 1;
	return os_compare_key(a, b);
}

static int os_compare_holder(const void *a, const void *b)
{
	const struct analysis_os *x = a, *y = b;
	const int by_key = os_compare_key(a, b);

	if (by_key || x->holder == y->holder)
		return by_key;
	return x->holder < y->holder ? -1 : 1;
}

static int os_compare_holding_thread(const void *a, const void *b)
{
	const struct analysis_os *x = a, *y = b;
	const int by_holder = os_compare_holder(a, b);

	if (by_holder || x->holder_thread == y->holder_thread)
		return by_holder;
	return x->holder_thread < y->holder_thread ? -1 : 1;
}

/* Held by the same function: by both. Else by the one that had it for longer. */
static void row_add(struct analysis_os *to, const struct analysis_os *row)
{
	to->count += row->count;
	to->ticks += row->ticks;
	if (to->longest_ticks < row->longest_ticks)
		to->longest_ticks = row->longest_ticks;
	if (to->holder == row->holder) {
		to->held_ticks += row->held_ticks;
	} else if (to->held_ticks < row->held_ticks) {
		to->holder = row->holder;
		to->holder_thread = row->holder_thread;
		to->held_ticks = row->held_ticks;
	}
}

/* Rows that are the same for `compare` become one; the list is sorted by it then. */
static size_t unite_rows(struct analysis_os *rows, size_t count,
			 int (*compare)(const void *, const void *))
{
	size_t kept = 0;

	if (count)
		qsort(rows, count, sizeof(*rows), compare);
	for (size_t i = 0; i < count; i++) {
		if (kept && compare(&rows[kept - 1], &rows[i]) == 0)
			row_add(&rows[kept - 1], &rows[i]);
		else
			rows[kept++] = rows[i];
	}
	return kept;
}

/* Of the functions that had one row's lock that of the most ticks stays, whatever its threads. */
static void merge_rows(struct analysis *analysis)
{
	struct analysis_os *rows = analysis->os.data;

	analysis->os.len = unite_rows(rows, analysis->os.len, os_compare_holder);
	analysis->os.len = unite_rows(rows, analysis->os.len, os_compare_key);
}

static bool any_estimated(const struct analysis *analysis)
{
	vec_foreach (thread, &analysis->threads)
		if (thread->estimated)
			return true;
	return false;
}

/*
 * Time of each function (the last slot: of none) and cause that no record covers. Where samples
 * tell how long the kernel worked, records of single calls may say more.
 */
static void add_remainders(struct analysis *analysis)
{
	const bool estimated = any_estimated(analysis);
	const size_t functions = analysis->functions.len;
	uint64_t(*left)[TARE_OS_CAUSES] = mem_zalloc((functions + 1) * sizeof(*left));

	/* The roots alone are nodes of no function. */
	for (size_t slot = 0; slot < functions; slot++)
		memcpy(left[slot], analysis->functions.data[slot].values.os_ticks,
		       sizeof(left[slot]));
	vec_foreach (thread, &analysis->threads)
		for (int i = 0; i < TARE_OS_CAUSES && thread->root != ANALYSIS_NONE; i++)
			left[functions][i] += analysis->nodes.data[thread->root].values.os_ticks[i];
	vec_foreach (row, &analysis->os) {
		const size_t slot = row->function == ANALYSIS_NONE ? functions : row->function;
		const uint64_t room = left[slot][row->cause];
		if (row->ticks > room) {
			analysis->totals.inconsistent_ticks += estimated ? 0 : row->ticks - room;
			row->ticks = room;
		}
		assert(row->ticks <= left[slot][row->cause]);
		left[slot][row->cause] -= row->ticks;
	}
	for (size_t slot = 0; slot <= functions; slot++)
		for (int i = 0; i < TARE_OS_CAUSES; i++)
			if (left[slot][i])
				vec_push(&analysis->os,
					 ((struct analysis_os){.function = slot == functions
										   ? ANALYSIS_NONE
										   : (uint32_t)slot,
							       .caller = ANALYSIS_NONE,
							       .cause = (enum tare_os_cause)i,
							       .syscall_number = -1,
							       .holder = ANALYSIS_NONE,
							       .holder_thread = ANALYSIS_NONE,
							       .ticks = left[slot][i]}));
	free(left);
}

bool analysis_load_os(struct analysis *analysis, struct profile *profile, bool keep_mangled,
		      struct error *err)
{
	struct loading loading = {.analysis = analysis, .keep_mangled = keep_mangled};

	map_init(&loading.os_holders);
	const bool ok = profile_each_holder(profile, load_holder, &loading, err) &&
			profile_each_os(profile, load_os, &loading, err);

	strmap_fini(&loading.paths);
	map_fini(&loading.os_holders);
	if (!ok)
		return false;
	merge_rows(analysis);
	add_remainders(analysis);
	merge_rows(analysis);
	vec_sort(&analysis->os, os_compare_ticks);
	analysis->locks.len =
		unite_rows(analysis->locks.data, analysis->locks.len, os_compare_holding_thread);
	vec_sort(&analysis->locks, os_compare_ticks);
	return true;
}

/* ---- waits that are no fault ---- */

bool analysis_syscall_is_idle(int syscall_number)
{
	switch (syscall_number) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_accept:
	case SYS_accept4:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_rt_sigtimedwait:
		return true;
	default:
		return false;
	}
}

bool analysis_os_is_idle(const struct analysis *analysis, const struct analysis_os *os)
{
	static const char *const waits[] = {"*cond_*wait*", "*condition_variable*wait*",
					    "*pthread_*join*", "*thread::join*"};

	if (analysis_syscall_is_idle(os->syscall_number))
		return true;
	if (os->function == ANALYSIS_NONE || os->object_kind != TARE_OBJECT_FUTEX)
		return false;
	const char *name = analysis->functions.data[os->function].name;
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (fnmatch(waits[i], name, 0) == 0)
			return true;
	return false;
}
