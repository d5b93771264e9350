/*
 * The session's variables and execve.
 *
 * The handler performs the system call itself: if that succeeds nobody is left to notice, and if
 * it fails the target's registers are as they were, and its own call fails with the same error.
 * Works in vfork children: nothing is kept but memory of the (waiting) thread, for the next time.
 *
 * Refuses to touch an environment that it cannot read; then the child is not followed.
 */
#include "runtime/exec.h"

#include "runtime/bytes.h"
#include "runtime/kernel.h"
#include "runtime/memory.h"
#include "runtime/process.h"
#include "runtime/thread.h"

#include <elf.h>

#define AUDIT_PREFIX   "LD_AUDIT="
#define SESSION_PREFIX TARE_ENV_SESSION "="
#define ENTRIES_MAX    (1U << 20)
#define CHUNK_ENTRIES  256

static bool is_session_entry(char *entry, bool *shortened)
{
	if (bytes_begin_with(entry, SESSION_PREFIX))
		return true;
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
		return accumulate_host_map(size_bytes);
	if (private_state->exec_memory_bytes < size_bytes) {
		char *larger = accumulate_host_map(size_bytes);

		if (!larger)
			return NULL;
		if (private_state->exec_memory)
			accumulate_host_unmap(private_state->exec_memory,
					      private_state->exec_memory_bytes);
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
		if (bytes_begin_with(old[i], AUDIT_PREFIX))
			users = old[i] + sizeof(AUDIT_PREFIX) - 1;
		else if (!bytes_begin_with(old[i], SESSION_PREFIX))
			entries[kept++] = old[i];
	}
	bytes_put(&audit, AUDIT_PREFIX);
	if (users && *users) {
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

static void exec_call(const struct probes_registers *registers, char **environment)
{
	if (registers->rax == SYS_execve)
		kernel_call(SYS_execve, registers->rdi, registers->rsi, environment);
	else
		kernel_call(SYS_execveat, registers->rdi, registers->rsi, registers->rdx,
			    environment, registers->r8);
}

/* What is recorded ends here, if the exec succeeds and this is not a vfork child. */
static void exec_recorded(struct tare_thread_file *self, const struct probes_registers *registers,
			  char **environment)
{
	if (!self || self->tid != kernel_tid()) {
		exec_call(registers, environment);
		return;
	}
	thread_complete(self);
	process_complete();
	exec_call(registers, environment);
	self->flags &= ~(uint32_t)TARE_THREAD_ENDED;
	self->end_ticks = 0;
	process_resume();
}

void exec_with_session(struct tare_thread_file *self, const struct probes_registers *registers)
{
	const uint64_t old = registers->rax == SYS_execve ? registers->rdx : registers->r10;
	const long count = state_session.active ? environment_count(old) : -1;

	if (count < 0)
		return;
	struct state_private *private_state = self ? state_private : NULL;
	const uint64_t size =
		((uint64_t)count + 3) * sizeof(char *) + strings_size((char **)old, count);
	char *memory = exec_memory(private_state, size);
	if (!memory)
		return;
	char **environment = environment_build(memory, size, (char **)old, count);

	if (environment)
		exec_recorded(self, registers, environment);
	if (!private_state)
		accumulate_host_unmap(memory, size);
}
