/* Marks that were made from outside of the processes, by tare ctl. */
#ifndef TARE_ASSEMBLE_SESSION_MARKS_H
#define TARE_ASSEMBLE_SESSION_MARKS_H

#include "profile/profile.h"

bool session_marks_write(int session_fd, struct profile_writer *writer, struct error *err);

#endif
