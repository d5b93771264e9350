/*
 * Writing the new file: the original with two more segments.
 *
 *   original file, patched                    same offsets and addresses
 *   hole
 *   front                                     code and data of a companion, if there is one
 *   image (read, execute)                     program headers, code, tables, unwind data, note
 *   string and symbol tables, section headers not loaded
 *
 * A writable segment lies below the image in memory, behind the front.
 */
#ifndef TARE_REWRITE_ELF_OUT_H
#define TARE_REWRITE_ELF_OUT_H

#include "object/object.h"

struct elf_layout {
	uint64_t front_addr;   /* link address of the front */
	uint64_t front_size;   /* whole pages; 0: there is none */
	uint64_t rw_addr;      /* link address of the writable segment; begins a page */
	uint64_t rw_size;      /* whole pages */
	uint64_t image_addr;   /* link address of the image */
	uint64_t image_offset; /* its place in the file */
	uint64_t headers_size; /* at its begin: left free for the program headers, twice */
};

/* Where new segments go: above everything in memory and in the file. */
struct elf_layout elf_out_layout(const struct object *object, uint64_t rw_size,
				 uint64_t front_size);

/*
 * Begins the file, in an empty vector: the original, and zeros up to the image, which the caller
 * appends; there is room for `image_bytes` of it.
 */
void elf_out_begin(const struct object *object, const struct elf_layout *layout,
		   uint64_t image_bytes, struct byte_vec *file);

/* The table of program headers in the image. */
struct object_extent elf_out_headers(const struct elf_layout *layout);

/* Segments with contents of their own, below the others. */
struct elf_front {
	const struct byte_vec *bytes;
	uint64_t code_size;   /* read and executed; whole pages */
	uint64_t memory_size; /* with the writable part behind it; zero where bytes end */
};

/* Replaces bytes of the original. */
struct elf_patch {
	uint64_t addr;
	const unsigned char *bytes;
	size_t size;
};

struct elf_patches vec_of(struct elf_patch);

/* A section to describe. One that is named as an original one takes its place: the original is
   renamed (".tare.orig_eh_frame"). */
struct elf_section {
	const char *name;
	uint32_t type; /* SHT_* */
	uint64_t flags;
	uint64_t addr, size; /* in the image, or SHT_NOBITS in the writable segment */
	uint64_t align;
};

/* A function in the image; becomes a LOCAL FUNC symbol. */
struct elf_symbol {
	const char *name;
	uint64_t addr, size;
};

struct elf_out_input {
	const struct object *object;
	struct elf_layout layout; /* as elf_out_layout gave it */
	uint64_t image_size;	  /* of the file, which ends with it */
	uint64_t identity;	  /* a hash of the copies, not 0: for the build-id */
	struct elf_front front;	  /* if layout.front_size */
	const struct elf_patch *patches;
	size_t patch_count;
	const struct elf_section *sections;
	size_t section_count;
	const struct elf_symbol *symbols;
	size_t symbol_count;
	struct object_extent note;	   /* the note of struct tare_module; size 0: none */
	struct object_extent eh_frame_hdr; /* size 0: the original stays in force */
	/* Link address, in the image, of a string that replaces DT_RUNPATH (or DT_RPATH); 0: keep.
	 */
	uint64_t runpath_addr;
	/* Static executables: contents of the writable segment's begin (or NULL), the program
	   header that takes the place of PT_TLS (p_type PT_NULL: none does; its p_offset is
	   ignored), the entry point (0: the original's). */
	const struct byte_vec *rw_bytes;
	Elf64_Phdr tls;
	uint64_t entry;
};

/* Completes the file that elf_out_begin began. Fails where the input contradicts the object. */
bool elf_out_write(const struct elf_out_input *input, struct byte_vec *file, struct error *err);

#endif
