/*
 * Lines are "ADDRESS TYPE NAME [MODULE]"; types t, T, w and W are code. Where the kernel hides
 * addresses (kptr_restrict) they are all 0, and there are no symbols. Of several at one address
 * the one with the shortest name stays, as aliases are longer; section marks are no functions.
 */
#include "resolve/kernel_symbols.h"

#include "cache/derived.h"
#include "cache/digest.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the kernel's half of the address space. */
#define KERNEL_BEGIN 0x8000000000000000ULL
/* In front of each function, where the kernel counts its depth. */
#define PREFIX "__pfx_"

enum { READ_BYTES = 256 * 1024 };

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

struct text_span {
	const char *text;
	size_t length;
};

static bool is_text(struct text_span word, const char *text)
{
	return strlen(text) == word.length && !memcmp(word.text, text, word.length);
}

/* Marks of sections, which stand before their first functions. */
static bool is_mark(struct text_span name)
{
	static const char *const names[] = {"_text", "_stext", "startup_64", "__entry_text_start"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (is_text(name, names[i]))
			return true;
	}
	return name.length >= sizeof(PREFIX) - 1 && !memcmp(name.text, PREFIX, sizeof(PREFIX) - 1);
}

/* What a line has, in place: `text` and `end` move on. */
static struct text_span next_word(const char **at, const char *end)
{
	struct text_span word;

	while (*at < end && (**at == ' ' || **at == '\t'))
		++*at;
	word.text = *at;
	while (*at < end && **at != ' ' && **at != '\t')
		++*at;
	word.length = (size_t)(*at - word.text);
	return word;
}

static bool address_of(struct text_span word, uint64_t *addr)
{
	enum { DIGITS_MAX = 16 };

	*addr = 0;
	for (size_t i = 0; i < word.length; i++) {
		const char digit = word.text[i];
		const bool decimal = digit >= '0' && digit <= '9';

		if (!decimal && (digit < 'a' || digit > 'f'))
			return false;
		*addr = *addr << 4 | (uint64_t)(digit - (decimal ? '0' : 'a' - 10));
	}
	return word.length > 0 && word.length <= DIGITS_MAX;
}

static const char *keep(struct kernel_symbols *symbols, struct text_span word)
{
	char *text = arena_alloc(&symbols->arena, word.length + 1);

	memcpy(text, word.text, word.length);
	return text;
}

static void take_line(struct kernel_symbols *symbols, const char *line, const char *end)
{
	uint64_t addr;
	const struct text_span address = next_word(&line, end), type = next_word(&line, end);
	const struct text_span name = next_word(&line, end), module = next_word(&line, end);

	if (!name.length || type.length != 1 || !is_code(*type.text) ||
	    !address_of(address, &addr) || addr < KERNEL_BEGIN || is_mark(name))
		return;
	if (is_text(name, "_etext"))
		symbols->text_end = addr;
	if (module.length && (!symbols->last_module || !is_text(module, symbols->last_module)))
		symbols->last_module = keep(symbols, module);
	const struct kernel_symbol symbol = {.addr = addr,
					     .name = keep(symbols, name),
					     .module = module.length ? symbols->last_module : NULL};
	vec_push(&symbols->list, symbol);
}

/* Takes whole lines; how many bytes these are. */
static size_t take_lines(struct kernel_symbols *symbols, const char *text, size_t size)
{
	const char *at = text, *const end = text + size;
	const char *line_end;

	while (at < end && (line_end = memchr(at, '\n', (size_t)(end - at)))) {
		take_line(symbols, at, line_end);
		at = line_end + 1;
	}
	return (size_t)(at - text);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	const size_t x_length = strlen(x->name), y_length = strlen(y->name);
	if (x_length != y_length)
		return x_length < y_length ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The kernel's own come in order, those of its modules behind them module by module. */
static void sort(struct kernel_symbols *symbols)
{
	struct kernel_symbol *list = symbols->list.data;
	const size_t count = symbols->list.len;
	size_t ordered = count != 0;

	while (ordered < count && list[ordered - 1].addr <= list[ordered].addr)
		ordered++;
	if (ordered == count)
		return;
	qsort(list + ordered, count - ordered, sizeof(*list), compare_symbols);
	if (list[ordered].addr < list[ordered - 1].addr)
		qsort(list, count, sizeof(*list), compare_symbols);
}

static void finish(struct kernel_symbols *symbols)
{
	struct kernel_symbol *list = symbols->list.data;
	size_t kept = 0;

	sort(symbols);
	vec_foreach (symbol, &symbols->list) {
		if (!kept || list[kept - 1].addr != symbol->addr)
			list[kept++] = *symbol;
		else if (compare_symbols(symbol, &list[kept - 1]) < 0)
			list[kept - 1] = *symbol;
	}
	symbols->list.len = kept;
}

static void init(struct kernel_symbols *symbols)
{
	*symbols = (struct kernel_symbols){0};
	arena_init(&symbols->arena);
}

/* All addresses are 0: there is nothing to see, and no need to read on. */
static bool is_hidden(const char *text, size_t size)
{
	const char *at = text, *const end = text + size;
	uint64_t addr;

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		if (!line_end)
			break;
		if (!address_of(next_word(&at, line_end), &addr) || addr)
			return false;
		at = line_end + 1;
	}
	return at > text;
}

static void read_all(struct kernel_symbols *symbols)
{
	char *text = mem_alloc(READ_BYTES);
	size_t have = 0;
	ssize_t got;
	bool is_begin = true;
	const int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	init(symbols);
	while (fd >= 0 && (got = read(fd, text + have, READ_BYTES - have)) > 0) {
		have += (size_t)got;
		if (is_begin && is_hidden(text, have))
			break;
		is_begin = false;
		const size_t taken = take_lines(symbols, text, have);
		have = have - taken < READ_BYTES ? have - taken : 0; /* no line is as long */
		memmove(text, text + taken, have);
	}
	if (fd >= 0)
		close(fd);
	free(text);
	finish(symbols);
}

/* ---- kept ---- */

static void read_text(const char *path, struct str *text)
{
	char bytes[4096];
	ssize_t got;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && (got = read(fd, bytes, sizeof(bytes))) > 0)
		str_append_bytes(text, bytes, (size_t)got);
	if (fd >= 0)
		close(fd);
}

/* "NAME SIZE USES USERS STATE 0xADDRESS": where it is, and what tells that it is the same one. */
static void take_module(struct kernel_symbols *symbols, const char *line, const char *end,
			struct str *identity)
{
	struct text_span words[6];
	struct kernel_range range;
	uint64_t size = 0;

	for (size_t i = 0; i < 6; i++)
		words[i] = next_word(&line, end);
	for (size_t i = 0; i < words[1].length; i++)
		size = size * 10 + (uint64_t)(words[1].text[i] - '0');
	str_append_bytes(identity, words[0].text, words[0].length);
	str_append_bytes(identity, words[5].text, words[5].length);
	str_printf(identity, " %ju\n", (uintmax_t)size);
	const struct text_span digits = {words[5].text + 2, words[5].length - 2};
	if (words[5].length < 3 || !address_of(digits, &range.begin))
		return;
	range.end = range.begin + size;
	vec_push(&symbols->kept_ranges, range);
}

/*
 * What stays as long as the kernel runs and has these modules has this name; where that is, goes
 * into the ranges. Elsewhere are programs of BPF and what the tracers write.
 */
static bool identify(struct kernel_symbols *symbols, struct str *name)
{
	struct str identity = {0}, modules = {0};
	char digest[DIGEST_TEXT_BYTES];

	read_text("/proc/sys/kernel/random/boot_id", &identity);
	const bool known = identity.len != 0;
	read_text("/proc/modules", &modules);
	const char *at = modules.data, *const end = at ? at + modules.len : at;
	for (const char *line_end; at < end; at = line_end + 1) {
		line_end = memchr(at, '\n', (size_t)(end - at));
		line_end = line_end ? line_end : end;
		take_module(symbols, at, line_end, &identity);
	}
	digest_bytes(identity.data, identity.len, digest);
	str_printf(name, "kernel-symbols.%s", digest);
	str_fini(&identity);
	str_fini(&modules);
	return known;
}

/* What is kept: this, the symbols by address, and their names, each with a zero behind it. */
struct kept_header {
	uint64_t text_end;
	uint32_t count, names_bytes;
};

/* Offsets among the names, where the first one is empty: no module. */
struct kept_symbol {
	uint64_t addr;
	uint32_t name, module;
};

static uint32_t keep_name(struct str *names, const char *name)
{
	const size_t at = names->len;

	str_append_bytes(names, name, strlen(name) + 1);
	return (uint32_t)at;
}

static void keep_list(const struct kernel_symbols *symbols, const char *name)
{
	struct str bytes = {0}, names = {0};
	struct kept_header header = {.text_end = symbols->text_end,
				     .count = (uint32_t)symbols->list.len};
	struct kept_symbol kept = {0};
	const char *module = NULL;

	str_append_bytes(&bytes, (const char *)&header, sizeof(header));
	keep_name(&names, "");
	vec_foreach (symbol, &symbols->list) {
		if (symbol->module != module)
			kept.module = symbol->module ? keep_name(&names, symbol->module) : 0;
		module = symbol->module;
		kept.addr = symbol->addr;
		kept.name = keep_name(&names, symbol->name);
		str_append_bytes(&bytes, (const char *)&kept, sizeof(kept));
	}
	header.names_bytes = (uint32_t)names.len;
	memcpy(bytes.data, &header, sizeof(header));
	str_append_bytes(&bytes, names.data, names.len);
	if (names.len < UINT32_MAX)
		derived_keep(name, bytes.data, bytes.len);
	str_fini(&bytes);
	str_fini(&names);
}

static struct kept_header kept_header(const struct kernel_symbols *symbols)
{
	struct kept_header header;

	memcpy(&header, symbols->kept.data, sizeof(header));
	return header;
}

static const struct kept_symbol *kept_list(const struct kernel_symbols *symbols)
{
	return (const struct kept_symbol *)((const char *)symbols->kept.data +
					    sizeof(struct kept_header));
}

static const char *kept_name(const struct kernel_symbols *symbols, uint32_t offset)
{
	const struct kept_header header = kept_header(symbols);

	return (const char *)(kept_list(symbols) + header.count) +
	       (offset < header.names_bytes ? offset : 0);
}

/* Is it of this form, with names that end? */
static bool kept_is_whole(const struct kernel_symbols *symbols)
{
	if (symbols->kept.size < sizeof(struct kept_header))
		return false;
	const struct kept_header header = kept_header(symbols);
	const uint64_t list_bytes = (uint64_t)header.count * sizeof(struct kept_symbol);

	if (!header.names_bytes ||
	    symbols->kept.size != sizeof(header) + list_bytes + header.names_bytes)
		return false;
	const char *names = kept_name(symbols, 0);

	return !names[0] && !names[header.names_bytes - 1];
}

static bool kept_open(struct kernel_symbols *symbols, const char *name)
{
	if (!derived_open(name, &symbols->kept))
		return false;
	if (kept_is_whole(symbols)) {
		symbols->text_end = kept_header(symbols).text_end;
		return true;
	}
	file_view_close(&symbols->kept);
	symbols->kept = (struct file_view){0};
	return false;
}

void kernel_symbols_read(struct kernel_symbols *symbols, bool kept)
{
	struct str name = {0};

	init(symbols);
	const bool known = kept && identify(symbols, &name);
	if (!known || !kept_open(symbols, name.data)) {
		kernel_symbols_fini(symbols);
		read_all(symbols);
		if (known && symbols->text_end)
			keep_list(symbols, name.data);
	}
	str_fini(&name);
}

/* Whether what was kept tells of this place. */
static bool is_covered(const struct kernel_symbols *symbols, uint64_t addr)
{
	if (!symbols->kept.data || addr < symbols->text_end)
		return true;
	vec_foreach (range, &symbols->kept_ranges) {
		if (addr >= range->begin && addr < range->end)
			return true;
	}
	return false;
}

void kernel_symbols_parse(struct kernel_symbols *symbols, const char *text)
{
	const size_t size = strlen(text);

	init(symbols);
	const size_t taken = take_lines(symbols, text, size);
	take_line(symbols, text + taken, text + size);
	finish(symbols);
}

void kernel_symbols_fini(struct kernel_symbols *symbols)
{
	vec_fini(&symbols->list);
	vec_fini(&symbols->kept_ranges);
	if (symbols->kept.data)
		file_view_close(&symbols->kept);
	symbols->kept = (struct file_view){0};
	arena_fini(&symbols->arena);
}

static const struct kernel_symbol *kept_covering(struct kernel_symbols *symbols, uint64_t addr,
						 uint64_t *size)
{
	const struct kept_symbol *list = kept_list(symbols);
	const size_t count = kept_header(symbols).count;
	const size_t above = partition_point(count, i, list[i].addr <= addr);

	if (!above)
		return NULL;
	const struct kept_symbol *symbol = &list[above - 1];

	*size = above < count ? list[above].addr - symbol->addr : 0;
	symbols->found = (struct kernel_symbol){
		.addr = symbol->addr,
		.name = kept_name(symbols, symbol->name),
		.module = symbol->module ? kept_name(symbols, symbol->module) : NULL};
	return &symbols->found;
}

const struct kernel_symbol *kernel_symbols_covering(struct kernel_symbols *symbols, uint64_t addr,
						    uint64_t *size)
{
	if (!is_covered(symbols, addr)) {
		kernel_symbols_fini(symbols);
		read_all(symbols);
	}
	if (symbols->kept.data)
		return kept_covering(symbols, addr, size);
	const struct kernel_symbol *list = symbols->list.data;
	const size_t above = partition_point(symbols->list.len, i, list[i].addr <= addr);

	if (!above)
		return NULL;
	*size = above < symbols->list.len ? list[above].addr - list[above - 1].addr : 0;
	return &list[above - 1];
}
