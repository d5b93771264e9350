/*
 * The files through which the runtime hands its data to the recorder. All are MAP_SHARED, so what
 * was written survives any death of the target. They lie in the session directory:
 *
 *   process.<pid>.<n>        struct tare_process_file, then records up to `used_bytes`
 *   thread.<pid>.<tid>.<n>   struct tare_thread_file; nodes and OS records in its chunks
 *   spare.<pid>.<n>          either of them, or abi/timer.h's, made beforehand; zero if not needed
 *
 * <n> counts from 0 and distinguishes re-used ids (and the images of an exec chain). A file is
 * created with O_CREAT|O_EXCL|O_NOFOLLOW, mode 0600, and grows by fallocate before it is touched,
 * so that a full file system makes the runtime fold or drop (and count), never SIGBUS.
 *
 * Readers treat everything here as untrusted: a killed target leaves half-done updates.
 */
#ifndef TARE_ABI_SESSION_FILES_H
#define TARE_ABI_SESSION_FILES_H

#include "abi/control.h"
#include "abi/list.h"
#include "abi/losses.h"
#include "abi/objects.h"
#include "abi/os_cause.h"
#include "abi/rank.h"

#include <stdint.h>

#define TARE_SESSION_FILES_ABI 24
#define TARE_PROCESS_NAME      "process."
#define TARE_PROCESS_MAGIC     0x636f727065726174ULL /* "tareproc" */
#define TARE_THREAD_MAGIC      0x7268746572617400ULL

/* ---- probes' cost, in ticks, per kind of the event that starts the interval ---- */

enum tare_event_kind {
	TARE_EVENT_ENTER,
	TARE_EVENT_LEAVE,
	TARE_EVENT_CALL,
	TARE_EVENT_RETURN,
	TARE_EVENT_KINDS
};

/* No probe costs more: what seems a longer step back of the clock is one. */
#define TARE_PROBE_TICKS_MAX 256

/* A processor's pace does not change by more than that. */
#define TARE_PACE_CHANGE_MAX 4

/*
 * Pairs of probes around a call of an empty function, as they are measured in the target. The
 * first of a pair begins the interval inside of the call, the second the one outside.
 */
enum tare_probe_pair {
	TARE_PAIR_ENTER,	 /* ENTER and LEAVE */
	TARE_PAIR_CALL,		 /* CALL and RETURN */
	TARE_PAIR_CALL_INDIRECT, /* CALL through a pointer and RETURN */
	TARE_PAIR_ENTER_FLAGS,	 /* ENTER and LEAVE where the flags are live, see abi/module.h */
	TARE_PAIR_CALL_FLAGS,	 /* CALL and RETURN where they are */
	TARE_PAIRS
};

/* All in ticks per call. The intervals have in them the call itself, which takes bare_ticks. */
struct tare_calibration {
	uint64_t inside_ticks[TARE_PAIRS], outside_ticks[TARE_PAIRS];
	uint64_t bare_ticks;	/* the call of the empty function with its probes dormant */
	uint64_t syscall_ticks; /* a SYSCALL probe */
	/* 256 counters, and 256 dormant probes of functions or calls, one behind the other. Only of
	   the begin. */
	uint64_t counters_ticks, gates_ticks;
	uint64_t pace; /* what runtime/control/pace.h measures; only of the begin */
	/* By how much longer a switch to a thread takes that has a %gs base; only of the begin. */
	uint64_t switch_ticks;
};

/* ---- OS time, by cause: abi/os_cause.h ---- */

/* How OS events are detected in this process: a set of bits. */
enum tare_os_means {
	TARE_OS_BY_SELECTOR = 1, /* %es is zeroed by every IRET to user mode; self-test passed */
	TARE_OS_BY_RSEQ = 2,	 /* rseq_cs is cleared at switches */
	TARE_OS_BY_SITES = 4,	 /* rewritten system call sites count */
	TARE_OS_IN_CALLS = 8,	 /* rseq_cs is cleared at switches in system calls, too */
};

/* ---- process file ---- */

enum tare_process_flags {
	TARE_PROCESS_FORKED = 1, /* began by fork from a recorded process */
	TARE_PROCESS_ENDED = 2,	 /* the runtime saw exit or exec */
	/* Probes of a static executable have run without thread-local storage, and none with it. */
	TARE_PROCESS_UNREADY = 4,
	/* The program gave up the right to read the clock (seccomp's strict mode, PR_SET_TSC), so
	   its probes were switched off before. */
	TARE_PROCESS_BLINDED = 8,
	/* Works under system call filters of its own: the runtime makes only calls they allow. */
	TARE_PROCESS_FILTERED = 16,
	/* Blinded because its system calls, the runtime's too, go to its own handler. */
	TARE_PROCESS_CALLS_TAKEN = 32,
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
	uint32_t limits;   /* enum tare_limits: why threads or records were lost */
	uint64_t run_addr; /* where the file is mapped in the target */
	TARE_LOSS_MEMBERS(process_losses, TARE_PROCESS_LOSSES);
	uint64_t images_unreached; /* of images_unfollowed, for TARE_UNFOLLOWED_REACH */
	struct tare_rank rank;
	uint64_t reserved[1];
	char command[64]; /* comm, NUL-padded */
	struct tare_control control;
	/* cost_ticks are of the first; all of the second are 0 where the end was not seen */
	struct tare_calibration begin_calibration, end_calibration;
};

enum tare_record_type {
	TARE_RECORD_MODULE_OPEN = 1,  /* struct tare_module_record, then the path */
	TARE_RECORD_MODULE_CLOSE = 2, /* struct tare_module_record without path */
	TARE_RECORD_DISARM = 3,	      /* struct tare_disarm_record */
	TARE_RECORD_UNFOLLOWED = 4,   /* struct tare_unfollowed_record, then the path */
	TARE_RECORD_MAPPED = 5,	      /* struct tare_mapped_record */
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
	uint64_t ordinal; /* of MODULE_OPEN: how many of them there are so far; see tare_node */
};

/*
 * --adaptive has cleared an arming byte, so that a function or the calls of a place are only
 * counted, or has set it again. A forked child's file has its parent's too. Calls that were in
 * progress are not counted as ended.
 */
enum tare_disarm {
	TARE_DISARM_FUNCTION, /* the first byte of a function or call target: `key` is it */
	TARE_DISARM_PLACE,    /* a further byte; `key` is 0 */
	TARE_DISARM_TAKEN_BACK,
	TARE_DISARMS
};

struct tare_disarm_record {
	struct tare_record head;
	uint64_t ticks;	    /* TSC */
	uint64_t key;	    /* as in struct tare_node */
	uint64_t calls;	    /* that the thread which did it had counted */
	uint64_t module_id; /* the first bytes of struct tare_module.source_id */
	uint32_t number;    /* of the arming byte, */
	uint32_t count;	    /* of so many of functions and call sites */
	uint32_t what;	    /* enum tare_disarm */
	uint32_t reserved;
};

/*
 * A program that the process, or a vfork child of it, has executed and that is not recorded. A
 * forked child's file has none of its parent's.
 */
struct tare_unfollowed_record {
	struct tare_record head;
	uint32_t reason; /* enum tare_unfollowed */
	uint32_t count;	 /* how often; changes. The path follows as in tare_module_record */
};

/*
 * Code of a file that the program has mapped itself, which may be a module's, too. A forked child's
 * file has its parent's too.
 */
struct tare_mapped_record {
	struct tare_record head;
	uint64_t ticks;		/* TSC */
	uint64_t begin, end;	/* run addresses */
	uint64_t offset;	/* of the first in the file */
	uint64_t device, inode; /* of the file, as fstat tells them */
};

/* ---- thread file ---- */

#define TARE_CALL_BUCKETS 64
#define TARE_BUCKET_FULL  (1U << 31)

/*
 * Ranges of what calls took, each by name and as the measure that it is of analysis/value.h.
 * Application times are those without their OS time.
 */
#define TARE_NODE_RANGES(RANGE)                                                                    \
	RANGE(elapsed_inclusive, ELAPSED_INCLUSIVE), RANGE(elapsed_exclusive, ELAPSED_EXCLUSIVE),  \
		RANGE(application_inclusive, APPLICATION_INCLUSIVE),                               \
		RANGE(application_exclusive, APPLICATION_EXCLUSIVE)

/*
 * A node of the calling-context tree: one function (or call target) under one call path, with
 * --call-sites made of the places of the calls, too. A context
 * is active at most once per thread, so the call in progress is described by its node: those
 * from the thread's `top` along `parent` to the root, node 0, are the calls in progress.
 *
 * The clock of all times here is the thread's `now_ticks`. A call's inclusive time is the clock at
 * its end less `start`; its exclusive time is that less `child`. The exclusive time so far of a
 * call in progress is (start of the call above it, or the clock) - start - child.
 *
 * Where a call was shorter than the cost assumed for its probes, these times are below 0, so that
 * what one call was charged too little another is not charged too much. So may be the clock, until
 * the OS is seen at work. Whoever adds times up raises a node's sum to its OS time, or 0, and the
 * thread's clock by as much.
 */
struct tare_node {
	/* Return address of the handler call of the ENTER or direct CALL stub that reported this
	   node last, 0 if none: says at a glance that the same stub reports the same node. */
	uint64_t stub;
	uint64_t last_child; /* run address of the child found last: a cache of one */
	uint64_t parent;     /* run address of the caller's node; the root's own for the root */
	uint64_t sp;	/* in progress: frame sp - TARE_CALL_BELOW - marks; root: stack's end */
	uint64_t start; /* in progress: the clock at its begin, signed */
	int64_t child;	/* in progress: inclusive ticks of the calls it made that have ended */
	/* Run address of the function's original entry, or of the call's target. 0: thread root.
	   Once another module has taken the place, the upper 16 bits tell which it was: see
	   TARE_KEY_ORDINAL_SHIFT. */
	uint64_t key;
	int64_t elapsed_ticks; /* exclusive, of ended calls, probe cost subtracted */

	/* Per ended call; min starts at INT64_MAX. */
	TARE_LIST_RANGES(int64_t, ranges, TARE_NODE_RANGES);

	/* Run addresses of nodes; each a cache, right only if that node has the same parent. */
	uint64_t alias;		/* the one that a pending call's ENTER made */
	uint64_t next;		/* the sibling that was last called after this one */
	uint64_t site;		/* run address of the arming byte of the CALL at `stub`, or 0 */
	uint64_t calls_by_call; /* of the calls that ended: those that began with a CALL event */
	uint64_t clamped_ticks; /* by which the clock stepped back in its calls */
	/* OS time of the call in progress, else 0; the calls it made that have ended are in
	   os_inclusive, those still open are not. */
	uint64_t os_inclusive, os_exclusive;
	uint64_t unwound;		   /* of the calls that ended: by unwinding */
	uint32_t index;			   /* its number; see TARE_NODE_FOLDED */
	uint32_t children;		   /* nodes whose parent this is */
	uint32_t os_first;		   /* 1 + number of one of its OS records; 0: it has none */
	uint32_t depth;			   /* of its callers, so many; the root: 0 */
	int64_t folded_elapsed, folded_os; /* see below */
	/* Records of the event log before it: those that name the node mean another context. */
	uint64_t trace_from;
	/* The runtime's (recursion.c): functions of it and its callers, as bits; run address of the
	   nearest among them that is its function's outermost call. */
	uint64_t around, outermost;
	/* --call-sites: run address in the caller that the call was made from: where the function
	   will return to; of a CALL's own node, the return address of its handler's call. Module
	   ordinals as in the key. 0: calls are not told apart by it. */
	uint64_t call_site;

	/* The calls that ended, by their elapsed inclusive time: tare_call_bucket. A counter that
	   reaches TARE_BUCKET_FULL gives so many calls to an OS record. */
	uint32_t buckets[TARE_CALL_BUCKETS];
};

/*
 * Bucket 0 holds the calls of no time, b > 0 those of 2^(b-1) ticks to less than 2^b; the last one
 * those that were shorter than the probe's cost assumed for them.
 */
static inline uint32_t tare_call_bucket(uint64_t ticks)
{
	return TARE_CALL_BUCKETS - 1 - (uint32_t)__builtin_clzll(2 * ticks + 1);
}

/*
 * What is special about a call in progress; any of them keeps its end off the short way. They are
 * subtracted from a multiple of 8: where ENTER's handler has its stack pointer (abi/module.h).
 */
enum tare_call_marks {
	TARE_CALL_PENDING = 1, /* begun by CALL, and no ENTER seen */
	TARE_CALL_BY_CALL = 2, /* begun by CALL and counted as such */
	/* has OS time, stood open at fork, or its caller will not report its end */
	TARE_CALL_SPECIAL = 4,
};

/*
 * The ordinal in a key counts the MODULE_OPEN records of the process from 1. 0: none; the largest
 * stands for all modules beyond those that can be numbered.
 */
#define TARE_KEY_ORDINAL_SHIFT 48
#define TARE_KEY_ORDINAL_MAX   0xfffeULL

#define TARE_CALL_MARKS	       7ULL
#define TARE_CALL_BELOW	       40ULL

/*
 * The tree has at most `node_max` nodes, or more only while that many calls are in progress. For
 * a new context another one that no call is in progress of, without callees, ends: its node folds
 * into the one of its function (`index` has TARE_NODE_FOLDED, the parent is the root) and becomes
 * the new context's. So a parent's index may be larger than its children's. Node 1 is always
 * there: folded too, key TARE_NODE_OTHER; it takes the functions for which not even such a node
 * could be had. Values of functions stay right, the call path is lost:
 *
 * `folded_elapsed` of a node is the time, in its calls and those within, of callees that have
 * folded: with it, its subtree's inclusive time is complete. In a folded node it is what the
 * inclusive time of the calls folded into it exceeds their exclusive time by; below 0 where calls
 * within one of the same function, whose time counts for the outer one, have folded alone. Node 1,
 * which takes several functions, has none.
 *
 * A node that was only ever the pending target of calls whose callee reported ENTER itself stays
 * without calls. One whose `parent` is 0 is not in use.
 */
#define TARE_NODE_FOLDED 0x80000000U
#define TARE_NODE_OTHER	 (~0ULL)

/*
 * OS time of one node by cause, system call and object. Exclusive, calls in progress included. What
 * an interval has of blocked and preempted time goes to records of these causes, the rest of it to
 * another cause's; each counts the interval. Of several system calls in an interval each is
 * counted, the last one has the time. With the cause TARE_RECORD_CALLS, `count` calls that the
 * node's bucket `syscall_number` has given away. With TARE_RECORD_WAITS the runtime keeps for
 * itself what the node's records of the cause `syscall_number`, blocked or preempted, have of
 * ticks, which is `count`: they may be many, one for each file that was read.
 */
#define TARE_RECORD_CALLS 0xff00U
#define TARE_RECORD_WAITS 0xff01U

_Static_assert((unsigned)TARE_OS_CAUSES < TARE_RECORD_CALLS, "a cause has another meaning");

struct tare_os_record {
	uint32_t node;		 /* index */
	uint16_t cause;		 /* enum tare_os_cause, or TARE_RECORD_… */
	uint16_t syscall_number; /* 0xffff: none or unknown */
	uint64_t object;	 /* what enum tare_object says of the system call, else 0 */
	uint64_t count;		 /* intervals; 0: not in use */
	uint64_t ticks;
	uint32_t next;		/* 1 + number of another record of the node, or of one not in use */
	uint32_t name;		/* of the object, see abi/objects.h */
	uint64_t longest_ticks; /* of one interval */
	uint32_t uses;		/* times that the record was no longer in use */
	uint32_t reserved;
	/* Blocked at a lock: which thread of the process had it, and 1 + the number of that one's
	   node at the top, when the wait began; 0: not known. */
	struct tare_holder {
		uint32_t tid, node;
	} holder;
};

/*
 * When the thread waited: an interval in which it was switched, or several such intervals that
 * followed each other, once there are more than TARE_THREAD_WAITS_MAX. `begin` and `end` are its
 * clock's; TSC is that and lost_ticks, and where in the interval it waited is not known. The times
 * that it waited are sums: they add up to those of the thread's file.
 */
struct tare_wait {
	uint64_t begin, end;
	uint64_t lost_ticks; /* at its end */
	uint64_t blocked_ticks, preempted_ticks;
	/* 1 + number of the OS record that has the longest wait, if `uses` is still that record's;
	   0: none. */
	uint32_t os, uses;
	uint32_t count; /* of intervals */
	uint32_t reserved;
};

enum tare_thread_flags {
	TARE_THREAD_ENDED = 1,
};

/*
 * A thread file begins small and grows by chunks, each a run of elements of one kind, mapped at an
 * address of its own; nothing ever moves. The numbers of a kind's elements go on from chunk to
 * chunk.
 */
enum tare_chunk_kind {
	TARE_CHUNK_NODES,
	TARE_CHUNK_OS,
	TARE_CHUNK_MARKS, /* bytes; there is at most one */
	TARE_CHUNK_NAMES, /* the same */
	TARE_CHUNK_WAITS,
	TARE_CHUNK_KINDS
};

struct tare_chunk {
	uint64_t run_addr;    /* of its first element */
	uint64_t file_offset; /* the same in the file */
	uint32_t first;	      /* number of its first element */
	uint32_t count;	      /* room for so many elements */
	uint32_t kind;
	uint32_t reserved;
};

#define TARE_CHUNKS_MAX		 48
#define TARE_THREAD_HEADER_BYTES 4096ULL
/* The first chunks of nodes, OS records and waits, mapped with the header. */
#define TARE_THREAD_FIRST_NODES	 48U
#define TARE_THREAD_FIRST_OS	 88U
#define TARE_THREAD_FIRST_WAITS	 44U
#define TARE_THREAD_FIRST_BYTES	 36864ULL
#define TARE_THREAD_FIRST_CHUNKS 3

/* Numbers of nodes and OS records are below. */
#define TARE_THREAD_NODES_MAX	(1U << 26)
#define TARE_THREAD_OS_MAX	(1U << 18)
#define TARE_THREAD_WAITS_MAX	(1U << 13)

#define TARE_THREAD_MARKS_BYTES (16U << 20)

/* Why a thread or process could not have more; a set of bits. */
enum tare_limits {
	TARE_LIMIT_NODES = 1,	 /* --max-nodes */
	TARE_LIMIT_MEMORY = 2,	 /* --max-memory */
	TARE_LIMIT_DISK = 4,	 /* --max-disk */
	TARE_LIMIT_SYSTEM = 8,	 /* file system, address space or a limit of the system */
	TARE_LIMIT_THREADS = 16, /* threads share files once there are --max-threads of them */
	TARE_LIMIT_PATHS = 32	 /* --max-paths; set by the recorder, not by the runtime */
};

#define TARE_LIMITS 6

enum tare_mark_kind {
	TARE_MARK_UNFINISHED, /* its text is not there yet */
	TARE_MARK_PLAIN,
	TARE_MARK_THREAD_NAME, /* the text is the thread's name; the last one counts */
};

struct tare_mark_record {
	uint32_t size_bytes; /* with the text, a multiple of 8; 0: the end, as yet */
	uint32_t kind;	     /* enum tare_mark_kind */
	uint64_t ticks;	     /* TSC */
	int64_t id;
	/* text, NUL-terminated */
};

#define TARE_MARK_TEXT_BYTES 1001 /* at most, with the NUL */

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
	uint64_t top;		    /* run address of the innermost call's node */
	uint64_t now_ticks;  /* the thread's clock at its last event, 0 at its begin; signed */
	uint64_t lost_ticks; /* TSC less the clock: cost of the probes so far, and begin */
	uint64_t stack_low;  /* place of the lowest frame of the present stack, or below */
	uint32_t cost_ticks[TARE_EVENT_KINDS]; /* of a probe now, in the interval that it begins */
	uint64_t rseq_word; /* run address of the thread's rseq_cs, or of a dummy word */

	/* The event log (abi/trace.h), of which the handlers touch this line only. */
	_Alignas(64) uint64_t trace_next; /* run address of the next record; 0: no log */
	uint64_t trace_end;		  /* no record begins behind this run address */
	uint64_t trace_ticks;		  /* TSC of the last record */
	uint64_t trace_events;		  /* records so far, also those that are gone */
	uint64_t trace_chunk;		  /* run address of the current chunk; 0: none can be had */
	uint64_t trace_chunk_bytes;	  /* 0: no log */
	uint64_t trace_limit_bytes;	  /* of a ring, else 0 */
	uint32_t trace_slots;		  /* chunks that the file has had room for so far */
	uint32_t trace_number;		  /* of the log's file */

	_Alignas(64) uint64_t rseq_armed; /* what rseq_word holds while nothing has happened */
	uint64_t syscalls;		  /* system calls counted by SYSCALL probes */
	uint64_t node_count;		  /* used */
	uint64_t node_limit;		  /* room that is backed by the file */
	uint64_t node_max;		  /* in effect; see struct tare_node */
	uint64_t chunk_count;		  /* of `chunks` */
	uint64_t os_count, os_limit;
	uint64_t syscall_number, syscall_object; /* of the last SYSCALL probe */
	uint64_t local;				 /* run address of the runtime's private state */
	uint64_t os_ticks;			 /* of now_ticks, in intervals with an OS event */
	uint64_t blocked_ticks, preempted_ticks; /* of os_ticks: it waited */

	/* accounting of what is not in the tree */
	/* Spent in the runtime's slow paths, charged to nobody. What is then missing from
	   lost_ticks = begin_ticks + own_ticks + switches_ticks + x is x, the probe cost
	   subtracted. */
	uint64_t own_ticks;
	uint64_t events; /* slow-path events, for diagnosis */
	TARE_LOSS_MEMBERS(thread_losses, TARE_THREAD_LOSSES);
	uint64_t inherited_frames; /* calls that stood open in the parent at fork */
	uint64_t inherited; /* run address of the innermost of them still open; with all outside
			       of it its end is no call of this thread */
	/* begin_ticks of the process file that the thread belongs to: ids of processes come again,
	   at the same time too, in namespaces of their own */
	uint64_t process_begin_ticks;
	/* Modules that had been opened when the thread last took note of them: its keys without
	   an ordinal mean the last of these at their address. */
	uint64_t modules_seen;

	/* Collection on and off (abi/control.h). The clock stands still while it is off. */
	uint64_t level;	       /* the thread's own */
	uint64_t off_seen;     /* tare_control_off_ticks of the process, as far as taken in */
	uint64_t off_periods;  /* of the process, as far as taken in */
	uint32_t control_seen; /* generation of the process's control taken in; odd: is off */
	uint32_t control_reserved;
	uint64_t begun_above; /* calls with frames above may have begun while off; ~0: none */

	/* Marks: struct tare_mark_record one after the other. */
	uint64_t marks_bytes, marks_limit; /* used, and backed by the file */

	uint32_t limits;	  /* enum tare_limits: what it has met */
	uint32_t threads_before;  /* ended threads whose file this was; times and nodes are sums */
	uint64_t folded_contexts; /* nodes that have folded */
	uint64_t idle_ticks;	  /* between those threads; part of lost_ticks */
	_Alignas(64) struct tare_chunk chunks[TARE_CHUNKS_MAX];

	int32_t trace_tid; /* of the event log's file: the first thread's */

	uint32_t syscall_name;		   /* of the object of the last SYSCALL probe */
	uint64_t names_bytes, names_limit; /* used, and backed by the file */

	/* Waits that follow each other in a slot of 2^wait_shift ticks are one; 0: none are. While
	   they are being joined, none are counted. */
	uint64_t wait_count, wait_limit;
	uint32_t wait_shift;
	struct tare_holder syscall_holder; /* of the object of the last SYSCALL probe */
};

_Static_assert(sizeof(struct tare_node) == 512, "shared layout");
_Static_assert(sizeof(struct tare_os_record) == 64, "shared layout");
_Static_assert(sizeof(struct tare_wait) == 56, "shared layout");
_Static_assert(sizeof(struct tare_chunk) == 32, "shared layout");
_Static_assert(sizeof(struct tare_thread_file) <= TARE_THREAD_HEADER_BYTES, "shared layout");
_Static_assert(TARE_THREAD_FIRST_NODES * sizeof(struct tare_node) % 4096 == 0, "whole pages");
_Static_assert(TARE_THREAD_HEADER_BYTES + TARE_THREAD_FIRST_NODES * sizeof(struct tare_node) +
			       TARE_THREAD_FIRST_OS * sizeof(struct tare_os_record) +
			       TARE_THREAD_FIRST_WAITS * sizeof(struct tare_wait) <=
		       TARE_THREAD_FIRST_BYTES,
	       "the first chunks have room");
_Static_assert(sizeof(struct tare_process_file) % 8 == 0, "records are aligned");

#endif
