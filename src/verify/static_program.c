/*
 * Static executables, which carry the runtime (abi/static.h): their entry point is its, which goes
 * on to the original one, and thread-local storage begins earlier, in a new image that holds the
 * original's at its end, so that variables keep their distance from the thread pointer. In
 * position-independent ones the words of the new image are relocated as those of the old one.
 */
#include "verify/private.h"

#include "abi/static.h"

#include <inttypes.h>
#include <string.h>

static const Elf64_Phdr *segment_of(const struct object *object, uint32_t type)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == type)
			return &segments[i];
	return NULL;
}

bool static_has_runtime(const struct check *check)
{
	return object_kind(check->original) == OBJECT_STATIC_EXECUTABLE &&
	       object_header(check->copy)->e_entry != object_header(check->original)->e_entry;
}

/* ---- thread-local storage ---- */

/* How far the original's image lies behind the begin of the new one; false: a difference. */
static bool find_room(const struct check *check, uint64_t *room)
{
	static const Elf64_Phdr none = {.p_align = 1};
	const Elf64_Phdr *copy = segment_of(check->copy, PT_TLS);
	const Elf64_Phdr *old = segment_of(check->original, PT_TLS);

	if (!old)
		old = &none;
	if (!copy || copy->p_memsz < old->p_memsz || copy->p_filesz < old->p_filesz)
		return false;
	*room = copy->p_memsz - old->p_memsz;
	return *room >= TARE_STATIC_TLS_BYTES && copy->p_filesz - old->p_filesz == *room &&
	       copy->p_align && old->p_align && copy->p_align >= old->p_align &&
	       *room % old->p_align == 0 && copy->p_vaddr % copy->p_align == 0;
}

static bool image_is_kept(const struct check *check, uint64_t room)
{
	const Elf64_Phdr *copy = segment_of(check->copy, PT_TLS);
	const Elf64_Phdr *old = segment_of(check->original, PT_TLS);
	const unsigned char *image = object_at(check->copy, copy->p_vaddr, copy->p_filesz);

	if (!image)
		return false;
	for (uint64_t i = 0; i < room; i++)
		if (image[i])
			return false;
	if (!old || !old->p_filesz)
		return true;
	const unsigned char *old_image = object_at(check->original, old->p_vaddr, old->p_filesz);
	return old_image && memcmp(old_image, image + room, old->p_filesz) == 0;
}

/* Where a word of the old image is in the new one; other words stay. */
static uint64_t moved_word(const struct check *check, uint64_t addr)
{
	const Elf64_Phdr *old = segment_of(check->original, PT_TLS);
	const Elf64_Phdr *copy = segment_of(check->copy, PT_TLS);
	uint64_t room;

	if (!old || !copy || addr - old->p_vaddr >= old->p_filesz || !find_room(check, &room))
		return addr;
	return copy->p_vaddr + room + (addr - old->p_vaddr);
}

/* ---- relocations ---- */

static uint64_t dynamic_value(const struct object *object, int64_t tag, const unsigned char **at)
{
	const Elf64_Phdr *segment = segment_of(object, PT_DYNAMIC);
	const unsigned char *bytes =
		segment ? object_at(object, segment->p_vaddr, segment->p_filesz) : NULL;
	Elf64_Dyn entry;

	*at = NULL;
	for (uint64_t i = 0; bytes && i + sizeof(entry) <= segment->p_filesz; i += sizeof(entry)) {
		memcpy(&entry, bytes + i, sizeof(entry));
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag != tag)
			continue;
		*at = bytes + i + offsetof(Elf64_Dyn, d_un);
		return entry.d_un.d_val;
	}
	return 0;
}

struct words vec_of(uint64_t);

/* The words that DT_RELR names. */
static bool relr_read(const struct object *object, struct words *words)
{
	const unsigned char *at;
	const uint64_t table = dynamic_value(object, DT_RELR, &at);
	const uint64_t size = dynamic_value(object, DT_RELRSZ, &at);
	const unsigned char *bytes = table ? object_at(object, table, size) : NULL;
	uint64_t next = 0;

	for (uint64_t i = 0; bytes && i + 8 <= size; i += 8) {
		uint64_t entry;
		memcpy(&entry, bytes + i, sizeof(entry));
		if (!(entry & 1)) {
			vec_push(words, entry);
			next = entry + 8;
			continue;
		}
		for (unsigned bit = 1; bit < 64; bit++)
			if (entry >> bit & 1)
				vec_push(words, next + UINT64_C(8) * (bit - 1));
		next += UINT64_C(63) * 8;
	}
	return !table || bytes;
}

static int compare_words(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static bool relr_agrees(const struct check *check)
{
	struct words words = {0}, copied = {0};
	bool ok = relr_read(check->original, &words) && relr_read(check->copy, &copied);

	/* The old image, which nothing reads any more, is relocated still. */
	for (size_t i = 0, count = words.len; i < count; i++) {
		const uint64_t moved = moved_word(check, words.data[i]);
		if (moved != words.data[i])
			vec_push(&words, moved);
	}
	vec_sort(&words, compare_words);
	vec_sort(&copied, compare_words);
	ok = ok && words.len == copied.len &&
	     (!words.len || memcmp(words.data, copied.data, words.len * sizeof(*words.data)) == 0);
	vec_fini(&words);
	vec_fini(&copied);
	return ok;
}

static void allow_relr(struct check *check, struct check_allowances *allowances)
{
	static const int64_t tags[] = {DT_RELR, DT_RELRSZ};
	const unsigned char *at;

	if (!relr_agrees(check)) {
		check_differs(check, VERIFY_HEADERS, 0, 0, "other words are relocated (DT_RELR)");
		return;
	}
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
		dynamic_value(check->original, tags[i], &at);
		if (at)
			check_allow(check, allowances, at, sizeof(uint64_t));
	}
}

/* Places of relocations that moved, where the copy has the right ones. */
static void allow_rela(struct check *check, struct check_allowances *allowances)
{
	const unsigned char *at;
	const uint64_t table = dynamic_value(check->original, DT_RELA, &at);
	const uint64_t size = dynamic_value(check->original, DT_RELASZ, &at);
	const unsigned char *bytes = table ? object_at(check->original, table, size) : NULL;
	const unsigned char *copy = table ? object_at(check->copy, table, size) : NULL;
	Elf64_Rela entry, copied;

	for (uint64_t i = 0; bytes && copy && i + sizeof(entry) <= size; i += sizeof(entry)) {
		memcpy(&entry, bytes + i, sizeof(entry));
		memcpy(&copied, copy + i, sizeof(copied));
		if (entry.r_offset != copied.r_offset &&
		    copied.r_offset == moved_word(check, entry.r_offset))
			check_allow(check, allowances, bytes + i, sizeof(entry.r_offset));
	}
}

/* ---- the runtime ---- */

/* What the runtime is told, which knows its own address. */
static bool find_data(const struct check *check, struct tare_static *data)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(check->copy, &count);

	for (size_t i = 0; i < count; i++) {
		const unsigned char *bytes =
			segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_W)
				? object_at(check->copy, segments[i].p_vaddr, segments[i].p_filesz)
				: NULL;
		for (uint64_t at = 0; bytes && at + sizeof(*data) <= segments[i].p_filesz;
		     at += 8) {
			memcpy(data, bytes + at, sizeof(*data));
			if (data->link_addr == segments[i].p_vaddr + at &&
			    data->entry == object_header(check->original)->e_entry)
				return true;
		}
	}
	return false;
}

static bool data_agrees(const struct check *check, const struct tare_static *data)
{
	const Elf64_Phdr *tls = segment_of(check->copy, PT_TLS);
	const Elf64_Phdr *dynamic = segment_of(check->original, PT_DYNAMIC);
	const uint64_t block = (tls->p_memsz + tls->p_align - 1) & ~(tls->p_align - 1);

	return data->start == object_header(check->copy)->e_entry &&
	       data->tls_image >= tls->p_vaddr &&
	       data->tls_image + TARE_STATIC_TLS_BYTES <= tls->p_vaddr + tls->p_filesz &&
	       (uint64_t)data->tls_offset == data->tls_image - tls->p_vaddr - block &&
	       data->dynamic_addr == (dynamic ? dynamic->p_vaddr : 0);
}

void static_check(struct check *check, struct check_allowances *allowances)
{
	const Elf64_Ehdr *header = object_header(check->copy);
	struct tare_static data;
	uint64_t room;

	if (!object_is_executable(check->copy, header->e_entry) ||
	    object_is_mapped(check->original, header->e_entry))
		check_differs(check, VERIFY_HEADERS, 0, header->e_entry,
			      "the entry point is not the runtime's");
	if (!find_room(check, &room) || !image_is_kept(check, room)) {
		check_differs(check, VERIFY_HEADERS, 0, 0, "thread-local storage was not kept");
		return;
	}
	if (!find_data(check, &data) || !data_agrees(check, &data))
		check_differs(check, VERIFY_HEADERS, 0, 0, "the runtime is told something else");
	allow_relr(check, allowances);
	allow_rela(check, allowances);
}
