/*
 * The session's variables and execve.
 *
 * The handler performs the system call itself: if that succeeds nobody is left to notice, and if
 * it fails the target's registers are as they were, and its own call fails with the same error.
 * Works in vfork children: nothing is kept but memory of the (waiting) thread, for the next time.
 *
 * Refuses to touch an environment that it cannot read; then the child is not followed.
 */
#include "runtime/exec/exec.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/exec/exec_image.h"
#include "runtime/exec/exec_name.h"
#include "runtime/exec/sandbox.h"
#include "runtime/files/process.h"
#include "runtime/process/birth.h"
#include "runtime/process/thread.h"

#include <elf.h>

#define AUDIT_PREFIX   "LD_AUDIT="
#define SESSION_PREFIX TARE_ENV_SESSION "="
#define TUNABLE_PREFIX TARE_ENV_TUNABLES "="
#define TUNABLE_DIGITS 16
#define TUNABLE_BYTES  96 /* the entry */
#define ENTRIES_MAX    (1U << 20)
#define CHUNK_ENTRIES  256

/* Whether nothing is left; else the colon behind the user's own tunables is now the end. */
static bool tunable_remove(char *entry, bool *shortened)
{
	const size_t length = bytes_length(entry);
	const size_t own = sizeof(TARE_TUNABLE_STATIC_TLS) - 1 + TUNABLE_DIGITS;

	if (length < sizeof(TUNABLE_PREFIX) - 1 + own ||
	    !bytes_begin_with(entry + length - own, TARE_TUNABLE_STATIC_TLS))
		return false;
	if (length == sizeof(TUNABLE_PREFIX) - 1 + own)
		return true;
	entry[length - own - 1] = 0;
	*shortened = true;
	return false;
}

static bool is_session_entry(char *entry, bool *shortened)
{
	if (bytes_begin_with(entry, SESSION_PREFIX))
		return true;
	if (bytes_begin_with(entry, TUNABLE_PREFIX))
		return tunable_remove(entry, shortened);
	if (!bytes_begin_with(entry, AUDIT_PREFIX))
		return false;
	const size_t length = bytes_length(entry);
	const size_t own = bytes_length(state_session.runtime_path);

	if (length < own || !bytes_equal(entry + length - own, state_session.runtime_path))
		return false;
	if (length == own + sizeof(AUDIT_PREFIX) - 1)
		return true;
	entry[length - own - 1] = 0; /* the colon behind the user's own auditors */
	*shortened = true;
	return false;
}

void exec_hide_session(char **environment)
{
	char **kept = environment;
	char **entry = environment;
	bool shortened = false;

	for (; *entry; entry++)
		if (!is_session_entry(*entry, &shortened))
			*kept++ = *entry;
	const long removed = entry - kept;

	for (char **gap = kept; gap <= entry; gap++)
		*gap = NULL;
	/* Programs that look for the auxiliary vector behind the environment must find it there. */
	for (long pair = 0; pair + 2 <= removed; pair += 2)
		kept[1 + pair] = (char *)AT_IGNORE;
}

/* The number of entries before the NULL; -1 when they cannot be read. */
static long environment_count(uint64_t environment)
{
	char *chunk[CHUNK_ENTRIES];

	for (long count = 0; environment && count < ENTRIES_MAX;) {
		const uint64_t at = environment + (uint64_t)count * sizeof(char *);
		const uint64_t to_page_end = 4096 - (at & 4095);
		const uint64_t wanted = to_page_end < sizeof(chunk) ? to_page_end : sizeof(chunk);
		const long got = memory_read(chunk, at, wanted) / (long)sizeof(char *);

		if (got <= 0)
			return -1;
		for (long i = 0; i < got; i++, count++)
			if (!chunk[i])
				return count;
	}
	return environment ? -1 : 0;
}

static char *exec_memory(struct state_private *private_state, uint64_t size_bytes)
{
	if (!private_state)
		return memory_map(size_bytes);
	if (private_state->exec_memory_bytes < size_bytes) {
		char *larger = memory_map(size_bytes);

		if (!larger)
			return NULL;
		if (private_state->exec_memory)
			memory_unmap(private_state->exec_memory, private_state->exec_memory_bytes);
		private_state->exec_memory = larger;
		private_state->exec_memory_bytes = size_bytes;
	}
	return private_state->exec_memory;
}

/* Fills `memory` with the new array and the strings that are new in it. */
static char **environment_build(char *memory, uint64_t size_bytes, char **old, long count)
{
	char **entries = (char **)memory;
	const uint64_t array_bytes = ((uint64_t)count + 3) * sizeof(char *);
	struct bytes_text audit = {.start = memory + array_bytes,
				   .size_bytes = size_bytes - array_bytes};
	const char *users = NULL;
	long kept = 0;

	for (long i = 0; i < count; i++) {
		if (bytes_begin_with(old[i], SESSION_PREFIX))
			continue;
		const bool is_audit = bytes_begin_with(old[i], AUDIT_PREFIX);

		if (is_audit && users)
			continue;
		if (is_audit)
			users = old[i] + sizeof(AUDIT_PREFIX) - 1;
		entries[kept++] = is_audit ? audit.start : old[i];
	}
	bytes_put(&audit, AUDIT_PREFIX);
	if (users) {
		bytes_put(&audit, users);
		bytes_put(&audit, ":");
	}
	bytes_put(&audit, state_session.runtime_path);
	struct bytes_text session = {.start = audit.start + audit.length + 1,
				     .size_bytes = audit.size_bytes - audit.length - 1};

	bytes_put(&session, SESSION_PREFIX);
	bytes_put(&session, state_session.directory);
	if (audit.full || session.full)
		return NULL;
	if (!users)
		entries[kept++] = audit.start;
	entries[kept++] = session.start;
	entries[kept] = NULL;
	return entries;
}

static uint64_t strings_size(char **old, long count)
{
	uint64_t size = 2 * TARE_PATH_MAX + 64;

	for (long i = 0; i < count; i++)
		if (bytes_begin_with(old[i], AUDIT_PREFIX))
			size += bytes_length(old[i]) + 1;
	return size;
}

static void put_hexadecimal(struct bytes_text *text, uint64_t number)
{
	for (int digit = TUNABLE_DIGITS; digit-- > 0;) {
		const char one[2] = {"0123456789abcdef"[number >> (4 * digit) & 15], 0};
		bytes_put(text, one);
	}
}

/* The environment with the tunable in `memory`, or NULL where that does not suffice. */
static char **environment_with_tunable(struct bytes_text memory, char **environment,
				       uint64_t static_tls_bytes)
{
	char **entries = (char **)memory.start;
	const char *users = NULL;
	size_t count = 0, kept = 0;

	while (environment[count])
		count++;
	const size_t array_bytes = (count + 2) * sizeof(char *);
	struct bytes_text tunable = {.start = memory.start + array_bytes,
				     .size_bytes = memory.size_bytes - array_bytes};

	for (size_t i = 0; i < count; i++) {
		const bool is_tunables = bytes_begin_with(environment[i], TUNABLE_PREFIX);

		if (is_tunables && users)
			continue;
		if (is_tunables)
			users = environment[i] + sizeof(TUNABLE_PREFIX) - 1;
		entries[kept++] = is_tunables ? tunable.start : environment[i];
	}

	bytes_put(&tunable, TUNABLE_PREFIX);
	if (users) {
		bytes_put(&tunable, users);
		bytes_put(&tunable, ":");
	}
	bytes_put(&tunable, TARE_TUNABLE_STATIC_TLS);
	put_hexadecimal(&tunable, static_tls_bytes);
	if (!users)
		entries[kept++] = tunable.start;
	entries[kept] = NULL;
	return tunable.full ? NULL : entries;
}

/* Of what environment_with_tunable needs beside an environment of `count` entries of the target's
 * and the session's, where that has no tunables. */
static uint64_t tunable_size(long count)
{
	return ((uint64_t)count + 6) * sizeof(char *) + TUNABLE_BYTES;
}

/* Whether nothing in it is for the loader. */
static bool environment_is_plain(char **environment, long count)
{
	for (long i = 0; i < count; i++)
		if (bytes_begin_with(environment[i], "LD_") ||
		    bytes_begin_with(environment[i], TUNABLE_PREFIX))
			return false;
	return true;
}

/* Memory to find that out in. */
struct exec_work {
	struct exec_image_work image;
	struct exec_name asked, link;
};

/* What is to be executed. */
struct exec {
	const struct probes_registers *registers;
	const char *copy; /* the path to start it by in its place; or NULL */
	char **environment;
	char **copy_environment;   /* with the tunable */
	struct bytes_text tunable; /* memory for it */
	uint64_t static_tls_bytes;
};

static void exec_call(const struct exec *exec)
{
	const struct probes_registers *registers = exec->registers;
	char **environment = exec->environment;

	if (exec->copy)
		kernel_call(SYS_execve, exec->copy,
			    registers->rax == SYS_execve ? registers->rsi : registers->rdx,
			    exec->copy_environment);
	/* without a copy, or where it is gone by now */
	if (registers->rax == SYS_execve)
		kernel_call(SYS_execve, registers->rdi, registers->rsi, environment);
	else
		kernel_call(SYS_execveat, registers->rdi, registers->rsi, registers->rdx,
			    environment, registers->r8);
}

/* What is recorded ends here, if the exec succeeds and this is not a vfork child. */
static void exec_recorded(struct tare_thread_file *self, const struct exec *exec)
{
	if (self && !kernel_is_tid(self->tid)) {
		exec_call(exec);
		return;
	}
	/* A process may have run no probe of a function yet; of a vfork child's it is not. */
	if (self)
		thread_complete(self, false);
	process_complete();
	exec_call(exec);
	if (self) {
		self->flags &= ~(uint32_t)TARE_THREAD_ENDED;
		self->end_ticks = 0;
	}
	process_resume();
}

/* The program gets the session, in `memory`. */
static void exec_followed(struct tare_thread_file *self, struct exec *exec,
			  struct bytes_text memory, long count)
{
	exec->environment =
		environment_build(memory.start, memory.size_bytes, exec->environment, count);
	if (!exec->environment)
		return;
	exec->copy_environment = exec->environment;
	if (exec->static_tls_bytes)
		exec->copy_environment = environment_with_tunable(exec->tunable, exec->environment,
								  exec->static_tls_bytes);
	if (!exec->copy_environment)
		exec->copy = NULL;
	exec_recorded(self, exec);
}

static void exec_unfollowed(struct tare_thread_file *self, const struct exec *exec,
			    enum tare_unfollowed why, const char *path)
{
	process_begin(); /* a forked child may have run no probe of a function yet */
	struct tare_unfollowed_record *record = process_note_unfollowed(why, path);

	exec_recorded(self, exec);
	process_forget_unfollowed(why, record);
}

static void exec_program(struct tare_thread_file *self, struct exec *exec, struct bytes_text memory,
			 long count)
{
	struct exec_work *work = (struct exec_work *)memory.start;
	const struct exec_image image = exec_image_find(
		exec->registers, environment_is_plain(exec->environment, count), &work->image);
	const uint64_t tunable_bytes = tunable_size(count);

	exec->tunable = (struct bytes_text){.start = memory.start + sizeof(*work),
					    .size_bytes = tunable_bytes};
	memory.start += sizeof(*work) + tunable_bytes;
	memory.size_bytes -= sizeof(*work) + tunable_bytes;
	if (image.copy)
		exec->copy = exec_name_path(&work->link, image.copy,
					    exec_name_asked(exec->registers, &work->asked));
	exec->static_tls_bytes = image.static_tls_bytes;
	if (image.way == EXEC_IMAGE_NOT_FOLLOWED)
		exec_unfollowed(self, exec, image.unfollowed, image.path);
	else if (image.way != EXEC_IMAGE_ABSENT)
		exec_followed(self, exec, memory, count);
}

void exec_with_session(struct tare_thread_file *self, const struct probes_registers *registers)
{
	struct exec exec = {
		.registers = registers,
		.environment =
			(char **)(registers->rax == SYS_execve ? registers->rdx : registers->r10)};
	const long count =
		state_session.active ? environment_count((uint64_t)exec.environment) : -1;

	if (count < 0)
		return;
	if (state_session.settings.no_follow && !process_is_command()) {
		exec_recorded(self, &exec);
		return;
	}
	if (!sandbox_permits_image()) {
		exec_unfollowed(self, &exec, TARE_UNFOLLOWED_REACH, "");
		return;
	}
	struct state_private *private_state = self ? state_private : NULL;
	struct bytes_text memory = {
		.size_bytes = sizeof(struct exec_work) + ((uint64_t)count + 3) * sizeof(char *) +
			      strings_size(exec.environment, count) + tunable_size(count)};

	memory.start = exec_memory(private_state, memory.size_bytes);
	if (!memory.start)
		return;
	exec_program(self, &exec, memory, count);
	if (!private_state)
		memory_unmap(memory.start, memory.size_bytes);
}

void exec_copy(const struct session_answer *copy, char **arguments, char **environment)
{
	static struct exec_name own, link;
	char **larger = environment;
	uint64_t size = (uint64_t)2 * TARE_PATH_MAX;

	for (char **entry = environment; *entry; entry++)
		size += sizeof(char *) +
			(bytes_begin_with(*entry, TUNABLE_PREFIX) ? bytes_length(*entry) : 0);
	if (copy->static_tls_bytes) {
		const struct bytes_text memory = {.start = memory_map(size), .size_bytes = size};
		larger = memory.start ? environment_with_tunable(memory, environment,
								 copy->static_tls_bytes)
				      : NULL;
	}
	kernel_call(SYS_execve, exec_name_path(&link, copy->path, exec_name_own(&own)), arguments,
		    larger ? larger : environment);
}
