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
#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/base/session.h"
#include "runtime/control/adapt.h"
#include "runtime/control/arming.h"
#include "runtime/control/control.h"
#include "runtime/control/triggers.h"
#include "runtime/exec/exec.h"
#include "runtime/files/process.h"
#include "runtime/os/executable.h"
#include "runtime/os/loaded.h"
#include "runtime/os/os_flag.h"
#include "runtime/os/sanitizers.h"
#include "runtime/probes/calibrate.h"
#include "runtime/probes/probes.h"
#include "runtime/process/thread.h"
#include "runtime/start/api.h"
#include "runtime/start/armed.h"
#include "runtime/start/startup.h"
#include "runtime/timer/timer.h"

#include <asm/errno.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>

#define PAGE_BYTES	 4096ULL
#define HEADER_PAGES_MAX (1 << 16)
#define EXPORTED	 __attribute__((visibility("default")))

static bool is_begun;			  /* what is opened from now on is opened by the program */
static struct module_segments executable; /* as the kernel says */
static char executable_path[TARE_PATH_MAX]; /* of its file; "" where it cannot be told */
static char **program_environment;	    /* NULL: it has no session's variables */
static char search_path[TARE_PATH_MAX];
static struct session_answer search_copy;
static char search_name[TARE_PATH_MAX]; /* what was asked for when search_copy was answered */

/* ---- start and end of the program ---- */

/*
 * A program started by a recorded one is the original: become its copy, if there is one. A copy
 * learns whose it is. What the loader was told to run is not what the process executes.
 */
static void executable_replace(const struct startup *start, char **arguments, char **environment)
{
	static struct session_answer copy;

	if (!startup_read_link("/proc/self/exe", executable_path))
		return;
	if (module_find(&executable)) {
		executable_know(executable_path, start->vector);
		return;
	}
	if (start->origin == STARTUP_BY_KERNEL &&
	    session_ask(TARE_REQUEST_EXECUTABLE, executable_path, &copy) &&
	    !bytes_equal(executable_path, copy.path))
		exec_copy(&copy, arguments, environment);
}

static void executable_set(const struct startup *start)
{
	executable.headers = (const Elf64_Phdr *)start->headers;
	executable.count = start->headers ? start->header_count : 0;
	for (uint64_t i = 0; i < executable.count; i++)
		if (executable.headers[i].p_type == PT_PHDR)
			executable.bias = start->headers - executable.headers[i].p_vaddr;
}

__attribute__((constructor)) static void audit_start(int argc, char **argv, char **environment)
{
	struct startup start = {0};

	(void)argc;
	startup_scan(&start, environment);
	if (!startup_take_session(&start))
		return;
	program_environment = environment;
	if (start.origin == STARTUP_AS_GUEST) {
		startup_withdraw();
		return;
	}
	executable_set(&start);
	executable_replace(&start, argv, environment);
	startup_begin(&start);
}

__attribute__((destructor)) static void audit_end(void)
{
	struct tare_thread_file *self = state_process.rseq_offset ? state_thread : &state_unborn;

	if (self != &state_unborn && kernel_is_tid(self->tid))
		thread_complete(self, true);
	calibrate_end();
}

/* ---- the loader's calls ---- */

EXPORTED unsigned int la_version(unsigned int version)
{
	if (program_environment)
		exec_hide_session(program_environment);
	if (!state_session.active)
		return 0;
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Makes `name` absolute in `path` (TARE_PATH_MAX bytes); false when it is not a path. */
static bool path_of(const char *name, char *path)
{
	struct bytes_text text = {.start = path, .size_bytes = TARE_PATH_MAX};
	bool is_path = false;

	for (const char *at = name; *at; at++)
		is_path |= *at == '/';
	if (!is_path)
		return false;
	if (name[0] != '/') {
		if (!startup_read_link("/proc/self/cwd", path))
			return false;
		text.length = bytes_length(path);
		bytes_put(&text, "/");
	}
	bytes_put(&text, name);
	return !text.full;
}

/* The same in search_path; false also when no file is there. */
static bool search_file(const char *name)
{
	return path_of(name, search_path) && files_can_read(search_path);
}

EXPORTED char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
	struct bytes_text asked = {.start = search_name, .size_bytes = TARE_PATH_MAX};

	(void)cookie;
	(void)flag;
	if (!search_file(name))
		return (char *)name;
	const bool copied = session_ask(TARE_REQUEST_LIBRARY, search_path, &search_copy);

	control_notice_gs();
	if (!copied)
		return (char *)name;
	bytes_put(&asked, name);
	return search_copy.path;
}

/*
 * A library that was asked for by path gets the path of its copy as its name, unlike one that was
 * searched for. dladdr, and programs that find their files by it, must see the original.
 */
static void library_rename(const struct link_map *map)
{
	const size_t length = bytes_length(search_name);

	if (bytes_equal(map->l_name, search_copy.path) && length <= bytes_length(search_copy.path))
		memcpy(map->l_name, search_name, length + 1);
}

static bool is_mapped(uint64_t page)
{
	unsigned char resident;

	return page % PAGE_BYTES == 0 && kernel_call(SYS_mincore, page, PAGE_BYTES, &resident) == 0;
}

/* The file header at a run address, or NULL. */
static const Elf64_Ehdr *header_at(uint64_t addr)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)addr;

	if (!addr || !is_mapped(addr) || header->e_ident[EI_MAG0] != ELFMAG0 ||
	    header->e_ident[EI_MAG1] != ELFMAG1 || header->e_ident[EI_MAG2] != ELFMAG2 ||
	    header->e_ident[EI_MAG3] != ELFMAG3)
		return NULL;
	return header;
}

/* It is the library's whose dynamic section is where its own header says. */
static bool header_is_of(const Elf64_Ehdr *header, const struct link_map *map)
{
	const Elf64_Phdr *segments = (const Elf64_Phdr *)((uint64_t)header + header->e_phoff);

	if (header->e_phentsize != sizeof(*segments) ||
	    !is_mapped((uint64_t)segments & ~(PAGE_BYTES - 1)) ||
	    !is_mapped((uint64_t)(segments + header->e_phnum) & ~(PAGE_BYTES - 1)))
		return false;
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_DYNAMIC)
			return map->l_addr + segments[i].p_vaddr == (uint64_t)map->l_ld;
	return false;
}

/* A library whose first address is not 0: the header lies somewhere below its dynamic section. */
static const Elf64_Ehdr *header_search(const struct link_map *map)
{
	uint64_t page = (uint64_t)map->l_ld & ~(PAGE_BYTES - 1);

	if (!is_mapped(page)) /* it is: so nothing may be asked */
		return NULL;
	for (int i = 0; i < HEADER_PAGES_MAX && page; i++, page -= PAGE_BYTES) {
		const Elf64_Ehdr *header = header_at(page);

		if (header && header_is_of(header, map))
			return header;
	}
	return NULL;
}

/* The program headers of a loaded library. */
static struct module_segments library_segments(const struct link_map *map)
{
	struct module_segments segments = {.bias = map->l_addr};
	const Elf64_Ehdr *header = header_at(map->l_addr);

	if (!header)
		header = header_search(map);
	if (!header)
		return segments;
	segments.headers = (const Elf64_Phdr *)((uint64_t)header + header->e_phoff);
	segments.count = header->e_phnum;
	return segments;
}

/* The executable has no name; the kernel has said where its headers are. */
static struct module_segments segments_of(const struct link_map *map)
{
	return map->l_name[0] ? library_segments(map) : executable;
}

EXPORTED unsigned int la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
	static char path[TARE_PATH_MAX];
	const bool is_executable = !map->l_name[0];

	(void)cookie;
	(void)lmid; /* those of dlmopen are like any other */
	if (!state_session.active)
		return 0;
	if (!is_executable)
		library_rename(map);
	const struct module_segments segments = segments_of(map);
	struct process_module module = {.type = TARE_RECORD_MODULE_OPEN,
					.bias = map->l_addr,
					.dynamic_addr = (uint64_t)map->l_ld,
					.path = map->l_name};

	if (is_executable)
		module.path = executable_path;
	else if (path_of(map->l_name, path))
		module.path = path;
	module.instrumented = module_arm(&segments);
	if (!module.instrumented && is_begun)
		adapt_open_plain();
	api_connect(&segments);
	module_count_calls(&segments, loaded_open(&module, &segments));
	timer_open(&segments, module.path, is_executable);
	sanitizers_open(&segments);
	return 0;
}

/* All that is there at the begin is bound, or will be when it is called first. */
EXPORTED void la_preinit(uintptr_t *cookie)
{
	(void)cookie;
	is_begun = true;
	if (state_session.active)
		sanitizers_connect();
}

EXPORTED unsigned int la_objclose(uintptr_t *cookie)
{
	const struct link_map *map = (const struct link_map *)*cookie;

	if (!state_session.active)
		return 0;
	/* to find them anew takes calls, which filters of the program may forbid by now */
	const struct module_segments known = loaded_segments((uint64_t)map->l_ld);
	const struct module_segments segments = known.count ? known : segments_of(map);
	const struct tare_module *instrumented = module_find(&segments);

	loaded_close((uint64_t)map->l_ld);
	timer_close(&segments);
	module_count_no_calls(&segments);
	if (instrumented) {
		triggers_remove(instrumented);
		arming_remove(instrumented);
	}
	adapt_forget(module_begin(&segments), module_end(&segments));
	return 0;
}
