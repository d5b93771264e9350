/* What recordings of commands and of running processes have in common. */
#ifndef TARE_RECORD_RECORD_PARTS_H
#define TARE_RECORD_RECORD_PARTS_H

#include "cache/closure.h"
#include "record/record.h"
#include "session/recording_file.h"
#include "session/session_dir.h"

/*
 * The absolute path of the profile, which can be written: `given`, or NAME.tare in the working
 * directory. NULL with err; free it.
 */
char *record_choose_output(const char *given, const char *name, struct error *err);

/* What every recording says of itself, and that it has begun. */
void record_describe(struct recording *recording, const char *output, bool follow);
void record_put_begin(struct recording *recording);

/* Points of the clock, ever more rarely: for the drift, and for a recording without end. */
struct clock_schedule {
	int64_t wait_ms, due_ms;
};
void clock_schedule_init(struct clock_schedule *clock);
int clock_schedule_left_ms(const struct clock_schedule *clock);
void clock_schedule_take_due(struct clock_schedule *clock, struct recording *recording);
/* The last point; of a very short recording only after a span that gives a rate. */
void clock_schedule_finish(struct recording *recording);

/* Whose copies learn from a recording. */
struct record_learning {
	const struct instrumenter *instrumenter;
	const uint8_t *command; /* see learned_keep; NULL: no bare copies */
	struct path_list *bare; /* gets the files of which one is to be made */
};

/* The profile from what the session has, at `output`. `learning`: NULL, nothing is kept. */
bool record_build_profile(const struct session *session, const struct recording *recording,
			  const char *output, struct record_result *result,
			  const struct record_learning *learning, struct error *err);
/* Adds to the error how to try again; returns false. */
bool record_keep_and_explain(const char *directory, struct error *err);

#endif
