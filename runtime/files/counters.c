/*
 * The counters' file grows as thread files do: the page behind what is used is mapped, and what
 * follows is mapped by mremap of it, without the file's path or descriptor. What a slot gets at
 * once is one piece of the file: all its counters, then as much for what does not count. The first
 * pieces, which are all of most processes, are mapped with the file's head, and stay so.
 *
 * A forked child has its parent's pages under its counters until its first probe, which takes a
 * file of its own. What it counts before is its parent's.
 *
 * Refuses more slots and records than there is room for: those threads share slot 0.
 */
#include "runtime/files/counters.h"

#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/own_place.h"
#include "runtime/base/spin.h"
#include "runtime/files/counters_place.h"

#include <sys/mman.h>

#define PAGE_BYTES     4096ULL
#define FILE_BYTES     (1ULL << 30)
#define SLOTS_MAX      1021
#define FIRST_MODULES  16
#define ARCH_SET_GS    0x1001
#define HEAD_MIN_BYTES 4096ULL
#define FIRST_BYTES    32768ULL /* of counters, mapped with the head */
#define OWNERS_MAX     512
#define HEAD_BYTES     (TARE_COUNTERS_HEAD_BYTES + FIRST_BYTES)

struct slot {
	int64_t delta;
	uint32_t owner;	 /* number of its record */
	bool taken;	 /* a thread counts in it */
	bool thread_off; /* that thread's collection is off */
};

static struct tare_counters_file *file; /* NULL: there is none */
static uint64_t head_backed, first_used;
static uint64_t tail, tail_offset; /* the page behind what is used: its run address, its place */
static uint32_t owner_count;
static uint64_t process_begin;
static int32_t process_id;
static uint64_t first_pointer; /* of the process's first thread; 0: it has not come yet */
static struct counted_modules modules;
static struct slot slots[SLOTS_MAX];
static uint32_t slot_count; /* 0: no thread has come yet */
/*
 * Modules that the loader has closed and whose pages are still there, at all slots: while there is
 * one no slot is made, which would have none for it.
 */
static struct counted_modules gone;
static bool gone_unknown;  /* there was no memory to remember one */
static bool slot_0_filled; /* its counters are pages of the file */
static bool is_off;	   /* collection of the process */
static bool gs_given_up;
static uint32_t lock;

/* 1 + the slot of this thread; 0: it has not come yet. */
static _Thread_local uint32_t own_slot;

/* ---- the lock ---- */

/* A holder has its signals blocked; one that does not come back was killed. */
static uint64_t lock_take(void)
{
	const uint64_t mask = kernel_signals_block();

	spin_lock(&lock);
	return mask;
}

static void lock_give(uint64_t mask)
{
	spin_unlock(&lock);
	kernel_signals_restore(mask);
}

/* ---- the file ---- */

static struct tare_counter_record *record_at(uint32_t number)
{
	return (struct tare_counter_record *)(file + 1) + number;
}

static bool head_reserve(uint64_t end)
{
	while (head_backed < end) {
		uint64_t more = head_backed;

		if (head_backed + more > TARE_COUNTERS_HEAD_BYTES)
			more = TARE_COUNTERS_HEAD_BYTES - head_backed;
		if (!more || files_back((uint64_t)file + head_backed, more))
			return false;
		head_backed += more;
	}
	return true;
}

/* A zeroed record at the end, which counts as soon as it has a kind; NULL: there is no room. */
static struct tare_counter_record *record_add(uint32_t *number)
{
	*number = file->record_count;
	if (*number >= TARE_COUNTER_RECORDS_MAX ||
	    !head_reserve(sizeof(*file) + (*number + 1ULL) * sizeof(struct tare_counter_record)))
		return NULL;
	file->record_count++;
	return record_at(*number);
}

static bool owner_add(uint32_t *number)
{
	struct tare_counter_record *record = record_add(number);

	if (!record)
		return false;
	record->kind = TARE_COUNTER_OWNER;
	owner_count++;
	return true;
}

static void file_make(void)
{
	char name[64];
	struct bytes_text text = {.start = name, .size_bytes = sizeof(name)};
	const struct files_size size = {.file_bytes = FILE_BYTES,
					.mapped_bytes = HEAD_BYTES + PAGE_BYTES,
					.backed_bytes = HEAD_MIN_BYTES,
					.heirs = FILES_INHERITED};
	uint32_t limits, number;

	bytes_put(&text, TARE_COUNTERS_NAME);
	bytes_put_number(&text, (uint64_t)process_id);
	file = (struct tare_counters_file *)files_create(name, &size, &limits);
	if (!file)
		return;
	head_backed = HEAD_MIN_BYTES;
	owner_count = 0;
	first_used = 0;
	tail = (uint64_t)file + HEAD_BYTES;
	tail_offset = HEAD_BYTES;
	*file = (struct tare_counters_file){
		.abi = TARE_COUNTERS_ABI, .pid = process_id, .process_begin_ticks = process_begin};
	owner_add(&number); /* of slot 0 */
	file->magic = TARE_COUNTERS_MAGIC;
}

static void note_shared(uint64_t threads)
{
	if (!file)
		return;
	file->flags |= TARE_COUNTERS_SHARED;
	file->threads_shared += threads;
}

/* ---- pages ---- */

/* Behind the head. */
static uint64_t first_take(uint64_t size_bytes, uint64_t *offset)
{
	const uint64_t at = TARE_COUNTERS_HEAD_BYTES + first_used;

	if (2 * size_bytes > FIRST_BYTES - first_used ||
	    files_back((uint64_t)file + at, size_bytes))
		return 0;
	first_used += 2 * size_bytes;
	*offset = at;
	return (uint64_t)file + at;
}

static bool is_first(uint64_t map)
{
	return map - (uint64_t)file < HEAD_BYTES;
}

/* `size_bytes` of counters, zero, and what lies between them and what does not count. */
static uint64_t piece_take(uint64_t size_bytes, uint64_t *offset)
{
	if (!file || !tail)
		return 0;
	const uint64_t first = first_take(size_bytes, offset);

	if (first)
		return first;
	const uint64_t map = files_extend(tail, 2 * size_bytes + PAGE_BYTES);

	if (!map)
		return 0;
	*offset = tail_offset;
	tail = map + 2 * size_bytes;
	tail_offset += 2 * size_bytes;
	kernel_call(SYS_munmap, map + size_bytes, size_bytes);
	if (!kernel_call(SYS_madvise, map, size_bytes, MADV_DOFORK) && !files_back(map, size_bytes))
		return map;
	kernel_call(SYS_munmap, map, size_bytes);
	return 0;
}

static bool entry_add(const struct slot *slot, const struct counted_module *module,
		      uint64_t file_offset, uint64_t off_offset)
{
	uint32_t number;
	struct tare_counter_record *record = record_add(&number);

	if (!record)
		return false;
	record->flags = is_off || slot->thread_off ? TARE_COUNTER_OFF : 0;
	record->owner = slot->owner;
	record->counter_count = module->module->counter_count;
	record->module_addr = (uint64_t)module->module;
	record->module_ordinal = module->ordinal;
	record->file_offset = file_offset;
	record->off_offset = off_offset;
	state_barrier();
	record->kind = TARE_COUNTER_ENTRY;
	return true;
}

/* Modules that a slot has pages of the file for: one that counts without %gs has them at slot 0. */
static bool has_pages(const struct slot *slot, const struct counted_module *module)
{
	if (module->unknown)
		return false;
	return slot == &slots[0] ? slot_0_filled || module->shared : !module->shared;
}

/* What has been counted there goes on in the pages at `map`. */
static void keep_counts(uint64_t map, const struct counted_module *module, int64_t delta)
{
	const uint64_t *from = (const uint64_t *)(module->addr + (uint64_t)delta);
	uint64_t *to = (uint64_t *)map;

	for (uint32_t i = 0; i < module->module->counter_count; i++)
		if (from[i])
			to[i] = from[i];
}

/* Pages of the file for these modules at the slot, over what is there. False: not for all. */
static bool slot_fill(const struct slot *slot, uint64_t first, bool keep)
{
	uint64_t size_bytes = 0, offset = 0;

	for (uint64_t i = first; i < modules.count; i++)
		if (has_pages(slot, &modules.items[i]))
			size_bytes += modules.items[i].size_bytes;
	if (!size_bytes)
		return true;
	uint64_t map = piece_take(size_bytes, &offset);
	uint64_t left = size_bytes;

	for (uint64_t i = first; map && i < modules.count; i++) {
		const struct counted_module *module = &modules.items[i];

		if (!has_pages(slot, module))
			continue;
		if (keep)
			keep_counts(map, module, slot->delta);
		if (!entry_add(slot, module, offset, offset + size_bytes) ||
		    !counters_move(map, module, slot->delta, is_first(map))) {
			if (!is_first(map))
				kernel_call(SYS_munmap, map, left);
			return false;
		}
		map += module->size_bytes;
		offset += module->size_bytes;
		left -= module->size_bytes;
	}
	return map;
}

/* What cannot be kept has to be counted somewhere. */
static void slot_fill_private(const struct slot *slot, uint64_t first)
{
	for (uint64_t i = first; i < modules.count; i++)
		if (has_pages(slot, &modules.items[i]))
			counters_put_private(&modules.items[i], slot->delta);
	note_shared(0);
}

static void slot_fill_somehow(const struct slot *slot, uint64_t first)
{
	if (!slot_fill(slot, first, false))
		slot_fill_private(slot, first);
}

/* From now on somebody counts at slot 0, or has before. */
static void slot_0_fill(void)
{
	if (slot_0_filled)
		return;
	slot_0_filled = true;
	if (!slot_fill(&slots[0], 0, true))
		note_shared(0); /* its own pages are there already */
}

/* ---- threads ---- */

/*
 * A closed module's pages stay until its place is another's, or nobody's: at the process's end the
 * loader closes modules whose code goes on to run, in other threads or as it is called by others.
 */
static void gone_sweep(uint64_t addr, uint64_t end)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < gone.count; i++) {
		const struct counted_module left = gone.items[i];
		const bool is_taken = left.addr < end && addr < left.addr + left.size_bytes;

		if (!is_taken && counters_is_there(&left)) {
			gone.items[kept++] = left;
			continue;
		}
		for (uint32_t k = 1; k < slot_count; k++)
			counters_release(&left, slots[k].delta);
	}
	gone.count = kept;
}

static struct slot *slot_make(void)
{
	struct slot *slot = &slots[slot_count];

	gone_sweep(0, 0);
	if (gone.count || gone_unknown || slot_count == SLOTS_MAX ||
	    !counters_reserve(&modules, slot_count, &slot->delta))
		return NULL;
	slot_count++;
	return slot;
}

static struct slot *slot_find(void)
{
	for (uint32_t i = 1; i < slot_count; i++)
		if (!slots[i].taken)
			return &slots[i];
	return slot_make();
}

static bool base_set(int64_t delta)
{
	if (state_session.sets_bases) {
		__asm__ volatile("wrgsbase %0" ::"r"(delta) : "memory");
		return true;
	}
	return kernel_call(SYS_arch_prctl, ARCH_SET_GS, delta) == 0;
}

static void release_all(const struct counted_modules *list, int64_t delta)
{
	for (uint64_t i = 0; i < list->count; i++)
		if (!list->items[i].shared)
			counters_release(&list->items[i], delta);
}

/* A slot that was made just now is given up again. */
static void slot_unmake(const struct slot *slot)
{
	release_all(&modules, slot->delta);
	slot_count--;
}

/*
 * What is counted at a slot from now on is a new owner's. Where there is no room for that it goes
 * on to be the owner's of before, a thread's that has ended.
 */
static bool slot_renew(struct slot *slot)
{
	if (owner_count >= OWNERS_MAX || !file || !owner_add(&slot->owner))
		return false;
	return slot_fill(slot, 0, false);
}

static bool slot_enter(struct slot *slot, bool fresh)
{
	slot->thread_off = false;
	if (!slot_renew(slot) && fresh) {
		slot_unmake(slot);
		return false;
	}
	slot->taken = base_set(slot->delta);
	if (slot->taken)
		own_slot = 1 + (uint32_t)(slot - slots);
	return slot->taken;
}

/* What the first thread has counted by its modules' own counters before it came here. */
static void slot_take_first(const struct slot *slot)
{
	for (uint64_t i = 0; i < modules.count; i++) {
		const struct counted_module *module = &modules.items[i];
		uint64_t *from = (uint64_t *)module->addr;
		uint64_t *to = (uint64_t *)(module->addr + (uint64_t)slot->delta);

		for (uint32_t k = 0; has_pages(slot, module) && k < module->module->counter_count;
		     k++) {
			if (!from[k])
				continue;
			to[k] += from[k];
			from[k] = 0;
		}
	}
}

/* By slot 0; where the base may not be set, by the thread's that has made this one. */
static void share(void)
{
	note_shared(1);
	slot_0_fill();
	if (!gs_given_up)
		base_set(0);
}

/*
 * The process's first thread, which counts by its modules' own counters until there is a file. The
 * kernel is asked once: it comes here at each of its system calls until then.
 */
static bool is_first_thread(void)
{
	const uint64_t pointer = (uint64_t)__builtin_thread_pointer();

	if (!process_id || pointer == first_pointer)
		return true;
	if (!kernel_is_tid(process_id))
		return false;
	first_pointer = pointer;
	return true;
}

void counters_enter(void)
{
	if (own_slot || state_session.settings.timer_only ||
	    state_session.start_pointer == (uint64_t)__builtin_thread_pointer())
		return;
	const bool is_first = is_first_thread();

	if (is_first && !file && state_process.begun != STATE_BEGUN_REFUSED)
		return;
	const uint64_t mask = lock_take();
	if (!slot_count)
		slots[slot_count++] = (struct slot){.taken = true};
	const uint32_t before = slot_count;
	struct slot *slot = gs_given_up ? NULL : slot_find();
	own_slot = 1;
	if (slot && slot_enter(slot, slot_count > before)) {
		if (is_first)
			slot_take_first(slot);
	} else if (is_first) {
		slot_0_fill();
	} else {
		share();
	}
	lock_give(mask);
}

void counters_name(uint64_t thread_begin_ticks)
{
	const struct slot *slot = own_slot ? &slots[own_slot - 1] : NULL;

	if (slot && file && slot->owner < file->record_count &&
	    !record_at(slot->owner)->thread_begin_ticks)
		record_at(slot->owner)->thread_begin_ticks = thread_begin_ticks;
}

bool counters_have_base(void)
{
	return own_slot > 1 && !gs_given_up;
}

void counters_leave(void)
{
	if (own_slot > 1)
		slots[own_slot - 1].taken = false;
}

/* ---- modules ---- */

/* NULL: there is no memory for one more. */
static struct counted_module *list_add(struct counted_modules *list,
				       const struct counted_module *module)
{
	if (list->count == list->room) {
		const uint64_t room = list->room ? list->room * 2 : FIRST_MODULES;
		struct counted_module *larger = memory_map(room * sizeof(*larger));

		if (!larger)
			return NULL;
		memcpy(larger, list->items, list->count * sizeof(*larger));
		if (list->items)
			memory_unmap(list->items, list->room * sizeof(*larger));
		list->items = larger;
		list->room = room;
	}
	list->items[list->count] = *module;
	return &list->items[list->count++];
}

static struct counted_module *module_add(const struct tare_module *module, uint64_t ordinal)
{
	const uint64_t bytes = (uint64_t)module->counter_count * sizeof(uint64_t);
	const struct counted_module added = {
		.module = module,
		.id = counters_id(module),
		.ordinal = ordinal,
		.addr = (uint64_t)module + (uint64_t)module->counters_offset,
		.size_bytes = (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1)};

	return list_add(&modules, &added);
}

/* The places of all threads' for a module that has just come. */
static bool reserve_everywhere(const struct counted_module *module)
{
	for (uint32_t i = 1; i < slot_count; i++) {
		if (counters_reserve_at(module, slots[i].delta))
			continue;
		while (i-- > 1)
			counters_release(module, slots[i].delta);
		return false;
	}
	return true;
}

static void give_up_gs(void)
{
	gs_given_up = true;
	note_shared(0);
	slot_0_fill();
	for (uint64_t i = 0; i < modules.count; i++) {
		struct counted_module *module = &modules.items[i];

		if (!module->shared && !module->unknown && counters_unprefix(module->module, true))
			module->shared = true;
	}
}

void counters_add(const struct tare_module *module, uint64_t ordinal)
{
	if (!module->counter_count || state_session.settings.timer_only)
		return;
	const uint64_t mask = lock_take();

	if (!file && state_process.begun == STATE_BEGUN_DONE)
		file_make();
	struct counted_module *added = module_add(module, ordinal);
	if (added)
		gone_sweep(added->addr, added->addr + added->size_bytes);
	const bool was_filled = slot_0_filled;

	if (!added) {
		counters_unprefix(module, false);
		note_shared(0);
	}
	if (added && module->flags & TARE_MODULE_USES_GS && !gs_given_up)
		give_up_gs();
	if (added && (gs_given_up || !reserve_everywhere(added))) {
		counters_unprefix(module, false);
		added->shared = true;
		note_shared(0);
	}
	if (added && was_filled == slot_0_filled && !slot_fill(&slots[0], modules.count - 1, true))
		note_shared(0); /* its own pages are there already */
	for (uint32_t i = 1; added && i < slot_count; i++)
		if (!added->shared)
			slot_fill_somehow(&slots[i], modules.count - 1);
	lock_give(mask);
}

void counters_add_unknown(const struct tare_module *module, uint64_t begin, uint64_t end)
{
	const struct counted_module unknown = {
		.module = module,
		.id = counters_id(module),
		.addr = begin & ~(PAGE_BYTES - 1),
		.size_bytes =
			(end - begin + PAGE_BYTES - 1 + begin % PAGE_BYTES) & ~(PAGE_BYTES - 1),
		.unknown = true};

	if (state_session.settings.timer_only)
		return;
	const uint64_t mask = lock_take();
	gone_sweep(unknown.addr, unknown.addr + unknown.size_bytes);
	if (!gs_given_up && !(reserve_everywhere(&unknown) && list_add(&modules, &unknown)))
		give_up_gs();
	lock_give(mask);
}

void counters_remove(const struct tare_module *module)
{
	const uint64_t mask = lock_take();

	for (uint64_t i = 0; i < modules.count; i++) {
		if (modules.items[i].module != module)
			continue;
		if (!modules.items[i].shared && !list_add(&gone, &modules.items[i]))
			gone_unknown = true;
		modules.items[i] = modules.items[--modules.count];
		break;
	}
	lock_give(mask);
}

void counters_give_up_gs(void)
{
	const uint64_t mask = lock_take();

	if (!gs_given_up)
		give_up_gs();
	if (own_slot > 1)
		base_set(0);
	own_slot = own_slot ? 1 : 0;
	lock_give(mask);
}

/* ---- processes ---- */

/*
 * In a forked child, whose only thread is the calling one: pages of its own. What its code of
 * closed modules counts is kept nowhere.
 */
static void slots_inherit(void)
{
	struct slot own = slots[own_slot ? own_slot - 1 : 0];

	for (uint32_t i = 1; i < slot_count; i++) {
		if (slots[i].delta == own.delta)
			continue;
		release_all(&modules, slots[i].delta);
		release_all(&gone, slots[i].delta);
	}
	own.owner = 0;
	slot_0_filled |= !own.delta;
	slots[0] = (struct slot){.taken = true, .thread_off = own.thread_off};
	slot_fill_somehow(&slots[0], 0);
	slot_count = 1;
	own_slot = 1;
	if (!own.delta)
		return;
	for (uint64_t i = 0; i < gone.count; i++) {
		counters_put_private(&gone.items[i], own.delta);
		note_shared(0);
	}
	own_slot = 2;
	slots[1] = own;
	slot_count = 2;
	slot_fill_somehow(&slots[1], 0);
}

void counters_begin_process(bool began, int32_t pid, uint64_t begin_ticks)
{
	struct tare_counters_file *parents = file;

	process_id = pid;
	process_begin = begin_ticks;
	first_pointer = 0;
	lock = 0;
	file = NULL;
	tail = 0; /* not inherited */
	if (!state_session.started)
		return;
	if (began && modules.count)
		file_make();
	slots_inherit();
	if (parents)
		kernel_call(SYS_munmap, parents, HEAD_BYTES);
}

bool counters_are_kept(void)
{
	return file || !modules.count;
}

/* ---- totals ---- */

static void totals_add(uint32_t *totals, const uint32_t *numbers, uint64_t count,
		       const struct tare_module *module, uint64_t counters)
{
	for (uint64_t i = 0; i < count; i++)
		if (numbers[i] < module->counter_count)
			totals[i] += (uint32_t)__atomic_load_n(
				(const uint64_t *)counters + numbers[i], __ATOMIC_RELAXED);
}

static const struct counted_module *module_of(const struct tare_module *module)
{
	for (uint64_t i = 0; i < modules.count; i++)
		if (modules.items[i].module == module)
			return &modules.items[i];
	return NULL;
}

/* The first slot's are the module's own where they are not pages of the file. */
bool counters_totals(const struct tare_module *module, const uint32_t *numbers, uint64_t count,
		     uint32_t *totals)
{
	if (kernel_is_stepped())
		return false;
	const uint64_t mask = lock_take();
	const struct counted_module *found = module_of(module);

	memset(totals, 0, count * sizeof(*totals));
	if (found)
		totals_add(totals, numbers, count, module, found->addr);
	for (uint32_t i = 1; found && i < slot_count; i++)
		if (has_pages(&slots[i], found))
			totals_add(totals, numbers, count, module,
				   found->addr + (uint64_t)slots[i].delta);
	lock_give(mask);
	return found != NULL;
}

/* ---- collection off and on ---- */

static void subtract(uint64_t *to, const uint64_t *from, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		to[i] -= __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

static void add(uint64_t *to, const uint64_t *from, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		to[i] += __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

/* What is not to count follows the counters in the file, which a further mapping of them shows. */
static void entry_switch(struct tare_counter_record *record, uint64_t addr, bool off)
{
	const uint64_t size_bytes = (uint64_t)record->counter_count * sizeof(uint64_t);
	const uint64_t distance = record->off_offset - record->file_offset;
	const uint64_t all = (distance + size_bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);

	if (off == !!(record->flags & TARE_COUNTER_OFF))
		return;
	const long map = own_place_map_again(addr, all);

	if (map < 0 && map > -4096)
		return;
	uint64_t *uncounted = (uint64_t *)((uint64_t)map + distance);

	if (!files_back((uint64_t)uncounted, all - distance)) {
		if (off)
			subtract(uncounted, (const uint64_t *)addr, record->counter_count);
		else
			add(uncounted, (const uint64_t *)addr, record->counter_count);
		state_barrier();
		record->flags ^= TARE_COUNTER_OFF;
	}
	kernel_call(SYS_munmap, map, all);
}

/* The last one is in force: the module may have been here before. */
static struct tare_counter_record *entry_of(const struct slot *slot,
					    const struct counted_module *module)
{
	for (uint32_t i = file->record_count; i-- > 0;) {
		struct tare_counter_record *record = record_at(i);

		if (record->kind == TARE_COUNTER_ENTRY && record->owner == slot->owner &&
		    record->module_addr == (uint64_t)module->module)
			return record;
	}
	return NULL;
}

static void slot_switch(const struct slot *slot)
{
	for (uint64_t i = 0; i < modules.count; i++) {
		const struct counted_module *module = &modules.items[i];
		struct tare_counter_record *entry =
			has_pages(slot, module) ? entry_of(slot, module) : NULL;

		if (entry)
			entry_switch(entry, module->addr + (uint64_t)slot->delta,
				     is_off || slot->thread_off);
	}
}

void counters_switch(bool off)
{
	const uint64_t mask = lock_take();

	is_off = off;
	for (uint32_t i = 0; file && i < (slot_count ? slot_count : 1); i++)
		slot_switch(&slots[i]);
	lock_give(mask);
}

void counters_switch_thread(bool off)
{
	if (!own_slot)
		return;
	const uint64_t mask = lock_take();
	struct slot *slot = &slots[own_slot - 1];

	slot->thread_off = off;
	if (file)
		slot_switch(slot);
	lock_give(mask);
}
