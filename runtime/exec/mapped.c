/*
 * V8 maps its builtins again, near the code that it makes. The recorder finds out which module's
 * code it is; timers may follow frame pointers through it, and through code made at run time.
 *
 * Refuses mappings whose address the kernel chooses: it is not known yet where the probe stands.
 * Nor are more than so many files' told of: a compiler at run time may write its code into files.
 */
#include "runtime/exec/mapped.h"

#include "runtime/base/kernel.h"
#include "runtime/files/process.h"
#include "runtime/timer/timer.h"

#include <asm/mman.h>
#include <asm/stat.h>

#define PAGE_MASK 4095ULL
#define FILES_MAX 1024

static bool makes_code(const struct probes_registers *registers)
{
	switch (registers->rax) {
	case SYS_mmap:
		return registers->rdx & PROT_EXEC &&
		       registers->r10 & (MAP_FIXED | MAP_FIXED_NOREPLACE);
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		return registers->rdx & PROT_EXEC;
	default:
		return false;
	}
}

static void note_file(const struct probes_registers *registers, uint64_t begin, uint64_t end)
{
	static uint64_t noted;
	struct stat file;

	if (__atomic_fetch_add(&noted, 1, __ATOMIC_RELAXED) >= FILES_MAX ||
	    kernel_call(SYS_fstat, registers->r8, &file))
		return;
	const struct tare_mapped_record record = {.begin = begin,
						  .end = end,
						  .offset = registers->r9,
						  .device = file.st_dev,
						  .inode = file.st_ino};

	process_mapped_note(&record);
}

void mapped_notice(const struct probes_registers *registers)
{
	if (!makes_code(registers))
		return;
	const uint64_t begin = registers->rdi;
	const uint64_t end = begin + ((registers->rsi + PAGE_MASK) & ~PAGE_MASK);

	if (end <= begin)
		return;
	if (registers->rax == SYS_mmap && !(registers->r10 & MAP_ANONYMOUS))
		note_file(registers, begin, end);
	timer_mapped(begin, end);
}
