/* See unfollowed.h. */
#include "assemble/unfollowed.h"

#include "cache/other_tools.h"

static const char *const reason_names[] = {[TARE_UNFOLLOWED_NOT] = "",
#define REASON_NAME(constant, name, clause) [TARE_UNFOLLOWED_##constant] = (name),
					   TARE_UNFOLLOWED_LIST(REASON_NAME)
#undef REASON_NAME
};

bool unfollowed_in_emulator(const struct profile_process *process)
{
	return !process->forked && other_tool_of(process->executable) == OTHER_TOOL_EMULATOR;
}

bool unfollowed_write(struct profile_writer *writer, const struct profile_process *process,
		      int64_t process_id, const struct process_file *file, struct error *err)
{
	vec_foreach (program, &file->unfollowed) {
		const struct profile_unfollowed row = {.process = process_id,
						       .path = program->path,
						       .reason = reason_names[program->reason],
						       .count = program->count};

		if (!profile_add_unfollowed(writer, &row, err))
			return false;
	}
	const struct profile_unfollowed guest = {.process = process_id,
						 .path = process->executable,
						 .reason = reason_names[TARE_UNFOLLOWED_EMULATOR],
						 .count = 1};

	return !unfollowed_in_emulator(process) || profile_add_unfollowed(writer, &guest, err);
}

bool unfollowed_write_guests(struct profile_writer *writer, uint64_t count, struct error *err)
{
	const struct profile_unfollowed row = {
		.path = "", .reason = reason_names[TARE_UNFOLLOWED_GUEST], .count = count};

	return !count || profile_add_unfollowed(writer, &row, err);
}
