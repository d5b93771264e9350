/*
 * V8 maps its builtins again, near the code that it makes. The recorder finds out which module's
 * code it is; timers may follow frame pointers through it.
 *
 * Refuses mappings whose address the kernel chooses: it is not known yet where the probe stands.
 */
#include "runtime/exec/mapped.h"

#include "runtime/base/kernel.h"
#include "runtime/files/process.h"
#include "runtime/timer/timer.h"

#include <asm/mman.h>
#include <asm/stat.h>

#define PAGE_MASK 4095ULL

static bool is_code_of_file(const struct probes_registers *registers)
{
	return registers->rax == SYS_mmap && registers->rdx & PROT_EXEC &&
	       registers->r10 & (MAP_FIXED | MAP_FIXED_NOREPLACE) &&
	       !(registers->r10 & MAP_ANONYMOUS);
}

void mapped_notice(const struct probes_registers *registers)
{
	struct stat file;

	if (!is_code_of_file(registers))
		return;
	const uint64_t begin = registers->rdi, size = (registers->rsi + PAGE_MASK) & ~PAGE_MASK;

	if (begin + size <= begin || kernel_call(SYS_fstat, registers->r8, &file))
		return;
	const struct tare_mapped_record record = {.begin = begin,
						  .end = begin + size,
						  .offset = registers->r9,
						  .device = file.st_dev,
						  .inode = file.st_ino};

	process_mapped_note(&record);
	timer_mapped(record.begin, record.end);
}
