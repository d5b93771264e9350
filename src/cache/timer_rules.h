/*
 * The unwind rules that the runtime asks for, as files: one per ELF file, made when it is first
 * asked for, and kept in the cache (derived.h), or in the session where what was read may change
 * yet.
 */
#ifndef TARE_CACHE_TIMER_RULES_H
#define TARE_CACHE_TIMER_RULES_H

#include "session/session_dir.h"

struct timer_rules_file {
	char *key;  /* path and what tells its contents apart */
	char *path; /* of the rules; NULL: there are none */
};

struct timer_rules {
	struct strmap by_key; /* → index */
	struct vec_of(struct timer_rules_file) files;
	bool in_session; /* the cache is not used */
};

void timer_rules_init(struct timer_rules *rules);
void timer_rules_fini(struct timer_rules *rules);

/*
 * The path of the file with the rules of the ELF file at `path`, or of the kernel's code in each
 * process if that is TARE_TIMER_VDSO. NULL where there are none. Until timer_rules_fini. `is_copy`:
 * it is one of the cache's, which nobody writes to.
 */
const char *timer_rules_get(struct timer_rules *rules, const struct session *session,
			    const char *path, bool is_copy);

#endif
