/* See tiny_elf.h. There are no sections: PT_GNU_EH_FRAME leads to the unwind data. */
#include "fuzz/tiny_elf.h"

#include <elf.h>

enum { HEADER = 0xf8, HEADER_BYTES = 8 };

void tiny_elf_begin(struct byte_vec *file, size_t size)
{
	const Elf64_Ehdr header = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2};
	const Elf64_Phdr segments[2] = {{.p_type = PT_LOAD,
					 .p_flags = PF_R | PF_X,
					 .p_filesz = size,
					 .p_memsz = size,
					 .p_align = 0x1000},
					{.p_type = PT_GNU_EH_FRAME,
					 .p_flags = PF_R,
					 .p_offset = HEADER,
					 .p_vaddr = HEADER,
					 .p_filesz = HEADER_BYTES,
					 .p_memsz = HEADER_BYTES}};

	put_bytes(file, &header, sizeof(header));
	put_bytes(file, segments, sizeof(segments));
	while (file->len < HEADER)
		put_u8(file, 0);
	/* Version 1; the address is relative, there is no table. */
	put_bytes(file, "\x01\x1b\xff\xff", 4);
	put_u32(file, TINY_EH_FRAME - (HEADER + 4));
	while (file->len < TINY_TEXT + TINY_TEXT_BYTES)
		put_u8(file, 0x90);
}
