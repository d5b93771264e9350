/* See damaged_profile.h. */
#include "fuzz/damaged_profile.h"

#include "base/file_view.h"
#include "profile/trace_record.h"
#include "tests/support/small_profile.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned char *sound;
static size_t sound_size;
static struct vec_of(uint32_t) meant; /* offsets of bytes that are not 0 */

/* Two stacks of which one has an inlined function, and their samples in the order of time. */
static void add_samples(struct profile_writer *writer)
{
	static const struct small_sample samples[] = {{10, 1, 5}, {20, 2, 6}, {30, 2, 7}};
	static const struct profile_location_line lines[] = {{1, 0, "_ZN1a1cEv", 1, 7, 0},
							     {1, 1, "_ZN1a1bEv", 1, 9, 2}};
	struct error err;
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t outer = small_stack(writer, 0, 1, 0x14);
	const int64_t inner = small_stack(writer, outer, 2, 0x24);

	small_samples(writer, &(struct profile_stack_value)SMALL_VALUE(1, event, outer, 1, 0, 0));
	small_samples(writer, &(struct profile_stack_value)SMALL_VALUE(1, event, inner, 2, 0, 1));
	small_samples(writer, &(struct profile_stack_value)SMALL_VALUE(1, event, 0, 1, 0, 1));
	small_chunk(writer, (struct profile_sample_chunk){1, event, 1000, 0, 3, {0}}, samples);
	profile_add_source(writer, &(struct profile_source){"/nowhere/a.c"}, &err);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		profile_add_location_line(writer, &lines[i], &err);
	profile_add_sampling(writer, &(struct profile_sampling){.collector = "perf"}, &err);
}

/* Waits, and who ended them: that one had waited, too. */
static void add_wakers(struct profile_writer *writer)
{
	struct error err;
	const int64_t event = small_event(writer, "off-cpu", "ns");

	small_samples(writer, &(struct profile_stack_value)SMALL_VALUE(1, event, 2, 3, 900, 0));
	profile_add_wake(writer, &(struct profile_wake){.thread = 1, .stack = 1}, &err);
	profile_add_wake(writer, &(struct profile_wake){.before = 1}, &err);
	profile_add_waker(writer, &(struct profile_waker){1, event, 2, 2, 2, 800, 700}, &err);
	profile_add_woken(writer, &(struct profile_woken){1, 2, 2, 1000, 1600, 1700}, &err);
}

/* A call with one in it, the stack that it leaves, a mark, and a pause. */
static void add_event_log(struct profile_writer *writer)
{
	static const struct trace_record records[] = {
		{.kind = TARE_TRACE_ENTER, .delta = 5, .value = 1},
		{.kind = TARE_TRACE_ENTER, .delta = 300, .value = 1},
		{.kind = TARE_TRACE_NOTE, .value = TARE_TRACE_NOTE_MARK, .mark = -3},
		{.kind = TARE_TRACE_LEAVE, .delta = 7},
		{.kind = TARE_TRACE_STACK, .value = 2, .ticks = 2000},
		{.kind = TARE_TRACE_NOTE, .delta = 1, .value = TARE_TRACE_NOTE_OFF},
		{.kind = TARE_TRACE_UNWOUND, .delta = 9},
	};
	struct byte_vec data = {0};
	struct error err;

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		trace_record_write(&data, &records[i]);
	profile_add_trace(writer, &(struct profile_trace){.thread = 1, .events = 7}, &err);
	profile_add_trace_chunk(writer,
				&(struct profile_trace_chunk){.thread = 1,
							      .sequence = 1,
							      .begin_ticks = 1000,
							      .end_ticks = 2010,
							      .events = 7,
							      .data = {data.data, data.len}},
				&err);
	vec_fini(&data);
}

static void make_sound(const char *path)
{
	static const struct small_node nodes[] = {{.thread = 1},
						  {1, 1, 1, 2, 30, TARE_OS_SYSCALL, 10, 0},
						  {1, 2, 2, 1, 5, 0, 0, 0},
						  {1, 3, 1, 1, 5, 0, 0, 0}};
	struct error err;
	struct profile_writer *writer = small_profile_open(path);
	small_thread(writer, small_process(writer, 5, "p"), 6, 40, 10);
	const int64_t module = small_module(writer, "/bin/p");
	small_function(writer, module, "_ZN1a1bEv", 0x10);
	small_function(writer, module, "", 0x20);
	small_nodes(writer, nodes, sizeof(nodes) / sizeof(nodes[0]));
	profile_add_os(writer,
		       &(struct profile_os){.node = 2,
					    .cause = TARE_OS_SYSCALL,
					    .syscall_number = 1,
					    .object = 3,
					    .count = 1,
					    .ticks = 10},
		       &err);
	profile_add_coverage(writer, &(struct profile_coverage){1, "f", 1, 64, "part", 1}, &err);
	profile_add_mark(writer, &(struct profile_mark){1, -3, "m", 7}, &err);
	add_samples(writer);
	add_wakers(writer);
	add_event_log(writer);
	profile_add_cpu_use(writer, &(struct profile_cpu_use){1, 1000, 1500, 400}, &err);
	small_profile_commit_as(writer, "instrument,sample");
	struct file_view view = {0};
	if (!file_view_open(&view, path, &err))
		abort();
	sound_size = view.size;
	sound = mem_alloc(sound_size);
	memcpy(sound, view.data, sound_size);
	file_view_close(&view);
	for (size_t i = 0; i < sound_size; i++)
		if (sound[i])
			vec_push(&meant, (uint32_t)i);
}

void damaged_profile_write(const char *path, const uint8_t *data, size_t size)
{
	if (!sound)
		make_sound(path);
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const bool whole = size && !(data[0] & 1);

	if (fd < 0)
		abort();
	if (whole ? pwrite(fd, data, size, 0) != (ssize_t)size
		  : pwrite(fd, sound, sound_size, 0) != (ssize_t)sound_size)
		abort();
	for (size_t i = 1; size && !whole && i + 4 <= size; i += 4) {
		const size_t number =
			data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16;
		/* Most bytes are not used, and 0. */
		const size_t offset =
			number & 1 ? number / 2 % sound_size : meant.data[number / 2 % meant.len];
		if (pwrite(fd, &data[i + 3], 1, (off_t)offset) != 1)
			abort();
	}
	close(fd);
}
