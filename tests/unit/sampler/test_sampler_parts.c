/* sampler without a kernel: events of made-up machines, waits, processes, the rest of stacks. */
#include "sampler/event.h"
#include "sampler/event_sysfs.h"
#include "sampler/perf_events.h"
#include "sampler/sched_text.h"
#include "sampler/stack_reader.h"
#include "sampler/switch_rate.h"
#include "sampler/switch_waits.h"
#include "sampler/wakings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- events of files ---- */

static char root[64];

static void put_file(const char *directory, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, directory);
	for (char *slash = path + strlen(root); (slash = strchr(slash + 1, '/'));) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", root, directory, name);
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int root_make(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/tare-events-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	put_file("cpu", "type", "4\n");
	put_file("cpu/format", "event", "config:0-7,32-35\n");
	put_file("cpu/format", "umask", "config:8-15\n");
	put_file("cpu/format", "edge", "config:18\n");
	put_file("cpu/format", "offcore", "config1:0-63\n");
	put_file("cpu/events", "cache-misses", "event=0x2e,umask=0x41\n");
	put_file("cpu/events", "broken", "event=0x2e,cache-misses\n");
	put_file("sched/sched_switch", "id", "317\n");
	put_file("sched/sched_wakeup", "id", "318\n");
	return 0;
}

static int root_remove(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(root, &err) ? 0 : -1;
}

static struct event named(const char *name)
{
	struct event event = {.period = 0};

	snprintf(event.name, sizeof(event.name), "%s", name);
	return event;
}

static struct event pmu(const char *name)
{
	struct event event = named(name);
	struct error err;

	if (!event_pmu_find(root, &event, &err))
		fail_msg("%s: %s", name, err.message);
	return event;
}

static void test_events_of_pmus(void **state)
{
	(void)state;
	assert_int_equal(pmu("cpu/cache-misses/").type, 4);
	assert_int_equal(pmu("cpu/cache-misses/").config, 0x412e);
	assert_int_equal(pmu("cpu/event=0xabc,edge/").config, 0xa000400bc);
	assert_int_equal(pmu("cpu/event=0x2e,umask=2,offcore=0xffffffffffffffff/").config1,
			 UINT64_MAX);
	assert_int_equal(pmu("cpu/config=0x1234,config1=5,config2=6/").config2, 6);
	assert_int_equal(pmu("cpu/event=1,period=1000/").period, 1000);
}

static void refuse_pmu(const char *name, const char *in_message)
{
	struct event event = named(name);
	struct error err;

	assert_false(event_pmu_find(root, &event, &err));
	if (!strstr(err.message, in_message))
		fail_msg("%s: %s", name, err.message);
}

static void test_bad_events_of_pmus(void **state)
{
	(void)state;
	refuse_pmu("cpu/cache-mises/", "did you mean cache-misses");
	refuse_pmu("cpv/event=1/", "did you mean cpu");
	refuse_pmu("cpu/umask=0x100/", "no room");
	refuse_pmu("cpu/umask=1x/", "not a number");
	refuse_pmu("cpu/umask=-1/", "not a number");
	refuse_pmu("cpu/umask=/", "not a number");
	refuse_pmu("cpu/broken/", "cache-misses"); /* no event of events */
	refuse_pmu("cpu/../sched/", "no event or field");
	refuse_pmu("../cpu/event=1/", "not an event");
	refuse_pmu("cpu/../x=1/", "no event or field");
	refuse_pmu("/event=1/", "not an event");
	refuse_pmu("cpu/event=1", "not an event");
	refuse_pmu("cpu/event=1/x", "not an event");
}

static void test_tracepoints(void **state)
{
	struct event event = named("sched:sched_switch");
	struct error err;

	(void)state;
	assert_true(event_tracepoint_find(root, &event, &err));
	assert_int_equal(event.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(event.config, 317);
	assert_true(event_is_in_kernel(&event));
	event = named("sched:sched_swich");
	assert_false(event_tracepoint_find(root, &event, &err));
	assert_non_null(strstr(err.message, "did you mean sched:sched_switch"));
	event = named("shced:sched_switch");
	assert_false(event_tracepoint_find(root, &event, &err));
	assert_non_null(strstr(err.message, "did you mean sched"));
	event = named("..:sched");
	assert_false(event_tracepoint_find(root, &event, &err));
	assert_int_equal(err.code, ERROR_USAGE);
}

static void test_lists_of_events(void **state)
{
	struct events events = {0};
	struct error err;

	(void)state;
	assert_true(events_parse("cpu-clock:u,page-faults:7,off-cpu", 99, &events, &err));
	assert_int_equal(events.len, 3);
	assert_true(events.data[0].user_only);
	assert_int_equal(events.data[0].frequency, 99);
	assert_int_equal(events.data[1].period, 7);
	assert_int_equal(events.data[2].kind, EVENT_OFF_CPU);
	assert_string_equal(event_unit(&events.data[2]), "ns");
	assert_string_equal(event_unit(&events.data[1]), "");
	assert_false(events_parse("cpu-clock,", 99, &events, &err));
	assert_false(events_parse("cpu-clock,,off-cpu", 99, &events, &err));
	assert_false(events_parse("off-cpu:10", 99, &events, &err));
	assert_false(events_parse("context-switches:u", 99, &events, &err));
	assert_non_null(strstr(err.message, "in the kernel"));
	vec_fini(&events);
}

/* ---- waits ---- */

struct told {
	size_t count;
	struct sampler_sample last;
	size_t frames;
	uint64_t outermost; /* address of the last frame */
	enum unwind_result end;
	struct sampler_waker waker; /* tid 0: none */
	size_t waker_frames, waker_kernel;
};

static void tell(void *context, const struct sampler_sample *sample)
{
	struct told *told = context;

	told->count++;
	told->last = *sample;
	told->frames = sample->stack->count;
	told->outermost = told->frames ? sample->stack->frames[told->frames - 1].addr : 0;
	told->end = sample->stack->end;
	told->waker = sample->waker ? *sample->waker : (struct sampler_waker){0};
	told->waker_frames = sample->waker ? sample->waker->stack->count : 0;
	told->waker_kernel = sample->waker ? sample->waker->kernel_count : 0;
}

static const struct event wait_events[] = {{.kind = EVENT_COUNTED}, {.kind = EVENT_OFF_CPU}};

static const struct sched_text no_text;

static void sample_at(struct waits *waits, const struct process *process, uint64_t time)
{
	struct unwind_frame frames[2] = {{.addr = 1}, {.addr = 2}};
	const struct unwind_stack stack = {
		.frames = frames, .room = 2, .count = 2, .end = UNWIND_ROOT};

	waits_sample(waits, &(struct sampler_sample){
				    .process = process, .tid = 5, .time = time, .stack = &stack});
}

static void switch_at(struct waits *waits, const struct process *process, uint16_t misc,
		      uint64_t time)
{
	waits_switch(waits, process,
		     &(struct perf_record){.type = PERF_RECORD_SWITCH,
					   .misc = misc,
					   .time = time,
					   .switched = {.pid = 5, .tid = 5}});
}

enum {
	OUT = PERF_RECORD_MISC_SWITCH_OUT,
	OUT_PREEMPTED = PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT
};

static void fork_at(struct waits *waits, const struct process *process, uint64_t time,
		    bool ran_already)
{
	waits_begin(
		waits, process,
		&(struct perf_record){.type = PERF_RECORD_FORK,
				      .time = time,
				      .task = {.pid = 4, .tid = 5, .ran_already = ran_already}});
}

static void test_waits(void **state)
{
	struct told told = {0};
	struct sampler_counts counts = {0};
	const struct sampler_sink sink = {.sample = tell, .context = &told};
	struct waits *waits = waits_new(wait_events, 2, &no_text, &sink, &counts);
	const struct process process = {.pid = 5};

	(void)state;
	sample_at(waits, &process, 100);
	switch_at(waits, &process, OUT, 101);
	assert_int_equal(told.count, 0);
	switch_at(waits, &process, 0, 151);
	assert_int_equal(told.count, 1);
	assert_int_equal(told.last.weight, 50);
	assert_int_equal(told.last.time, 101);
	assert_int_equal(told.last.event, 1);
	assert_int_equal(told.frames, 2);
	/* It could have gone on: nobody asked for that. */
	sample_at(waits, &process, 200);
	switch_at(waits, &process, OUT_PREEMPTED, 201);
	switch_at(waits, &process, 0, 300);
	assert_int_equal(told.count, 1);
	/* Its sample is lost, its time is not. */
	switch_at(waits, &process, OUT, 400);
	switch_at(waits, &process, 0, 410);
	assert_int_equal(told.count, 2);
	assert_int_equal(told.frames, 0);
	assert_int_equal(told.end, UNWIND_UNREADABLE);
	/* Its end is lost, so its time is. */
	switch_at(waits, &process, OUT, 500);
	sample_at(waits, &process, 600);
	assert_int_equal(counts.lost, 1);
	switch_at(waits, &process, OUT, 601);
	waits_finish(waits, 1000);
	assert_int_equal(told.count, 3);
	assert_int_equal(told.last.weight, 399);
	assert_int_equal(counts.samples, 3);
	/* Its thread ends. */
	sample_at(waits, &process, 1100);
	switch_at(waits, &process, OUT, 1101);
	waits_end(waits, 5);
	sample_at(waits, &process, 1102); /* the switch that it does not come back from */
	switch_at(waits, &process, OUT, 1103);
	waits_finish(waits, 2000);
	assert_int_equal(told.count, 3);
	/* Another thread has its number. */
	fork_at(waits, &process, 2050, false);
	switch_at(waits, &process, 0, 2090);
	sample_at(waits, &process, 2100);
	switch_at(waits, &process, OUT, 2101);
	switch_at(waits, &process, 0, 2103);
	assert_int_equal(told.count, 4);
	assert_int_equal(told.last.weight, 2);
	waits_free(waits);
}

/* A thread that was made could run before it does for the first time. */
static void test_first_waits(void **state)
{
	static const struct event events[] = {{.kind = EVENT_PREEMPTED}};
	struct told told = {0};
	struct sampler_counts counts = {0};
	const struct sampler_sink sink = {.sample = tell, .context = &told};
	struct waits *waits = waits_new(events, 1, &no_text, &sink, &counts);
	const struct process process = {.pid = 5};

	(void)state;
	fork_at(waits, &process, 50, false);
	switch_at(waits, &process, 0, 90);
	assert_int_equal(told.count, 1);
	assert_int_equal(told.last.time, 50);
	assert_int_equal(told.last.weight, 40);
	assert_int_equal(told.frames, 0);
	/* Of these nobody knows when they ran first. */
	fork_at(waits, &process, 200, true);
	switch_at(waits, &process, 0, 300);
	fork_at(waits, NULL, 400, false);
	waits_finish(waits, 500);
	assert_int_equal(told.count, 1);
	/* This one never did. */
	fork_at(waits, &process, 600, false);
	waits_finish(waits, 700);
	assert_int_equal(told.count, 2);
	assert_int_equal(told.last.weight, 100);
	assert_int_equal(counts.lost, 0);
	waits_free(waits);
}

/* A wait of `ns` from there on; a sample has as many frames as `frames` says, 0: there is none. */
static void wait_at(struct waits *waits, const struct process *process, size_t frames,
		    uint64_t begin, uint64_t ns)
{
	struct unwind_frame list[3] = {{.addr = 1}, {.addr = 2}, {.addr = 3}};
	const struct unwind_stack stack = {
		.frames = list, .room = 3, .count = frames, .end = UNWIND_ROOT};

	if (frames)
		waits_sample(waits,
			     &(struct sampler_sample){
				     .process = process, .tid = 5, .time = begin, .stack = &stack});
	switch_at(waits, process, OUT, begin);
	switch_at(waits, process, 0, begin + ns);
}

/* Without a sample of their own they have the stack of the last one of about that length. */
static void test_waits_without_samples(void **state)
{
	struct told told = {0};
	struct sampler_counts counts = {0};
	const struct sampler_sink sink = {.sample = tell, .context = &told};
	struct waits *waits = waits_new(wait_events, 2, &no_text, &sink, &counts);
	const struct process process = {.pid = 5};

	(void)state;
	wait_at(waits, &process, 1, 1000, 5000);
	wait_at(waits, &process, 2, 10000, 5000000);
	/* Until then it is lost. */
	wait_at(waits, &process, 0, 6000000, 4500);
	assert_int_equal(told.frames, 0);
	assert_int_equal(counts.borrowed, 0);
	waits_thin(waits);
	wait_at(waits, &process, 0, 7000000, 4500);
	assert_int_equal(told.frames, 1);
	assert_int_equal(told.end, UNWIND_ROOT);
	assert_int_equal(told.last.weight, 4500);
	wait_at(waits, &process, 0, 8000000, 7000000);
	assert_int_equal(told.frames, 2);
	assert_int_equal(told.last.weight, 7000000);
	/* None is as long: the nearest one. */
	wait_at(waits, &process, 0, 20000000, 900000000);
	assert_int_equal(told.frames, 2);
	wait_at(waits, &process, 0, 1000000000, 10);
	assert_int_equal(told.frames, 1);
	assert_int_equal(counts.borrowed, 4);
	/* Of many lengths, each met for the first time, in the order of nearness to that of two
	 * frames. */
	for (uint64_t ns = 1 << 25; ns < UINT64_C(1) << 34; ns *= 4) {
		wait_at(waits, &process, 0, UINT64_C(100000000000) + 2 * ns, ns);
		assert_int_equal(told.frames, 2);
		assert_int_equal(told.outermost, 2);
	}
	counts.borrowed = 4;
	counts.samples -= 5;
	/* The last one stands for those behind it. */
	wait_at(waits, &process, 3, 1000000100, 5500);
	assert_int_equal(told.frames, 3);
	wait_at(waits, &process, 0, 1000010000, 5100);
	assert_int_equal(told.frames, 3);
	wait_at(waits, &process, 0, 1001000000, 6000000);
	assert_int_equal(told.frames, 2);
	/* Another program has none of its stacks. */
	waits_forget(waits, 5);
	wait_at(waits, &process, 0, 1100000000, 5000);
	assert_int_equal(told.frames, 0);
	assert_int_equal(told.end, UNWIND_UNREADABLE);
	assert_int_equal(counts.borrowed, 6);
	assert_int_equal(counts.samples, 11);
	waits_free(waits);
}

static void test_switch_rate(void **state)
{
	struct switch_rate rate = {0};
	uint64_t time = 1000000;

	(void)state;
	assert_false(switch_rate_look(&rate, &SWITCH_RATE_LIMITS, time));
	for (int i = 0; i < 390; i++)
		switch_rate_note(&rate);
	assert_false(switch_rate_look(&rate, &SWITCH_RATE_LIMITS,
				      time + 10000000)); /* too early to tell */
	assert_false(switch_rate_look(&rate, &SWITCH_RATE_LIMITS, time += 20000000));
	for (int i = 0; i < 410; i++)
		switch_rate_note(&rate);
	assert_true(switch_rate_look(&rate, &SWITCH_RATE_LIMITS, time += 20000000));
	assert_true(switch_rate_look(&rate, &SWITCH_RATE_LIMITS,
				     time + 150000000)); /* none at all, but not for long */
	for (int i = 0; i < 2100; i++)
		switch_rate_note(&rate);
	assert_true(switch_rate_look(&rate, &SWITCH_RATE_LIMITS, time += 200000000));
	for (int i = 0; i < 1900; i++)
		switch_rate_note(&rate);
	assert_false(switch_rate_look(&rate, &SWITCH_RATE_LIMITS, time += 200000000));
}

static void waken(struct waits *waits, const struct process *process, uint32_t tid, uint64_t time)
{
	static const uint64_t kernel[] = {7, 8, 9};
	struct unwind_frame frame = {.addr = 3};
	const struct unwind_stack stack = {
		.frames = &frame, .room = 1, .count = 1, .end = UNWIND_ROOT};

	waits_waken(waits, 5,
		    &(struct sampler_waker){.process = process,
					    .tid = tid,
					    .time = time,
					    .kernel = kernel,
					    .kernel_count = 3,
					    .stack = &stack});
}

static void test_who_ends_waits(void **state)
{
	struct told told = {0};
	struct sampler_counts counts = {0};
	const struct sampler_sink sink = {.sample = tell, .context = &told};
	struct waits *waits = waits_new(wait_events, 2, &no_text, &sink, &counts);
	const struct process process = {.pid = 5};

	(void)state;
	assert_false(waits_goes_on(waits, 5));
	sample_at(waits, &process, 100);
	assert_false(waits_goes_on(waits, 5));
	switch_at(waits, &process, OUT, 101);
	assert_true(waits_goes_on(waits, 5));
	waken(waits, &process, 6, 120);
	switch_at(waits, &process, 0, 151);
	assert_false(waits_goes_on(waits, 5));
	assert_int_equal(told.waker.tid, 6);
	assert_int_equal(told.waker.time, 120);
	assert_ptr_equal(told.waker.process, &process);
	assert_int_equal(told.waker_frames, 1);
	assert_int_equal(told.waker_kernel, 3);
	/* The next one ends by what nobody saw. */
	sample_at(waits, &process, 200);
	switch_at(waits, &process, OUT, 201);
	switch_at(waits, &process, 0, 210);
	assert_int_equal(told.count, 2);
	assert_null(told.last.waker);
	/* Of several the last one; an interrupt has no process, and no stack. */
	sample_at(waits, &process, 300);
	switch_at(waits, &process, OUT, 301);
	waken(waits, &process, 6, 310);
	waken(waits, NULL, 7, 320);
	switch_at(waits, &process, 0, 330);
	assert_int_equal(told.waker.time, 320);
	assert_null(told.waker.process);
	assert_int_equal(told.waker_frames + told.waker_kernel, 0);
	waits_free(waits);
}

/* The thread begins to wait in the kernel's function at `place`, or runs again. */
static void wait_begins(struct waits *waits, const struct process *process, uint32_t tid,
			const uint64_t *place, uint64_t time)
{
	const struct unwind_stack stack = {.end = UNWIND_ROOT};

	waits_sample(waits, &(struct sampler_sample){.process = process,
						     .tid = tid,
						     .time = time,
						     .kernel = place,
						     .kernel_count = 1,
						     .stack = &stack});
	waits_switch(waits, process,
		     &(struct perf_record){.type = PERF_RECORD_SWITCH,
					   .misc = OUT,
					   .time = time,
					   .switched = {.pid = process->pid, .tid = tid}});
}

static void wait_ends(struct waits *waits, const struct process *process, uint32_t tid,
		      uint64_t time)
{
	waits_switch(waits, process,
		     &(struct perf_record){.type = PERF_RECORD_SWITCH,
					   .time = time,
					   .switched = {.pid = process->pid, .tid = tid}});
}

/* Of several threads that wait for children each has its own; a signal has one of them. */
static void test_children_end_waits(void **state)
{
	static const uint64_t for_child = 0x1000, for_signal = 0x2000;
	const struct sched_text text = {
		.exit = 0x9000,
		.places = {{0x1000, 0x1100, SCHED_WAIT_CHILD}, {0x2000, 0x2100, SCHED_WAIT_SIGNAL}},
		.place_count = 2};
	struct told told = {0};
	struct sampler_counts counts = {0};
	const struct sampler_sink sink = {.sample = tell, .context = &told};
	struct waits *waits = waits_new(wait_events, 2, &text, &sink, &counts);
	const struct process parent = {.pid = 5, .threads = 4}, other = {.pid = 6, .threads = 1};
	const struct process child = {.pid = 7};
	struct sampler_waker ends = {.process = &child, .tid = 7, .time = 2000};

	(void)state;
	wait_begins(waits, &parent, 10, &for_child, 1000);
	wait_begins(waits, &parent, 11, &for_child, 1000);
	wait_begins(waits, &parent, 12, &for_signal, 1000);
	wait_begins(waits, &parent, 13, &for_signal, 1000);
	wait_begins(waits, &other, 14, &for_child, 1000);
	waits_child_ends(waits, 5, &ends);
	wait_ends(waits, &parent, 10, 2100);
	assert_int_equal(told.waker.tid, 7);
	assert_int_equal(told.waker.time, 2000);
	assert_int_equal(told.waker_kernel, 1);
	wait_ends(waits, &parent, 12, 2100);
	assert_int_equal(told.waker.tid, 7);
	wait_ends(waits, &parent, 13, 2200);
	assert_null(told.last.waker);
	wait_ends(waits, &other, 14, 2300);
	assert_null(told.last.waker);
	/* The next child is another one's; a wait that began behind the end has nothing of it. */
	ends.tid = 8;
	ends.time = 3000;
	waits_child_ends(waits, 5, &ends);
	wait_ends(waits, &parent, 11, 3100);
	assert_int_equal(told.waker.tid, 8);
	wait_begins(waits, &parent, 10, &for_child, 3001);
	wait_ends(waits, &parent, 10, 3200);
	assert_null(told.last.waker);
	wait_begins(waits, &parent, 12, &for_signal, 2500);
	wait_ends(waits, &parent, 12, 3000 + 10000001);
	assert_null(told.last.waker);
	assert_int_equal(told.count, 7);
	waits_free(waits);
}

/* While few wakings are seen, each stands for so many, of waits of that length. */
static void test_wakings_that_nobody_saw(void **state)
{
	struct told told = {0};
	struct sampler_counts counts = {0};
	const struct sampler_sink sink = {.sample = tell, .context = &told};
	struct waits *waits = waits_new(wait_events, 2, &no_text, &sink, &counts);
	const struct process process = {.pid = 5};
	uint64_t time = 1000, known = 0;

	(void)state;
	for (int i = 0; i < 200; i++, time += 10000) {
		if (i == 20)
			waits_thin(waits);
		switch_at(waits, &process, OUT, time);
		if (i == 10 || i == 50 || i == 60)
			waken(waits, &process, 6 + (i == 60), time + 500);
		switch_at(waits, &process, 0, time + 1000);
		known += told.last.waker != NULL;
		if (i == 11)
			assert_int_equal(known, 1); /* all are seen */
		if (i == 49)
			assert_int_equal(known, 1); /* who was seen before stands for itself */
		if (i == 55) {
			assert_int_equal(told.waker.tid, 6);
			assert_int_equal(told.waker.time, time + 1000);
			assert_int_equal(told.waker_kernel, 3);
			/* of another length */
			switch_at(waits, &process, OUT, time + 2000);
			switch_at(waits, &process, 0, time + 9000);
			assert_null(told.last.waker);
		}
		if (i == 62)
			assert_int_equal(told.waker.tid, 7);
	}
	assert_int_equal(known, 1 + 2 * PERF_EVENTS_ONE_OF);
	waits_free(waits);
}

static void test_wakings(void **state)
{
	static const char format[] = "name: sched_waking\nformat:\n"
				     "\tfield:int common_pid;\toffset:4;\tsize:4;\n"
				     "\tfield:char comm[16];\toffset:8;\tsize:16;\n"
				     "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n";
	struct wakings wakings = {.irq_begin = 1000, .irq_end = 2000};
	unsigned char raw[28] = {0};
	struct perf_sample sample = {.pid = 4, .raw = raw, .raw_bytes = sizeof(raw)};
	const uint64_t within[] = {5, 1500}, beside[] = {999, 2000};

	(void)state;
	assert_true(wakings_read_format(format, &wakings.tid_offset));
	assert_int_equal(wakings.tid_offset, 24);
	assert_false(wakings_read_format("field:pid_t pid;\n\toffset:24;", &wakings.tid_offset));
	assert_false(wakings_read_format("field:pid_t pid;\toffset:9999;", &wakings.tid_offset));
	assert_false(wakings_read_format("", &wakings.tid_offset));
	wakings.tid_offset = 24;
	raw[24] = 77;
	assert_int_equal(wakings_woken(&wakings, &sample), 77);
	sample.raw_bytes = 27;
	assert_int_equal(wakings_woken(&wakings, &sample), 0);
	sample.raw_bytes = 0;
	assert_int_equal(wakings_woken(&wakings, &sample), 0);
	sample.raw_bytes = sizeof(raw);
	assert_false(wakings_by_interrupt(&wakings, &sample, within, 2));
	raw[2] = 0x10; /* a soft one: of an interrupt only if the frames say so */
	assert_true(wakings_by_interrupt(&wakings, &sample, within, 2));
	assert_false(wakings_by_interrupt(&wakings, &sample, beside, 2));
	raw[2] = 0x08;
	assert_true(wakings_by_interrupt(&wakings, &sample, NULL, 0));
	raw[2] = 0;
	sample.pid = 0;
	assert_true(wakings_by_interrupt(&wakings, &sample, NULL, 0));
}

/* ---- processes ---- */

static void map_anonymous(struct processes *processes, uint32_t pid, uint64_t addr, uint64_t time)
{
	processes_apply(processes, &(struct perf_record){.type = PERF_RECORD_MMAP2,
							 .time = time,
							 .mapping = {.pid = pid,
								     .tid = pid,
								     .addr = addr,
								     .size = 0x1000,
								     .protection = PROT_EXEC,
								     .path = "//anon"}});
}

static void task(struct processes *processes, uint32_t type, uint32_t pid, uint32_t tid)
{
	processes_apply(
		processes,
		&(struct perf_record){
			.type = type,
			.time = 1000,
			.task = {.pid = pid, .tid = tid, .parent_pid = 7, .parent_tid = 7}});
}

static bool has(struct processes *processes, uint32_t pid, uint64_t addr)
{
	const struct process_image *image = process_image_at(processes_get(processes, pid), addr);

	return image && image->image->kind == IMAGE_RUNTIME && !image->bias;
}

static void test_processes(void **state)
{
	struct images *images = images_new();
	struct processes *processes = processes_new(images, false);

	(void)state;
	map_anonymous(processes, 7, 0x1000, 1);
	map_anonymous(processes, 7, 0x5000, 1);
	task(processes, PERF_RECORD_FORK, 8, 8); /* a child has what its parent has… */
	assert_true(has(processes, 8, 0x1fff));
	assert_ptr_equal(processes_get(processes, 8)->memory, processes_get(processes, 7)->memory);
	map_anonymous(processes, 8, 0x9000, 2); /* …and the parent not what it gets */
	assert_true(has(processes, 8, 0x9000) && has(processes, 8, 0x5000));
	assert_false(has(processes, 7, 0x9000));
	task(processes, PERF_RECORD_FORK, 7, 9); /* a thread, that goes on when the first ends */
	task(processes, PERF_RECORD_EXIT, 7, 7);
	assert_true(has(processes, 7, 0x1000));
	assert_int_equal(processes_get(processes, 7)->end_time, 0);
	task(processes, PERF_RECORD_EXIT, 7, 9);
	assert_int_equal(processes_get(processes, 7)->end_time, 1000);
	assert_false(has(processes, 7, 0x1000));
	processes_apply(
		processes,
		&(struct perf_record){.type = PERF_RECORD_COMM,
				      .name = {.pid = 8, .tid = 8, .exec = true, .name = "new"}});
	assert_false(has(processes, 8, 0x1000));
	assert_string_equal(processes_get(processes, 8)->name, "new");
	/* The number is used again, the end of its process was lost. */
	task(processes, PERF_RECORD_FORK, 8, 8);
	assert_int_equal(processes_at(processes, 1)->end_time, 1000);
	assert_int_equal(processes_count(processes), 3);
	processes_free(processes);
	images_free(images);
}

static void test_parts_of_mappings(void **state)
{
	struct images *images = images_new();
	struct processes *processes = processes_new(images, false);
	struct perf_record wide = {.type = PERF_RECORD_MMAP2,
				   .mapping = {.pid = 7,
					       .addr = 0x10000,
					       .size = 0x10000,
					       .protection = PROT_EXEC,
					       .path = "//anon"}};

	(void)state;
	processes_apply(processes, &wide);
	map_anonymous(processes, 7, 0x14000, 1);
	assert_true(has(processes, 7, 0x13fff) && has(processes, 7, 0x14000) &&
		    has(processes, 7, 0x15000) && has(processes, 7, 0x1ffff));
	assert_int_equal(processes_get(processes, 7)->memory->images.len, 3);
	processes_apply(processes, &wide);
	assert_int_equal(processes_get(processes, 7)->memory->images.len, 1);
	wide.mapping.addr = UINT64_MAX - 0xfff; /* ends beyond the end of addresses */
	processes_apply(processes, &wide);
	assert_int_equal(processes_get(processes, 7)->memory->images.len, 1);
	processes_free(processes);
	images_free(images);
}

/* Many mappings in one process: what node, java and the like have. */
static void test_ten_thousand_mappings(void **state)
{
	struct images *images = images_new();
	struct processes *processes = processes_new(images, false);

	(void)state;
	for (uint64_t i = 0; i < 10000; i++)
		map_anonymous(processes, 7, 0x100000 + 0x2000 * (i * 7919 % 10000), 1);
	assert_int_equal(processes_get(processes, 7)->memory->images.len, 10000);
	assert_true(has(processes, 7, 0x100000 + 0x2000 * 9999));
	assert_false(has(processes, 7, 0x101000));
	processes_free(processes);
	images_free(images);
}

/* A file that was deleted, and one that another one stands for: neither is used. */
static void test_replaced_files(void **state)
{
	struct images *images = images_new();
	struct stat status;

	(void)state;
	assert_int_equal(stat("/proc/self/exe", &status), 0);
	char path[4096];
	const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	assert_true(length > 0);
	path[length] = 0;
	struct perf_mapping mapping = {.addr = 0x400000,
				       .size = 0x1000,
				       .path = path,
				       .build_id_bytes = 20,
				       .build_id = {1, 2, 3}};
	const struct image *image = images_get(images, &mapping, false);
	assert_null(image->object);
	assert_non_null(strstr(image->why, "another build-id"));
	mapping.build_id_bytes = 0;
	mapping.inode = status.st_ino + 1;
	mapping.pid = (uint32_t)getpid();
	mapping.major = (uint32_t)(status.st_dev >> 8);
	mapping.minor = (uint32_t)(status.st_dev & 0xff);
	image = images_get(images, &mapping, true);
	assert_null(image->object);
	assert_non_null(strstr(image->why, "replaced"));
	mapping.inode = status.st_ino;
	image = images_get(images, &mapping, true);
	assert_non_null(image->object);
	images_free(images);
}

/* ---- stacks beyond their copy ---- */

static void test_rest_of_stacks(void **state)
{
	uint64_t *thread =
		mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t copied[64], word;
	unsigned char *bytes = malloc(STACK_READER_BYTES);
	struct unwind_frame frames[] = {{.sp = (uint64_t)thread},
					{.sp = (uint64_t)(thread + 8)},
					{.sp = (uint64_t)(thread + 60)}};
	const struct unwind_stack stack = {.frames = frames, .count = 3};

	(void)state;
	assert_ptr_not_equal(thread, MAP_FAILED);
	for (uint64_t i = 0; i < 8192; i++)
		thread[i] = i;
	memcpy(copied, thread, sizeof(copied));
	const struct unwind_memory copy = {
		.begin = (uint64_t)thread, .size_bytes = sizeof(copied), .bytes = copied};
	struct stack_reader reader = {
		.pid = (uint32_t)getpid(), .copy = &copy, .stack = &stack, .bytes = bytes};
	struct stack_reader late = reader;

	assert_true(stack_reader_read(&reader, (uint64_t)(thread + 64), &word));
	assert_int_equal(word, 64);
	thread[4000] = 1; /* one reading brings pages, not words */
	assert_true(stack_reader_read(&reader, (uint64_t)(thread + 4000), &word));
	assert_int_equal(word, 4000);
	assert_true(stack_reader_read(&reader, (uint64_t)(thread + 8191), &word));
	assert_int_equal(word, 8191);
	assert_false(reader.gone);
	/* The thread has left a frame since: its return address is another one. */
	thread[59] = 0xdead;
	assert_false(stack_reader_read(&late, (uint64_t)(thread + 64), &word));
	assert_true(late.gone);
	free(bytes);
	munmap(thread, 1 << 16);
}

/* What a thread waits for is said by what has called the scheduler alone, not by what calls that.
 */
static void test_waits_for_children(void **state)
{
	const struct sched_text text = {.places = {{0x1000, 0x2000, SCHED_WAIT_CHILD},
						   {0x4000, 0x5000, SCHED_WAIT_SIGNAL},
						   {0x6000, 0, SCHED_WAIT_SIGNAL}},
					.place_count = 3};
	const struct sched_text unknown = {0};
	const uint64_t waits[] = {0x1fff, 0x3000}, calls[] = {0x3000, 0x1fff};
	const uint64_t before[] = {0xfff}, behind[] = {0x2000}, signals[] = {0x4000, 0x6000};

	(void)state;
	assert_int_equal(sched_text_wait_of(&text, waits, 2), SCHED_WAIT_CHILD);
	assert_int_equal(sched_text_wait_of(&text, calls, 2), SCHED_WAIT_OTHER);
	assert_int_equal(sched_text_wait_of(&text, before, 1), SCHED_WAIT_OTHER);
	assert_int_equal(sched_text_wait_of(&text, behind, 1), SCHED_WAIT_OTHER);
	assert_int_equal(sched_text_wait_of(&text, waits, 0), SCHED_WAIT_OTHER);
	assert_int_equal(sched_text_wait_of(&unknown, waits, 2), SCHED_WAIT_OTHER);
	assert_int_equal(sched_text_wait_of(&text, signals, 1), SCHED_WAIT_SIGNAL);
	assert_int_equal(sched_text_wait_of(&text, signals + 1, 1), SCHED_WAIT_OTHER);
}

/* A return address behind a function's last byte is of a call within it. */
static void test_frames_of_the_scheduler(void **state)
{
	const struct sched_text text = {.begin = 0x1000, .end = 0x2000}, unknown = {0};
	const uint64_t kernel[] = {0x1000, 0x1800, 0x2000, 0x2001, 0x1500};

	(void)state;
	assert_int_equal(sched_text_frames(&text, kernel, 5), 3);
	assert_int_equal(sched_text_frames(&text, kernel, 2), 2);
	assert_int_equal(sched_text_frames(&text, kernel + 3, 2), 0);
	assert_int_equal(sched_text_frames(&text, kernel, 0), 0);
	assert_int_equal(sched_text_frames(&unknown, kernel, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_events_of_pmus, root_make, root_remove),
		cmocka_unit_test_setup_teardown(test_bad_events_of_pmus, root_make, root_remove),
		cmocka_unit_test_setup_teardown(test_tracepoints, root_make, root_remove),
		cmocka_unit_test(test_lists_of_events),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_first_waits),
		cmocka_unit_test(test_waits_without_samples),
		cmocka_unit_test(test_switch_rate),
		cmocka_unit_test(test_who_ends_waits),
		cmocka_unit_test(test_wakings),
		cmocka_unit_test(test_wakings_that_nobody_saw),
		cmocka_unit_test(test_waits_for_children),
		cmocka_unit_test(test_children_end_waits),
		cmocka_unit_test(test_frames_of_the_scheduler),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_parts_of_mappings),
		cmocka_unit_test(test_ten_thousand_mappings),
		cmocka_unit_test(test_replaced_files),
		cmocka_unit_test(test_rest_of_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
