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
	bool has_kept;	 /* it has more than before */
};

void timer_rules_init(struct timer_rules *rules);
void timer_rules_fini(struct timer_rules *rules);

/*
 * From now on the rules of that file, and those of the copies of it, also say what its code does
 * where it has no unwind information, as stacks have ended there. `copy`: one of the cache's, or
 * NULL.
 */
void timer_rules_follow_code(const char *path, const char *copy);

/*
 * The path of the file with the rules of the ELF file at `path`, or of the kernel's code in each
 * process if that is TARE_TIMER_VDSO; of its copy where `copy` is not NULL. NULL where there are
 * none. Until timer_rules_fini.
 */
const char *timer_rules_get(struct timer_rules *rules, const struct session *session,
			    const char *path, const char *copy);

#endif
