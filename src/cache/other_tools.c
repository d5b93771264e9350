/* See other_tools.h. Only files with one of these names are read. */
#include "cache/other_tools.h"

#include "base/base.h"
#include "base/file_view.h"

#include <fnmatch.h>
#include <string.h>

static const struct {
	const char *name, *text;
	enum other_tool tool;
} tools[] = {
	{"rr", "librrpage.so", OTHER_TOOL_BY_MAPPING},
	{"qemu-*", "QEMU_UNSET_ENV", OTHER_TOOL_EMULATOR}, /* those for whole machines lack it */
	{"box64*", "BOX64_", OTHER_TOOL_EMULATOR},
};

static bool has_text(const char *path, const char *text)
{
	struct file_view file = {0};
	struct error ignored;

	if (!file_view_open(&file, path, &ignored))
		return false;
	const bool found = file.data && memmem(file.data, file.size, text, strlen(text));
	file_view_close(&file);
	return found;
}

enum other_tool other_tool_of(const char *path)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		if (fnmatch(tools[i].name, path_basename(path), 0) == 0 &&
		    has_text(path, tools[i].text))
			return tools[i].tool;
	}
	return OTHER_TOOL_NONE;
}
