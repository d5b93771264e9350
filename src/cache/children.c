/* See children.h. Where a label cannot be read, rights count as other ones, unless there are none.
 */
#include "cache/children.h"

#include "cache/closure.h"
#include "object/object.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LABEL_BYTES = 4096 };

void children_fini(struct children *children)
{
	vec_foreach (program, &children->programs)
		str_fini(&program->variables);
	vec_fini(&children->programs);
}

/* Of process `pid`; 0: of this one. Empty without a security module that has labels. */
static void label_read(pid_t pid, struct str *label)
{
	char path[64], text[LABEL_BYTES];

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/attr/current", (int)pid);
	else
		snprintf(path, sizeof(path), "/proc/self/attr/current");
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t got = fd >= 0 ? read(fd, text, sizeof(text)) : 0;

	str_append_bytes(label, text, got > 0 ? (size_t)got : 0);
	if (fd >= 0)
		close(fd);
}

static bool has_same_rights(pid_t pid)
{
	struct str own = {0}, label = {0};

	label_read(0, &own);
	label_read(pid, &label);
	const bool same =
		own.len == label.len && (!own.len || !memcmp(own.data, label.data, own.len));
	str_fini(&own);
	str_fini(&label);
	return same;
}

/* What is needed of the reserve when the loader works with these variables. */
static uint64_t static_tls_find(const struct instrumented *file, const struct str *variables)
{
	char *environment[] = {NULL, NULL, NULL};
	struct path_list libraries = {0};
	struct error ignored;
	char *at = variables->data;

	for (size_t i = 0; i < 2 && *at; i++, at += strlen(at) + 1)
		environment[i] = at;
	struct object *object = object_open(file->path, 0, &ignored);
	if (object && object_loader(object))
		closure_list(object_loader(object), file->path, environment, &libraries);
	object_close(object);
	const uint64_t bytes = closure_static_tls_bytes(&libraries);
	closure_fini(&libraries);
	return bytes;
}

uint64_t children_static_tls_bytes(struct children *children, const struct instrumented *file,
				   pid_t pid)
{
	struct child_program found = {.file = file};

	closure_variables(pid, &found.variables);
	vec_foreach (known, &children->programs) {
		if (known->file != file || known->variables.len != found.variables.len ||
		    memcmp(known->variables.data, found.variables.data, found.variables.len) != 0)
			continue;
		str_fini(&found.variables);
		known->same_rights = known->same_rights && has_same_rights(pid);
		return known->static_tls_bytes;
	}
	found.static_tls_bytes = static_tls_find(file, &found.variables);
	found.same_rights = has_same_rights(pid);
	vec_push(&children->programs, found);
	return found.static_tls_bytes;
}

bool children_may_skip(const struct children *children, const struct instrumented *file,
		       uint64_t *static_tls_bytes)
{
	enum { NO_VARIABLES = 1 }; /* their list's end */

	vec_foreach (known, &children->programs) {
		if (known->file != file || known->variables.len != NO_VARIABLES)
			continue;
		*static_tls_bytes = known->static_tls_bytes;
		return known->same_rights;
	}
	return false;
}
