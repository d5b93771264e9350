/* See module_files.h. */
#include "resolve/module_files.h"

#include "base/parallel.h"
#include "cache/cache.h"
#include "cache/stat_index.h"
#include "resolve/resolve.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

enum { THREADS_FROM_BYTES = 4 << 20 };

bool module_is_vdso(const char *path)
{
	return str_starts_with(path_basename(path), "linux-vdso") ||
	       !strcmp(path, RESOLVE_VDSO_PATH);
}

/* The vDSO is no file, but every process of this kernel has the one that this process has. */
static struct object *open_vdso(unsigned parts)
{
	struct error ignored;
	const unsigned char *image = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr header;

	if (!image)
		return NULL;
	memcpy(&header, image, sizeof(header));
	uint64_t size = header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;
	for (size_t i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;
		memcpy(&segment, image + header.e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz > size)
			size = segment.p_offset + segment.p_filesz;
	}
	return object_open_bytes(image, (size_t)size, "linux-vdso.so.1", parts, &ignored);
}

static bool is_unchanged(const char *path, const char *stat_then)
{
	struct stat info;
	struct str now = {0};

	if (stat(path, &info) < 0)
		return false;
	cache_stat_text(&info, &now);
	const bool same = !strcmp(now.data, stat_then);
	str_fini(&now);
	return same;
}

/* The original, or the copy that was made of it where the original is gone or another one now. */
static struct object *open_module(const char *path, const struct recording_module *known)
{
	struct error ignored;
	struct object *object = NULL;

	if (module_is_vdso(path))
		return open_vdso(OBJECT_SYMBOLS | OBJECT_UNWIND);
	if (known && *known->copy && !is_unchanged(path, known->stat))
		object = object_open(known->copy, OBJECT_SYMBOLS, &ignored);
	if (!object && path[0] == '/')
		object = object_open(path, OBJECT_SYMBOLS, &ignored);
	return object;
}

void module_files_read(struct module_files *files)
{
	struct error ignored;
	const char *entry = files->known ? files->known->entry : "";
	char *text = *entry ? cache_read_coverage(entry, &ignored) : NULL;

	files->object = open_module(files->path, files->known);
	files->covered = text && coverage_parse(&files->coverage, text, &ignored);
}

void module_files_fini(struct module_files *files)
{
	object_close(files->object);
	coverage_fini(&files->coverage);
}

/* ---- many ---- */

struct wanted {
	struct module_files *files;
	uint64_t bytes;
};

static int compare(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

static void read_piece(void *context, unsigned worker, size_t begin, size_t end)
{
	const struct wanted *wanted = context;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		module_files_read(wanted[i].files);
}

static uint64_t file_bytes(const char *path)
{
	struct stat info;

	return path[0] == '/' && stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
}

/* The largest first, so that no thread has it when the others are done. */
void module_files_read_all(struct module_files *files, size_t count)
{
	struct vec_of(struct wanted) wanted = {0};
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++) {
		const struct wanted one = {&files[i], file_bytes(files[i].path)};
		bytes += one.bytes;
		vec_push(&wanted, one);
	}
	vec_sort(&wanted, compare);
	parallel_run(&(struct parallel_loop){
		.run = read_piece,
		.context = wanted.data,
		.count = count,
		.piece = 1,
		.threads = bytes < THREADS_FROM_BYTES ? 1 : parallel_threads(0),
	});
	vec_fini(&wanted);
}
