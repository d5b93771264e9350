/*
 * Lines are "ADDRESS TYPE NAME [MODULE]"; types t, T, w and W are code. Where the kernel hides
 * addresses (kptr_restrict) they are all 0, and there are no symbols. Of several at one address
 * the one with the shortest name stays, as aliases are longer; section marks are no functions.
 */
#include "session/kernel_symbols.h"

#include <stdio.h>
#include <string.h>

/* In the kernel's half of the address space. */
#define KERNEL_BEGIN 0x8000000000000000ULL

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* Marks of sections, which stand before their first functions. */
static bool is_mark(const char *name)
{
	static const char *const names[] = {"_text", "_stext", "startup_64", "__entry_text_start"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return str_starts_with(name, "__pfx_");
}

static void take_line(struct kernel_symbols *symbols, const char *line, const char **last_module)
{
	char type, name[512], module[128] = "";
	unsigned long long addr;

	if (sscanf(line, "%llx %c %511s %127s", &addr, &type, name, module) < 3 || !is_code(type) ||
	    addr < KERNEL_BEGIN || is_mark(name))
		return;
	if (*module && (!*last_module || strcmp(*last_module, module) != 0))
		*last_module = arena_strdup(&symbols->arena, module);
	const struct kernel_symbol symbol = {.addr = addr,
					     .name = arena_strdup(&symbols->arena, name),
					     .module = *module ? *last_module : NULL};
	vec_push(&symbols->list, symbol);
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

static void finish(struct kernel_symbols *symbols)
{
	size_t kept = 0;

	vec_sort(&symbols->list, compare_symbols);
	vec_foreach (symbol, &symbols->list) {
		if (!kept || symbols->list.data[kept - 1].addr != symbol->addr)
			symbols->list.data[kept++] = *symbol;
	}
	symbols->list.len = kept;
}

static void init(struct kernel_symbols *symbols)
{
	*symbols = (struct kernel_symbols){0};
	arena_init(&symbols->arena);
}

void kernel_symbols_read(struct kernel_symbols *symbols)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	const char *module = NULL;
	char *line = NULL;
	size_t room = 0;

	init(symbols);
	while (file && getline(&line, &room, file) > 0)
		take_line(symbols, line, &module);
	free(line);
	if (file)
		fclose(file);
	finish(symbols);
}

void kernel_symbols_parse(struct kernel_symbols *symbols, const char *text)
{
	const char *module = NULL;
	struct str line = {0};

	init(symbols);
	for (const char *at = text; *at;) {
		const size_t length = strcspn(at, "\n");
		str_clear(&line);
		str_append_bytes(&line, at, length);
		take_line(symbols, line.data ? line.data : "", &module);
		at += length + (at[length] == '\n');
	}
	str_fini(&line);
	finish(symbols);
}

void kernel_symbols_fini(struct kernel_symbols *symbols)
{
	vec_fini(&symbols->list);
	arena_fini(&symbols->arena);
}

const struct kernel_symbol *kernel_symbols_covering(const struct kernel_symbols *symbols,
						    uint64_t addr, uint64_t *size)
{
	const struct kernel_symbol *list = symbols->list.data;
	const size_t above = partition_point(symbols->list.len, i, list[i].addr <= addr);

	if (!above)
		return NULL;
	*size = above < symbols->list.len ? list[above].addr - list[above - 1].addr : 0;
	return &list[above - 1];
}
