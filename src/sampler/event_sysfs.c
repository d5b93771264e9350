/* Names become paths only if they are made of the characters that the kernel uses in them. */
#include "sampler/event_sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- files ---- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool directory_names(const char *path, struct arena *arena, struct name_list *names)
{
	DIR *directory = opendir(path);

	if (!directory)
		return false;
	for (const struct dirent *entry; (entry = readdir(directory));)
		if (entry->d_name[0] != '.')
			vec_push(names, arena_strdup(arena, entry->d_name));
	closedir(directory);
	vec_sort(names, compare_names);
	return true;
}

/* "; did you mean X" or "". */
static const char *nearest_of(const char *name, const struct name_list *names, struct arena *arena)
{
	const char *nearest = str_nearest(name, names->data, names->len);

	return nearest ? arena_printf(arena, "; did you mean %s", nearest) : "";
}

/* The first line of a file. */
__attribute__((format(printf, 3, 4))) static bool read_line(char *text, size_t size,
							    const char *format, ...)
{
	char path[512];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	FILE *file = fopen(path, "re");
	const bool read = file && fgets(text, (int)size, file);
	const int why = errno;

	if (read)
		text[strcspn(text, "\n")] = 0;
	if (file)
		fclose(file);
	errno = why;
	return read;
}

static bool is_name(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("_-.", text[i]))
			return false;
	return length && text[0] != '.';
}

/* ---- PMUs ---- */

struct pmu {
	const char *root;
	char name[64];
	struct event *event;
	unsigned depth; /* events stand for terms, not for events again */
};

static uint64_t *config_of(struct event *event, const char *field, size_t length)
{
	if (length == 6 && strncmp(field, "config", 6) == 0)
		return &event->config;
	if (length == 7 && strncmp(field, "config1", 7) == 0)
		return &event->config1;
	if (length == 7 && strncmp(field, "config2", 7) == 0)
		return &event->config2;
	return NULL;
}

/*
 * Puts `value` into the bits that a format names, lowest first: "config:0-7,32-35". False if there
 * are not enough of them.
 */
static bool put_bits(struct event *event, const char *format, uint64_t value)
{
	const char *colon = strchr(format, ':');
	uint64_t *config = colon ? config_of(event, format, (size_t)(colon - format)) : NULL;

	if (!config)
		return false;
	for (const char *at = colon + 1; *at;) {
		char *end;
		const unsigned long first = strtoul(at, &end, 10);
		const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		if (end == at || first > last || last > 63)
			return false;
		for (unsigned long bit = first; bit <= last; bit++, value >>= 1)
			*config = (*config & ~(1ULL << bit)) | (value & 1) << bit;
		at = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return false;
	}
	return !value;
}

static bool fail_term(const struct pmu *pmu, const char *term, struct error *err)
{
	struct name_list names = {0};
	struct arena arena = {0};
	char path[256];

	arena_init(&arena);
	snprintf(path, sizeof(path), "%s/%s/events", pmu->root, pmu->name);
	directory_names(path, &arena, &names);
	snprintf(path, sizeof(path), "%s/%s/format", pmu->root, pmu->name);
	directory_names(path, &arena, &names);
	error_set(err, ERROR_USAGE, "the PMU %s has no event or field %s%s", pmu->name, term,
		  nearest_of(term, &names, &arena));
	vec_fini(&names);
	arena_fini(&arena);
	return false;
}

static bool take_terms(struct pmu *pmu, char *terms, struct error *err);

/* NAME=NUMBER, or NAME: an event, or a field of one bit. */
static bool take_term(struct pmu *pmu, char *term, struct error *err)
{
	char text[512], *number = strchr(term, '='), *end = NULL;
	uint64_t value = 1;

	if (number) {
		*number++ = 0;
		value = strtoull(number, &end, 0);
		if (!*number || *number == '-' || *end)
			return error_set(err, ERROR_USAGE, "%s of the event %s is not a number: %s",
					 term, pmu->event->name, number);
	}
	uint64_t *config = config_of(pmu->event, term, strlen(term));
	if (config && number) {
		*config = value;
		return true;
	}
	if (number && strcmp(term, "period") == 0) {
		pmu->event->period = value;
		return true;
	}
	if (!is_name(term, strlen(term)))
		return fail_term(pmu, term, err);
	if (!number && !pmu->depth &&
	    read_line(text, sizeof(text), "%s/%s/events/%s", pmu->root, pmu->name, term)) {
		pmu->depth = 1;
		return take_terms(pmu, text, err);
	}
	if (!read_line(text, sizeof(text), "%s/%s/format/%s", pmu->root, pmu->name, term))
		return fail_term(pmu, term, err);
	if (!put_bits(pmu->event, text, value))
		return error_set(err, ERROR_USAGE, "%s of the PMU %s has no room for %s", term,
				 pmu->name, number ? number : "1");
	return true;
}

static bool take_terms(struct pmu *pmu, char *terms, struct error *err)
{
	char *rest = NULL;

	for (char *term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest))
		if (!take_term(pmu, term, err))
			return false;
	return true;
}

static bool fail_pmu(const struct pmu *pmu, struct error *err)
{
	struct name_list names = {0};
	struct arena arena = {0};

	arena_init(&arena);
	directory_names(pmu->root, &arena, &names);
	error_set(err, ERROR_USAGE, "there is no PMU %s%s (those of this machine are in %s)",
		  pmu->name, nearest_of(pmu->name, &names, &arena), pmu->root);
	vec_fini(&names);
	arena_fini(&arena);
	return false;
}

bool event_pmu_find(const char *root, struct event *event, struct error *err)
{
	struct pmu pmu = {.root = root, .event = event};
	const char *slash = strchr(event->name, '/');
	const char *last = strrchr(event->name, '/');
	char terms[sizeof(event->name)], type[32];
	const size_t length = (size_t)(slash - event->name);

	if (slash == last || last[1] || length >= sizeof(pmu.name) || !is_name(event->name, length))
		return error_set(err, ERROR_USAGE,
				 "%s is not an event of a PMU: write PMU/EVENT/ or "
				 "PMU/FIELD=NUMBER,…/",
				 event->name);
	memcpy(pmu.name, event->name, length);
	snprintf(terms, sizeof(terms), "%.*s", (int)(last - slash - 1), slash + 1);
	if (!read_line(type, sizeof(type), "%s/%s/type", root, pmu.name))
		return fail_pmu(&pmu, err);
	event->type = (uint32_t)strtoul(type, NULL, 10);
	return take_terms(&pmu, terms, err);
}

/* ---- tracepoints ---- */

const char *tracepoints_root(struct error *err)
{
	static const char *const roots[] = {"/sys/kernel/tracing/events",
					    "/sys/kernel/debug/tracing/events"};
	bool refused = false;

	for (size_t i = 0; i < 2; i++) {
		if (access(roots[i], R_OK | X_OK) == 0)
			return roots[i];
		refused |= errno == EACCES;
	}
	if (refused)
		error_set(err, ERROR_PERMISSION,
			  "tracepoints are not readable for this user: it takes root, or as root: "
			  "mount -o remount,mode=755 /sys/kernel/tracing");
	else
		error_set(err, ERROR_UNSUPPORTED,
			  "tracefs, where tracepoints are listed, is not mounted: as root, mount "
			  "-t tracefs nodev /sys/kernel/tracing");
	return NULL;
}

static bool fail_tracepoint(const char *root, const char *subsystem, const char *name,
			    struct error *err)
{
	struct name_list names = {0};
	struct arena arena = {0};
	char path[256];

	arena_init(&arena);
	snprintf(path, sizeof(path), "%s/%s", root, subsystem);
	if (directory_names(path, &arena, &names)) {
		const char *nearest = str_nearest(name, names.data, names.len);

		error_set(err, ERROR_NOT_FOUND, "there is no tracepoint %s:%s%s%s%s%s", subsystem,
			  name, nearest ? "; did you mean " : "", nearest ? subsystem : "",
			  nearest ? ":" : "", nearest ? nearest : "");
	} else {
		directory_names(root, &arena, &names);
		error_set(err, ERROR_NOT_FOUND, "there are no tracepoints of %s%s", subsystem,
			  nearest_of(subsystem, &names, &arena));
	}
	vec_fini(&names);
	arena_fini(&arena);
	return false;
}

bool event_tracepoint_find(const char *root, struct event *event, struct error *err)
{
	const char *colon = strchr(event->name, ':');
	char subsystem[sizeof(event->name)], id[32];
	const size_t length = (size_t)(colon - event->name);

	snprintf(subsystem, sizeof(subsystem), "%.*s", (int)length, event->name);
	if (!is_name(subsystem, length) || !is_name(colon + 1, strlen(colon + 1)))
		return error_set(err, ERROR_USAGE,
				 "%s is not the name of a tracepoint: write SUBSYSTEM:NAME",
				 event->name);
	if (!read_line(id, sizeof(id), "%s/%s/%s/id", root, subsystem, colon + 1)) {
		if (errno == EACCES)
			return error_set(err, ERROR_PERMISSION,
					 "the tracepoint %s is not readable for this user: it "
					 "takes root",
					 event->name);
		return fail_tracepoint(root, subsystem, colon + 1, err);
	}
	event->type = PERF_TYPE_TRACEPOINT;
	event->config = strtoull(id, NULL, 10);
	return true;
}
