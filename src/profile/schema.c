/*
 * The description of the tables, see schema.h. Every table is STRICT and begins with
 * `id INTEGER PRIMARY KEY`, so that rows lie in the file in the order of their ids.
 */
#include "profile/schema.h"

#include "profile/per_call.h"

#define COLUMN(row, member, kind)                                                                  \
	{                                                                                          \
		.name = #member, .offset = offsetof(struct row, member), .type = (kind)            \
	}
#define NAMED(row, column, member, kind)                                                           \
	{                                                                                          \
		.name = column, .offset = offsetof(struct row, member), .type = (kind)             \
	}
/* What comes in a version that files do not have yet does not compile: readers of the present
   version would refuse such a file as damaged, and not as a newer one. */
#define KNOWN_VERSION(version)                                                                     \
	((version) + 0 * sizeof(char[(version) <= PROFILE_SCHEMA_VERSION ? 1 : -1]))
#define SINCE(version, row, member, kind)                                                          \
	{                                                                                          \
		.name = #member, .offset = offsetof(struct row, member), .type = (kind),           \
		.since = KNOWN_VERSION(version)                                                    \
	}
#define UNTIL(version, row, member, kind)                                                          \
	{                                                                                          \
		.name = #member, .offset = offsetof(struct row, member), .type = (kind),           \
		.until = (version)                                                                 \
	}
#define REFERENCE(row, member, table)                                                              \
	{                                                                                          \
		.name = #member, .offset = offsetof(struct row, member), .type = COLUMN_REFERENCE, \
		.references = (table)                                                              \
	}

static const struct profile_column session_columns[] = {
	COLUMN(profile_session, command_line, COLUMN_TEXT),
	COLUMN(profile_session, directory, COLUMN_TEXT),
	COLUMN(profile_session, host, COLUMN_TEXT),
	COLUMN(profile_session, system, COLUMN_TEXT),
	COLUMN(profile_session, processor, COLUMN_TEXT),
	COLUMN(profile_session, tare_version, COLUMN_TEXT),
	COLUMN(profile_session, method, COLUMN_TEXT),
	COLUMN(profile_session, settings, COLUMN_TEXT),
	COLUMN(profile_session, begin_unix_ns, COLUMN_SIGNED),
	COLUMN(profile_session, begin_ticks, COLUMN_COUNT),
	COLUMN(profile_session, end_ticks, COLUMN_COUNT),
	COLUMN(profile_session, ticks_per_second, COLUMN_REAL),
	COLUMN(profile_session, clock_drift_ppm, COLUMN_REAL),
	COLUMN(profile_session, exit_status, COLUMN_INT),
	COLUMN(profile_session, complete, COLUMN_BOOL),
	COLUMN(profile_session, incomplete_reason, COLUMN_TEXT),
};

#define CALIBRATION_SINCE(version, column, member)                                                 \
	{                                                                                          \
		.name = column, .offset = offsetof(struct profile_process, member),                \
		.type = COLUMN_COUNT, .since = (version)                                           \
	}
#define CALIBRATION(column, member) CALIBRATION_SINCE(1, column, member)
#define PAIR_COLUMNS(prefix, member, name, pair)                                                   \
	CALIBRATION(prefix "_" name "_inside_ticks", member.inside_ticks[pair]),                   \
		CALIBRATION(prefix "_" name "_outside_ticks", member.outside_ticks[pair])

#define PROCESS_LOSS(name, version, ...) SINCE(version, profile_process, name, COLUMN_COUNT)

static const struct profile_column process_columns[] = {
	COLUMN(profile_process, pid, COLUMN_SIGNED),
	COLUMN(profile_process, parent_pid, COLUMN_SIGNED),
	COLUMN(profile_process, name, COLUMN_TEXT),
	COLUMN(profile_process, executable, COLUMN_TEXT),
	COLUMN(profile_process, begin_ticks, COLUMN_COUNT),
	COLUMN(profile_process, end_ticks, COLUMN_COUNT),
	COLUMN(profile_process, forked, COLUMN_BOOL),
	COLUMN(profile_process, ended, COLUMN_BOOL),
	NAMED(profile_process, "cost_enter_ticks", cost_ticks[TARE_EVENT_ENTER], COLUMN_COUNT),
	NAMED(profile_process, "cost_leave_ticks", cost_ticks[TARE_EVENT_LEAVE], COLUMN_COUNT),
	NAMED(profile_process, "cost_call_ticks", cost_ticks[TARE_EVENT_CALL], COLUMN_COUNT),
	NAMED(profile_process, "cost_return_ticks", cost_ticks[TARE_EVENT_RETURN], COLUMN_COUNT),
	COLUMN(profile_process, os_means, COLUMN_UNSIGNED),
	TARE_PROCESS_LOSSES(PROCESS_LOSS),
	SINCE(2, profile_process, limits, COLUMN_UNSIGNED),
	PAIR_COLUMNS("begin", begin_calibration, "enter", TARE_PAIR_ENTER),
	PAIR_COLUMNS("begin", begin_calibration, "call", TARE_PAIR_CALL),
	PAIR_COLUMNS("begin", begin_calibration, "call_indirect", TARE_PAIR_CALL_INDIRECT),
	PAIR_COLUMNS("begin", begin_calibration, "enter_flags", TARE_PAIR_ENTER_FLAGS),
	PAIR_COLUMNS("begin", begin_calibration, "call_flags", TARE_PAIR_CALL_FLAGS),
	CALIBRATION("begin_bare_ticks", begin_calibration.bare_ticks),
	CALIBRATION("begin_syscall_ticks", begin_calibration.syscall_ticks),
	PAIR_COLUMNS("end", end_calibration, "enter", TARE_PAIR_ENTER),
	PAIR_COLUMNS("end", end_calibration, "call", TARE_PAIR_CALL),
	CALIBRATION_SINCE(7, "begin_counters_ticks", begin_calibration.counters_ticks),
	CALIBRATION_SINCE(7, "begin_gates_ticks", begin_calibration.gates_ticks),
	SINCE(9, profile_process, host, COLUMN_TEXT),
	SINCE(9, profile_process, launcher, COLUMN_TEXT),
	SINCE(9, profile_process, rank, COLUMN_COUNT),
	SINCE(9, profile_process, ranks, COLUMN_COUNT),
};

static const struct profile_column unfollowed_columns[] = {
	REFERENCE(profile_unfollowed, process, PROFILE_PROCESS),
	COLUMN(profile_unfollowed, path, COLUMN_TEXT),
	COLUMN(profile_unfollowed, reason, COLUMN_TEXT),
	COLUMN(profile_unfollowed, count, COLUMN_COUNT),
};

#define THREAD_LOSS(name, version, ...) SINCE(version, profile_thread, name, COLUMN_COUNT)

static const struct profile_column thread_columns[] = {
	REFERENCE(profile_thread, process, PROFILE_PROCESS),
	COLUMN(profile_thread, tid, COLUMN_SIGNED),
	COLUMN(profile_thread, name, COLUMN_TEXT),
	COLUMN(profile_thread, begin_ticks, COLUMN_COUNT),
	COLUMN(profile_thread, end_ticks, COLUMN_COUNT),
	COLUMN(profile_thread, now_ticks, COLUMN_COUNT),
	COLUMN(profile_thread, os_ticks, COLUMN_COUNT),
	COLUMN(profile_thread, own_ticks, COLUMN_COUNT),
	COLUMN(profile_thread, overhead_ticks, COLUMN_COUNT),
	TARE_THREAD_LOSSES(THREAD_LOSS),
	SINCE(2, profile_thread, limits, COLUMN_UNSIGNED),
	SINCE(5, profile_thread, blocked_ticks, COLUMN_COUNT),
	SINCE(5, profile_thread, preempted_ticks, COLUMN_COUNT),
	SINCE(5, profile_thread, samples_in_runtime, COLUMN_COUNT),
	SINCE(5, profile_thread, weight_in_runtime, COLUMN_COUNT),
};

static const struct profile_column module_columns[] = {
	COLUMN(profile_module, name, COLUMN_TEXT),
	COLUMN(profile_module, path, COLUMN_TEXT),
	COLUMN(profile_module, build_id, COLUMN_TEXT),
	COLUMN(profile_module, system, COLUMN_BOOL),
	COLUMN(profile_module, instrumented, COLUMN_BOOL),
	SINCE(3, profile_module, lines, COLUMN_TEXT),
};

static const struct profile_column function_columns[] = {
	REFERENCE(profile_function, module, PROFILE_MODULE),
	COLUMN(profile_function, name, COLUMN_TEXT),
	COLUMN(profile_function, link_addr, COLUMN_BITS),
	COLUMN(profile_function, size, COLUMN_BITS),
	COLUMN(profile_function, source, COLUMN_TEXT),
	COLUMN(profile_function, line, COLUMN_SIGNED),
};

#define SAMPLING_LOSS(name, ...) COLUMN(profile_sampling, name, COLUMN_COUNT)

static const struct profile_column sampling_columns[] = {
	COLUMN(profile_sampling, collector, COLUMN_TEXT),
	COLUMN(profile_sampling, reason, COLUMN_TEXT),
	COLUMN(profile_sampling, unwinding, COLUMN_TEXT),
	COLUMN(profile_sampling, kernel, COLUMN_BOOL),
	COLUMN(profile_sampling, samples, COLUMN_COUNT),
	COLUMN(profile_sampling, truncated, COLUMN_COUNT),
	SINCE(13, profile_sampling, interrupt_ns, COLUMN_COUNT),
	PROFILE_SAMPLING_LOSSES(SAMPLING_LOSS),
};

static const struct profile_column event_columns[] = {
	COLUMN(profile_event, name, COLUMN_TEXT),
	COLUMN(profile_event, unit, COLUMN_TEXT),
	COLUMN(profile_event, period, COLUMN_COUNT),
	COLUMN(profile_event, frequency, COLUMN_COUNT),
};

static const struct profile_column source_columns[] = {
	COLUMN(profile_source, path, COLUMN_TEXT),
};

static const struct profile_column location_columns[] = {
	REFERENCE(profile_location, function, PROFILE_FUNCTION),
	COLUMN(profile_location, link_addr, COLUMN_BITS),
};

static const struct profile_column location_line_columns[] = {
	REFERENCE(profile_location_line, location, PROFILE_LOCATION),
	COLUMN(profile_location_line, depth, COLUMN_UNSIGNED),
	COLUMN(profile_location_line, function, COLUMN_TEXT),
	REFERENCE(profile_location_line, source, PROFILE_SOURCE),
	COLUMN(profile_location_line, line, COLUMN_UNSIGNED),
	COLUMN(profile_location_line, column, COLUMN_UNSIGNED),
};

static const struct profile_column stack_columns[] = {
	REFERENCE(profile_stack, parent, PROFILE_STACK),
	REFERENCE(profile_stack, location, PROFILE_LOCATION),
};

static const struct profile_column stack_value_columns[] = {
	REFERENCE(profile_stack_value, thread, PROFILE_THREAD),
	REFERENCE(profile_stack_value, event, PROFILE_EVENT),
	REFERENCE(profile_stack_value, stack, PROFILE_STACK),
	COLUMN(profile_stack_value, samples, COLUMN_COUNT),
	COLUMN(profile_stack_value, weight, COLUMN_COUNT),
	COLUMN(profile_stack_value, truncated, COLUMN_COUNT),
	SINCE(6, profile_stack_value, squares, COLUMN_COUNT),
	SINCE(10, profile_stack_value, unclocked_samples, COLUMN_COUNT),
	SINCE(10, profile_stack_value, unclocked_weight, COLUMN_COUNT),
	SINCE(10, profile_stack_value, unclocked_squares, COLUMN_COUNT),
};

static const struct profile_column sample_chunk_columns[] = {
	REFERENCE(profile_sample_chunk, thread, PROFILE_THREAD),
	REFERENCE(profile_sample_chunk, event, PROFILE_EVENT),
	COLUMN(profile_sample_chunk, begin_ticks, COLUMN_COUNT),
	COLUMN(profile_sample_chunk, end_ticks, COLUMN_COUNT),
	COLUMN(profile_sample_chunk, samples, COLUMN_COUNT),
	COLUMN(profile_sample_chunk, data, COLUMN_BLOB),
};

#define CAUSE_COLUMN(number, ID, cause, version, ...)                                              \
	{                                                                                          \
		.name = "os_" #cause "_ticks",                                                     \
		.offset = offsetof(struct profile_node, os_ticks[TARE_OS_##ID]),                   \
		.type = COLUMN_COUNT, .since = KNOWN_VERSION(version)                              \
	}

#define NODE_VALUE(name, version)	 SINCE(version, profile_node, name, COLUMN_COUNT)
#define NODE_SIGNED_VALUE(name, version) SINCE(version, profile_node, name, COLUMN_SIGNED)
/* In `per_call` since then. */
#define NODE_RANGE(name, ...)                                                                      \
	UNTIL(4, profile_node, name##_min, COLUMN_MIN),                                            \
		UNTIL(4, profile_node, name##_max, COLUMN_MAX)

static const struct profile_column node_columns[] = {
	REFERENCE(profile_node, thread, PROFILE_THREAD),
	REFERENCE(profile_node, parent, PROFILE_NODE),
	REFERENCE(profile_node, function, PROFILE_FUNCTION),
	PROFILE_NODE_COUNTS(NODE_VALUE),
	COLUMN(profile_node, elapsed_ticks, COLUMN_COUNT),
	TARE_OS_CAUSE_LIST(CAUSE_COLUMN),
	PROFILE_NODE_TIMES(NODE_VALUE),
	TARE_NODE_RANGES(NODE_RANGE),
	COLUMN(profile_node, folded, COLUMN_BOOL),
	PROFILE_NODE_SIGNED_TIMES(NODE_SIGNED_VALUE),
	{.name = "location",
	 .offset = offsetof(struct profile_node, location),
	 .type = COLUMN_REFERENCE,
	 .references = PROFILE_LOCATION,
	 .since = 4},
	SINCE(5, profile_node, per_call, COLUMN_BLOB),
};

static const struct profile_column os_columns[] = {
	REFERENCE(profile_os, node, PROFILE_NODE),
	COLUMN(profile_os, cause, COLUMN_UNSIGNED),
	COLUMN(profile_os, syscall_number, COLUMN_INT),
	COLUMN(profile_os, object, COLUMN_BITS),
	COLUMN(profile_os, count, COLUMN_COUNT),
	COLUMN(profile_os, ticks, COLUMN_COUNT),
	SINCE(4, profile_os, path, COLUMN_TEXT),
	SINCE(8, profile_os, longest_ticks, COLUMN_COUNT),
};

static const struct profile_column holder_columns[] = {
	REFERENCE(profile_holder, os, PROFILE_OS),
	REFERENCE(profile_holder, thread, PROFILE_THREAD),
	REFERENCE(profile_holder, node, PROFILE_NODE),
};

static const struct profile_column wait_columns[] = {
	REFERENCE(profile_wait, thread, PROFILE_THREAD),
	COLUMN(profile_wait, waits, COLUMN_COUNT),
	COLUMN(profile_wait, blocked_ticks, COLUMN_COUNT),
	COLUMN(profile_wait, preempted_ticks, COLUMN_COUNT),
	COLUMN(profile_wait, data, COLUMN_BLOB),
};

static const struct profile_column wake_columns[] = {
	REFERENCE(profile_wake, thread, PROFILE_THREAD),
	REFERENCE(profile_wake, stack, PROFILE_STACK),
	REFERENCE(profile_wake, before, PROFILE_WAKE),
};

static const struct profile_column waker_columns[] = {
	REFERENCE(profile_waker, thread, PROFILE_THREAD),
	REFERENCE(profile_waker, event, PROFILE_EVENT),
	REFERENCE(profile_waker, stack, PROFILE_STACK),
	REFERENCE(profile_waker, wake, PROFILE_WAKE),
	COLUMN(profile_waker, waits, COLUMN_COUNT),
	COLUMN(profile_waker, weight, COLUMN_COUNT),
	COLUMN(profile_waker, longest, COLUMN_COUNT),
};

static const struct profile_column woken_columns[] = {
	REFERENCE(profile_woken, thread, PROFILE_THREAD),
	REFERENCE(profile_woken, stack, PROFILE_STACK),
	REFERENCE(profile_woken, wake, PROFILE_WAKE),
	COLUMN(profile_woken, begin_ticks, COLUMN_COUNT),
	COLUMN(profile_woken, woken_ticks, COLUMN_COUNT),
	COLUMN(profile_woken, end_ticks, COLUMN_COUNT),
};

static const struct profile_column coverage_columns[] = {
	REFERENCE(profile_coverage, module, PROFILE_MODULE),
	COLUMN(profile_coverage, function, COLUMN_TEXT),
	COLUMN(profile_coverage, link_addr, COLUMN_BITS),
	COLUMN(profile_coverage, size, COLUMN_BITS),
	COLUMN(profile_coverage, verdict, COLUMN_TEXT),
	COLUMN(profile_coverage, count, COLUMN_SIGNED),
};

static const struct profile_column mark_columns[] = {
	REFERENCE(profile_mark, thread, PROFILE_THREAD),
	COLUMN(profile_mark, mark, COLUMN_SIGNED),
	COLUMN(profile_mark, name, COLUMN_TEXT),
	COLUMN(profile_mark, ticks, COLUMN_COUNT),
};

static const struct profile_column disarm_columns[] = {
	REFERENCE(profile_disarm, process, PROFILE_PROCESS),
	REFERENCE(profile_disarm, function, PROFILE_FUNCTION),
	COLUMN(profile_disarm, ticks, COLUMN_COUNT),
	COLUMN(profile_disarm, calls, COLUMN_COUNT),
};

static const struct profile_column histogram_columns[] = {
	REFERENCE(profile_histogram, node, PROFILE_NODE),
	COLUMN(profile_histogram, bucket, COLUMN_UNSIGNED),
	COLUMN(profile_histogram, calls, COLUMN_COUNT),
};

static const struct profile_column trace_columns[] = {
	REFERENCE(profile_trace, thread, PROFILE_THREAD),
	COLUMN(profile_trace, limit_bytes, COLUMN_COUNT),
	COLUMN(profile_trace, events, COLUMN_COUNT),
	COLUMN(profile_trace, lost, COLUMN_COUNT),
};

static const struct profile_column trace_chunk_columns[] = {
	REFERENCE(profile_trace_chunk, thread, PROFILE_THREAD),
	COLUMN(profile_trace_chunk, sequence, COLUMN_COUNT),
	COLUMN(profile_trace_chunk, begin_ticks, COLUMN_COUNT),
	COLUMN(profile_trace_chunk, end_ticks, COLUMN_COUNT),
	COLUMN(profile_trace_chunk, lost_before, COLUMN_COUNT),
	COLUMN(profile_trace_chunk, events, COLUMN_COUNT),
	COLUMN(profile_trace_chunk, node, COLUMN_COUNT),
	COLUMN(profile_trace_chunk, folded, COLUMN_COUNT),
	COLUMN(profile_trace_chunk, data, COLUMN_BLOB),
};

static const struct profile_column cpu_use_columns[] = {
	REFERENCE(profile_cpu_use, process, PROFILE_PROCESS),
	COLUMN(profile_cpu_use, begin_ticks, COLUMN_COUNT),
	COLUMN(profile_cpu_use, end_ticks, COLUMN_COUNT),
	COLUMN(profile_cpu_use, cpu_ticks, COLUMN_COUNT),
};

static const struct profile_column block_columns[] = {
	REFERENCE(profile_block, module, PROFILE_MODULE),
	REFERENCE(profile_block, function, PROFILE_FUNCTION),
	COLUMN(profile_block, link_addr, COLUMN_COUNT),
	COLUMN(profile_block, size, COLUMN_COUNT),
	COLUMN(profile_block, instructions, COLUMN_COUNT),
	COLUMN(profile_block, branches, COLUMN_BOOL),
	REFERENCE(profile_block, source, PROFILE_SOURCE),
	COLUMN(profile_block, line, COLUMN_UNSIGNED),
};

static const struct profile_column line_execution_columns[] = {
	REFERENCE(profile_line_execution, thread, PROFILE_THREAD),
	REFERENCE(profile_line_execution, function, PROFILE_FUNCTION),
	REFERENCE(profile_line_execution, source, PROFILE_SOURCE),
	COLUMN(profile_line_execution, line, COLUMN_UNSIGNED),
	COLUMN(profile_line_execution, count, COLUMN_COUNT),
};

static const struct profile_column execution_columns[] = {
	REFERENCE(profile_execution, thread, PROFILE_THREAD),
	REFERENCE(profile_execution, block, PROFILE_BLOCK),
	COLUMN(profile_execution, count, COLUMN_COUNT),
	COLUMN(profile_execution, taken, COLUMN_COUNT),
};

static const struct profile_column counted_columns[] = {
	REFERENCE(profile_counted, process, PROFILE_PROCESS),
	REFERENCE(profile_counted, thread, PROFILE_THREAD),
	REFERENCE(profile_counted, function, PROFILE_FUNCTION),
	COLUMN(profile_counted, entered, COLUMN_COUNT),
	COLUMN(profile_counted, called, COLUMN_COUNT),
	COLUMN(profile_counted, approximate, COLUMN_BOOL),
	SINCE(7, profile_counted, cost_ticks, COLUMN_COUNT),
	SINCE(12, profile_counted, learned, COLUMN_BOOL),
};

#define TABLE(version, table)                                                                      \
	{                                                                                          \
		.name = #table, .since = KNOWN_VERSION(version), .columns = table##_columns,       \
		.column_count = TABLE_COUNT(table##_columns),                                      \
		.row_bytes = sizeof(struct profile_##table)                                        \
	}
#define TABLE_UNTIL(version, last, table)                                                          \
	{                                                                                          \
		.name = #table, .since = KNOWN_VERSION(version), .until = (last),                  \
		.columns = table##_columns, .column_count = TABLE_COUNT(table##_columns),          \
		.row_bytes = sizeof(struct profile_##table)                                        \
	}

_Static_assert(TABLE_COUNT(process_columns) <= PROFILE_COLUMNS_MAX &&
		       TABLE_COUNT(thread_columns) <= PROFILE_COLUMNS_MAX &&
		       TABLE_COUNT(node_columns) <= PROFILE_COLUMNS_MAX,
	       "a set of columns has no more bits");

const struct profile_table profile_tables[] = {
	[PROFILE_SESSION] = TABLE(0, session),
	[PROFILE_PROCESS] = TABLE(0, process),
	[PROFILE_THREAD] = TABLE(0, thread),
	[PROFILE_MODULE] = TABLE(0, module),
	[PROFILE_FUNCTION] = TABLE(0, function),
	[PROFILE_SAMPLING] = TABLE(3, sampling),
	[PROFILE_EVENT] = TABLE(3, event),
	[PROFILE_SOURCE] = TABLE(3, source),
	[PROFILE_LOCATION] = TABLE(3, location),
	[PROFILE_LOCATION_LINE] = TABLE(3, location_line),
	[PROFILE_STACK] = TABLE(3, stack),
	[PROFILE_UNFOLLOWED] = TABLE(4, unfollowed),
	[PROFILE_NODE] = {.name = "node",
			  .columns = node_columns,
			  .column_count = TABLE_COUNT(node_columns),
			  .row_bytes = sizeof(struct profile_node),
			  .unpack = per_call_take_ranges},
	[PROFILE_OS] = TABLE(0, os),
	[PROFILE_COVERAGE] = TABLE(0, coverage),
	[PROFILE_MARK] = TABLE(0, mark),
	[PROFILE_DISARM] = TABLE(1, disarm),
	[PROFILE_HISTOGRAM] = TABLE_UNTIL(1, 4, histogram),
	[PROFILE_TRACE] = TABLE(2, trace),
	[PROFILE_TRACE_CHUNK] = TABLE(2, trace_chunk),
	[PROFILE_STACK_VALUE] = TABLE(3, stack_value),
	[PROFILE_SAMPLE_CHUNK] = TABLE(3, sample_chunk),
	[PROFILE_CPU_USE] = TABLE(4, cpu_use),
	[PROFILE_COUNTED] = TABLE(5, counted),
	[PROFILE_BLOCK] = TABLE(7, block),
	[PROFILE_EXECUTION] = TABLE(7, execution),
	[PROFILE_LINE_EXECUTION] = TABLE(7, line_execution),
	[PROFILE_HOLDER] = TABLE(8, holder),
	[PROFILE_WAIT] = TABLE(8, wait),
	[PROFILE_WAKE] = TABLE(8, wake),
	[PROFILE_WAKER] = TABLE(8, waker),
	[PROFILE_WOKEN] = TABLE(11, woken),
};
table_covers(profile_tables, PROFILE_TABLES);

static const char *column_sql_type(enum profile_column_type type)
{
	switch (type) {
	case COLUMN_TEXT:
		return "TEXT";
	case COLUMN_REAL:
		return "REAL NOT NULL";
	case COLUMN_REFERENCE:
	case COLUMN_MIN:
	case COLUMN_MAX:
		return "INTEGER";
	case COLUMN_BLOB:
		return "BLOB NOT NULL";
	case COLUMN_SIGNED:
	case COLUMN_COUNT:
	case COLUMN_BITS:
	case COLUMN_INT:
	case COLUMN_UNSIGNED:
	case COLUMN_BOOL:
		break;
	}
	return "INTEGER NOT NULL";
}

uint64_t profile_table_columns(const struct profile_table *table)
{
	uint64_t columns = 0;

	for (size_t i = 0; i < table->column_count; i++)
		if (profile_version_has(PROFILE_SCHEMA_VERSION, table->columns[i].until))
			columns |= (uint64_t)1 << i;
	return columns;
}

void profile_table_sql(const struct profile_table *table, uint64_t columns, struct str *out)
{
	str_printf(out, "CREATE TABLE %s (\n\tid INTEGER PRIMARY KEY", table->name);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct profile_column *column = &table->columns[i];
		if (!profile_column_in(columns, i))
			continue;
		str_printf(out, ",\n\t%s %s", column->name, column_sql_type(column->type));
		if (column->type == COLUMN_REFERENCE)
			str_printf(out, " REFERENCES %s(id)",
				   profile_tables[column->references].name);
	}
	str_append(out, "\n) STRICT");
}
