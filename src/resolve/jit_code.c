/*
 * The functions in the order in which they were told of, painted onto the address space from the
 * last to the first, so that each address has the last function that was there:
 *
 *   told:    1 ───────────   2 ─────      3 ───          edges: | | | |  |   |
 *   painted: 1111 2222 3333 1
 *
 * Dumps: a record of debug information is about the code that is loaded next. Code that moves is
 * told of again at its new place.
 */
#include "resolve/jit_code.h"

#include "base/partition.h"

#include <assert.h>
#include <string.h>

enum {
	FUNCTIONS_MAX = 1 << 22,
	NAME_BYTES_MAX = 4096,
	DUMP_VERSION = 1,
	DUMP_CODE_LOAD = 0,
	DUMP_CODE_MOVE = 1,
	DUMP_DEBUG_INFO = 2,
	DUMP_CODE_CLOSE = 3,
	DUMP_PREFIX_BYTES = 16,
	HEADER_BYTES_READ = 20,
	LINE_BYTES_MIN = 17, /* address, line, discriminator, end of the name */
	RECORD_PADDING = 8,
	V8_LINE_SHIFT = 0x40, /* it adds the size of an ELF header, as old versions of perf did */
};
#define DUMP_MAGIC 0x4a695444 /* "JiTD" */
#define V8_PADDING 0xdeadbeef /* by which its dumps are told apart */

struct jit_code {
	struct arena arena;
	struct vec_of(struct jit_function) functions; /* as told */
	struct vec_of(uint64_t) edges;		      /* ascending, where functions begin or end */
	struct vec_of(uint32_t) cells;		      /* 1 + function behind each edge; 0: none */
	size_t painted;				      /* functions that edges and cells know of */
	struct map by_index;			      /* index in the dump → 1 + function */
};

struct jit_code *jit_code_new(void)
{
	struct jit_code *code = mem_zalloc(sizeof(*code));

	arena_init(&code->arena);
	map_init(&code->by_index);
	return code;
}

void jit_code_free(struct jit_code *code)
{
	if (!code)
		return;
	vec_fini(&code->functions);
	vec_fini(&code->edges);
	vec_fini(&code->cells);
	map_fini(&code->by_index);
	arena_fini(&code->arena);
	free(code);
}

static bool function_add(struct jit_code *code, const struct jit_function *function)
{
	if (!function->size || function->run_addr + function->size < function->run_addr ||
	    code->functions.len >= FUNCTIONS_MAX)
		return false;
	vec_push(&code->functions, *function);
	return true;
}

/* ---- maps ---- */

/* A number in hexadecimal, with or without 0x; false if there is none. */
static bool take_number(const char **at, const char *end, uint64_t *value)
{
	size_t digits = 0;

	while (*at < end && **at == ' ')
		(*at)++;
	if (end - *at > 2 && (*at)[0] == '0' && ((*at)[1] | 0x20) == 'x')
		*at += 2;
	for (*value = 0; *at < end; (*at)++, digits++) {
		const char c = **at;
		const int digit = c >= '0' && c <= '9'			   ? c - '0'
				  : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
									   : -1;
		if (digit < 0)
			break;
		if (*value >> 60)
			return false;
		*value = *value << 4 | (uint64_t)digit;
	}
	return digits && *at < end && **at == ' ';
}

static const char *name_keep(struct jit_code *code, const char *name, size_t length)
{
	while (length && (name[length - 1] == '\r' || name[length - 1] == ' '))
		length--;
	return arena_strndup(&code->arena, name, length < NAME_BYTES_MAX ? length : NAME_BYTES_MAX);
}

void jit_code_read_map(struct jit_code *code, const void *bytes, size_t size)
{
	const char *at = bytes, *const all_end = at + size;

	while (at < all_end) {
		const char *newline = memchr(at, '\n', (size_t)(all_end - at));
		const char *end = newline ? newline : all_end;
		struct jit_function function = {0};
		/* A last line without an end may be cut off. */
		if (newline && take_number(&at, end, &function.run_addr) &&
		    take_number(&at, end, &function.size)) {
			while (at < end && *at == ' ')
				at++;
			function.name = name_keep(code, at, (size_t)(end - at));
			function_add(code, &function);
		}
		at = newline ? newline + 1 : all_end;
	}
}

/* ---- dumps ---- */

struct pending_lines {
	uint64_t shift;
	uint64_t code_addr;
	const struct jit_line *lines;
	size_t count;
};

static int by_run_addr(const void *a, const void *b)
{
	const struct jit_line *left = a, *right = b;

	return (left->run_addr > right->run_addr) - (left->run_addr < right->run_addr);
}

static void read_debug_info(struct jit_code *code, struct byte_reader *record,
			    struct pending_lines *pending)
{
	const char *source = "";
	size_t count = 0;

	*pending = (struct pending_lines){.shift = pending->shift, .code_addr = read_u64(record)};
	const uint64_t told = read_u64(record);
	if (record->failed || told > bytes_left(record))
		return;
	struct jit_line *lines =
		arena_array(&code->arena, struct jit_line, bytes_left(record) / LINE_BYTES_MIN + 1);
	for (uint64_t i = 0; i < told; i++) {
		struct jit_line line = {.run_addr = read_u64(record) - pending->shift};
		line.line = read_u32(record);
		read_u32(record); /* discriminator */
		const char *name = read_string(record);
		if (!name)
			break;
		/* One byte of ones stands for the name before. */
		if (strcmp(name, "\xff") != 0)
			source = arena_strdup(&code->arena, name);
		line.source = source;
		lines[count++] = line;
	}
	/* V8 writes freed memory for the name of some scripts: then the rest makes no sense. */
	if (count != told || record->failed || bytes_left(record) >= RECORD_PADDING)
		return;
	qsort(lines, count, sizeof(*lines), by_run_addr);
	pending->lines = lines;
	pending->count = count;
}

static void read_load(struct jit_code *code, struct byte_reader *record,
		      struct pending_lines *pending)
{
	struct jit_function function = {0};

	read_u32(record); /* pid */
	read_u32(record); /* tid */
	read_u64(record); /* address in memory, which is that of the code */
	function.run_addr = read_u64(record);
	function.size = read_u64(record);
	const uint64_t index = read_u64(record);
	const char *name = read_string(record);
	if (!name)
		return;
	function.name = name_keep(code, name, strlen(name));
	if (pending->count && pending->code_addr == function.run_addr) {
		function.lines = pending->lines;
		function.line_count = pending->count;
	}
	pending->count = 0;
	if (function_add(code, &function))
		*map_put(&code->by_index, index, 0) = code->functions.len;
}

static void read_move(struct jit_code *code, struct byte_reader *record)
{
	read_u32(record); /* pid */
	read_u32(record); /* tid */
	read_u64(record); /* address in memory */
	read_u64(record); /* old address */
	const uint64_t run_addr = read_u64(record);
	read_u64(record); /* size */
	const uint64_t index = read_u64(record);
	const uint64_t *known = record->failed ? NULL : map_get(&code->by_index, index);
	if (!known)
		return;
	assert(*known >= 1 && *known <= code->functions.len);
	struct jit_function function = code->functions.data[*known - 1];
	function.moved += run_addr - function.run_addr;
	function.run_addr = run_addr;
	if (function_add(code, &function))
		*map_put(&code->by_index, index, 0) = code->functions.len;
}

void jit_code_read_dump(struct jit_code *code, const void *bytes, size_t size)
{
	struct byte_reader dump = byte_reader(bytes, size);
	struct pending_lines pending = {0};

	const uint32_t magic = read_u32(&dump), version = read_u32(&dump);
	const uint32_t header_bytes = read_u32(&dump);
	read_u32(&dump); /* machine */
	if (read_u32(&dump) == V8_PADDING)
		pending.shift = V8_LINE_SHIFT;
	if (dump.failed || magic != DUMP_MAGIC || version != DUMP_VERSION ||
	    header_bytes < HEADER_BYTES_READ)
		return;
	read_skip(&dump, header_bytes - HEADER_BYTES_READ);
	while (bytes_left(&dump) >= DUMP_PREFIX_BYTES) {
		struct byte_reader record = dump;
		const uint32_t id = read_u32(&record), total = read_u32(&record);
		read_u64(&record); /* time */
		if (total < DUMP_PREFIX_BYTES || total > bytes_left(&dump))
			return; /* cut off, or damaged */
		record.end = dump.at + total;
		read_skip(&dump, total);
		if (id == DUMP_CODE_LOAD)
			read_load(code, &record, &pending);
		else if (id == DUMP_CODE_MOVE)
			read_move(code, &record);
		else if (id == DUMP_DEBUG_INFO)
			read_debug_info(code, &record, &pending);
		else if (id == DUMP_CODE_CLOSE)
			return;
	}
}

/* ---- looking up ---- */

static int by_value(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static size_t edge_of(const struct jit_code *code, uint64_t run_addr)
{
	return partition_point(code->edges.len, i, code->edges.data[i] < run_addr);
}

static void paint(struct jit_code *code)
{
	struct vec_of(uint32_t) free_at = {0}; /* next cell at or behind each that has no colour */
	size_t kept = 0;

	code->edges.len = code->cells.len = 0;
	vec_foreach (function, &code->functions) {
		vec_push(&code->edges, function->run_addr);
		vec_push(&code->edges, function->run_addr + function->size);
	}
	vec_sort(&code->edges, by_value);
	for (size_t i = 0; i < code->edges.len; i++) {
		if (!i || code->edges.data[i] != code->edges.data[i - 1])
			code->edges.data[kept++] = code->edges.data[i];
	}
	code->edges.len = kept;
	for (size_t i = 0; i <= kept; i++) {
		vec_push(&free_at, (uint32_t)i);
		vec_push(&code->cells, 0);
	}
	for (size_t i = code->functions.len; i-- > 0;) {
		const struct jit_function *function = &code->functions.data[i];
		const size_t end = edge_of(code, function->run_addr + function->size);
		for (size_t cell = edge_of(code, function->run_addr); cell < end;) {
			uint32_t next = free_at.data[cell];
			while (free_at.data[next] != next)
				next = free_at.data[next] = free_at.data[free_at.data[next]];
			free_at.data[cell] = next;
			if (next >= end)
				break;
			assert(next < code->cells.len);
			code->cells.data[next] = (uint32_t)i + 1;
			free_at.data[next] = next + 1;
			cell = next + 1;
		}
	}
	assert(code->cells.len == code->edges.len + 1);
	vec_fini(&free_at);
	code->painted = code->functions.len;
}

const struct jit_function *jit_code_find(struct jit_code *code, uint64_t run_addr)
{
	if (code->painted != code->functions.len)
		paint(code);
	const size_t above = partition_point(code->edges.len, i, code->edges.data[i] <= run_addr);
	const uint32_t colour = above ? code->cells.data[above - 1] : 0;
	assert(colour <= code->functions.len);
	return colour ? &code->functions.data[colour - 1] : NULL;
}

bool jit_function_declared(const struct jit_function *function, struct arena *arena,
			   struct jit_line *declared)
{
	const char *end = function->name + strlen(function->name), *line = NULL;

	/* "JS:*name /path/of.js:12:34"; node 18 and before have no column. */
	for (size_t i = 0; i < 2; i++) {
		const char *at = end;
		while (at > function->name && at[-1] >= '0' && at[-1] <= '9')
			at--;
		if (at == end || at == function->name || at[-1] != ':')
			break;
		line = at;
		end = at - 1;
	}
	if (!line)
		return false;
	const char *path = end;
	while (path > function->name && path[-1] != ' ')
		path--;
	if (path == function->name || path == end)
		return false;
	*declared = (struct jit_line){
		.run_addr = function->run_addr,
		.source = arena_strndup(arena, path, (size_t)(end - path)),
		.line = (uint32_t)strtoul(line, NULL, 10),
	};
	return true;
}

const struct jit_line *jit_function_line(const struct jit_function *function, uint64_t run_addr)
{
	const uint64_t addr = run_addr - function->moved;
	const size_t above =
		partition_point(function->line_count, i, function->lines[i].run_addr <= addr);

	return above ? &function->lines[above - 1] : NULL;
}
