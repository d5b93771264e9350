/*
 * The start of the runtime in a static executable, which carries it (abi/static.h).
 *
 *   kernel ─▶ tare_static_entry ─ session? ─▶ relocate ─▶ thread-local block, thread pointer
 *                  │ none                       ─▶ host, costs, process file ─▶ arm
 *                  ▼
 *             original entry point: the program's C library makes the real thread pointer
 *
 * Until the C library has set up thread-local storage, probes of its start-up code run on a
 * thread pointer of ours and record nothing (thread_begin refuses it). Without a session nothing
 * happens at all: no system call, no written page.
 *
 * Refuses privileged programs, and relocations that it does not know.
 */
#include "abi/static.h"
#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/exec/exec.h"
#include "runtime/files/process.h"
#include "runtime/os/executable.h"
#include "runtime/start/api.h"
#include "runtime/start/armed.h"
#include "runtime/start/startup.h"
#include "runtime/timer/timer.h"

#include <sys/mman.h>

#define PAGE	    4096ULL
#define ARCH_SET_FS 0x1002
#define ABOVE_BYTES PAGE /* of the thread pointer: what start-up code may read there */
#define SELF_OFFSET 16	 /* both C libraries keep the thread's own address at 0 and here */

#pragma GCC visibility push(hidden)
extern struct tare_static static_data; /* filled by the rewriter */
extern const Elf64_Ehdr
	__ehdr_start; /* the runtime's own, and its dynamic section: by the linker */
extern const Elf64_Dyn _DYNAMIC[];
uint64_t static_begin(uint64_t *stack);
#pragma GCC visibility pop

static inline uint64_t load_bias(void)
{
	return (uint64_t)&static_data - static_data.link_addr;
}

/* Before this nothing of the runtime works that needs addresses in data, or its TLS. */
static bool relocate(void)
{
	const uint64_t base = (uint64_t)&__ehdr_start;
	const Elf64_Rela *rela = NULL;
	uint64_t size_bytes = 0;

	for (const Elf64_Dyn *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_RELA)
			rela = (const Elf64_Rela *)(base + entry->d_un.d_ptr);
		if (entry->d_tag == DT_RELASZ)
			size_bytes = entry->d_un.d_val;
	}
	for (; rela && size_bytes >= sizeof(*rela); rela++, size_bytes -= sizeof(*rela)) {
		uint64_t *word = (uint64_t *)(base + rela->r_offset);
		const uint64_t addend = (uint64_t)rela->r_addend;

		switch (ELF64_R_TYPE(rela->r_info)) {
		case R_X86_64_RELATIVE:
			*word = base + addend;
			break;
		case R_X86_64_TPOFF64:
			*word = (uint64_t)static_data.tls_offset + addend;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* The runtime's block in the initial image, which every thread gets a copy of. */
static void tls_image_fill(void)
{
	const uint64_t base = (uint64_t)&__ehdr_start;
	const Elf64_Phdr *segments = (const Elf64_Phdr *)(base + __ehdr_start.e_phoff);

	for (int i = 0; i < __ehdr_start.e_phnum; i++)
		if (segments[i].p_type == PT_TLS)
			memcpy((void *)(load_bias() + static_data.tls_image),
			       (const void *)(base + segments[i].p_vaddr), segments[i].p_filesz);
}

static bool thread_pointer_set(void)
{
	const uint64_t below = ((uint64_t)-static_data.tls_offset + PAGE - 1) & ~(PAGE - 1);
	const long map = kernel_call(SYS_mmap, 0, below + ABOVE_BYTES, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map < 0 && map > -4096)
		return false;
	const uint64_t pointer = (uint64_t)map + below;

	*(uint64_t *)pointer = pointer;
	*(uint64_t *)(pointer + SELF_OFFSET) = pointer;
	memcpy((void *)(pointer + (uint64_t)static_data.tls_offset),
	       (const void *)(load_bias() + static_data.tls_image), TARE_STATIC_TLS_BYTES);
	state_session.start_pointer = pointer;
	return kernel_call(SYS_arch_prctl, ARCH_SET_FS, pointer) == 0;
}

static void executable_begin(struct startup *startup)
{
	static char path[TARE_PATH_MAX];
	const struct module_segments segments = {.bias = load_bias(),
						 .headers = (const Elf64_Phdr *)startup->headers,
						 .count = startup->header_count};
	const struct tare_module *module = module_find(&segments);
	struct process_module record = {
		.type = TARE_RECORD_MODULE_OPEN, .bias = segments.bias, .path = path};

	if (static_data.dynamic_addr)
		record.dynamic_addr = segments.bias + static_data.dynamic_addr;
	if (startup_read_link("/proc/self/exe", path))
		executable_know(path, startup->vector);
	startup->no_syscall_sites = !module || !module->syscall_site_count;
	startup_begin(startup);
	if (!state_session.active)
		return;
	record.instrumented = module_arm(&segments);
	api_connect(&segments);
	process_module_note(&record);
	module_count_calls(&segments, record.ordinal);
	timer_open(&segments, path, true);
}

/* Programs that start others by themselves (valgrind) hand AT_ENTRY on. */
static void entry_show(Elf64_auxv_t *vector)
{
	for (; vector->a_type != AT_NULL; vector++)
		if (vector->a_type == AT_ENTRY)
			vector->a_un.a_val = load_bias() + static_data.entry;
}

uint64_t static_begin(uint64_t *stack)
{
	char **environment = (char **)(stack + 1 + stack[0] + 1);
	struct startup startup = {0};

	startup_scan(&startup, environment);
	if (!startup.secure && startup.session && startup.headers && relocate() &&
	    startup_take_session(&startup)) {
		tls_image_fill();
		entry_show(startup.vector);
		if (startup.origin == STARTUP_AS_GUEST)
			startup_withdraw();
		else if (thread_pointer_set())
			executable_begin(&startup);
		else
			state_session.active = false;
		exec_hide_session(environment);
	}
	return load_bias() + static_data.entry;
}
