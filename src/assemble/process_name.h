/* What a process is called in a profile. */
#ifndef TARE_ASSEMBLE_PROCESS_NAME_H
#define TARE_ASSEMBLE_PROCESS_NAME_H

/*
 * The name that it was executed by or has given itself, `command` as the kernel has it: of a
 * symbolic link that one, not its target's. The kernel keeps fifteen bytes, so where the
 * executable's name begins with these, that is it. `command` may be NULL or empty: not known.
 */
const char *process_name_choose(const char *executable, const char *command);

#endif
