/*
 * Programs for which recording has limits of its own, because they are tools that look at, or run,
 * other programs. Known by their names and by a text that their files have.
 */
#ifndef TARE_CACHE_OTHER_TOOLS_H
#define TARE_CACHE_OTHER_TOOLS_H

enum other_tool {
	OTHER_TOOL_NONE,
	/* It finds files of its own beside the file that it is mapped from, which a copy is not. */
	OTHER_TOOL_BY_MAPPING,
	/* It can be recorded, but what it runs is data for the processor. */
	OTHER_TOOL_EMULATOR,
};

enum other_tool other_tool_of(const char *path);

#endif
