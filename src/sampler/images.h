/*
 * The files that sampled processes have mapped, each opened once: where a run address lies in the
 * file, and its unwind rules.
 */
#ifndef TARE_SAMPLER_IMAGES_H
#define TARE_SAMPLER_IMAGES_H

#include "object/object.h"
#include "unwind/unwind.h"

struct image {
	const char *path;
	uint32_t index;		    /* in the order of first use */
	struct object *object;	    /* NULL: not an ELF file, or it could not be opened */
	struct unwind_table *table; /* NULL: none */
	const char *why;	    /* what stood in the way of opening it, or NULL */
};

struct images;

struct images *images_new(void);
void images_free(struct images *images);

/* The image of a file; `root` is put before its path ("" or /proc/PID/root). Never NULL. */
const struct image *images_get(struct images *images, const char *root, const char *path);
/* The vDSO of this kernel, which no file has. */
const struct image *images_vdso(struct images *images);

size_t images_count(const struct images *images);
const struct image *images_at(const struct images *images, size_t index);

/*
 * Run address less link address of an image that was mapped at `addr`, `size` bytes from
 * `file_offset` on; false if no segment of the file is there.
 */
bool image_bias(const struct image *image, uint64_t addr, uint64_t size, uint64_t file_offset,
		uint64_t *bias);

#endif
