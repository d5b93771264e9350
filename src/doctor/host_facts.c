/*
 * Probing the host. The selector test touches fresh pages and makes system calls, and looks at %es
 * after each: a page fault returns by IRET, which zeroes a null selector with RPL 3; a system call
 * returns by SYSRET, which does not. Processors with FRED may return otherwise.
 */
#include "doctor/host_facts.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((format(printf, 3, 4))) static void
fact_set(struct host_fact *fact, enum host_verdict verdict, const char *format, ...)
{
	va_list args;

	fact->verdict = verdict;
	va_start(args, format);
	vsnprintf(fact->reason, sizeof(fact->reason), format, args);
	va_end(args);
}

static unsigned selector_get(void)
{
	unsigned selector;

	__asm__ volatile("mov %%es, %0" : "=r"(selector) : : "memory");
	return selector;
}

static void selector_arm(void)
{
	__asm__ volatile("mov %0, %%es" : : "r"(3U) : "memory");
}

enum { SELECTOR_TRIES = 64 };

/* Armed, then one system call: the selector should mostly survive (an interrupt may zero it). */
static unsigned selector_kept_by_syscalls(void)
{
	unsigned kept = 0;

	for (int i = 0; i < SELECTOR_TRIES; i++) {
		selector_arm();
		syscall(SYS_getppid);
		kept += selector_get() == 3;
	}
	return kept;
}

static unsigned selector_zeroed_by_faults(size_t page_bytes)
{
	unsigned zeroed = 0;
	volatile char *pages = mmap(NULL, page_bytes * SELECTOR_TRIES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 0;
	/* One fault per page, so no huge page may come for the first. */
	madvise((void *)pages, page_bytes * SELECTOR_TRIES, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < SELECTOR_TRIES; i++) {
		selector_arm();
		pages[i * page_bytes] = 1;
		zeroed += selector_get() == 0;
	}
	munmap((void *)pages, page_bytes * SELECTOR_TRIES);
	return zeroed;
}

void host_probe_selector(struct host_fact *fact)
{
	const unsigned old = selector_get();

	fact->name = "OS events by selector";
	const unsigned zeroed = selector_zeroed_by_faults((size_t)sysconf(_SC_PAGESIZE));
	const unsigned kept = selector_kept_by_syscalls();
	__asm__ volatile("mov %0, %%es" : : "r"(old) : "memory");
	if (zeroed == SELECTOR_TRIES && kept >= SELECTOR_TRIES / 2)
		fact_set(fact, HOST_WORKS,
			 "page faults, interrupts and preemption are seen exactly (%u of %d)",
			 zeroed, SELECTOR_TRIES);
	else
		fact_set(fact, HOST_LIMITED,
			 "%u of %d page faults zeroed the selector and %u of %d system calls kept "
			 "it; "
			 "faults and interrupts will count as Application time",
			 zeroed, SELECTOR_TRIES, kept, SELECTOR_TRIES);
}

/* glibc ≥ 2.35 registers an area for every thread and tells its size; weak, as older ones do not.
 */
extern const unsigned __rseq_size __attribute__((weak));

void host_probe_rseq(struct host_fact *fact)
{
	fact->name = "OS events by rseq";
	errno = 0;
	syscall(SYS_rseq, NULL, 0, 0, 0);
	if (errno == ENOSYS)
		fact_set(fact, HOST_LIMITED,
			 "the kernel has no restartable sequences; blocking in a system call is "
			 "seen "
			 "by the system call alone");
	else if (TARE_IS_STATIC)
		fact_set(
			fact, HOST_WORKS,
			"switches within system calls are seen in programs of glibc 2.35 or later");
	else if (&__rseq_size && __rseq_size)
		fact_set(fact, HOST_WORKS, "switches within system calls are seen");
	else
		fact_set(fact, HOST_LIMITED,
			 "the C library registers no restartable sequences (GLIBC_TUNABLES, or "
			 "older "
			 "than glibc 2.35)");
}

static int read_number(const char *path, int fallback)
{
	int value = fallback;
	FILE *file = fopen(path, "re");

	if (file && fscanf(file, "%d", &value) != 1)
		value = fallback;
	if (file)
		fclose(file);
	return value;
}

/* Loads "r0 = 0; exit", the smallest program. */
static int bpf_load_smallest(void)
{
	const struct bpf_insn program[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
	static const char license[] = "GPL";
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	attr.insns = (uint64_t)(uintptr_t)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (uint64_t)(uintptr_t)license;
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

void host_probe_bpf(struct host_fact *fact)
{
	const int fd = bpf_load_smallest();
	const int load_errno = errno;

	fact->name = "BPF";
	if (fd < 0)
		fact_set(fact, HOST_LIMITED,
			 "programs cannot be loaded (%s; "
			 "kernel.unprivileged_bpf_disabled is %d)",
			 strerror(load_errno),
			 read_number("/proc/sys/kernel/unprivileged_bpf_disabled", -9));
	else if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		fact_set(fact, HOST_LIMITED,
			 "programs can be loaded, but the kernel does not describe its types in "
			 "/sys/kernel/btf/vmlinux");
	else
		fact_set(fact, HOST_WORKS,
			 "programs can be loaded, and the kernel's types are known");
	if (fd >= 0)
		close(fd);
}
