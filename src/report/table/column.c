/* The columns of all tables, and how they are found. */
#include "report/table/column.h"

#include "report/table/table.h"

#include <string.h>

/* The rows that a column reads: the tables of each view have them by its `rows`. */
#define R(type) (1u << ROW_##type)
#define TREE	(R(PATH) | R(STEP))
#define CODE	(R(FUNCTION) | R(BUSY) | R(RELATIVE) | TREE)
#define VALUES	(CODE | R(MODULE) | R(THREAD) | R(PROCESS) | R(PROGRAM) | R(RANK))
#define PLACES	(R(LINE) | R(INSTRUCTION) | R(ANNOTATED))
#define SOURCE	(R(ANNOTATED) | R(BARE))
/* Of lines and instructions, CPU time alone is known that is exclusive: by samples. */
#define PLACES_OF_ELAPSED     0
#define PLACES_OF_CPU	      PLACES
#define PLACES_OF_APPLICATION 0
#define WAITS		      (R(WAIT) | R(IDLE) | R(LOCK) | R(WAKER))
#define LANES		      (R(LANE) | R(SLICE))
#define OS_TIMES	      (R(OS) | R(CAUSE) | R(OS_TOTAL) | WAITS)

#define COLUMN(name_, group_, title_, type_, rows_, get_, param_)                                  \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = (type_),            \
		.rows = (rows_), .get = (get_), .param = (param_)                                  \
	}
#define NAME(name_, title_, role_, rows_, get_)                                                    \
	{                                                                                          \
		.name = (name_), .group = "", .title = (title_), .type = CELL_TEXT,                \
		.role = (role_), .rows = (rows_), .get = (get_)                                    \
	}
/* Names that only text has. */
#define SHOWN(name_, title_, role_, rows_, get_)                                                   \
	{                                                                                          \
		.name = (name_), .group = "", .title = (title_), .type = CELL_TEXT,                \
		.role = (role_), .rows = (rows_), .get = (get_), .text_only = true                 \
	}
/* Of calls, of samples. */
#define CALLS(name_, group_, title_, type_, rows_, get_, param_)                                   \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = (type_),            \
		.rows = (rows_), .get = (get_), .param = (param_), .of_calls = true                \
	}
/* OS time, of which samples know what was waited. */
#define WAITED(name_, title_, type_, get_)                                                         \
	{                                                                                          \
		.name = (name_), .group = "", .title = (title_), .type = (type_),                  \
		.rows = OS_TIMES, .get = (get_), .of_calls = true, .of_waits = true                \
	}
#define SIGN(name_, role_, rows_, get_)                                                            \
	{                                                                                          \
		.name = (name_), .group = "", .title = "", .type = CELL_TEXT, .role = (role_),     \
		.rows = (rows_), .get = (get_), .of_calls = true                                   \
	}
#define SAMPLES(name_, group_, title_, type_, role_, get_, param_)                                 \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = (type_),            \
		.role = (role_), .rows = VALUES | PLACES, .get = (get_), .param = (param_),        \
		.of_samples = true                                                                 \
	}
#define EACH(name_, group_, title_, get_, param_)                                                  \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = CELL_TIME,          \
		.rows = CODE, .each = true, .get = (get_), .param = (param_), .of_calls = true     \
	}
#define MARGIN(name_, group_, param_)                                                              \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = "\u00b1", .type = CELL_PERCENT,       \
		.role = ROLE_MARGIN, .rows = VALUES | PLACES, .get = report_get_samples_margin,    \
		.param = (param_), .of_samples = true, .text_only = true                           \
	}
#define SAMPLED(part, group, samples, weight)                                                      \
	SAMPLES(part "_samples", group, "samples", CELL_COUNT, ROLE_NONE, report_get_samples,      \
		samples),                                                                          \
		SAMPLES(part "_percent", group, "%", CELL_PERCENT, ROLE_NONE,                      \
			report_get_samples_percent, samples),                                      \
		MARGIN(part "_margin", group, samples),                                            \
		SAMPLES(part "_low_percent", group, "low %", CELL_PERCENT, ROLE_BOUND,             \
			report_get_samples_low, samples),                                          \
		SAMPLES(part "_high_percent", group, "high %", CELL_PERCENT, ROLE_BOUND,           \
			report_get_samples_high, samples),                                         \
		SAMPLES(part "_weight", group, "weight", CELL_COUNT, ROLE_WEIGHT,                  \
			report_get_samples, weight),                                               \
		SAMPLES(part "_weight_percent", group, "weight %", CELL_PERCENT, ROLE_NONE,        \
			report_get_samples_percent, weight)
#define BAR(name_, group_, role_, rows_, get_, param_, of_calls_, of_samples_)                     \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = "", .type = CELL_BAR,                 \
		.role = (role_), .rows = (rows_), .get = (get_), .param = (param_),                \
		.of_calls = (of_calls_), .of_samples = (of_samples_), .text_only = true            \
	}
#define CPU(name_, title_, param_)                                                                 \
	{                                                                                          \
		.name = (name_), .group = "", .title = (title_), .type = CELL_TIME,                \
		.rows = R(CPU), .param = (param_), .data_only = true, .get = report_get_cpu        \
	}
#define COMPARED(name, group, title, type, param)                                                  \
	COLUMN(name, group, title, type, R(COMPARISON), report_get_comparison, param)
#define COMPARED_AS(name_, group_, title_, type_, role_, param_)                                   \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = (type_),            \
		.role = (role_), .rows = R(COMPARISON), .get = report_get_comparison,              \
		.param = (param_)                                                                  \
	}
/* A value's columns: the sums of all, and then what there is of each. */
#define SUMS(ID, name, title, ...)                                                                 \
	CALLS(#name "_inclusive", title, "incl", CELL_TIME, VALUES | PLACES, report_get_total,     \
	      ID##_INCLUSIVE),                                                                     \
		CALLS(#name "_exclusive", title, "excl", CELL_TIME, VALUES | PLACES_OF_##ID,       \
		      report_get_total, ID##_EXCLUSIVE)
#define COST_SUMS(ID, name, title)                                                                 \
	CALLS(#name "_inclusive", title, "incl", CELL_TIME, VALUES, report_get_total,              \
	      ID##_INCLUSIVE),                                                                     \
		CALLS(#name "_exclusive", title, "excl", CELL_TIME, VALUES, report_get_total,      \
		      ID##_EXCLUSIVE)
#define AVERAGE_OF(name, group, part, measure, views)                                              \
	CALLS(name "_percent", group, part " %", CELL_PERCENT, views, report_get_percent,          \
	      measure),                                                                            \
		EACH(name "_avg", group, part " avg", report_get_average, measure)
#define RANGE_OF(name, group, part, measure, views)                                                \
	AVERAGE_OF(name, group, part, measure, views),                                             \
		EACH(name "_min", group, part " min", report_get_min, measure),                    \
		EACH(name "_max", group, part " max", report_get_max, measure)
#define SPREAD_OF(name, group, part, measure, views)                                               \
	RANGE_OF(name, group, part, measure, views),                                               \
		EACH(name "_p50", group, part " p50", report_get_percentile, 50),                  \
		EACH(name "_p90", group, part " p90", report_get_percentile, 90),                  \
		EACH(name "_p99", group, part " p99", report_get_percentile, 99)
/* Exclusive times have no percentiles. */
#define AVERAGE_ALONE AVERAGE_OF
#define RANGE_ALONE   RANGE_OF
#define SPREAD_ALONE  RANGE_OF
#define PER_CALL(ID, name, title, calls)                                                           \
	calls##_OF(#name "_inclusive", title, "incl", ID##_INCLUSIVE, VALUES | PLACES),            \
		calls##_ALONE(#name "_exclusive", title, "excl", ID##_EXCLUSIVE,                   \
			      VALUES | PLACES_OF_##ID)
#define TIME_BARS(ID, name, title, ...)                                                            \
	BAR(#name "_inclusive_bar", title, ROLE_TIME_BAR, VALUES | PLACES, report_get_time_bar,    \
	    ID##_INCLUSIVE, true, false),                                                          \
		BAR(#name "_exclusive_bar", title, ROLE_TIME_BAR, VALUES | PLACES_OF_##ID,         \
		    report_get_time_bar, ID##_EXCLUSIVE, true, false)
/* Of CPU times that samples tell. */
#define ESTIMATE(name_, type_, get_, param_)                                                       \
	{                                                                                          \
		.name = (name_), .group = "CPU", .title = "", .type = (type_), .rows = VALUES,     \
		.get = (get_), .param = (param_), .of_calls = true, .of_estimates = true,          \
		.data_only = true                                                                  \
	}
#define CPU_MARGIN(name_, param_)                                                                  \
	{                                                                                          \
		.name = (name_), .group = "CPU", .title = "\u00b1", .type = CELL_PERCENT,          \
		.role = ROLE_MARGIN, .rows = VALUES, .get = report_get_cpu_margin,                 \
		.param = (param_), .of_calls = true, .of_estimates = true, .text_only = true       \
	}
/* Of places with samples: the bounds of their CPU time, and the calls made from there. */
#define PLACE_CPU(name_, type_, role_, get_, param_)                                               \
	{                                                                                          \
		.name = (name_), .group = "CPU", .title = (role_) == ROLE_MARGIN ? "\u00b1" : "",  \
		.type = (type_), .role = (role_), .rows = PLACES, .get = (get_),                   \
		.param = (param_), .of_samples = true, .of_places_cpu = true,                      \
		.data_only = (role_) != ROLE_MARGIN, .text_only = (role_) == ROLE_MARGIN           \
	}
#define CALLED(ID, name_, title_, ...)                                                             \
	{                                                                                          \
		.name = "called_" #name_, .group = "Calls made", .title = (title_),                \
		.type = CELL_TIME, .rows = PLACES, .get = report_get_called, .param = VALUE_##ID,  \
		.of_samples = true, .of_places_calls = true                                        \
	}
/* Of code whose executions were counted. */
#define EXECUTED(name_, title_, type_, role_, rows_, get_)                                         \
	{                                                                                          \
		.name = (name_), .group = "", .title = (title_), .type = (type_), .role = (role_), \
		.rows = (rows_), .get = (get_), .of_executions = true                              \
	}
#define BRANCH(name_, title_, type_, param_)                                                       \
	COLUMN(name_, "", title_, type_, R(BRANCH), report_get_branch, param_)
#define LANE(name_, title_, type_, param_)                                                         \
	COLUMN(name_, "", title_, type_, LANES, report_get_lane, param_)
/* Who had a lock. */
#define HELD(name_, title_, role_, get_)                                                           \
	{                                                                                          \
		.name = (name_), .group = "", .title = (title_), .type = CELL_TEXT,                \
		.role = (role_), .rows = R(OS) | WAITS, .get = (get_), .of_holders = true          \
	}
#define WAITED_FOR(name_, group_, title_, param_)                                                  \
	{                                                                                          \
		.name = (name_), .group = (group_), .title = (title_), .type = CELL_TIME,          \
		.rows = R(FUNCTION), .get = report_get_waited, .param = (param_),                  \
		.of_waited = true                                                                  \
	}
#define WOKEN(name_, title_, role_, get_)                                                          \
	{                                                                                          \
		.name = (name_), .group = "", .title = (title_), .type = CELL_TEXT,                \
		.role = (role_), .rows = R(OS) | WAITS, .get = (get_), .of_wakers = true           \
	}
/* A value over ranks. */
#define SPREAD_PART(ID, name, title, part, words, type)                                            \
	COLUMN(name, title, words, type, R(IMBALANCE), report_get_spread,                          \
	       SPREAD_OF_VALUE(SPREAD_##part, VALUE_##ID))
#define SPREADS(ID, name, title)                                                                   \
	SPREAD_PART(ID, #name "_least", title, LEAST, "least", CELL_TIME),                         \
		SPREAD_PART(ID, #name "_average", title, AVERAGE, "average", CELL_TIME),           \
		SPREAD_PART(ID, #name "_most", title, MOST, "most", CELL_TIME),                    \
		SPREAD_PART(ID, #name "_excess", title, EXCESS, "excess", CELL_TIME),              \
		SPREAD_PART(ID, #name "_imbalance_percent", title, PERCENT, "imb %",               \
			    CELL_PERCENT),                                                         \
		SPREAD_PART(ID, #name "_least_rank", title, LEAST_RANK, "least at", CELL_COUNT),   \
		SPREAD_PART(ID, #name "_most_rank", title, MOST_RANK, "most at", CELL_COUNT)
#define OS(number, ID, cause, since, title, ...)                                                   \
	CALLS("os_" #cause, "OS time", title, CELL_TIME, VALUES, report_get_os, TARE_OS_##ID)

const struct column report_columns[] = {
	COLUMN("section", "", "Section", CELL_TEXT,
	       R(STEP) | R(BUSY) | R(CAUSE) | R(CPU) | R(PROGRAM) | R(WAIT) | R(IDLE) | R(RANK) |
		       R(IMBALANCE),
	       report_get_section, 0),
	NAME("process", "Process", ROLE_WHOLE,
	     TREE | R(THREAD) | R(PROCESS) | R(PROGRAM) | R(MARK) | R(EVENT) | LANES | R(RANK),
	     report_get_process),
	NAME("thread", "Thread", ROLE_WHOLE, TREE | R(THREAD) | R(MARK) | R(EVENT) | LANES,
	     report_get_thread),
	NAME("module", "Module", ROLE_ASIDE,
	     CODE | R(MODULE) | R(OS) | WAITS | R(COVERAGE) | R(VERDICT) | R(EVENT) | PLACES |
		     SOURCE | R(COMPARISON) | R(BRANCH) | R(IMBALANCE),
	     report_get_module),
	NAME("function", "Function", ROLE_FUNCTION,
	     R(FUNCTION) | R(BUSY) | TREE | R(OS) | WAITS | R(EVENT) | R(INSTRUCTION) | R(BRANCH) |
		     R(IMBALANCE),
	     report_get_function),
	NAME("function", "Function", ROLE_FUNCTION, R(RELATIVE), report_get_relative),
	NAME("function", "Function", ROLE_FUNCTION, R(COMPARISON), report_get_compared_function),
	NAME("function", "Function", ROLE_FUNCTION, R(LINE), report_get_line_function),
	NAME("function", "Function", ROLE_FUNCTION, SOURCE, report_get_code_function),
	NAME("function", "Function", ROLE_FUNCTION, R(VERDICT), report_get_verdict_function),
	NAME("source", "Source", ROLE_NONE, CODE, report_get_source),
	NAME("source", "Source", ROLE_NONE, R(LINE), report_get_line_source),
	NAME("source", "Source", ROLE_NONE, R(INSTRUCTION), report_get_instruction_source),
	NAME("source", "Source", ROLE_NONE, SOURCE, report_get_code_source),
	BRANCH("source", "Source", CELL_TEXT, BRANCH_SOURCE),
	BRANCH("line", "Line", CELL_SIGNED, BRANCH_LINE),
	BRANCH("address", "Block", CELL_ADDRESS, BRANCH_BLOCK),
	NAME("target", "Calls", ROLE_OTHER_FUNCTION, R(BRANCH), report_get_branch_target),
	BRANCH("executions", "Executions", CELL_COUNT, BRANCH_EXECUTIONS),
	BRANCH("taken", "Taken", CELL_COUNT, BRANCH_TAKEN),
	BRANCH("taken_percent", "%", CELL_PERCENT, BRANCH_PERCENT),
	COLUMN("line", "", "Line", CELL_SIGNED, CODE, report_get_line, 0),
	COLUMN("line", "", "Line", CELL_SIGNED, R(LINE), report_get_line_line, 0),
	COLUMN("line", "", "Line", CELL_SIGNED, R(INSTRUCTION), report_get_instruction_line, 0),
	COLUMN("line", "", "Line", CELL_SIGNED, SOURCE, report_get_code_line, 0),
	COLUMN("address", "", "Address", CELL_ADDRESS, CODE | R(COMPARISON), report_get_address, 0),
	COLUMN("address", "", "Address", CELL_ADDRESS, R(INSTRUCTION),
	       report_get_instruction_address, 0),
	COLUMN("address", "", "Address", CELL_ADDRESS, SOURCE, report_get_code_address, 0),
	COLUMN("address", "", "Address", CELL_ADDRESS, R(VERDICT), report_get_verdict_address, 0),
	COLUMN("pid", "", "PID", CELL_SIGNED, R(PROCESS) | R(THREAD) | R(EVENT) | LANES,
	       report_get_pid, 0),
	COLUMN("parent_pid", "", "Parent", CELL_SIGNED, R(PROCESS), report_get_parent_pid, 0),
	COLUMN("tid", "", "TID", CELL_SIGNED, R(THREAD) | R(EVENT) | LANES, report_get_tid, 0),
	COLUMN("executable", "", "Executable", CELL_TEXT, R(PROCESS), report_get_executable, 0),
	COLUMN("threads", "", "Threads", CELL_COUNT, R(PROCESS), report_get_threads, 0),
	COLUMN("host", "", "Host", CELL_TEXT, R(PROCESS) | R(RANK), report_get_host, 0),
	COLUMN("launcher", "", "Launcher", CELL_TEXT, R(PROCESS) | R(RANK), report_get_launcher, 0),
	COLUMN("rank", "", "Rank", CELL_COUNT, R(PROCESS) | R(RANK), report_get_rank, 0),
	COLUMN("ranks", "", "of ranks", CELL_COUNT, R(PROCESS) | R(RANK), report_get_ranks, 0),
	COLUMN("processes", "", "Processes", CELL_COUNT, R(RANK), report_get_rank_processes, 0),
	NAME("mpi_call", "MPI call", ROLE_FUNCTION, R(RANK) | R(IMBALANCE), report_get_mpi_call),
	CALLS("mpi", "In MPI", "time", CELL_TIME, R(RANK), report_get_in_mpi, RANK_MPI),
	CALLS("mpi_percent", "In MPI", "%", CELL_PERCENT, R(RANK), report_get_in_mpi,
	      RANK_MPI_PERCENT),
	CALLS("work", "Work", "CPU", CELL_TIME, R(RANK), report_get_in_mpi, RANK_WORK),
	CALLS("work_percent", "Work", "of most", CELL_PERCENT, R(RANK), report_get_in_mpi,
	      RANK_WORK_PERCENT),
	COLUMN("calling_ranks", "", "Ranks", CELL_COUNT, R(IMBALANCE), report_get_spread,
	       SPREAD_RANKS),
	COLUMN("calls", "", "Calls", CELL_COUNT, R(IMBALANCE), report_get_spread, SPREAD_CALLS),
	SPREADS(ELAPSED, elapsed, "Elapsed"),
	SPREADS(CPU, cpu, "CPU"),
	COLUMN("begin", "", "Begin", CELL_TIME, R(PROCESS), report_get_process_begin, 0),
	COLUMN("begin", "", "Begin", CELL_TIME, R(THREAD), report_get_thread_begin, 0),
	COLUMN("begin", "", "Begin", CELL_TIME, LANES, report_get_lane_begin, 0),
	COLUMN("end", "", "End", CELL_TIME, R(PROCESS), report_get_process_end, 0),
	COLUMN("end", "", "End", CELL_TIME, R(THREAD), report_get_thread_end, 0),
	COLUMN("end", "", "End", CELL_TIME, LANES, report_get_lane_end, 0),
	LANE("cpu", "CPU", CELL_TIME, LANE_CPU),
	LANE("blocked", "blocked", CELL_TIME, LANE_BLOCKED),
	LANE("preempted", "preempted", CELL_TIME, LANE_PREEMPTED),
	LANE("blocked_lock", "locks", CELL_TIME, WAITING_LOCK),
	LANE("blocked_io", "files", CELL_TIME, WAITING_IO),
	LANE("blocked_idle", "idle", CELL_TIME, WAITING_IDLE),
	LANE("blocked_other", "other", CELL_TIME, WAITING_OTHER),
	COLUMN("module_path", "", "Path", CELL_TEXT, R(MODULE) | R(COVERAGE),
	       report_get_module_path, 0),
	COLUMN("build_id", "", "Build id", CELL_TEXT, R(MODULE) | R(COVERAGE), report_get_build_id,
	       0),
	CALLS("cause", "", "Cause", CELL_TEXT, R(OS) | R(CAUSE), report_get_cause, 0),
	COLUMN("syscall", "", "System call", CELL_TEXT, R(OS) | WAITS, report_get_syscall, 0),
	NAME("object", "Object", ROLE_OBJECT, R(OS) | WAITS, report_get_object),
	COLUMN("path", "", "Path", CELL_TEXT, R(OS) | WAITS, report_get_os_path, 0),
	COLUMN("count", "", "Count", CELL_COUNT, R(OS) | WAITS, report_get_os_count, 0),
	NAME("caller", "Caller", ROLE_CALLER, R(OS) | WAITS, report_get_os_caller),
	HELD("blocked_by", "Blocked by", ROLE_OTHER_FUNCTION, report_get_blocked_by),
	HELD("blocked_by_thread", "in thread", ROLE_WHOLE, report_get_blocked_by_thread),
	WOKEN("woken_by", "Woken by", ROLE_OTHER_FUNCTION, report_get_woken_by),
	WOKEN("woken_by_thread", "its thread", ROLE_WHOLE, report_get_woken_by_thread),
	WOKEN("woken_before", "woken before by", ROLE_WHOLE, report_get_woken_before),
	COLUMN("os_longest", "", "longest", CELL_TIME, R(OS) | WAITS, report_get_os_longest, 0),
	WAITED("os_time", "OS time", CELL_TIME, report_get_os_time),
	WAITED("os_percent", "%", CELL_PERCENT, report_get_os_percent),
	EXECUTED("executions", "Executions", CELL_COUNT, ROLE_NONE, PLACES, report_get_executions),
	EXECUTED("cpu_per_execution_ns", "ns each", CELL_PERCENT, ROLE_EACH, PLACES,
		 report_get_cpu_per_execution),
	CALLS("calls", "", "Calls", CELL_COUNT, VALUES | PLACES, report_get_calls, 0),
	EXECUTED("instructions", "Instructions", CELL_COUNT, ROLE_NONE, R(FUNCTION) | R(MODULE),
		 report_get_instructions),
	ANALYSIS_TIMES(CALLED),
	CALLS("unwound", "", "Unwound", CELL_COUNT, VALUES, report_get_unwound, 0),
	ANALYSIS_TIMES(SUMS),
	ANALYSIS_TIMES(PER_CALL),
	ANALYSIS_COSTS(COST_SUMS),
	TARE_OS_CAUSE_LIST(OS),
	ESTIMATE("timed_by", CELL_TEXT, report_get_timed_by, 0),
	ESTIMATE("cpu_inclusive_low", CELL_TIME, report_get_cpu_low, CPU_INCLUSIVE),
	ESTIMATE("cpu_inclusive_high", CELL_TIME, report_get_cpu_high, CPU_INCLUSIVE),
	ESTIMATE("cpu_exclusive_low", CELL_TIME, report_get_cpu_low, CPU_EXCLUSIVE),
	ESTIMATE("cpu_exclusive_high", CELL_TIME, report_get_cpu_high, CPU_EXCLUSIVE),
	CPU_MARGIN("cpu_inclusive_margin", CPU_INCLUSIVE),
	CPU_MARGIN("cpu_exclusive_margin", CPU_EXCLUSIVE),
	PLACE_CPU("cpu_inclusive_low", CELL_TIME, ROLE_NONE, report_get_place_cpu_low, INCLUSIVE),
	PLACE_CPU("cpu_inclusive_high", CELL_TIME, ROLE_NONE, report_get_place_cpu_high, INCLUSIVE),
	PLACE_CPU("cpu_exclusive_low", CELL_TIME, ROLE_NONE, report_get_place_cpu_low, EXCLUSIVE),
	PLACE_CPU("cpu_exclusive_high", CELL_TIME, ROLE_NONE, report_get_place_cpu_high, EXCLUSIVE),
	PLACE_CPU("cpu_inclusive_margin", CELL_PERCENT, ROLE_MARGIN, report_get_samples_margin,
		  SAMPLES_INCLUSIVE),
	PLACE_CPU("cpu_exclusive_margin", CELL_PERCENT, ROLE_MARGIN, report_get_samples_margin,
		  SAMPLES_EXCLUSIVE),
	CALLS("outside", "", "Outside", CELL_TIME, R(PROCESS), report_get_process_outside, 0),
	CALLS("outside", "", "Outside", CELL_TIME, R(THREAD), report_get_thread_outside, 0),
	SIGN("confidence", ROLE_CONFIDENCE, CODE, report_get_confidence),
	SIGN("disarmed", ROLE_DISARMED, VALUES, report_get_disarmed),
	{.name = "calls_are",
	 .group = "",
	 .title = "Calls are",
	 .type = CELL_TEXT,
	 .rows = VALUES,
	 .of_calls = true,
	 .data_only = true,
	 .get = report_get_calls_are},
	COLUMN("level", "", "Level", CELL_COUNT, TREE | R(BUSY) | R(CAUSE) | R(CPU) | SOURCE,
	       report_get_level, 0),
	NAME("path", "Path", ROLE_CALL_PATH, R(PATH), report_get_path),
	COLUMN("type", "", "Type", CELL_TEXT, R(RELATIVE), report_get_relation, 0),
	NAME("root_function", "Of function", ROLE_OTHER_FUNCTION, R(RELATIVE),
	     report_get_root_function),
	COLUMN("found", "", "Found", CELL_COUNT, R(COVERAGE), report_get_found, 0),
	COLUMN("instrumented", "", "Instrumented", CELL_COUNT, R(COVERAGE), report_get_class_count,
	       COVERAGE_INSTRUMENTED),
	COLUMN("part", "", "Parts", CELL_COUNT, R(COVERAGE), report_get_class_count, COVERAGE_PART),
	COLUMN("small", "", "Small", CELL_COUNT, R(COVERAGE), report_get_class_count,
	       COVERAGE_SMALL),
	COLUMN("not_selected", "", "Not selected", CELL_COUNT, R(COVERAGE), report_get_class_count,
	       COVERAGE_NOT_SELECTED),
	{.name = "disarmed",
	 .group = "",
	 .title = "Disarmed",
	 .type = CELL_COUNT,
	 .role = ROLE_DISARMED,
	 .rows = R(COVERAGE),
	 .get = report_get_module_disarmed},
	COLUMN("refused", "", "Refused", CELL_COUNT, R(COVERAGE), report_get_class_count,
	       COVERAGE_REFUSED),
	COLUMN("refusals", "", "Reasons of refusal", CELL_TEXT, R(COVERAGE), report_get_refusals,
	       0),
	COLUMN("verdict", "", "Verdict", CELL_TEXT, R(VERDICT), report_get_verdict, 0),
	COLUMN("size", "", "Size", CELL_COUNT, R(VERDICT), report_get_size, 0),
	COLUMN("functions", "", "Functions", CELL_COUNT, R(VERDICT), report_get_functions, 0),
	COLUMN("mark", "", "Mark", CELL_SIGNED, R(MARK), report_get_mark, 0),
	COLUMN("name", "", "Name", CELL_TEXT, R(MARK), report_get_mark_name, 0),
	COLUMN("time", "", "Time", CELL_TIME, R(MARK), report_get_mark_time, 0),
	CPU("begin", "Begin", CPU_BEGIN),
	CPU("end", "End", CPU_END),
	CPU("cpu", "CPU", CPU_USED),
	{.name = "elapsed_inclusive_histogram",
	 .group = "Elapsed",
	 .title = "incl histogram",
	 .type = CELL_TEXT,
	 .rows = CODE,
	 .on_request = true,
	 .of_calls = true,
	 .get = report_get_histogram},
	SAMPLED("inclusive", "Inclusive", SAMPLES_INCLUSIVE, WEIGHT_INCLUSIVE),
	SAMPLED("exclusive", "Exclusive", SAMPLES_EXCLUSIVE, WEIGHT_EXCLUSIVE),
	WAITED_FOR("waited_inclusive", "Waited", "incl", WAITED_INCLUSIVE),
	WAITED_FOR("waited_exclusive", "Waited", "excl", WAITED_EXCLUSIVE),
	WAITED_FOR("idle_inclusive", "Idle", "incl", IDLE_INCLUSIVE),
	WAITED_FOR("idle_exclusive", "Idle", "excl", IDLE_EXCLUSIVE),
	COMPARED("cpu_exclusive", "Calls", "CPU", CELL_TIME, COMPARED_CPU),
	COMPARED("cpu_percent", "Calls", "%", CELL_PERCENT, COMPARED_CPU_PERCENT),
	COMPARED("samples", "Samples", "samples", CELL_COUNT, COMPARED_SAMPLES),
	COMPARED("samples_percent", "Samples", "%", CELL_PERCENT, COMPARED_SAMPLES_PERCENT),
	COMPARED_AS("samples_low_percent", "Samples", "low %", CELL_PERCENT, ROLE_BOUND,
		    COMPARED_LOW),
	COMPARED_AS("samples_high_percent", "Samples", "high %", CELL_PERCENT, ROLE_BOUND,
		    COMPARED_HIGH),
	COMPARED_AS("difference_percent", "", "Differ", CELL_PERCENT, ROLE_DIFFERENCE,
		    COMPARED_DIFFERENCE),
	COMPARED_AS("outside_interval", "", "", CELL_TEXT, ROLE_DIFFERS, COMPARED_OUTSIDE),
	COLUMN("time", "", "Time", CELL_TIME, R(EVENT), report_get_event, EVENT_TIME),
	COLUMN("event", "", "Event", CELL_TEXT, R(EVENT), report_get_event, EVENT_KIND),
	COLUMN("depth", "", "Depth", CELL_COUNT, R(EVENT), report_get_event, EVENT_DEPTH),
	COLUMN("duration", "", "Duration", CELL_TIME, R(EVENT), report_get_event, EVENT_DURATION),
	COLUMN("cause", "", "Cause", CELL_TEXT, R(EVENT), report_get_event, EVENT_CAUSE),
	COLUMN("syscall", "", "System call", CELL_TEXT, R(EVENT), report_get_event, EVENT_SYSCALL),
	COLUMN("mark", "", "Mark", CELL_SIGNED, R(EVENT), report_get_event, EVENT_MARK),
	COLUMN("lost", "", "Lost", CELL_COUNT, R(EVENT), report_get_event, EVENT_LOST),
	SHOWN("frame", "Process / thread / function", ROLE_FRAME, TREE, report_get_frame),
	ANALYSIS_TIMES(TIME_BARS),
	BAR("inclusive_bar", "Inclusive", ROLE_NONE, VALUES | PLACES, report_get_samples_bar,
	    SAMPLES_INCLUSIVE, false, true),
	BAR("exclusive_bar", "Exclusive", ROLE_NONE, VALUES | PLACES, report_get_samples_bar,
	    SAMPLES_EXCLUSIVE, false, true),
	{.name = "os_bar",
	 .group = "",
	 .title = "",
	 .type = CELL_BAR,
	 .rows = R(OS) | R(CAUSE) | WAITS,
	 .text_only = true,
	 .of_calls = true,
	 .of_waits = true,
	 .get = report_get_os_bar},
	BAR("coverage_bar", "", ROLE_NONE, R(COVERAGE), report_get_coverage_bar, 0, false, false),
	SHOWN("lifetime", "Lifetime", ROLE_WHOLE, R(THREAD), report_get_thread_lifetime),
	SHOWN("states", "Over time", ROLE_WHOLE, R(LANE), report_get_lane_states),
	SHOWN("lifetime", "Lifetime", ROLE_WHOLE, R(PROCESS), report_get_process_lifetime),
	{.name = "cause_words",
	 .group = "",
	 .title = "Cause",
	 .type = CELL_TEXT,
	 .role = ROLE_WHOLE,
	 .rows = OS_TIMES,
	 .text_only = true,
	 .of_calls = true,
	 .get = report_get_cause_words},
	SHOWN("hot", "", ROLE_HOT, R(PATH), report_get_hot),
	SHOWN("place", "Line", ROLE_WHOLE, R(LINE), report_get_line_place),
	SHOWN("place", "Line", ROLE_WHOLE, R(INSTRUCTION), report_get_instruction_place),
	SHOWN("place", "Line", ROLE_WHOLE, SOURCE, report_get_code_place),
	SHOWN("place", "Line", ROLE_WHOLE, R(BRANCH), report_get_branch_place),
	NAME("instruction", "Instruction", ROLE_CODE, R(INSTRUCTION), report_get_instruction),
	NAME("text", "Text", ROLE_SOURCE, SOURCE, report_get_code),
};

const size_t report_column_count = sizeof(report_columns) / sizeof(report_columns[0]);
_Static_assert(sizeof(report_columns) / sizeof(report_columns[0]) <= COLUMNS_MAX,
	       "a table has room for all of them");

bool column_is_of(const struct column *column, const struct view *view)
{
	return column->rows & view->rows;
}

const struct column *column_sign(const struct column *column)
{
	if (column->get == report_get_calls)
		for (size_t i = 0; i < report_column_count; i++)
			if (report_columns[i].get == report_get_disarmed)
				return &report_columns[i];
	return NULL;
}

void column_read(const struct column *column, const struct report *report,
		 const struct report_row *row, struct str *scratch, struct cell *cell)
{
	*cell = (struct cell){0};
	str_clear(scratch);
	if (column->rows & 1u << row->type)
		column->get(report, row, column, scratch, cell);
}

void column_append_name(const struct column *column, enum report_unit unit, struct str *out)
{
	str_append(out, column->name);
	if (column->type == CELL_TIME || column->type == CELL_TIME_CHANGE)
		str_append(out, unit == REPORT_TICKS ? "_ticks" : "_ns");
}

static bool is_time(const struct column *column)
{
	return column->get == report_get_total || column->get == report_get_percent ||
	       column->get == report_get_time_bar;
}

/*
 * Of the columns of calls, what lines and instructions have: beside samples CPU time by these and
 * calls made from there, else times of these calls, inclusive.
 */
static bool applies_to_places(const struct analysis *analysis, const struct column *column)
{
	if (analysis->method == ANALYSIS_INSTRUMENT)
		return analysis->by_call_site &&
		       (!is_time(column) || column->param % ANALYSIS_SIDES == INCLUSIVE);
	if (column->get == report_get_calls)
		return analysis->places_call;
	return analysis->places_cpu && is_time(column) &&
	       analysis_value_of((enum analysis_measure)column->param) == VALUE_CPU;
}

bool column_applies(const struct report *report, const struct column *column)
{
	const struct analysis *analysis = report->analysis;
	const bool both = !report->view->is_of_method;

	if (column->data_only && report->options->format == REPORT_TEXT)
		return false;
	if (column->of_estimates && !analysis->totals.basis)
		return false;
	if (column->of_executions && !analysis->executions)
		return false;
	if (column->of_holders && !analysis->any_holders)
		return false;
	if (column->of_waited && !analysis->waited)
		return false;
	if (column->of_wakers && !analysis->wakers.len)
		return false;
	if (column->get == report_get_cpu_per_execution && !analysis->places_cpu)
		return false;
	if (column->of_places_cpu && !analysis->places_cpu)
		return false;
	if (column->of_places_calls && !analysis->places_call)
		return false;
	if (column->of_calls && report->view->needs == NEEDS_PLACES)
		return applies_to_places(analysis, column);
	if (column->of_waits && (analysis->sampled_waits.len || analysis->wakers.len))
		return true;
	if (column->of_calls)
		return analysis->method == ANALYSIS_INSTRUMENT || (both && analysis->has_calls);
	if (column->of_samples)
		return analysis->method == ANALYSIS_SAMPLE || (both && analysis->event);
	return true;
}

/* Whether anybody waited for a lock is chance, on which commands of scripts must not depend. */
bool column_can_be_shown(const struct report *report, const struct column *column)
{
	return column->of_holders || column_applies(report, column);
}

bool column_check(const struct report *report, const struct column *column, const char *of,
		  struct error *err)
{
	if (column_can_be_shown(report, column))
		return true;
	if (column->of_wakers)
		return error_set(err, ERROR_NOT_FOUND,
				 "the column %s%s needs wakers, and %s has none; tare record "
				 "--wakers records them",
				 column->name, of, report->options->profile_path);
	if (column->of_executions && (report->options->from || report->options->to))
		return error_set(err, ERROR_NOT_FOUND,
				 "the column %s%s is of the whole recording, as executions have no "
				 "times; leave --from and --to out",
				 column->name, of);
	if (column->of_executions && !report->analysis->executions)
		return error_set(err, ERROR_NOT_FOUND,
				 "the column %s%s needs executions, and %s has none; tare record "
				 "--lines counts them",
				 column->name, of, report->options->profile_path);
	return error_set(err, ERROR_NOT_FOUND, "the column %s%s is of %s, and this view shows %s",
			 column->name, of, column->of_calls ? "calls" : "samples",
			 column->of_calls ? "samples" : "calls");
}

/* The name with or without its unit. */
static bool column_is_named(const struct column *column, const char *name, size_t length)
{
	const size_t stem = strlen(column->name);

	if (length < stem || memcmp(column->name, name, stem) != 0)
		return false;
	const char *rest = name + stem;
	const size_t left = length - stem;
	return left == 0 ||
	       (column->type == CELL_TIME && ((left == 3 && memcmp(rest, "_ns", 3) == 0) ||
					      (left == 6 && memcmp(rest, "_ticks", 6) == 0)));
}

static bool column_unknown(const struct view *view, const char *text, struct error *err)
{
	const char *names[COLUMNS_MAX];
	size_t count = 0;
	struct arena arena = {0};

	arena_init(&arena);
	for (size_t i = 0; i < report_column_count; i++) {
		const struct column *column = &report_columns[i];
		if (column_is_of(column, view))
			names[count++] = arena_printf(&arena, "%s%s", column->name,
						      column->type == CELL_TIME ? "_ns" : "");
	}
	const char *nearest = str_nearest(text, names, count);
	if (nearest)
		error_set(err, ERROR_USAGE, "this view has no column \"%s\"; did you mean \"%s\"?",
			  text, nearest);
	else
		error_set(err, ERROR_USAGE,
			  "this view has no column \"%s\"; --columns=all shows every column", text);
	arena_fini(&arena);
	return false;
}

const struct column *column_find(const struct view *view, const char *name, size_t length,
				 struct error *err)
{
	for (size_t i = 0; i < report_column_count; i++) {
		const struct column *column = &report_columns[i];
		if (column_is_of(column, view) && column_is_named(column, name, length))
			return column;
	}
	struct str text = {0};
	str_append_bytes(&text, name, length);
	column_unknown(view, text.data ? text.data : "", err);
	str_fini(&text);
	return NULL;
}
