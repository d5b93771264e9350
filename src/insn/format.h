/* The text of one instruction, as disassemblers print it. */
#ifndef TARE_INSN_FORMAT_H
#define TARE_INSN_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum insn_syntax {
	INSN_ATT, /* as objdump and gdb print by default: movl $0x1, %eax */
	INSN_INTEL,
};

struct insn_format {
	enum insn_syntax syntax;
	/*
	 * Writes what stands at an address that the instruction names (target of a branch, operand
	 * relative to rip), such as "main+0x10", into `text`; false if nothing is known of it. May
	 * be NULL.
	 */
	bool (*name)(void *context, uint64_t addr, char *text, size_t size);
	void *context;
};

/* Code: at most `size` bytes of one instruction that runs at `addr`. */
struct insn_code {
	const unsigned char *bytes;
	size_t size;
	uint64_t addr;
};

/*
 * Writes the text of an instruction into `text` (cut to `text_size`, NUL-terminated), such as
 * "jmp 0x1180 <main+0x10>". Returns its length in bytes. What is no instruction has the text
 * "(bad)" and is one byte long; 0 only where there are no bytes.
 */
size_t insn_format(const struct insn_format *format, struct insn_code code, char *text,
		   size_t text_size);

#endif
