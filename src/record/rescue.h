/*
 * rescue: the command's end when the recorder cannot go on, be it for want of memory or of
 * processor time that it is allowed, or for a fault of its own. The command is not to suffer:
 * before it runs, tare ends as if it had failed; from then on the command goes on, and tare waits
 * for it and ends with its status. What was recorded stays for tare recover.
 *
 * One recording per process. Works in handlers of signals and at exit, so it allocates nothing.
 */
#ifndef TARE_RECORD_RESCUE_H
#define TARE_RECORD_RESCUE_H

#include "target/launch.h"

/* From here on, and SIGPIPE is ignored for good. What is passed is borrowed until rescue_disarm. */
void rescue_arm(void);
/* This directory has what was recorded; NULL: it is in a profile. */
void rescue_session(const char *directory);
/* The command runs, or has ended. */
void rescue_command(const struct launch *launch);
/* This file is half-written and has to go; NULL: there is none any more. */
void rescue_remove(const char *path);
/* In a child that is to execute another program: what signals do is as it was. */
void rescue_leave_child(void);
void rescue_disarm(void);

#endif
