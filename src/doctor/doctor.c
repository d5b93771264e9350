/* Gathers what osevents finds out about the host, and tries tare's own needs. */
#include "doctor/doctor.h"

#include "cache/cache.h"
#include "doctor/abilities.h"
#include "doctor/hints.h"
#include "doctor/host_facts.h"
#include "object/debuginfod.h"
#include "object/object.h"
#include "record/runtime_file.h"
#include "record/timer_choice.h"
#include "sampler/perf_errors.h"
#include "session/clock.h"
#include "session/leftovers.h"
#include "session/session_dir.h"
#include "target/target.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

__attribute__((format(printf, 4, 5))) static void add_fact(struct doctor_facts *facts,
							   const char *name,
							   enum doctor_verdict verdict,
							   const char *format, ...)
{
	struct doctor_fact fact = {.name = name, .verdict = verdict};
	va_list args;

	va_start(args, format);
	vsnprintf(fact.reason, sizeof(fact.reason), format, args);
	va_end(args);
	vec_push(facts, fact);
}

/* That of the last fact. */
static char *last_hint(struct doctor_facts *facts)
{
	return vec_last(facts).hint;
}

static void examine_clock(struct doctor_facts *facts)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	struct clock_points points = {0};
	struct clock_rate rate;
	struct error err;
	const char *why;

	vec_push(&points, clock_take_point());
	nanosleep(&pause, NULL);
	vec_push(&points, clock_take_point());
	if (!clock_rate_compute(&points, &rate, &err))
		add_fact(facts, "clock", DOCTOR_FAILS, "%s", err.message);
	else if (!clock_is_invariant(&why))
		add_fact(facts, "clock", DOCTOR_LIMITED, "%s; times may be wrong", why);
	else
		add_fact(facts, "clock", DOCTOR_WORKS,
			 "the time-stamp counter is invariant, %.3f GHz (measured within %.1f ppm)",
			 rate.ticks_per_second / 1e9, rate.uncertainty_ppm);
	vec_fini(&points);
}

static void examine_host(struct doctor_facts *facts)
{
	static void (*const probes[])(struct host_fact *) = {host_probe_selector, host_probe_rseq,
							     host_probe_bpf};

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		struct host_fact fact = {0};
		probes[i](&fact);
		add_fact(facts, fact.name, (enum doctor_verdict)fact.verdict, "%s", fact.reason);
		if (probes[i] == host_probe_bpf)
			hint_copy("nothing, as tare does without", last_hint(facts));
	}
}

static void examine_perf(struct doctor_facts *facts)
{
	struct perf_ability abilities[PERF_ABILITIES];

	perf_abilities_find(abilities);
	struct perf_obstacle obstacle = {
		.tracefs = perf_abilities_tracefs(),
		.paranoid = perf_paranoid_level(),
		.all_refused = !abilities[PERF_OWN_PROCESSES].works,
		.is_root = geteuid() == 0,
	};
	for (size_t i = 0; i < PERF_ABILITIES; i++) {
		obstacle.ability = (enum perf_ability_index)i;
		add_fact(facts, abilities[i].name,
			 abilities[i].works ? DOCTOR_WORKS : DOCTOR_LIMITED, "%s",
			 abilities[i].reason);
		if (!abilities[i].works)
			hint_for_perf(&obstacle, last_hint(facts));
	}
}

static void examine_way_of_sampling(struct doctor_facts *facts)
{
	struct timer_choice choice;

	timer_choice_examine(&choice);
	add_fact(facts, "sampled by", choice.by_timers ? DOCTOR_LIMITED : DOCTOR_WORKS, "%s",
		 choice.by_timers
			 ? "timers in the processes of a command, as perf_event_open is refused: "
			   "nothing of the kernel, no events but processor time, no --pid, --all, "
			   "--off-cpu"
			 : "perf_event_open");
	if (choice.by_timers)
		hint_for_perf(&(struct perf_obstacle){.ability = PERF_OWN_PROCESSES,
						      .paranoid = perf_paranoid_level(),
						      .all_refused = true,
						      .is_root = geteuid() == 0},
			      last_hint(facts));
}

static void examine_runtime(struct doctor_facts *facts)
{
	struct error err;
	char *path = runtime_file_find(&err);

	if (path)
		add_fact(facts, "runtime library", DOCTOR_WORKS, "%s", path);
	else
		add_fact(facts, "runtime library", DOCTOR_FAILS, "%s", err.message);
	if (!path)
		hint_for_runtime(last_hint(facts));
	free(path);
}

static void examine_debug_files(struct doctor_facts *facts)
{
	const char *servers;
	const bool works = debuginfod_state(&servers);

	add_fact(facts, "debug files", works ? DOCTOR_WORKS : DOCTOR_LIMITED,
		 "of stripped files are looked for below %s; %s", object_debug_roots(), servers);
	if (!works && !TARE_IS_STATIC)
		hint_for_package("libdebuginfod1", last_hint(facts));
}

static void examine_cache(struct doctor_facts *facts)
{
	struct error err;
	struct cache cache = {.root_fd = -1};
	char *root = cache_default_root(&err);

	if (root && cache_open(&cache, root, CACHE_LIMIT_BYTES, &err)) {
		add_fact(facts, "cache", DOCTOR_WORKS, "%s, at most %llu GiB", root,
			 CACHE_LIMIT_BYTES >> 30);
		cache_close(&cache);
	} else {
		add_fact(facts, "cache", DOCTOR_LIMITED, "%s", err.message);
		hint_copy("export XDG_CACHE_HOME=\"$(mktemp -d)\"", last_hint(facts));
	}
	free(root);
}

static void examine_session(struct doctor_facts *facts)
{
	struct error err;
	struct session session = {.fd = -1};

	if (!session_create(&session, false, &err)) {
		add_fact(facts, "recorded data", DOCTOR_FAILS, "%s", err.message);
		hint_copy("export TMPDIR=… (a directory with room)", last_hint(facts));
		return;
	}
	add_fact(facts, "recorded data", DOCTOR_WORKS, "kept in %.*s while recording",
		 (int)(path_basename(session.directory) - session.directory - 1),
		 session.directory);
	session_close(&session, true);
}

static void examine_leftovers(struct doctor_facts *facts)
{
	struct leftovers leftovers = {0};
	uint64_t bytes = 0;
	size_t dead = 0;

	leftovers_find(&leftovers);
	vec_foreach (leftover, &leftovers) {
		if (!leftover_is_dead(leftover))
			continue;
		dead++;
		bytes += leftover->bytes;
	}
	if (dead) {
		add_fact(facts, "left-overs", DOCTOR_LIMITED,
			 "%zu of interrupted recordings, %.1f MB: tare recover lists them, tare "
			 "recover --clean removes them",
			 dead, (double)bytes / 1e6);
		hint_copy("tare recover --clean", last_hint(facts));
	} else {
		add_fact(facts, "left-overs", DOCTOR_WORKS, "none of interrupted recordings");
	}
	leftovers_fini(&leftovers);
}

void doctor_examine(struct doctor_facts *facts)
{
	examine_clock(facts);
	examine_host(facts);
	examine_perf(facts);
	examine_way_of_sampling(facts);
	examine_runtime(facts);
	examine_debug_files(facts);
	examine_cache(facts);
	examine_session(facts);
	examine_leftovers(facts);
}
