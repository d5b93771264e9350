/*
 * profile: the data model and its file, one SQLite database (*.tare). Collectors write it through
 * struct profile_writer, analysis reads it through struct profile. The only user of SQLite. Tables
 * and columns are documented in docs/reference/profile-format.md; one struct here is one table's
 * row.
 *
 * Ids are dense, from 1, in the order of adding; 0 means none. Times are TSC ticks unless named
 * otherwise; ticks_per_second of the session converts them.
 */
#ifndef TARE_PROFILE_PROFILE_H
#define TARE_PROFILE_PROFILE_H

#include "abi/session_files.h"
#include "base/base.h"

#define PROFILE_APPLICATION_ID 0x74617265 /* "tare" */
#define PROFILE_SCHEMA_VERSION 14	  /* the reader takes it and all before */
#define PROFILE_WAITS_SINCE    5	  /* blocked and preempted time is exact */
#define PROFILE_RANKS_SINCE    9

/* The names of modules of code made at run time, and of functions that none is known of. */
#define PROFILE_MODULE_JIT	 "[jit]"
#define PROFILE_FUNCTION_UNKNOWN "[unknown]"

struct profile_session {
	const char *command_line; /* shell-quoted */
	const char *directory;	  /* working directory */
	const char *host;	  /* nodename */
	const char *system;	  /* kernel name, release, machine */
	const char *processor;	  /* model name */
	const char *tare_version;
	const char *method;   /* "instrument", "sample" or "instrument,sample" */
	const char *settings; /* options in effect, as text */
	int64_t begin_unix_ns;
	uint64_t begin_ticks, end_ticks;
	double ticks_per_second;
	double clock_drift_ppm; /* disagreement of the two halves of the clock's calibration */
	int exit_status;	/* of the command, as a shell would report it; -1: unknown */
	bool complete;		/* false: something was cut off; `incomplete_reason` says what */
	const char *incomplete_reason; /* may be NULL */
};

/* What the session of a merged profile says of the merge; recordings 0: it is none. */
struct profile_merged {
	uint64_t recordings;
	bool processes_kept;   /* apart, and their times count from the first begin */
	uint64_t event_logs;   /* threads whose log is left out */
	uint64_t sample_times; /* samples whose time is left out */
	uint64_t addresses;   /* OS records whose object was an address or a process id, and is left
				 out */
	uint64_t waits;	      /* of which it is left out when they were, and who had the locks */
	const char *settings; /* those of the recordings, borrowed from the session */
};

struct profile_merged profile_merged(const struct profile_session *session);
/* Appends the session's settings. */
void profile_merged_append(const struct profile_merged *merged, struct str *settings);
/* The number from 1 on at *text, and *text behind it; 0 if there is none. */
uint64_t profile_number_at(const char **text);

struct profile_process {
	int64_t pid, parent_pid;
	const char *name;		 /* executable's base name */
	const char *executable;		 /* path */
	uint64_t begin_ticks, end_ticks; /* end 0: unknown */
	bool forked, ended;
	uint64_t cost_ticks[TARE_EVENT_KINDS];
	/* what probes cost, at the begin, and of the pairs ENTER and CALL at the end (0: unseen) */
	struct tare_calibration begin_calibration, end_calibration;
	uint32_t os_means;
	TARE_LOSS_MEMBERS(process_losses, TARE_PROCESS_LOSSES);
	uint32_t limits;      /* enum tare_limits: why some of these were lost */
	const char *host;     /* that it ran on; NULL or "": that of the session */
	const char *launcher; /* who started it as a rank of a job: abi/rank.h; NULL: it is none */
	uint64_t rank, ranks; /* which of how many; ranks 0: their number is not known */
};

/* A program that was executed and is not recorded. */
struct profile_unfollowed {
	int64_t process;    /* that executed it; 0: none that is recorded */
	const char *path;   /* "" if unknown */
	const char *reason; /* a name in abi/unfollowed.h */
	uint64_t count;	    /* how often */
};

/* That it ran on: its own, or else the session's; NULL or "" where neither is known. */
static inline const char *profile_process_host(const struct profile_session *session,
					       const struct profile_process *process)
{
	return process->host && process->host[0] ? process->host : session->host;
}

struct profile_thread {
	int64_t process; /* id of struct profile_process */
	int64_t tid;
	const char *name;
	uint64_t begin_ticks, end_ticks;
	/* as in struct tare_thread_file */
	uint64_t now_ticks, os_ticks, own_ticks, overhead_ticks;
	uint64_t blocked_ticks, preempted_ticks; /* of os_ticks */
	/* Taken in tare's own code, and kept nowhere else; of the event that stands first. */
	uint64_t samples_in_runtime;
	uint64_t weight_in_runtime; /* events that they stand for */
	TARE_LOSS_MEMBERS(thread_losses, TARE_THREAD_LOSSES);
	uint32_t limits; /* enum tare_limits: what it has met */
};

struct profile_module {
	const char *name;     /* base name */
	const char *path;     /* of the original file */
	const char *build_id; /* hexadecimal, may be "" */
	bool system;	      /* C or C++ run-time library, loader, vDSO */
	bool instrumented;
	const char *lines; /* "known", or why source lines are not; NULL: nobody has looked */
};

/* A function, or the target of calls that were timed at the call site. */
struct profile_function {
	int64_t module;
	const char *name;   /* as in the file (mangled); "" if it has no name */
	uint64_t link_addr; /* in its module; 0 if known by name only */
	uint64_t size;
	const char *source; /* file, may be NULL */
	int64_t line;	    /* 0 if unknown */
};

struct profile_bytes {
	const void *start;
	size_t size;
};

/*
 * Values of a node that are the sums of its calls', one line each: members, columns, merging and
 * conversion follow from these lists, as from TARE_NODE_RANGES. `since`: see profile/schema.h.
 *
 *   calls_by_call         of `calls`: those that began with a CALL event
 *   overhead_ticks        exclusive: probe cost that was subtracted
 *   folded_elapsed_ticks  as in struct tare_node
 */
#define PROFILE_NODE_COUNTS(VALUE)	 VALUE(calls, 0), VALUE(unwound, 0), VALUE(calls_by_call, 0)
#define PROFILE_NODE_TIMES(VALUE)	 VALUE(overhead_ticks, 0)
#define PROFILE_NODE_SIGNED_TIMES(VALUE) VALUE(folded_elapsed_ticks, 2), VALUE(folded_os_ticks, 2)

/* Node of a thread's calling-context tree; see struct tare_node. Roots have parent 0. */
struct profile_node {
	int64_t id; /* unique in the profile; a parent's id is smaller than its children's */
	int64_t thread, parent;
	int64_t function; /* 0: the thread's root */
	TARE_LIST_MEMBERS(uint64_t, counts, PROFILE_NODE_COUNTS);
	uint64_t elapsed_ticks; /* exclusive, open frames included */
	/* Exclusive, by cause; part of elapsed_ticks. Before PROFILE_WAITS_SINCE, intervals with a
	   switch were of the causes BLOCKED and PREEMPTED as a whole. */
	uint64_t os_ticks[TARE_OS_CAUSES];
	TARE_LIST_MEMBERS(uint64_t, times, PROFILE_NODE_TIMES);
	/* per call; min > max where no call ended */
	TARE_LIST_RANGES(uint64_t, ranges, TARE_NODE_RANGES);
	bool folded; /* an overflow node: stands for many contexts */
	TARE_LIST_MEMBERS(int64_t, signed_times, PROFILE_NODE_SIGNED_TIMES);
	/* The call site, its last byte, with --call-sites: nodes of one function and parent differ
	   by it. 0: not kept, or not known. */
	int64_t location;
	/* Ended calls in each of the TARE_CALL_BUCKETS of struct profile_histogram; NULL: none.
	   Told to the writer only: the reader has profile_node_lengths and
	   profile_each_histogram. */
	const uint64_t *lengths;
	/* The ranges and lengths in the file; what was read has the latter. The module's own. */
	struct profile_bytes per_call;
};

/* OS time of a node by cause, system call and object. */
struct profile_os {
	int64_t node;
	enum tare_os_cause cause;
	int syscall_number; /* -1: none or unknown */
	uint64_t object;
	uint64_t count, ticks;
	const char *path;	/* what `object` named where it is a descriptor; NULL: unknown */
	uint64_t longest_ticks; /* of an interval; 0: not known */
	int64_t id;		/* of what was read: the writer gives them */
};

/* Who had the lock that a row of OS time waited for, when the waits began. */
struct profile_holder {
	int64_t os; /* the row of struct profile_os */
	int64_t thread;
	int64_t node; /* where that thread was; 0: not known */
};

/* When a thread waited: profile/wait_record.h says what is in the data. Ticks are sums. */
struct profile_wait {
	int64_t thread;
	uint64_t waits; /* records; of intervals of OS time, or of several that were joined */
	uint64_t blocked_ticks, preempted_ticks;
	struct profile_bytes data;
};

/*
 * The ended calls of a node by their elapsed inclusive time: in bucket 0 those of no time, in
 * bucket b those of 2^(b-1) ticks to less than 2^b. Buckets without calls are not told.
 */
struct profile_histogram {
	int64_t node;
	uint32_t bucket;
	uint64_t calls;
};

/* The verdict on a whole file, whose row stands for no function and has a sentence for its name. */
#define PROFILE_COVERAGE_FILE "whole-file"
/* The same of a file that a later recording of the same program will instrument. */
#define PROFILE_COVERAGE_DEFERRED "deferred-file"

/* The same of one node: those from the first bucket with calls to the last one. */
struct profile_lengths {
	uint32_t first, end; /* equal: no call ended */
	uint64_t calls[TARE_CALL_BUCKETS];
};

/* What became of each function that was found in a module. */
struct profile_coverage {
	int64_t module;
	const char *function; /* name or "" */
	uint64_t link_addr, size;
	const char *verdict; /* name of enum rewrite_verdict, see rewrite/rewrite.h */
	int64_t count;	     /* functions this row stands for (1, or many where summed) */
};

/*
 * Instructions of a module that are executed as often as each other (--lines). An instruction's
 * executions are those of all blocks that cover it. What no block covers is not known.
 */
struct profile_block {
	int64_t module;
	int64_t function; /* 0: of one that never ran */
	uint64_t link_addr, size;
	uint64_t instructions;
	bool branches;	/* its last instruction is a conditional jump, which stands here: */
	int64_t source; /* 0: unknown */
	uint32_t line;	/* 0: unknown */
};

/*
 * How often a thread came to a source line: from others, and round loops that lie in it alone. Of
 * inlined code it is the line where that stands. A row of 0: the line has code that never ran.
 */
struct profile_line_execution {
	int64_t thread;	  /* 0: it has no row, or the line never ran */
	int64_t function; /* that the code belongs to; 0: it never ran */
	int64_t source;
	uint32_t line;
	uint64_t count;
};

/* How often a thread executed a block. */
struct profile_execution {
	int64_t thread; /* 0: it has no row */
	int64_t block;
	uint64_t count;
	uint64_t taken; /* of the conditional jump at its end */
};

/* A function whose probes were switched off while the process ran (--adaptive). Before version 12
   also those that profile_counted.learned is about now, with no calls. */
struct profile_disarm {
	int64_t process, function;
	uint64_t ticks; /* when; before the process's begin where it was inherited at fork */
	uint64_t calls; /* that the thread which did it had counted */
};

/* Calls of a function that counters have seen, whether its probes were on or not. */
struct profile_counted {
	int64_t process;
	int64_t thread; /* 0: it has no row */
	int64_t function;
	uint64_t entered; /* counted where the function begins: all calls */
	uint64_t called;  /* at the places of calls that name it: not those through pointers */
	bool approximate; /* some calls may be missing: docs/reference/profile-format.md */
	bool learned;	  /* only counted from the start, as an earlier recording has learned */
	/* What counters and dormant probes in it, and at its calls, have taken at least. */
	uint64_t cost_ticks;
};

struct profile_mark {
	int64_t thread; /* 0: made from outside of the recorded processes */
	int64_t mark;
	const char *name; /* its text; "" or NULL if none */
	uint64_t ticks;
};

/* The event log of a thread that has one. */
struct profile_trace {
	int64_t thread;
	uint64_t limit_bytes; /* of a ring, which keeps the last events; 0: all were to be kept */
	uint64_t events;      /* that were logged */
	uint64_t lost;	      /* of these not here: overwritten, no room, or damaged */
};

/*
 * A part of a log, which can be read by itself. `data` are records as abi/trace.h has them, but
 * nodes have the number id - id of the thread's root node: ENTER's value is that of the call's
 * node less the caller's, other kinds' the number itself, or TARE_TRACE_UNKNOWN.
 */
struct profile_trace_chunk {
	int64_t thread;
	uint64_t sequence;		 /* ascending in a thread's log */
	uint64_t begin_ticks, end_ticks; /* what the first record counts from; of the last one */
	uint64_t lost_before;		 /* events missing between the chunk before and this */
	uint64_t events;		 /* records */
	uint64_t node;	 /* number of the innermost call's before the first record */
	uint64_t folded; /* calls within that one, of functions not known */
	struct profile_bytes data;
};

/* ---- samples ---- */

/*
 * What was lost while samples were collected; as in abi/losses.h, but all in JSON, in this order.
 * `place`: in the text report's line "! losses", of those that have words for it.
 *
 *   discarded   taken while the processor was not executing the target
 *   in_runtime  taken in tare's own code, and discarded too
 *   lost        that the kernel, or the runtime, had no room for
 *   throttled   times that the kernel sampled less often than was asked for
 *   unreadable  records that made no sense
 */
#define PROFILE_SAMPLING_LOSSES(LOSS)                                                              \
	LOSS(discarded, 3, "samples_discarded", NULL),                                             \
		LOSS(in_runtime, 4, "samples_in_runtime", NULL),                                   \
		LOSS(lost, 0, "samples_lost", "samples lost"),                                     \
		LOSS(throttled, 2, "samples_throttled", "times throttled"),                        \
		LOSS(unreadable, 1, "sample_records_unreadable", "sample records unreadable")

/* One way by which samples were collected. */
struct profile_sampling {
	const char *collector; /* "perf" (perf_event_open), "timer" (in the target), "perf.data" */
	const char *reason;    /* why this one and no better one; "" or NULL */
	const char *unwinding; /* "rules" (CFI, frame pointers where there is none), "fp", "none" */
	bool kernel;	       /* frames of the kernel are in the stacks */
	uint64_t samples;      /* kept */
	uint64_t truncated;    /* of these, stacks that do not reach the thread's root */
	uint64_t interrupt_ns; /* each takes from its thread's CPU clock, at least; 0: unknown */
	TARE_LOSS_MEMBERS(losses, PROFILE_SAMPLING_LOSSES);
};

struct profile_event {
	const char *name; /* "cpu-clock", "page-faults", "off-cpu", … */
	const char *unit; /* of weights: "ns", or "" for a number of events */
	uint64_t period;  /* one sample in so many events; 0: by frequency */
	uint64_t frequency;
};

struct profile_source {
	const char *path;
};

/* An address of code that stood in a stack. */
struct profile_location {
	int64_t function;
	/* in the function's module: of the instruction that was at work. Of a caller's it is that
	   of the last byte of the call. */
	uint64_t link_addr;
};

/*
 * Where a location stands in the source. Those of one location follow each other, depth 0 is the
 * innermost inlined function, the last one the function that the code belongs to. None: unknown.
 */
struct profile_location_line {
	int64_t location;
	uint32_t depth;
	const char *function;  /* as in the debug information (linkage name if it has one) */
	int64_t source;	       /* 0: unknown */
	uint32_t line, column; /* 0: unknown */
};

/* A stack: `location`, called from the stack `parent` (0: outermost), which precedes it. */
struct profile_stack {
	int64_t parent, location;
};

/* The samples of a thread whose whole stack is this one. */
struct profile_stack_value {
	int64_t thread, event, stack; /* stack 0: nothing of it could be read */
	uint64_t samples;
	uint64_t weight;    /* events that they stand for */
	uint64_t truncated; /* of samples: the stack goes on beyond the root that is known */
	/* Their variance: samples that were taken at once are one draw, and this is the sum of the
	   squares of how many samples each draw is. What is less than `samples` stands for it. */
	uint64_t squares;
	/* Of these, what was taken while no clock of the thread was read: before it passed its
	   first probe, behind its last, or of a thread that has passed none. */
	uint64_t unclocked_samples, unclocked_weight, unclocked_squares;
};

/*
 * Who ended waits: `thread`, while its stack was this one (thread 0: an interrupt). `before`: who
 * had ended that thread's own last wait, if that went on while the other one waited already; 0:
 * nobody, or more than PROFILE_WAKES_DEEP of them.
 */
enum { PROFILE_WAKES_DEEP = 8 };

struct profile_wake {
	int64_t thread, stack, before; /* the row `before` precedes this one */
};

/* Waits of a thread with the same stack that the same one ended. */
struct profile_waker {
	int64_t thread, event, stack;	 /* event: of the samples that they are, off-cpu */
	int64_t wake;			 /* 0: there was no room to tell it */
	uint64_t waits, weight, longest; /* in the event's unit, ns */
};

/*
 * One of the longest waits, with who ended it, in ticks of the session. Its thread ran again at its
 * end, some time after it was woken.
 */
struct profile_woken {
	int64_t thread, stack, wake;
	uint64_t begin_ticks, woken_ticks, end_ticks;
};

/*
 * A thread's samples of one event in the order of time. Each is three numbers in LEB128: ticks
 * since the one before (the first: since begin_ticks); id of the stack less that of the one before
 * (the first: less 0), signed; weight less that of the one before (less 0), signed. Signed numbers
 * are zigzag: n >= 0 ? 2n : -2n - 1.
 */
struct profile_sample_chunk {
	int64_t thread, event;
	uint64_t begin_ticks, end_ticks; /* end: of the last one */
	uint64_t samples;
	struct profile_bytes data;
};

/* ---- CPU use over time ---- */

/* CPU time that a process used in an interval. Those of a process follow each other. */
struct profile_cpu_use {
	int64_t process;
	uint64_t begin_ticks, end_ticks;
	uint64_t cpu_ticks; /* as its CPU clock told the recorder, in ticks of the session */
};

/* ---- writing ---- */

struct profile_writer;

/*
 * Starts a profile that will appear at `path` when committed (written beside, fsynced, renamed).
 * An existing file there becomes `path`.old at commit if keep_old, with the mode that it has. The
 * new one is its owner's alone.
 */
struct profile_writer *profile_writer_open(const char *path, bool keep_old, struct error *err);
/* The file that is written, until it gets its name at commit. */
const char *profile_writer_temporary(const struct profile_writer *writer);
bool profile_write_session(struct profile_writer *writer, const struct profile_session *row,
			   struct error *err);
/* These return the new id, or 0 with err. */
int64_t profile_add_process(struct profile_writer *writer, const struct profile_process *row,
			    struct error *err);
int64_t profile_add_thread(struct profile_writer *writer, const struct profile_thread *row,
			   struct error *err);
int64_t profile_add_module(struct profile_writer *writer, const struct profile_module *row,
			   struct error *err);
int64_t profile_add_function(struct profile_writer *writer, const struct profile_function *row,
			     struct error *err);
/* What is found out later about a row that was added. */
bool profile_set_function_source(struct profile_writer *writer, int64_t function,
				 const char *source, int64_t line, struct error *err);
bool profile_set_module_lines(struct profile_writer *writer, int64_t module, const char *lines,
			      struct error *err);
bool profile_set_process_name(struct profile_writer *writer, int64_t process, const char *name,
			      struct error *err);
bool profile_set_thread_in_runtime(struct profile_writer *writer, int64_t thread, uint64_t samples,
				   uint64_t weight, struct error *err);
/* row->id is chosen by the caller. */
bool profile_add_node(struct profile_writer *writer, const struct profile_node *row,
		      struct error *err);
/* Returns the id, 0 with err. */
int64_t profile_add_os(struct profile_writer *writer, const struct profile_os *row,
		       struct error *err);
bool profile_add_holder(struct profile_writer *writer, const struct profile_holder *row,
			struct error *err);
bool profile_add_wait(struct profile_writer *writer, const struct profile_wait *row,
		      struct error *err);
int64_t profile_add_wake(struct profile_writer *writer, const struct profile_wake *row,
			 struct error *err);
bool profile_add_waker(struct profile_writer *writer, const struct profile_waker *row,
		       struct error *err);
bool profile_add_woken(struct profile_writer *writer, const struct profile_woken *row,
		       struct error *err);
bool profile_add_coverage(struct profile_writer *writer, const struct profile_coverage *row,
			  struct error *err);
bool profile_add_counted(struct profile_writer *writer, const struct profile_counted *row,
			 struct error *err);
/* Returns the id, 0 with err. */
int64_t profile_add_block(struct profile_writer *writer, const struct profile_block *row,
			  struct error *err);
bool profile_add_execution(struct profile_writer *writer, const struct profile_execution *row,
			   struct error *err);
bool profile_add_line_execution(struct profile_writer *writer,
				const struct profile_line_execution *row, struct error *err);
bool profile_add_disarm(struct profile_writer *writer, const struct profile_disarm *row,
			struct error *err);
bool profile_add_mark(struct profile_writer *writer, const struct profile_mark *row,
		      struct error *err);
bool profile_add_trace(struct profile_writer *writer, const struct profile_trace *row,
		       struct error *err);
bool profile_add_trace_chunk(struct profile_writer *writer, const struct profile_trace_chunk *row,
			     struct error *err);
int64_t profile_add_sampling(struct profile_writer *writer, const struct profile_sampling *row,
			     struct error *err);
bool profile_add_unfollowed(struct profile_writer *writer, const struct profile_unfollowed *row,
			    struct error *err);
int64_t profile_add_event(struct profile_writer *writer, const struct profile_event *row,
			  struct error *err);
int64_t profile_add_source(struct profile_writer *writer, const struct profile_source *row,
			   struct error *err);
int64_t profile_add_location(struct profile_writer *writer, const struct profile_location *row,
			     struct error *err);
bool profile_add_location_line(struct profile_writer *writer,
			       const struct profile_location_line *row, struct error *err);
int64_t profile_add_stack(struct profile_writer *writer, const struct profile_stack *row,
			  struct error *err);
bool profile_add_stack_value(struct profile_writer *writer, const struct profile_stack_value *row,
			     struct error *err);
bool profile_add_sample_chunk(struct profile_writer *writer, const struct profile_sample_chunk *row,
			      struct error *err);
bool profile_add_cpu_use(struct profile_writer *writer, const struct profile_cpu_use *row,
			 struct error *err);
/* Indexes, commits, renames. Frees the writer in any case. */
bool profile_writer_commit(struct profile_writer *writer, struct error *err);
/* Removes what was written. */
void profile_writer_discard(struct profile_writer *writer);

/* ---- reading ---- */

struct profile;

/*
 * Opens read-only and checks application id, schema version and integrity of what is needed.
 * Strings handed out live until profile_close. What a file of an older version lacks reads as
 * tables without rows, 0 and NULL.
 */
struct profile *profile_open(const char *path, struct error *err);
void profile_close(struct profile *profile);

/*
 * Writes a copy with the same numbers, and without what tells of user and host: command line,
 * directory and host's name are left out; of paths the last component stays, with a number where
 * several have the same; what was waited for has a number; in other texts paths are shortened so,
 * and NAME=value loses its value.
 */
bool profile_redact(struct profile *profile, const char *to, struct error *err);

/* The schema version of its file, at most PROFILE_SCHEMA_VERSION. */
uint32_t profile_version(const struct profile *profile);

const struct profile_session *profile_session(const struct profile *profile);
/* Whole tables, element i has id i + 1. */
const struct profile_process *profile_processes(const struct profile *profile, size_t *count);
const struct profile_thread *profile_threads(const struct profile *profile, size_t *count);
const struct profile_module *profile_modules(const struct profile *profile, size_t *count);
const struct profile_function *profile_functions(const struct profile *profile, size_t *count);
const struct profile_sampling *profile_samplings(const struct profile *profile, size_t *count);
const struct profile_unfollowed *profile_unfollowed(const struct profile *profile, size_t *count);
const struct profile_event *profile_events(const struct profile *profile, size_t *count);
const struct profile_source *profile_sources(const struct profile *profile, size_t *count);
const struct profile_location *profile_locations(const struct profile *profile, size_t *count);
const struct profile_location_line *profile_location_lines(const struct profile *profile,
							   size_t *count);
const struct profile_stack *profile_stacks(const struct profile *profile, size_t *count);

/* So many nodes at most: for room to be made in advance. */
size_t profile_nodes_at_most(struct profile *profile);

/* Streams; the callback returns false to stop. Nodes come in the order of their ids. */
bool profile_each_node(struct profile *profile,
		       bool (*each)(const struct profile_node *row, void *context), void *context,
		       struct error *err);
/* Whether nodes have the places that calls were made from (--call-sites). */
bool profile_has_call_sites(const struct profile *profile);
bool profile_each_os(struct profile *profile,
		     bool (*each)(const struct profile_os *row, void *context), void *context,
		     struct error *err);
bool profile_each_holder(struct profile *profile,
			 bool (*each)(const struct profile_holder *row, void *context),
			 void *context, struct error *err);
bool profile_each_wake(struct profile *profile,
		       bool (*each)(int64_t id, const struct profile_wake *row, void *context),
		       void *context, struct error *err);
bool profile_each_waker(struct profile *profile,
			bool (*each)(const struct profile_waker *row, void *context), void *context,
			struct error *err);
bool profile_each_woken(struct profile *profile,
			bool (*each)(const struct profile_woken *row, void *context), void *context,
			struct error *err);
/* Without data. */
bool profile_each_wait(struct profile *profile,
		       bool (*each)(int64_t id, const struct profile_wait *row, void *context),
		       void *context, struct error *err);
bool profile_read_wait(struct profile *profile, int64_t id, void **data, size_t *size,
		       struct error *err);
/* Whether rows of nodes have them: else profile_each_histogram reads them elsewhere. */
bool profile_nodes_have_lengths(const struct profile *profile);
/* Of the row that profile_each_node has just told, where they have. */
bool profile_node_lengths(const struct profile *profile, const struct profile_node *row,
			  struct profile_lengths *lengths, struct error *err);
bool profile_each_histogram(struct profile *profile,
			    bool (*each)(const struct profile_histogram *row, void *context),
			    void *context, struct error *err);
bool profile_each_coverage(struct profile *profile,
			   bool (*each)(const struct profile_coverage *row, void *context),
			   void *context, struct error *err);
/* In the order of their ids, from 1 on. */
bool profile_each_block(struct profile *profile,
			bool (*each)(const struct profile_block *row, void *context), void *context,
			struct error *err);
bool profile_each_execution(struct profile *profile,
			    bool (*each)(const struct profile_execution *row, void *context),
			    void *context, struct error *err);
bool profile_each_line_execution(struct profile *profile,
				 bool (*each)(const struct profile_line_execution *row,
					      void *context),
				 void *context, struct error *err);
bool profile_each_counted(struct profile *profile,
			  bool (*each)(const struct profile_counted *row, void *context),
			  void *context, struct error *err);
bool profile_each_disarm(struct profile *profile,
			 bool (*each)(const struct profile_disarm *row, void *context),
			 void *context, struct error *err);
bool profile_each_mark(struct profile *profile,
		       bool (*each)(const struct profile_mark *row, void *context), void *context,
		       struct error *err);
bool profile_each_trace(struct profile *profile,
			bool (*each)(const struct profile_trace *row, void *context), void *context,
			struct error *err);
/* Without data. */
bool profile_each_trace_chunk(struct profile *profile,
			      bool (*each)(int64_t id, const struct profile_trace_chunk *row,
					   void *context),
			      void *context, struct error *err);
/* The data of the chunk with that id; free them. False with err. */
bool profile_read_trace_chunk(struct profile *profile, int64_t id, void **data, size_t *size,
			      struct error *err);
bool profile_each_stack_value(struct profile *profile,
			      bool (*each)(const struct profile_stack_value *row, void *context),
			      void *context, struct error *err);
/* Without data. */
bool profile_each_sample_chunk(struct profile *profile,
			       bool (*each)(int64_t id, const struct profile_sample_chunk *row,
					    void *context),
			       void *context, struct error *err);
bool profile_read_sample_chunk(struct profile *profile, int64_t id, void **data, size_t *size,
			       struct error *err);
bool profile_each_cpu_use(struct profile *profile,
			  bool (*each)(const struct profile_cpu_use *row, void *context),
			  void *context, struct error *err);

#endif
