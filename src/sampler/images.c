/*
 * Files by path. The file may have been replaced since the process mapped it; that shows in its
 * rules not fitting, and later, where build-ids are known, in these.
 */
#include "sampler/images.h"

#include "unwind/build.h"

#include <string.h>
#include <sys/auxv.h>

#define VDSO_BYTES 8192

struct images {
	struct arena arena;
	struct vec_of(struct image *) list;
	struct strmap by_path;
};

struct images *images_new(void)
{
	struct images *images = mem_zalloc(sizeof(*images));

	arena_init(&images->arena);
	strmap_init(&images->by_path);
	return images;
}

void images_free(struct images *images)
{
	if (!images)
		return;
	vec_foreach (image, &images->list) {
		free((*image)->table);
		object_close((*image)->object);
	}
	vec_fini(&images->list);
	strmap_fini(&images->by_path);
	arena_fini(&images->arena);
	free(images);
}

static struct image *image_add(struct images *images, const char *path)
{
	struct image *image = arena_new(&images->arena, struct image);

	image->path = arena_strdup(&images->arena, path);
	image->index = (uint32_t)images->list.len;
	strmap_put(&images->by_path, image->path, image->index);
	vec_push(&images->list, image);
	return image;
}

static void image_load(struct images *images, struct image *image, struct object *object,
		       const struct error *err)
{
	struct unwind_build_statistics statistics;

	image->object = object;
	if (object)
		image->table = unwind_table_build(object, &statistics);
	else
		image->why = arena_strdup(&images->arena, err->message);
}

const struct image *images_get(struct images *images, const char *root, const char *path)
{
	const uint64_t *known = strmap_get(&images->by_path, path);
	struct error err;

	if (known)
		return images->list.data[*known];
	struct image *image = image_add(images, path);
	const char *where = *root ? arena_printf(&images->arena, "%s%s", root, path) : path;

	image_load(images, image, object_open(where, OBJECT_UNWIND, &err), &err);
	return image;
}

const struct image *images_vdso(struct images *images)
{
	static const char name[] = "[vdso]";
	const uint64_t *known = strmap_get(&images->by_path, name);
	const void *bytes = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct error err = {.message = "this process has no vDSO"};

	if (known)
		return images->list.data[*known];
	struct image *image = image_add(images, name);

	image_load(images, image,
		   bytes ? object_open_bytes(bytes, VDSO_BYTES, name, OBJECT_UNWIND, &err) : NULL,
		   &err);
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
