/* The columns of all tables, each one line of a list: column.c. Private to report. */
#ifndef TARE_REPORT_TABLE_COLUMN_H
#define TARE_REPORT_TABLE_COLUMN_H

#include "report/report.h"
#include "report/table/cell.h"
#include "report/table/row.h"

struct report;
struct view;
struct column;

/* Reads the cell of a row that is of one of the column's types. An empty cell stays as it is. */
typedef void report_getter(const struct report *report, const struct report_row *row,
			   const struct column *column, struct str *scratch, struct cell *cell);

/* What a column is to the reader, where its type does not tell: how text shows it. */
enum column_role {
	ROLE_NONE,
	/* Names; one of the first takes the room that is left. */
	ROLE_FUNCTION,
	ROLE_FRAME,  /* indented as the row stands in its tree */
	ROLE_OBJECT, /* what is waited for */
	ROLE_CODE,   /* cut at its end, not in the middle */
	ROLE_SOURCE, /* the same with tabs */
	ROLE_OTHER_FUNCTION,
	ROLE_CALLER, /* of a wait: the program's own function */
	ROLE_ASIDE,  /* less important */
	ROLE_WHOLE,  /* not shortened while others can be */
	ROLE_CALL_PATH,
	/* Numbers; percents are shares unless they are one of these. */
	ROLE_MARGIN,
	ROLE_BOUND,
	ROLE_DIFFERENCE, /* of two shares: it may be below 0 */
	ROLE_EACH,	 /* a small number, with two decimals */
	ROLE_WEIGHT,	 /* a count, or a time where the event is one */
	ROLE_TIME_BAR,
	/* Signs, which text explains below the table. */
	ROLE_HOT,
	ROLE_CONFIDENCE,
	ROLE_DISARMED,
	ROLE_DIFFERS,
};

struct column {
	const char *name;	   /* CSV and JSON; of times without "_ns" or "_ticks" */
	const char *group, *title; /* text */
	enum cell_type type;
	enum column_role role;
	unsigned rows; /* bits 1 << enum row_type: which it reads */
	int param;     /* for `get` */
	bool each;     /* a time per call: every cell in a unit of its own */
	bool text_only;
	bool data_only;		   /* CSV and JSON: text shows it in another form */
	bool of_calls, of_samples; /* only where there are such values; neither: always */
	bool of_waits;		   /* of calls, and of waits that samples tell of */
	bool of_estimates;	   /* only where CPU times are by samples */
	/* only where lines and instructions have that beside their samples */
	bool of_places_cpu, of_places_calls, of_executions;
	bool of_holders; /* only where it is known who had locks */
	bool of_waited;	 /* only where functions have waits beside samples of another event */
	bool of_wakers;	 /* only where it is known who ended waits */
	bool on_request; /* only where it is named, or all are asked for */
	report_getter *get;
};

extern const struct column report_columns[];
extern const size_t report_column_count;

/* Whether a table of the view has it. */
bool column_is_of(const struct column *column, const struct view *view);
/* By its name in CSV, which may lack the unit. Fails with the nearest name. */
const struct column *column_find(const struct view *view, const char *name, size_t length,
				 struct error *err);
/* The one of signs that text puts before a number which may not be exact; NULL: that is none. */
const struct column *column_sign(const struct column *column);
/* Name with unit as in CSV and JSON. */
void column_append_name(const struct column *column, enum report_unit unit, struct str *out);

/* Whether the profile and the method shown have values for it. */
bool column_applies(const struct report *report, const struct column *column);
/* Whether it is shown where it is asked for: also if nothing has happened that it would tell. */
bool column_can_be_shown(const struct report *report, const struct column *column);
/* Fails where it cannot; `of` names the option that has asked for the column, or is "". */
bool column_check(const struct report *report, const struct column *column, const char *of,
		  struct error *err);

/*
 * The row's cell; empty where the column reads no rows of its type. Text in it is valid until the
 * next call with the same scratch.
 */
void column_read(const struct column *column, const struct report *report,
		 const struct report_row *row, struct str *scratch, struct cell *cell);

/* ---- getters, by their files ---- */

/* name_cells.c */
report_getter report_get_section, report_get_process, report_get_thread, report_get_module,
	report_get_module_path, report_get_build_id, report_get_function, report_get_relative,
	report_get_compared_function, report_get_line_function, report_get_code_function,
	report_get_verdict_function, report_get_hot, report_get_frame, report_get_source,
	report_get_line_source, report_get_instruction_source, report_get_code_source,
	report_get_line, report_get_line_line, report_get_instruction_line, report_get_code_line,
	report_get_address, report_get_instruction_address, report_get_code_address,
	report_get_verdict_address, report_get_relation, report_get_root_function, report_get_level,
	report_get_path;
/* value_cells.c */
report_getter report_get_calls, report_get_unwound, report_get_total, report_get_percent,
	report_get_average, report_get_min, report_get_max, report_get_percentile,
	report_get_histogram, report_get_timed_by, report_get_cpu_low, report_get_cpu_high,
	report_get_cpu_margin, report_get_os, report_get_confidence, report_get_disarmed,
	report_get_calls_are, report_get_time_bar, report_get_samples_bar;
/* process_cells.c */
report_getter report_get_host, report_get_launcher, report_get_rank, report_get_ranks;
report_getter report_get_pid, report_get_parent_pid, report_get_executable, report_get_threads,
	report_get_tid, report_get_process_begin, report_get_process_end, report_get_thread_begin,
	report_get_thread_end, report_get_process_outside, report_get_thread_outside,
	report_get_thread_lifetime, report_get_process_lifetime;
enum cpu_column { CPU_BEGIN, CPU_END, CPU_USED };
report_getter report_get_cpu;
/* os_cells.c */
enum lane_column { LANE_CPU = WAITINGS, LANE_BLOCKED, LANE_PREEMPTED };
/* lane_cells.c; parameters below LANE_CPU are those of enum analysis_waiting */
report_getter report_get_lane, report_get_lane_begin, report_get_lane_end, report_get_lane_states;
report_getter report_get_waited;
report_getter report_get_woken_by, report_get_woken_by_thread, report_get_woken_before;
report_getter report_get_blocked_by, report_get_blocked_by_thread, report_get_os_longest,
	report_get_cause, report_get_syscall, report_get_object, report_get_os_path,
	report_get_os_caller, report_get_os_count, report_get_os_time, report_get_os_percent,
	report_get_os_bar, report_get_cause_words;
/* coverage_cells.c */
report_getter report_get_module_disarmed, report_get_found, report_get_class_count,
	report_get_refusals, report_get_verdict, report_get_size, report_get_functions,
	report_get_coverage_bar;
report_getter report_get_mark, report_get_mark_name, report_get_mark_time;
/* sample_cells.c */
report_getter report_get_samples, report_get_samples_percent, report_get_samples_low,
	report_get_samples_high, report_get_samples_margin, report_get_line_place,
	report_get_instruction_place, report_get_code_place, report_get_comparison, report_get_code,
	report_get_instruction, report_get_place_cpu_low, report_get_place_cpu_high,
	report_get_called, report_get_executions, report_get_cpu_per_execution,
	report_get_instructions;
enum comparison_column {
	COMPARED_CPU,
	COMPARED_CPU_PERCENT,
	COMPARED_SAMPLES,
	COMPARED_SAMPLES_PERCENT,
	COMPARED_LOW,
	COMPARED_HIGH,
	COMPARED_DIFFERENCE,
	COMPARED_OUTSIDE,
};
/* rank_cells.c */
report_getter report_get_rank_processes, report_get_mpi_call, report_get_in_mpi, report_get_spread;
enum rank_column { RANK_MPI, RANK_MPI_PERCENT, RANK_WORK, RANK_WORK_PERCENT };
enum spread_column {
	SPREAD_RANKS,
	SPREAD_CALLS,
	SPREAD_LEAST,
	SPREAD_AVERAGE,
	SPREAD_MOST,
	SPREAD_EXCESS,
	SPREAD_PERCENT,
	SPREAD_LEAST_RANK,
	SPREAD_MOST_RANK,
	SPREAD_COLUMNS
};
/* The parameter of a column that is of a value. */
#define SPREAD_OF_VALUE(part, value) ((int)(part) + (int)SPREAD_COLUMNS * (int)(value))
/* branch_cells.c */
report_getter report_get_branch, report_get_branch_place, report_get_branch_target;
enum branch_column {
	BRANCH_EXECUTIONS,
	BRANCH_TAKEN,
	BRANCH_PERCENT,
	BRANCH_LINE,
	BRANCH_BLOCK,
	BRANCH_SOURCE,
};
/* event_cells.c */
enum event_column {
	EVENT_TIME,
	EVENT_KIND,
	EVENT_DEPTH,
	EVENT_DURATION,
	EVENT_CAUSE,
	EVENT_SYSCALL,
	EVENT_MARK,
	EVENT_LOST
};
report_getter report_get_event;

#endif
