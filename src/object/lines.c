/*
 * Source lines of addresses. The addresses of a call are sorted by unit, so that each unit's line
 * table and tree are read once:
 *
 *   addresses ─▶ units (lines_units.c) ─▶ line table: source, line, column of the instruction
 *                                      └▶ tree (lines_walk.c): functions from the outermost to the
 *                                         innermost inlined one, each with the place of its call
 *
 * What libdw keeps of a unit stays until lines_close, as do the answers.
 */
#include "object/lines.h"

#include "object/lines_private.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUILD_ID_MAX = 64 }; /* bytes, for a file's name */

const char *lines_reason_text(enum lines_reason reason)
{
	static const char *const texts[] = {
		[LINES_KNOWN] = "known",
		[LINES_NO_SPLIT_FILE] = ("the file with the functions' debug information (.dwo) is "
					 "not there"),
		[LINES_NO_FILE] = "the file is not there any more, or another one now",
		[LINES_NO_DEBUG_INFO] = "no debug information",
		[LINES_NOT_COVERED] = "not covered by the debug information",
		[LINES_DAMAGED] = "the debug information is damaged",
	};
	table_covers(texts, LINES_REASONS);

	return reason < LINES_REASONS ? texts[reason] : "unknown";
}

/* ---- opening ---- */

static bool has_debug_info(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;
		if (name && header.sh_type != SHT_NOBITS &&
		    (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
			return true;
	}
	return false;
}

static void debug_close(struct lines *lines)
{
	if (lines->dwarf)
		dwarf_end(lines->dwarf);
	if (lines->elf)
		elf_end(lines->elf);
	if (lines->fd >= 0)
		close(lines->fd);
	free(lines->bytes);
	file_view_close(&lines->view);
	lines->bytes = NULL;
	lines->dwarf = NULL;
	lines->elf = NULL;
	lines->fd = -1;
}

/* Takes the debug information that lines->elf has; false if it has none. */
static bool debug_take(struct lines *lines)
{
	if (!lines->elf || elf_kind(lines->elf) != ELF_K_ELF || !has_debug_info(lines->elf)) {
		debug_close(lines);
		return false;
	}
	lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
	lines->state = lines->dwarf ? LINES_KNOWN : LINES_DAMAGED;
	return true;
}

/*
 * What tells the file from others and from what it was. A further link to it, as perf's and
 * backups' caches make, changes its ctime and nothing in it: where a build-id speaks for the
 * contents, mtime does.
 */
static void unpacked_name(const struct lines *lines, const struct stat *info, struct str *name)
{
	const void *build_id = NULL;
	const ssize_t size = dwelf_elf_gnu_build_id(lines->elf, &build_id);
	const struct timespec *changed = size > 0 ? &info->st_mtim : &info->st_ctim;

	str_printf(name, "debug.%jx.%jx.%jx.%jx.%lx.", (uintmax_t)info->st_dev,
		   (uintmax_t)info->st_ino, (uintmax_t)info->st_size, (uintmax_t)changed->tv_sec,
		   changed->tv_nsec);
	if (size > 0)
		str_append_hex(name, build_id, size < BUILD_ID_MAX ? (size_t)size : BUILD_ID_MAX);
}

/* Takes what was unpacked, now or before, in place of the file. */
static void debug_unpack(struct lines *lines)
{
	struct stat info;
	struct str name = {0}, unpacked = {0};
	Elf *elf = NULL;

	if (!lines->store || !lines->elf || fstat(lines->fd, &info) < 0 ||
	    !lines_is_packed(lines->elf))
		return;
	unpacked_name(lines, &info, &name);
	if (lines->store->open(name.data, &lines->view)) {
		/* Nothing in it is compressed or of another byte order, so nothing is written. */
		elf = elf_memory((char *)(uintptr_t)lines->view.data, lines->view.size);
		if (elf && (elf_kind(elf) != ELF_K_ELF || lines_is_packed(elf))) {
			elf_end(elf);
			elf = NULL;
		}
	} else if (lines_unpack(lines->elf, &unpacked)) {
		lines->store->keep(name.data, unpacked.data, unpacked.len);
		lines->bytes = unpacked.data;
		elf = elf_memory(lines->bytes, unpacked.len);
		unpacked = (struct str){0};
	}
	if (elf) {
		elf_end(lines->elf);
		lines->elf = elf;
	}
	str_fini(&name);
	str_fini(&unpacked);
}

static bool debug_open_file(struct lines *lines, const char *path)
{
	lines->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (lines->fd < 0)
		return false;
	/* Private, as libelf writes into it that a section is not compressed any more. */
	lines->elf = elf_begin(lines->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	debug_unpack(lines);
	return debug_take(lines);
}

/* Whether the file at the object's path is still the one that was opened. */
static bool is_same_file(const struct object *object)
{
	struct file_view view = {0};
	struct error ignored;
	size_t size;
	const unsigned char *bytes = object_bytes(object, &size);

	if (!file_view_open(&view, object_path(object), &ignored))
		return false;
	const size_t compared = size < 4096 ? size : 4096;
	const bool same = view.size == size && memcmp(view.data, bytes, compared) == 0;
	file_view_close(&view);
	return same;
}

static void open_own(struct lines *lines, const struct object *object)
{
	size_t size;
	const unsigned char *bytes = object_bytes(object, &size);

	if (object_path(object)[0] == '/' && access(object_path(object), F_OK) == 0) {
		lines->state = LINES_NO_FILE;
		if (is_same_file(object)) {
			lines->state = LINES_NO_DEBUG_INFO;
			debug_open_file(lines, object_path(object));
		}
		return;
	}
	lines->bytes = mem_alloc(size);
	memcpy(lines->bytes, bytes, size);
	lines->elf = elf_memory(lines->bytes, size);
	debug_take(lines);
}

struct lines *lines_open(const struct object *object, const struct lines_store *store)
{
	struct lines *lines = mem_zalloc(sizeof(*lines));

	elf_version(EV_CURRENT);
	lines->object = object;
	lines->store = store;
	lines->fd = -1;
	lines->state = LINES_NO_DEBUG_INFO;
	arena_init(&lines->arena);
	strmap_init(&lines->sources);
	strmap_init(&lines->names);
	map_init(&lines->listed);
	open_own(lines, object);
	if (!lines->dwarf && object_debug_file(object))
		debug_open_file(lines, object_debug_file(object));
	lines->store = NULL;
	return lines;
}

void lines_finish(struct lines *lines)
{
	debug_close(lines);
	vec_fini(&lines->units);
	map_fini(&lines->listed);
	vec_fini(&lines->ranges);
	strmap_fini(&lines->sources);
	strmap_fini(&lines->names);
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	lines_finish(lines);
	arena_fini(&lines->arena);
	free(lines);
}

enum lines_reason lines_state(const struct lines *lines)
{
	return lines->state;
}

/* ---- texts ---- */

static const char *name_keep(struct lines *lines, const char *name)
{
	const uint64_t *known = strmap_get(&lines->names, name);

	if (known)
		return (const char *)(uintptr_t)*known;
	const char *kept = arena_strdup(&lines->arena, name);
	strmap_put(&lines->names, kept, (uint64_t)(uintptr_t)kept);
	return kept;
}

/* Takes "." and ".." out of a path, as far as there is something to go up from. */
static void path_clean(char *path)
{
	const bool absolute = path[0] == '/';
	char *const start = path + absolute;
	char *out = start;

	for (const char *in = start; *in;) {
		const size_t length = strcspn(in, "/");
		const char *rest = in + length + (in[length] == '/');
		char *before = out > start ? memrchr(start, '/', (size_t)(out - 1 - start)) : NULL;
		before = before ? before + 1 : start;
		const bool is_up = length == 2 && in[0] == '.' && in[1] == '.';
		const bool can_go_up = out > start && strncmp(before, "../", 3) != 0;
		if (is_up && (can_go_up || absolute)) {
			out = can_go_up ? before : start;
		} else if (length && !(length == 1 && in[0] == '.')) {
			memmove(out, in, length);
			out += length;
			*out++ = '/';
		}
		in = rest;
	}
	if (out > start)
		out--;
	*out = 0;
}

/* That relative paths begin in, or NULL. */
static const char *unit_directory(const struct lines_unit *unit)
{
	Dwarf_Die die = unit->die;
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attribute));
}

static bool is_below(const char *path, const char *directory)
{
	return str_starts_with(path, directory) && path[strlen(directory)] == '/';
}

/* The path as it is shown: absolute where it can be, without detours. */
static const char *source_keep(struct lines *lines, const struct lines_unit *unit, const char *path)
{
	char *kept;

	if (!path || !*path)
		return NULL;
	const uint64_t *known = path[0] == '/' ? strmap_get(&lines->sources, path) : NULL;
	if (known)
		return (const char *)(uintptr_t)*known;
	/* The first directory of a table of files is the unit's, which may be relative itself. */
	const char *directory = path[0] != '/' ? unit_directory(unit) : NULL;
	if (directory && !is_below(path, directory))
		kept = arena_printf(&lines->arena, "%s/%s", directory, path);
	else
		kept = arena_strdup(&lines->arena, path);
	path_clean(kept);
	if (path[0] != '/')
		return name_keep(lines, kept);
	strmap_put(&lines->sources, arena_strdup(&lines->arena, path), (uint64_t)(uintptr_t)kept);
	return kept;
}

static const char *function_name(struct lines *lines, Dwarf_Die *die)
{
	static const unsigned wanted[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		Dwarf_Attribute attribute;
		const char *name =
			dwarf_formstring(dwarf_attr_integrate(die, wanted[i], &attribute));
		if (name && *name)
			return name_keep(lines, name);
	}
	return "";
}

/* ---- answers ---- */

/* The attribute's value as a number; 0 if it has none. */
static uint32_t number_of(Dwarf_Attribute *attribute)
{
	Dwarf_Word value;

	return dwarf_formudata(attribute, &value) == 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* The file that the attribute names by its number in the table of the attribute's unit. */
static const char *file_of(struct lines *lines, struct lines_unit *unit, Dwarf_Attribute *attribute)
{
	const uint32_t number = number_of(attribute);
	Dwarf_Files *files;
	Dwarf_Die die;
	size_t count;

	if (!attribute || dwarf_cu_info(attribute->cu, NULL, NULL, &die, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&die, &files, &count) != 0 || number >= count)
		return NULL;
	return source_keep(lines, unit, dwarf_filesrc(files, number, NULL, NULL));
}

/* Where the inlined function of `callee` was called. */
static void frame_take_call(struct lines *lines, struct lines_unit *unit, Dwarf_Die *callee,
			    struct lines_frame *frame)
{
	Dwarf_Attribute file, line, column;

	frame->source = file_of(lines, unit, dwarf_attr(callee, DW_AT_call_file, &file));
	frame->line = number_of(dwarf_attr(callee, DW_AT_call_line, &line));
	frame->column = number_of(dwarf_attr(callee, DW_AT_call_column, &column));
}

/* The row of the line table that covers the address; whether there is one. */
static bool frame_take_row(struct lines *lines, struct lines_unit *unit, uint64_t addr,
			   struct lines_frame *frame)
{
	Dwarf_Line *row = dwarf_getsrc_die(&unit->die, addr);
	int line = 0, column = 0;

	if (!row)
		return false;
	if (dwarf_lineno(row, &line) == 0 && line > 0)
		frame->line = (uint32_t)line;
	if (frame->line && dwarf_linecol(row, &column) == 0 && column > 0)
		frame->column = (uint32_t)column;
	frame->source = source_keep(lines, unit, dwarf_linesrc(row, NULL, NULL));
	return true;
}

static void answer_declaration(struct lines *lines, struct lines_unit *unit,
			       struct lines_answer *answer, Dwarf_Die *function)
{
	Dwarf_Attribute file, line;
	const uint32_t number = number_of(dwarf_attr_integrate(function, DW_AT_decl_line, &line));

	if (!number)
		return;
	answer->declared_source =
		file_of(lines, unit, dwarf_attr_integrate(function, DW_AT_decl_file, &file));
	answer->declared_line = answer->declared_source ? number : 0;
}

static void answer_query(struct walk *walk, struct lines_unit *unit, struct lines_query *query)
{
	struct lines *lines = walk->lines;
	struct walk_frame *innermost = query->frame ? &walk->frames.data[query->frame - 1] : NULL;
	struct lines_answer *answer = query->answer;
	const size_t count = innermost ? innermost->depth : 1;
	struct lines_frame *frames = arena_array(&lines->arena, struct lines_frame, count);
	struct walk_frame *at = innermost, *outermost = NULL;

	frames[0].function = "";
	const bool has_row = frame_take_row(lines, unit, query->addr, &frames[0]);
	for (size_t i = 0; at; i++) {
		frames[i].function = function_name(lines, &at->die);
		if (at->outer)
			frame_take_call(lines, unit, &at->die, &frames[i + 1]);
		outermost = at;
		at = at->outer ? &walk->frames.data[at->outer - 1] : NULL;
	}
	if (!has_row && !innermost) {
		answer->reason = LINES_NOT_COVERED;
		return;
	}
	answer->reason = unit->has_tree ? LINES_KNOWN : LINES_NO_SPLIT_FILE;
	answer->frames = frames;
	answer->count = count;
	if (outermost)
		answer_declaration(lines, unit, answer, &outermost->die);
}

static void answer_unit(struct lines *lines, struct lines_query *queries, size_t count)
{
	struct lines_unit *unit = &lines->units.data[queries[0].unit];
	struct walk walk = {.lines = lines, .queries = queries, .count = count};

	if (unit->has_tree)
		lines_walk_unit(&walk, unit);
	for (size_t i = 0; i < count; i++)
		answer_query(&walk, unit, &queries[i]);
	vec_fini(&walk.frames);
}

static int by_unit(const void *a, const void *b)
{
	const struct lines_query *left = a, *right = b;

	if (left->unit != right->unit)
		return left->unit < right->unit ? -1 : 1;
	return (left->addr > right->addr) - (left->addr < right->addr);
}

void lines_find(struct lines *lines, const uint64_t *addrs, size_t count,
		struct lines_answer *answers)
{
	struct vec_of(struct lines_query) queries = {0};

	lines->steps = LINES_STEPS_MAX;
	for (size_t i = 0; i < count; i++) {
		const struct lines_query query = {
			.addr = addrs[i],
			.unit = lines->dwarf ? lines_unit_at(lines, addrs[i]) : SIZE_MAX,
			.answer = &answers[i],
		};
		answers[i] = (struct lines_answer){
			.reason = lines->dwarf ? LINES_NOT_COVERED : lines->state,
		};
		if (query.unit != SIZE_MAX)
			vec_push(&queries, query);
	}
	vec_sort(&queries, by_unit);
	for (size_t begin = 0, end; begin < queries.len; begin = end) {
		for (end = begin;
		     end < queries.len && queries.data[end].unit == queries.data[begin].unit;)
			end++;
		answer_unit(lines, queries.data + begin, end - begin);
	}
	vec_fini(&queries);
}
