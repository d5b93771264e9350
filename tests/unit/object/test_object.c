/*
 * Opening ELF files: what a small written file and real ones contain, one sentence for each kind of
 * unsuitable file, and no crash for any damage.
 */
#include "object/object.h"
#include "tests/support/object_walk.h"
#include "tests/support/small_elf.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct object *open_parts(struct small_elf *elf, const struct small_elf_options *options,
				 unsigned parts)
{
	struct error err = {0};

	small_elf_build(elf, options);
	struct object *object =
		object_open_bytes(elf->bytes.data, elf->bytes.len, "small", parts, &err);
	if (!object)
		fail_msg("%s", err.message);
	return object;
}

static struct object *open_small(struct small_elf *elf, const struct small_elf_options *options)
{
	return open_parts(elf, options, OBJECT_ALL);
}

static void check_functions(const struct object *object, const struct small_elf *elf)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(object, &count);

	assert_int_equal(count, 2);
	assert_int_equal(fdes[0].begin, SMALL_TEXT);
	assert_int_equal(fdes[0].end, SMALL_BETA);
	assert_int_equal(fdes[0].lsda, elf->lsda);
	assert_int_equal(fdes[1].begin, SMALL_BETA);
	assert_int_equal(fdes[1].end, SMALL_BETA + SMALL_BETA_BYTES);
	assert_int_equal(fdes[1].lsda, 0);
	assert_ptr_equal(fdes[0].cie, fdes[1].cie);
	assert_int_equal(fdes[0].cie->personality, SMALL_GOT);
	assert_int_equal(fdes[0].cie->personality_encoding, 0x9b);
	assert_int_equal(fdes[0].cie->data_align, -8);
	assert_true(fdes[0].cie->understood && fdes[0].cie->augmented);
	assert_ptr_equal(object_fde_covering(object, SMALL_BETA - 1), &fdes[0]);
	assert_null(object_fde_covering(object, SMALL_TEXT - 1));
	assert_null(object_fde_covering(object, SMALL_PLT));
	assert_int_equal(object_eh_frame(object).addr, elf->eh_frame);
}

static void check_dynamic(const struct object *object)
{
	size_t count;

	assert_string_equal(object_soname(object), "libsmall.so");
	assert_string_equal(object_runpath(object), "$ORIGIN/lib");
	assert_int_equal(object_kind(object), OBJECT_LIBRARY);
	assert_memory_equal(object_build_id(object, &count), "\x01\x02\x03", 3);
	assert_int_equal(count, 3);
	assert_int_equal(object_tare_note(object), 0);
	assert_int_equal(object_dynamic_symbol(object, "alpha"), SMALL_TEXT);
	assert_int_equal(object_dynamic_symbol(object, "imported"), 0);
	assert_string_equal(object_plt_symbol(object, SMALL_PLT), "imported");
	assert_string_equal(object_plt_symbol(object, SMALL_GOT), "imported");
	assert_null(object_plt_symbol(object, SMALL_TEXT));
	const uint64_t *pointers = object_code_pointers(object, &count);
	assert_int_equal(count, 3);
	assert_int_equal(pointers[0], SMALL_TEXT);
	assert_int_equal(pointers[1], SMALL_TEXT + 0x10);
	assert_int_equal(pointers[2], SMALL_BETA);
	const uint64_t *places = object_text_relocations(object, &count);
	assert_int_equal(count, 4);
	assert_int_equal(places[0], SMALL_GOT);
	assert_int_equal(places[2], SMALL_DATA + 8);
	assert_int_equal(places[3], SMALL_DATA + 24);
}

static void small_file(void **state)
{
	static const struct small_elf_options all[] = {
		{0},
		{.gnu_hash = true},
		{.no_sections = true},
		{.no_sections = true, .gnu_hash = true},
		{.terminators = true},
		{.terminators = true, .no_sections = true},
		{.header_short = true},
		{.no_eh_header = true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct small_elf elf;
		size_t count;
		struct object *object = open_small(&elf, &all[i]);
		check_functions(object, &elf);
		check_dynamic(object);
		const struct object_symbol *symbols = object_symbols(object, &count);
		assert_int_equal(count, all[i].no_sections ? 1 : 2);
		assert_string_equal(symbols[0].name, "alpha");
		assert_true(symbols[0].dynamic);
		assert_ptr_equal(object_symbol_covering(object, SMALL_TEXT + 5), &symbols[0]);
		assert_ptr_equal(object_symbol_at(object, SMALL_TEXT), &symbols[0]);
		assert_null(object_symbol_at(object, SMALL_TEXT + 1));
		assert_null(object_symbol_covering(object, SMALL_PLT));
		assert_int_equal(object_eh_frame_hdr(object).addr,
				 all[i].no_eh_header ? 0 : elf.eh_frame_hdr);
		object_close(object);
		small_elf_fini(&elf);
	}
}

/* The name of what begins behind alpha, which jumps there. */
static void thunks(void **state)
{
	static const struct {
		struct small_elf_options options;
		const char *name; /* NULL: none */
	} cases[] = {
		{{.no_symtab = true, .thunk_bytes = 9}, "alpha"},
		{{.no_symtab = true, .thunk_bytes = 5}, "alpha"},
		{{.no_symtab = true, .thunk_bytes = 2}, "alpha"},
		{{.no_sections = true, .thunk_bytes = 5}, "alpha"},
		{{.no_symtab = true}, NULL},
		{{.thunk_bytes = 5}, "beta"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct small_elf elf;
		struct object *object = open_small(&elf, &cases[i].options);
		const char *name = object_function_name(object, SMALL_BETA);

		assert_string_equal(object_function_name(object, SMALL_TEXT), "alpha");
		assert_null(object_function_name(object, SMALL_BETA + 1));
		if (cases[i].name)
			assert_string_equal(name, cases[i].name);
		else
			assert_null(name);
		object_close(object);
		small_elf_fini(&elf);
	}
}

/* What a jump begins with is no thunk where more code follows, or where a symbol covers its target.
 */
static void no_thunks(void **state)
{
	struct small_elf elf;
	struct error err = {0};

	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){.no_symtab = true, .thunk_bytes = 5});
	elf.bytes.data[SMALL_TEXT + 1] = 0; /* to the byte behind it */
	struct object *object =
		object_open_bytes(elf.bytes.data, elf.bytes.len, "small", OBJECT_ALL, &err);
	assert_string_equal(object_function_name(object, SMALL_TEXT + 5), "alpha");
	object_close(object);
	elf.bytes.data[SMALL_TEXT + 4] = 0x7f; /* out of the file */
	object = object_open_bytes(elf.bytes.data, elf.bytes.len, "small", OBJECT_ALL, &err);
	assert_null(object_function_name(object, SMALL_TEXT + 5 + 0x7f000000));
	object_close(object);
	small_elf_fini(&elf);
	small_elf_build(&elf, &(struct small_elf_options){.no_symtab = true});
	elf.bytes.data[SMALL_TEXT] = 0xeb; /* alpha is longer */
	elf.bytes.data[SMALL_TEXT + 1] = SMALL_ALPHA_BYTES - 2;
	object = object_open_bytes(elf.bytes.data, elf.bytes.len, "small", OBJECT_ALL, &err);
	assert_null(object_function_name(object, SMALL_BETA));
	object_close(object);
	small_elf_fini(&elf);
}

static void mapping(void **state)
{
	struct small_elf elf;
	struct object *object = open_small(&elf, &(struct small_elf_options){0});
	size_t count;
	const uint64_t end = object_segments(object, &count)[0].p_filesz;

	(void)state;
	assert_ptr_equal(object_at(object, 0, end), elf.bytes.data);
	assert_ptr_equal(object_at(object, SMALL_TEXT, end - SMALL_TEXT),
			 elf.bytes.data + SMALL_TEXT);
	assert_null(object_at(object, SMALL_TEXT, end - SMALL_TEXT + 1));
	assert_null(object_at(object, SMALL_TEXT, UINT64_MAX));
	assert_null(object_at(object, end, 1));
	assert_null(object_at(object, UINT64_MAX, 1));
	assert_true(object_is_mapped(object, 0) && !object_is_mapped(object, end));
	assert_true(object_is_executable(object, end - 1));
	object_close(object);
	small_elf_fini(&elf);
}

/* ---- unsuitable files ---- */

static void check_refused(const void *bytes, size_t size, enum error_code code, const char *text)
{
	struct error err = {0};

	assert_null(object_open_bytes(bytes, size, "some file", OBJECT_ALL, &err));
	assert_int_equal(err.code, code);
	if (!strstr(err.message, text) || strncmp(err.message, "some file ", 10) != 0)
		fail_msg("\"%s\" does not say \"%s\"", err.message, text);
}

/* A program runs without its section table; of a cut one nothing is taken. */
static void cut_section_table(void **state)
{
	struct small_elf elf;
	struct error err;
	size_t count;

	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){0});
	struct object *object =
		object_open_bytes(elf.bytes.data, elf.bytes.len - 1, "cut", OBJECT_ALL, &err);
	assert_non_null(object);
	object_sections(object, &count);
	assert_int_equal(count, 0);
	object_fdes(object, &count);
	assert_true(count > 0);
	object_close(object);
	small_elf_fini(&elf);
}

static void unsuitable_files(void **state)
{
	struct small_elf elf;

	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){0});
	Elf64_Ehdr *header = (Elf64_Ehdr *)elf.bytes.data;
	Elf64_Phdr *load = (Elf64_Phdr *)(header + 1);
	const size_t size = elf.bytes.len;
	check_refused("", 0, ERROR_INPUT, "not an ELF file");
	check_refused("hello", 5, ERROR_INPUT, "not an ELF file");
	check_refused("#! /bin/sh -e\n", 14, ERROR_INPUT, "interpreter is /bin/sh");
	check_refused("#!", 2, ERROR_INPUT, "script");
	check_refused("\x7f"
		      "ELF",
		      4, ERROR_INPUT, "truncated");
	check_refused(header, 40, ERROR_INPUT, "truncated");
	check_refused(header, 100, ERROR_INPUT, "program headers");
	check_refused(header, 0x420, ERROR_INPUT, "segment 0");
	header->e_ident[EI_CLASS] = ELFCLASS32;
	check_refused(header, size, ERROR_UNSUPPORTED, "32-bit");
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_ident[EI_DATA] = ELFDATA2MSB;
	check_refused(header, size, ERROR_UNSUPPORTED, "big-endian");
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_machine = EM_AARCH64;
	check_refused(header, size, ERROR_UNSUPPORTED, "another machine");
	header->e_machine = EM_X86_64;
	header->e_type = ET_REL;
	check_refused(header, size, ERROR_UNSUPPORTED, "relocatable");
	header->e_type = ET_CORE;
	check_refused(header, size, ERROR_UNSUPPORTED, "core dump");
	header->e_type = 77;
	check_refused(header, size, ERROR_UNSUPPORTED, "neither");
	header->e_type = ET_DYN;
	load->p_memsz = load->p_filesz - 1;
	check_refused(header, size, ERROR_INPUT, "invalid size");
	load->p_memsz = load->p_filesz;
	load[1] = load[0];
	check_refused(header, size, ERROR_INPUT, "overlap");
	load[1].p_type = load[0].p_type = PT_NULL;
	check_refused(header, size, ERROR_INPUT, "no loadable");
	header->e_phnum = 0;
	check_refused(header, size, ERROR_INPUT, "no usable program headers");
	small_elf_fini(&elf);
}

static void missing_file(void **state)
{
	struct error err = {0};

	(void)state;
	assert_null(object_open("/nonexistent/file", OBJECT_ALL, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_null(object_open("/", OBJECT_ALL, &err));
	assert_int_equal(err.code, ERROR_INPUT);
}

/* ---- damage ---- */

static void walk_exact_copy(const unsigned char *bytes, size_t size, size_t *opened)
{
	struct error err = {0};
	unsigned char *copy = mem_alloc(size + 1);

	/* At the end of its block, so that a sanitizer sees reads behind it. */
	memcpy(copy + 1, bytes, size);
	if (object_walk_bytes(copy + 1, size, &err))
		++*opened;
	else
		assert_true(err.code != ERROR_NONE && err.message[0]);
	free(copy);
}

static void every_truncation(void **state)
{
	size_t opened = 0;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct small_elf elf;
		small_elf_build(&elf, &(struct small_elf_options){.no_sections = i});
		for (size_t size = 0; size <= elf.bytes.len; size++)
			walk_exact_copy(elf.bytes.data, size, &opened);
		small_elf_fini(&elf);
	}
	assert_true(opened >= 2);
}

static void every_byte_changed(void **state)
{
	static const unsigned char changes[] = {0x01, 0x80, 0xff, 0x7f};
	static const struct small_elf_options all[] = {
		{0}, {.no_sections = true, .gnu_hash = true, .terminators = true}};
	size_t opened = 0, tried = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct small_elf elf;
		small_elf_build(&elf, &all[i]);
		for (size_t at = 0; at < elf.bytes.len; at++)
			for (size_t k = 0; k < sizeof(changes); k++, tried++) {
				elf.bytes.data[at] ^= changes[k];
				walk_exact_copy(elf.bytes.data, elf.bytes.len, &opened);
				elf.bytes.data[at] ^= changes[k];
			}
		small_elf_fini(&elf);
	}
	print_message("%zu of %zu changed files could be opened\n", opened, tried);
	assert_true(opened > 0 && opened < tried);
}

/* ---- separate debug files ---- */

/* CRC-32 bit by bit. */
static uint32_t checksum(const struct byte_vec *bytes)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < bytes->len * 8; i++) {
		const uint32_t bit = (crc ^ (uint32_t)bytes->data[i / 8] >> (i % 8)) & 1;
		crc = crc >> 1 ^ (bit ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

static void write_file(const char *directory, const char *name, const struct small_elf *elf)
{
	struct file_output out;
	struct error err;
	struct str path = {0};

	str_printf(&path, "%s/%s", directory, name);
	assert_true(file_output_open(&out, path.data, &err));
	assert_true(file_output_write(&out, elf->bytes.data, elf->bytes.len, &err));
	assert_true(file_output_commit(&out, 0755, &err));
	str_fini(&path);
}

/* beta is in .symtab only: the name is known if the debug file was taken. */
static bool knows_beta(const char *directory, uint32_t crc)
{
	const struct small_elf_options options = {
		.no_symtab = true, .no_build_id = true, .debug_link_crc = crc};
	struct str path = {0};
	struct small_elf elf;
	struct error err;

	small_elf_build(&elf, &options);
	write_file(directory, "program", &elf);
	str_printf(&path, "%s/program", directory);
	struct object *object = object_open(path.data, OBJECT_ALL, &err);
	assert_non_null(object);
	const struct object_symbol *beta = object_symbol_at(object, SMALL_BETA);
	const bool known = beta && strcmp(beta->name, "beta") == 0 && !beta->dynamic;
	object_close(object);
	str_fini(&path);
	small_elf_fini(&elf);
	return known;
}

static void debug_link(void **state)
{
	char directory[] = "/tmp/tare-object-XXXXXX";
	struct str inner = {0};
	struct small_elf elf;
	struct error err;

	(void)state;
	assert_non_null(mkdtemp(directory));
	small_elf_build(&elf, &(struct small_elf_options){0});
	const uint32_t crc = checksum(&elf.bytes);
	assert_false(knows_beta(directory, crc));
	str_printf(&inner, "%s/.debug", directory);
	assert_true(directory_create_private(inner.data, &err));
	write_file(inner.data, "small.debug", &elf);
	assert_true(knows_beta(directory, crc));
	assert_false(knows_beta(directory, crc ^ 1));
	assert_true(directory_remove(inner.data, &err));
	write_file(directory, "small.debug", &elf);
	assert_true(knows_beta(directory, crc));
	elf.bytes.len = 100;
	write_file(directory, "small.debug", &elf);
	assert_false(knows_beta(directory, checksum(&elf.bytes)));
	assert_true(directory_remove(directory, &err));
	str_fini(&inner);
	small_elf_fini(&elf);
}

/* ---- real files ---- */

static void real_files(void **state)
{
	struct error err;
	struct object *bash = object_open("/bin/bash", OBJECT_ALL, &err);
	struct object *libc = object_open("/lib/x86_64-linux-gnu/libc.so.6", OBJECT_ALL, &err);
	struct object *loader = object_open("/lib64/ld-linux-x86-64.so.2", OBJECT_ALL, &err);
	size_t count;

	(void)state;
	assert_true(bash && libc && loader);
	assert_int_equal(object_kind(bash), OBJECT_PIE);
	assert_int_equal(object_kind(libc), OBJECT_LIBRARY);
	assert_int_equal(object_kind(loader), OBJECT_LIBRARY);
	assert_string_equal(object_soname(libc), "libc.so.6");
	const uint64_t printf_addr = object_dynamic_symbol(libc, "printf");
	assert_true(printf_addr && object_fde_covering(libc, printf_addr)->begin == printf_addr);
	assert_string_equal(object_symbol_at(libc, printf_addr)->name, "printf");
	/* Weak, where its own name for it is global. */
	const uint64_t yield_addr = object_dynamic_symbol(libc, "__sched_yield");
	assert_string_equal(object_symbol_at(libc, yield_addr)->name, "sched_yield");
	assert_int_equal(object_dynamic_symbol(bash, "printf"), 0);
	const struct object_section *plt = object_section_by_name(bash, ".plt.sec");
	if (!plt)
		plt = object_section_by_name(bash, ".plt");
	assert_non_null(plt);
	size_t named = 0;
	for (uint64_t at = 16; at < plt->header.sh_size; at += 16)
		named += object_plt_symbol(bash, plt->header.sh_addr + at) != NULL;
	assert_true(named >= plt->header.sh_size / 16 - 1);
	object_code_pointers(bash, &count);
	assert_true(count > 100);
	object_text_relocations(bash, &count);
	assert_int_equal(count, 0);
	object_close(bash);
	object_close(libc);
	object_close(loader);
}

/* The hash tables alone lead to every dynamic symbol. */
static void dynamic_symbols_without_sections(void **state)
{
	struct error err;
	struct object *with =
		object_open("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", OBJECT_SYMBOLS, &err);
	size_t size, checked = 0;

	(void)state;
	if (!with) {
		print_message("skipped: %s\n", err.message);
		skip();
	}
	const unsigned char *bytes = object_bytes(with, &size);
	unsigned char *copy = mem_alloc(size);
	memcpy(copy, bytes, size);
	((Elf64_Ehdr *)copy)->e_shoff = 0;
	struct object *without = object_open_bytes(copy, size, "copy", OBJECT_SYMBOLS, &err);
	assert_non_null(without);
	const Elf64_Shdr *table = &object_section_by_name(with, ".dynsym")->header;
	const char *names =
		(const char *)bytes + object_section_by_name(with, ".dynstr")->header.sh_offset;
	for (size_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *symbol = (const Elf64_Sym *)(bytes + table->sh_offset) + i;
		if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_shndx)
			continue;
		assert_true(object_dynamic_symbol(without, names + symbol->st_name) != 0);
		checked++;
	}
	assert_true(checked > 1000);
	object_close(without);
	object_close(with);
	free(copy);
}

/* Of several versions of a symbol the loader gives references without one the default. */
static void default_versions(void **state)
{
	static const char *const names[] = {"pthread_cond_wait", "pthread_cond_signal", "regexec",
					    "fopen", "realpath"};
	Dl_info info;
	struct error err;

	(void)state;
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	assert_non_null(libc);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		void *addr = dlsym(libc, names[i]);
		if (!addr || !dladdr(addr, &info))
			continue;
		struct object *object = object_open(info.dli_fname, OBJECT_SYMBOLS, &err);
		assert_non_null(object);
		assert_int_equal(object_dynamic_symbol(object, names[i]),
				 (uint64_t)addr - (uint64_t)info.dli_fbase);
		object_close(object);
	}
	dlclose(libc);
}

static uint64_t dynamic_entry(const struct link_map *map, int64_t tag)
{
	for (const Elf64_Dyn *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return entry->d_un.d_ptr;
	return 0;
}

/* Every function of the C library is found by its name, as the loader finds it. */
static void all_dynamic_symbols(void **state)
{
	struct link_map *map;
	struct error err;
	size_t checked = 0;

	(void)state;
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	assert_non_null(libc);
	assert_int_equal(dlinfo(libc, RTLD_DI_LINKMAP, &map), 0);
	struct object *object = object_open(map->l_name, OBJECT_SYMBOLS, &err);
	assert_non_null(object);
	const uint64_t table = dynamic_entry(map, DT_SYMTAB), names = dynamic_entry(map, DT_STRTAB);
	const Elf64_Versym *version = (const Elf64_Versym *)dynamic_entry(map, DT_VERSYM);
	assert_true(table && names > table && version);
	for (const Elf64_Sym *symbol = (const Elf64_Sym *)table; (uint64_t)(symbol + 1) <= names;
	     symbol++, version++) {
		const char *name = (const char *)names + symbol->st_name;
		if (!symbol->st_shndx || *version & 0x8000 ||
		    ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
			continue;
		const uint64_t addr = (uint64_t)dlsym(libc, name);
		assert_int_equal(addr, map->l_addr + symbol->st_value);
		assert_int_equal(object_dynamic_symbol(object, name), symbol->st_value);
		checked++;
	}
	assert_true(checked > 1000);
	assert_int_equal(object_dynamic_symbol(object, "no such function"), 0);
	object_close(object);
	dlclose(libc);
}

enum { READERS = 4 };

struct reader {
	const struct object *object;
	pthread_barrier_t *begin;
	const struct object_symbol *symbols;
	const char *name;
	size_t count;
};

static void *read_names(void *reader_at)
{
	struct reader *reader = reader_at;

	pthread_barrier_wait(reader->begin);
	reader->name = object_function_name(reader->object, SMALL_BETA);
	reader->symbols = object_symbols(reader->object, &reader->count);
	return NULL;
}

/* Names are read when the first thread asks, and the others have them, too. */
static void names_for_many(void **state)
{
	struct small_elf elf;
	struct reader readers[READERS];
	pthread_t threads[READERS];
	pthread_barrier_t begin;

	(void)state;
	struct object *object = open_small(&elf, &(struct small_elf_options){0});
	assert_int_equal(pthread_barrier_init(&begin, NULL, READERS), 0);
	for (size_t i = 0; i < READERS; i++) {
		readers[i] = (struct reader){.object = object, .begin = &begin};
		assert_int_equal(pthread_create(&threads[i], NULL, read_names, &readers[i]), 0);
	}
	for (size_t i = 0; i < READERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_true(readers[0].count > 1);
	for (size_t i = 0; i < READERS; i++) {
		assert_ptr_equal(readers[i].symbols, readers[0].symbols);
		assert_int_equal(readers[i].count, readers[0].count);
		assert_string_equal(readers[i].name, "beta");
	}
	pthread_barrier_destroy(&begin);
	object_close(object);
	small_elf_fini(&elf);
}

/* What was opened without them has none. */
static void names_that_nobody_wanted(void **state)
{
	struct small_elf elf;
	size_t count;

	(void)state;
	struct object *object = open_parts(&elf, &(struct small_elf_options){0}, OBJECT_UNWIND);
	object_symbols(object, &count);
	assert_int_equal(count, 0);
	assert_null(object_function_name(object, SMALL_BETA));
	object_close(object);
	small_elf_fini(&elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_file),
		cmocka_unit_test(names_for_many),
		cmocka_unit_test(names_that_nobody_wanted),
		cmocka_unit_test(thunks),
		cmocka_unit_test(no_thunks),
		cmocka_unit_test(mapping),
		cmocka_unit_test(unsuitable_files),
		cmocka_unit_test(cut_section_table),
		cmocka_unit_test(missing_file),
		cmocka_unit_test(every_truncation),
		cmocka_unit_test(every_byte_changed),
		cmocka_unit_test(debug_link),
		cmocka_unit_test(real_files),
		cmocka_unit_test(dynamic_symbols_without_sections),
		cmocka_unit_test(default_versions),
		cmocka_unit_test(all_dynamic_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
