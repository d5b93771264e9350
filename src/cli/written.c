/* See written.h. */
#include "cli/written.h"

#include "base/base.h"
#include "cli/print.h"

void written_print(const struct command *command, const char *path, const char *facts)
{
	print_note(command, "wrote %s%s; to see it: tare report %s", path, facts, path);
}

void written_print_partial(const struct command *command, const char *path, const char *partial)
{
	struct str facts = {0};

	if (partial)
		str_printf(&facts, " (partial: %s)", partial);
	written_print(command, path, facts.data ? facts.data : "");
	str_fini(&facts);
}
