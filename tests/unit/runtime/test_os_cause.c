/*
 * What an OS event is put down to, by the kernel's counters of this thread: the ones of before are
 * made up, so that one of them seems to have changed, and then several.
 */
#include "runtime/base/filter.h"
#include "runtime/base/kernel.h"
#include "runtime/files/counters.h"
#include "runtime/files/process.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/os_flag.h"
#include "runtime/os/waits.h"
#include "tests/support/heap_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ATTEMPTS = 1000 };

/* Takes the place of the area that the kernel clears when the thread is switched. */
static _Thread_local uint64_t word;

/* The linker puts it in the place of the tree's. */
static int syscalls_noted;
void __wrap_calls_note_syscall(struct tare_thread_file *self, const struct accumulate_event *event);

void __wrap_calls_note_syscall(struct tare_thread_file *self, const struct accumulate_event *event)
{
	assert_int_equal(event->syscall_number, self->syscall_number);
	syscalls_noted++;
}

void descriptors_changed(struct state_objects *objects)
{
	(void)objects;
}

void process_means_note(void)
{
}

static bool has_base;

bool counters_have_base(void)
{
	return has_base;
}

bool memory_has_threads(void)
{
	return false;
}

bool memory_alone_begin(void)
{
	return true;
}

void memory_alone_end(void)
{
}

static struct state_os_seen seen_now(const struct tare_thread_file *self)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (struct state_os_seen){.voluntary_switches = (uint64_t)usage.ru_nvcsw,
				      .involuntary_switches = (uint64_t)usage.ru_nivcsw,
				      .minor_faults = (uint64_t)usage.ru_minflt,
				      .major_faults = (uint64_t)usage.ru_majflt,
				      .syscalls = self->syscalls};
}

static struct state_private private_state;
static struct tare_thread_file file;

/*
 * One event, before which the counters were lower by those of `change`. It is none where the kernel
 * has counted something of its own meanwhile.
 */
static struct accumulate_event collect_once(const struct state_os_seen *change)
{
	struct accumulate_event event = {0};
	const struct state_os_seen before = seen_now(&file);

	private_state.os_seen = (struct state_os_seen){
		.voluntary_switches = before.voluntary_switches - change->voluntary_switches,
		.involuntary_switches = before.involuntary_switches - change->involuntary_switches,
		.minor_faults = before.minor_faults - change->minor_faults,
		.major_faults = before.major_faults - change->major_faults,
		.syscalls = before.syscalls - change->syscalls};
	word = 0;
	os_flag_collect(&file, &private_state, &event);
	assert_int_equal(word, os_flag_armed());
	if (memcmp(&private_state.os_seen, &before, sizeof(before)) != 0)
		event.os = false;
	return event;
}

static struct accumulate_event collect(const struct state_os_seen *change)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		const struct accumulate_event event = collect_once(change);

		if (event.os)
			return event;
	}
	fail_msg("something happened between the readings %d times", ATTEMPTS);
	return (struct accumulate_event){0};
}

static enum tare_os_cause cause_of(struct state_os_seen change)
{
	const struct accumulate_event event = collect(&change);

	assert_true(event.os);
	return event.os_cause;
}

static int set_up(void **state)
{
	(void)state;
	state_session.rseq_armed = 0x1000;
	state_process.rseq_offset = (uint64_t)&word - (uint64_t)__builtin_thread_pointer();
	file = (struct tare_thread_file){.rseq_word = (uint64_t)&word,
					 .syscalls = 100,
					 .syscall_number = 42,
					 .rseq_armed = os_flag_armed(),
					 .tid = kernel_tid()};
	private_state = (struct state_private){0};
	waits_probe_host();
	return 0;
}

static void test_one_counter(void **state)
{
	(void)state;
	assert_int_equal(cause_of((struct state_os_seen){.voluntary_switches = 1}), TARE_OS_SWITCH);
	assert_int_equal(cause_of((struct state_os_seen){.involuntary_switches = 1}),
			 TARE_OS_SWITCH);
	assert_int_equal(cause_of((struct state_os_seen){.major_faults = 1}), TARE_OS_MAJOR_FAULT);
	assert_int_equal(cause_of((struct state_os_seen){.minor_faults = 1}), TARE_OS_MINOR_FAULT);
	assert_int_equal(cause_of((struct state_os_seen){.syscalls = 1}), TARE_OS_SYSCALL);
	assert_int_equal(cause_of((struct state_os_seen){0}), TARE_OS_INTERRUPT);
}

/* The one that takes longest; with a switch, the one that made the thread wait. */
static void test_several_counters(void **state)
{
	struct state_os_seen change = {3, 3, 3, 3, 3};

	(void)state;
	assert_int_equal(cause_of(change), TARE_OS_SYSCALL);
	change.syscalls = 0;
	assert_int_equal(cause_of(change), TARE_OS_MAJOR_FAULT);
	change.major_faults = 0;
	assert_int_equal(cause_of(change), TARE_OS_SWITCH);
	change = (struct state_os_seen){0, 0, 3, 3, 3};
	assert_int_equal(cause_of(change), TARE_OS_MAJOR_FAULT);
	change.major_faults = 0;
	assert_int_equal(cause_of(change), TARE_OS_MINOR_FAULT);
	change.minor_faults = 0;
	assert_int_equal(cause_of(change), TARE_OS_SYSCALL);
}

/* The number belongs to what the thread spent in the system call, not to a fault beside it. */
static void test_system_call_numbers(void **state)
{
	(void)state;
	assert_int_equal(collect(&(struct state_os_seen){.syscalls = 1}).syscall_number, 42);
	assert_int_equal(collect(&(struct state_os_seen){.voluntary_switches = 1, .syscalls = 1})
				 .syscall_number,
			 42);
	assert_int_equal(
		collect(&(struct state_os_seen){.minor_faults = 1, .syscalls = 1}).syscall_number,
		0xffff);
	assert_int_equal(collect(&(struct state_os_seen){.voluntary_switches = 1}).syscall_number,
			 0xffff);
}

/* Made up: the thread's clock has stood still since a reading WAITED ticks ago. */
#define WAITED 1000000000ULL

/* A system call is counted once, also where a page fault is what the interval is for. */
static void test_system_calls_of_other_intervals(void **state)
{
	(void)state;
	for (int i = 0; i < ATTEMPTS; i++) {
		struct accumulate_event event = {0};

		private_state.syscall_uncounted = true;
		private_state.os_seen = seen_now(&file);
		private_state.os_seen.minor_faults--;
		word = 0;
		os_flag_collect(&file, &private_state, &event);
		assert_false(private_state.syscall_uncounted);
		assert_int_equal(syscalls_noted, i + 1);
		if (event.os_cause == TARE_OS_MINOR_FAULT)
			return;
	}
	fail_msg("something happened between the readings %d times", ATTEMPTS);
}

static struct accumulate_event waited(const struct state_os_seen *change, bool by_delay)
{
	struct accumulate_event event = {0};

	for (int i = 0; i < ATTEMPTS; i++) {
		waits_begin(&file, &private_state);
		private_state.waits_seen.ticks -= WAITED;
		private_state.waits_seen.has_delay &= by_delay;
		event = collect_once(change);
		if (event.os)
			return event;
	}
	fail_msg("something happened between the readings %d times", ATTEMPTS);
	return event;
}

/* All of it was waiting, less the little that the reading itself takes. */
static void assert_waited(uint64_t ticks)
{
	assert_in_range(ticks, WAITED / 10 * 9, WAITED / 10 * 11);
}

static void test_waits(void **state)
{
	struct accumulate_event event;

	(void)state;
	event = waited(&(struct state_os_seen){.involuntary_switches = 1}, true);
	assert_waited(event.preempted_ticks);
	assert_int_equal(event.blocked_ticks, 0);
	event = waited(&(struct state_os_seen){.voluntary_switches = 1, .involuntary_switches = 1},
		       true);
	assert_waited(event.blocked_ticks);
	assert_in_range(event.preempted_ticks, 0, WAITED / 10);
	event = waited(&(struct state_os_seen){.voluntary_switches = 1, .involuntary_switches = 1},
		       false);
	assert_waited(event.blocked_ticks);
	assert_int_equal(event.preempted_ticks, 0);
	assert_int_equal(file.delays_unread, 1);
	/* without a switch no clock is looked at */
	event = waited(&(struct state_os_seen){.minor_faults = 1, .syscalls = 1}, true);
	assert_int_equal(event.blocked_ticks | event.preempted_ticks, 0);
	assert_int_equal(file.cpu_unread, 0);
}

/* How much of a wait the thread was ready to run, by the run delay. */
static void test_ready(void **state)
{
	struct accumulate_event event;

	(void)state;
	for (int i = 0; i < ATTEMPTS; i++) {
		waits_begin(&file, &private_state);
		if (!private_state.waits_seen.has_delay)
			skip(); /* no procfs */
		private_state.waits_seen.ticks -= WAITED;
		private_state.waits_seen.delay_ns -= 1000000;
		event = collect_once(&(struct state_os_seen){.voluntary_switches = 1});
		if (event.os)
			break;
	}
	assert_true(event.preempted_ticks >= 500000); /* a millisecond on any machine */
	assert_waited(event.preempted_ticks + event.blocked_ticks);
}

/* To ask takes longer than a short wait; what it had is not taken for that of a later, longer one.
 */
static void test_short_waits(void **state)
{
	struct accumulate_event event = {0};

	(void)state;
	waits_begin(&file, &private_state);
	if (!private_state.waits_seen.has_delay)
		skip(); /* no procfs */
	for (int i = 0; i < ATTEMPTS && !private_state.waits_seen.unasked_ticks; i++) {
		private_state.waits_seen.ticks -= 10000;
		event = (struct accumulate_event){.ticks = kernel_ticks()};
		waits_collect(&file, &private_state, WAITS_VOLUNTARY, &event);
	}
	assert_true(private_state.waits_seen.unasked_ticks > 0);
	assert_int_equal(event.preempted_ticks, 0);
	assert_true(event.blocked_ticks > 0);
	const uint64_t unread = file.delays_unread;
	private_state.waits_seen.unasked_ticks = WAITED;
	private_state.waits_seen.delay_ns -= 1000000;
	private_state.waits_seen.ticks -= WAITED;
	event = (struct accumulate_event){.ticks = kernel_ticks()};
	waits_collect(&file, &private_state, WAITS_VOLUNTARY, &event);
	assert_int_equal(event.preempted_ticks, 0);
	assert_int_equal(file.delays_unread, unread + 1);
	assert_int_equal(private_state.waits_seen.unasked_ticks, 0);
}

/* Switched again when the interval had ended, before the clocks were read: that is not its wait. */
static void test_wait_behind_the_end(void **state)
{
	struct accumulate_event event = {0};

	(void)state;
	waits_begin(&file, &private_state);
	private_state.waits_seen.ticks -= WAITED;
	event.ticks = kernel_ticks() - WAITED / 2;
	waits_collect(&file, &private_state, WAITS_INVOLUNTARY, &event);
	assert_in_range(event.preempted_ticks, WAITED / 10 * 4, WAITED / 10 * 6);
	assert_int_equal(event.blocked_ticks, 0);
}

/* Where nobody may ask for switches, only what the clocks say is waiting. */
static void test_unasked(void **state)
{
	struct accumulate_event event = {0};

	(void)state;
	waits_begin(&file, &private_state);
	private_state.waits_seen.ticks -= WAITED;
	event.ticks = kernel_ticks();
	waits_collect(&file, &private_state, WAITS_UNASKED, &event);
	assert_waited(event.blocked_ticks + event.preempted_ticks);
	event = (struct accumulate_event){.ticks = kernel_ticks()};
	file.tid++;
	waits_collect(&file, &private_state, WAITS_UNASKED, &event);
	assert_int_equal(event.blocked_ticks | event.preempted_ticks, 0);
	assert_int_equal(file.cpu_unread, 1);
}

/* A vfork child has its parent's memory, and a clock of its own; nor may a filter allow the clock.
 */
static void test_no_clock(void **state)
{
	struct accumulate_event event;

	(void)state;
	file.tid++;
	event = waited(&(struct state_os_seen){.involuntary_switches = 1}, true);
	assert_true(event.preempted_ticks == UINT64_MAX);
	assert_int_equal(event.blocked_ticks, 0);
	event = waited(&(struct state_os_seen){.voluntary_switches = 1}, true);
	assert_true(event.blocked_ticks == UINT64_MAX);
	assert_int_equal(event.preempted_ticks, 0);
	assert_true(file.cpu_unread >= 2);
	file.tid--;
	private_state.waits_seen.ticks = 0;
	const uint64_t before = file.cpu_unread;
	event = collect(&(struct state_os_seen){.voluntary_switches = 1});
	assert_true(event.blocked_ticks == UINT64_MAX);
	assert_true(file.cpu_unread > before);
}

/* Its memory says that it is the parent: the kernel says that it is not. */
static void test_no_clock_of_a_parent(void **state)
{
	struct accumulate_event event = {.ticks = kernel_ticks()};
	int status;

	(void)state;
	waits_begin(&file, &private_state);
	const pid_t child = fork();
	if (!child) {
		waits_collect(&file, &private_state, WAITS_VOLUNTARY, &event);
		_exit(event.blocked_ticks == UINT64_MAX && file.cpu_unread == 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

#define CALLED 0x2000 /* what a SYSCALL probe leaves in the word */

/* Behind a system call, with that in the word, and in %es. Was the kernel asked for its counters?
 */
static bool is_asked_when_called(uint64_t in_word, uint64_t selector)
{
	const struct state_os_seen made_up = {.syscalls = file.syscalls};
	struct accumulate_event event = {.syscall_number = 0xffff};

	private_state.os_seen = made_up;
	private_state.syscall_uncounted = true;
	file.syscalls++;
	word = in_word;
	__asm__ volatile("mov %0, %%es" ::"r"((uint32_t)selector) : "memory");
	os_flag_collect(&file, &private_state, &event);
	__asm__ volatile("mov %0, %%es" ::"r"(0) : "memory");
	assert_int_equal(word, os_flag_armed());
	assert_true(event.os);
	assert_int_equal(event.os_cause, TARE_OS_SYSCALL);
	assert_int_equal(event.syscall_number, 42);
	assert_false(private_state.syscall_uncounted);
	assert_int_equal(private_state.os_seen.syscalls, file.syscalls);
	const bool asked = private_state.os_seen.voluntary_switches ||
			   private_state.os_seen.involuntary_switches ||
			   private_state.os_seen.minor_faults;

	assert_int_equal(event.blocked_ticks | event.preempted_ticks, asked ? UINT64_MAX : 0);
	return asked;
}

static void test_a_call_without_a_switch(void **state)
{
	int unasked = 0;

	(void)state;
	state_session.rseq_called = CALLED;
	assert_false(is_asked_when_called(CALLED, 0));
	assert_true(is_asked_when_called(0, 0));
	state_process.selector = 3;
	assert_true(is_asked_when_called(CALLED, 0)); /* a fault or an interrupt as well */
	for (int i = 0; i < ATTEMPTS; i++)
		unasked += !is_asked_when_called(CALLED, 3);
	assert_true(unasked > ATTEMPTS / 2);
	state_process.selector = 0;
	state_session.rseq_called = 0;
}

static uint64_t word_before_a_call(uint64_t in_word)
{
	word = in_word;
	os_flag_called(&file);
	return word;
}

/* A switch since the last event, in the program or in a call of before, is not forgotten. */
static void test_a_switch_before_a_call(void **state)
{
	(void)state;
	file.rseq_word = (uint64_t)&word;
	state_session.rseq_called = CALLED;
	assert_int_equal(word_before_a_call(0), 0);
	assert_int_equal(word_before_a_call(os_flag_armed()), CALLED);
	assert_int_equal(word_before_a_call(CALLED), CALLED);
	state_session.rseq_called = 0;
	assert_int_equal(word_before_a_call(os_flag_armed()), 0);
}

static void test_nothing_happened(void **state)
{
	struct tare_thread_file self = {.rseq_word = (uint64_t)&word};
	struct accumulate_event event = {.os_cause = TARE_OS_CAUSES};

	(void)state;
	word = os_flag_armed();
	os_flag_collect(&self, &private_state, &event);
	assert_false(event.os);
	assert_int_equal(event.os_cause, TARE_OS_CAUSES);
}

/*
 * Whatever the word holds while nothing has happened, the kernel may look at what it points to: a
 * descriptor of an empty range, however often it is renewed.
 */
static void test_renewed_words_are_descriptors(void **state)
{
	enum { RENEWALS = 2000 };

	(void)state;
	os_flag_probe_host(0);
	const struct rseq_cs first = *(const struct rseq_cs *)os_flag_armed();
	assert_int_not_equal(first.abort_ip, 0);
	assert_int_equal(first.post_commit_offset, 0);
	for (int i = 0; i < RENEWALS; i++) {
		const uint64_t before = os_flag_armed();
		os_flag_renew();
		assert_int_not_equal(os_flag_armed(), before);
		assert_int_equal(os_flag_armed() % _Alignof(struct rseq_cs), 0);
		assert_memory_equal((const void *)os_flag_armed(), &first, sizeof(first));
	}
}

/* Another descriptor is in the word, and `selector` is kept. Was the kernel asked for its counters?
 */
static bool is_asked_when_renewed(uint64_t selector)
{
	const struct state_os_seen made_up = {.syscalls = file.syscalls};
	struct accumulate_event event = {0};

	private_state.os_seen = made_up;
	word = os_flag_armed() + 32;
	state_process.selector = selector;
	__asm__ volatile("mov %0, %%es" ::"r"((uint32_t)selector) : "memory");
	os_flag_collect(&file, &private_state, &event);
	__asm__ volatile("mov %0, %%es" ::"r"(0) : "memory");
	state_process.selector = 0;
	assert_int_equal(word, os_flag_armed());
	const bool asked = memcmp(&private_state.os_seen, &made_up, sizeof(made_up)) != 0;

	assert_true(asked || !event.os);
	return asked;
}

static void test_a_renewal_is_no_event(void **state)
{
	int unasked = 0;

	(void)state;
	for (int i = 0; i < ATTEMPTS; i++)
		unasked += !is_asked_when_renewed(3);
	/* Whatever interrupts this thread takes the selector away, so some may be asked for. */
	assert_true(unasked > ATTEMPTS / 2);
	assert_true(is_asked_when_renewed(0)); /* nothing would tell of a fault */
	file.syscalls++;
	private_state.os_seen.syscalls = 0;
	assert_int_equal(cause_of((struct state_os_seen){.syscalls = 1}), TARE_OS_SYSCALL);
}

/* The program's filter knows no clocks of threads, but that of the caller. */
static void test_a_clock_by_name(void **state)
{
	static const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, CLOCK_TAI, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	static _Alignas(struct filter) char memory[sizeof(struct filter) + sizeof(code)];
	struct filter *filter = (struct filter *)memory;
	struct accumulate_event event = {.ticks = kernel_ticks()};

	(void)state;
	filter->length = sizeof(code) / sizeof(code[0]);
	memcpy(filter->code, code, sizeof(code));
	filter_add(filter);
	waits_begin(&file, &private_state);
	private_state.waits_seen.ticks -= WAITED;
	waits_collect(&file, &private_state, WAITS_INVOLUNTARY, &event);
	assert_waited(event.preempted_ticks);
	assert_int_equal(file.cpu_unread, 0);
	file.tid++;
	waits_collect(&file, &private_state, WAITS_INVOLUNTARY, &event);
	assert_int_equal(file.cpu_unread, 1);
}

/* Three switches in an interval of `passed` ticks; what is taken off for them. */
static uint64_t taken_off(uint64_t passed)
{
	const struct state_os_seen change = {.voluntary_switches = 1, .involuntary_switches = 2};

	for (int i = 0; i < ATTEMPTS; i++) {
		file.switches_ticks = file.lost_ticks = 0;
		waits_begin(&file, &private_state);
		private_state.waits_seen.ticks -= WAITED;
		file.now_ticks = kernel_ticks() - passed;
		if (!collect_once(&change).os)
			continue;
		assert_int_equal(file.lost_ticks, file.switches_ticks);
		return file.switches_ticks;
	}
	fail_msg("something happened between the readings %d times", ATTEMPTS);
	return 0;
}

/* What the kernel takes for a thread's base of %gs is nobody's, but waiting is the program's. */
static void test_longer_switches(void **state)
{
	(void)state;
	state_session.calibration.switch_ticks = WAITED;
	has_base = true;
	assert_int_equal(taken_off(8 * WAITED), 3 * WAITED);
	assert_in_range(taken_off(2 * WAITED), WAITED / 10 * 8, WAITED / 10 * 12);
	assert_int_equal(taken_off(WAITED / 2), 0);
	has_base = false;
	assert_int_equal(taken_off(8 * WAITED), 0);
	has_base = true;
	file.tid++; /* its clock cannot be read: all of it waits */
	assert_int_equal(taken_off(8 * WAITED), 0);
	has_base = false;
	state_session.calibration.switch_ticks = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_one_counter, set_up),
		cmocka_unit_test_setup(test_a_renewal_is_no_event, set_up),
		cmocka_unit_test_setup(test_several_counters, set_up),
		cmocka_unit_test_setup(test_system_call_numbers, set_up),
		cmocka_unit_test_setup(test_system_calls_of_other_intervals, set_up),
		cmocka_unit_test_setup(test_waits, set_up),
		cmocka_unit_test_setup(test_ready, set_up),
		cmocka_unit_test_setup(test_wait_behind_the_end, set_up),
		cmocka_unit_test_setup(test_short_waits, set_up),
		cmocka_unit_test_setup(test_unasked, set_up),
		cmocka_unit_test_setup(test_longer_switches, set_up),
		cmocka_unit_test_setup(test_no_clock, set_up),
		cmocka_unit_test_setup(test_no_clock_of_a_parent, set_up),
		cmocka_unit_test_setup(test_a_call_without_a_switch, set_up),
		cmocka_unit_test_setup(test_a_switch_before_a_call, set_up),
		cmocka_unit_test_setup(test_nothing_happened, set_up),
		cmocka_unit_test(test_renewed_words_are_descriptors),
		cmocka_unit_test_setup(test_a_clock_by_name, set_up), /* its filter stays */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
