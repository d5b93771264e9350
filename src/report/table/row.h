/* One row of a table: what it is about, and where that belongs. Private to report. */
#ifndef TARE_REPORT_TABLE_ROW_H
#define TARE_REPORT_TABLE_ROW_H

#include "analysis/annotate.h"
#include "analysis/inverted.h"
#include "analysis/ranks.h"
#include "analysis/thread_states.h"
#include "analysis/trace.h"

/*
 * The rows of a table are of one type, or of few; a column reads those that it names (column.h).
 * That decides which member of the union a row has.
 */
enum row_type {
	ROW_PROCESS,
	ROW_THREAD,
	ROW_MODULE,
	ROW_FUNCTION,
	ROW_BUSY,	 /* a function in the summary */
	ROW_RELATIVE,	 /* `relation`: a function, or one that calls it or is called by it */
	ROW_PATH,	 /* of the call tree: a process, a thread, a call path */
	ROW_STEP,	 /* the same of the hot path */
	ROW_LINE,	 /* `line` */
	ROW_INSTRUCTION, /* `instruction` */
	ROW_ANNOTATED,	 /* `code` */
	ROW_BARE,	 /* `code`: the same where it has no values */
	ROW_OS,		 /* `os` */
	ROW_WAIT,	 /* `os`: what was waited for; its `caller` is who waited */
	ROW_IDLE,	 /* the same, for work */
	ROW_PROGRAM,	 /* processes of one name */
	ROW_CAUSE,	 /* `os`: all of a cause */
	ROW_OS_TOTAL,	 /* `os`: all of the operating system's time */
	ROW_COVERAGE,	 /* `module_coverage` */
	ROW_VERDICT,	 /* `coverage` */
	ROW_MARK,	 /* `mark` */
	ROW_CPU,	 /* `cpu` */
	ROW_EVENT,	 /* `event` */
	ROW_COMPARISON,	 /* `comparison` */
	ROW_BRANCH,	 /* `branch`: a conditional jump */
	ROW_LOCK,	 /* `os`: waits for a lock that one thread had */
	ROW_WAKER,	 /* `os`: waits that one function of a thread ended */
	ROW_LANE,	 /* `lane`: what a thread did over time */
	ROW_SLICE,	 /* the same in a part of the time */
	ROW_PAIR,	 /* `pair`: of a comparison of profiles */
	ROW_RANK,	 /* `rank`: a rank of a job, or its calls of one function of MPI */
	ROW_IMBALANCE,	 /* `imbalance`: a function, or one of MPI, over all ranks */
};

struct report_mark {
	int64_t mark;
	const char *name;
	uint64_t ticks; /* since the session's begin */
};

/* CPU time of an interval, in ticks since the session's begin; end 0: it is not known when. */
struct report_cpu {
	uint64_t begin_ticks, end_ticks, cpu_ticks;
};

/* A function by both methods. */
struct report_comparison {
	uint64_t cpu_ticks, samples;
	double cpu_percent, samples_percent;
	double low, high; /* of the samples' share */
};

/* A conditional jump, at the end of a block; or an indirect call, and a function that it called. */
struct report_branch {
	uint64_t executions, taken;
	uint64_t link_addr;			/* of the jump's block, or of the call */
	const struct analysis_function *target; /* of a call; else NULL */
	const char *source;			/* NULL: unknown */
	uint32_t line;
};

/* What a thread did, in equal parts of a time or in one of them. */
struct report_lane {
	struct thread_state_range range; /* ticks since the session's begin */
	const struct thread_state_slice *slices;
	struct thread_state_slice sum;
};

/* `call` NULL: all of it. */
struct report_rank {
	const struct analysis_rank *of;
	const char *call;
};

/* What a function is to the one that was asked for. */
struct report_relation {
	const char *name; /* "caller", "function", "callee" */
	const struct analysis_function *root;
	bool folded; /* callers that are not known, of paths that have folded */
};

struct report_row {
	enum row_type type;
	bool outside; /* the time outside of all functions */
	bool hot;     /* on the hot path */
	union {
		const struct report_relation *relation;
		const struct analysis_line *line;
		const struct analysis_instruction *instruction;
		const struct annotation_row *code;
		const struct analysis_os *os;
		const struct analysis_module_coverage *module_coverage;
		const struct analysis_coverage *coverage;
		const struct report_mark *mark;
		const struct report_cpu *cpu;
		const struct analysis_trace_event *event;
		const struct report_comparison *comparison;
		const struct report_branch *branch;
		const struct report_lane *lane;
		const struct diff_row *pair;
		const struct report_rank *rank;
		const struct analysis_imbalance *imbalance;
		/* ROW_PATH of the tree from its leaves; else NULL there. */
		const struct analysis_inverted *inverted;
	};
	/* Where it belongs; NULL: to none. */
	const struct analysis_process *process;
	const struct analysis_thread *thread;
	const struct analysis_module *module;
	const struct analysis_function *function;
	const struct analysis_values *values; /* those of its type that have values */
	const char *heading;		      /* text: printed above the row; NULL: nothing */
	uint32_t node;			      /* ANALYSIS_NONE: none */
	uint32_t last; /* the innermost frame of a row of several, which begins with node */
	uint32_t level;
	uint32_t indent; /* text: how many rows stand above it in a tree */
};

struct report_rows vec_of(struct report_row);

#endif
