/*
 * Recording what runs already, by sampling: processes, or all of them. Nothing is changed in them,
 * so the recording can end at any time, in any way.
 */
#include "record/cpu_watch.h"
#include "record/record_parts.h"
#include "record/rescue.h"
#include "record/sampling.h"
#include "record/timer_choice.h"
#include "session/control.h"
#include "session/interrupt.h"
#include "session/notes.h"
#include "target/launch.h"
#include "target/target.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};

enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

/* What is attached to goes on. */
enum { NO_STATUS = -1 };

struct attach {
	const struct record_options *options;
	struct sampling sampling;
	struct session session;
	struct recording recording;
	struct cpu_watch cpu;
	char *output;
	bool session_is_open, keep_session;
	int signal_fd;
	sigset_t old_mask;
	struct sigaction old_actions[SIGNALS];
	int64_t begin_ms, end_ms; /* end: when the duration is over; INT64_MAX: never */
	char name[64];		  /* of the first process; "": all are recorded */
};

/* ---- before ---- */

enum { TEXT_BYTES_MAX = 1 << 16 };

/* A file of /proc/PID; the bytes that it has, up to `room`, or -1. */
static ssize_t proc_read(uint32_t pid, const char *name, char *text, size_t room)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, name);
	FILE *file = fopen(path, "re");
	if (!file)
		return -1;
	const size_t size = fread(text, 1, room - 1, file);
	fclose(file);
	text[size] = 0;
	return (ssize_t)size;
}

static unsigned long status_number(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? strtoul(at + strlen(name), NULL, 10) : 0;
}

/* What the sampler could not say as well. */
static bool check_process(uint32_t pid, struct error *err)
{
	char text[4096];

	if (proc_read(pid, "status", text, sizeof(text)) < 0)
		return error_set(err, ERROR_NOT_FOUND, "there is no process %" PRIu32, pid);
	const unsigned long leader = status_number(text, "\nTgid:");
	if (leader && leader != pid)
		return error_set(err, ERROR_INPUT,
				 "%" PRIu32 " is a thread of process %lu; name the process", pid,
				 leader);
	/* Behind the name, in which anything may stand: state and 6 numbers. */
	enum { PF_KTHREAD = 0x00200000 };
	const char *end =
		proc_read(pid, "stat", text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;
	char state = 0;
	unsigned flags = 0;
	if (!end || sscanf(end + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2)
		return true;
	if (flags & PF_KTHREAD)
		return error_set(err, ERROR_INPUT,
				 "process %" PRIu32 " is a thread of the kernel; tare record -a "
				 "samples the kernel too",
				 pid);
	if (state == 'Z' || state == 'X')
		return error_set(err, ERROR_NOT_FOUND, "process %" PRIu32 " has ended", pid);
	return true;
}

static void take_name(struct attach *attach)
{
	const struct record_sampling *sampling = &attach->options->sampling;

	if (!sampling->pid_count)
		return;
	if (proc_read(sampling->pids[0], "comm", attach->name, sizeof(attach->name)) > 0)
		attach->name[strcspn(attach->name, "\n")] = 0;
	if (!*attach->name)
		snprintf(attach->name, sizeof(attach->name), "process");
}

static char *output_path(const struct attach *attach, struct error *err)
{
	char name[64] = "system";

	if (*attach->name)
		memcpy(name, attach->name, sizeof(name));
	for (char *at = name; *at; at++)
		if (*at == '/')
			*at = '_';
	return record_choose_output(attach->options->output, name, err);
}

/*
 * The command line of the first process, as it was given, or the title that it has put in its
 * place: one text, with nothing but ends of text behind it.
 */
static void put_command_line(struct attach *attach)
{
	struct vec_of(char *) words = {0};
	char *text = mem_alloc(TEXT_BYTES_MAX);
	ssize_t size = 0;

	if (attach->options->sampling.pid_count)
		size = proc_read(attach->options->sampling.pids[0], "cmdline", text,
				 TEXT_BYTES_MAX);
	for (char *at = text; size > 0 && at < text + size; at += strlen(at) + 1)
		vec_push(&words, at);
	while (words.len > 1 && !*words.data[words.len - 1])
		words.len--;
	if (!words.len)
		recording_put_text(&attach->recording, "command_line", "[all processes]");
	else if (words.len == 1)
		recording_put_text(&attach->recording, "command_line", words.data[0]);
	else
		recording_put_command_line(&attach->recording, words.data, words.len);
	vec_fini(&words);
	free(text);
}

static void put_sampled(struct attach *attach)
{
	const struct record_sampling *sampling = &attach->options->sampling;
	struct str text = {0};

	if (sampling->everything)
		str_append(&text, "all");
	for (size_t i = 0; i < sampling->pid_count; i++)
		str_printf(&text, "%s%" PRIu32, i ? "," : "", sampling->pids[i]);
	recording_put_text(&attach->recording, "sampled_pids", text.data);
	str_fini(&text);
}

static bool open_session(struct attach *attach, struct error *err)
{
	const struct record_options *options = attach->options;
	struct str settings = {0};

	if (!session_create(&attach->session, false, err))
		return false;
	attach->session_is_open = true;
	interrupt_remove_directory(attach->session.directory);
	if (!session_write_settings(&attach->session, options->settings, err) ||
	    !control_create(&attach->session, false, err) ||
	    !recording_create(&attach->recording, attach->session.fd, err))
		return false;
	record_describe(&attach->recording, attach->output, options->follow);
	recording_put_text(&attach->recording, "method", "sample");
	put_command_line(attach);
	put_sampled(attach);
	sampling_describe(&attach->sampling, &settings);
	if (!options->follow)
		str_append(&settings, " --no-follow");
	recording_put_text(&attach->recording, "settings", settings.data);
	str_fini(&settings);
	return true;
}

/* ---- while it goes on ---- */

/*
 * From here on these end the recording, not tare. SIGINT too where a shell has started tare in the
 * background, with that signal ignored: it is the way to end a recording. SIGHUP stays ignored.
 */
static bool take_signals(struct attach *attach, struct error *err)
{
	const struct sigaction standard = {.sa_handler = SIG_DFL};
	struct sigaction hangup;
	sigset_t mine;

	sigemptyset(&mine);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaddset(&mine, signals[i]);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN)
		sigdelset(&mine, SIGHUP);
	sigprocmask(SIG_BLOCK, &mine, &attach->old_mask);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], sigismember(&mine, signals[i]) ? &standard : NULL,
			  &attach->old_actions[i]);
	attach->signal_fd = signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK);
	return attach->signal_fd >= 0 ||
	       error_set_errno(err, errno, "cannot receive signals by a descriptor");
}

static void give_signals_back(struct attach *attach)
{
	struct signalfd_siginfo info;

	if (attach->signal_fd < 0)
		return;
	while (read(attach->signal_fd, &info, sizeof(info)) == sizeof(info))
		;
	close(attach->signal_fd);
	attach->signal_fd = -1;
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &attach->old_actions[i], NULL);
	sigprocmask(SIG_SETMASK, &attach->old_mask, NULL);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void tell_status(const struct attach *attach)
{
	const struct record_options *options = attach->options;
	const struct record_status now = {
		.output = attach->output,
		.name = options->sampling.pid_count ? attach->name : NULL,
		.pids = options->sampling.pids,
		.pid_count = options->sampling.pid_count,
		.seconds = (double)(now_ms() - attach->begin_ms) / 1000,
		.samples = sampling_samples(&attach->sampling),
	};

	if (options->status)
		options->status(&now, options->context);
}

/* False: it is over. */
static bool go_on(struct attach *attach, struct clock_schedule *clock)
{
	struct signalfd_siginfo info;
	struct pollfd fds[] = {
		{.fd = attach->signal_fd, .events = POLLIN},
		{.fd = sampling_descriptor(&attach->sampling), .events = POLLIN},
	};
	int64_t wait_ms = SAMPLING_WAIT_MS;

	if (clock_schedule_left_ms(clock) < wait_ms)
		wait_ms = clock_schedule_left_ms(clock);
	if (cpu_watch_left_ms(&attach->cpu) < wait_ms)
		wait_ms = cpu_watch_left_ms(&attach->cpu);
	if (attach->end_ms - now_ms() < wait_ms)
		wait_ms = attach->end_ms - now_ms();
	poll(fds, 2, wait_ms > 0 ? (int)wait_ms : 0);
	sampling_take(&attach->sampling);
	cpu_watch_take_due(&attach->cpu);
	clock_schedule_take_due(clock, &attach->recording);
	tell_status(attach);
	return read(attach->signal_fd, &info, sizeof(info)) != sizeof(info) &&
	       now_ms() < attach->end_ms && !sampling_is_over(&attach->sampling);
}

static bool attach_run(struct attach *attach, struct record_result *result, struct error *err)
{
	const double duration_s = attach->options->sampling.duration_s;
	struct clock_schedule clock;
	const struct sampling_begin begin = {
		.session = &attach->session,
		.recording = &attach->recording,
		.follow = attach->options->follow,
		.limit_bytes = attach->options->settings.max_disk_bytes,
	};

	record_put_begin(&attach->recording);
	if (!sampling_start(&attach->sampling, &begin, err))
		return timer_choice_explain(err);
	attach->begin_ms = now_ms();
	attach->end_ms =
		duration_s > 0 ? attach->begin_ms + (int64_t)(duration_s * 1000) : INT64_MAX;
	if (attach->options->note)
		attach->options->note("sampling has begun", attach->options->context);
	clock_schedule_init(&clock);
	cpu_watch_start(&attach->cpu, &attach->session, attach->sampling.collect);
	while (go_on(attach, &clock))
		;
	cpu_watch_stop(&attach->cpu);
	recording_put_number(&attach->recording, "end_ticks", (int64_t)clock_ticks());
	sampling_stop(&attach->sampling, &attach->recording, false);
	recording_put_number(&attach->recording, "exit_status", NO_STATUS);
	clock_schedule_finish(&attach->recording);
	result->command_status = 0;
	if (attach->options->sampling.is_discarded ||
	    record_build_profile(&attach->session, &attach->recording, attach->output, result, NULL,
				 err))
		return true;
	attach->keep_session = true;
	return record_keep_and_explain(attach->session.directory, err);
}

static bool attach_prepare(struct attach *attach, struct error *err)
{
	const struct record_options *options = attach->options;

	if (!sampling_init(&attach->sampling, &options->sampling, err))
		return false;
	for (size_t i = 0; i < options->sampling.pid_count; i++) {
		if (!check_process(options->sampling.pids[i], err))
			return false;
	}
	take_name(attach);
	attach->output = options->sampling.is_discarded ? mem_strdup("") : output_path(attach, err);
	return attach->output && open_session(attach, err);
}

bool record_attach(const struct record_options *options, struct record_result *result, int *status,
		   struct error *err)
{
	struct attach attach = {.options = options,
				.sampling = {.log = {.fd = -1}},
				.session = {.fd = -1},
				.recording = {.fd = -1},
				.signal_fd = -1};

	*result = (struct record_result){.command_status = -1};
	*status = TARGET_STATUS_FAILED;
	launch_guard_descriptors();
	interrupt_arm();
	rescue_arm();
	bool ok = attach_prepare(&attach, err);
	ok = ok && take_signals(&attach, err);
	interrupt_disarm();
	if (ok)
		rescue_session(attach.session.directory);
	ok = ok && attach_run(&attach, result, err);
	rescue_session(NULL);
	give_signals_back(&attach);
	sampling_fini(&attach.sampling);
	recording_fini(&attach.recording);
	if (attach.session_is_open)
		session_close(&attach.session, !attach.keep_session);
	free(attach.output);
	rescue_disarm();
	return ok;
}
