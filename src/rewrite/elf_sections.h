/*
 * The part of elf_out that describes the file to debuggers: section headers and symbols.
 */
#ifndef TARE_REWRITE_ELF_SECTIONS_H
#define TARE_REWRITE_ELF_SECTIONS_H

#include "rewrite/elf_out.h"

/*
 * Appends string tables, symbols and section headers to the file and sets them in its header.
 * Nothing where the original has no section headers.
 */
bool elf_sections_write(const struct elf_out_input *input, struct byte_vec *file,
			struct error *err);

#endif
