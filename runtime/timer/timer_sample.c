/*
 * One sample, in the signal handler, and the file that it goes to.
 *
 *   file:  header | part | part | …       one part is mapped at a time, besides the header
 *
 * The signal must not be seen by the program: a system call that it interrupted is made again
 * (timer_repeat.c). A timer of processor time does not pass while the thread waits, and that of
 * samples between ticks is stopped before each call. So only calls that have not begun to wait are
 * interrupted, and none is lengthened by it.
 */
#include "runtime/base/budget.h"
#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/base/reserve.h"
#include "runtime/control/control.h"
#include "runtime/files/process.h"
#include "runtime/timer/timer_thread.h"

#include <sys/mman.h>

#define PAGE_BYTES   4096ULL
#define WINDOW_BYTES (256ULL << 10)
#define FIRST_BACKED 16384ULL
#define BACKED_STEP  32768ULL
#define FILE_BYTES   (16ULL << 30) /* sparse */
#define NAME_ROUNDS  16
/* Half a millisecond or less: another thread had the processor meanwhile. */
#define HANDLER_TICKS_MAX 1000000

/* ---- the file ---- */

static uint64_t file_create(const char *name, enum files_heirs heirs, uint32_t *limits)
{
	const struct files_size size = {.file_bytes = FILE_BYTES,
					.mapped_bytes =
						TARE_TIMER_RECORDS + WINDOW_BYTES + PAGE_BYTES,
					.backed_bytes = TARE_TIMER_RECORDS + FIRST_BACKED,
					.heirs = heirs};

	return files_create(name, &size, limits);
}

uint64_t timer_file_spare(const char *name)
{
	uint32_t limits;

	return file_create(name, FILES_INHERITED, &limits);
}

static struct tare_timer_file *file_find(const char *name, uint32_t *limits)
{
	uint64_t map = file_create(name, FILES_NOT_INHERITED, limits);

	if (!map)
		map = reserve_take(RESERVE_TIMER);
	if (!map)
		map = reserve_take(RESERVE_SMALL_TIMER);
	return (struct tare_timer_file *)map;
}

/* With nothing in it the next thread of this slot takes it over: most threads of a program that has
   tens of thousands end before their first tick, and a file costs more than such a thread. */
static bool is_empty(const struct timer_thread *self)
{
	const struct tare_timer_file *file = self->file;

	return !file->samples && !file->lost && !file->in_runtime && !file->restarted &&
	       !file->unsampled_ns && self->window_offset + self->window_used == TARE_TIMER_RECORDS;
}

static struct tare_timer_file *file_make(const struct timer_thread *self, uint32_t *limits)
{
	char name[64];
	struct bytes_text text = {.start = name, .size_bytes = sizeof(name)};

	bytes_put(&text, "timer.");
	bytes_put_number(&text, (uint64_t)process_pid());
	bytes_put(&text, ".");
	bytes_put_number(&text, (uint64_t)self->tid);
	return file_find(name, limits);
}

bool timer_file_begin(struct timer_thread *self, uint32_t *limits)
{
	struct tare_timer_file *file = self->file ? self->file : file_make(self, limits);

	if (!file)
		return false;
	file->magic = 0;
	state_barrier();
	self->file = file;
	self->window = (uint64_t)file + TARE_TIMER_RECORDS;
	self->window_bytes = WINDOW_BYTES;
	self->window_offset = TARE_TIMER_RECORDS;
	self->window_used = 0;
	self->between.tick_used = self->between.tick_in_runtime = 0;
	self->window_backed = FIRST_BACKED;
	self->full = false;
	self->frame_count = 0;
	*file = (struct tare_timer_file){.abi = TARE_TIMER_ABI,
					 .pid = process_pid(),
					 .tid = self->tid,
					 .process_begin_ticks = process_begin_ticks(),
					 .period_ns = timer_state.period_ns,
					 .used_bytes = TARE_TIMER_RECORDS};
	kernel_call(SYS_prctl, 16 /* PR_GET_NAME */, file->name);
	file->begin_ticks = kernel_ticks();
	state_barrier();
	file->magic = TARE_TIMER_MAGIC;
	return true;
}

void timer_file_end(struct timer_thread *self)
{
	struct tare_timer_file *file = self->file;

	timer_take_back(self);
	kernel_call(SYS_prctl, 16 /* PR_GET_NAME */, file->name);
	file->end_ticks = kernel_ticks();
	file->flags |= TARE_TIMER_ENDED;
	state_barrier();
	if (is_empty(self))
		return;
	self->file = NULL;
	kernel_call(SYS_munmap, self->window, self->window_bytes + PAGE_BYTES);
	kernel_call(SYS_munmap, file, TARE_TIMER_RECORDS);
	budget_give_file(TARE_TIMER_RECORDS + self->window_backed, true);
}

static bool backed(struct timer_thread *self, uint64_t wanted)
{
	while (self->window_backed < wanted) {
		uint64_t more = self->window_bytes - self->window_backed;

		if (more > BACKED_STEP)
			more = BACKED_STEP;
		const uint32_t refused = files_back(self->window + self->window_backed, more);
		if (refused) {
			self->file->limits |= refused;
			return false;
		}
		self->window_backed += more;
	}
	return true;
}

/* The rest of this part becomes a gap, and the next one is mapped. */
static bool window_next(struct timer_thread *self)
{
	const uint64_t rest = self->window_bytes - self->window_used;
	const uint64_t last = self->window + self->window_bytes;

	if (rest && !backed(self, self->window_used + sizeof(uint64_t)))
		return false;
	const uint64_t next = files_extend(last, WINDOW_BYTES + PAGE_BYTES);

	if (!next) {
		self->file->limits |= TARE_LIMIT_SYSTEM;
		return false;
	}
	if (rest) {
		struct tare_timer_record *gap =
			(struct tare_timer_record *)(self->window + self->window_used);
		gap->size_bytes = (uint32_t)rest;
		gap->kind = TARE_TIMER_GAP;
	}
	kernel_call(SYS_munmap, self->window, self->window_bytes);
	budget_give_file(self->window_backed, true);
	self->window = next;
	self->window_offset += self->window_bytes;
	self->window_bytes = WINDOW_BYTES;
	self->window_used = self->window_backed = 0;
	self->between.tick_used = 0; /* records of the part before stay */
	return true;
}

static struct tare_timer_record *record_make(struct timer_thread *self, uint64_t size_bytes)
{
	if (self->full)
		return NULL;
	if (self->window_used + size_bytes > self->window_bytes)
		self->full = !window_next(self);
	if (!self->full)
		self->full = !backed(self, self->window_used + size_bytes);
	if (self->full)
		return NULL;
	return (struct tare_timer_record *)(self->window + self->window_used);
}

/* ---- a sample ---- */

static uint32_t shared_frames(const struct timer_thread *self, const uint64_t *frames,
			      uint32_t count)
{
	const uint64_t *before = self->frames[self->current];
	const uint32_t most = count < self->frame_count ? count : self->frame_count;
	uint32_t shared = 0;

	while (shared < most &&
	       frames[count - 1 - shared] == before[self->frame_count - 1 - shared])
		shared++;
	return shared;
}

/* What has been sampled up to here stays. */
static void interval_begin(struct timer_thread *self)
{
	self->between.tick_used = self->window_used;
	self->between.tick_in_runtime = self->file->in_runtime;
}

void timer_take_back(struct timer_thread *self)
{
	struct tare_timer_file *file = self->file;

	for (uint64_t at = self->between.tick_used; at < self->window_used;) {
		struct tare_timer_record *record = (struct tare_timer_record *)(self->window + at);
		if (record->size_bytes < sizeof(*record))
			break; /* the program has written there */
		at += record->size_bytes;
		file->periods -= record->periods;
		file->samples--;
		file->truncated -= !record->complete;
		record->periods = 0;
	}
	file->in_runtime_periods -= file->in_runtime - self->between.tick_in_runtime;
	file->in_runtime = self->between.tick_in_runtime;
	interval_begin(self);
}

static void sample_store(struct timer_thread *self, uint32_t count, bool complete, uint32_t periods)
{
	struct tare_timer_file *file = self->file;
	const uint64_t *frames = self->frames[!self->current];
	const uint32_t shared = shared_frames(self, frames, count), own = count - shared;
	const uint64_t size = sizeof(struct tare_timer_record) + own * sizeof(uint64_t);
	struct tare_timer_record *record = record_make(self, size);

	if (!record) {
		file->lost++;
		return;
	}
	*record = (struct tare_timer_record){.size_bytes = (uint32_t)size,
					     .kind = TARE_TIMER_SAMPLE,
					     .complete = complete,
					     .own = (uint16_t)own,
					     .shared = (uint16_t)shared,
					     .periods = periods,
					     .ticks = kernel_ticks()};
	uint64_t *to = (uint64_t *)(record + 1);

	for (uint32_t i = 0; i < own; i++)
		to[i] = frames[own - 1 - i];
	self->window_used += size;
	self->current = !self->current;
	self->frame_count = count;
	file->samples++;
	file->truncated += !complete;
	file->periods += periods;
	state_barrier();
	file->used_bytes = self->window_offset + self->window_used;
}

/* Has the thread, in this process, passed a probe? */
static bool has_clock(void)
{
	return state_process.rseq_offset && state_thread != &state_unborn;
}

static void sample_take(struct timer_thread *self, const struct timer_context *context,
			uint32_t periods)
{
	const struct unwind_registers registers = {.value = {[UNWIND_RAX] = context->rax,
							     [UNWIND_RDX] = context->rdx,
							     [UNWIND_RCX] = context->rcx,
							     [UNWIND_RBX] = context->rbx,
							     [UNWIND_RSI] = context->rsi,
							     [UNWIND_RDI] = context->rdi,
							     [UNWIND_RBP] = context->rbp,
							     [UNWIND_RSP] = context->rsp,
							     [UNWIND_R8] = context->r8,
							     [UNWIND_R9] = context->r9,
							     [UNWIND_R10] = context->r10,
							     [UNWIND_R11] = context->r11,
							     [UNWIND_R12] = context->r12,
							     [UNWIND_R13] = context->r13,
							     [UNWIND_R14] = context->r14,
							     [UNWIND_R15] = context->r15,
							     [UNWIND_RA] = context->rip},
						   .exact = true};
	bool complete;

	if (context->rip >= (uint64_t)&__ehdr_start && context->rip < (uint64_t)_end) {
		self->file->in_runtime++;
		self->file->in_runtime_periods += periods;
		self->file->early_in_runtime_periods += has_clock() ? 0 : periods;
		return;
	}
	const uint32_t count =
		timer_walk(&self->walker, &registers, self->frames[!self->current], &complete);

	sample_store(self, count, complete, periods);
	if (self->file->samples % NAME_ROUNDS == 1)
		kernel_call(SYS_prctl, 16 /* PR_GET_NAME */, self->file->name);
}

/* What the tick stands for; of the samples since the tick before, what they have not stood for. */
static uint32_t tick_periods(struct timer_thread *self)
{
	const bool runs = self->between.runs;

	return timer_tick_meets(&self->tick, runs,
				runs ? timer_state.tick_ns : timer_state.period_ns, &self->random);
}

static void account(struct timer_thread *self, bool is_tick, uint64_t ticks)
{
	self->file->tick_signals += is_tick;
	self->file->signals += !is_tick;
	if (ticks < HANDLER_TICKS_MAX)
		self->file->handler_ticks += ticks;
}

void timer_sample(struct timer_thread *self, const struct timer_info *info,
		  struct timer_context *context)
{
	const uint64_t begin_ticks = kernel_ticks();
	const struct timer_between *between = &self->between;
	const bool is_tick = !between->has_timer || info->timer != between->timer;

	if (!self->file)
		return; /* of a timer that has been given up since */
	if (is_tick && !between->runs)
		timer_take_back(self);
	const uint32_t periods = is_tick ? tick_periods(self) : timer_between_passed(self, context);

	if (periods && !control_is_off_now())
		sample_take(self, context, periods);
	if (is_tick)
		interval_begin(self);
	/* A timer that is stopped before calls meets only such as no probe tells of. */
	if (timer_is_interrupted(context) && !timer_repeat(self, context) && !is_tick)
		timer_state.between_mean_ns = 0;
	timer_between_start(self, context);
	account(self, is_tick, kernel_ticks() - begin_ticks);
}
