/*
 * A file's functions are known from its coverage: the instrumented ones in it, in order, have the
 * first arming bytes. Refuses patterns without a function whose begin a probe reports.
 */
#include "cache/triggers.h"

#include "abi/control.h"
#include "cache/cache_entry.h"
#include "cache/coverage.h"
#include "cache/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct trigger_vec vec_of(struct tare_trigger);

bool triggers_init(struct triggers *triggers, const struct instrument_request *from,
		   struct error *err)
{
	triggers->start.demangle = triggers->stop.demangle = from->demangle;
	vec_foreach (pattern, &from->start_at) {
		if (!selection_add(&triggers->start, *pattern, false, err))
			return false;
	}
	vec_foreach (pattern, &from->stop_at) {
		if (!selection_add(&triggers->stop, *pattern, false, err))
			return false;
	}
	if (triggers_flags(triggers) && from->transform != INSTRUMENT_TRANSFORM_FULL)
		return error_set(err, ERROR_USAGE,
				 "--start-at and --stop-at need probes: leave out --transform");
	return true;
}

void triggers_fini(struct triggers *triggers)
{
	selection_fini(&triggers->start);
	selection_fini(&triggers->stop);
}

uint32_t triggers_flags(const struct triggers *triggers)
{
	return (triggers->start.patterns.len || triggers->stop.patterns.len ? TARE_TRIGGERS_ANY
									    : 0) |
	       (triggers->start.patterns.len ? TARE_TRIGGERS_STARTS : 0);
}

static bool selects(struct selection *selection, const char *name)
{
	return selection->patterns.len && selection_decide(selection, name);
}

/* The operation of a function, or 0. Both lists count their matches. */
static uint32_t operation_of(struct triggers *triggers, const char *name)
{
	const bool starts = selects(&triggers->start, name);
	const bool stops = selects(&triggers->stop, name);

	return starts ? TARE_START : stops ? TARE_STOP : 0;
}

static bool read_coverage(const struct instrumented *file, struct coverage *coverage,
			  struct error *err)
{
	char *text = cache_read_coverage(file->entry.directory, err);

	return text && coverage_parse(coverage, text, err);
}

static bool find(struct triggers *triggers, const struct instrumented *file,
		 struct trigger_vec *found, struct error *err)
{
	struct tare_trigger trigger = {0};
	struct coverage coverage = {0};

	if (file->mode != POLICY_FULL || file->entry.outcome != CACHE_INSTRUMENTED ||
	    !triggers_flags(triggers))
		return true;
	if (!digest_parse(file->entry.key, trigger.source_id))
		return error_set(err, ERROR_INPUT, "the cache entry of %s is damaged", file->path);
	if (!read_coverage(file, &coverage, err))
		return false;
	vec_foreach (row, &coverage.rows) {
		if (row->verdict != REWRITE_INSTRUMENTED)
			continue;
		trigger.link_addr = row->addr;
		trigger.operation = operation_of(triggers, row->name);
		if (trigger.operation)
			vec_push(found, trigger);
		trigger.function++;
	}
	coverage_fini(&coverage);
	return true;
}

static void set_without_probe(const struct selection *pattern, const struct coverage_row *row,
			      struct error *err)
{
	char *name = pattern->demangle ? pattern->demangle(row->name) : NULL;

	error_set(err, ERROR_USAGE,
		  "the pattern %s matches no function that is instrumented; %s is not: %s",
		  pattern->patterns.data[0].text, name ? name : row->name,
		  rewrite_verdict_text(row->verdict));
	free(name);
}

/* A function that the pattern would match if it were instrumented; false where there is none. */
static bool report_without_probe(struct selection *selection, const char *pattern,
				 const struct instrumenter *instrumenter, struct error *err)
{
	struct selection one = {.demangle = selection->demangle};
	bool found = false;

	if (!selection_add(&one, pattern, false, err))
		return true;
	vec_foreach (file, &instrumenter->files) {
		struct coverage coverage = {0};
		struct error ignored;
		if (found || (*file)->mode != POLICY_FULL ||
		    !read_coverage(*file, &coverage, &ignored))
			continue;
		vec_foreach (row, &coverage.rows) {
			if (found || !selection_decide(&one, row->name))
				continue;
			found = true;
			set_without_probe(&one, row, err);
		}
		coverage_fini(&coverage);
	}
	selection_fini(&one);
	return found;
}

static bool check_patterns(struct selection *selection, struct instrumenter *instrumenter,
			   struct error *err)
{
	vec_foreach (pattern, &selection->patterns) {
		if (pattern->matches)
			continue;
		return !report_without_probe(selection, pattern->text, instrumenter, err) &&
		       instrumenter_report_unmatched(instrumenter, pattern->text, err);
	}
	return true;
}

bool triggers_check(struct triggers *triggers, struct instrumenter *instrumenter, struct error *err)
{
	struct trigger_vec found = {0};
	bool ok = true;

	vec_foreach (file, &instrumenter->files) {
		ok = find(triggers, *file, &found, err);
		if (!ok)
			break;
	}
	const size_t count = found.len;
	vec_fini(&found);
	if (!ok || !check_patterns(&triggers->start, instrumenter, err) ||
	    !check_patterns(&triggers->stop, instrumenter, err))
		return false;
	if (count > TARE_TRIGGERS_MAX)
		return error_set(err, ERROR_USAGE,
				 "the patterns of --start-at and --stop-at match %zu functions, at "
				 "most %d can switch; say them more narrowly",
				 count, TARE_TRIGGERS_MAX);
	return true;
}

static bool append(const struct session *session, const struct trigger_vec *found,
		   struct error *err)
{
	const size_t size = found->len * sizeof(*found->data);
	const int fd = openat(session->fd, TARE_TRIGGERS_NAME,
			      O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);

	errno = 0;
	const bool ok = fd >= 0 && write(fd, found->data, size) == (ssize_t)size;
	if (!ok)
		error_set_errno(err, errno ? errno : ENOSPC, "cannot write %s/%s",
				session->directory, TARE_TRIGGERS_NAME);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool triggers_write(struct triggers *triggers, const struct session *session,
		    const struct instrumented *file, struct error *err)
{
	struct trigger_vec found = {0};
	bool ok = find(triggers, file, &found, err);
	const size_t room = TARE_TRIGGERS_MAX - triggers->count;

	if (found.len > room) {
		found.len = room;
		triggers->beyond = true;
	}
	if (ok && found.len) {
		triggers->count += found.len;
		ok = append(session, &found, err);
	}
	vec_fini(&found);
	return ok;
}
