/* What works on this host for tare, and why not. */
#ifndef TARE_DOCTOR_DOCTOR_H
#define TARE_DOCTOR_DOCTOR_H

#include "base/base.h"
#include "doctor/hints.h"

enum doctor_verdict { DOCTOR_WORKS, DOCTOR_LIMITED, DOCTOR_FAILS, DOCTOR_VERDICTS };

struct doctor_fact {
	const char *name;
	enum doctor_verdict verdict;
	char reason[ERROR_MESSAGE_BYTES];
	char hint[HINT_BYTES]; /* a command that would mend it, or "" where none would */
};

struct doctor_facts vec_of(struct doctor_fact);

/* Appends all facts. */
void doctor_examine(struct doctor_facts *facts);

#endif
