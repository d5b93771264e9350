/* See runtime_file.h. */
#include "record/runtime_file.h"

#include "cache/digest.h"
#include "object/object.h"
#include "target/target.h"

#include <stdlib.h>
#include <string.h>

/*
 * Of the bytes that the segments load, without the ELF header: stripping and separate debug
 * information move the sections, of which that tells. scripts/segments-digest computes it when tare
 * is built. "" where the build makes no runtime.
 */
extern const char runtime_file_digest[];

static void digest_segments(const struct object *object, char text[DIGEST_TEXT_BYTES])
{
	size_t size, count;
	const unsigned char *bytes = object_bytes(object, &size);
	const Elf64_Phdr *segments = object_segments(object, &count);
	struct str loaded = {0};

	for (size_t i = 0; i < count; i++) {
		const Elf64_Phdr *segment = &segments[i];
		const uint64_t skip = segment->p_offset < sizeof(Elf64_Ehdr)
					      ? sizeof(Elf64_Ehdr) - segment->p_offset
					      : 0;

		if (segment->p_type == PT_LOAD && segment->p_filesz > skip &&
		    segment->p_offset <= size && segment->p_filesz <= size - segment->p_offset)
			str_append_bytes(&loaded, (const char *)bytes + segment->p_offset + skip,
					 segment->p_filesz - skip);
	}
	digest_bytes(loaded.data, loaded.len, text);
	str_fini(&loaded);
}

char *runtime_file_find(struct error *err)
{
	char *path = target_runtime_path(err), text[DIGEST_TEXT_BYTES];

	if (!path || !runtime_file_digest[0])
		return path;
	struct object *object = object_open(path, 0, err);
	bool ok = object != NULL;
	if (ok) {
		digest_segments(object, text);
		ok = strcmp(text, runtime_file_digest) == 0 ||
		     error_set(err, ERROR_INPUT,
			       "%s is damaged, or of another build of tare; install tare again",
			       path);
	}
	object_close(object);
	if (ok)
		return path;
	error_prefix(err, "the runtime library");
	free(path);
	return NULL;
}
