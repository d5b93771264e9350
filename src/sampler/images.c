/*
 * Files by path and identity. A path alone may name another file by now, or in this process's
 * sight:
 *
 *   /proc/PID/root/PATH         while the process lives; in its own mount namespace
 *   /proc/PID/map_files/RANGE   the mapped file itself, also where it is deleted; for root
 *   PATH                        when the process has ended
 *   ~/.debug/.build-id/…        where perf has kept it, of a recording
 *
 * The first of these that is the file that was mapped is taken: by its build-id where the record
 * has one, else by device and inode. (The inode of an overlay can differ from the one in its
 * records, as can its device: a file of another device in the process's own sight is believed.)
 */
#include "sampler/images.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* What a record says of a file, and which that is. */
struct met {
	const struct image *image; /* NULL: none */
	const char *path;
	uint64_t inode;
	uint32_t major, minor;
	uint8_t build_id_bytes, build_id[PERF_BUILD_ID_BYTES];
};

enum { MET_MAX = 16 };

struct images {
	struct arena arena;
	struct vec_of(struct image *) list;
	struct strmap by_key;  /* what a record says of a file → index */
	struct strmap by_file; /* what a file is → index */
	/* Of the last mappings: a process maps what the one before has mapped. */
	struct met met[MET_MAX];
	size_t met_next;
};

struct images *images_new(void)
{
	struct images *images = mem_zalloc(sizeof(*images));

	arena_init(&images->arena);
	strmap_init(&images->by_key);
	strmap_init(&images->by_file);
	return images;
}

void images_free(struct images *images)
{
	if (!images)
		return;
	vec_foreach (image, &images->list) {
		unwind_rules_free((*image)->rules);
		object_close((*image)->object);
	}
	vec_fini(&images->list);
	strmap_fini(&images->by_key);
	strmap_fini(&images->by_file);
	arena_fini(&images->arena);
	free(images);
}

static struct image *image_add(struct images *images, enum image_kind kind, const char *path)
{
	struct image *image = arena_new(&images->arena, struct image);

	image->path = arena_strdup(&images->arena, path);
	image->kind = kind;
	image->index = (uint32_t)images->list.len;
	vec_push(&images->list, image);
	return image;
}

static void image_load(struct image *image, struct object *object)
{
	image->object = object;
	image->rules = unwind_rules_new(object);
}

/* ---- which file ---- */

static bool has_inode(const struct perf_mapping *mapping)
{
	return !mapping->build_id_bytes && mapping->inode;
}

static bool is_same_inode(const struct perf_mapping *mapping, const struct stat *status)
{
	return status->st_ino == mapping->inode &&
	       status->st_dev == makedev(mapping->major, mapping->minor);
}

static bool is_same_build_id(const struct perf_mapping *mapping, const struct object *object)
{
	size_t size;
	const unsigned char *build_id = object_build_id(object, &size);

	if (!mapping->build_id_bytes)
		return true;
	/* The kernel's record has room for 20 bytes. */
	return build_id && size >= mapping->build_id_bytes &&
	       memcmp(build_id, mapping->build_id, mapping->build_id_bytes) == 0;
}

/* A way to a mapping's file. */
struct way {
	char path[4200];
	bool certain; /* leads to the mapped file and no other */
	bool own;     /* as the process sees it */
	bool later;   /* of a recording: of devices nothing is known any more */
};

static bool may_be(const struct way *way, const struct perf_mapping *mapping,
		   const struct stat *status)
{
	if (way->certain || !has_inode(mapping) || is_same_inode(mapping, status))
		return true;
	if (way->later)
		return status->st_ino == mapping->inode;
	return way->own && status->st_dev != makedev(mapping->major, mapping->minor);
}

/*
 * Opens the file if it is the one that was mapped. NULL with `err` otherwise; *known gets the image
 * of a file that is open already.
 */
static struct object *open_way(struct images *images, const struct way *way,
			       const struct perf_mapping *mapping, struct image **known,
			       struct error *err)
{
	struct stat status;
	char file[96];

	if (stat(way->path, &status) != 0 || !S_ISREG(status.st_mode)) {
		error_set(err, ERROR_NOT_FOUND, "%s is not there any more", mapping->path);
		return NULL;
	}
	if (!may_be(way, mapping, &status)) {
		error_set(err, ERROR_NOT_FOUND,
			  "%s has been replaced since it was mapped; its functions are not known",
			  mapping->path);
		return NULL;
	}
	snprintf(file, sizeof(file), "%jx:%jx:%jd.%09ld", (uintmax_t)status.st_dev,
		 (uintmax_t)status.st_ino, (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
	const uint64_t *index = strmap_get(&images->by_file, file);
	*known = index ? images->list.data[*index] : NULL;
	struct object *object =
		*known ? (*known)->object : object_open(way->path, OBJECT_UNWIND_SEARCH, err);

	if (object && (way->certain || is_same_build_id(mapping, object))) {
		if (!*known)
			strmap_put(&images->by_file, arena_strdup(&images->arena, file),
				   images->list.len);
		return object;
	}
	if (object)
		error_set(err, ERROR_NOT_FOUND,
			  "%s has been replaced since it was mapped (by a file with another "
			  "build-id); its functions are not known",
			  mapping->path);
	if (object && !*known)
		object_close(object);
	*known = NULL;
	return NULL;
}

#define DELETED " (deleted)"

void images_kept_path(const uint8_t *build_id, size_t build_id_bytes, const char *name, char *path,
		      size_t room)
{
	const char *home = getenv("HOME");
	size_t at;

	path[0] = 0;
	if (!home || build_id_bytes < 2)
		return;
	at = (size_t)snprintf(path, room, "%s/.debug/.build-id/%02x/", home, build_id[0]);
	for (size_t i = 1; at < room && i < build_id_bytes; i++)
		at += (size_t)snprintf(path + at, room - at, "%02x", build_id[i]);
	if (at < room)
		snprintf(path + at, room - at, "/%s", name);
}

static size_t find_ways(const struct perf_mapping *mapping, bool live, struct way ways[3])
{
	size_t count = 0;

	if (live && !str_ends_with(mapping->path, DELETED)) {
		ways[count] = (struct way){.own = true};
		snprintf(ways[count++].path, sizeof(ways->path), "/proc/%" PRIu32 "/root%s",
			 mapping->pid, mapping->path);
	}
	if (live) {
		ways[count] = (struct way){.certain = true};
		snprintf(ways[count++].path, sizeof(ways->path),
			 "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, mapping->pid,
			 mapping->addr, mapping->addr + mapping->size);
	}
	if (!str_ends_with(mapping->path, DELETED)) {
		ways[count] = (struct way){.later = !live};
		snprintf(ways[count++].path, sizeof(ways->path), "%s", mapping->path);
	}
	if (!live) {
		ways[count] = (struct way){.later = true};
		images_kept_path(mapping->build_id, mapping->build_id_bytes, "elf",
				 ways[count].path, sizeof(ways->path));
		count += ways[count].path[0] != 0;
	}
	return count;
}

/* Another file that is at its path now must not be taken for it. */
static const char *path_of_lost(struct images *images, const struct perf_mapping *mapping)
{
	const bool replaced =
		!str_ends_with(mapping->path, DELETED) && access(mapping->path, F_OK) == 0;

	return arena_printf(&images->arena, "%s%s", mapping->path, replaced ? " (replaced)" : "");
}

static struct image *file_open(struct images *images, const struct perf_mapping *mapping, bool live)
{
	struct way ways[3];
	struct error err, first = {.message = ""};
	const size_t count = find_ways(mapping, live, ways);
	const size_t name = strlen(mapping->path) -
			    (str_ends_with(mapping->path, DELETED) ? strlen(DELETED) : 0);
	char *path = arena_strndup(&images->arena, mapping->path, name);

	if (name < strlen(mapping->path))
		error_set(&first, ERROR_NOT_FOUND,
			  "%s has been deleted or replaced since it was mapped; its functions are "
			  "not known",
			  path);
	for (size_t i = 0; i < count; i++) {
		struct image *known = NULL;
		struct object *object = open_way(images, &ways[i], mapping, &known, &err);

		if (known)
			return known;
		if (object) {
			struct image *image = image_add(images, IMAGE_FILE, path);
			image_load(image, object);
			image->file = arena_strdup(&images->arena, ways[i].path);
			return image;
		}
		/* The first way that leads to a file says most. */
		if (!first.message[0] || (err.code != ERROR_NOT_FOUND && i + 1 < count))
			first = err;
	}
	struct image *image =
		image_add(images, IMAGE_FILE, live ? path : path_of_lost(images, mapping));
	image->why = arena_strdup(&images->arena, first.message);
	return image;
}

/* ---- what is no file ---- */

static bool is_runtime_made(const char *path)
{
	static const char *const prefixes[] = {"/memfd:",	 "/dev/zero", "/SYSV",
					       "/anon_hugepage", "//anon",    "/i915"};

	if (path[0] != '/')
		return true; /* [heap], [stack], [anon:…], "" */
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (str_starts_with(path, prefixes[i]))
			return true;
	return false;
}

/* The vDSO of this kernel; its own headers say where it ends. */
static struct object *own_vdso(struct error *err)
{
	const Elf64_Ehdr *header = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (header)
		return object_open_bytes(
			header, header->e_shoff + (size_t)header->e_shnum * header->e_shentsize,
			"[vdso]", OBJECT_UNWIND_SEARCH, err);
	error_set(err, ERROR_NOT_FOUND, "this process has no vDSO");
	return NULL;
}

/* Of a recording it may be that of another kernel, which perf has kept. */
static struct image *vdso_open(struct images *images, const struct perf_mapping *mapping)
{
	struct image *image = image_add(images, IMAGE_VDSO, "[vdso]");
	struct error err;
	struct object *object = own_vdso(&err);
	char path[4200];

	if (object && !is_same_build_id(mapping, object)) {
		object_close(object);
		images_kept_path(mapping->build_id, mapping->build_id_bytes, "vdso", path,
				 sizeof(path));
		object = object_open(path, OBJECT_UNWIND_SEARCH, &err);
		if (object)
			image->file = arena_strdup(&images->arena, path);
		else
			error_set(&err, ERROR_NOT_FOUND,
				  "[vdso] is that of another kernel; its functions are not known");
	}
	if (object)
		image_load(image, object);
	else
		image->why = arena_strdup(&images->arena, err.message);
	return image;
}

/* ---- */

/* Each mapping of each process asks for it. */
static void key_of(const struct perf_mapping *mapping, struct str *key)
{
	str_append(key, mapping->path);
	str_append(key, "\n");
	str_append_hex(key, mapping->build_id, mapping->build_id_bytes);
	if (has_inode(mapping))
		str_printf(key, "%x:%x:%" PRIu64, mapping->major, mapping->minor, mapping->inode);
}

static struct image *image_new(struct images *images, const struct perf_mapping *mapping, bool live)
{
	if (strcmp(mapping->path, "[vdso]") == 0)
		return vdso_open(images, mapping);
	if (is_runtime_made(mapping->path))
		return image_add(images, IMAGE_RUNTIME, "[jit]");
	return file_open(images, mapping, live);
}

static bool is_met(const struct met *met, const struct perf_mapping *mapping)
{
	return met->image && met->inode == mapping->inode && met->major == mapping->major &&
	       met->minor == mapping->minor && met->build_id_bytes == mapping->build_id_bytes &&
	       !memcmp(met->build_id, mapping->build_id, met->build_id_bytes) &&
	       !strcmp(met->path, mapping->path);
}

static void meet(struct images *images, const struct perf_mapping *mapping,
		 const struct image *image)
{
	struct met *met = &images->met[images->met_next++ % MET_MAX];

	*met = (struct met){.image = image,
			    .path = arena_strdup(&images->arena, mapping->path),
			    .inode = mapping->inode,
			    .major = mapping->major,
			    .minor = mapping->minor,
			    .build_id_bytes = mapping->build_id_bytes};
	memcpy(met->build_id, mapping->build_id, mapping->build_id_bytes);
}

static const struct image *find(struct images *images, const struct perf_mapping *mapping,
				bool live)
{
	struct str key = {0};

	if (is_runtime_made(mapping->path) && strcmp(mapping->path, "[vdso]") != 0)
		str_append(&key, "\n"); /* one for all */
	else
		key_of(mapping, &key);
	const uint64_t *known = strmap_get(&images->by_key, key.data);
	const struct image *image = known ? images->list.data[*known] : NULL;

	if (!image) {
		image = image_new(images, mapping, live);
		strmap_put(&images->by_key, arena_strdup(&images->arena, key.data), image->index);
	}
	str_fini(&key);
	return image;
}

const struct image *images_get(struct images *images, const struct perf_mapping *mapping, bool live)
{
	for (size_t i = 0; i < MET_MAX; i++)
		if (is_met(&images->met[i], mapping))
			return images->met[i].image;
	const struct image *image = find(images, mapping, live);

	meet(images, mapping, image);
	return image;
}

size_t images_count(const struct images *images)
{
	return images->list.len;
}

const struct image *images_at(const struct images *images, size_t index)
{
	return images->list.data[index];
}

bool image_bias(const struct image *image, uint64_t addr, uint64_t size, uint64_t file_offset,
		uint64_t *bias)
{
	size_t count = 0;
	const Elf64_Phdr *segments = image->object ? object_segments(image->object, &count) : NULL;

	for (size_t i = 0; i < count; i++) {
		const Elf64_Phdr *segment = &segments[i];

		/* The mapping is of whole pages, and may be a part of the segment. */
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    file_offset >= segment->p_offset + segment->p_filesz ||
		    file_offset + size <= segment->p_offset)
			continue;
		*bias = addr - file_offset + segment->p_offset - segment->p_vaddr;
		return true;
	}
	return false;
}
