/* The option of the commands that write a page: which source and instructions are in it. */
#ifndef TARE_CLI_EMBED_OPTION_H
#define TARE_CLI_EMBED_OPTION_H

#include "cli/options.h"
#include "report/export.h"

/* By enum export_code. */
static const char *const embed_source_choices[] = {
	[EXPORT_CODE_HOT] = "hot", [EXPORT_CODE_NO] = "no", [EXPORT_CODE_ALL] = "all", NULL};

/* `at`: of an int, the enum export_code. */
#define EMBED_SOURCE_OPTION(at)                                                                    \
	{                                                                                          \
		.name = "embed-source",                                                            \
		.help = "Source and instructions in the page: of the functions with most samples " \
			"(or calls made), up to 100 (hot, default), of none, or of all",           \
		.type = OPTION_CHOICE, .choices = embed_source_choices, .fallback = "hot",         \
		.offset = (at)                                                                     \
	}

#endif
