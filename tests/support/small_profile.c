/* See small_profile.h. */
#include "tests/support/small_profile.h"

#include <stdio.h>

void small_require(bool ok, const struct error *err)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", err->message);
	exit(1);
}

struct profile_session small_profile_session(void)
{
	return (struct profile_session){
		.command_line = "./work --fast 'two words'",
		.directory = "/home/user",
		.host = "box",
		.system = "Linux 6.1 x86_64",
		.processor = "Test Processor",
		.tare_version = "0.1.0",
		.method = "instrument",
		.settings = "probes=merged",
		.begin_unix_ns = 1700000000000000000,
		.begin_ticks = 1000,
		.end_ticks = 1000 + 2000000,
		.ticks_per_second = 1e9,
		.clock_drift_ppm = 0.25,
		.complete = true,
	};
}

struct profile_writer *small_profile_open(const char *path)
{
	struct error err;
	struct profile_writer *writer = profile_writer_open(path, false, &err);

	small_require(writer != NULL, &err);
	return writer;
}

struct profile_process small_process_row(int64_t pid, const char *name)
{
	return (struct profile_process){
		.pid = pid,
		.parent_pid = 1,
		.name = name,
		.executable = name,
		.begin_ticks = 1000,
		.end_ticks = 2001000,
		.ended = true,
		.cost_ticks = {4, 4, 3, 3},
		.os_means = TARE_OS_BY_SELECTOR | TARE_OS_BY_RSEQ | TARE_OS_BY_SITES,
	};
}

int64_t small_process(struct profile_writer *writer, int64_t pid, const char *name)
{
	struct error err;
	const struct profile_process row = small_process_row(pid, name);
	const int64_t id = profile_add_process(writer, &row, &err);

	small_require(id != 0, &err);
	return id;
}

int64_t small_thread(struct profile_writer *writer, int64_t process, int64_t tid,
		     uint64_t now_ticks, uint64_t os_ticks)
{
	const struct small_times times = {.now = now_ticks, .os = os_ticks};

	return small_thread_of(writer, process, tid, &times);
}

int64_t small_thread_of(struct profile_writer *writer, int64_t process, int64_t tid,
			const struct small_times *times)
{
	struct error err;
	const struct profile_thread row = {
		.process = process,
		.tid = tid,
		.name = "worker",
		.begin_ticks = 1500,
		.end_ticks = 2000500,
		.now_ticks = times->now,
		.os_ticks = times->os,
		.blocked_ticks = times->blocked,
		.preempted_ticks = times->preempted,
		.overhead_ticks = 40,
	};
	const int64_t id = profile_add_thread(writer, &row, &err);

	small_require(id != 0, &err);
	return id;
}

int64_t small_module(struct profile_writer *writer, const char *path)
{
	struct error err;
	const struct profile_module row = {.name = path_basename(path),
					   .path = path,
					   .build_id = "0123abcd",
					   .instrumented = true};
	const int64_t id = profile_add_module(writer, &row, &err);

	small_require(id != 0, &err);
	return id;
}

int64_t small_function(struct profile_writer *writer, int64_t module, const char *name,
		       uint64_t link_addr)
{
	struct error err;
	const struct profile_function row = {
		.module = module, .name = name, .link_addr = link_addr, .size = 64};
	const int64_t id = profile_add_function(writer, &row, &err);

	small_require(id != 0, &err);
	return id;
}

/* All calls of a node but the first in the bucket of their average, that in the next one. */
static void lengths_of(const struct small_node *node, uint64_t lengths[TARE_CALL_BUCKETS])
{
	const uint32_t bucket = tare_call_bucket(node->elapsed / node->calls);

	lengths[bucket] = node->calls - 1;
	lengths[bucket + 1] = 1;
}

static struct profile_node node_row(const struct small_node *node, size_t index)
{
	const uint64_t application = node->elapsed - node->os - node->blocked;
	struct profile_node row = {
		.id = (int64_t)index + 1,
		.thread = node->thread,
		.parent = node->parent,
		.function = node->function,
		.calls = node->calls,
		.elapsed_ticks = node->elapsed,
		.overhead_ticks = node->calls * 8,
		.elapsed_inclusive_min = UINT64_MAX,
		.elapsed_exclusive_min = UINT64_MAX,
		.application_inclusive_min = UINT64_MAX,
		.application_exclusive_min = UINT64_MAX,
	};

	row.os_ticks[node->cause] = node->os;
	row.os_ticks[TARE_OS_BLOCKED] += node->blocked;
	if (node->calls) {
		row.elapsed_exclusive_min = node->elapsed / node->calls;
		row.elapsed_exclusive_max = node->elapsed;
		row.application_exclusive_min = application / node->calls;
		row.application_exclusive_max = application;
	}
	return row;
}

void small_nodes(struct profile_writer *writer, const struct small_node *nodes, size_t count)
{
	struct error err;

	for (size_t i = 0; i < count; i++) {
		struct profile_node row = node_row(&nodes[i], i);
		uint64_t lengths[TARE_CALL_BUCKETS] = {0};

		if (row.calls)
			lengths_of(&nodes[i], lengths);
		row.lengths = lengths;
		small_require(profile_add_node(writer, &row, &err), &err);
	}
}

void small_profile_commit_as(struct profile_writer *writer, const char *method)
{
	struct profile_session session = small_profile_session();
	struct error err;

	session.method = method;
	small_require(profile_write_session(writer, &session, &err), &err);
	small_require(profile_writer_commit(writer, &err), &err);
}

void small_profile_commit(struct profile_writer *writer)
{
	small_profile_commit_as(writer, "instrument");
}

int64_t small_event(struct profile_writer *writer, const char *name, const char *unit)
{
	struct error err;
	const struct profile_event row = {.name = name, .unit = unit, .frequency = 997};
	const int64_t id = profile_add_event(writer, &row, &err);

	small_require(id != 0, &err);
	return id;
}

int64_t small_stack_at(struct profile_writer *writer, int64_t parent, int64_t location)
{
	struct error err;
	const struct profile_stack row = {.parent = parent, .location = location};
	const int64_t id = profile_add_stack(writer, &row, &err);

	small_require(id != 0, &err);
	return id;
}

int64_t small_stack(struct profile_writer *writer, int64_t parent, int64_t function,
		    uint64_t link_addr)
{
	struct error err;
	const struct profile_location row = {.function = function, .link_addr = link_addr};
	const int64_t location = profile_add_location(writer, &row, &err);

	small_require(location != 0, &err);
	return small_stack_at(writer, parent, location);
}

void small_samples(struct profile_writer *writer, const struct profile_stack_value *row)
{
	struct error err;
	struct profile_stack_value value = *row;

	if (!value.weight)
		value.weight = value.samples * 1000000;
	small_require(profile_add_stack_value(writer, &value, &err), &err);
}

static uint64_t zigzag(uint64_t now, uint64_t before)
{
	const int64_t change = (int64_t)(now - before);

	return (uint64_t)change << 1 ^ (uint64_t)(change >> 63);
}

void small_chunk(struct profile_writer *writer, struct profile_sample_chunk row,
		 const struct small_sample *samples)
{
	struct error err;
	struct byte_vec data = {0};
	uint64_t stack = 0, weight = 0;

	row.end_ticks = row.begin_ticks;
	for (uint64_t i = 0; i < row.samples; i++) {
		put_uleb(&data, samples[i].later);
		put_uleb(&data, zigzag(samples[i].stack, stack));
		put_uleb(&data, zigzag(samples[i].weight, weight));
		stack = samples[i].stack;
		weight = samples[i].weight;
		row.end_ticks += samples[i].later;
	}
	row.data = (struct profile_bytes){.start = data.data, .size = data.len};
	small_require(profile_add_sample_chunk(writer, &row, &err), &err);
	vec_fini(&data);
}
