/*
 * Until the command runs, SIGINT, SIGTERM, SIGHUP and SIGQUIT end tare as usual; what it has put
 * into temporary directories by then is removed first. One recording per process.
 */
#ifndef TARE_SESSION_INTERRUPT_H
#define TARE_SESSION_INTERRUPT_H

enum { INTERRUPT_DIRECTORIES_MAX = 2 };

/* Signals that are ignored stay ignored. */
void interrupt_arm(void);
/* `path` is borrowed until interrupt_disarm. */
void interrupt_remove_directory(const char *path);
/* Removes them now; to be called in handlers of signals, too. */
void interrupt_remove_now(void);
/* Restores what was before. */
void interrupt_disarm(void);

#endif
