/*
 * The unwind rules that the runtime asks for, as files of the session: one per file, made when it
 * is first asked for.
 */
#ifndef TARE_CACHE_TIMER_RULES_H
#define TARE_CACHE_TIMER_RULES_H

#include "session/session_dir.h"

struct timer_rules {
	struct strmap by_file; /* path and what tells its contents apart → number + 1; 0: none */
	struct vec_of(char *) files;
	struct str answer;
};

void timer_rules_init(struct timer_rules *rules);
void timer_rules_fini(struct timer_rules *rules);

/*
 * The path of the file with the rules of the ELF file at `path`, or of the kernel's code in each
 * process if that is TARE_TIMER_VDSO. NULL where there are none. Valid until the next call.
 */
const char *timer_rules_get(struct timer_rules *rules, const struct session *session,
			    const char *path);

#endif
