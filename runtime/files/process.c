/*
 * The process file. Its module records are also kept in private memory: a forked child has the
 * same modules at the same addresses and writes them into a file of its own.
 *
 * Refuses to record a process whose file cannot be made: all its probes then return at once.
 */
#include "runtime/files/process.h"

#include "runtime/base/arming_lock.h"
#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/reserve.h"

#include <sys/resource.h>

#define FILE_BYTES_MAX (16ULL << 20)
#define FILE_BYTES_MIN 65536ULL
#define BACKED_BYTES   4096ULL
#define SPARE_BYTES    65536ULL /* of records, that need no call of ours later */
/* Of a program's address space, where that is limited, its file takes one part in so many. */
#define SPACE_PARTS 64
#define LOCK_ROUNDS 100000
#define HOLD_ROUNDS 32

static struct tare_process_file *process_file;
static uint64_t file_bytes; /* 0: not chosen yet; forked children keep to it */
static uint64_t backed_bytes, spare_backed_bytes;
static char *records; /* as in the file, for forked children */
static uint64_t records_bytes, records_room;
static struct state_private *free_list, *given_list; /* the second is taken as a whole */
static uint32_t free_lock;
static struct state_private *made_last; /* the list of all */
static uint32_t threads_lock;

static bool records_reserve(uint64_t more)
{
	if (records_bytes + more <= records_room)
		return true;
	const uint64_t room = (records_room + more) * 2 + 4096;
	char *larger = memory_map(room);

	if (!larger)
		return false;
	memcpy(larger, records, records_bytes);
	if (records)
		memory_unmap(records, records_room);
	records = larger;
	records_room = room;
	return true;
}

static uint64_t backed_for(uint64_t end)
{
	uint64_t backed = BACKED_BYTES;

	while (backed < end && backed < file_bytes)
		backed *= 2;
	return backed;
}

/* Backs the file up to `end`. Returns what has refused it; 0: nothing. */
static uint32_t file_back(uint64_t end)
{
	const uint64_t backed = backed_for(end);
	uint32_t refused = 0;

	if (backed > backed_bytes)
		refused = files_back((uint64_t)process_file + backed_bytes, backed - backed_bytes);
	if (!refused && backed > backed_bytes)
		backed_bytes = backed;
	return refused;
}

/* Room for a record of the file's, which counts as one when its bytes are taken into used_bytes. */
static void *file_room(uint64_t size_bytes)
{
	struct tare_process_file *file = process_file;

	if (!file)
		return NULL;
	const uint64_t end = file->used_bytes + size_bytes;
	const uint32_t refused = end <= file_bytes ? file_back(end) : 0;

	if (end > file_bytes || refused) {
		__atomic_fetch_or(&file->limits, refused, __ATOMIC_RELAXED);
		file->records_lost++;
		return NULL;
	}
	return (char *)file + file->used_bytes;
}

void process_file_reserve(void)
{
	arming_lock_wait();
	if (process_file && records_reserve(SPARE_BYTES))
		file_back(process_file->used_bytes + SPARE_BYTES);
	arming_unlock();
}

static void file_take_in(uint64_t size_bytes)
{
	state_barrier();
	process_file->used_bytes += size_bytes;
}

static void file_append(const void *record, uint64_t size_bytes)
{
	void *room = file_room(size_bytes);

	if (!room)
		return;
	memcpy(room, record, size_bytes);
	file_take_in(size_bytes);
}

static void file_fill(struct tare_process_file *file, int32_t pid)
{
	file->abi = TARE_SESSION_FILES_ABI;
	file->flags = state_session.started ? TARE_PROCESS_FORKED : 0;
	file->pid = pid;
	file->parent_pid = (int32_t)kernel_call(SYS_getppid, 0);
	file->begin_ticks = kernel_ticks();
	file->used_bytes = sizeof(*file);
	file->rank = state_session.rank;
	for (int kind = 0; kind < TARE_EVENT_KINDS; kind++)
		file->cost_ticks[kind] = state_session.cost_ticks[kind];
	file->begin_calibration = state_session.calibration;
	file->os_means = state_session.os_means;
	kernel_call(SYS_prctl, 16 /* PR_GET_NAME */, file->command);
}

/* A power of two. The program must not run out of address space that it would have by itself. */
static uint64_t file_bytes_choose(void)
{
	struct rlimit limit;
	uint64_t bytes = FILE_BYTES_MAX;

	if (kernel_call(SYS_prlimit64, 0, RLIMIT_AS, 0, &limit))
		return bytes;
	while (bytes > FILE_BYTES_MIN && bytes > limit.rlim_cur / SPACE_PARTS)
		bytes /= 2;
	return bytes;
}

static struct files_size first_size(void)
{
	if (!file_bytes)
		file_bytes = file_bytes_choose();
	return (struct files_size){.file_bytes = file_bytes,
				   .mapped_bytes = file_bytes,
				   .backed_bytes = BACKED_BYTES,
				   .heirs = FILES_INHERITED};
}

/* A child that takes it has this process's modules. */
uint64_t process_file_spare(const char *name)
{
	struct files_size size = first_size();
	uint32_t limits;

	size.backed_bytes = backed_for(sizeof(*process_file) + records_bytes + SPARE_BYTES);
	const uint64_t map = files_create(name, &size, &limits);

	if (map && (!spare_backed_bytes || size.backed_bytes < spare_backed_bytes))
		spare_backed_bytes = size.backed_bytes;
	return map;
}

/* Forked children inherit the mapping, if only to count there what they lose. */
static uint64_t file_create(int32_t pid)
{
	char name[64];
	struct bytes_text text = {.start = name, .size_bytes = sizeof(name)};

	bytes_put(&text, TARE_PROCESS_NAME);
	bytes_put_number(&text, (uint64_t)pid);
	const struct files_size size = first_size();
	uint32_t limits;
	const uint64_t map = files_create(name, &size, &limits);

	backed_bytes = map ? BACKED_BYTES : spare_backed_bytes;
	return map ? map : reserve_take(RESERVE_PROCESS);
}

static bool file_make(void)
{
	const int32_t asked = kernel_pid(), pid = asked < 0 ? 0 : asked;
	const uint64_t map = file_create(pid);

	if (!map)
		return false;
	struct tare_process_file *file = (struct tare_process_file *)map;

	file_fill(file, pid);
	file->run_addr = map;
	process_file = file;
	if (records_bytes)
		file_append(records, records_bytes);
	file->magic = TARE_PROCESS_MAGIC;
	return true;
}

/* A forked child has none of its parent's other threads. */
static void threads_forget(void)
{
	for (struct state_private *each = made_last; each; each = each->made_before)
		each->file_addr = 0;
	threads_lock = 0;
}

bool process_make(void)
{
	struct tare_process_file *parents = process_file; /* in a forked child */

	process_file = NULL;
	free_lock = 0;
	threads_forget();
	const bool made = file_make();

	if (parents) {
		if (!made)
			__atomic_fetch_add(&parents->children_lost, 1, __ATOMIC_RELAXED);
		kernel_call(SYS_munmap, parents, file_bytes);
	}
	return made;
}

struct tare_control *process_control(void)
{
	return &process_file->control;
}

/* Zeroed room for a record at the end of the private ones, or NULL; record_append makes it one. */
static struct tare_record *record_make(uint64_t size_bytes, uint32_t type)
{
	if (!records_reserve(size_bytes)) {
		if (state_process.begun == STATE_BEGUN_DONE)
			process_file->records_lost++;
		return NULL;
	}
	struct tare_record *record = (struct tare_record *)(records + records_bytes);

	memset(record, 0, size_bytes);
	*record = (struct tare_record){.size_bytes = (uint32_t)size_bytes, .type = type};
	return record;
}

static void record_append(const struct tare_record *record)
{
	records_bytes += record->size_bytes;
	if (state_process.begun == STATE_BEGUN_DONE)
		file_append(record, record->size_bytes);
}

static void module_append(const struct process_module *module)
{
	const uint64_t path_bytes = module->path ? bytes_length(module->path) + 1 : 0;
	const uint64_t size = (sizeof(struct tare_module_record) + path_bytes + 7) & ~7ULL;
	struct tare_record *head = record_make(size, module->type);
	struct tare_module_record *record = (struct tare_module_record *)head;

	if (!record)
		return;
	*record = (struct tare_module_record){.head = *head,
					      .ticks = kernel_ticks(),
					      .bias = module->bias,
					      .dynamic_addr = module->dynamic_addr,
					      .instrumented = module->instrumented,
					      .ordinal = module->ordinal,
					      .path_bytes = (uint32_t)path_bytes};
	memcpy(record + 1, module->path, path_bytes);
	record_append(head);
}

void process_module_note(const struct process_module *module)
{
	arming_lock_wait();
	module_append(module);
	arming_unlock();
}

/* What records of time begin with. */
struct stamped {
	struct tare_record head;
	uint64_t ticks;
};

/* Head and ticks of `what` are filled in. */
static void stamped_append(const void *what, uint64_t size_bytes, uint32_t type)
{
	struct tare_record *head = record_make(size_bytes, type);
	struct stamped *record = (struct stamped *)head;

	if (!head)
		return;
	const struct tare_record kept = *head;

	memcpy(record, what, size_bytes);
	*record = (struct stamped){.head = kept, .ticks = kernel_ticks()};
	record_append(head);
}

void process_disarm_note(const struct tare_disarm_record *what)
{
	stamped_append(what, sizeof(*what), TARE_RECORD_DISARM);
}

void process_mapped_note(const struct tare_mapped_record *what)
{
	if (!arming_lock())
		return;
	stamped_append(what, sizeof(*what), TARE_RECORD_MAPPED);
	arming_unlock();
}

bool process_complete(void)
{
	struct tare_process_file *file = process_file;

	if (state_process.begun != STATE_BEGUN_DONE || !kernel_is_pid(file->pid))
		return false;
	file->end_ticks = kernel_ticks();
	file->flags |= TARE_PROCESS_ENDED;
	return true;
}

struct tare_calibration *process_calibration_due(void)
{
	struct tare_process_file *file = process_file;

	if (state_session.settings.timer_only || file->flags & TARE_PROCESS_BLINDED ||
	    file->end_calibration.inside_ticks[TARE_PAIR_ENTER])
		return NULL;
	return &file->end_calibration;
}

void process_resume(void)
{
	struct tare_process_file *file = process_file;

	if (state_process.begun != STATE_BEGUN_DONE || !kernel_is_pid(file->pid))
		return;
	file->end_ticks = 0;
	file->flags &= ~(uint32_t)TARE_PROCESS_ENDED;
}

bool process_is_forked(void)
{
	return process_file->flags & TARE_PROCESS_FORKED;
}

bool process_is_command(void)
{
	return state_process.begun == STATE_BEGUN_DONE && !process_is_forked() &&
	       kernel_is_pid(process_file->pid);
}

static struct tare_unfollowed_record *unfollowed_find(enum tare_unfollowed why, const char *path)
{
	char *const end = (char *)process_file + process_file->used_bytes;

	for (char *at = (char *)(process_file + 1); at < end;) {
		struct tare_unfollowed_record *record = (struct tare_unfollowed_record *)at;

		if (record->head.size_bytes < sizeof(record->head))
			break; /* the program has written over it */
		if (record->head.type == TARE_RECORD_UNFOLLOWED && record->reason == why &&
		    bytes_equal((const char *)(record + 1), path))
			return record;
		at += record->head.size_bytes;
	}
	return NULL;
}

static struct tare_unfollowed_record *unfollowed_append(enum tare_unfollowed why, const char *path)
{
	const uint64_t path_bytes = bytes_length(path) + 1;
	const uint64_t size = (sizeof(struct tare_unfollowed_record) + path_bytes + 7) & ~7ULL;
	struct tare_unfollowed_record *record = file_room(size);

	if (!record)
		return NULL;
	*record = (struct tare_unfollowed_record){
		.head = {.size_bytes = (uint32_t)size, .type = TARE_RECORD_UNFOLLOWED},
		.reason = why};
	memcpy(record + 1, path, path_bytes);
	file_take_in(size);
	return record;
}

/* By 1, or -1. */
static void unfollowed_count(enum tare_unfollowed why, struct tare_unfollowed_record *record,
			     uint64_t change)
{
	__atomic_fetch_add(&process_file->images_unfollowed, change, __ATOMIC_RELAXED);
	if (why == TARE_UNFOLLOWED_REACH)
		__atomic_fetch_add(&process_file->images_unreached, change, __ATOMIC_RELAXED);
	if (record)
		__atomic_fetch_add(&record->count, (uint32_t)change, __ATOMIC_RELAXED);
}

struct tare_unfollowed_record *process_note_unfollowed(enum tare_unfollowed why, const char *path)
{
	if (state_process.begun != STATE_BEGUN_DONE)
		return NULL;
	arming_lock_wait();
	struct tare_unfollowed_record *record = unfollowed_find(why, path);

	if (!record)
		record = unfollowed_append(why, path);
	arming_unlock();
	unfollowed_count(why, record, 1);
	return record;
}

void process_forget_unfollowed(enum tare_unfollowed why, struct tare_unfollowed_record *record)
{
	if (state_process.begun == STATE_BEGUN_DONE)
		unfollowed_count(why, record, -1ULL);
}

void process_note_flag(uint32_t flag)
{
	if (state_process.begun == STATE_BEGUN_DONE)
		__atomic_fetch_or(&process_file->flags, flag, __ATOMIC_RELAXED);
}

int32_t process_pid(void)
{
	return process_file ? process_file->pid : 0;
}

uint64_t process_begin_ticks(void)
{
	return process_file ? process_file->begin_ticks : 0;
}

void process_thread_lost(uint32_t limits)
{
	if (state_process.begun != STATE_BEGUN_DONE)
		return;
	__atomic_fetch_add(&process_file->threads_lost, 1, __ATOMIC_RELAXED);
	__atomic_fetch_or(&process_file->limits, limits, __ATOMIC_RELAXED);
}

void process_note_ready(bool ready)
{
	if (state_process.begun != STATE_BEGUN_DONE)
		return;
	if (ready)
		process_file->flags &= ~(uint32_t)TARE_PROCESS_UNREADY;
	else
		process_file->flags |= TARE_PROCESS_UNREADY;
}

void process_means_note(void)
{
	if (state_process.begun == STATE_BEGUN_DONE)
		process_file->os_means = state_session.os_means;
}

static bool free_list_lock(void)
{
	for (int round = 0; round < LOCK_ROUNDS; round++) {
		if (!__atomic_exchange_n(&free_lock, 1, __ATOMIC_ACQUIRE))
			return true;
		__builtin_ia32_pause();
	}
	return false;
}

static void free_list_unlock(void)
{
	__atomic_store_n(&free_lock, 0, __ATOMIC_RELEASE);
}

struct state_private *process_private_take(void)
{
	if (!free_list_lock())
		return NULL; /* not worth waiting for */
	if (!free_list)
		free_list = __atomic_exchange_n(&given_list, NULL, __ATOMIC_ACQUIRE);
	struct state_private *private_state = free_list;

	if (private_state)
		free_list = private_state->next;
	free_list_unlock();
	if (private_state)
		private_state->next = NULL;
	return private_state;
}

/* Never waits, and never loses one: its file may be worth keeping. */
void process_private_give(struct state_private *private_state)
{
	struct state_private *first = __atomic_load_n(&given_list, __ATOMIC_RELAXED);

	private_state->open_call_count = 0;
	do
		private_state->next = first;
	while (!__atomic_compare_exchange_n(&given_list, &first, private_state, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

void process_private_made(struct state_private *private_state)
{
	struct state_private *before = __atomic_load_n(&made_last, __ATOMIC_RELAXED);

	do
		private_state->made_before = before;
	while (!__atomic_compare_exchange_n(&made_last, &before, private_state, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static bool threads_try_lock(int rounds)
{
	for (int round = 0; round < rounds; round++) {
		if (!__atomic_exchange_n(&threads_lock, 1, __ATOMIC_ACQUIRE))
			return true;
		__builtin_ia32_pause();
	}
	return false;
}

bool process_threads_hold(void)
{
	return threads_try_lock(HOLD_ROUNDS);
}

void process_threads_release(void)
{
	__atomic_store_n(&threads_lock, 0, __ATOMIC_RELEASE);
}

void process_each_thread(void (*each)(uint64_t file_addr))
{
	if (!threads_try_lock(LOCK_ROUNDS))
		return;
	const struct state_private *thread = __atomic_load_n(&made_last, __ATOMIC_ACQUIRE);

	for (; thread; thread = thread->made_before)
		if (thread->file_addr)
			each(thread->file_addr);
	process_threads_release();
}

bool process_thread_gone(struct state_private *private_state)
{
	if (!threads_try_lock(LOCK_ROUNDS))
		return false;
	private_state->file_addr = 0;
	process_threads_release();
	return true;
}
