/*
 *   counters file ─▶ entry: module, thread ─▶ module's copy: what each counter counts
 *                      └▶ counters - what does not count ─▶ sums per thread and function ─▶ rows
 *
 * A counter beside a call through a pointer does not know where it leads. Where such a call site
 * was not timed all the time, functions that were called through pointers, and have no counter of
 * their own, may have had more calls: a row without a thread says so. In bare copies it has no
 * counter, as it was passed often when that was learned.
 *
 * Nor are calls counted that code without a copy makes of functions without one, as calls of
 * themselves. What the rewriter has seen of these is known.
 *
 * A process may load a file beside its copy (dlmopen). What its functions have timed there is added
 * to what they have counted; where call sites were not timed all the time, it may be more as well.
 *
 * Refuses entries whose module has another number of counters, and counts above all that can be.
 */
#include "assemble/counted.h"

#include "abi/module.h"
#include "assemble/counter_cost.h"
#include "cache/learned.h"
#include "session/thread_part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the file ---- */

bool counted_records_read(struct counted_file *file, int fd, const char *name, struct error *err)
{
	struct tare_counters_file *header = &file->header;

	*file = (struct counted_file){.fd = -1};
	const bool whole = session_file_read_at(fd, header, sizeof(*header), 0) == sizeof(*header);
	if (!whole || header->magic != TARE_COUNTERS_MAGIC || header->abi != TARE_COUNTERS_ABI)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is no file of counters, or one of another version of tare",
				 name);
	uint32_t count = header->record_count;
	if (count > TARE_COUNTER_RECORDS_MAX) {
		count = TARE_COUNTER_RECORDS_MAX;
		file->damaged++;
	}
	file->records = mem_zalloc((count + 1) * sizeof(*file->records));
	file->count =
		(uint32_t)(session_file_read_at(fd, file->records, count * sizeof(*file->records),
						sizeof(*header)) /
			   sizeof(*file->records));
	return true;
}

bool counted_file_read(struct counted_file *file, int dir_fd, const char *name, struct error *err)
{
	uint64_t size;
	const int fd = session_file_open(dir_fd, name, &size, err);

	*file = (struct counted_file){.fd = -1};
	if (fd < 0)
		return false;
	const bool ok = counted_records_read(file, fd, name, err);
	file->fd = fd;
	return ok;
}

void counted_file_fini(struct counted_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	free(file->records);
}

/* Nearly always nothing was written there: collection was never off. */
static bool is_hole(int fd, uint64_t begin, uint64_t size)
{
	const off_t data = lseek(fd, (off_t)begin, SEEK_DATA);

	return data < 0 ? errno == ENXIO : (uint64_t)data >= begin + size;
}

uint64_t *counted_values(int fd, const struct tare_counter_record *entry)
{
	const size_t count = entry->counter_count, size = count * sizeof(uint64_t);
	uint64_t *values = mem_zalloc(size + 1), *off = NULL;
	const bool is_off = entry->flags & TARE_COUNTER_OFF;

	/* What was never written may be missing at the file's end: it is zero. */
	session_file_read_at(fd, values, size, entry->file_offset);
	if (is_off || !is_hole(fd, entry->off_offset, size)) {
		off = mem_zalloc(size + 1);
		session_file_read_at(fd, off, size, entry->off_offset);
	}
	for (size_t i = 0; i < count; i++) {
		if (off)
			values[i] = (is_off ? 0 : values[i]) - off[i];
		if (values[i] > SESSION_FILE_VALUE_MAX)
			values[i] = 0;
	}
	free(off);
	return values;
}

/* ---- sums ---- */

/* Of a function in the thread that is summed up. */
struct sum {
	uint64_t entered, called;
	counter_cost cost;
	bool learned; /* it was only counted from the start */
	bool is_listed;
	bool ever_entered; /* in a thread before */
	bool ever_called;  /* the same */
	bool in_original;  /* its file was loaded beside the copy, too */
};

/* What is counted in functions less often takes too little to look for them. */
#define INNER_COUNTS_MIN 100000

struct summing {
	struct counted_file *file;
	const struct counted_process *process;
	struct vec_of(struct sum) sums; /* by function */
	struct vec_of(uint64_t) listed; /* functions that have one */
	struct map disarmed;		/* places of the process that were ever disarmed */
	struct map missed;		/* functions that have a row for it */
	bool pointers_missed;		/* calls through pointers were made there */
	bool calls_missed; /* … or calls by name, at call sites that were not timed */
};

static struct sum *sum_of(struct summing *summing, int64_t function)
{
	const size_t place = (size_t)function;

	while (summing->sums.len <= place)
		vec_push(&summing->sums, (struct sum){0});
	struct sum *sum = &summing->sums.data[place];
	if (!sum->is_listed)
		vec_push(&summing->listed, place);
	sum->is_listed = true;
	return sum;
}

static const struct resolve_loaded *loaded_of(const struct resolve_process *process,
					      const struct tare_counter_record *entry,
					      struct resolve_counted *counted)
{
	for (size_t i = process->loaded.len; i-- > 0;) {
		const struct resolve_loaded *loaded = &process->loaded.data[i];

		if ((!entry->module_ordinal || loaded->ordinal == entry->module_ordinal) &&
		    resolver_counted(loaded->module, counted) &&
		    loaded->bias + counted->note_addr == entry->module_addr &&
		    counted->count == entry->counter_count)
			return loaded;
	}
	return NULL;
}

/* 0: the thread has no row. */
static int64_t thread_of(const struct summing *summing, const struct tare_counter_record *entry)
{
	const struct counted_file *file = summing->file;
	const uint64_t begin_ticks =
		entry->owner < file->count ? file->records[entry->owner].thread_begin_ticks : 0;

	for (size_t i = 0; begin_ticks && i < summing->process->thread_count; i++) {
		const struct sample_known_thread *thread = &summing->process->threads[i];

		if (thread->process == summing->process->id && thread->begin_ticks == begin_ticks)
			return thread->id;
	}
	return 0;
}

/* What no stub has reported was called through a pointer. */
void counted_note_node(struct counted_notes *notes, const struct counted_timed *timed,
		       const struct resolve_target *target, const struct tare_node *from,
		       const struct tree_node *node)
{
	if (!timed->function || !timed->calls)
		return;
	if (target->in_original)
		vec_push(&notes->in_originals, *timed);
	else if (from && node->calls_by_call && !node->reports_enter && !from->stub)
		vec_push(&notes->by_pointer, *timed);
}

void counted_notes_fini(struct counted_notes *notes)
{
	vec_fini(&notes->by_pointer);
	vec_fini(&notes->in_originals);
}

static uint64_t place_key(uint64_t module_id, uint32_t number)
{
	return module_id ^ (uint64_t)number << 32;
}

static void note_disarmed(struct summing *summing)
{
	vec_foreach (record, &summing->process->file->disarmed)
		map_put(&summing->disarmed, place_key(record->module_id, record->number), 0);
}

static bool was_disarmed(const struct summing *summing, const struct resolve_counted *counted,
			 uint32_t number)
{
	uint64_t module_id;

	memcpy(&module_id, counted->source_id, sizeof(module_id));
	return map_get(&summing->disarmed, place_key(module_id, number)) != NULL;
}

/* More than one. */
static bool has_threads(const struct counted_process *process)
{
	size_t count = 0;

	for (size_t i = 0; i < process->thread_count; i++)
		count += process->threads[i].process == process->id;
	return count > 1;
}

/* ---- what was learned ---- */

static const struct learned *learned_of(const struct counted_process *process,
					const uint8_t *source_id)
{
	struct counted_learned_module module = {0};

	vec_foreach (known, process->learned)
		if (!memcmp(known->source_id, source_id, sizeof(known->source_id)))
			return &known->learned;
	memcpy(module.source_id, source_id, sizeof(module.source_id));
	learned_read_session(process->dir_fd, source_id, &module.learned);
	vec_push(process->learned, module);
	return &vec_last(process->learned).learned;
}

void counted_learned_fini(struct counted_learned *list)
{
	vec_foreach (module, list)
		learned_fini(&module->learned);
	vec_fini(list);
}

/* What a thread has counted by a module. */
struct counting {
	const struct resolve_loaded *loaded;
	bool in_original; /* … as well: see struct sum */
	struct resolve_counted counted;
	const struct learned *learned;
	const uint64_t *values;
};

/* Were calls not timed? */
static bool is_silent(const struct summing *summing, const struct counting *counting,
		      uint32_t number)
{
	return learned_has(counting->learned, number) ||
	       was_disarmed(summing, &counting->counted, number);
}

/* Are there probes beside it that the program has passed by? */
static bool is_dormant(const struct summing *summing, const struct counting *counting,
		       uint32_t number)
{
	return is_silent(summing, counting, number) && !learned_is_bare(counting->learned, number);
}

/* A call through a pointer that has neither probes nor a counter. */
static bool is_unseen(const struct counting *counting, uint32_t number)
{
	return number >= counting->counted.function_count && number < counting->counted.site_end &&
	       learned_is_bare(counting->learned, number) &&
	       !resolve_counted_target(&counting->counted, number);
}

static counter_cost cost_of(const struct summing *summing, const struct counting *counting,
			    uint32_t number)
{
	return counter_cost_of(&summing->process->file->header.begin_calibration,
			       counting->values[number], is_dormant(summing, counting, number));
}

static int64_t function_of(const struct summing *summing, const struct counting *counting,
			   uint32_t number, struct error *err)
{
	return resolve_counted_function(summing->process->resolver, summing->process->resolve,
					counting->loaded, &counting->counted, number, err);
}

static bool add_counter(struct summing *summing, const struct counting *counting, uint32_t number,
			struct error *err)
{
	const uint64_t value = counting->values[number];

	/* Where a call through a pointer leads the counter does not know. */
	if (!resolve_counted_target(&counting->counted, number)) {
		summing->pointers_missed |= is_silent(summing, counting, number);
		return true;
	}
	const int64_t function = function_of(summing, counting, number, err);
	if (!function)
		return false;
	struct sum *sum = sum_of(summing, function);
	if (number < counting->counted.function_count) {
		sum->entered += value;
		sum->cost += cost_of(summing, counting, number);
	} else if (number < counting->counted.site_end) {
		sum->called += value;
		summing->calls_missed |= is_silent(summing, counting, number);
	} else {
		sum->entered += value; /* the call goes behind the function's own counter */
	}
	sum->learned |= learned_has(counting->learned, number);
	sum->in_original |= counting->in_original && sum->entered;
	return true;
}

/* Of a call site, or of executions. */
static uint64_t inner_counts(const struct counting *counting)
{
	uint64_t calls = 0;

	for (uint32_t i = counting->counted.function_count; i < counting->counted.count; i++)
		calls += counting->values[i];
	return calls;
}

/* Beside executions, and calls behind a counter, there are no probes. Rounds of a loop cost
   nothing: most are counted many at once. */
static counter_cost inner_cost_of(const struct summing *summing, const struct counting *counting,
				  uint32_t number)
{
	if (number < counting->counted.site_end)
		return cost_of(summing, counting, number);
	return resolve_counted_target(&counting->counted, number)
		       ? counter_cost_of(&summing->process->file->header.begin_calibration,
					 counting->values[number], false)
		       : 0;
}

/* What stands beside a call, or counts executions, takes the time of the function it is in. */
static bool add_inner_cost(struct summing *summing, const struct counting *counting,
			   struct error *err)
{
	struct counter_owners owners = {0};
	bool ok = true;

	if (inner_counts(counting) < INNER_COUNTS_MIN)
		return true;
	counter_owners_init(&owners, &counting->counted);
	for (uint32_t i = counting->counted.function_count; i < counting->counted.count && ok;
	     i++) {
		const uint32_t owner = counting->values[i]
					       ? counter_owner_of(&owners, &counting->counted, i)
					       : UINT32_MAX;
		if (owner == UINT32_MAX)
			continue;
		const int64_t function = function_of(summing, counting, owner, err);
		ok = function != 0;
		if (ok)
			sum_of(summing, function)->cost += inner_cost_of(summing, counting, i);
	}
	counter_owners_fini(&owners);
	return ok;
}

/* From counters that threads have shared, nothing exact follows. */
static bool add_executions(struct summing *summing, const struct counting *counting, int64_t thread,
			   struct error *err)
{
	struct executions *executions = summing->process->executions;

	if (counting->counted.flow && summing->file->header.flags & TARE_COUNTERS_SHARED &&
	    has_threads(summing->process)) {
		executions->shared++;
		return true;
	}
	return executions_add(executions, counting->loaded->module, &counting->counted, thread,
			      counting->values, err);
}

static bool add_entry(struct summing *summing, const struct tare_counter_record *entry,
		      int64_t thread, struct error *err)
{
	struct counting counting = {0};

	counting.loaded = loaded_of(summing->process->resolve, entry, &counting.counted);
	if (!counting.loaded) {
		summing->file->damaged++;
		return true;
	}
	/* A poisoned copy counts, too, but nothing is to be measured by it. */
	if (!counting.counted.function_count)
		return true;
	uint64_t *values = counted_values(summing->file->fd, entry);
	bool ok = true;

	counting.values = values;
	counting.in_original =
		resolve_has_loaded(summing->process->resolve, counting.loaded->module, false);
	counting.learned = learned_of(summing->process, counting.counted.source_id);
	const uint32_t calls_end =
		counting.counted.flow ? counting.counted.site_end : counting.counted.count;

	for (uint32_t i = 0; i < calls_end && ok; i++)
		if (values[i])
			ok = add_counter(summing, &counting, i, err);
		else
			summing->pointers_missed |= is_unseen(&counting, i);
	ok = ok && add_inner_cost(summing, &counting, err) &&
	     add_executions(summing, &counting, thread, err);
	free(values);
	return ok;
}

/* ---- rows ---- */

/* Of a thread, by function. Forgets its sums. */
static bool write_rows(struct summing *summing, int64_t thread, struct error *err)
{
	bool ok = true;

	sort_u64(summing->listed.data, summing->listed.len);
	vec_foreach (function, &summing->listed) {
		struct sum *sum = &summing->sums.data[*function];
		const struct profile_counted row = {
			.process = summing->process->id,
			.thread = thread,
			.function = (int64_t)*function,
			.entered = sum->entered,
			.called = sum->called,
			.cost_ticks = counter_cost_ticks(sum->cost),
			.approximate = summing->file->header.flags & TARE_COUNTERS_SHARED,
			.learned = sum->learned,
		};

		*sum = (struct sum){.ever_entered = sum->ever_entered || row.entered,
				    .ever_called = sum->ever_called || row.called,
				    .in_original = sum->in_original};
		if (row.entered || row.called)
			ok = ok &&
			     profile_add_counted(summing->process->resolver->writer, &row, err);
	}
	summing->listed.len = 0;
	return ok;
}

static bool is_entered(const struct summing *summing, int64_t function)
{
	return (size_t)function < summing->sums.len && summing->sums.data[function].ever_entered;
}

/* The function's calls may be more than are known. */
static bool write_missed(struct summing *summing, int64_t function, struct error *err)
{
	const struct profile_counted row = {
		.process = summing->process->id, .function = function, .approximate = true};

	return (*map_put(&summing->missed, (uint64_t)function, 0))++ ||
	       profile_add_counted(summing->process->resolver->writer, &row, err);
}

/* Of a function with calls: may it have had more that nothing has counted? */
static bool is_missed(const struct summing *summing, size_t function)
{
	const struct sum *sum = &summing->sums.data[function];

	if (sum->in_original && (summing->pointers_missed || summing->calls_missed))
		return true;
	return sum->ever_called && !sum->ever_entered &&
	       map_get(&summing->process->resolver->called_unseen, function);
}

static bool write_all_missed(struct summing *summing, struct error *err)
{
	const struct counted_process *process = summing->process;
	bool ok = true;

	if (summing->pointers_missed)
		vec_foreach (called, &process->notes->by_pointer)
			if (called->process == process->id &&
			    !is_entered(summing, called->function))
				ok = ok && write_missed(summing, called->function, err);
	for (size_t i = 0; i < summing->sums.len && ok; i++)
		ok = !is_missed(summing, i) || write_missed(summing, (int64_t)i, err);
	return ok;
}

/* ---- threads ---- */

struct entry {
	int64_t thread; /* 0: it has no row */
	const struct tare_counter_record *record;
	const struct counted_timed *timed; /* without a record */
};

static int compare_threads(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

static bool add(struct summing *summing, const struct entry *entry, struct error *err)
{
	if (entry->record)
		return add_entry(summing, entry->record, entry->thread, err);
	struct sum *sum = sum_of(summing, entry->timed->function);

	sum->entered += entry->timed->calls;
	sum->in_original = true;
	return true;
}

/* One thread after the other. */
static bool write_threads(struct summing *summing, struct error *err)
{
	const struct counted_file *file = summing->file;
	struct vec_of(struct entry) entries = {0};
	bool ok = true;

	for (uint32_t i = 0; i < file->count; i++) {
		const struct tare_counter_record *record = &file->records[i];
		if (record->kind == TARE_COUNTER_ENTRY)
			vec_push(&entries, ((struct entry){.thread = thread_of(summing, record),
							   .record = record}));
	}
	vec_foreach (timed, &summing->process->notes->in_originals)
		if (timed->process == summing->process->id)
			vec_push(&entries,
				 ((struct entry){.thread = timed->thread, .timed = timed}));
	vec_sort(&entries, compare_threads);
	for (size_t i = 0; i < entries.len && ok; i++) {
		const struct entry *entry = &entries.data[i];
		const bool is_last =
			i + 1 == entries.len || entries.data[i + 1].thread != entry->thread;
		ok = add(summing, entry, err) &&
		     (!is_last || write_rows(summing, entry->thread, err));
	}
	vec_fini(&entries);
	return ok;
}

bool counted_write(struct counted_file *file, const struct counted_process *process,
		   struct error *err)
{
	struct summing summing = {.file = file, .process = process};

	map_init(&summing.disarmed);
	map_init(&summing.missed);
	note_disarmed(&summing);
	const bool ok = write_threads(&summing, err) && write_all_missed(&summing, err);
	vec_fini(&summing.sums);
	vec_fini(&summing.listed);
	map_fini(&summing.disarmed);
	map_fini(&summing.missed);
	return ok;
}
