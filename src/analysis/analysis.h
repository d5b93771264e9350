/*
 * analysis: profile → values of functions, call paths, modules, threads, processes, OS time,
 * coverage, and of source lines and instructions where there are samples. Deterministic, prints
 * nothing. All values are ticks until analysis_ns converts them.
 *
 * Definitions: a value is inclusive where the function (module) stands anywhere on the stack, and
 * counts each interval once however often it stands there; it is exclusive where the function is
 * the current one. Application is Elapsed less the OS time; CPU is Elapsed less the waiting, which
 * is the OS time of two causes.
 */
#ifndef TARE_ANALYSIS_ANALYSIS_H
#define TARE_ANALYSIS_ANALYSIS_H

#include "abi/objects.h"
#include "analysis/value.h"
#include "profile/profile.h"

#define ANALYSIS_NONE UINT32_MAX

struct analysis_stacks;
struct analysis_node_lines;
struct analysis_sample_stacks;
struct analysis_switches;

/* Which values nodes, hot path and callers are about. */
enum analysis_method {
	ANALYSIS_AUTO, /* asked for: calls if the profile has any, else samples */
	ANALYSIS_INSTRUMENT,
	ANALYSIS_SAMPLE,
	ANALYSIS_METHODS
};

/*
 * Values of a place in the code: source line, instruction, stack. Of samples they are these and
 * their weight; of calls, see analysis.by_call_site, the times of those that were made from there,
 * each interval once; exclusive is what of it the functions called had themselves.
 */
enum {
	ANALYSIS_PLACE_VALUES = ANALYSIS_TIME_VALUES > ANALYSIS_SAMPLED_VALUES
					? ANALYSIS_TIME_VALUES
					: ANALYSIS_SAMPLED_VALUES,
	ANALYSIS_PLACE_MEASURES = ANALYSIS_SIDES * ANALYSIS_PLACE_VALUES
};

struct analysis_place {
	uint64_t amount[ANALYSIS_PLACE_MEASURES]; /* by measure less analysis_place_base */
	uint64_t calls;
	/* Beside samples, of the calls made from there: their times, inclusive. */
	uint64_t called[ANALYSIS_TIME_VALUES];
	bool has_executions; /* they are known: */
	uint64_t executions;
};

/* Whether there are samples of it, calls were made from there, or it was seen to be executed. */
static inline bool analysis_place_is_used(const struct analysis_place *place)
{
	return place->amount[INCLUSIVE] || place->calls || place->executions;
}

/* min > max: no call ended. */
struct analysis_range {
	uint64_t min, max;
};

/*
 * Ended calls by their elapsed inclusive time, in the buckets of struct profile_histogram from
 * `first` on. A call that is in progress is counted in `calls` of its values, but not here.
 */
struct analysis_histogram {
	uint32_t first, count;
	uint64_t calls[];
};

struct analysis_values {
	uint64_t calls, unwound;
	struct analysis_histogram *histogram; /* NULL: no call ended */
	uint64_t amount[ANALYSIS_MEASURES];
	struct analysis_range range[ANALYSIS_TIME_MEASURES]; /* per call */
	uint64_t residual_exclusive; /* of overhead: what probes cost beyond their calibration */
	uint64_t os_ticks[TARE_OS_CAUSES]; /* exclusive; sum is elapsed - application */
	bool absorbed;	  /* exclusive values have those of callees: there are none per call */
	bool sampled;	  /* CPU time is by samples: some of its calls were not timed */
	bool disarmed;	  /* probes were switched off while it ran: there were further calls */
	bool counted;	  /* so `calls` are all, also of what was disarmed … */
	bool approximate; /* … but for some that got lost among threads */
	bool unseen; /* it was called where nothing counts, too: without probes, through pointers */
	uint64_t untimed;     /* of the calls: those that have no part in times */
	uint64_t probe_ticks; /* cost of the probes that its calls passed, by calibration */
};

/* Whether calls of some functions may have been counted only, as the settings say. */
bool analysis_is_adaptive(const struct profile *profile);

/* What `calls` are. */
enum analysis_calls { ANALYSIS_CALLS_ALL, ANALYSIS_CALLS_AT_LEAST, ANALYSIS_CALLS_ABOUT };

static inline enum analysis_calls analysis_calls_are(const struct analysis_values *values)
{
	if (values->unseen || (values->disarmed && !values->counted))
		return ANALYSIS_CALLS_AT_LEAST;
	return values->approximate ? ANALYSIS_CALLS_ABOUT : ANALYSIS_CALLS_ALL;
}

struct analysis_module {
	const char *name, *path, *build_id;
	bool system; /* run-time library, loader or kernel; or what is not named as mine */
	bool instrumented;
	struct analysis_values values;
};

struct analysis_function {
	uint32_t module;    /* index into analysis.modules */
	const char *name;   /* for people: demangled if asked for, "module+0x…" if nameless */
	const char *symbol; /* as in the file, "" if nameless */
	const char *source; /* NULL if unknown */
	int64_t line;	    /* 0 if unknown */
	uint64_t link_addr, size; /* size 0: not known */
	bool has_twin;		  /* another function of the module has the same name */
	bool inlined;		  /* has no code of its own: it was only inlined into others */
	bool entered;		  /* counters at its begin have seen calls: it has a copy */
	/* Samples taken in it, or below it in functions that instrumentation does not know. */
	uint64_t samples_charged;
	struct analysis_values values;
};

struct analysis_process {
	const struct profile_process *row;
	bool selected;
	/* How many its tree is of; 0: its tree is part of that of another one of its name. */
	uint32_t merged;
	uint64_t threads;
	uint64_t root_ticks; /* elapsed outside of all functions */
	/* Shares of the calibrated cost of the probes: what they cost beyond it, by estimate, and
	   by how much cost and estimate may be wrong together. */
	double residual, uncertainty;
	struct analysis_values values;
	struct analysis_values tree; /* sum of its threads' roots: all of its intervals */
};

struct analysis_thread {
	const struct profile_thread *row;
	uint32_t process; /* index */
	uint32_t root;	  /* node, or ANALYSIS_NONE */
	uint32_t merged;  /* as of processes */
	bool selected, has_folded;
	bool estimated;		  /* CPU time of its counted functions comes from samples */
	uint64_t unclocked_ticks; /* CPU time by samples alone, before its first probe or behind its
				     last */
	uint64_t root_ticks;
	uint64_t residual_ticks; /* taken off its nodes */
	struct analysis_values values;
};

/*
 * Time of call paths that have folded. At a caller: what its inclusive values have of it, callees
 * included. At a folded node, 0 or below: by how much less its inclusive values add to those of its
 * function, because calls of the same function stood above.
 */
struct analysis_folded_time {
	int64_t application, disturbed, waited;
};

/* What it has of a value; only of times something is known. */
int64_t analysis_folded_amount(const struct analysis_folded_time *time, enum analysis_value value);

/*
 * One call path of one thread: the chain of its parents. The path of a root is empty, its
 * function ANALYSIS_NONE, its exclusive values those of the time outside of all functions.
 * Parents have smaller indexes than their children. Where the tree is rooted, the thread may be
 * ANALYSIS_NONE: several.
 */
struct analysis_node {
	uint32_t parent, first_child, next_sibling; /* ANALYSIS_NONE where there is none */
	uint32_t function, thread;
	uint32_t level; /* 0 for roots */
	/* Stands for contexts beyond the recording's limit, which were anywhere: a child of the
	   root whose inclusive values are in those of its callers, not in those of the root again.
	 */
	bool folded;
	struct analysis_folded_time folded_time;
	struct analysis_values values;
};

/* What is asked of many nodes at once, close together. */
struct analysis_link {
	uint32_t parent, function; /* of the node */
};

/* A source line, or what has none of a function. */
struct analysis_line {
	const char *source; /* path; NULL: not known */
	uint32_t line;
	const char *name;  /* of the function that the line is in, which may be inlined */
	uint32_t others;   /* how many more functions it is in: instances of a template, … */
	uint32_t function; /* whose code it is in, by its first address */
	struct analysis_place values;
};

/* An instruction; where its code is not at hand, an address in it. */
struct analysis_instruction {
	uint32_t function;
	uint64_t link_addr;
	const char *text; /* disassembled, if that was asked for; NULL: not known */
	bool calls_indirectly;
	const char *source; /* of the innermost line there; NULL: not known */
	uint32_t line;
	struct analysis_place values;
};

/* What an indirect call called: a function as often as it was timed from there. */
struct analysis_call_target {
	uint32_t instruction; /* index in analysis.instructions */
	uint32_t callee;
	uint64_t calls;
};

/* Who ended a wait: a thread in the program's own function, or the one that it was in. */
enum analysis_wake_kind { WAKE_BY_THREAD, WAKE_BY_INTERRUPT, WAKE_NOT_KNOWN };

struct analysis_wake {
	enum analysis_wake_kind kind;
	uint32_t thread, function; /* ANALYSIS_NONE: not known */
	/* Who had ended that thread's own wait, which went on meanwhile; NULL: it had not waited */
	const struct analysis_wake *before;
	/* Where several processes of one name are told together, each of whose threads has a name
	   of its own: how many threads, of which `thread` is one; else 0. */
	uint32_t threads;
};

/* OS time of a function by the program's own caller, cause, system call and object. */
struct analysis_os {
	uint32_t function; /* ANALYSIS_NONE: outside of all functions */
	/* The nearest above it that is of no system module; ANALYSIS_NONE: none, or not known */
	uint32_t caller;
	enum tare_os_cause cause;
	int syscall_number; /* -1: none or unknown */
	uint64_t object;
	enum tare_object object_kind; /* what it is */
	const char *path;	      /* what that was called, or NULL */
	uint64_t count, ticks;	      /* count 0: unknown, records were lost */
	uint64_t longest_ticks;	      /* of one interval; 0: not known */
	/* Who had the lock that was waited for, when the wait began: the program's own function in
	   which that thread was, or the one that it was in; ANALYSIS_NONE: not known. Of several
	   who had it for the longest, with so many of the ticks. */
	uint32_t holder, holder_thread;
	uint64_t held_ticks;
	/* Who ended the waits; of several the one with the most ticks. NULL: nothing is known */
	const struct analysis_wake *wake;
};

/* What a thread waits for while it is blocked. */
enum analysis_waiting {
	WAITING_OTHER, /* pages, children that are made, or not known */
	WAITING_LOCK,
	WAITING_IO,   /* files, pipes, sockets */
	WAITING_IDLE, /* for work, time, or the end of threads and processes */
	WAITINGS
};

/* A wait that samples tell of: without a system call and an object. */
struct analysis_sampled_wait {
	struct analysis_os os;
	bool idle; /* for work, time, or the end of threads and processes */
};

/* A wait, in session ticks: it ends when the thread runs again. */
struct analysis_ended_wait {
	uint32_t thread;
	uint64_t begin_ticks, woken_ticks, end_ticks;
	struct analysis_sampled_wait wait;
};

/* Time of waits that were sampled, in ticks: inclusive once per stack; idle ones apart. */
enum analysis_waited_kind {
	WAITED_INCLUSIVE,
	WAITED_EXCLUSIVE,
	IDLE_INCLUSIVE,
	IDLE_EXCLUSIVE,
	WAITED_KINDS
};
struct analysis_waited {
	uint64_t ticks[WAITED_KINDS];
};

enum analysis_coverage_class {
	COVERAGE_INSTRUMENTED,
	COVERAGE_PART,
	COVERAGE_SMALL,
	COVERAGE_NOT_SELECTED, /* by options, or nothing to do */
	COVERAGE_REFUSED,
	COVERAGE_CLASSES
};

/* One function, or many of a module with the same verdict. */
struct analysis_coverage {
	uint32_t module;
	const char *name; /* for people; "" where the row stands for many */
	uint64_t link_addr, size;
	const char *verdict;
	enum analysis_coverage_class class;
	uint64_t count;
};

/* One module's functions by class. */
struct analysis_module_coverage {
	uint32_t module;
	uint64_t found, count[COVERAGE_CLASSES];
	uint64_t disarmed; /* functions and call targets, while the program ran */
	/* "3 jump-unproven, 1 bad-target", or a sentence about the whole file; "" if there are none
	 */
	const char *refusals;
	bool is_deferred; /* the next recording will have instrumented it */
};

/* Of the event shown; the losses are those of the whole recording. */
struct analysis_sample_totals {
	uint64_t kept, weight, squares;
	uint64_t truncated;	  /* stacks that do not reach their thread's root */
	uint64_t unread;	  /* samples nothing of whose stack could be read */
	uint64_t charged_outside; /* to no function that instrumentation knows */
	TARE_LOSS_MEMBERS(losses, PROFILE_SAMPLING_LOSSES);
	bool truncated_known; /* not of a part of the time */
};

/*
 * Losses that the analysis finds out (abi/losses.h).
 *
 *   calls_aside  in progress on stacks that no thread was on at the end
 */
#define ANALYSIS_LOSSES_FOUND(LOSS)                                                                \
	LOSS(calls_aside, 0, LOST, 8, "calls_aside", "calls on stacks set aside not counted")

/* Of threads that have both: their CPU clocks, and what samples stand for; in ticks. */
struct analysis_check {
	double clock_ticks, sample_ticks;
	double switches_ticks; /* that the former may lack: they were taken off */
	double variance;       /* of the latter, by chance */
};

struct analysis_totals {
	struct analysis_sample_totals samples;
	uint64_t functions_disarmed, calls_disarmed; /* --adaptive: and their counted calls */
	uint64_t functions_learned;	/* were only counted from the start, and called */
	uint64_t functions_approximate; /* whose calls are not quite all */
	uint64_t functions_unseen;	/* whose calls by code without probes are missing */
	/* Of the session: all intervals of the selected threads. */
	union {
		uint64_t times[ANALYSIS_TIME_VALUES];
		struct {
			uint64_t ANALYSIS_TIMES(ANALYSIS_VALUE_NAME);
		};
	};
	uint64_t overhead, own; /* probe cost subtracted; time in the runtime */
	/* CPU ticks by samples, the number of these, and their squares. */
	uint64_t estimated, basis, squares;
	/* Weights of all samples that times come from, and of those taken in the kernel. */
	uint64_t sampled, sampled_kernel;
	uint64_t sampled_ticks;	  /* that all these stand for */
	uint64_t counting;	  /* of overhead: what counters and dormant probes took */
	uint64_t interrupts;	  /* of overhead: what interrupts of samples took */
	uint64_t residual, error; /* of overhead: beyond calibration; sum of exclusive bounds */
	double residual_share;	  /* of the calibrated cost: the largest of the processes */
	double cost_drift;	  /* the furthest from 0 of the processes_checked */
	uint64_t processes_checked;
	struct analysis_check check;
	uint64_t root_ticks;
	uint64_t os_ticks[TARE_OS_CAUSES];
	uint64_t sampled_waits; /* ticks of all of them */
	TARE_LOSS_MEMBERS(thread_losses, TARE_THREAD_LOSSES);
	TARE_LOSS_MEMBERS(process_losses, TARE_PROCESS_LOSSES);
	TARE_LOSS_MEMBERS(losses_found, ANALYSIS_LOSSES_FOUND);
	uint64_t processes, threads, nodes;
	uint64_t coverage[COVERAGE_CLASSES];
	uint64_t small_skipped;		       /* of COVERAGE_SMALL: not counted either */
	uint64_t cost_ticks[TARE_EVENT_KINDS]; /* of a probe: the largest of the processes */
	uint32_t limits;		       /* enum tare_limits: met by any of them */
	uint32_t os_means;		       /* which all processes had, see enum tare_os_means */
	/* my code: call paths that are part of their callers, and the modules that they are of */
	uint64_t frames_hidden, modules_hidden;
	uint64_t root_paths;	     /* of the root function that was asked for: outermost ones */
	uint64_t recursion_folded;   /* call paths in the place of those of the same function */
	uint64_t inconsistent_ticks; /* by which the recorded sums contradict each other */
};

/* What reports say of a loss, in the order of their places. */
struct analysis_loss {
	size_t offset; /* in struct analysis_totals */
	enum tare_loss_line line;
	const char *key, *words;
};
extern const struct analysis_loss analysis_losses[];
extern const size_t analysis_loss_count;
uint64_t analysis_loss_number(const struct analysis_totals *totals,
			      const struct analysis_loss *loss);

struct analysis_globs {
	const char *const *items;
	size_t count; /* 0 selects everything */
};

/*
 * Processes (by name or pid) and threads (by name or tid) that match no glob are left out with all
 * their time: session totals are those of the rest.
 */
struct analysis_options {
	struct analysis_globs processes, threads;
	bool keep_mangled;
	bool coverage_functions; /* fill analysis.coverage, which may be large */
	enum analysis_method method;
	const char *event; /* whose samples; NULL: the first of the profile */
	bool inlines;	   /* inlined functions are functions and calls of their own, in samples */
	bool no_kernel; /* samples taken in the kernel are those of the function that called it */
	bool call_targets;  /* fill that, if calls' sites are known; reads the modules' files */
	bool places;	    /* fill analysis.lines and .instructions */
	bool code;	    /* read the modules' files for the latter */
	bool times;	    /* for analysis_times */
	bool node_lines;    /* fill analysis.node_lines, unless the tree is reshaped */
	bool sample_stacks; /* fill that, where samples are shown with all of their frames */
	/* With `places`: of calls, by where they were made from, if calls are shown and have that.
	 */
	bool call_places;
	/* Only samples of this time, as analysis_time_parse has it; NULL: all. */
	const char *from, *to;
	/* With `call_places`: of samples, if the profile has any, and calls stand beside them. */
	bool sampled_places;
	bool executions; /* fill analysis.executions, and those of lines and instructions */
	/*
	 * Functions of system modules have no nodes and no values: their time is that of the
	 * nearest caller that is of none, or of the thread outside of its functions.
	 */
	bool my_code;
	const char *mine; /* "GLOB,…": modules that are no system's, all others are; NULL: known */
	/*
	 * The tree shown, but not the values of functions: below the outermost calls of functions
	 * that match (NULL: all), merged over their callers and, unless root_by_thread, over
	 * threads. Calls of a function that stands on the path already take that one's place.
	 */
	const char *root;
	bool root_by_thread, fold_recursion;
	/*
	 * Of the tree shown: threads of one name, in processes of one name, are one, and so are
	 * these processes. The first of each stands for all. A tree with a root has no threads to
	 * merge.
	 */
	bool merge_threads;
};

/* A program that was executed and is not recorded. */
struct analysis_unfollowed {
	const char *path;   /* "" if unknown */
	const char *reason; /* a name in abi/unfollowed.h */
	uint64_t count;
};

/* What follows the program's name in a sentence; a reason that is not known stands for itself. */
const char *analysis_unfollowed_clause(const char *reason);

struct analysis {
	const struct profile *profile;
	struct arena arena;
	double ticks_per_second;
	enum analysis_method method; /* of the nodes; not ANALYSIS_AUTO */
	bool has_calls;
	const struct profile_event *event; /* whose samples there are; NULL: there are none */
	bool my_code, recursion_is_folded; /* as the options say */
	const char *root;
	bool is_rooted;	   /* roots of the tree are its functions, no threads */
	bool by_weight;	   /* samples of this event count by their weight */
	bool by_call_site; /* lines and instructions are those that calls were made from */
	bool places_call;  /* they are of samples, and have the calls made from there, too */
	/* CPU time that all samples of lines and instructions together stand for; 0: not known. */
	uint64_t places_cpu;
	struct vec_of(struct analysis_process) processes; /* in the order of the profile */
	struct vec_of(struct analysis_thread) threads;
	/* By descending count; may have fewer than totals.images_unfollowed */
	struct vec_of(struct analysis_unfollowed) unfollowed;
	struct vec_of(struct analysis_module) modules;
	struct vec_of(struct analysis_function) functions;
	struct vec_of(struct analysis_node) nodes;
	struct vec_of(struct analysis_link) links; /* beside nodes */
	/* By function, the last of none: exclusive values of its nodes; NULL where the tree was
	   reshaped. */
	struct analysis_values *node_sums;
	struct vec_of(struct analysis_line) lines; /* these two if asked for, with samples only */
	struct vec_of(struct analysis_instruction) instructions;
	/* If asked for: by instruction, then descending calls. */
	struct vec_of(struct analysis_call_target) call_targets;
	struct vec_of(struct analysis_os) os; /* by cause, then descending ticks */
	/* Waits for locks by who had them, too: one row each. In the order of the former. */
	struct vec_of(struct analysis_os) locks;
	bool any_holders; /* are known */
	/* By the ids of the profile's rows of OS time: enum analysis_waiting, and 1 + index in
	   `waits`, which has the rows of blocked and preempted time one by one; 0: it is none. */
	struct vec_of(uint8_t) os_waiting;
	struct vec_of(uint32_t) os_wait;
	struct vec_of(struct analysis_os) waits;
	struct vec_of(int64_t) wait_lists;  /* of threads, see thread_states.h; 0: none */
	struct analysis_switches *switches; /* sampled_states.c's; NULL: not recorded */
	/* Of recordings that only sample, with the event off-cpu: in no order */
	struct vec_of(struct analysis_sampled_wait) sampled_waits;
	/* By function, beside samples of another event: what it waited; NULL: not known. */
	struct analysis_waited *waited;
	/* The same by who ended them, where that was recorded: by descending ticks. */
	struct vec_of(struct analysis_sampled_wait) wakers;
	/* The same whatever that one had waited for before, of which a wake says what is the same
	   for more than half of the time. */
	struct vec_of(struct analysis_sampled_wait) direct_wakers;
	struct vec_of(const struct analysis_wake *) wakes; /* by the profile's ids, less one */
	/* The longest of them one by one, by thread and time. */
	struct vec_of(struct analysis_ended_wait) ended_waits;
	struct vec_of(struct analysis_module_coverage) module_coverage;
	struct vec_of(struct analysis_coverage) coverage; /* if asked for */
	const char *refusals; /* of all modules, as in struct analysis_module_coverage */
	struct analysis_totals totals;
	struct vec_of(struct profile_counted) counted; /* of the profile, while it is opened */
	/* from the ids of the profile (less one) to indexes here */
	uint32_t *function_of, *module_of;
	uint32_t *instruction_of;	     /* of locations, where instructions were asked for */
	struct vec_of(int64_t) node_ids;     /* of the profile, ascending */
	struct vec_of(uint32_t) node_of;     /* beside node_ids; ANALYSIS_NONE where not selected */
	struct analysis_stacks *stacks;	     /* of the samples, where places were asked for */
	struct analysis_stacks *call_stacks; /* the same of calls, with places_call */
	struct analysis_sample_stacks *sample_stacks; /* if asked for; else NULL */
	struct analysis_executions *executions;	      /* if asked for, and counted; else NULL */
	struct analysis_node_lines *node_lines;	      /* see node_lines.h; NULL: there are none */
	struct analysis_aliases *aliases;	      /* see aliases.h; NULL: not asked for yet */
	/* Where times or lines were asked for, of samples: thread << 32 | id of the stack → node.
	 */
	struct map stack_nodes;
};

/*
 * `profile` has to outlive the result. Fails where it is damaged, and where it has not what the
 * options ask for: ERROR_NOT_FOUND.
 */
struct analysis *analysis_open(struct profile *profile, const struct analysis_options *options,
			       struct error *err);
void analysis_close(struct analysis *analysis);

/* Nanoseconds, rounded to the nearest. */
uint64_t analysis_ns(const struct analysis *analysis, uint64_t ticks);

/* What a loss with a key has by it: the number, of times in nanoseconds. */
uint64_t analysis_loss_by_key(const struct analysis *analysis, const struct analysis_loss *loss);

/*
 * OS time of one cause in nanoseconds. Rounded so that with it the application exclusive time and
 * all causes add up to the elapsed exclusive time, each in nanoseconds.
 */
uint64_t analysis_os_ns(const struct analysis *analysis, const struct analysis_values *values,
			enum tare_os_cause cause);

/* Average per call, rounded; 0 where no call ended. */
uint64_t analysis_average_ticks(const struct analysis_values *values,
				enum analysis_measure measure);
uint64_t analysis_average_ns(const struct analysis *analysis, const struct analysis_values *values,
			     enum analysis_measure measure);

/*
 * The elapsed inclusive time that `percent` of the ended calls did not exceed: exact to the bucket;
 * within it, calls are taken to be spread evenly. False where no call ended.
 */
bool analysis_percentile_ticks(const struct analysis_values *values, double percent,
			       uint64_t *ticks);
/* The least time of a bucket. */
uint64_t analysis_bucket_ticks(uint32_t bucket);

/*
 * Adds all values of `from`, inclusive ones too, for call paths that are shown as one. Their
 * histograms are not merged.
 */
void analysis_values_sum(struct analysis_values *to, const struct analysis_values *from);

/* The session's total of a value; 0: it has none. And percents of it, NAN where it is zero. */
uint64_t analysis_total(const struct analysis *analysis, enum analysis_value value);
double analysis_amount_percent(const struct analysis *analysis, enum analysis_measure measure,
			       uint64_t amount);
double analysis_percent(const struct analysis *analysis, const struct analysis_values *values,
			enum analysis_measure measure);
/* The measure of the first amount of a place. */
enum analysis_measure analysis_place_base(const struct analysis *analysis);

/* What the method shown ranks by: a time, samples, or their weight. */
enum analysis_value analysis_ranking_value(const struct analysis *analysis);
/*
 * All that the method shown has and that is worth showing by itself: that first, the others in
 * their order. Returns how many there are.
 */
size_t analysis_shown_values(const struct analysis *analysis,
			     enum analysis_value values[ANALYSIS_VALUES]);
/* That of it, inclusive; and its share of the session's total, in percent; NAN where that is zero.
 */
uint64_t analysis_inclusive(const struct analysis *analysis, const struct analysis_values *values);
double analysis_share(const struct analysis *analysis, const struct analysis_values *values);
/* The same of what is exclusive. */
uint64_t analysis_exclusive(const struct analysis *analysis, const struct analysis_values *values);
double analysis_exclusive_share(const struct analysis *analysis,
				const struct analysis_values *values);
/* Of a sum of such values. */
double analysis_value_share(const struct analysis *analysis, uint64_t value);

/* Whether the samples shown were taken at set intervals of CPU time. */
bool analysis_is_of_cpu_time(const struct analysis *analysis);
/*
 * What of places_cpu the place has, by its share of the samples; 0 where that is not known. And the
 * ends of its interval, false where they are not.
 */
uint64_t analysis_place_cpu(const struct analysis *analysis, const struct analysis_place *place,
			    enum analysis_side side);
bool analysis_place_cpu_interval(const struct analysis *analysis,
				 const struct analysis_place *place, enum analysis_side side,
				 uint64_t *low, uint64_t *high);

/*
 * Whether a collector of this name has taken samples: "timer" in the process, "perf" (these may
 * take several at once), "perf.data" elsewhere.
 */
bool analysis_has_collector(const struct profile *profile, const char *name);
/* Of the kept samples. */
double analysis_samples_percent(const struct analysis *analysis, uint64_t samples);
/*
 * The 95 % confidence interval of that percent, by Wilson (1927): where the share in infinitely
 * many samples is to be expected. False where there are no samples.
 */
bool analysis_samples_interval(const struct analysis *analysis, uint64_t samples, double *low,
			       double *high);

/*
 * The interval for the share that another run's samples have: that one, widened as that of a CPU
 * time by samples is.
 */
bool analysis_samples_repeated(const struct analysis *analysis, uint64_t samples, double *low,
			       double *high);

/*
 * The 95 % confidence interval of a CPU time that is by samples: that of counting them, by Wilson
 * (1927), widened by what the same program's samples differ from run to run. False where the time
 * is by clock.
 */
bool analysis_cpu_interval(const struct analysis *analysis, const struct analysis_values *values,
			   enum analysis_side side, uint64_t *low, uint64_t *high);

/* By how much a part `own` of `all` differs from run to run, beyond what is counted or measured. */
double analysis_between_runs(double all, double own);

/*
 * By which share the cost of pairs of probes had changed when it was measured again at the end of
 * the process: that which had changed most. False where it was not measured again.
 */
bool analysis_cost_drift(const struct profile_process *process, double *drift);

/* Whether the exclusive time may be nothing but the probes' cost. */
bool analysis_is_within_error(const struct analysis_values *values);

/* Whether the average exclusive time is below five times the cost of the probes. */
bool analysis_is_overhead_dominated(const struct analysis_values *values);

/*
 * What a wait is for: something that is to happen, or only that there is something to do. A pool's
 * workers, servers and parents of processes are idle, and that is no fault.
 */
bool analysis_os_is_idle(const struct analysis *analysis, const struct analysis_os *os);

/* Whether clocks and samples differ by more than chance and losses, and by enough to matter. */
bool analysis_check_fails(const struct analysis *analysis);

/* What a cause of OS time is called: abi/os_cause.h. */
struct analysis_cause {
	const char *name, *title, *words, *meaning;
};
extern const struct analysis_cause analysis_causes[];

/* Whether a module with that path is the kernel's: its image, a module of it, or the vDSO. */
bool analysis_is_kernels(const char *path);

bool analysis_glob_matches(const struct analysis_globs *globs, const char *text);
/* The same of a function's name, with or without its parameters. */
bool analysis_name_matches(const char *name, const struct analysis_globs *globs);
/* Functions by their name, symbol, or name without parameters. */
bool analysis_function_matches(const struct analysis *analysis, uint32_t function,
			       const struct analysis_globs *globs);

/*
 * The build-id of the file that the function's link_addr is of, as hexadecimal digits: with it
 * another profile has the same function, whatever it is called there. "" where either is not known.
 */
const char *analysis_function_build(const struct analysis *analysis,
				    const struct analysis_function *function);

/* By the method shown. */
bool analysis_was_seen(const struct analysis *analysis, const struct analysis_values *values);
/* Fails with the name that is nearest among the functions that were seen. */
bool analysis_fail_unknown(const struct analysis *analysis, const char *function,
			   struct error *err);

/* ---- caller and callee ---- */

/*
 * The values that belong to one edge of the call graph: inclusive are the intervals with at least
 * one such call on the stack, exclusive those in which its callee was the current function.
 */
struct analysis_edge {
	uint32_t function; /* the other end; ANALYSIS_NONE: called by no function */
	bool folded;	   /* or by functions that are not known, as these paths have folded */
	struct analysis_values values;
};

struct analysis_edges {
	struct arena arena;				      /* of their histograms */
	struct vec_of(struct analysis_edge) callers, callees; /* descending analysis_inclusive */
};

void analysis_edges_find(const struct analysis *analysis, uint32_t function,
			 struct analysis_edges *edges);
void analysis_edges_fini(struct analysis_edges *edges);

/* ---- hot path ---- */

enum analysis_step_kind { STEP_PROCESS, STEP_THREAD, STEP_NODE };

struct analysis_step {
	enum analysis_step_kind kind;
	uint32_t index;
	const struct analysis_values *values; /* of a thread: its root's */
};

struct analysis_path vec_of(struct analysis_step);

#define ANALYSIS_HOT_SHARE 0.5

/*
 * From the process and its thread with the most, and the function in which that has the most, down
 * the tree: the child with the largest inclusive value, as long as it holds at least `share` of its
 * parent's. Of a rooted tree, from the root with the most.
 */
void analysis_hot_path(const struct analysis *analysis, double share, struct analysis_path *path);

#endif
