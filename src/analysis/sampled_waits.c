/*
 * What threads waited for, of recordings that only sample: from the samples of the event off-cpu,
 * each of which is a wait and weighs its time. The function that waits is the outermost one of the
 * system's below the program's own caller, as the names of those within it are often not known;
 * without such a caller, the innermost one outside of the kernel. Objects are not known.
 *
 * The system call is that whose entry the kernel's frames have; where they do not tell it, the C
 * library's function that is called as it is, or that waits for a futex whatever it is called.
 */
#include "analysis/private.h"
#include "analysis/sample_stacks.h"
#include "analysis/syscalls.h"

#include <fnmatch.h>
#include <string.h>
#include <sys/syscall.h>

enum { KERNEL_BIT = 63 }; /* of addresses on x86-64 */

struct sampled_waits {
	struct analysis *analysis;
	struct map known; /* caller, function, idle → wait */
};

static bool is_system(const struct analysis *analysis, uint32_t function)
{
	return analysis->modules.data[analysis->functions.data[function].module].system;
}

/* As analysis_os_is_idle, by the names of the C library's functions. */
static bool waits_for_work(const char *name)
{
	static const char *const waits[] = {"*epoll_*wait*",
					    "*poll",
					    "*select",
					    "*pselect*",
					    "*accept",
					    "*accept4",
					    "*wait4",
					    "*waitpid",
					    "*waitid",
					    "*nanosleep*",
					    "*usleep",
					    "sleep",
					    "pause",
					    "*sigsuspend",
					    "*sigtimedwait",
					    "*cond_*wait*",
					    "*pthread_*join*",
					    "*thread::join*",
					    "*condition_variable*wait*"};

	for (size_t i = 0; i < TABLE_COUNT(waits); i++)
		if (fnmatch(waits[i], name, 0) == 0)
			return true;
	return false;
}

/* ---- system calls ---- */

static bool is_page_fault(const char *name)
{
	return strstr(name, "page_fault") != NULL;
}

/* Of a function of the kernel; -1: it is the entry of none. */
static int entered_syscall(const char *name)
{
	static const char *const prefixes[] = {"__x64_sys_", "__ia32_sys_", "__se_sys_",
					       "__do_sys_",  "ksys_",	    "__sys_"};

	for (size_t i = 0; i < TABLE_COUNT(prefixes); i++)
		if (str_starts_with(name, prefixes[i]))
			return syscall_number(name + strlen(prefixes[i]));
	return -1;
}

/* Of a function of the C library; -1: it is not known to be in one. */
static int called_syscall(const char *name)
{
	static const struct {
		const char *pattern;
		int number;
	} functions[] = {{"*futex*", SYS_futex},       {"lll_lock_wait*", SYS_futex},
			 {"*mutex_*lock*", SYS_futex}, {"*rwlock_*lock*", SYS_futex},
			 {"*sem_*wait*", SYS_futex},   {"*barrier_wait", SYS_futex},
			 {"recv", SYS_recvfrom},       {"send", SYS_sendto},
			 {"pread", SYS_pread64},       {"pwrite", SYS_pwrite64}};

	name += strspn(name, "_");
	if (str_starts_with(name, "GI_"))
		name += strlen("GI_");
	name += strspn(name, "_");
	if (str_starts_with(name, "libc_"))
		name += strlen("libc_");
	for (size_t i = 0; i < TABLE_COUNT(functions); i++)
		if (fnmatch(functions[i].pattern, name, 0) == 0)
			return functions[i].number;
	return syscall_number(name);
}

static int syscall_of(const struct analysis *analysis, int64_t stack)
{
	size_t count;
	const struct profile_stack *stacks = profile_stacks(analysis->profile, &count);
	const struct profile_location *locations = profile_locations(analysis->profile, &count);
	int number = -1;

	for (int64_t at = stack; at && number < 0; at = stacks[at - 1].parent) {
		const struct profile_location *location = &locations[stacks[at - 1].location - 1];
		const uint32_t function = analysis->function_of[location->function - 1];
		const char *name = analysis->functions.data[function].name;
		const bool in_kernel = location->link_addr >> KERNEL_BIT;

		if (in_kernel ? is_page_fault(name) : !is_system(analysis, function))
			break;
		number = in_kernel ? entered_syscall(name) : called_syscall(name);
	}
	return number;
}

/* ---- places ---- */

static struct wait_place place_in_code(const struct analysis *analysis, int64_t stack)
{
	size_t count;
	const struct profile_stack *stacks = profile_stacks(analysis->profile, &count);
	const struct profile_location *locations = profile_locations(analysis->profile, &count);
	struct wait_place place = {.function = ANALYSIS_NONE, .caller = ANALYSIS_NONE};
	uint32_t innermost = ANALYSIS_NONE;

	for (int64_t at = stack; at; at = stacks[at - 1].parent) {
		const struct profile_location *location = &locations[stacks[at - 1].location - 1];
		const uint32_t function = analysis->function_of[location->function - 1];
		if (location->link_addr >> KERNEL_BIT)
			continue;
		if (innermost == ANALYSIS_NONE)
			place.function = innermost = function;
		if (!is_system(analysis, function)) {
			place.caller = function == innermost ? ANALYSIS_NONE : function;
			return place;
		}
		place.idle |= waits_for_work(analysis->functions.data[function].name);
		place.function = function;
	}
	place.function = innermost;
	return place;
}

struct wait_place analysis_wait_place(const struct analysis *analysis, int64_t stack)
{
	struct wait_place place = place_in_code(analysis, stack);

	place.syscall_number = syscall_of(analysis, stack);
	place.idle |= analysis_syscall_is_idle(place.syscall_number);
	return place;
}

struct analysis_sampled_wait analysis_waits_at(const struct wait_place *place)
{
	return (struct analysis_sampled_wait){.idle = place->idle,
					      .os = {.function = place->function,
						     .caller = place->caller,
						     .cause = TARE_OS_BLOCKED,
						     .syscall_number = -1,
						     .holder = ANALYSIS_NONE,
						     .holder_thread = ANALYSIS_NONE}};
}

bool analysis_stack_is_idle(const struct analysis *analysis, int64_t stack)
{
	return analysis_wait_place(analysis, stack).idle;
}

uint64_t analysis_ticks_of_ns(const struct analysis *analysis, uint64_t ns)
{
	return (uint64_t)((double)ns * (analysis->ticks_per_second / 1e9));
}

static void take(struct sampled_waits *waits, const struct sample_value *value)
{
	struct analysis *analysis = waits->analysis;
	const struct wait_place place = analysis_wait_place(analysis, value->stack);
	const uint64_t ticks = analysis_ticks_of_ns(analysis, value->weight);
	const uint64_t key = ((uint64_t)place.caller << 32 | place.function) ^ (uint64_t)place.idle
										       << 63;
	const uint64_t fresh = analysis->sampled_waits.len;
	const uint64_t index = *map_put(&waits->known, key, fresh);

	if (index == fresh)
		vec_push(&analysis->sampled_waits, analysis_waits_at(&place));
	analysis->sampled_waits.data[index].os.count += value->samples;
	analysis->sampled_waits.data[index].os.ticks += ticks;
	analysis->totals.sampled_waits += ticks;
}

int64_t analysis_event_id(const struct profile *profile, const char *name)
{
	size_t count;
	const struct profile_event *events = profile_events(profile, &count);

	for (size_t i = 0; i < count; i++)
		if (events[i].name && strcmp(events[i].name, name) == 0)
			return (int64_t)i + 1;
	return 0;
}

bool analysis_event_is_of_waits(const struct profile_event *event)
{
	return event->name &&
	       (strcmp(event->name, "off-cpu") == 0 || strcmp(event->name, "preempted") == 0);
}

bool analysis_load_sampled_waits(struct analysis *analysis, struct profile *profile,
				 struct error *err)
{
	struct sampled_waits waits = {.analysis = analysis};
	const int64_t event = analysis->has_calls ? 0 : analysis_event_id(profile, "off-cpu");
	struct sample_values values = {0};
	uint64_t truncated = 0;

	if (!event)
		return true;
	map_init(&waits.known);
	const bool ok = sample_values_load(analysis, profile, event, &values, &truncated, err);
	for (size_t i = 0; ok && i < values.len; i++)
		take(&waits, &values.data[i]);
	vec_fini(&values);
	map_fini(&waits.known);
	return ok;
}
