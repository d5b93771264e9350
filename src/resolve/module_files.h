/* What is read of the files of modules: the module itself, and the verdicts of its copy. */
#ifndef TARE_RESOLVE_MODULE_FILES_H
#define TARE_RESOLVE_MODULE_FILES_H

#include "cache/coverage.h"
#include "object/object.h"
#include "session/recording_file.h"

struct module_files {
	const char *path;		      /* of the original, borrowed */
	const struct recording_module *known; /* borrowed; NULL: it was not recorded */
	/* what was read: */
	struct object *object; /* NULL: it cannot be read */
	struct coverage coverage;
	bool covered; /* coverage is known */
};

/* Whoever takes what was read sets that to zero. */
void module_files_read(struct module_files *files);
/* The same of several, on all processors where there is much to read. */
void module_files_read_all(struct module_files *files, size_t count);
void module_files_fini(struct module_files *files);

/* Whether the path is that of code every process has from the kernel. */
bool module_is_vdso(const char *path);

#endif
