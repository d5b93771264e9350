/*
 * What this host lets a profiler observe: facts with a reason each. Tries things out in a child
 * process where they could do harm; changes nothing.
 */
#ifndef TARE_DOCTOR_HOST_FACTS_H
#define TARE_DOCTOR_HOST_FACTS_H

#include "base/base.h"

enum host_verdict {
	HOST_WORKS,
	HOST_LIMITED, /* tare works, with less */
	HOST_FAILS,   /* tare does not work */
};

struct host_fact {
	const char *name;
	enum host_verdict verdict;
	char reason[256]; /* a sentence without full stop */
};

/* A null selector in %es is zeroed when the kernel interrupts user code, and only then. */
void host_probe_selector(struct host_fact *fact);
/* Restartable sequences: the kernel has them, and glibc has registered this thread's. */
void host_probe_rseq(struct host_fact *fact);
/* BPF programs may be loaded, and the kernel describes its types. */
void host_probe_bpf(struct host_fact *fact);

#endif
