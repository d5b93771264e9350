/*
 * Samples that the runtime takes by itself, where perf_event_open is refused: timers of each
 * thread, whose signal handler unwinds the thread's stack. A sample at a tick of the kernel stands
 * for more periods than one where those since the tick before do not stand for that time. A
 * thread's samples are in the file
 *
 *   timer.<pid>.<tid>.<n>    struct tare_timer_file, then records from TARE_TIMER_RECORDS on
 *
 * <n> as in abi/session_files.h, and readers treat what is in it in the same way. The addresses in
 * it mean the modules of the process file with the same process_begin_ticks; the loader's names for
 * them are there, and that of the kernel's code in the process is TARE_TIMER_VDSO.
 *
 * For unwinding the runtime asks for TARE_REQUEST_RULES (abi/session.h), and maps the reply.
 */
#ifndef TARE_ABI_TIMER_H
#define TARE_ABI_TIMER_H

#include <stdint.h>

#define TARE_TIMER_ABI	       3
#define TARE_TIMER_MAGIC       0x656d697465726174ULL /* "taretime" */
#define TARE_TIMER_RECORDS     4096
#define TARE_TIMER_FRAMES_MAX  4096
#define TARE_TIMER_PERIODS_MAX 1024	/* that a sample stands for */
#define TARE_TIMER_VDSO	       "[vdso]" /* of a module; it is asked for as "/[vdso]" */
#define TARE_TIMER_NAME_MAX    16

enum tare_timer_flags {
	TARE_TIMER_ENDED = 1, /* the runtime saw the thread's end */
};

struct tare_timer_file {
	uint64_t magic;
	uint32_t abi;
	uint32_t flags;
	int32_t pid, tid;
	uint64_t process_begin_ticks;
	uint64_t begin_ticks, end_ticks; /* TSC; end 0 when unknown */
	uint64_t period_ns;		 /* in which records tell what a sample stands for */
	uint64_t used_bytes;		 /* of the whole file: up to here records are complete */
	uint64_t samples;
	uint64_t truncated;	     /* of these: the stack does not reach its root */
	uint64_t periods;	     /* that they stand for */
	uint64_t lost;		     /* samples that had no room */
	uint64_t in_runtime;	     /* taken in tare's own code, and not kept */
	uint64_t in_runtime_periods; /* that they stand for */
	/* Of processor time without a timer: there was no room for its signal. */
	uint64_t unsampled_ns;
	uint64_t restarted; /* system calls that the signal interrupted, and that were made again */
	uint64_t signals;   /* of timers that interrupt the thread themselves */
	uint64_t tick_signals;	/* that come with an interrupt of the kernel's tick */
	uint64_t handler_ticks; /* TSC: in the handler, where that was not interrupted for long */
	uint64_t early_in_runtime_periods; /* of in_runtime_periods: before the thread's clock */
	uint32_t limits;		   /* enum tare_limits: why samples were lost */
	char name[TARE_TIMER_NAME_MAX];
	uint32_t reserved;
};

enum tare_timer_kind {
	TARE_TIMER_GAP = 1, /* nothing: the rest of a part of the file */
	TARE_TIMER_SAMPLE = 2,
};

/*
 * A sample's stack is the outermost `shared` frames of the sample before it, and `own` frames that
 * follow the struct, outermost first: run addresses, of a caller the last byte of its call.
 */
struct tare_timer_record {
	uint32_t size_bytes; /* of the whole record, a multiple of 8 */
	uint8_t kind;	     /* enum tare_timer_kind */
	uint8_t complete;    /* the stack reaches its root */
	uint16_t own, shared;
	uint16_t reserved;
	uint32_t periods; /* that it stands for; 0: it was taken back, and is no sample */
	uint64_t ticks;	  /* TSC */
};

_Static_assert(sizeof(struct tare_timer_record) == 24, "shared layout");
_Static_assert(sizeof(struct tare_timer_file) <= TARE_TIMER_RECORDS, "shared layout");

#endif
