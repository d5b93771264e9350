/*
 * The files through which the runtime hands its data to the recorder. All are MAP_SHARED, so what
 * was written survives any death of the target. They lie in the session directory:
 *
 *   process.<pid>.<n>        struct tare_process_file, then records up to `used_bytes`
 *   thread.<pid>.<tid>.<n>   struct tare_thread_file; frames, nodes and OS records at fixed offsets
 *
 * <n> counts from 0 and distinguishes re-used ids (and the images of an exec chain). A file is
 * created with O_CREAT|O_EXCL|O_NOFOLLOW, mode 0600, and grows by fallocate before it is touched,
 * so that a full file system makes the runtime fold or drop (and count), never SIGBUS.
 *
 * Readers treat everything here as untrusted: a killed target leaves half-done updates. Where the
 * gate was closed at death, the last interval may be in `now_ticks` and not yet in a frame or node,
 * or the other way round: totals are sums over nodes and open frames.
 */
#ifndef TARE_ABI_ARENA_H
#define TARE_ABI_ARENA_H

#include <stdint.h>

#define TARE_ARENA_ABI	   1
#define TARE_PROCESS_MAGIC 0x636f727065726174ULL /* "tareproc" */
#define TARE_THREAD_MAGIC  0x7268746572617400ULL

/* ---- probes' cost, in ticks, per kind of the event that starts the interval ---- */

enum tare_event_kind {
	TARE_EVENT_ENTER,
	TARE_EVENT_LEAVE,
	TARE_EVENT_CALL,
	TARE_EVENT_RETURN,
	TARE_EVENT_KINDS
};

/* ---- causes of OS time, in the order in which an interval with several is charged ---- */

enum tare_os_cause {
	TARE_OS_BLOCKED,
	TARE_OS_PREEMPTED,
	TARE_OS_MAJOR_FAULT,
	TARE_OS_MINOR_FAULT,
	TARE_OS_SYSCALL,
	TARE_OS_INTERRUPT,
	TARE_OS_CAUSES
};

/* How OS events are detected in this process: a set of bits. */
enum tare_os_means {
	TARE_OS_BY_SELECTOR = 1, /* %es is zeroed by every IRET to user mode; self-test passed */
	TARE_OS_BY_RSEQ = 2,	 /* rseq_cs is cleared at switches */
	TARE_OS_BY_SITES = 4,	 /* rewritten system call sites count */
};

/* ---- process file ---- */

enum tare_process_flags {
	TARE_PROCESS_FORKED = 1, /* began by fork from a recorded process */
	TARE_PROCESS_ENDED = 2,	 /* the runtime saw exit or exec */
};

struct tare_process_file {
	uint64_t magic;
	uint32_t abi;
	uint32_t flags;
	int32_t pid, parent_pid;
	uint64_t begin_ticks, end_ticks; /* TSC; end 0 when unknown */
	uint64_t used_bytes;		 /* of the whole file; records begin behind this struct */
	uint64_t cost_ticks[TARE_EVENT_KINDS];
	uint32_t os_means;
	uint32_t threads_lost; /* threads whose arena could not be made */
	uint64_t records_lost; /* module records that did not fit */
	uint64_t reserved[4];
	char command[64]; /* comm, NUL-padded */
};

enum tare_record_type {
	TARE_RECORD_MODULE_OPEN = 1, /* struct tare_module_record, then the path */
	TARE_RECORD_MODULE_CLOSE = 2 /* struct tare_module_record without path */
};

struct tare_record {
	uint32_t size_bytes; /* of the whole record, a multiple of 8 */
	uint32_t type;
};

struct tare_module_record {
	struct tare_record head;
	uint64_t ticks;
	uint64_t bias;	       /* run address - link address */
	uint64_t dynamic_addr; /* run address of its dynamic section */
	uint32_t instrumented; /* 1 when its probes were armed */
	uint32_t path_bytes;   /* path follows, NUL-terminated, padded to 8 */
};

/* ---- thread file ---- */

/* A node of the calling-context tree: one function (or call target) under one call path. */
struct tare_node {
	/* Run address of the function's original entry, or of the call's target. 0: thread root. */
	uint64_t key;
	uint64_t last_child;	/* run address of the child found last: a cache of one */
	uint64_t alias;		/* pending node: run address of the node its callee's ENTER made */
	uint64_t calls;		/* frames ended */
	uint64_t elapsed_ticks; /* exclusive, of ended frames, probe cost subtracted */
	uint64_t calls_by_call; /* of `calls`: those that began with a CALL event */
	uint64_t clamped_ticks; /* probe cost that could not be subtracted (interval shorter) */
	uint32_t parent;	/* index of the parent; own index for the root; see below */
	uint32_t unwound;	/* of `calls`: ended by unwinding */
	/* Per ended frame; min starts at ~0. Application frames are those less their OS time. */
	uint64_t elapsed_inclusive_min, elapsed_inclusive_max;
	uint64_t elapsed_exclusive_min, elapsed_exclusive_max;
	uint64_t application_inclusive_min, application_inclusive_max;
	uint64_t application_exclusive_min, application_exclusive_max;
};

/*
 * When no more contexts can be kept, further ones fold into one node per function: `parent` is
 * TARE_NODE_FOLDED | 0. Its values are right, only its call path is lost. Node 1 is always there:
 * folded too, key TARE_NODE_OTHER; it takes the calls for which not even that node could be made.
 * A node that was only ever the pending target of calls whose callee reported ENTER itself stays
 * with calls == 0.
 */
#define TARE_NODE_FOLDED 0x80000000U
#define TARE_NODE_OTHER	 (~0ULL)

/*
 * One call in progress, from frames[0], the thread's root, which never ends, to the one at
 * `top`. What is charged to a frame reaches its node when the frame ends, so readers add
 * `exclusive` of the open frames to their nodes. OS records are complete at once.
 */
struct tare_frame {
	uint64_t node;	    /* run address of struct tare_node */
	uint64_t sp;	    /* frame sp, see abi/module.h, + 1 while pending; ~0 for the root */
	uint64_t start;	    /* value of `now_ticks` at its begin */
	uint64_t exclusive; /* ticks charged to it so far */
	/* OS time of this call so far, for min and max only; the calls it made that have ended
	   are in os_inclusive, those still open are not. */
	uint64_t os_inclusive;
	uint64_t os_exclusive;
	uint64_t pending; /* not 0: begun by CALL and no ENTER seen (arming byte's address, or 1) */
	uint64_t by_call; /* 1: begun by CALL; 2: stood open at fork, its end is not counted */
};

/* OS time of one node by cause and system call. Exclusive, open frames included. */
struct tare_os_record {
	uint32_t node;		 /* index */
	uint16_t cause;		 /* enum tare_os_cause */
	uint16_t syscall_number; /* 0xffff: none or unknown */
	uint64_t object; /* first argument of the system call (fd, futex address…), else 0 */
	uint64_t count;	 /* intervals */
	uint64_t ticks;
};

enum tare_thread_flags {
	TARE_THREAD_ENDED = 1,
};

#define TARE_THREAD_FRAMES_OFFSET 4096ULL
#define TARE_THREAD_FRAMES_MAX	  (1ULL << 20)
#define TARE_THREAD_NODES_OFFSET  (TARE_THREAD_FRAMES_OFFSET + TARE_THREAD_FRAMES_MAX * 64)
#define TARE_THREAD_NODES_MAX	  (1ULL << 20)
#define TARE_THREAD_OS_OFFSET	  (TARE_THREAD_NODES_OFFSET + TARE_THREAD_NODES_MAX * 128)
#define TARE_THREAD_OS_MAX	  (1ULL << 18)
#define TARE_THREAD_FILE_BYTES	  (TARE_THREAD_OS_OFFSET + TARE_THREAD_OS_MAX * 32)

/* The first page of a thread file, and the state of the thread's probes. */
struct tare_thread_file {
	uint64_t magic;
	uint32_t abi;
	uint32_t flags;
	int32_t pid, tid;
	uint64_t run_addr; /* where the file is mapped in the target: base of all run addresses */
	uint64_t begin_ticks, end_ticks; /* TSC; end 0 when unknown */
	char name[16];

	/* hot; the fast path touches only these two cache lines of the page */
	_Alignas(64) uint64_t gate; /* 0: open; else rsp of the probe at work, or ~0: off */
	uint64_t top;		    /* run address of the top frame */
	uint64_t last_ticks;	    /* TSC of the last event + cost of its probe */
	uint64_t now_ticks;	    /* the thread's clock: sum of all intervals, cost subtracted */
	uint64_t os_ticks;	    /* of these, in intervals with an OS event */
	uint64_t rseq_word;	    /* run address of the thread's rseq_cs, or of a dummy word */
	uint64_t rseq_armed;	    /* the value it holds while nothing has happened */
	uint64_t syscalls;	    /* system calls counted by SYSCALL probes */

	_Alignas(64) uint64_t frame_limit; /* run address behind the last frame that may be used */
	uint64_t node_count, node_limit;   /* used; room that is backed by the file */
	uint64_t os_count, os_limit;
	uint64_t syscall_number, syscall_object; /* of the last SYSCALL probe */
	uint64_t local;				 /* run address of the runtime's private state */

	/* accounting of what is not in the tree */
	/* Spent in the runtime's slow paths, charged to nobody. What is then missing from
	   last_ticks - begin_ticks = now_ticks + own_ticks + x is x, the probe cost subtracted. */
	uint64_t own_ticks;
	uint64_t events;    /* slow-path events, for diagnosis */
	uint64_t dropped;   /* events dropped: a probe interrupted by a signal's probes */
	uint64_t negative;  /* intervals that would have been negative */
	uint64_t folded;    /* times a new context had to go to a folded node */
	uint64_t too_deep;  /* calls beyond TARE_THREAD_FRAMES_MAX */
	uint64_t unmatched; /* LEAVE or RETURN without its frame */
	uint64_t os_lost;   /* OS intervals whose record did not fit; time is still counted */
	uint64_t flagged;   /* intervals with an OS event */
	uint64_t inherited_frames; /* frames copied from the parent's stack at fork */
};

_Static_assert(sizeof(struct tare_node) == 128, "shared layout");
_Static_assert(sizeof(struct tare_frame) == 64, "shared layout");
_Static_assert(sizeof(struct tare_os_record) == 32, "shared layout");
_Static_assert(sizeof(struct tare_thread_file) <= TARE_THREAD_FRAMES_OFFSET, "shared layout");
_Static_assert(sizeof(struct tare_process_file) % 8 == 0, "records are aligned");

#endif
