/*
 * The tables that are not kept in memory, row by row, each row checked against what it refers to.
 */
#include "profile/private.h"

#include <string.h>

struct stream_chunk {
	const char *what;
	void *data;
	size_t size;
};

/* Dense ids are found at once. */
const struct node_key *profile_node_find(const struct profile *profile, int64_t id)
{
	const struct node_key *nodes = profile->nodes.data;
	if (id > 0 && (uint64_t)id <= profile->nodes.len && nodes[id - 1].id == id)
		return &nodes[id - 1];
	const size_t low = partition_point(profile->nodes.len, i, nodes[i].id < id);
	return low < profile->nodes.len && nodes[low].id == id ? &nodes[low] : NULL;
}

static bool node_ignore(const struct profile_node *row, void *context)
{
	(void)row;
	(void)context;
	return true;
}

bool profile_nodes_know(struct profile *profile, struct error *err)
{
	return profile->nodes_known || profile_each_node(profile, node_ignore, NULL, err);
}

static bool node_check(struct profile *profile, const struct profile_node *node, struct error *err)
{
	if (node->id < 1 || !node->thread)
		return profile_damaged(profile, err, "node %lld has no thread",
				       (long long)node->id);
	if (!node->parent != !node->function)
		return profile_damaged(profile, err, "node %lld is neither a root nor a function",
				       (long long)node->id);
	if (node->parent) {
		const struct node_key *parent = profile_node_find(profile, node->parent);
		if (!parent)
			return profile_damaged(profile, err,
					       "the parent %lld of node %lld does not precede it",
					       (long long)node->parent, (long long)node->id);
		if (parent->thread != node->thread)
			return profile_damaged(profile, err,
					       "node %lld and its parent are of different threads",
					       (long long)node->id);
	}
	vec_push(&profile->nodes, ((struct node_key){.id = node->id, .thread = node->thread}));
	return true;
}

size_t profile_nodes_at_most(struct profile *profile)
{
	return scan_rows_at_most(profile, PROFILE_NODE);
}

bool profile_each_node(struct profile *profile,
		       bool (*each)(const struct profile_node *row, void *context), void *context,
		       struct error *err)
{
	struct profile_node node = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_NODE, &node, err);
	int more = 0;

	profile->nodes.len = 0;
	profile->nodes_known = false;
	while (ok && (more = scan_next(&scan, err)) > 0) {
		node.id = scan.id;
		ok = node_check(profile, &node, err);
		if (ok && !each(&node, context))
			break;
	}
	scan_close(&scan);
	profile->nodes_known = ok && more == 0;
	return ok && more >= 0;
}

bool profile_each_os(struct profile *profile,
		     bool (*each)(const struct profile_os *row, void *context), void *context,
		     struct error *err)
{
	struct profile_os os = {0};
	struct scan scan = {0};
	uint32_t cause;
	bool ok = profile_nodes_know(profile, err);
	int more = 0;

	ok = ok && scan_open(&scan, profile, PROFILE_OS, &os, err);
	if (!ok)
		return false;
	while (ok && (more = scan_next(&scan, err)) > 0) {
		memcpy(&cause, &os.cause, sizeof(cause));
		os.id = scan.id;
		if (cause >= TARE_OS_CAUSES || !profile_node_find(profile, os.node))
			ok = profile_damaged(profile, err,
					     "OS record %lld has cause %u of node %lld",
					     (long long)scan.id, cause, (long long)os.node);
		else if (!each(&os, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_holder(struct profile *profile,
			 bool (*each)(const struct profile_holder *row, void *context),
			 void *context, struct error *err)
{
	struct profile_holder holder = {0};
	struct scan scan = {0};
	bool ok = profile_nodes_know(profile, err) &&
		  scan_open(&scan, profile, PROFILE_HOLDER, &holder, err);
	int more = 0;

	if (!ok)
		return false;
	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!holder.os || !holder.thread ||
		    (holder.node && !profile_node_find(profile, holder.node)))
			ok = profile_damaged(profile, err,
					     "holder %lld of a lock is no thread or call path",
					     (long long)scan.id);
		else if (!each(&holder, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_wait(struct profile *profile,
		       bool (*each)(int64_t id, const struct profile_wait *row, void *context),
		       void *context, struct error *err)
{
	struct profile_wait wait = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_WAIT, &wait, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!wait.thread || wait.blocked_ticks >> 62 || wait.preempted_ticks >> 62)
			ok = profile_damaged(profile, err, "list %lld of waits is of no thread",
					     (long long)scan.id);
		else if (!each(scan.id, &wait, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_wake(struct profile *profile,
		       bool (*each)(int64_t id, const struct profile_wake *row, void *context),
		       void *context, struct error *err)
{
	struct profile_wake wake = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_WAKE, &wake, err);
	int64_t last = 0;
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (scan.id != ++last)
			ok = profile_damaged(profile, err, "row %lld of table wake is missing",
					     (long long)last);
		else if (wake.before >= scan.id)
			ok = profile_damaged(profile, err,
					     "who ended wait %lld was woken by what comes later",
					     (long long)scan.id);
		else if (!each(scan.id, &wake, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_waker(struct profile *profile,
			bool (*each)(const struct profile_waker *row, void *context), void *context,
			struct error *err)
{
	struct profile_waker waker = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_WAKER, &waker, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!waker.thread || !waker.event)
			ok = profile_damaged(profile, err, "waker %lld is of no thread or event",
					     (long long)scan.id);
		else if (!each(&waker, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_woken(struct profile *profile,
			bool (*each)(const struct profile_woken *row, void *context), void *context,
			struct error *err)
{
	struct profile_woken woken = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_WOKEN, &woken, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!woken.thread || woken.end_ticks < woken.begin_ticks)
			ok = profile_damaged(profile, err,
					     "wait %lld is of no thread, or ends before it begins",
					     (long long)scan.id);
		else if (!each(&woken, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_coverage(struct profile *profile,
			   bool (*each)(const struct profile_coverage *row, void *context),
			   void *context, struct error *err)
{
	struct profile_coverage coverage = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_COVERAGE, &coverage, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!coverage.module || coverage.count < 0)
			ok = profile_damaged(profile, err, "coverage record %lld has no module",
					     (long long)scan.id);
		else if (!each(&coverage, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_counted(struct profile *profile,
			  bool (*each)(const struct profile_counted *row, void *context),
			  void *context, struct error *err)
{
	struct profile_counted counted = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_COUNTED, &counted, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!counted.process || !counted.function)
			ok = profile_damaged(profile, err,
					     "counted record %lld has no process or function",
					     (long long)scan.id);
		else if (!each(&counted, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_block(struct profile *profile,
			bool (*each)(const struct profile_block *row, void *context), void *context,
			struct error *err)
{
	struct profile_block block = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_BLOCK, &block, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!block.module || block.size > UINT64_MAX - block.link_addr)
			ok = profile_damaged(profile, err, "block %lld has no place in a module",
					     (long long)scan.id);
		else if (!each(&block, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_execution(struct profile *profile,
			    bool (*each)(const struct profile_execution *row, void *context),
			    void *context, struct error *err)
{
	struct profile_execution execution = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_EXECUTION, &execution, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!execution.block || execution.taken > execution.count)
			ok = profile_damaged(profile, err,
					     "execution record %lld has no block, or more jumps "
					     "than executions",
					     (long long)scan.id);
		else if (!each(&execution, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_line_execution(struct profile *profile,
				 bool (*each)(const struct profile_line_execution *row,
					      void *context),
				 void *context, struct error *err)
{
	struct profile_line_execution execution = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_LINE_EXECUTION, &execution, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!execution.source || !execution.line)
			ok = profile_damaged(profile, err, "executions %lld are of no line",
					     (long long)scan.id);
		else if (!each(&execution, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_disarm(struct profile *profile,
			 bool (*each)(const struct profile_disarm *row, void *context),
			 void *context, struct error *err)
{
	struct profile_disarm disarm = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_DISARM, &disarm, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!disarm.process || !disarm.function)
			ok = profile_damaged(profile, err,
					     "disarm record %lld has no process or function",
					     (long long)scan.id);
		else if (!each(&disarm, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_mark(struct profile *profile,
		       bool (*each)(const struct profile_mark *row, void *context), void *context,
		       struct error *err)
{
	struct profile_mark mark = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_MARK, &mark, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!each(&mark, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_trace(struct profile *profile,
			bool (*each)(const struct profile_trace *row, void *context), void *context,
			struct error *err)
{
	struct profile_trace trace = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_TRACE, &trace, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!trace.thread)
			ok = profile_damaged(profile, err, "event log %lld has no thread",
					     (long long)scan.id);
		else if (!each(&trace, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_trace_chunk(struct profile *profile,
			      bool (*each)(int64_t id, const struct profile_trace_chunk *row,
					   void *context),
			      void *context, struct error *err)
{
	struct profile_trace_chunk chunk = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_TRACE_CHUNK, &chunk, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!chunk.thread || chunk.begin_ticks >> 62 || chunk.end_ticks >> 62)
			ok = profile_damaged(profile, err, "part %lld of an event log is misplaced",
					     (long long)scan.id);
		else if (!each(scan.id, &chunk, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

/* Before version 6 all samples were taken to be draws. */
static const struct profile_stack_value *with_squares(struct profile_stack_value *value)
{
	if (value->squares < value->samples)
		value->squares = value->samples;
	return value;
}

bool profile_each_stack_value(struct profile *profile,
			      bool (*each)(const struct profile_stack_value *row, void *context),
			      void *context, struct error *err)
{
	struct profile_stack_value value = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_STACK_VALUE, &value, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!value.thread || !value.event || value.truncated > value.samples ||
		    value.unclocked_samples > value.samples ||
		    value.unclocked_weight > value.weight ||
		    value.unclocked_squares > with_squares(&value)->squares)
			ok = profile_damaged(
				profile, err,
				"value %lld of a stack has no thread or event, or more samples "
				"that are cut off or were taken without a clock than samples",
				(long long)scan.id);
		else if (!each(with_squares(&value), context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_sample_chunk(struct profile *profile,
			       bool (*each)(int64_t id, const struct profile_sample_chunk *row,
					    void *context),
			       void *context, struct error *err)
{
	struct profile_sample_chunk chunk = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_SAMPLE_CHUNK, &chunk, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (!chunk.thread || !chunk.event || chunk.begin_ticks >> 62 ||
		    chunk.end_ticks >> 62)
			ok = profile_damaged(profile, err, "part %lld of the samples is misplaced",
					     (long long)scan.id);
		else if (!each(scan.id, &chunk, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

bool profile_each_cpu_use(struct profile *profile,
			  bool (*each)(const struct profile_cpu_use *row, void *context),
			  void *context, struct error *err)
{
	struct profile_cpu_use use = {0};
	struct scan scan = {0};
	bool ok = scan_open(&scan, profile, PROFILE_CPU_USE, &use, err);
	int more = 0;

	while (ok && (more = scan_next(&scan, err)) > 0) {
		if (use.begin_ticks > use.end_ticks || use.end_ticks >> 62 || use.cpu_ticks >> 62)
			ok = profile_damaged(profile, err, "CPU use %lld is misplaced",
					     (long long)scan.id);
		else if (!each(&use, context))
			break;
	}
	scan_close(&scan);
	return ok && more >= 0;
}

/* The data of one row; `what` names it where they cannot be read. */
static bool chunk_read(struct profile *profile, const char *sql, int64_t id,
		       struct stream_chunk *chunk, struct error *err)
{
	sqlite3_stmt *select = NULL;
	bool ok = sqlite3_prepare_v2(profile->database, sql, -1, &select, NULL) == SQLITE_OK &&
		  sqlite3_bind_int64(select, 1, id) == SQLITE_OK &&
		  sqlite3_step(select) == SQLITE_ROW;

	if (ok) {
		const void *bytes = sqlite3_column_blob(select, 0);
		chunk->size = (size_t)sqlite3_column_bytes(select, 0);
		chunk->data = mem_alloc(chunk->size + 1);
		if (chunk->size)
			memcpy(chunk->data, bytes, chunk->size);
	} else {
		profile_damaged(profile, err, "part %lld of %s cannot be read", (long long)id,
				chunk->what);
	}
	sqlite3_finalize(select);
	return ok;
}

bool profile_read_trace_chunk(struct profile *profile, int64_t id, void **data, size_t *size,
			      struct error *err)
{
	struct stream_chunk chunk = {.what = "an event log"};
	const bool ok =
		chunk_read(profile, "SELECT data FROM trace_chunk WHERE id = ?", id, &chunk, err);

	*data = chunk.data;
	*size = chunk.size;
	return ok;
}

bool profile_read_sample_chunk(struct profile *profile, int64_t id, void **data, size_t *size,
			       struct error *err)
{
	struct stream_chunk chunk = {.what = "the samples"};
	const bool ok =
		chunk_read(profile, "SELECT data FROM sample_chunk WHERE id = ?", id, &chunk, err);

	*data = chunk.data;
	*size = chunk.size;
	return ok;
}

bool profile_read_wait(struct profile *profile, int64_t id, void **data, size_t *size,
		       struct error *err)
{
	struct stream_chunk chunk = {.what = "the waits"};
	const bool ok = chunk_read(profile, "SELECT data FROM wait WHERE id = ?", id, &chunk, err);

	*data = chunk.data;
	*size = chunk.size;
	return ok;
}
