/*
 * Writing and reading the recording file. One table maps the names of lines to fields, for both
 * directions. Refuses files of other users and lines that are damaged.
 */
#include "session/recording_file.h"

#include "base/process_parent.h"

#include "session/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDING_NAME	  "recording"
#define RECORDING_VERSION 1

enum { RECORDING_BYTES_MAX = 64 << 20 };

static const struct {
	const char *name;
	size_t offset;
} text_lines[] = {
	{"command_line", offsetof(struct recording, command_line)},
	{"directory", offsetof(struct recording, directory)},
	{"host", offsetof(struct recording, host)},
	{"system", offsetof(struct recording, system)},
	{"processor", offsetof(struct recording, processor)},
	{"settings", offsetof(struct recording, settings)},
	{"output", offsetof(struct recording, output)},
	{"boot", offsetof(struct recording, boot)},
	{"private_copies", offsetof(struct recording, private_copies)},
	{"timer_reason", offsetof(struct recording, timer_reason)},
	{"method", offsetof(struct recording, method)},
	{"runtime", offsetof(struct recording, runtime)},
	{"collector", offsetof(struct recording, collector)},
	{"sampling_reason", offsetof(struct recording, sampling_reason)},
	{"unwinding", offsetof(struct recording, unwinding)},
	{"sampled_pids", offsetof(struct recording, sampled_pids)},
};

static void recording_append(struct recording *recording, const struct str *line)
{
	if (recording->fd < 0)
		return;
	/* One write per line: a reader sees whole lines or a cut-off last one. */
	if (write(recording->fd, line->data, line->len) != (ssize_t)line->len)
		recording->failed = true;
}

static bool recording_take_text(struct recording *recording, const char *name, const char *value)
{
	for (size_t i = 0; i < sizeof(text_lines) / sizeof(text_lines[0]); i++) {
		if (strcmp(name, text_lines[i].name) != 0)
			continue;
		*(const char **)((char *)recording + text_lines[i].offset) =
			arena_strdup(&recording->arena, value);
		return true;
	}
	return false;
}

static void recording_take_number(struct recording *recording, const char *name, int64_t value)
{
	if (!strcmp(name, "begin_unix_ns"))
		recording->begin_unix_ns = value;
	else if (!strcmp(name, "begin_ticks"))
		recording->begin_ticks = (uint64_t)value;
	else if (!strcmp(name, "end_ticks"))
		recording->end_ticks = (uint64_t)value;
	else if (!strcmp(name, "recorder_pid"))
		recording->recorder_pid = value;
	else if (!strcmp(name, "command_pid"))
		recording->command_pid = value;
	else if (!strcmp(name, "follow"))
		recording->follow = value != 0;
	else if (!strcmp(name, "sampled_kernel"))
		recording->sampled_kernel = value != 0;
	else if (!strcmp(name, "interrupt_ns"))
		recording->interrupt_ns = (uint64_t)value;
	else if (!strcmp(name, "timer_ns"))
		recording->timer_ns = (uint64_t)value;
	else if (!strcmp(name, "signal_ns"))
		recording->signal_ns = (uint64_t)value;
	else if (!strcmp(name, "samples_unwritten"))
		recording->samples_unwritten = (uint64_t)value;
	else if (!strcmp(name, "max_paths"))
		recording->max_paths = (uint64_t)value;
	else if (!strcmp(name, "guests"))
		recording->guests = (uint64_t)value;
	else if (!strcmp(name, "descendants_cpu_ns"))
		recording->descendants_cpu_ns = (uint64_t)value;
	else if (!strcmp(name, "exit_status")) {
		recording->exit_status = value;
		recording->exited = true;
	}
}

static void recording_init(struct recording *recording)
{
	*recording = (struct recording){.fd = -1, .follow = true};
	arena_init(&recording->arena);
	for (size_t i = 0; i < sizeof(text_lines) / sizeof(text_lines[0]); i++)
		*(const char **)((char *)recording + text_lines[i].offset) = "";
}

bool recording_create(struct recording *recording, int session_fd, struct error *err)
{
	struct str line = {0};

	recording_init(recording);
	recording->fd =
		openat(session_fd, RECORDING_NAME,
		       O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (recording->fd < 0)
		return error_set_errno(err, errno, "cannot write to the session directory");
	str_printf(&line, "tare-recording\t%d\n", RECORDING_VERSION);
	recording_append(recording, &line);
	str_fini(&line);
	return true;
}

void recording_put_text(struct recording *recording, const char *name, const char *value)
{
	struct str line = {0};

	recording_take_text(recording, name, value);
	text_put_field(&line, name);
	text_put_field(&line, value);
	text_end_line(&line);
	recording_append(recording, &line);
	str_fini(&line);
}

void recording_put_number(struct recording *recording, const char *name, int64_t value)
{
	struct str line = {0};

	recording_take_number(recording, name, value);
	text_put_field(&line, name);
	text_put_fieldf(&line, "%jd", (intmax_t)value);
	text_end_line(&line);
	recording_append(recording, &line);
	str_fini(&line);
}

void recording_put_clock(struct recording *recording)
{
	struct str line = {0};
	const struct clock_point point = clock_take_point();

	vec_push(&recording->clock, point);
	str_printf(&line, "clock\t%ju\t%ju\t%ju\n", (uintmax_t)point.ticks, (uintmax_t)point.raw_ns,
		   (uintmax_t)point.width_ticks);
	recording_append(recording, &line);
	str_fini(&line);
}

static char *boot_identity(void)
{
	char *line = NULL;
	size_t size = 0;
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!file || getline(&line, &size, file) <= 0) {
		free(line);
		line = mem_strdup("");
	}
	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = 0;
	return line;
}

void recording_put_boot(struct recording *recording)
{
	char *boot = boot_identity();

	recording_put_text(recording, "boot", boot);
	free(boot);
}

static bool is_of_this_boot(const struct recording *recording)
{
	char *boot = boot_identity();
	const bool same = *boot && !strcmp(boot, recording->boot);

	free(boot);
	return same;
}

uint64_t recording_span_ticks(const struct recording *recording)
{
	const uint64_t end = is_of_this_boot(recording) ? clock_ticks() : recording->end_ticks;

	return end > recording->begin_ticks ? end - recording->begin_ticks : 0;
}

void recording_extend_clock(struct recording *recording)
{
	if (is_of_this_boot(recording))
		vec_push(&recording->clock, clock_take_point());
}

static void recording_take_module(struct recording *recording, const char *const fields[5])
{
	struct arena *arena = &recording->arena;
	const struct recording_module module = {
		.path = arena_strdup(arena, fields[0]),
		.copy = arena_strdup(arena, fields[1]),
		.entry = arena_strdup(arena, fields[2]),
		.refusal = arena_strdup(arena, fields[3]),
		.stat = arena_strdup(arena, fields[4]),
	};

	vec_push(&recording->modules, module);
}

void recording_put_module(struct recording *recording, const struct recording_module *module)
{
	const char *const fields[5] = {module->path, module->copy, module->entry, module->refusal,
				       module->stat};
	struct str line = {0};

	recording_take_module(recording, fields);
	text_put_field(&line, "module");
	for (size_t i = 0; i < 5; i++)
		text_put_field(&line, fields[i]);
	text_end_line(&line);
	recording_append(recording, &line);
	str_fini(&line);
}

static bool recording_take_clock(struct recording *recording, const struct text_line *line)
{
	struct clock_point point;

	if (!text_u64(line, 1, &point.ticks) || !text_u64(line, 2, &point.raw_ns) ||
	    !text_u64(line, 3, &point.width_ticks))
		return false;
	vec_push(&recording->clock, point);
	return true;
}

static bool recording_take_line(struct recording *recording, const struct text_line *line)
{
	const char *name = text_field(line, 0);
	int64_t number;

	if (!strcmp(name, "clock"))
		return recording_take_clock(recording, line);
	if (!strcmp(name, "module")) {
		const char *const fields[5] = {text_field(line, 1), text_field(line, 2),
					       text_field(line, 3), text_field(line, 4),
					       text_field(line, 5)};
		recording_take_module(recording, fields);
		return true;
	}
	if (!recording_take_text(recording, name, text_field(line, 1)) &&
	    text_i64(line, 1, &number))
		recording_take_number(recording, name, number);
	return true;
}

bool recording_read(struct recording *recording, int session_fd, struct error *err)
{
	struct text_line line;
	uint64_t version;
	bool ok = false;

	recording_init(recording);
	char *text = text_read_file(session_fd, RECORDING_NAME, RECORDING_BYTES_MAX, err),
	     *at = text;
	if (!text)
		return error_prefix(err, "this is not the directory of a recording");
	if (!text_next_line(&at, &line) || strcmp(text_field(&line, 0), "tare-recording") != 0 ||
	    !text_u64(&line, 1, &version)) {
		error_set(err, ERROR_INPUT, "this is not the directory of a recording");
	} else if (version != RECORDING_VERSION) {
		error_set(err, ERROR_UNSUPPORTED,
			  "the recording has version %ju, this tare reads version %d; use the tare "
			  "that recorded it",
			  (uintmax_t)version, RECORDING_VERSION);
	} else {
		ok = true;
		while (ok && text_next_line(&at, &line))
			ok = recording_take_line(recording, &line);
		if (!ok)
			error_set(err, ERROR_INPUT, "the recording file is damaged");
	}
	free(text);
	if (!ok)
		recording_fini(recording);
	return ok;
}

bool recording_instruments(const struct recording *recording)
{
	return strcmp(recording->method, "sample") != 0;
}

static bool is_sampled_by(const struct recording *recording, pid_t pid, uint32_t root)
{
	return root && (recording->follow ? process_descends_from((uint32_t)pid, root)
					  : (uint32_t)pid == root);
}

bool recording_samples(const struct recording *recording, pid_t pid)
{
	const char *at = recording->sampled_pids;

	if (!*recording->collector)
		return false;
	if (!strcmp(at, "all") || is_sampled_by(recording, pid, (uint32_t)recording->command_pid))
		return true;
	while (*at) {
		char *end;
		const unsigned long root = strtoul(at, &end, 10);

		if (end == at)
			return false;
		if (root <= INT32_MAX && is_sampled_by(recording, pid, (uint32_t)root))
			return true;
		at = end + (*end == ',');
	}
	return false;
}

void recording_fini(struct recording *recording)
{
	if (recording->fd >= 0)
		close(recording->fd);
	vec_fini(&recording->clock);
	vec_fini(&recording->modules);
	arena_fini(&recording->arena);
	*recording = (struct recording){.fd = -1};
}

const struct recording_module *recording_find(const struct recording *recording, const char *path)
{
	vec_foreach (module, &recording->modules) {
		if (*module->copy && !strcmp(module->copy, path))
			return module;
	}
	for (size_t i = recording->modules.len; i-- > 0;) {
		if (!strcmp(recording->modules.data[i].path, path))
			return &recording->modules.data[i];
	}
	return NULL;
}
