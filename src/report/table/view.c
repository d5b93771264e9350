/* The views: which rows each has, and how it looks as text. */
#include "report/table/calltree.h"
#include "report/table/ranking.h"
#include "report/table/table.h"

#define CALL_TIMES                                                                                 \
	BY "_inclusive," BY "_inclusive_percent," BY "_exclusive," BY "_exclusive_percent," BY     \
	   "_exclusive_margin," BY "_exclusive_bar," OTHERS
#define CALL_COLUMNS "calls," CALL_TIMES
#define CALL_DROPS                                                                                 \
	"application_inclusive,application_exclusive," BY                                          \
	"_inclusive_percent,elapsed_inclusive," BY "_exclusive_bar,module,elapsed_exclusive,"      \
	"instructions," BY "_exclusive_margin," BY "_inclusive," BY "_exclusive_percent"
#define SAMPLE_COLUMNS                                                                             \
	"inclusive_samples,inclusive_percent,inclusive_margin,exclusive_samples,"                  \
	"exclusive_percent,exclusive_margin,exclusive_bar,exclusive_weight,"
#define SAMPLE_DROPS                                                                               \
	"exclusive_weight,inclusive_margin,inclusive_samples,module,exclusive_samples,exclusive_"  \
	"bar"
#define WEIGHT_COLUMNS                                                                             \
	"inclusive_weight,inclusive_weight_percent,inclusive_samples,exclusive_weight,"            \
	"exclusive_weight_percent,exclusive_bar,exclusive_samples,"
#define CALL_PLACE_COLUMNS "executions,calls," RANKED_INCLUSIVE OTHERS_INCLUSIVE
#define EXECUTED_COLUMNS   "executions,"
#define CALL_PLACE_DROPS   "module," BY "_inclusive_bar," OTHERS_INCLUSIVE_DROPPED
/* Of samples that stand for CPU time, and the calls made from there, where these are known. */
#define TIMED_PLACE_COLUMNS                                                                        \
	"executions,cpu_inclusive,cpu_exclusive,cpu_exclusive_percent,cpu_exclusive_margin,"       \
	"cpu_exclusive_bar,cpu_per_execution_ns,calls,called_cpu,called_elapsed,"
#define TIMED_PLACE_DROPS "called_elapsed,module,cpu_exclusive_bar,cpu_inclusive,called_cpu"
#define WEIGHT_DROPS	  "inclusive_samples,exclusive_samples,module,exclusive_bar"

/* Layouts of calls, samples and weights with the same identity at their end. */
#define LAYOUTS_OF(identity, calls, drops)                                                         \
	{                                                                                          \
		{CALL_COLUMNS calls identity, drops CALL_DROPS, BY "_exclusive"},                  \
			{SAMPLE_COLUMNS identity, drops SAMPLE_DROPS, "exclusive_samples"},        \
		{                                                                                  \
			WEIGHT_COLUMNS identity, drops WEIGHT_DROPS, "exclusive_weight"            \
		}                                                                                  \
	}

#define R(type) (1u << ROW_##type)

const struct view report_views[] = {
	{.id = VIEW_SUMMARY,
	 .rows = R(STEP) | R(BUSY) | R(WAIT) | R(IDLE) | R(PROGRAM) | R(CAUSE) | R(OS_TOTAL) |
		 R(CPU),
	 .is_of_method = true,
	 .name = "summary",
	 .summary = "most CPU time, longest waits, processes, hot path, and what to look at next",
	 .layouts = {{CALL_COLUMNS "frame",
		      OTHERS_DROPPED "module," BY "_inclusive_bar," BY "_exclusive_bar",
		      BY "_exclusive"},
		     {SAMPLE_COLUMNS "frame",
		      "exclusive_weight,inclusive_margin,inclusive_samples,module,inclusive_bar,"
		      "exclusive_bar",
		      "exclusive_samples"},
		     {WEIGHT_COLUMNS "frame",
		      "inclusive_samples,module,inclusive_bar,exclusive_bar", "exclusive_weight"}},
	 .limit = 10,
	 .fill = report_fill_summary},
	{.id = VIEW_FUNCTIONS,
	 .rows = R(FUNCTION),
	 .name = "functions",
	 .summary = "one row per function",
	 .layouts = {{"calls,instructions," CALL_TIMES "confidence,function,module", CALL_DROPS,
		      BY "_exclusive"},
		     {SAMPLE_COLUMNS "waited_inclusive,waited_exclusive,idle_inclusive,"
				     "function,module",
		      "exclusive_weight,idle_inclusive,waited_exclusive,inclusive_margin,"
		      "inclusive_samples,module,exclusive_samples,exclusive_bar,waited_inclusive",
		      "exclusive_samples"},
		     {WEIGHT_COLUMNS "function,module", WEIGHT_DROPS, "exclusive_weight"}},
	 .limit = 25,
	 .fill = report_fill_functions},
	{.id = VIEW_CALLERS,
	 .rows = R(RELATIVE),
	 .is_of_method = true,
	 .name = "callers",
	 .summary = "callers and callees of a function",
	 .layouts = {{"calls," RANKED_INCLUSIVE BY "_exclusive," BY "_exclusive_percent," OTHERS
		      "confidence,function,module",
		      BY "_exclusive_percent,module," BY "_inclusive_bar," OTHERS_DROPPED BY
			 "_inclusive_percent",
		      BY "_inclusive"},
		     {"inclusive_samples,inclusive_percent,inclusive_margin,inclusive_bar,"
		      "exclusive_samples,exclusive_percent,exclusive_margin,exclusive_weight,"
		      "function,module",
		      "exclusive_weight,exclusive_margin,exclusive_samples,module,inclusive_bar",
		      "inclusive_samples"},
		     {"inclusive_weight,inclusive_weight_percent,inclusive_bar,inclusive_samples,"
		      "exclusive_weight,exclusive_weight_percent,exclusive_samples,function,module",
		      "exclusive_samples,inclusive_samples,module,inclusive_bar",
		      "inclusive_weight"}},
	 .limit = 25,
	 .needs_function = true,
	 .fill = report_fill_callers},
	{.id = VIEW_CALLTREE,
	 .rows = R(PATH),
	 .is_of_method = true,
	 .name = "calltree",
	 .summary = "call paths below process and thread",
	 .layouts =
		 {{"calls," RANKED_INCLUSIVE BY "_exclusive," OTHERS_INCLUSIVE "hot,frame,module",
		   "module," OTHERS_INCLUSIVE_DROPPED BY "_exclusive," BY "_inclusive_bar,calls",
		   BY "_inclusive"},
		  {"inclusive_samples,inclusive_percent,inclusive_margin,inclusive_bar,"
		   "exclusive_samples,hot,frame,module",
		   "module,inclusive_margin,exclusive_samples,inclusive_bar", "inclusive_samples"},
		  {"inclusive_weight,inclusive_weight_percent,inclusive_bar,inclusive_samples,"
		   "exclusive_weight,hot,frame,module",
		   "module,inclusive_samples,exclusive_weight,inclusive_bar", "inclusive_weight"}},
	 .limit = 40,
	 .fill = report_fill_calltree},
	{.id = VIEW_CALLTREE_INVERTED,
	 .rows = R(PATH),
	 .is_of_method = true,
	 .layouts = {{"calls," BY "_exclusive," BY "_exclusive_percent," BY
		      "_exclusive_bar," OTHERS_EXCLUSIVE "frame,module",
		      "module,elapsed_exclusive,application_exclusive," BY "_exclusive_bar,calls",
		      BY "_exclusive"},
		     {"exclusive_samples,exclusive_percent,exclusive_margin,exclusive_bar,frame,"
		      "module",
		      "module,exclusive_margin,exclusive_bar", "exclusive_samples"},
		     {"exclusive_weight,exclusive_weight_percent,exclusive_bar,exclusive_samples,"
		      "frame,module",
		      "module,exclusive_samples,exclusive_bar", "exclusive_weight"}},
	 .limit = 40,
	 .fill = report_fill_inverted},
	{.id = VIEW_MODULES,
	 .rows = R(MODULE),
	 .name = "modules",
	 .summary = "one row per executable or library",
	 .layouts = LAYOUTS_OF("module,module_path", "instructions,", "module_path,"),
	 .limit = 25,
	 .fill = report_fill_modules},
	{.id = VIEW_THREADS,
	 .rows = R(THREAD),
	 .name = "threads",
	 .summary = "one row per thread",
	 .layouts = {{RANKED_INCLUSIVE OTHERS_INCLUSIVE "outside,begin,end,lifetime,thread,process",
		      "outside,end,begin,lifetime," BY "_inclusive_bar", BY "_inclusive"},
		     {"inclusive_samples,inclusive_percent,inclusive_margin,inclusive_bar,"
		      "inclusive_weight,begin,end,lifetime,thread,process",
		      "end,begin,inclusive_weight,lifetime,inclusive_bar", "inclusive_samples"},
		     {"inclusive_weight,inclusive_weight_percent,inclusive_bar,inclusive_samples,"
		      "begin,end,lifetime,thread,process",
		      "end,begin,lifetime,inclusive_bar", "inclusive_weight"}},
	 .limit = 25,
	 .fill = report_fill_threads},
	{.id = VIEW_PROCESSES,
	 .rows = R(PROCESS),
	 .name = "processes",
	 .summary = "one row per process",
	 .layouts = {{RANKED_INCLUSIVE OTHERS_INCLUSIVE
		      "outside,parent_pid,threads,begin,end,lifetime,process",
		      "outside,end,begin,lifetime," BY "_inclusive_bar,parent_pid",
		      BY "_inclusive"},
		     {"inclusive_samples,inclusive_percent,inclusive_margin,inclusive_bar,"
		      "inclusive_weight,parent_pid,threads,begin,end,lifetime,process",
		      "end,begin,lifetime,inclusive_bar,parent_pid", "inclusive_samples"},
		     {"inclusive_weight,inclusive_weight_percent,inclusive_bar,inclusive_samples,"
		      "parent_pid,threads,begin,end,lifetime,process",
		      "end,begin,lifetime,inclusive_bar,parent_pid", "inclusive_weight"}},
	 .limit = 25,
	 .fill = report_fill_processes},
	{.id = VIEW_LINES,
	 .rows = R(LINE),
	 .is_of_method = true,
	 .name = "lines",
	 .summary = "one row per source line: its samples, or the calls made from it",
	 .layouts = {[LAYOUT_CALLS] = {CALL_PLACE_COLUMNS "place,function,module", CALL_PLACE_DROPS,
				       BY "_inclusive"},
		     [LAYOUT_SAMPLES] = {SAMPLE_COLUMNS "place,function,module", SAMPLE_DROPS,
					 "exclusive_samples"},
		     [LAYOUT_EXECUTED] = {EXECUTED_COLUMNS "place,function,module", "module",
					  "executions"},
		     [LAYOUT_TIMED] = {TIMED_PLACE_COLUMNS "place,function,module",
				       TIMED_PLACE_DROPS, "cpu_exclusive,cpu_inclusive,calls"},
		     [LAYOUT_WEIGHTS] = {WEIGHT_COLUMNS "place,function,module", WEIGHT_DROPS,
					 "exclusive_weight"}},
	 .limit = 25,
	 .needs = NEEDS_PLACES,
	 .fill = report_fill_lines},
	{.id = VIEW_INSTRUCTIONS,
	 .rows = R(INSTRUCTION),
	 .is_of_method = true,
	 .name = "instructions",
	 .summary = "one row per instruction: its samples, or the calls made by it",
	 .layouts = {[LAYOUT_CALLS] = {CALL_PLACE_COLUMNS "address,instruction,place,function",
				       "place," BY "_inclusive_bar," OTHERS_INCLUSIVE_DROPPED,
				       BY "_inclusive"},
		     [LAYOUT_SAMPLES] = {"inclusive_samples,inclusive_percent,exclusive_samples,"
					 "exclusive_percent,exclusive_margin,exclusive_bar,address,"
					 "instruction,place,function",
					 "inclusive_samples,exclusive_samples,place,"
					 "exclusive_margin,exclusive_bar",
					 "exclusive_samples"},
		     [LAYOUT_EXECUTED] = {EXECUTED_COLUMNS "address,instruction,place,function",
					  "place", "executions"},
		     [LAYOUT_TIMED] = {TIMED_PLACE_COLUMNS "address,instruction,place,function",
				       "place," TIMED_PLACE_DROPS,
				       "cpu_exclusive,cpu_inclusive,calls"},
		     [LAYOUT_WEIGHTS] = {"inclusive_weight,inclusive_weight_percent,"
					 "exclusive_weight,exclusive_weight_percent,exclusive_bar,"
					 "address,instruction,place,function",
					 "inclusive_weight,place,exclusive_bar",
					 "exclusive_weight"}},
	 .limit = 25,
	 .needs = NEEDS_PLACES,
	 .fill = report_fill_instructions},
	{.id = VIEW_BRANCHES,
	 .rows = R(BRANCH),
	 .name = "branches",
	 .summary = "one row per conditional jump: how often it was met and taken (--lines); and "
		    "per target of an indirect call (--call-sites)",
	 .layouts = {{"executions,taken,taken_percent,place,address,target,function,module",
		      "module,address,target", "executions"}},
	 .limit = 25,
	 .needs = NEEDS_EXECUTIONS,
	 .fill = report_fill_branches},
	{.id = VIEW_ANNOTATE,
	 .rows = R(ANNOTATED) | R(BARE),
	 .is_of_method = true,
	 .name = "annotate",
	 .summary = "a function's source or disassembly with samples or calls beside it",
	 .layouts = {[LAYOUT_CALLS] = {CALL_PLACE_COLUMNS "line,address,place,text",
				       BY "_inclusive_bar," OTHERS_INCLUSIVE_DROPPED, NULL},
		     [LAYOUT_SAMPLES] =
			     {"inclusive_samples,inclusive_percent,exclusive_samples,"
			      "exclusive_percent,exclusive_margin,exclusive_bar,line,address,place,"
			      "text",
			      "exclusive_margin,inclusive_samples,exclusive_samples,"
			      "exclusive_bar",
			      NULL},
		     [LAYOUT_EXECUTED] = {EXECUTED_COLUMNS "line,address,place,text", NULL, NULL},
		     [LAYOUT_TIMED] = {TIMED_PLACE_COLUMNS "line,address,place,text",
				       TIMED_PLACE_DROPS, NULL},
		     [LAYOUT_WEIGHTS] =
			     {"inclusive_weight,inclusive_weight_percent,"
			      "exclusive_weight,exclusive_weight_percent,exclusive_bar,line,"
			      "address,place,text",
			      "inclusive_weight_percent,exclusive_bar", NULL}},
	 .needs = NEEDS_PLACES,
	 .needs_function = true,
	 .fill = report_fill_annotate},
	{.id = VIEW_RANKS,
	 .rows = R(RANK),
	 .name = "ranks",
	 .summary = "one row per rank of a parallel job: its work, and its time in calls of MPI",
	 .layouts = {{"rank,host,elapsed_inclusive,cpu_inclusive,os_blocked,mpi,mpi_percent,work,"
		      "work_percent,process",
		      "os_blocked,cpu_inclusive,mpi_percent", "+rank"}},
	 .limit = 0,
	 .needs = NEEDS_CALLS,
	 .fill = report_fill_ranks},
	{.id = VIEW_IMBALANCE,
	 .rows = R(IMBALANCE),
	 .name = "imbalance",
	 .summary = "how evenly functions and calls of MPI are spread over the ranks of a job",
	 .layouts = {{"calls,cpu_least,cpu_average,cpu_most,cpu_imbalance_percent,cpu_most_rank,"
		      "function,module",
		      "module,calls,cpu_least", "cpu_excess"}},
	 .limit = 25,
	 .needs = NEEDS_CALLS,
	 .fill = report_fill_imbalance},
	{.id = VIEW_METHODS,
	 .rows = R(COMPARISON),
	 .name = "methods",
	 .summary = "shares of CPU time by calls and by samples, side by side",
	 .layouts = {{"cpu_exclusive,cpu_percent,samples,samples_percent,samples_low_percent,"
		      "samples_high_percent,difference_percent,outside_interval,function,module",
		      "module,samples,cpu_exclusive", "-samples_percent,-cpu_percent"}},
	 .limit = 25,
	 .needs = NEEDS_BOTH,
	 .fill = report_fill_methods},
	{.id = VIEW_OS,
	 .rows = R(OS) | R(OS_TOTAL),
	 .name = "os",
	 .summary = "OS time by cause, function, system call and object",
	 .layouts = {{"os_time,os_percent,os_bar,count,cause_words,syscall,object,function,caller,"
		      "blocked_by,woken_by,module",
		      "module,os_bar,count,os_percent", "os_time"}},
	 .limit = 25,
	 .needs = NEEDS_CALLS,
	 .fill = report_fill_os},
	{.id = VIEW_LOCKS,
	 .rows = R(LOCK),
	 .name = "locks",
	 .summary = "waits for locks: who waited, for how long, and who had the lock",
	 .layouts = {{"os_time,os_percent,os_bar,count,os_longest,object,function,caller,"
		      "blocked_by,blocked_by_thread",
		      "os_bar,function,os_percent", "os_time"}},
	 .limit = 25,
	 .needs = NEEDS_CALLS,
	 .fill = report_fill_locks},
	{.id = VIEW_WAKERS,
	 .rows = R(WAKER),
	 .name = "wakers",
	 .summary = "waits by who ended them, and what that one had waited for (--wakers)",
	 .layouts = {{"os_time,os_percent,os_bar,count,os_longest,function,caller,woken_by,"
		      "woken_by_thread,woken_before",
		      "os_bar,os_percent,woken_before", "os_time"}},
	 .limit = 25,
	 .needs = NEEDS_NOTHING,
	 .fill = report_fill_wakers},
	{.id = VIEW_TIMELINE,
	 .rows = R(LANE) | R(SLICE),
	 .name = "timeline",
	 .summary = "what each thread did over time: ran, could run, or what it waited for",
	 .layouts = {{"cpu,blocked,states,thread", "blocked", "+begin"}},
	 .limit = 40,
	 .needs = NEEDS_NOTHING,
	 .has_time = true,
	 .fill = report_fill_timeline},
	{.id = VIEW_COVERAGE,
	 .rows = R(COVERAGE),
	 .name = "coverage",
	 .summary = "which functions were instrumented, and why others were not",
	 .layouts = {{"found,instrumented,disarmed,part,small,not_selected,refused,"
		      "coverage_bar,module,refusals",
		      "part,not_selected,small,coverage_bar", "found"}},
	 .limit = 0,
	 .needs = NEEDS_CALLS,
	 .fill = report_fill_coverage_modules},
	{.id = VIEW_COVERAGE_FUNCTIONS,
	 .rows = R(VERDICT),
	 .layouts = {{"size,verdict,address,function,module", "address", "verdict,module,address"}},
	 .limit = 0,
	 .needs = NEEDS_CALLS,
	 .fill = report_fill_coverage_functions},
	{.id = VIEW_MARKS,
	 .rows = R(MARK),
	 .name = "marks",
	 .summary = "marks in the order of time",
	 .layouts = {{"time,mark,name,thread,process", "process", "+time"}},
	 .limit = 0,
	 .needs = NEEDS_NOTHING,
	 .fill = report_fill_marks},
	{.id = VIEW_CALLTRACE,
	 .rows = R(EVENT),
	 .name = "calltrace",
	 .summary = "each event in the order of time, of a recording with --trace",
	 .layouts = {{"time,event,depth,duration,function,thread", NULL, NULL}},
	 .needs = NEEDS_CALLS,
	 .streams = true},
};
table_covers(report_views, VIEW_COUNT);

const size_t report_view_count = sizeof(report_views) / sizeof(report_views[0]);

const struct view *report_view_of(enum view_id id)
{
	const struct view *view = report_views;

	while (view->id != id)
		view++;
	return view;
}
