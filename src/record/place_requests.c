/*
 * A run address is found in the mappings of the process, a link address by the original's path.
 * Requests come from anybody of the same user: what they name that is no copy of this recording has
 * no answer.
 */
#include "record/place_requests.h"

#include "cache/cache.h"
#include "cache/copy_code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { DIGITS = 16 };

struct place_file {
	char *path; /* of the copy */
	struct object *original, *copy;
	struct coverage coverage;
	struct copy_code code;
};

/* An address, and the file that has it: link addresses are less by `bias`. */
struct place {
	const struct recording_module *module;
	uint64_t bias, addr;
};

static void file_read(struct place_file *file, const struct recording_module *module)
{
	struct error ignored;
	char *text = cache_read_coverage(module->entry, &ignored);

	file->original = object_open(module->path, 0, &ignored);
	file->copy = object_open(module->copy, 0, &ignored);
	if (file->original && file->copy && text && coverage_parse(&file->coverage, text, &ignored))
		copy_code_read(&file->code, file->copy, object_memory_end(file->original),
			       &file->coverage);
	else
		free(text);
}

static struct place_file *file_get(struct places *places, const struct recording_module *module)
{
	vec_foreach (file, &places->files)
		if (!strcmp((*file)->path, module->copy))
			return *file;
	struct place_file *file = mem_zalloc(sizeof(*file));

	file->path = mem_strdup(module->copy);
	file_read(file, module);
	vec_push(&places->files, file);
	return file;
}

void places_fini(struct places *places)
{
	vec_foreach (file, &places->files) {
		copy_code_fini(&(*file)->code);
		coverage_fini(&(*file)->coverage);
		object_close((*file)->original);
		object_close((*file)->copy);
		free((*file)->path);
		free(*file);
	}
	vec_fini(&places->files);
	str_fini(&places->answer);
}

static bool is_copy(const struct recording_module *module, dev_t device, ino_t inode)
{
	struct stat info;

	return *module->copy && stat(module->copy, &info) == 0 && info.st_ino == inode &&
	       info.st_dev == device;
}

/* The bias of a file whose byte at `offset` is mapped at `run_addr`. */
static bool find_bias(struct place_file *file, uint64_t offset, struct place *place)
{
	uint64_t link_addr;

	if (!file->copy || !object_address_of(file->copy, offset, &link_addr))
		return false;
	place->bias = place->addr - link_addr;
	return true;
}

/* The mapping of the process that has place->addr, if it is one of a copy. */
static bool find_mapping(struct places *places, const struct recording *recording, pid_t pid,
			 struct place *place)
{
	char path[32], line[512];
	uint64_t begin = 0, end, offset = 0, inode;
	unsigned major, minor;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *maps = fopen(path, "re");

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64, &begin,
			   &end, &offset, &major, &minor, &inode) != 6 ||
		    place->addr < begin || place->addr >= end)
			continue;
		vec_foreach (module, &recording->modules)
			if (is_copy(module, makedev(major, minor), inode))
				place->module = module;
		found = true;
	}
	if (maps)
		fclose(maps);
	return place->module &&
	       find_bias(file_get(places, place->module), place->addr - begin + offset, place);
}

/* "/", sixteen hexadecimal digits, a path or nothing. */
static bool request_read(const char *request, struct place *place, const char **path)
{
	char digits[DIGITS + 1] = "";

	if (*request != '/' || strlen(request) < 1 + DIGITS)
		return false;
	memcpy(digits, request + 1, DIGITS);
	*path = request + 1 + DIGITS;
	return strspn(digits, "0123456789abcdef") == DIGITS &&
	       sscanf(digits, "%" SCNx64, &place->addr) == 1;
}

/* Of the original at a path that may have links. */
static const struct recording_module *find_original(const struct recording *recording,
						    const char *path)
{
	char *real = realpath(path, NULL);
	const struct recording_module *module = real ? recording_find(recording, real) : NULL;

	free(real);
	return module;
}

const char *places_find(struct places *places, const struct recording *recording, pid_t pid,
			const char *request)
{
	struct place place = {0};
	const char *path;

	if (!request_read(request, &place, &path))
		return NULL;
	if (*path)
		place.module = find_original(recording, path);
	else if (!find_mapping(places, recording, pid, &place))
		return NULL;
	if (!place.module || !*place.module->copy)
		return NULL;
	struct place_file *file = file_get(places, place.module);
	const uint64_t addr =
		file->copy ? copy_code_address(&file->code, file->original, place.addr - place.bias)
			   : 0;

	if (!addr)
		return NULL;
	str_clear(&places->answer);
	str_printf(&places->answer, "/%016" PRIx64, place.bias + addr);
	return places->answer.data;
}
