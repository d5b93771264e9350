/*
 * Control of tare from inside the program that it records: which parts are recorded, and marks in
 * the profile. Link with libtare (pkg-config tare). Without a recording every call does nothing, in
 * about a nanosecond.
 *
 * Levels. A thread is recorded while three levels are on: the global one, of all processes of the
 * recording, its process's, and its own. Each has a flag, which tare_start sets and tare_stop
 * clears, and a count, which tare_suspend raises and tare_resume lowers; it is on while the flag is
 * set and the count is not above zero. At the start flags are set and counts zero (tare record
 * --paused clears the global flag). Time while a thread is not recorded counts for nobody.
 *
 * All functions may be called from any thread, and from signal handlers: where a handler has
 * interrupted what they need, they change nothing and return TARE_BUSY.
 */
#ifndef TARE_TARE_H
#define TARE_TARE_H

#ifdef __cplusplus
extern "C" {
#endif

enum tare_level { TARE_GLOBAL_LEVEL = 1, TARE_PROCESS_LEVEL = 2, TARE_THREAD_LEVEL = 3 };

/* The calling process or thread, as `id` of a level; the global level has no other. */
#define TARE_CURRENT_ID 0U

enum tare_result {
	TARE_OK = 0,	       /* done */
	TARE_NOT_RECORDED = 1, /* tare is not there */
	TARE_NO_LEVEL = 2,     /* there is no such level */
	TARE_NO_ID = 3,	       /* not the calling process or thread: others cannot be changed */
	TARE_BUSY = 4,	       /* a signal handler's call at a moment when it cannot be done */
	TARE_OFF = 5,	       /* the thread is not being recorded now, so the mark is not kept */
	TARE_NO_ROOM = 6       /* no memory, or no more place for marks: counted in the profile */
};

/*
 * `id` is TARE_CURRENT_ID, or the number of the calling process (getpid) or thread (gettid). Other
 * processes follow a change of the global level within milliseconds.
 */
int tare_start(enum tare_level level, unsigned int id);
int tare_stop(enum tare_level level, unsigned int id);
int tare_suspend(enum tare_level level, unsigned int id);
int tare_resume(enum tare_level level, unsigned int id);

/* Puts a mark with the present time into the profile; tare report marks lists them. */
int tare_mark(long id);

/* The same with a text of which the first 1000 bytes are kept. */
int tare_comment_mark(long id, const char *text);

/* The calling thread's name in reports, up to 255 bytes. */
int tare_name_thread(const char *name);

/* TARE_OK while the calling thread is recorded, else TARE_OFF or TARE_NOT_RECORDED. */
int tare_state(void);

#ifdef __cplusplus
}
#endif

#endif
