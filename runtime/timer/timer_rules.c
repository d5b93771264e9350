/*
 * Unwind rules: asked for when a file is loaded, mapped for as long as the process lives (a handler
 * may be reading them), and used again where the file comes back.
 *
 * Refuses tables that do not check out, and files whose headers are not where they usually are.
 */
#include "runtime/timer/timer.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/own_place.h"
#include "runtime/base/session.h"
#include "runtime/files/process.h"
#include "runtime/timer/timer_thread.h"

#include <fcntl.h>
#include <sys/mman.h>

#define RULES_MAX 2048

struct rules {
	uint64_t name_hash; /* of the path replied */
	const struct unwind_table *table;
};

static struct rules known[RULES_MAX];
static uint32_t known_count;
static struct session_answer answer;
static bool has_vdso;

static const struct unwind_table *table_map(const char *path)
{
	const long fd = kernel_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return NULL;
	const long size = kernel_call(SYS_lseek, fd, 0, 2 /* SEEK_END */);
	const long map = size <= 0 ? -1 : own_place_map((uint64_t)size, PROT_READ, MAP_SHARED, fd);

	kernel_call(SYS_close, fd);
	if (map < 0 && map > -4096)
		return NULL;
	if (unwind_table_check((const struct unwind_table *)map, (size_t)size))
		return (const struct unwind_table *)map;
	kernel_call(SYS_munmap, map, size);
	return NULL;
}

static const struct unwind_table *table_get(enum tare_request_kind kind, const char *path)
{
	if (!session_ask(kind, path, &answer))
		return NULL;
	const uint64_t hash = bytes_hash(answer.path);

	for (uint32_t i = 0; i < known_count; i++)
		if (known[i].name_hash == hash)
			return known[i].table;
	const struct unwind_table *table = table_map(answer.path);

	if (table && known_count < RULES_MAX)
		known[known_count++] = (struct rules){hash, table};
	return table;
}

static void open_one(const struct module_segments *segments, enum tare_request_kind kind,
		     const char *path)
{
	const uint64_t begin = module_begin(segments), end = module_end(segments);
	const struct unwind_table *table = begin < end ? table_get(kind, path) : NULL;

	if (table)
		timer_map_put(begin, end, segments->bias, table);
}

static void open_vdso(void)
{
	const uint64_t base = timer_state.vdso;
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)base;

	if (!base)
		return;
	struct module_segments segments = {.headers = (const Elf64_Phdr *)(base + header->e_phoff),
					   .count = header->e_phnum};

	segments.bias = base - module_begin(&segments);
	const struct process_module module = {
		.type = TARE_RECORD_MODULE_OPEN, .bias = segments.bias, .path = TARE_TIMER_VDSO};

	process_module_note(&module);
	open_one(&segments, TARE_REQUEST_RULES, "/" TARE_TIMER_VDSO);
}

void timer_open(const struct module_segments *segments, const char *path, bool is_executable)
{
	if (!timer_state.period_ns)
		return;
	if (is_executable)
		timer_state.may_trace = module_imports(segments, "ptrace");
	const struct tare_module *module = module_find(segments);

	if (module && module->flags & TARE_MODULE_CALLS_UNSEEN)
		timer_state.between_mean_ns = 0;
	if (!has_vdso)
		open_vdso();
	has_vdso = true;
	/* An executable's path is that of the file it is; a library's, that of the original. */
	const bool is_copy = !is_executable && module;

	open_one(segments, is_copy ? TARE_REQUEST_RULES_OF_COPY : TARE_REQUEST_RULES, path);
}

void timer_close(const struct module_segments *segments)
{
	if (timer_state.period_ns)
		timer_map_remove(module_begin(segments));
}
