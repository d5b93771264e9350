/*
 * sampler on programs that wait where it is known to: waits, stacks longer than their copy,
 * threads, all processes, execve. What the kernel does not permit here is skipped with its
 * sentence.
 */
#include "base/file_view.h"
#include "sampler/sampler.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char *waiting; /* fixtures/waiting */
static char *proportions;

/* ---- programs ---- */

struct child {
	pid_t pid;
	int go;	      /* one byte lets it execute */
	int in;	      /* closed: its reads end */
	int out;      /* a byte of each that is about to wait */
	bool stopped; /* has been waited for */
};

static struct child start(char *const words[])
{
	int go[2], in[2], out[2];
	char byte;

	assert_int_equal(pipe2(go, O_CLOEXEC) | pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(go[1]); /* so that the test's death ends it */
		if (read(go[0], &byte, 1) == 1)
			execv(words[0], words);
		_exit(9);
	}
	close(go[0]);
	close(in[0]);
	close(out[1]);
	return (struct child){.pid = pid, .go = go[1], .in = in[1], .out = out[0]};
}

static void let_go(struct child *child)
{
	assert_int_equal(write(child->go, "g", 1), 1);
}

static void end(struct child *child)
{
	int status;

	close(child->go);
	close(child->in);
	close(child->out);
	if (!child->stopped)
		waitpid(child->pid, &status, 0);
	child->stopped = true;
}

/* ---- what is collected ---- */

struct collected {
	struct object *object; /* of `waiting` */
	size_t samples, in_other_processes, in_wait, in_vfork, through_descend, kernel;
	uint64_t weight; /* of samples in waits_here */
	size_t deepest;
	uint32_t pid;
};

static const char *name_at(const struct collected *collected, const struct process *process,
			   uint64_t run_addr)
{
	const struct process_image *image = process_image_at(process, run_addr);

	if (!image || !str_ends_with(image->image->path, "/waiting"))
		return "";
	const struct object_symbol *symbol =
		object_symbol_covering(collected->object, run_addr - image->bias);
	return symbol ? symbol->name : "";
}

static void collect(void *context, const struct sampler_sample *sample)
{
	struct collected *collected = context;
	size_t depth = 0;

	collected->samples++;
	collected->kernel += sample->kernel_count > 0;
	collected->in_other_processes += sample->process->pid != collected->pid;
	for (size_t i = 0; i < sample->stack->count; i++) {
		const char *name =
			name_at(collected, sample->process, sample->stack->frames[i].addr);

		depth += strcmp(name, "descend") == 0;
		if (strcmp(name, "waits_here") != 0)
			continue;
		collected->in_wait++;
		collected->weight += sample->weight;
	}
	collected->through_descend += depth > 0 && sample->stack->end == UNWIND_ROOT;
	collected->in_vfork +=
		sample->stack->end == UNWIND_ROOT && sample->stack->count > 1 &&
		!strcmp(name_at(collected, sample->process, sample->stack->frames[1].addr),
			"wait_in_vfork");
	collected->deepest = depth > collected->deepest ? depth : collected->deepest;
}

static struct event parse(const char *text)
{
	struct event event;
	struct error err;

	if (!event_parse(text, 997, &event, &err))
		fail_msg("%s: %s", text, err.message);
	return event;
}

static struct collected collected_of(const struct child *child)
{
	struct error err;
	struct collected collected = {.object = object_open(waiting, OBJECT_SYMBOLS, &err),
				      .pid = (uint32_t)child->pid};

	assert_non_null(collected.object);
	return collected;
}

static struct sampler_options options_of(const struct event *event, struct collected *collected)
{
	return (struct sampler_options){.events = event,
					.event_count = 1,
					.sink = {.sample = collect, .context = collected}};
}

/* Ends the test, as skipped, where the kernel has refused. */
static void need(const struct sampler *sampler, struct child *child, struct collected *collected,
		 const struct error *err)
{
	if (sampler)
		return;
	end(child);
	object_close(collected->object);
	print_message("%s\n", err->message);
	skip();
}

static void sample_until_end(struct sampler *sampler, struct child *child)
{
	int status;

	while (!child->stopped && waitpid(child->pid, &status, WNOHANG) == 0)
		sampler_poll(sampler, 20);
	child->stopped = true;
	sampler_stop(sampler);
}

static void finish(struct sampler *sampler, struct child *child, struct collected *collected)
{
	sampler_close(sampler);
	end(child);
	object_close(collected->object);
}

/* Waits for `count` bytes of those that are about to wait, sampling meanwhile. */
static void sample_until_ready(struct sampler *sampler, const struct child *child, size_t count)
{
	struct pollfd ready = {.fd = child->out, .events = POLLIN};
	char bytes[64];

	while (count) {
		sampler_poll(sampler, 10);
		if (poll(&ready, 1, 0) != 1)
			continue;
		const ssize_t got = read(child->out, bytes, sizeof(bytes));
		assert_true(got > 0);
		count -= (size_t)got;
	}
}

/* ---- tests ---- */

static void test_waits_have_their_time(void **state)
{
	struct child child = start((char *[]){waiting, "sleep", "200", NULL});
	struct collected collected = collected_of(&child);
	const struct event event = parse("off-cpu");
	const struct sampler_options options = options_of(&event, &collected);
	struct error err;
	struct sampler *sampler = sampler_open_command(&options, (uint32_t)child.pid, &err);

	(void)state;
	need(sampler, &child, &collected, &err);
	let_go(&child);
	sample_until_end(sampler, &child);
	assert_int_equal(collected.in_wait, 1);
	assert_true(collected.weight > 150000000); /* it may have been preempted on its way */
	assert_true(sampler_is_over(sampler));
	assert_int_equal(sampler_counts(sampler)->lost, 0);
	finish(sampler, &child, &collected);
}

static void sample_until_asleep(struct sampler *sampler, const struct child *child)
{
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child->pid);
	while (state != 'S') {
		FILE *file = fopen(path, "re");

		assert_non_null(file);
		assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
		fclose(file);
		sampler_poll(sampler, 10);
	}
}

static void test_waits_that_go_on_count_until_the_end(void **state)
{
	struct child child = start((char *[]){waiting, "deep", "10", NULL});
	struct collected collected = collected_of(&child);
	const struct event event = parse("off-cpu");
	const struct sampler_options options = options_of(&event, &collected);
	struct error err;
	struct sampler *sampler = sampler_open_command(&options, (uint32_t)child.pid, &err);

	(void)state;
	need(sampler, &child, &collected, &err);
	let_go(&child);
	sample_until_ready(sampler, &child, 1);
	sample_until_asleep(sampler, &child);
	const size_t before = collected.through_descend;
	sampler_stop(sampler);
	assert_int_equal(collected.through_descend, before + 1);
	assert_false(sampler_is_over(sampler));
	finish(sampler, &child, &collected);
}

static void test_waits_in_vfork(void **state)
{
	struct child child = start((char *[]){waiting, "vfork", "50", NULL});
	struct collected collected = collected_of(&child);
	const struct event event = parse("off-cpu");
	const struct sampler_options options = options_of(&event, &collected);
	struct error err;
	struct sampler *sampler = sampler_open_command(&options, (uint32_t)child.pid, &err);

	(void)state;
	need(sampler, &child, &collected, &err);
	let_go(&child);
	sample_until_end(sampler, &child);
	assert_int_equal(collected.in_wait, 1);
	assert_int_equal(collected.in_vfork, 1);
	finish(sampler, &child, &collected);
}

/* 500 calls of 100 bytes: the copy ends long before the root does. */
static void test_stacks_longer_than_the_copy(void **state)
{
	struct child child = start((char *[]){waiting, "deep", "500", NULL});
	struct collected collected = collected_of(&child);
	const struct event event = parse("context-switches:1");
	struct sampler_options options = options_of(&event, &collected);
	struct error err;

	(void)state;
	options.stack_bytes = 4096;
	struct sampler *sampler = sampler_open_command(&options, (uint32_t)child.pid, &err);
	need(sampler, &child, &collected, &err);
	let_go(&child);
	sample_until_ready(sampler, &child, 1);
	while (collected.deepest < 501) /* what waits stands still */
		sampler_poll(sampler, 10);
	close(child.in);
	child.in = -1;
	sample_until_end(sampler, &child);
	assert_int_equal(collected.deepest, 501);
	assert_true(collected.through_descend >= 1);
	assert_true(sampler_counts(sampler)->long_stacks >= 1);
	finish(sampler, &child, &collected);
}

static void test_threads_of_running_processes(void **state)
{
	enum { THREADS = 200 };
	struct child child = start((char *[]){waiting, "threads", "200", NULL});
	struct collected collected = collected_of(&child);
	const struct event event = parse("context-switches:1");
	const struct sampler_options options = options_of(&event, &collected);
	const uint32_t pid = (uint32_t)child.pid;
	struct error err;
	char bytes[THREADS];

	(void)state;
	let_go(&child);
	for (ssize_t got, all = 0; all < THREADS; all += got) {
		got = read(child.out, bytes, sizeof(bytes));
		assert_true(got > 0);
	}
	struct sampler *sampler = sampler_open_running(&options, &pid, 1, &err);
	need(sampler, &child, &collected, &err);
	assert_int_equal(processes_get(sampler_processes(sampler), pid)->threads, THREADS + 1);
	close(child.in); /* each goes on to its end */
	child.in = -1;
	sample_until_end(sampler, &child);
	assert_true(sampler_is_over(sampler));
	assert_int_equal(processes_get(sampler_processes(sampler), pid)->threads, 0);
	finish(sampler, &child, &collected);
}

static void test_processes_that_are_not_there(void **state)
{
	struct child child = start((char *[]){waiting, "sleep", "0", NULL});
	struct collected collected = collected_of(&child);
	const struct event event = parse("cpu-clock");
	const struct sampler_options options = options_of(&event, &collected);
	const uint32_t pid = (uint32_t)child.pid;
	struct error err;

	(void)state;
	let_go(&child);
	/* First a zombie, then nothing. */
	siginfo_t info;
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	assert_null(sampler_open_running(&options, &pid, 1, &err));
	if (err.code != ERROR_NOT_FOUND)
		need(NULL, &child, &collected, &err);
	end(&child);
	assert_null(sampler_open_running(&options, &pid, 1, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	object_close(collected.object);
}

/* Of all that runs only the command's samples are kept, from its execve on. */
static void test_everything_but_only_the_target(void **state)
{
	struct child other = start((char *[]){proportions, "1000000", "1", NULL});
	struct child child = start((char *[]){proportions, "1000", "1", NULL});
	struct collected collected = collected_of(&child);
	const struct event event = parse("cpu-clock");
	struct sampler_options options = options_of(&event, &collected);
	const uint32_t pid = (uint32_t)child.pid;
	struct error err;

	(void)state;
	options.target = &pid;
	options.target_count = 1;
	struct sampler *sampler = sampler_open_everything(&options, &err);
	if (!sampler)
		end(&other);
	need(sampler, &child, &collected, &err);
	let_go(&other);
	let_go(&child);
	sample_until_end(sampler, &child);
	kill(other.pid, SIGKILL);
	end(&other);
	const struct sampler_counts *counts = sampler_counts(sampler);
	print_message("%ju samples, %ju idle, %ju outside\n", (uintmax_t)counts->samples,
		      (uintmax_t)counts->idle, (uintmax_t)counts->outside);
	assert_true(counts->samples > 20);
	assert_true(counts->outside > 0);
	assert_int_equal(counts->discarded, counts->idle + counts->outside);
	assert_int_equal(collected.samples, counts->samples);
	assert_int_equal(collected.in_other_processes, 0);
	assert_true(sampler_is_over(sampler));
	finish(sampler, &child, &collected);
}

static void test_exec_while_it_is_sampled(void **state)
{
	struct child child =
		start((char *[]){waiting, "exec", waiting, "exec", waiting, "deep", "40", NULL});
	struct collected collected = collected_of(&child);
	const struct event event = parse("off-cpu");
	const struct sampler_options options = options_of(&event, &collected);
	struct error err;
	struct sampler *sampler = sampler_open_command(&options, (uint32_t)child.pid, &err);

	(void)state;
	need(sampler, &child, &collected, &err);
	let_go(&child);
	sample_until_ready(sampler, &child, 1);
	close(child.in);
	child.in = -1;
	sample_until_end(sampler, &child);
	assert_int_equal(collected.deepest, 41);
	assert_true(collected.through_descend >= 1);
	finish(sampler, &child, &collected);
}

static void test_the_file_is_gone(void **state)
{
	char copy[] = "/tmp/tare-waiting-XXXXXX";
	const int fd = mkstemp(copy);
	struct file_view view;
	struct error err;

	(void)state;
	assert_true(fd >= 0 && file_view_open(&view, waiting, &err));
	assert_int_equal(write(fd, view.data, view.size), (ssize_t)view.size);
	fchmod(fd, 0700);
	close(fd);
	file_view_close(&view);
	struct child child = start((char *[]){copy, "threads", "1", NULL});
	struct collected collected = collected_of(&child);
	const struct event event = parse("cpu-clock");
	const struct sampler_options options = options_of(&event, &collected);
	const uint32_t pid = (uint32_t)child.pid;
	char byte;
	let_go(&child);
	assert_int_equal(read(child.out, &byte, 1), 1);
	unlink(copy);
	struct sampler *sampler = sampler_open_running(&options, &pid, 1, &err);
	need(sampler, &child, &collected, &err);
	const struct images *images = sampler_images(sampler);
	bool found = false;
	for (size_t i = 0; i < images_count(images); i++) {
		const struct image *image = images_at(images, i);

		if (strcmp(image->path, copy) != 0)
			continue;
		found = true; /* with the right to, through /proc/PID/map_files */
		assert_true(image->object || strstr(image->why, "deleted"));
	}
	assert_true(found);
	finish(sampler, &child, &collected);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits_have_their_time),
		cmocka_unit_test(test_waits_that_go_on_count_until_the_end),
		cmocka_unit_test(test_waits_in_vfork),
		cmocka_unit_test(test_stacks_longer_than_the_copy),
		cmocka_unit_test(test_threads_of_running_processes),
		cmocka_unit_test(test_processes_that_are_not_there),
		cmocka_unit_test(test_everything_but_only_the_target),
		cmocka_unit_test(test_exec_while_it_is_sampled),
		cmocka_unit_test(test_the_file_is_gone),
	};

	if (argc != 3)
		return 2;
	waiting = argv[1];
	proportions = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
