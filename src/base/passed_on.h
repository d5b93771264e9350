/* The signals that are passed on to the command: who sends them to tare means what it runs. */
#ifndef TARE_BASE_PASSED_ON_H
#define TARE_BASE_PASSED_ON_H

#include <signal.h>
#include <stdbool.h>

static inline void passed_on_add(sigset_t *signals)
{
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGHUP);
	/* of batch systems: the time is over soon */
	sigaddset(signals, SIGUSR1);
	sigaddset(signals, SIGUSR2);
}

static inline bool passed_on_has(int number)
{
	sigset_t signals;

	sigemptyset(&signals);
	passed_on_add(&signals);
	return sigismember(&signals, number) == 1;
}

#endif
