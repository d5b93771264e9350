/* See debug_servers.h. */
#include "record/debug_servers.h"

#include "object/debuginfod.h"

void debug_servers_ask(const struct debug_servers *servers)
{
	const struct debuginfod_options options = {.show = servers->show,
						   .context = servers->context};

	debuginfod_allow(&options);
}
