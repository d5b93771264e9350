/*
 * Recording one command, by instrumentation, by sampling, or both. Everything that can fail for the
 * user's sake (program, output, runtime, cache, patterns) is tried before the command starts; once
 * it runs, nothing that goes wrong here may change its outcome, and its data stay in the session
 * directory until a profile is written.
 */
#include "record/record.h"

#include "cache/children.h"
#include "cache/closure_ahead.h"
#include "cache/deferral.h"
#include "cache/instrument.h"
#include "cache/learned.h"
#include "cache/stat_index.h"
#include "cache/timer_rules.h"
#include "cache/triggers.h"
#include "record/cpu_watch.h"
#include "record/place_requests.h"
#include "record/record_parts.h"
#include "record/rescue.h"
#include "record/runtime_file.h"
#include "record/sampling.h"
#include "record/timer_choice.h"
#include "session/answer_file.h"
#include "session/control.h"
#include "session/interrupt.h"
#include "session/members.h"
#include "session/notes.h"
#include "session/server.h"
#include "target/handover.h"
#include "target/launch.h"
#include "target/program.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NS_PER_SECOND	1000000000ULL
#define TIMERS_NS_LEAST (NS_PER_SECOND / 10) /* samples of less cost too little to be measured */
#define BARE_NS_LEAST	NS_PER_SECOND	     /* recordings that end before are learned from only */

struct run {
	const struct record_options *options;
	struct program program;	 /* unless it is only sampled: */
	char *file, **arguments; /* what is executed then, as it is */
	struct sampling sampling;
	struct timer_choice timers; /* instead of a sampler */
	char *output, *runtime, *private_cache;
	struct cache cache;
	bool cache_is_open;
	struct instrument_options instrument;
	struct instrumenter instrumenter;
	struct triggers triggers;
	struct session session;
	struct recording recording;
	struct server server;
	struct answer_file answers;
	struct timer_rules timer_rules;
	struct launch launch;
	struct handover handover; /* options->exec */
	struct cpu_watch cpu;
	struct str original_link; /* the last answer to TARE_REQUEST_ORIGINAL */
	struct places places;
	struct deferral deferral;
	struct closure_ahead ahead;
	size_t file_number, file_count; /* see struct instrument_progress */
	uint64_t static_tls_bytes;	/* the command's own */
	struct children children;
	bool session_is_open, keep_session;
};

/* The runtime is in its processes. */
static bool is_instrumented(const struct run *run)
{
	return run->options->method != RECORD_SAMPLE || run->timers.by_timers;
}

static bool is_sampled(const struct run *run)
{
	return run->options->method != RECORD_INSTRUMENT && !run->timers.by_timers;
}

/* ---- before the command ---- */

static bool convert_selection(const struct instrument_request *from, struct instrument_options *to,
			      struct error *err)
{
	if (!instrument_options_init(to, from, err))
		return false;
	vec_foreach (units, &from->units) {
		if (!policy_add_units(&to->policy, *units, err))
			return false;
	}
	return true;
}

static bool open_cache(struct run *run, struct error *err)
{
	char *root = run->options->use_cache ? cache_default_root(err)
					     : session_make_executable_directory(err);

	if (!root)
		return false;
	run->cache_is_open = cache_open(&run->cache, root, CACHE_LIMIT_BYTES, err);
	if (run->options->use_cache)
		free(root);
	else
		run->private_cache = root;
	if (run->private_cache)
		interrupt_remove_directory(run->private_cache);
	run->cache.waiting = run->options->notice;
	run->cache.context = run->options->context;
	return run->cache_is_open;
}

/* Those that the cache has made aside, too: a run has one directory of its own at most. */
static void note_private_copies(struct run *run)
{
	if (run->private_cache || !run->cache.aside)
		return;
	run->private_cache = mem_strdup(run->cache.aside->root);
	if (run->session_is_open)
		recording_put_text(&run->recording, "private_copies", run->private_cache);
	else
		interrupt_remove_directory(run->private_cache);
}

/* What became of the file at `path`; see instrumenter_get. */
static void show_progress(const struct instrument_progress *now, void *context)
{
	const struct run *run = context;
	struct instrument_progress whole = *now;

	whole.running = run->launch.pid > 0;
	whole.file = whole.running ? 0 : run->file_number;
	whole.files = whole.running ? 0 : run->file_count;
	if (run->options->progress)
		run->options->progress(&whole, run->options->context);
}

static const struct instrumented *get_file(struct run *run, const char *path, bool *is_new,
					   struct error *err)
{
	const struct instrumented *file = instrumenter_get(&run->instrumenter, path, is_new, err);

	note_private_copies(run);
	return file;
}

/* The same of a library, which may not be worth waiting for. */
static const struct instrumented *get_library(struct run *run, const char *path, bool *is_new,
					      struct error *err)
{
	const struct instrumented *file =
		deferral_get(&run->deferral, &run->instrumenter, path, is_new, err);

	return file || err->code != ERROR_NONE ? file : get_file(run, path, is_new, err);
}

static void note_file(const struct run *run, const struct instrumented *file)
{
	struct str sentence = {0};

	if (!run->options->note)
		return;
	instrumented_describe(file, closure_ahead_was_built(&run->ahead, &file->entry), &sentence);
	run->options->note(sentence.data, run->options->context);
	str_fini(&sentence);
}

static void record_module(struct run *run, const struct instrumented *file)
{
	const struct recording_module module = {
		.path = file->path,
		.copy = file->entry.copy ? file->entry.copy : "",
		.entry = file->entry.directory ? file->entry.directory : "",
		.refusal = file->entry.refusal ? file->entry.refusal : "",
		.stat = file->stat,
	};

	recording_put_module(&run->recording, &module);
}

/* A file that stays as it is may use the register by which counters in others find their thread. */
static void note_gs(const struct run *run, const struct instrumented *file)
{
	if (!run->instrument.policy.syscalls_only && instrumented_may_set_gs(file))
		control_take_gs(&run->session);
}

static bool check_executable(struct run *run, const struct instrumented *executable,
			     struct error *err)
{
	const struct cache_entry *entry = &executable->entry;

	/* A loader brings the runtime also where there is no copy. */
	if (!entry->refusal || (entry->outcome == CACHE_TOO_LARGE && run->program.loader))
		return true;
	return run->timers.by_timers && run->options->method == RECORD_SAMPLE
		       ? timer_choice_refuse(&run->timers, run->program.path, err)
		       : error_set(err, ERROR_UNSUPPORTED, "%s", entry->refusal);
}

/* Those that are not made are made, beside the program and before it runs, or left for later. */
static bool instrument_libraries(struct run *run, const struct path_list *libraries,
				 const struct path_list *missing, struct error *err)
{
	bool is_new;

	vec_foreach (path, missing) {
		closure_ahead_wait(&run->ahead, missing, show_progress, run);
		run->file_number = (size_t)(path - missing->data) + 2;
		show_progress(&(struct instrument_progress){.path = *path}, run);
		if (!get_file(run, *path, &is_new, err))
			return false;
	}
	vec_foreach (path, libraries) {
		const struct instrumented *file = instrumenter_find(&run->instrumenter, *path);
		if (file)
			note_file(run, file);
	}
	return true;
}

/* The executable must be instrumented, left alone on purpose, or too large; its libraries may be
   refused. */
static bool instrument_program(struct run *run, const struct instrumented **executable,
			       struct error *err)
{
	bool is_new;

	show_progress(&(struct instrument_progress){.path = run->program.path}, run);
	*executable = get_file(run, run->program.path, &is_new, err);
	if (!*executable)
		return false;
	note_file(run, *executable);
	return check_executable(run, *executable, err);
}

static bool instrument_closure(struct run *run, const struct instrumented **executable,
			       struct error *err)
{
	struct path_list libraries = {0}, missing = {0};

	if (run->program.loader)
		closure_list(run->program.loader, run->program.path, NULL, &libraries);
	run->static_tls_bytes = closure_static_tls_bytes(&libraries);
	bool ok = deferral_choose(&run->deferral, &run->instrumenter, &libraries, &missing, err);
	if (ok && run->options->use_cache)
		closure_ahead_begin(&run->ahead, &run->instrumenter, &missing);
	run->file_count = missing.len + 1;
	ok = ok && instrument_program(run, executable, err) &&
	     instrument_libraries(run, &libraries, &missing, err);
	closure_fini(&libraries);
	closure_fini(&missing);
	return ok && instrumenter_check_patterns(&run->instrumenter, err) &&
	       triggers_check(&run->triggers, &run->instrumenter, err);
}

/* ---- the session ---- */

/* What is in effect of the methods, and the other options as they were given. */
static void describe_settings(struct run *run)
{
	struct str settings = {0};

	if (run->options->method != RECORD_SAMPLE)
		instrument_describe(&run->instrument, &settings);
	if (run->options->method != RECORD_INSTRUMENT)
		sampling_describe(&run->sampling, &settings);
	str_append(&settings, run->options->described ? run->options->described : "");
	if (run->options->all_paths || run->options->max_paths)
		recording_put_number(&run->recording, "max_paths",
				     run->options->all_paths ? INT64_MAX
							     : (int64_t)run->options->max_paths);
	recording_put_text(&run->recording, "settings", settings.data ? settings.data : "");
	str_fini(&settings);
}

/* A link in the session directory to the original of the copy at `path`, or NULL. */
static const char *link_to_original(struct run *run, const char *path)
{
	const struct recording_module *module = recording_find(&run->recording, path);

	if (!module || strcmp(module->copy, path) != 0)
		return NULL;
	str_clear(&run->original_link);
	str_printf(&run->original_link, "%s/original.%zu", run->session.directory,
		   (size_t)(module - run->recording.modules.data));
	if (symlink(module->path, run->original_link.data) < 0 && errno != EEXIST)
		return NULL;
	return run->original_link.data;
}

/* Do functions start as earlier recordings have left them? */
static bool learns(const struct run *run)
{
	return run->options->settings.adaptive_percent && run->options->learned;
}

/* Of a file that a process asks for; it is only told of what goes wrong. */
static void write_triggers(struct run *run, const struct instrumented *file)
{
	const bool was_beyond = run->triggers.beyond;
	struct error err;

	const bool ok = triggers_write(&run->triggers, &run->session, file, &err);
	if (!run->options->note)
		return;
	if (!ok)
		run->options->note(err.message, run->options->context);
	else if (run->triggers.beyond && !was_beyond)
		run->options->note("more functions match --start-at and --stop-at than can switch; "
				   "some in libraries opened later do not",
				   run->options->context);
}

/* Other processes may read it, unless the file at `path` has changed since. */
static void publish(struct run *run, enum tare_request_kind kind, const char *path,
		    const struct instrumented *file, const struct server_answer *answer)
{
	struct str now = {0};
	struct stat info;

	if (!run->options->follow || stat(path, &info) < 0)
		return;
	cache_stat_text(&info, &now);
	if (!strcmp(now.data, file->stat))
		answer_file_put(&run->answers, kind, path, &info, answer);
	str_fini(&now);
}

static struct server_answer answer_child(struct run *run, const char *path)
{
	const struct instrumented *file = instrumenter_find(&run->instrumenter, path);
	struct server_answer answer = {0};

	if (!file || !children_may_skip(&run->children, file, &answer.static_tls_bytes))
		return answer;
	answer.path = file->entry.copy;
	publish(run, TARE_REQUEST_CHILD, path, file, &answer);
	return answer;
}

static struct server_answer answer_original(struct run *run, const char *path)
{
	const struct server_answer answer = {.path = link_to_original(run, path)};

	if (answer.path)
		answer_file_put(&run->answers, TARE_REQUEST_ORIGINAL, path, NULL, &answer);
	return answer;
}

/* A process executes the original: those that would execute the copy at once may have to ask. */
static void note_child(struct run *run, const struct instrumented *file, pid_t pid,
		       struct server_answer *answer)
{
	uint64_t ignored;

	answer->static_tls_bytes = children_static_tls_bytes(&run->children, file, pid);
	if (!children_may_skip(&run->children, file, &ignored))
		answer_file_withdraw(&run->answers, TARE_REQUEST_CHILD, file->path);
}

/* The path of the unwind rules of a file, or of its copy; NULL: it has none. */
static const char *rules_of(struct run *run, const char *path, const char *copy)
{
	run->timer_rules.in_session = run->private_cache != NULL;
	return timer_rules_get(&run->timer_rules, &run->session, path, copy);
}

/* Of a file as a process has it: executables are copies. */
static const char *rules_of_file(struct run *run, const char *path)
{
	const struct recording_module *module = recording_find(&run->recording, path);
	const bool is_copy = module && strcmp(module->copy, path) == 0;

	return is_copy ? rules_of(run, module->path, path) : rules_of(run, path, NULL);
}

/* What the runtime asks for: a library that is about to be loaded, its own executable, or whose
   copy that is. */
static struct server_answer answer_request(enum tare_request_kind kind, const char *path, pid_t pid,
					   void *context)
{
	const struct server_answer none = {0};
	struct run *run = context;
	struct error err;
	bool is_new;

	if (kind == TARE_REQUEST_CONTROL) {
		control_follow_apart(&run->session);
		return (struct server_answer){.path = run->session.directory};
	}
	if (kind == TARE_REQUEST_GUEST) {
		recording_put_number(&run->recording, "guests", (int64_t)run->recording.guests + 1);
		return none;
	}
	if (kind == TARE_REQUEST_ORIGINAL)
		return answer_original(run, path);
	if (kind == TARE_REQUEST_PLACE)
		return (struct server_answer){
			.path = places_find(&run->places, &run->recording, pid, path)};
	if (kind == TARE_REQUEST_RULES)
		return (struct server_answer){.path = rules_of_file(run, path)};
	if (!run->options->follow && pid != run->launch.pid)
		return none;
	if (kind == TARE_REQUEST_CHILD)
		return answer_child(run, path);
	const struct instrumented *file = kind == TARE_REQUEST_LIBRARY
						  ? get_library(run, path, &is_new, &err)
						  : get_file(run, path, &is_new, &err);
	if (!file)
		return none;
	if (is_new) {
		note_file(run, file);
		record_module(run, file);
		note_gs(run, file);
		write_triggers(run, file);
		if (learns(run))
			learned_hand_over(&run->session, file);
	}
	if (kind == TARE_REQUEST_RULES_OF_COPY)
		return (struct server_answer){
			.path = file->entry.copy ? rules_of(run, file->path, file->entry.copy)
						 : NULL};
	if (kind == TARE_REQUEST_EXECUTABLE && !instrumented_takes_runtime(file))
		return none;
	struct server_answer answer = {.path = file->entry.copy};
	if (kind == TARE_REQUEST_EXECUTABLE && answer.path)
		note_child(run, file, pid, &answer);
	if (kind == TARE_REQUEST_LIBRARY)
		publish(run, kind, path, file, &answer);
	return answer;
}

/* What the runtimes in the processes need. */
static bool open_service(struct run *run, struct error *err)
{
	char *runtime = realpath(run->runtime, NULL);

	recording_put_text(&run->recording, "runtime", runtime ? runtime : run->runtime);
	free(runtime);
	if (run->private_cache)
		recording_put_text(&run->recording, "private_copies", run->private_cache);
	vec_foreach (file, &run->instrumenter.files) {
		record_module(run, *file);
		note_gs(run, *file);
		if (learns(run))
			learned_hand_over(&run->session, *file);
		if (!triggers_write(&run->triggers, &run->session, *file, err))
			return false;
	}
	run->server.answer = answer_request;
	run->server.context = run;
	answer_file_create(&run->answers, &run->session);
	return server_open(&run->server, run->session.directory, run->session.fd, err);
}

static bool open_session(struct run *run, struct error *err)
{
	static const char *const methods[] = {"instrument", "sample", "instrument,sample"};
	table_covers(methods, RECORD_METHODS);
	const uint64_t trace_bytes = run->options->settings.trace_bytes;
	struct tare_settings settings = run->options->settings;

	settings.triggers = triggers_flags(&run->triggers);
	settings.no_follow = !run->options->follow;
	settings.tracer_pid = launch_tracer_pid();
	settings.filters = launch_filters();
	if (run->timers.by_timers) {
		settings.timer_period_ns = NS_PER_SECOND / run->options->sampling.frequency;
		settings.timer_only = run->options->method == RECORD_SAMPLE;
	}
	if (!session_create(&run->session, trace_bytes == TARE_TRACE_FULL, err))
		return false;
	run->session_is_open = true;
	interrupt_remove_directory(run->session.directory);
	if (!session_write_settings(&run->session, settings, err) ||
	    !control_create(&run->session, run->options->paused, err) ||
	    !recording_create(&run->recording, run->session.fd, err))
		return false;
	record_describe(&run->recording, run->output, run->options->follow);
	recording_put_text(&run->recording, "method", methods[run->options->method]);
	if (run->timers.by_timers)
		recording_put_text(&run->recording, "timer_reason", run->timers.reason);
	recording_put_command_line(&run->recording, run->options->words, run->options->word_count);
	describe_settings(run);
	return !is_instrumented(run) || open_service(run, err);
}

/* ---- the command ---- */

/*
 * The name under which the command runs decides what ps shows: that of the file, or the link, or
 * the script, that was asked for. Where the copy's name differs, a link in the session has it.
 */
static char *execution_path(struct run *run, const struct instrumented *executable)
{
	struct str link = {0};
	const char *file = executable->entry.copy ? executable->entry.copy : run->program.path;
	const char *wanted =
		path_basename(run->program.script ? run->program.script : run->options->words[0]);

	if (!*wanted || !strcmp(path_basename(file), wanted))
		return mem_strdup(file);
	if (mkdirat(run->session.fd, "run", 0700) < 0)
		return mem_strdup(file);
	str_printf(&link, "%s/run/%s", run->session.directory, wanted);
	if (symlink(file, link.data) == 0)
		return link.data;
	str_fini(&link);
	return mem_strdup(file);
}

/* The process is there and waits to execute the command. */
static bool start_sampling(pid_t pid, void *context, struct error *err)
{
	struct run *run = context;
	const struct sampling_begin begin = {
		.session = &run->session,
		.recording = &run->recording,
		.command_pid = (uint32_t)pid,
		.follow = run->options->follow,
		.limit_bytes = run->options->settings.max_disk_bytes,
	};

	return sampling_start(&run->sampling, &begin, err);
}

static bool start_command(struct run *run, const struct instrumented *executable, int *status,
			  struct error *err)
{
	char *path = executable ? execution_path(run, executable) : mem_strdup(run->file);
	const struct launch_options options = {
		.path = path,
		.arguments = executable ? run->program.arguments : run->arguments,
		.runtime =
			executable && instrumented_takes_runtime(executable) ? run->runtime : NULL,
		.session = run->session.directory,
		.static_tls_bytes = run->static_tls_bytes,
		.before_execution = is_sampled(run) ? start_sampling : NULL,
		.in_child = rescue_leave_child,
		.context = run,
	};

	if (run->options->prepared)
		run->options->prepared(run->options->context);
	record_put_begin(&run->recording);
	const bool ok = run->options->exec ? handover_start(&run->handover, &run->launch, &options,
							    status, err)
					   : launch_start(&run->launch, &options, status, err);
	free(path);
	if (ok)
		recording_put_number(&run->recording, "command_pid", run->launch.pid);
	return ok;
}

enum {
	MEMBERS_WATCHED = 64,
	MEMBERS_AGAIN_MS = 200,
};

/* Serves requests, takes samples and handles signals for a while, or until `others` descriptors say
   something. */
static void serve(struct run *run, struct pollfd *others, size_t other_count, int wait_ms)
{
	struct pollfd fds[SERVER_CLIENTS_MAX + 4 + MEMBERS_WATCHED];
	const size_t own_count = 3 + other_count;
	size_t count = own_count;

	fds[0] = (struct pollfd){.fd = run->launch.signal_fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = sampling_descriptor(&run->sampling), .events = POLLIN};
	fds[2] = (struct pollfd){.fd = run->launch.ended ? -1 : run->launch.pid_fd,
				 .events = POLLIN};
	for (size_t i = 0; i < other_count; i++)
		fds[3 + i] = others[i];
	server_poll(&run->server, fds, &count);
	if (is_sampled(run) && wait_ms > SAMPLING_WAIT_MS)
		wait_ms = SAMPLING_WAIT_MS;
	if (wait_ms > cpu_watch_left_ms(&run->cpu))
		wait_ms = cpu_watch_left_ms(&run->cpu);
	if (wait_ms > server_left_ms(&run->server))
		wait_ms = server_left_ms(&run->server);
	if (poll(fds, count, wait_ms) >= 0)
		server_handle(&run->server, fds + own_count, count - own_count);
	for (size_t i = 0; i < other_count; i++)
		others[i].revents = fds[3 + i].revents;
	sampling_take(&run->sampling);
	launch_handle_signals(&run->launch);
	cpu_watch_take_due(&run->cpu);
}

static void wait_for_command(struct run *run, struct clock_schedule *clock)
{
	while (!run->launch.ended) {
		serve(run, NULL, 0, clock_schedule_left_ms(clock));
		clock_schedule_take_due(clock, &run->recording);
	}
	if (run->launch.cpu_known)
		cpu_watch_end_command(&run->cpu, run->launch.pid, run->launch.cpu_ns);
}

static bool any_ended(const struct pollfd *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (members[i].revents)
			return true;
	return false;
}

/* Until one of the members ends: only then their number can have become zero. */
static void wait_for_member(struct run *run, struct clock_schedule *clock,
			    const struct member_list *members)
{
	struct pollfd fds[MEMBERS_WATCHED];
	size_t count = 0;

	vec_foreach (member, members) {
		const int fd =
			count < MEMBERS_WATCHED ? (int)syscall(SYS_pidfd_open, member->pid, 0) : -1;
		if (fd >= 0)
			fds[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
	}
	const bool all = count == members->len;
	do {
		const int left_ms = clock_schedule_left_ms(clock);
		serve(run, fds, count,
		      all || left_ms < MEMBERS_AGAIN_MS ? left_ms : MEMBERS_AGAIN_MS);
		clock_schedule_take_due(clock, &run->recording);
	} while (all && !any_ended(fds, count) && !run->launch.interrupted);
	for (size_t i = 0; i < count; i++)
		close(fds[i].fd);
}

/* A program that was executed just now has nothing mapped yet, so it takes two looks. */
static void wait_for_members(struct run *run, struct clock_schedule *clock)
{
	launch_take_interrupts(&run->launch);
	while (!is_instrumented(run) && !run->launch.interrupted &&
	       !sampling_is_over(&run->sampling)) {
		serve(run, NULL, 0, clock_schedule_left_ms(clock));
		clock_schedule_take_due(clock, &run->recording);
	}
	if (!is_instrumented(run))
		return;
	for (int empty_looks = 0; empty_looks < 2 && !run->launch.interrupted;) {
		struct member_list members = {0};

		members_find(run->session.directory, &members);
		empty_looks = members.len ? 0 : empty_looks + 1;
		if (members.len)
			wait_for_member(run, clock, &members);
		else
			serve(run, NULL, 0, MEMBERS_AGAIN_MS);
		members_fini(&members);
	}
}

static void wait_for_all(struct run *run)
{
	struct clock_schedule clock;

	clock_schedule_init(&clock);
	cpu_watch_start(&run->cpu, &run->session,
			is_instrumented(run) ? NULL : run->sampling.collect);
	cpu_watch_add_command(&run->cpu, run->launch.pid);
	wait_for_command(run, &clock);
	if (run->options->wait)
		wait_for_members(run, &clock);
	cpu_watch_stop(&run->cpu);
	recording_put_number(&run->recording, "end_ticks", (int64_t)clock_ticks());
	recording_put_number(&run->recording, "descendants_cpu_ns",
			     (int64_t)run->launch.descendants_cpu_ns);
	sampling_stop(&run->sampling, &run->recording, is_instrumented(run));
}

/* ---- the profile ---- */

/* Patterns of --module that no file had, now that all are known: plug-ins and children, too. */
static void append_unmatched(const struct run *run, struct str *out)
{
	vec_foreach (glob, &run->instrument.policy.modules) {
		bool any = false;

		vec_foreach (file, &run->instrumenter.files)
			any = any || policy_file_matches(*glob, (*file)->path);
		if (!any)
			str_printf(out,
				   "%s--module=%s matches none of the %zu files that were loaded",
				   out->len ? "; " : "", *glob, run->instrumenter.files.len);
	}
}

/* Of which files there is a copy next time only. */
static void append_deferred(const struct run *run, struct str *out)
{
	const struct path_list *files = &run->deferral.files;

	if (!files->len)
		return;
	str_printf(out, "%s%s", out->len ? "; " : "", path_basename(files->data[0]));
	if (files->len > 1)
		str_printf(out, " and %zu other libraries", files->len - 1);
	str_printf(out,
		   " (%" PRIu64 " MB of code) had no copies yet: samples tell their times, and "
		   "calls within them were not counted. The copies are made now, at idle "
		   "priority, for the next recording (--max-new-code)",
		   (run->deferral.bytes + (1 << 20) - 1) >> 20);
}

static void put_remark(const struct run *run, const struct instrumented *executable,
		       struct record_result *result)
{
	struct str remark = {0};

	/* Where samples only tell times of calls, who takes them is told by the report. */
	if (run->timers.by_timers && run->options->method == RECORD_SAMPLE)
		str_append(&remark, run->timers.reason);
	if (executable && executable->entry.refusal)
		str_printf(&remark, "%s%s; its libraries were recorded without it",
			   remark.len ? "; " : "", executable->entry.refusal);
	append_unmatched(run, &remark);
	append_deferred(run, &remark);
	result->remark = remark.data;
}

static bool was_longer(const struct run *run, uint64_t ns)
{
	const struct clock_points *points = &run->recording.clock;

	return points->len && vec_last(points).raw_ns - points->data[0].raw_ns >= ns;
}

static bool finish_run(struct run *run, const struct instrumented *executable,
		       struct record_result *result, struct error *err)
{
	struct record_learning learning = {.instrumenter = &run->instrumenter,
					   .bare = &run->deferral.files};

	result->command_status = launch_exit_status(&run->launch);
	put_remark(run, executable, result);
	recording_put_number(&run->recording, "exit_status", result->command_status);
	clock_schedule_finish(&run->recording);
	if (run->options->method != RECORD_SAMPLE && was_longer(run, TIMERS_NS_LEAST))
		timer_choice_measure(&run->timers, &run->recording);
	if (run->instrument.bare == INSTRUMENT_BARE_FIND && was_longer(run, BARE_NS_LEAST))
		learning.command = run->instrument.command;
	if (record_build_profile(&run->session, &run->recording, run->output, result,
				 learns(run) ? &learning : NULL, err)) {
		deferral_start(&run->deferral);
		return true;
	}
	run->keep_session = true;
	return record_keep_and_explain(run->session.directory, err);
}

/* ---- all of it ---- */

/*
 * Whoever says what to instrument, or how, waits for it. Without samples, and without a cache, a
 * later copy is of no use.
 */
static bool may_defer(const struct record_options *options)
{
	const struct instrument_request *from = &options->selection;

	return options->use_cache && options->method == RECORD_BOTH &&
	       options->settings.adaptive_percent && !from->modules.len && !from->patterns.len &&
	       !from->units.len && !from->start_at.len && !from->stop_at.len &&
	       from->transform == INSTRUMENT_TRANSFORM_FULL && !from->count_executions &&
	       !from->probes_all && !from->keep_small;
}

/*
 * What was learned of one command may be wrong of another one: what is only counted there cannot be
 * timed again when it turns out to wait. So bare copies serve the command that they were made for.
 */
static void choose_bare(struct run *run)
{
	const struct record_options *options = run->options;
	char digest[DIGEST_TEXT_BYTES];
	struct str words = {0};

	if (!may_defer(options) || !learns(run))
		return;
	str_printf(&words, "%s", run->program.path);
	for (size_t i = 0; i < options->word_count; i++)
		str_append_bytes(&words, options->words[i], strlen(options->words[i]) + 1);
	digest_bytes(words.data, words.len, digest);
	str_fini(&words);
	if (digest_parse(digest, run->instrument.command))
		run->instrument.bare = INSTRUMENT_BARE_FIND;
}

static bool prepare_instrumented(struct run *run, const struct instrumented **executable,
				 int *status, struct error *err)
{
	const struct record_options *options = run->options;

	if (!program_resolve(&run->program, options->words, options->word_count, status, err))
		return false;
	*status = TARGET_STATUS_FAILED;
	if (!convert_selection(&options->selection, &run->instrument, err) ||
	    !triggers_init(&run->triggers, &options->selection, err))
		return false;
	run->instrument.policy.syscalls_only = options->method == RECORD_SAMPLE;
	run->output = record_choose_output(options->output, path_basename(options->words[0]), err);
	run->runtime = run->output ? runtime_file_find(err) : NULL;
	run->instrument.progress = show_progress;
	run->instrument.progress_context = run;
	choose_bare(run);
	if (!run->runtime || !open_cache(run, err))
		return false;
	instrumenter_init(&run->instrumenter, &run->instrument, &run->cache);
	run->deferral = (struct deferral){.allowed = may_defer(options),
					  .left_bytes = options->max_new_code};
	return instrument_closure(run, executable, err);
}

/* A command that is only sampled is executed as it is. */
static bool prepare_plain(struct run *run, int *status, struct error *err)
{
	const struct record_options *options = run->options;

	run->file = program_find(options->words[0], status, err);
	if (!run->file)
		return false;
	*status = TARGET_STATUS_FAILED;
	run->arguments = mem_zalloc((options->word_count + 1) * sizeof(*run->arguments));
	memcpy(run->arguments, options->words, options->word_count * sizeof(*run->arguments));
	run->output = record_choose_output(options->output, path_basename(options->words[0]), err);
	return run->output != NULL;
}

static bool run_prepare(struct run *run, const struct instrumented **executable, int *status,
			struct error *err)
{
	*status = TARGET_STATUS_FAILED;
	if (is_sampled(run) && (!sampling_init(&run->sampling, &run->options->sampling, err) ||
				!timer_choice_make(&run->timers, &run->sampling, err)))
		return false;
	return (is_instrumented(run) ? prepare_instrumented(run, executable, status, err)
				     : prepare_plain(run, status, err)) &&
	       open_session(run, err);
}

static void run_release(struct run *run)
{
	sampling_fini(&run->sampling);
	free(run->file);
	free(run->arguments);
	str_fini(&run->original_link);
	places_fini(&run->places);
	children_fini(&run->children);
	struct error ignored;
	bool built = false;

	server_close(&run->server);
	answer_file_close(&run->answers);
	timer_rules_fini(&run->timer_rules);
	recording_fini(&run->recording);
	if (run->session_is_open)
		session_close(&run->session, !run->keep_session);
	vec_foreach (file, &run->instrumenter.files)
		built |= closure_ahead_was_built(&run->ahead, &(*file)->entry);
	closure_ahead_fini(&run->ahead);
	instrumenter_fini(&run->instrumenter);
	deferral_fini(&run->deferral);
	if (run->cache_is_open) {
		if (built && run->options->use_cache)
			cache_trim(&run->cache);
		cache_close(&run->cache);
	}
	/* What is kept for a recovery needs the verdicts beside the private copies. */
	if (run->private_cache && !run->keep_session)
		directory_remove(run->private_cache, &ignored);
	instrument_options_fini(&run->instrument);
	triggers_fini(&run->triggers);
	program_fini(&run->program);
	free(run->private_cache);
	free(run->output);
	free(run->runtime);
}

/* Returns when the recording is over, or before the command was started. */
static bool run_all(struct run *run, struct record_result *result, int *status, struct error *err)
{
	const struct instrumented *executable = NULL;

	interrupt_arm();
	rescue_arm();
	bool ok = run_prepare(run, &executable, status, err);
	interrupt_disarm();
	ok = ok && start_command(run, executable, status, err);
	if (!ok) {
		handover_refuse(&run->handover, *status, err);
		return false;
	}
	rescue_session(run->session.directory);
	if (!run->options->exec)
		rescue_command(&run->launch);
	wait_for_all(run);
	server_close(&run->server);
	answer_file_close(&run->answers);
	*status = run->options->exec ? TARGET_STATUS_FAILED : launch_exit_status(&run->launch);
	ok = finish_run(run, executable, result, err);
	launch_fini(&run->launch);
	rescue_session(NULL);
	handover_show(&run->handover);
	return ok;
}

bool record_run(const struct record_options *options, struct record_result *result, int *status,
		struct error *err)
{
	struct run run = {.options = options,
			  .sampling = {.log = {.fd = -1}},
			  .cache = {.root_fd = -1},
			  .session = {.fd = -1},
			  .recording = {.fd = -1},
			  .handover = {.fd = -1},
			  .server = {.fd = -1},
			  .answers = {.fd = -1}};

	*result = (struct record_result){.command_status = -1};
	*status = TARGET_STATUS_FAILED;
	launch_guard_descriptors();
	const enum handover_side side =
		options->exec ? handover_split(&run.handover, err) : HANDOVER_RECORDER;
	if (side == HANDOVER_FAILED)
		return false;
	if (side == HANDOVER_PROCESS)
		return handover_execute(&run.handover, status, err);
	timer_rules_init(&run.timer_rules);
	const bool ok = run_all(&run, result, status, err);
	run_release(&run);
	rescue_disarm();
	handover_fini(&run.handover);
	return ok;
}

void record_result_fini(struct record_result *result)
{
	free(result->output);
	free(result->partial);
	free(result->remark);
	*result = (struct record_result){0};
}
