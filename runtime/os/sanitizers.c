/*
 * Only processes with a sanitizer are looked at. Refuses libraries whose words for functions are
 * read-only by now (LD_BIND_NOW and full RELRO), and lines to symbolizers that would become longer.
 */
#include "runtime/os/sanitizers.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/session.h"

#define LIBRARIES_MAX 4
#define DIGITS	      16
#define COMMAND	      "CODE \""
#define LINE_MAX      (TARE_PATH_MAX + 64)

typedef int (*lookup)(void *state, uint64_t addr, void *call, void *error, void *data);

struct library {
	struct module_segments segments;
	struct module_symbols symbols;
};

static const char *const names[] = {"__asan_backtrace_pcinfo", "__asan_backtrace_syminfo"};
static lookup real[2]; /* of the first library that has them, as the loader binds them */
static struct library libraries[LIBRARIES_MAX];
static uint32_t library_count;
static bool is_sanitized;
static bool is_asking; /* a thread; another one's question then has no answer */
static struct session_answer answer;
static char question[1 + DIGITS + TARE_PATH_MAX];
static char line[LINE_MAX];

/* ---- questions ---- */

static void put_digits(char *to, uint64_t number, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		to[i] = "0123456789abcdef"[number >> 4 * (count - 1 - i) & 15];
}

/* Hexadecimal digits at `text`, up to sixteen; their number. */
static uint64_t read_digits(const char *text, uint64_t *number)
{
	uint64_t count = 0;

	*number = 0;
	for (; count < DIGITS; count++) {
		const char c = text[count];

		if (c >= '0' && c <= '9')
			*number = *number << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*number = *number << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	return count;
}

/* The original's address for one of a copy; `path` as in TARE_REQUEST_PLACE. */
static uint64_t ask_recorder(uint64_t addr, const char *path)
{
	struct bytes_text text = {
		.start = question, .size_bytes = sizeof(question), .length = 1 + DIGITS};
	uint64_t original;

	question[0] = '/';
	put_digits(question + 1, addr, DIGITS);
	question[1 + DIGITS] = 0;
	bytes_put(&text, path);
	const bool answered = !text.full && session_ask(TARE_REQUEST_PLACE, question, &answer) &&
			      answer.path[0] == '/' &&
			      read_digits(answer.path + 1, &original) == DIGITS;

	return answered ? original : addr;
}

static uint64_t ask(uint64_t addr, const char *path)
{
	if (__atomic_exchange_n(&is_asking, true, __ATOMIC_ACQUIRE))
		return addr;
	const uint64_t original = ask_recorder(addr, path);

	__atomic_store_n(&is_asking, false, __ATOMIC_RELEASE);
	return original;
}

/* ---- gcc's ---- */

/* What one call of a lookup is for: its callback is given the address that was asked for. */
struct search {
	uint64_t addr;
	void *call, *data;
};

static int line_found(void *data, uint64_t addr, const char *file, int number, const char *function)
{
	const struct search *search = data;
	int (*const call)(void *, uint64_t, const char *, int, const char *) = search->call;

	(void)addr;
	return call(search->data, search->addr, file, number, function);
}

static void symbol_found(void *data, uint64_t addr, const char *name, uint64_t value,
			 uint64_t size_bytes)
{
	const struct search *search = data;
	void (*const call)(void *, uint64_t, const char *, uint64_t, uint64_t) = search->call;

	(void)addr;
	call(search->data, search->addr, name, value, size_bytes);
}

static void failed(void *data, const char *message, int number)
{
	(void)data;
	(void)message;
	(void)number;
}

static int find_line(void *state, uint64_t addr, void *call, void *error, void *data)
{
	struct search search = {.addr = addr, .call = call, .data = data};
	const uint64_t original = ask(addr, "");

	if (original == addr)
		return real[0](state, addr, call, error, data);
	return real[0](state, original, (void *)line_found, (void *)failed, &search);
}

static int find_symbol(void *state, uint64_t addr, void *call, void *error, void *data)
{
	struct search search = {.addr = addr, .call = call, .data = data};
	const uint64_t original = ask(addr, "");

	if (original == addr)
		return real[1](state, addr, call, error, data);
	return real[1](state, original, (void *)symbol_found, (void *)failed, &search);
}

static const lookup ours[2] = {find_line, find_symbol};

static const Elf64_Sym *symbol_of(const struct library *library, const char *name)
{
	return module_symbol_find(&library->segments, &library->symbols, name);
}

void sanitizers_open(const struct module_segments *segments)
{
	struct library library = {.segments = *segments};

	if (!module_symbols_find(segments, &library.symbols) ||
	    !symbol_of(&library, "__sanitizer_symbolize_pc"))
		return;
	is_sanitized = true;
	if (symbol_of(&library, names[0]) && symbol_of(&library, names[1]) &&
	    library_count < LIBRARIES_MAX)
		libraries[library_count++] = library;
}

static bool is_writable_still(const struct module_segments *segments, uint64_t addr)
{
	for (uint64_t i = 0; i < segments->count; i++) {
		const Elf64_Phdr *header = &segments->headers[i];

		if (header->p_type == PT_GNU_RELRO &&
		    addr - segments->bias - header->p_vaddr < header->p_memsz)
			return false;
	}
	return module_may_write(segments, addr, sizeof(uint64_t));
}

static void library_connect(const struct library *library)
{
	const struct module_segments *segments = &library->segments;
	const uint64_t bias = segments->bias;
	const Elf64_Dyn *dynamic = NULL;
	uint64_t table = 0, size_bytes = 0;

	for (uint64_t i = 0; i < segments->count; i++)
		if (segments->headers[i].p_type == PT_DYNAMIC)
			dynamic = (const Elf64_Dyn *)(bias + segments->headers[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_JMPREL)
			table = dynamic->d_un.d_ptr;
		else if (dynamic->d_tag == DT_PLTRELSZ)
			size_bytes = dynamic->d_un.d_val;
	}
	if (!table)
		return;
	const Elf64_Rela *rela = (const Elf64_Rela *)(table < bias ? bias + table : table);

	for (uint64_t i = 0; i < size_bytes / sizeof(*rela); i++) {
		const uint64_t number = ELF64_R_SYM(rela[i].r_info);
		const uint64_t slot = bias + rela[i].r_offset;

		for (int k = 0; k < 2; k++)
			if (bytes_equal(module_symbol_name(&library->symbols, number), names[k]) &&
			    is_writable_still(segments, slot))
				*(lookup *)slot = ours[k];
	}
}

void sanitizers_connect(void)
{
	for (uint32_t i = 0; i < library_count; i++) {
		const struct library *library = &libraries[i];

		for (int k = 0; i == 0 && k < 2; k++)
			real[k] = (lookup)(library->segments.bias +
					   symbol_of(library, names[k])->st_value);
		library_connect(library);
	}
}

/* ---- clang's ---- */

/* The line in `line`, of `length` bytes, with the original's address. False: it is something else.
 */
static bool line_translate(uint64_t length)
{
	static char path[TARE_PATH_MAX];
	char *const begin = line + sizeof(COMMAND) - 1;
	uint64_t end = length, addr;

	while (end > sizeof(COMMAND) && line[end] != '"')
		end--;
	const uint64_t path_bytes = (uint64_t)(line + end - begin);
	char *const number = line + end + sizeof("\" 0x") - 1;

	if (path_bytes >= sizeof(path) || !bytes_begin_with(line + end, "\" 0x"))
		return false;
	const uint64_t digits = read_digits(number, &addr);

	if (!digits || number + digits + 1 != line + length || number[digits] != '\n')
		return false;
	memcpy(path, begin, path_bytes);
	path[path_bytes] = 0;
	const uint64_t original = ask(addr, path);

	if (original == addr || (digits < DIGITS && original >> 4 * digits))
		return false;
	put_digits(number, original, digits);
	return true;
}

void sanitizers_show(struct probes_registers *registers)
{
	const uint64_t length = registers->rdx;

	if (!is_sanitized || registers->rax != SYS_write || length >= sizeof(line) ||
	    length <= sizeof(COMMAND) ||
	    memory_read(line, registers->rsi, length) != (long)length ||
	    !bytes_begin_with(line, COMMAND))
		return;
	line[length] = 0;
	if (line_translate(length))
		registers->rsi = (uint64_t)line;
}
