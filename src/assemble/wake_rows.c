/*
 * A thread that ends a wait may have waited itself meanwhile: then whoever ended that had a part in
 * it. So each end of a wait knows who ended it, who had ended that one's wait, and so on:
 *
 *   T waits  |---------------------------|  ended by W, before by X
 *   W waits      |------------|             ended by X, who did not wait in that time
 *   X                         ^
 *
 * What ended W's wait is known when W has run again, which may be behind another end of T's: of
 * each thread the last two are kept, and the last one before the waking is taken.
 */
#include "assemble/wake_rows.h"

enum { WAKES_MAX = 1 << 16, WAITS_MAX = 1 << 18, LONGEST_MAX = 1 << 14 };

void wake_rows_init(struct wake_rows *rows)
{
	*rows = (struct wake_rows){0};
	map_init(&rows->places);
	map_init(&rows->wake_of);
	map_init(&rows->wait_of);
	map_init(&rows->ends);
}

void wake_rows_fini(struct wake_rows *rows)
{
	vec_fini(&rows->wakes);
	vec_fini(&rows->depths);
	vec_fini(&rows->waits);
	vec_fini(&rows->longest);
	vec_fini(&rows->last);
	vec_fini(&rows->last_but_one);
	map_fini(&rows->places);
	map_fini(&rows->wake_of);
	map_fini(&rows->wait_of);
	map_fini(&rows->ends);
}

/* A number for thread and stack. */
static uint64_t place_of(struct wake_rows *rows, int64_t thread, int64_t stack)
{
	return *map_put(&rows->places, (uint64_t)thread << 32 | (uint64_t)stack, rows->places.len);
}

/* The id of the row; 0 where there is no room for it. */
static uint32_t wake_put(struct wake_rows *rows, int64_t thread, int64_t stack, uint32_t before)
{
	const uint64_t key = place_of(rows, thread, stack) << 32 | before;
	const uint64_t *known = map_get(&rows->wake_of, key);

	if (known)
		return (uint32_t)*known;
	if (rows->wakes.len >= WAKES_MAX)
		return 0;
	vec_push(&rows->wakes,
		 ((struct profile_wake){.thread = thread, .stack = stack, .before = before}));
	vec_push(&rows->depths, (uint8_t)(before ? rows->depths.data[before - 1] + 1 : 1));
	map_put(&rows->wake_of, key, rows->wakes.len);
	return (uint32_t)rows->wakes.len;
}

/* `wake` with what is before it, at most `depth` of them. */
static uint32_t wake_cut(struct wake_rows *rows, uint32_t wake, int depth)
{
	if (!wake || !depth)
		return 0;
	const struct profile_wake row = rows->wakes.data[wake - 1];

	if (rows->depths.data[wake - 1] <= depth)
		return wake;
	return wake_put(rows, row.thread, row.stack,
			wake_cut(rows, (uint32_t)row.before, depth - 1));
}

static size_t ends_of(struct wake_rows *rows, int64_t thread)
{
	const uint64_t index = *map_put(&rows->ends, (uint64_t)thread, rows->last.len);

	if (index == rows->last.len) {
		vec_push(&rows->last, (struct wake_end){0});
		vec_push(&rows->last_but_one, (struct wake_end){0});
	}
	return index;
}

/* Who had ended the last wait of `by`, while the wait that it ends went on; 0: it did not wait. */
static uint32_t before_of(struct wake_rows *rows, const struct wake_told *told)
{
	if (!told->by)
		return 0;
	const size_t index = ends_of(rows, told->by);
	const struct wake_end *end = rows->last.data[index].time <= told->woken
					     ? &rows->last.data[index]
					     : &rows->last_but_one.data[index];

	if (end->time < told->begin || end->time > told->woken)
		return 0;
	return wake_cut(rows, end->wake, PROFILE_WAKES_DEEP - 1);
}

static struct profile_waker *wait_get(struct wake_rows *rows, const struct wake_told *told,
				      uint32_t wake)
{
	const bool room = rows->waits.len < WAITS_MAX;
	const int64_t stack = room ? told->stack : 0;
	const uint64_t key = place_of(rows, told->thread, stack) << 32 | (room ? wake : 0);
	const uint64_t index = *map_put(&rows->wait_of, key, rows->waits.len);

	if (index == rows->waits.len)
		vec_push(&rows->waits, ((struct profile_waker){.thread = told->thread,
							       .event = told->event,
							       .stack = stack,
							       .wake = room ? wake : 0}));
	return &rows->waits.data[index];
}

static void end_note(struct wake_rows *rows, int64_t thread, struct wake_end end)
{
	const size_t index = ends_of(rows, thread);

	rows->last_but_one.data[index] = rows->last.data[index];
	rows->last.data[index] = end;
}

void wake_rows_miss(struct wake_rows *rows, const struct wake_told *told)
{
	end_note(rows, told->thread, (struct wake_end){told->begin + told->weight, 0});
}

static uint64_t length_of(const struct profile_woken *wait)
{
	return wait->end_ticks - wait->begin_ticks;
}

static void swap(struct profile_woken *a, struct profile_woken *b)
{
	const struct profile_woken held = *a;

	*a = *b;
	*b = held;
}

static void heap_raise(struct profile_woken *heap, size_t at)
{
	for (; at && length_of(&heap[at]) < length_of(&heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&heap[at], &heap[(at - 1) / 2]);
}

static void heap_lower(struct profile_woken *heap, size_t count)
{
	for (size_t at = 0, least;; at = least) {
		least = at;
		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
			if (length_of(&heap[child]) < length_of(&heap[least]))
				least = child;
		if (least == at)
			return;
		swap(&heap[at], &heap[least]);
	}
}

/* Keeps it if it is one of the longest. */
static void longest_note(struct wake_rows *rows, const struct profile_woken *wait)
{
	if (rows->longest.len < LONGEST_MAX) {
		vec_push(&rows->longest, *wait);
		heap_raise(rows->longest.data, rows->longest.len - 1);
	} else if (length_of(wait) > length_of(&rows->longest.data[0])) {
		rows->longest.data[0] = *wait;
		heap_lower(rows->longest.data, rows->longest.len);
	}
}

void wake_rows_take(struct wake_rows *rows, const struct wake_told *told)
{
	const uint32_t before = before_of(rows, told);
	uint32_t wake = wake_put(rows, told->by, told->by_stack, before);

	if (!wake && before)
		wake = wake_put(rows, told->by, told->by_stack, 0);
	struct profile_waker *wait = wait_get(rows, told, wake);

	wait->waits++;
	wait->weight += told->weight;
	if (wait->longest < told->weight)
		wait->longest = told->weight;
	longest_note(rows, &(struct profile_woken){.thread = told->thread,
						   .stack = wait->stack,
						   .wake = wait->wake,
						   .begin_ticks = told->begin,
						   .woken_ticks = told->woken,
						   .end_ticks = told->begin + told->weight});
	end_note(rows, told->thread, (struct wake_end){told->woken, wake});
}

static int compare_begins(const void *a, const void *b)
{
	const struct profile_woken *x = a, *y = b;

	if (x->begin_ticks != y->begin_ticks)
		return x->begin_ticks < y->begin_ticks ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

bool wake_rows_write(struct wake_rows *rows, wake_rows_ticks *ticks_of, const void *context,
		     struct profile_writer *writer, struct error *err)
{
	vec_sort(&rows->longest, compare_begins);
	vec_foreach (wake, &rows->wakes)
		if (!profile_add_wake(writer, wake, err))
			return false;
	vec_foreach (wait, &rows->waits)
		if (!profile_add_waker(writer, wait, err))
			return false;
	vec_foreach (wait, &rows->longest) {
		wait->begin_ticks = ticks_of(context, wait->begin_ticks);
		wait->woken_ticks = ticks_of(context, wait->woken_ticks);
		wait->end_ticks = ticks_of(context, wait->end_ticks);
		if (!profile_add_woken(writer, wait, err))
			return false;
	}
	return true;
}
