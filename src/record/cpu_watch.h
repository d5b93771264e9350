/*
 * cpu_watch: how much CPU time the processes of a session have used, read of their CPU clocks from
 * outside, which costs them nothing. The time between two readings doubles whenever there were
 * CPU_WATCH_READINGS of one length, so that short recordings are resolved well and long ones stay
 * small. Readings are appended to a file in the session directory (cpu_readings.h): what a killed
 * recorder has read is kept.
 */
#ifndef TARE_RECORD_CPU_WATCH_H
#define TARE_RECORD_CPU_WATCH_H

#include "record/sample_collect.h"
#include "session/session_dir.h"

#include <sys/types.h>
#include <time.h>

enum { CPU_WATCH_READINGS = 256 };

struct cpu_watched {
	pid_t pid;
	clockid_t clock;
	uint64_t used_ns, ticks; /* at the last reading; ticks 0: at its begin */
};

struct cpu_candidate {
	char name[64]; /* of a process file */
	int looks;
};

struct cpu_watch {
	const struct session *session; /* borrowed; NULL: nothing is watched */
	int fd;
	struct vec_of(struct cpu_watched) processes;
	struct vec_of(struct cpu_candidate) candidates;
	struct map files; /* process files met, by a hash of their names */
	struct timespec directory_time;
	int64_t list_due_us;		      /* when the directory may be listed again */
	const struct sample_collect *collect; /* borrowed; NULL: processes have process files */
	size_t collected;		      /* of its processes */
	int64_t wait_ms, due_ms;
	size_t readings; /* of this length */
};

/* `collect`, if there is one, knows the processes; else the session directory does. */
void cpu_watch_start(struct cpu_watch *watch, const struct session *session,
		     const struct sample_collect *collect);
/* The command, which has begun just now. */
void cpu_watch_add_command(struct cpu_watch *watch, pid_t pid);
/* It has ended, and had used so much. */
void cpu_watch_end_command(struct cpu_watch *watch, pid_t pid, uint64_t used_ns);
int cpu_watch_left_ms(const struct cpu_watch *watch);
void cpu_watch_take_due(struct cpu_watch *watch);
/* The last reading. */
void cpu_watch_stop(struct cpu_watch *watch);

#endif
