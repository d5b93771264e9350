/*
 * The dynamic loader's view of the runtime: start and end of the program, the search for
 * libraries, their arming before any of their code runs.
 *
 *   constructor ─ session? ─ executable to be replaced? ─▶ execve of its copy
 *        │ host, costs, process file, environment
 *   la_objsearch ─▶ recorder: which file instead?
 *   la_objopen ─▶ note in the file? slots, arming bytes ─▶ module record
 *
 * Refuses everything without a session: la_version then tells the loader to unload it. Refuses to
 * arm a module whose note points outside its own writable segments.
 */
#include "abi/module.h"
#include "runtime/bytes.h"
#include "runtime/calibrate.h"
#include "runtime/exec.h"
#include "runtime/executable.h"
#include "runtime/kernel.h"
#include "runtime/os_flag.h"
#include "runtime/probes.h"
#include "runtime/process.h"
#include "runtime/session.h"
#include "runtime/thread.h"

#include <asm/errno.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>

#define EXPORTED __attribute__((visibility("default")))

struct segments {
	uint64_t bias;
	const Elf64_Phdr *headers;
	uint64_t count;
};

static struct segments executable; /* as the kernel says */
static char **program_environment;
static char search_path[TARE_PATH_MAX], search_copy[TARE_PATH_MAX];
static char search_name[TARE_PATH_MAX]; /* what was asked for when search_copy was answered */

/* ---- the note, and arming ---- */

static const struct tare_module *notes_find(const char *at, uint64_t size_bytes)
{
	while (size_bytes >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *note = (const Elf64_Nhdr *)at;
		const uint64_t name_bytes = ((uint64_t)note->n_namesz + 3) & ~3ULL;
		const uint64_t body_bytes = ((uint64_t)note->n_descsz + 3) & ~3ULL;
		const uint64_t all = sizeof(*note) + name_bytes + body_bytes;

		if (all > size_bytes)
			return NULL;
		if (note->n_type == TARE_NOTE_MODULE && note->n_namesz == sizeof(TARE_NOTE_NAME) &&
		    note->n_descsz >= sizeof(struct tare_module) &&
		    bytes_equal(at + sizeof(*note), TARE_NOTE_NAME))
			return (const struct tare_module *)(at + sizeof(*note) + name_bytes);
		at += all;
		size_bytes -= all;
	}
	return NULL;
}

static const struct tare_module *segments_module(const struct segments *segments)
{
	const struct tare_module *module = NULL;

	for (uint64_t i = 0; i < segments->count && !module; i++)
		if (segments->headers[i].p_type == PT_NOTE)
			module = notes_find(
				(const char *)(segments->bias + segments->headers[i].p_vaddr),
				segments->headers[i].p_memsz);
	return module && module->abi == TARE_MODULE_ABI ? module : NULL;
}

static bool segments_writable(const struct segments *segments, uint64_t addr, uint64_t size_bytes)
{
	for (uint64_t i = 0; i < segments->count; i++) {
		const Elf64_Phdr *header = &segments->headers[i];
		const uint64_t offset = addr - segments->bias - header->p_vaddr;

		if (header->p_type == PT_LOAD && header->p_flags & PF_W &&
		    offset <= header->p_memsz && size_bytes <= header->p_memsz - offset)
			return true;
	}
	return false;
}

static bool module_arm(const struct segments *segments)
{
	const struct tare_module *module = segments_module(segments);

	if (!module)
		return false;
	struct tare_slots *slots =
		(struct tare_slots *)((uint64_t)module + (uint64_t)module->slots_offset);
	uint8_t *arm = (uint8_t *)module + module->arm_offset;
	const uint64_t arm_bytes = (uint64_t)module->function_count + module->call_site_count + 1;

	if (!segments_writable(segments, (uint64_t)slots, sizeof(*slots)) ||
	    !segments_writable(segments, (uint64_t)arm, arm_bytes))
		return false;
	*slots = *probes_slots();
	memset(arm, 1, arm_bytes);
	return true;
}

/* ---- start and end of the program ---- */

struct start {
	const char *audit, *session;
	uint64_t loader_base, headers, header_count;
	Elf64_auxv_t *vector; /* auxiliary, on the target's stack */
};

static void environment_scan(struct start *start, char **environment)
{
	for (; *environment; environment++) {
		if (bytes_begin_with(*environment, "LD_AUDIT="))
			start->audit = *environment + 9;
		if (bytes_begin_with(*environment, TARE_ENV_SESSION "="))
			start->session = *environment + sizeof(TARE_ENV_SESSION);
	}
	start->vector = (Elf64_auxv_t *)(environment + 1);
	for (const Elf64_auxv_t *entry = start->vector; entry->a_type != AT_NULL; entry++) {
		if (entry->a_type == AT_BASE)
			start->loader_base = entry->a_un.a_val;
		if (entry->a_type == AT_PHDR)
			start->headers = entry->a_un.a_val;
		if (entry->a_type == AT_PHNUM)
			start->header_count = entry->a_un.a_val;
	}
}

static bool session_set(const struct start *start)
{
	struct bytes_text directory = {.start = state_session.directory,
				       .size_bytes = TARE_PATH_MAX};
	struct bytes_text runtime = {.start = state_session.runtime_path,
				     .size_bytes = TARE_PATH_MAX};

	if (!start->audit || !start->session || start->session[0] != '/')
		return false;
	const char *last = start->audit;

	for (const char *at = last; *at; at++)
		if (*at == ':')
			last = at + 1;
	bytes_put(&directory, start->session);
	bytes_put(&runtime, last);
	return !directory.full && !runtime.full;
}

static bool link_read(const char *link, char *path)
{
	const long length = kernel_call(SYS_readlinkat, AT_FDCWD, link, path, TARE_PATH_MAX - 1);

	if (length <= 0)
		return false;
	path[length] = 0;
	return true;
}

/*
 * A program started by a recorded one is the original: become its copy, if there is one. A copy
 * learns whose it is.
 */
static void executable_replace(const struct start *start, char **arguments, char **environment)
{
	static char path[TARE_PATH_MAX], copy[TARE_PATH_MAX];

	if (!link_read("/proc/self/exe", path))
		return;
	if (segments_module(&executable)) {
		executable_know(path, start->vector);
		return;
	}
	if (session_ask(TARE_REQUEST_EXECUTABLE, path, copy) && !bytes_equal(path, copy))
		kernel_call(SYS_execve, copy, arguments, environment);
}

static void executable_set(const struct start *start)
{
	executable.headers = (const Elf64_Phdr *)start->headers;
	executable.count = start->headers ? start->header_count : 0;
	for (uint64_t i = 0; i < executable.count; i++)
		if (executable.headers[i].p_type == PT_PHDR)
			executable.bias = start->headers - executable.headers[i].p_vaddr;
}

__attribute__((constructor)) static void audit_start(int argc, char **argv, char **environment)
{
	struct start start = {0};

	(void)argc;
	environment_scan(&start, environment);
	if (!session_set(&start))
		return;
	state_session.active = true;
	program_environment = environment;
	executable_set(&start);
	executable_replace(&start, argv, environment);
	/* one whole page: what the kernel zeroes in a forked child */
	if (kernel_call(SYS_madvise, &state_process, 4096, 18 /* MADV_WIPEONFORK */)) {
		state_session.active = false;
		return;
	}
	os_flag_probe_host(start.loader_base);
	calibrate_probes();
	if (!process_begin())
		state_session.active = false;
}

__attribute__((destructor)) static void audit_end(void)
{
	struct tare_thread_file *self = state_process.rseq_offset ? state_thread : &state_unborn;

	if (self != &state_unborn && self->tid == kernel_tid())
		thread_complete(self);
	process_complete();
}

/* ---- the loader's calls ---- */

EXPORTED unsigned int la_version(unsigned int version)
{
	if (!state_session.active)
		return 0;
	exec_hide_session(program_environment);
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Makes `name` absolute in search_path; false when it is not a path, or no file is there. */
static bool search_file(const char *name)
{
	struct bytes_text text = {.start = search_path, .size_bytes = TARE_PATH_MAX};
	bool is_path = false;

	for (const char *at = name; *at; at++)
		is_path |= *at == '/';
	if (!is_path)
		return false;
	if (name[0] != '/') {
		if (!link_read("/proc/self/cwd", search_path))
			return false;
		text.length = bytes_length(search_path);
		bytes_put(&text, "/");
	}
	bytes_put(&text, name);
	return !text.full && kernel_call(SYS_faccessat, AT_FDCWD, search_path, 4 /* R_OK */) == 0;
}

EXPORTED char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
	struct bytes_text asked = {.start = search_name, .size_bytes = TARE_PATH_MAX};

	(void)cookie;
	(void)flag;
	if (!search_file(name) || !session_ask(TARE_REQUEST_LIBRARY, search_path, search_copy))
		return (char *)name;
	bytes_put(&asked, name);
	return search_copy;
}

/*
 * A library that was asked for by path gets the path of its copy as its name, unlike one that was
 * searched for. dladdr, and programs that find their files by it, must see the original.
 */
static void library_rename(const struct link_map *map)
{
	const size_t length = bytes_length(search_name);

	if (bytes_equal(map->l_name, search_copy) && length <= bytes_length(search_copy))
		memcpy(map->l_name, search_name, length + 1);
}

/* The program headers of a loaded library, if its file header is where it usually is. */
static struct segments library_segments(const struct link_map *map)
{
	struct segments segments = {.bias = map->l_addr};
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)map->l_addr;
	unsigned char resident;

	if (!map->l_addr || map->l_addr & 4095 ||
	    kernel_call(SYS_mincore, map->l_addr, 4096, &resident))
		return segments;
	if (header->e_ident[EI_MAG0] != ELFMAG0 || header->e_ident[EI_MAG1] != ELFMAG1 ||
	    header->e_ident[EI_MAG2] != ELFMAG2 || header->e_ident[EI_MAG3] != ELFMAG3)
		return segments;
	segments.headers = (const Elf64_Phdr *)(map->l_addr + header->e_phoff);
	segments.count = header->e_phnum;
	return segments;
}

EXPORTED unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	static char path[TARE_PATH_MAX];
	const bool is_executable = !map->l_name[0];

	(void)cookie;
	if (space != LM_ID_BASE || !state_session.active)
		return 0;
	if (!is_executable)
		library_rename(map);
	const struct segments segments = is_executable ? executable : library_segments(map);
	struct process_module module = {.type = TARE_RECORD_MODULE_OPEN,
					.bias = map->l_addr,
					.dynamic_addr = (uint64_t)map->l_ld,
					.path = map->l_name};

	if (is_executable)
		module.path = link_read("/proc/self/exe", path) ? path : "";
	module.instrumented = module_arm(&segments);
	process_module_note(&module);
	return 0;
}

EXPORTED unsigned int la_objclose(uintptr_t *cookie)
{
	const struct link_map *map = (const struct link_map *)*cookie;
	const struct process_module module = {.type = TARE_RECORD_MODULE_CLOSE,
					      .bias = map->l_addr,
					      .dynamic_addr = (uint64_t)map->l_ld};

	if (!state_session.active)
		return 0;
	process_module_note(&module);
	os_flag_renew();
	return 0;
}
