/*
 * jit_files: the files in which processes tell of code that they make at run time: a map in their
 * own /tmp, a dump that they have mapped. While they live these are opened in their own sight of
 * the file system; what was open when they end can still be read, and is kept in the session.
 *
 * A file counts if it is a regular one that belongs to the process's user, was not written before
 * the process began, and its name is no link: /tmp is everybody's.
 */
#ifndef TARE_RESOLVE_JIT_FILES_H
#define TARE_RESOLVE_JIT_FILES_H

#include "resolve/jit_code.h"

struct jit_files;

struct jit_files *jit_files_new(void);
void jit_files_free(struct jit_files *files);

/* A living process was seen to execute code without a file. Looks for its map, now or at the end.
 */
void jit_files_note_code(struct jit_files *files, uint32_t pid);
/* A living process has mapped a file to be executed; nothing happens unless it is a dump. */
void jit_files_note_mapping(struct jit_files *files, uint32_t pid, const char *path);
/* Copies what has been found into a directory. */
void jit_files_keep(struct jit_files *files, int directory_fd);

/*
 * What the files of the process whose map is /tmp/perf-PID.map tell: those kept in `directory`
 * (may be NULL), else a map in this host's /tmp that belongs to this user. NULL if there are none.
 */
struct jit_code *jit_files_read(const char *map_path, const char *directory);

#endif
