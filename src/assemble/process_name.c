/* See process_name.h. */
#include "assemble/process_name.h"

#include "base/str.h"

#include <string.h>

enum { COMMAND_BYTES = 15 };

const char *process_name_choose(const char *executable, const char *command)
{
	const char *file = executable ? path_basename(executable) : "";

	if (!command || !*command)
		return file;
	if (!*file)
		return command;
	const bool cut = strlen(command) == COMMAND_BYTES;
	return cut && strncmp(file, command, COMMAND_BYTES) == 0 ? file : command;
}
