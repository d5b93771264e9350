/*
 * The new file's header, segments and patches.
 *
 * Kernels before 5.18 tell the loader that the program headers are at (address of the first
 * segment) + e_phoff. So that this is true, the image lies in the file as far behind the first
 * segment as in memory; the hole costs no disk space. Only where memory is far larger than the file
 * (huge .bss), the image follows the file at once, and such programs need a newer kernel.
 *
 * GNU strip and objcopy write the program headers at the begin of the segment that holds them, and
 * misplace it unless the segment before fills its pages in the file; elfutils' strip leaves them
 * where they are, and zeroes what no section covers. So the image begins with room for them, then
 * comes a section with the table as it is, and the writable segment, all zero, has its place in the
 * file.
 */
#include "rewrite/elf_out.h"
#include "rewrite/elf_sections.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
	PAGE = 0x1000,
	HEADERS_ALIGN = 16,
	NEW_SEGMENTS = 7, /* two of the front, writable, image, TLS, note, .eh_frame_hdr */
};

static const uint64_t hole_max = UINT64_C(256) << 20;

static uint64_t round_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

/* ---- layout ---- */

struct elf_layout elf_out_layout(const struct object *object, uint64_t rw_size, uint64_t front_size)
{
	struct elf_layout layout = {.rw_size = round_up(rw_size, PAGE),
				    .front_size = round_up(front_size, PAGE)};
	uint64_t memory_end = 0, first_addr = UINT64_MAX, first_offset = 0;
	size_t count, file_size;
	const Elf64_Phdr *segments = object_segments(object, &count);

	object_bytes(object, &file_size);
	for (size_t i = 0; i < count; i++) {
		const Elf64_Phdr *segment = &segments[i];
		if (segment->p_type != PT_LOAD || !segment->p_memsz)
			continue;
		if (segment->p_vaddr + segment->p_memsz > memory_end)
			memory_end = segment->p_vaddr + segment->p_memsz;
		if (segment->p_vaddr < first_addr) {
			first_addr = segment->p_vaddr;
			first_offset = segment->p_offset;
		}
	}
	const uint64_t file_end = round_up(file_size, PAGE);
	uint64_t addr = round_up(memory_end, PAGE);
	uint64_t offset = round_up(addr - first_addr + first_offset, PAGE);
	if (offset < file_end) {
		addr += file_end - offset;
		offset = file_end;
	} else if (offset - file_end > hole_max) {
		offset = file_end;
	}
	layout.front_addr = addr;
	layout.rw_addr = addr + layout.front_size;
	layout.image_addr = layout.rw_addr + layout.rw_size;
	layout.image_offset = offset + layout.front_size + layout.rw_size;
	layout.headers_size =
		2 * round_up((count + NEW_SEGMENTS) * sizeof(Elf64_Phdr), HEADERS_ALIGN);
	return layout;
}

struct object_extent elf_out_headers(const struct elf_layout *layout)
{
	return (struct object_extent){layout->image_addr + layout->headers_size / 2,
				      layout->headers_size / 2};
}

/* ---- program headers ---- */

struct headers {
	const struct elf_out_input *input;
	Elf64_Phdr *entries;
	size_t count;
};

static void headers_put(struct headers *headers, Elf64_Phdr entry)
{
	headers->entries[headers->count++] = entry;
}

/* A segment that describes a part of the image. */
static Elf64_Phdr image_part(const struct elf_out_input *input, uint32_t type,
			     struct object_extent part)
{
	const uint64_t offset = input->layout.image_offset + part.addr - input->layout.image_addr;

	return (Elf64_Phdr){.p_type = type,
			    .p_flags = PF_R,
			    .p_offset = offset,
			    .p_vaddr = part.addr,
			    .p_paddr = part.addr,
			    .p_filesz = part.size,
			    .p_memsz = part.size,
			    .p_align = 4};
}

/* Place in the file of an address of the front. */
static uint64_t front_offset(const struct elf_layout *layout)
{
	assert(layout->image_offset >= layout->image_addr - layout->front_addr);
	return layout->image_offset - (layout->image_addr - layout->front_addr);
}

static void headers_put_front(struct headers *headers)
{
	const struct elf_layout *layout = &headers->input->layout;
	const struct elf_front *front = &headers->input->front;
	const uint64_t addr = layout->front_addr, offset = front_offset(layout);

	headers_put(headers, (Elf64_Phdr){.p_type = PT_LOAD,
					  .p_flags = PF_R | PF_X,
					  .p_offset = offset,
					  .p_vaddr = addr,
					  .p_paddr = addr,
					  .p_filesz = front->code_size,
					  .p_memsz = front->code_size,
					  .p_align = PAGE});
	if (front->memory_size == front->code_size)
		return;
	headers_put(headers, (Elf64_Phdr){.p_type = PT_LOAD,
					  .p_flags = PF_R | PF_W,
					  .p_offset = offset + front->code_size,
					  .p_vaddr = addr + front->code_size,
					  .p_paddr = addr + front->code_size,
					  .p_filesz = front->bytes->len - front->code_size,
					  .p_memsz = front->memory_size - front->code_size,
					  .p_align = PAGE});
}

static void headers_put_loads(struct headers *headers)
{
	const struct elf_layout *layout = &headers->input->layout;
	const struct object_extent image = {layout->image_addr, headers->input->image_size};
	Elf64_Phdr load = image_part(headers->input, PT_LOAD, image);

	if (layout->front_size)
		headers_put_front(headers);
	if (layout->rw_size)
		headers_put(headers,
			    (Elf64_Phdr){.p_type = PT_LOAD,
					 .p_flags = PF_R | PF_W,
					 .p_offset = layout->image_offset - layout->rw_size,
					 .p_vaddr = layout->rw_addr,
					 .p_paddr = layout->rw_addr,
					 .p_filesz = layout->rw_size,
					 .p_memsz = layout->rw_size,
					 .p_align = PAGE});
	load.p_flags = PF_R | PF_X;
	load.p_align = PAGE;
	headers_put(headers, load);
}

static void headers_put_original(struct headers *headers, const Elf64_Phdr *original)
{
	const struct elf_out_input *input = headers->input;

	if (original->p_type == PT_GNU_EH_FRAME && input->eh_frame_hdr.size)
		headers_put(headers, image_part(input, PT_GNU_EH_FRAME, input->eh_frame_hdr));
	else if (original->p_type != PT_TLS || input->tls.p_type == PT_NULL)
		headers_put(headers, *original);
}

/* It lies in the writable segment. */
static void headers_put_tls(struct headers *headers)
{
	const struct elf_layout *layout = &headers->input->layout;
	Elf64_Phdr tls = headers->input->tls;

	tls.p_offset = layout->image_offset - layout->rw_size + (tls.p_vaddr - layout->rw_addr);
	headers_put(headers, tls);
}

/* PT_PHDR describes the table itself, whose size is known at the end. */
static void headers_fix_own(struct headers *headers)
{
	const struct object_extent own = {elf_out_headers(&headers->input->layout).addr,
					  headers->count * sizeof(Elf64_Phdr)};

	for (size_t i = 0; i < headers->count; i++)
		if (headers->entries[i].p_type == PT_PHDR) {
			headers->entries[i] = image_part(headers->input, PT_PHDR, own);
			headers->entries[i].p_align = 8;
		}
}

static void headers_build(struct headers *headers)
{
	const struct elf_out_input *input = headers->input;
	size_t count, last_load = 0;
	const Elf64_Phdr *segments = object_segments(input->object, &count);
	bool has_eh_frame_hdr = false;

	for (size_t i = 0; i < count; i++) {
		last_load = segments[i].p_type == PT_LOAD ? i : last_load;
		has_eh_frame_hdr |= segments[i].p_type == PT_GNU_EH_FRAME;
	}
	for (size_t i = 0; i < count; i++) {
		headers_put_original(headers, &segments[i]);
		if (i == last_load)
			headers_put_loads(headers);
	}
	if (input->tls.p_type != PT_NULL)
		headers_put_tls(headers);
	if (input->note.size)
		headers_put(headers, image_part(input, PT_NOTE, input->note));
	if (input->eh_frame_hdr.size && !has_eh_frame_hdr)
		headers_put(headers, image_part(input, PT_GNU_EH_FRAME, input->eh_frame_hdr));
	headers_fix_own(headers);
}

static void headers_write(const struct elf_out_input *input, unsigned char *file)
{
	struct headers headers = {.input = input};
	const uint64_t offset = input->layout.image_offset + input->layout.headers_size / 2;
	size_t count;
	Elf64_Ehdr header;

	object_segments(input->object, &count);
	headers.entries = mem_zalloc((count + NEW_SEGMENTS) * sizeof(Elf64_Phdr));
	headers_build(&headers);
	assert(headers.count <= count + NEW_SEGMENTS);
	memcpy(file + offset, headers.entries, headers.count * sizeof(Elf64_Phdr));
	memcpy(&header, file, sizeof(header));
	assert(headers.count * sizeof(Elf64_Phdr) <= input->layout.headers_size / 2);
	header.e_phoff = offset;
	header.e_phnum = (Elf64_Half)headers.count;
	if (input->entry)
		header.e_entry = input->entry;
	memcpy(file, &header, sizeof(header));
	free(headers.entries);
}

/* ---- changes to the original ---- */

/* Place in the file of `size` bytes at a link address. */
static bool file_offset(const struct object *object, uint64_t addr, uint64_t size, uint64_t *offset)
{
	size_t file_size;
	const unsigned char *bytes = object_bytes(object, &file_size);
	const unsigned char *at = object_at(object, addr, size);

	*offset = at ? (uint64_t)(at - bytes) : 0;
	return at != NULL;
}

static bool patches_apply(const struct elf_out_input *input, unsigned char *file, struct error *err)
{
	for (size_t i = 0; i < input->patch_count; i++) {
		const struct elf_patch *patch = &input->patches[i];
		uint64_t offset;
		if (!file_offset(input->object, patch->addr, patch->size, &offset))
			return error_set(err, ERROR_INPUT,
					 "%s has no file contents at 0x%" PRIx64
					 ", which would have to be changed",
					 object_path(input->object), patch->addr);
		memcpy(file + offset, patch->bytes, patch->size);
	}
	return true;
}

static Elf64_Dyn *dynamic_find(Elf64_Dyn *entries, size_t count, int64_t tag)
{
	for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == tag)
			return &entries[i];
	return NULL;
}

/* Makes the entries refer to the new string: as an offset from the old string table. */
static bool dynamic_set_runpath(const struct elf_out_input *input, const unsigned char *file,
				Elf64_Dyn *entries, size_t count)
{
	const struct elf_layout *layout = &input->layout;
	Elf64_Dyn *runpath = dynamic_find(entries, count, DT_RUNPATH);
	const Elf64_Dyn *strings = dynamic_find(entries, count, DT_STRTAB);
	Elf64_Dyn *strings_size = dynamic_find(entries, count, DT_STRSZ);

	if (!runpath)
		runpath = dynamic_find(entries, count, DT_RPATH);
	if (!runpath || !strings || !strings_size || input->runpath_addr < layout->image_addr ||
	    input->runpath_addr >= layout->image_addr + input->image_size)
		return false;
	const uint64_t offset = input->runpath_addr - strings->d_un.d_ptr;
	const size_t in_image = input->runpath_addr - layout->image_addr;
	const size_t length = strnlen((const char *)file + layout->image_offset + in_image,
				      input->image_size - in_image);
	runpath->d_un.d_val = offset;
	strings_size->d_un.d_val = offset + length + 1;
	return true;
}

static bool runpath_apply(const struct elf_out_input *input, unsigned char *file, struct error *err)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(input->object, &count);

	for (size_t i = 0; i < count; i++) {
		const size_t entry_count = segments[i].p_filesz / sizeof(Elf64_Dyn);
		uint64_t offset;
		if (segments[i].p_type != PT_DYNAMIC ||
		    !file_offset(input->object, segments[i].p_vaddr, segments[i].p_filesz, &offset))
			continue;
		Elf64_Dyn *entries = mem_alloc(segments[i].p_filesz + 1);
		memcpy(entries, file + offset, segments[i].p_filesz);
		const bool ok = dynamic_set_runpath(input, file, entries, entry_count);
		memcpy(file + offset, entries, segments[i].p_filesz);
		free(entries);
		if (ok)
			return true;
		break;
	}
	return error_set(err, ERROR_INPUT, "%s has no library search path that could be changed",
			 object_path(input->object));
}

/* ---- public ---- */

void elf_out_begin(const struct object *object, const struct elf_layout *layout,
		   uint64_t image_bytes, struct byte_vec *file)
{
	size_t size;
	const unsigned char *bytes = object_bytes(object, &size);

	assert(!file->len && size <= layout->image_offset);
	vec_fini(file);
	/* Zero without being written: a hole's pages are never made. */
	file->cap = layout->image_offset + image_bytes;
	file->data = mem_zalloc(file->cap);
	mem_advise_large(file->data, file->cap);
	memcpy(file->data, bytes, size);
	file->len = layout->image_offset;
}

static void front_write(const struct elf_out_input *input, unsigned char *file)
{
	const struct elf_layout *layout = &input->layout;
	const struct elf_front *front = &input->front;

	if (layout->front_size) {
		assert(front->bytes->len >= front->code_size &&
		       front->bytes->len <= layout->front_size);
		memcpy(file + front_offset(layout), front->bytes->data, front->bytes->len);
	}
	if (input->rw_bytes && input->rw_bytes->len) {
		assert(input->rw_bytes->len <= layout->rw_size);
		memcpy(file + layout->image_offset - layout->rw_size, input->rw_bytes->data,
		       input->rw_bytes->len);
	}
}

bool elf_out_write(const struct elf_out_input *input, struct byte_vec *file, struct error *err)
{
	assert(file->len == input->layout.image_offset + input->image_size);
	assert(input->image_size >= input->layout.headers_size);
	front_write(input, file->data);
	headers_write(input, file->data);
	return patches_apply(input, file->data, err) &&
	       (!input->runpath_addr || runpath_apply(input, file->data, err)) &&
	       elf_sections_write(input, file, err);
}
