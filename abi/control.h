/*
 * Which threads are recorded when: the levels of collection, as runtime, recorder and command line
 * change and read them in shared files.
 *
 * A thread is recorded while the global level, its process's and its own are all on. The global
 * level is in the file TARE_CONTROL_NAME of the session directory, a process's in its process file,
 * a thread's in its thread file. Levels change by compare and exchange; what follows from them
 * for a process is worked out under its lock, by whoever comes first (tare_control_apply).
 */
#ifndef TARE_ABI_CONTROL_H
#define TARE_ABI_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#define TARE_CONTROL_NAME  "control"
#define TARE_CONTROL_MAGIC 0x746e6f6365726174ULL /* "tarecont" */
#define TARE_CONTROL_ABI   1
/* Numbered per process: arming bytes that can be set from outside, see struct tare_arming_file. */
#define TARE_ARMING_NAME  "arming."
#define TARE_ARMING_MAGIC 0x6d72616572617400ULL

/* ---- one level ---- */

enum tare_operation { TARE_START = 1, TARE_STOP, TARE_SUSPEND, TARE_RESUME };

/* A level is a word: the count of suspensions in the low half, above it the flag. 0: on. */
#define TARE_LEVEL_STOPPED (1ULL << 32)

static inline int32_t tare_level_suspensions(uint64_t level)
{
	return (int32_t)(uint32_t)level;
}

static inline bool tare_level_is_on(uint64_t level)
{
	return !(level & TARE_LEVEL_STOPPED) && tare_level_suspensions(level) <= 0;
}

/* START and STOP set the flag; SUSPEND and RESUME count, up to the ends of the range. */
static inline uint64_t tare_level_after(uint64_t level, enum tare_operation operation)
{
	const int32_t count = tare_level_suspensions(level);

	switch (operation) {
	case TARE_START:
		return level & ~TARE_LEVEL_STOPPED;
	case TARE_STOP:
		return level | TARE_LEVEL_STOPPED;
	case TARE_SUSPEND:
		return (level & TARE_LEVEL_STOPPED) | (uint32_t)(count + (count < INT32_MAX));
	case TARE_RESUME:
		return (level & TARE_LEVEL_STOPPED) | (uint32_t)(count - (count > INT32_MIN));
	}
	return level;
}

static inline void tare_level_change(uint64_t *level, enum tare_operation operation)
{
	uint64_t before = __atomic_load_n(level, __ATOMIC_ACQUIRE);

	while (!__atomic_compare_exchange_n(level, &before, tare_level_after(before, operation),
					    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

/* ---- files ---- */

/* Its file is one page, in which struct tare_usage (abi/session.h) stands as well. */
struct tare_session_control {
	uint64_t magic;
	uint32_t abi;
	uint32_t gs_is_taken; /* 1: a file of which there is no copy may set the base of %gs */
	uint64_t global;      /* level */
};

#define TARE_CONTROL_BYTES 4096ULL
#define TARE_USAGE_OFFSET  2048ULL

/* When global or process level were off. */
struct tare_off_period {
	uint64_t begin, end; /* TSC; end 0: it lasts */
};

#define TARE_OFF_PERIODS 64 /* few enough for the first page of the file */

/* Part of the process file. */
struct tare_control {
	uint32_t lock;	      /* thread id of the holder, 0: free */
	uint32_t generation;  /* odd while the next four are being changed */
	uint64_t off_since;   /* TSC; 0: global and process level are on */
	uint64_t off_ticks;   /* in former periods of being off */
	uint64_t off_periods; /* begun */
	uint64_t process;     /* level */
	/* Modules whose bytes cannot be set from outside while they are off: the process then
	   starts again at its next system call. */
	uint64_t unreachable;
	uint64_t reserved[2];
	/* The last of them: the n-th one, from 0, stands at n modulo their number. */
	struct tare_off_period periods[TARE_OFF_PERIODS];
};

/*
 * While a process is off, its arming bytes (abi/module.h) are zero and lie in shared files. Ones
 * written there make its probes run again; it then restores them as they were itself. This struct
 * is the file's first page; the bytes begin at `offset`.
 */
struct tare_arming_file {
	uint64_t magic;
	uint64_t offset, size_bytes;
};

#define TARE_ARMING_OFFSET 4096ULL /* of the mapped pages */

/* ---- a process's lock and state ---- */

#define TARE_CONTROL_SPINS (1U << 22)

/*
 * False where `self` (a thread id) has it already: a signal handler's call. A holder that does not
 * come back is dead, its lock is taken over.
 */
static inline bool tare_control_lock(struct tare_control *control, uint32_t self)
{
	uint32_t holder = 0;

	for (uint32_t spin = 0; spin < TARE_CONTROL_SPINS; spin++) {
		holder = 0;
		if (__atomic_compare_exchange_n(&control->lock, &holder, self, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
		if (holder == self)
			return false;
		__builtin_ia32_pause();
	}
	__atomic_store_n(&control->lock, self, __ATOMIC_RELEASE);
	return true;
}

static inline void tare_control_unlock(struct tare_control *control)
{
	__atomic_store_n(&control->lock, 0, __ATOMIC_RELEASE);
}

/*
 * With the lock: works out what the two levels amount to at `now_ticks`. True where that has
 * changed.
 */
static inline bool tare_control_apply(struct tare_control *control, uint64_t global,
				      uint64_t now_ticks)
{
	const bool on = tare_level_is_on(global) &&
			tare_level_is_on(__atomic_load_n(&control->process, __ATOMIC_ACQUIRE));
	struct tare_off_period *const last =
		&control->periods[(control->off_periods - 1) % TARE_OFF_PERIODS];
	struct tare_off_period *const next =
		&control->periods[control->off_periods % TARE_OFF_PERIODS];

	if (on == !control->off_since)
		return false;
	__atomic_store_n(&control->generation, control->generation | 1, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (on) {
		if (now_ticks > control->off_since)
			control->off_ticks += now_ticks - control->off_since;
		last->end = now_ticks;
		control->off_since = 0;
	} else {
		*next = (struct tare_off_period){.begin = now_ticks};
		control->off_since = now_ticks;
		control->off_periods++;
	}
	__atomic_store_n(&control->generation, control->generation + 1, __ATOMIC_RELEASE);
	return true;
}

/* A state of one moment. */
struct tare_control_view {
	uint32_t generation;
	uint64_t off_since, off_ticks, off_periods;
};

/* False where it is being changed just now. */
static inline bool tare_control_look(const struct tare_control *control,
				     struct tare_control_view *view)
{
	view->generation = __atomic_load_n(&control->generation, __ATOMIC_ACQUIRE);
	view->off_since = __atomic_load_n(&control->off_since, __ATOMIC_RELAXED);
	view->off_ticks = __atomic_load_n(&control->off_ticks, __ATOMIC_RELAXED);
	view->off_periods = __atomic_load_n(&control->off_periods, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(view->generation & 1) &&
	       __atomic_load_n(&control->generation, __ATOMIC_RELAXED) == view->generation;
}

/* All time off until `ticks`. */
static inline uint64_t tare_control_off_ticks(const struct tare_control_view *view, uint64_t ticks)
{
	return view->off_ticks +
	       (view->off_since && ticks > view->off_since ? ticks - view->off_since : 0);
}

/* Whether `ticks` was in one of the periods that are known. */
static inline bool tare_control_was_off(const struct tare_control *control, uint64_t ticks)
{
	const uint64_t count =
		control->off_periods < TARE_OFF_PERIODS ? control->off_periods : TARE_OFF_PERIODS;

	for (uint64_t i = 0; i < count; i++) {
		const struct tare_off_period *period = &control->periods[i];

		if (period->begin && period->begin <= ticks &&
		    (!period->end || ticks < period->end))
			return true;
	}
	return false;
}

_Static_assert(sizeof(struct tare_control) == 64 + 16 * TARE_OFF_PERIODS, "shared layout");
_Static_assert(sizeof(struct tare_session_control) == 24, "shared layout");

#endif
