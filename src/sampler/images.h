/*
 * The files that sampled processes have mapped, each opened once: where a run address lies in the
 * file, and its unwind rules.
 */
#ifndef TARE_SAMPLER_IMAGES_H
#define TARE_SAMPLER_IMAGES_H

#include "object/object.h"
#include "sampler/perf_record.h"
#include "unwind/unwind.h"

enum image_kind {
	IMAGE_FILE,
	IMAGE_VDSO,
	IMAGE_RUNTIME, /* code made at run time, in memory that no file is behind */
};

struct image {
	const char *path; /* as mapped; "[vdso]", "[jit]"; of a recording's file
			     that is another one now with " (replaced)" */
	const char *file; /* the one that was opened; NULL: none, or this kernel's own vDSO */
	enum image_kind kind;
	uint32_t index;		    /* in the order of first use */
	struct object *object;	    /* NULL: not an ELF file, or it could not be opened */
	struct unwind_rules *rules; /* NULL: none */
	const char *why;	    /* what stood in the way of opening it, or NULL */
};

struct images;

struct images *images_new(void);
void images_free(struct images *images);

/*
 * The image of a mapping; never NULL. A file is looked for in the sight of the process that has
 * mapped it while that lives, or, if not `live`, by its path or in perf's store of files
 * (~/.debug). One that is not the file that was mapped (replaced since: another build-id or inode)
 * is not opened, and image->why says so.
 */
const struct image *images_get(struct images *images, const struct perf_mapping *mapping,
			       bool live);

/* Where perf keeps the file `name` ("elf", "vdso", "kallsyms") of a build-id; "" if unknown. */
void images_kept_path(const uint8_t *build_id, size_t build_id_bytes, const char *name, char *path,
		      size_t room);

size_t images_count(const struct images *images);
const struct image *images_at(const struct images *images, size_t index);

/*
 * Run address less link address of an image that was mapped at `addr`, `size` bytes from
 * `file_offset` on; false if no segment of the file is there.
 */
bool image_bias(const struct image *image, uint64_t addr, uint64_t size, uint64_t file_offset,
		uint64_t *bias);

#endif
