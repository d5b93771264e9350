/*
 * What stands for runs, functions and call paths in tables of many runs. All are of 63 bits: of a
 * hash of 64 the topmost is left out.
 *
 *   mix(x)               finalizer of MurmurHash3 for 64 bits (hash_u64)
 *   text(bytes)          mix(FNV-1a of 64 bits) (hash_bytes)
 *   function             text(module's base name, a zero byte, symbol as in the file)
 *   path of a root       0
 *   path below a parent  mix(path of the parent * 0x9e3779b97f4a7c15 + function)
 *   run                  text(what the recording and each of its processes and threads say of
 *                        themselves: command, host, times, numbers)
 *
 * Of 10^8 different paths two have the same hash with a probability of 1 in 1,800.
 */
#include "report/export/fleet.h"

#include <inttypes.h>

static uint64_t shortened(uint64_t hash)
{
	return hash & INT64_MAX;
}

static const char *known(const char *text)
{
	return text ? text : "";
}

uint64_t fleet_function_hash(const char *module, const char *symbol)
{
	struct str text = {0};

	str_append(&text, known(module));
	str_append_bytes(&text, "", 1);
	str_append(&text, known(symbol));
	const uint64_t hash = hash_bytes(text.data, text.len);
	str_fini(&text);
	return shortened(hash);
}

uint64_t fleet_path_hash(uint64_t parent, uint64_t function)
{
	return shortened(hash_u64(parent * UINT64_C(0x9e3779b97f4a7c15) + function));
}

static void tell_session(struct str *text, const struct profile_session *session)
{
	str_printf(text, "%s\n%s\n%s\n%s\n%s\n", known(session->command_line),
		   known(session->directory), known(session->host), known(session->method),
		   known(session->settings));
	str_printf(text, "%" PRId64 " %" PRIu64 " %" PRIu64 " %d\n", session->begin_unix_ns,
		   session->begin_ticks, session->end_ticks, session->exit_status);
}

static void tell_process(struct str *text, const struct profile_process *row)
{
	str_printf(text, "%" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n%s\n%s\n", row->pid,
		   row->begin_ticks, row->end_ticks, row->rank, known(row->name), known(row->host));
}

static void tell_thread(struct str *text, const struct profile_thread *row)
{
	str_printf(text,
		   "%" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		   row->tid, row->begin_ticks, row->end_ticks, row->now_ticks, row->os_ticks,
		   row->overhead_ticks);
}

uint64_t fleet_run_hash(const struct profile *profile)
{
	struct str text = {0};
	size_t processes, threads;
	const struct profile_process *process = profile_processes(profile, &processes);
	const struct profile_thread *thread = profile_threads(profile, &threads);

	tell_session(&text, profile_session(profile));
	for (size_t i = 0; i < processes; i++)
		tell_process(&text, &process[i]);
	for (size_t i = 0; i < threads; i++)
		tell_thread(&text, &thread[i]);
	const uint64_t hash = hash_bytes(text.data, text.len);
	str_fini(&text);
	return shortened(hash);
}
