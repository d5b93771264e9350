/*
 * Writing the new file. Programs and libraries that got more segments, sections, symbols and moved
 * unwind data, but no change to their code, run as before; tools find nothing wrong with them.
 */
#include "tests/support/fake_copies.h"
#include "tests/support/small_elf.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/tare-elf-out-XXXXXX";

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(directory, &err) ? 0 : -1;
}

/* Standard output and error of a shell command, and its status. */
static char *run(const char *command, int *status)
{
	struct str output = {0};
	char buffer[4096];
	size_t count;
	FILE *pipe = popen(command, "r");

	assert_non_null(pipe);
	while ((count = fread(buffer, 1, sizeof(buffer), pipe)) > 0)
		str_append_bytes(&output, buffer, count);
	str_append(&output, "");
	*status = pclose(pipe);
	return output.data;
}

/* The file with copies of all its functions, as directory/<basename>; false if it is missing. */
static bool write_copy(const char *path)
{
	struct fake_copies fake;
	struct error err;
	struct str name = {0};
	struct object *object = object_open(path, OBJECT_ALL, &err);

	if (!object) {
		print_message("skipped: %s\n", err.message);
		return false;
	}
	if (!fake_copies_build(object, &fake, &err))
		fail_msg("%s: %s", path, err.message);
	str_printf(&name, "%s/%s", directory, path_basename(path));
	/* Not by file_output: what only this test reads need not reach the disk. */
	const int fd = open(name.data, O_WRONLY | O_CREAT | O_EXCL, 0755);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, fake.file.data, fake.file.len), (ssize_t)fake.file.len);
	close(fd);
	str_fini(&name);
	fake_copies_fini(&fake);
	object_close(object);
	return true;
}

static void check_same(const char *original, const char *copy)
{
	int status, copy_status;
	char *output = run(original, &status), *copy_output = run(copy, &copy_status);

	assert_int_equal(copy_status, status);
	assert_string_equal(copy_output, output);
	free(output);
	free(copy_output);
}

static void programs_run_as_before(void **state)
{
	static const struct {
		const char *path, *arguments;
	} programs[] = {
		{"/bin/bash", "-c 'for i in {1..999}; do x+=$i; done; echo ${#x} $0 $BASHOPTS'"},
		{"/usr/bin/lua5.4", "-e 'for i=1,9 do print(pcall(error, i)) end; os.exit(3)'"},
		{"/usr/bin/sqlite3", ":memory: 'create table t(a); insert into t values(7); "
				     "select a*6, hex(a) from t'"},
		{"/usr/bin/python3.11", "-c 'import json; print(json.dumps([1, {\"a\": None}]))'"},
		{"/usr/bin/git", "--version"},
		{"/bin/sort", "--version"},
	};
	size_t tried = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		char original[512], copy[512];
		if (!write_copy(programs[i].path))
			continue;
		snprintf(original, sizeof(original), "%s %s 2>&1", programs[i].path,
			 programs[i].arguments);
		snprintf(copy, sizeof(copy), "bash -c 'exec -a \"$0\" \"$@\"' %s %s/%s %s 2>&1",
			 programs[i].path, directory, path_basename(programs[i].path),
			 programs[i].arguments);
		check_same(original, copy);
		tried++;
	}
	assert_true(tried > 0);
}

/* gdb throws and catches C++ exceptions for each of these: through the moved unwind tables. */
static void libraries_run_as_before(void **state)
{
	static const char *const libraries[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/lib/x86_64-linux-gnu/libgcc_s.so.1",
		"/lib/x86_64-linux-gnu/libm.so.6",
	};
	static const char *const commands[] = {
		"gdb -nx -batch -ex 'print 6*7' -ex 'print nosuch' -ex 'print 1/0' 2>&1",
		"bash -c 'printf %s:%d: abc 12; cat /nonexistent' 2>&1",
		"sqlite3 :memory: 'select sqrt(2), pow(2, 0.5)' 2>&1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		write_copy(libraries[i]);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		char copy[512];
		snprintf(copy, sizeof(copy), "LD_LIBRARY_PATH=%s %s", directory, commands[i]);
		check_same(commands[i], copy);
	}
}

static void tools_find_nothing_wrong(void **state)
{
	static const char *const names[] = {"bash", "libc.so.6", "libstdc++.so.6", "python3.11"};
	size_t tried = 0;

	(void)state;
	if (system("readelf --version >/dev/null 2>&1") != 0) {
		print_message("skipped: readelf is not installed\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char command[512], file[256];
		int status;
		snprintf(file, sizeof(file), "%s/%s", directory, names[i]);
		if (access(file, R_OK) != 0)
			continue;
		snprintf(command, sizeof(command), "readelf -aW %s 2>&1 >/dev/null", file);
		char *output = run(command, &status);
		assert_string_equal(output, "");
		assert_int_equal(status, 0);
		free(output);
		tried++;
	}
	assert_true(tried > 0);
}

/* ---- the file's structure ---- */

static void check_segments(const struct object *original, const struct object *copy,
			   const struct elf_layout *layout)
{
	size_t old_count, count;
	const Elf64_Phdr *old = object_segments(original, &old_count);
	const Elf64_Phdr *new = object_segments(copy, &count);
	const Elf64_Phdr *first = NULL, *last = NULL;

	const struct object_extent headers = elf_out_headers(layout);
	assert_int_equal(object_header(copy)->e_phoff,
			 layout->image_offset + headers.addr - layout->image_addr);
	assert_true(count * sizeof(Elf64_Phdr) <= headers.size);
	for (size_t i = 0; i < count; i++) {
		if (new[i].p_type == PT_PHDR) {
			assert_int_equal(new[i].p_vaddr, headers.addr);
			assert_int_equal(new[i].p_filesz, count * sizeof(Elf64_Phdr));
		}
		if (new[i].p_type != PT_LOAD)
			continue;
		assert_int_equal((new[i].p_offset - new[i].p_vaddr) % 0x1000, 0);
		if (!first)
			first = &new[i];
		assert_true(!last || new[i].p_vaddr >= last->p_vaddr + last->p_memsz);
		last = &new[i];
	}
	/* AT_PHDR of old kernels */
	assert_int_equal(layout->image_offset - first->p_offset,
			 layout->image_addr - first->p_vaddr);
	assert_int_equal(last->p_flags, PF_R | PF_X);
	assert_int_equal(last[-1].p_filesz, last[-1].p_memsz);
	assert_int_equal(last[-1].p_flags, PF_R | PF_W);
	assert_true(count >= old_count + 2);
	assert_int_equal(old[0].p_type, new[0].p_type);
}

/* The bytes of a section's last `size`. */
static const unsigned char *section_end(const struct object *object, const char *name, size_t size)
{
	const struct object_section *section = object_section_by_name(object, name);
	size_t file_size;
	const unsigned char *bytes = object_bytes(object, &file_size);

	assert_non_null(section);
	assert_true(section->header.sh_size >= size &&
		    section->header.sh_offset + section->header.sh_size <= file_size);
	return bytes + section->header.sh_offset + section->header.sh_size - size;
}

/* In memory it is the original's, in the section of its name another. */
static void check_build_id(const struct object *original, const struct object *copy)
{
	size_t size, copy_size;
	const unsigned char *id = object_build_id(original, &size);
	const unsigned char *copy_id = object_build_id(copy, &copy_size);

	assert_non_null(id);
	assert_int_equal(copy_size, size);
	assert_memory_equal(copy_id, id, size);
	assert_memory_equal(section_end(copy, ".tare.orig_note.gnu.build-id", size), id, size);
	const unsigned char *own = section_end(copy, ".note.gnu.build-id", size);
	assert_memory_not_equal(own, id, size);
	assert_memory_equal(own, id, size - 8);
	assert_int_equal(object_section_by_name(copy, ".note.gnu.build-id")->header.sh_flags, 0);
}

static void segments_sections_symbols(void **state)
{
	static const char *const paths[] = {"/bin/bash", "/usr/bin/python3.11",
					    "/lib/x86_64-linux-gnu/libc.so.6"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct fake_copies fake;
		struct error err;
		struct object *original = object_open(paths[i], OBJECT_ALL, &err);
		if (!original)
			continue;
		assert_true(fake_copies_build(original, &fake, &err));
		struct object *copy =
			object_open_bytes(fake.file.data, fake.file.len, "copy", OBJECT_ALL, &err);
		assert_non_null(copy);
		check_segments(original, copy, &fake.layout);
		check_build_id(original, copy);
		assert_non_null(object_section_by_name(copy, ".tare.orig_eh_frame"));
		assert_non_null(object_section_by_name(copy, ".tare.orig_eh_frame_hdr"));
		assert_int_equal(object_eh_frame(copy).addr,
				 object_section_by_name(copy, ".eh_frame")->header.sh_addr);
		size_t named = 0;
		vec_foreach (range, &fake.ranges) {
			const struct object_symbol *of =
				object_symbol_at(original, range->fde->begin);
			const struct object_symbol *is = object_symbol_at(copy, range->copy_begin);
			assert_true((of == NULL) == (is == NULL));
			if (!of)
				continue;
			assert_string_equal(is->name, of->name);
			assert_int_equal(is->bind, STB_LOCAL);
			named++;
		}
		assert_true(named > 0);
		object_close(copy);
		fake_copies_fini(&fake);
		object_close(original);
	}
}

struct small_pair {
	struct small_elf elf;
	struct object *object;
	struct byte_vec image, file;
	struct elf_out_input input;
};

static void small_open(struct small_pair *pair, const struct small_elf_options *options)
{
	struct error err;

	*pair = (struct small_pair){0};
	small_elf_build(&pair->elf, options);
	pair->object = object_open_bytes(pair->elf.bytes.data, pair->elf.bytes.len, "small",
					 OBJECT_ALL, &err);
	assert_non_null(pair->object);
	pair->input = (struct elf_out_input){
		.object = pair->object,
		.layout = elf_out_layout(pair->object, 1, 0),
		.identity = 1,
	};
	while (pair->image.len < pair->input.layout.headers_size)
		put_u8(&pair->image, 0);
}

static bool small_write(struct small_pair *pair, struct error *err)
{
	vec_fini(&pair->file);
	elf_out_begin(pair->object, &pair->input.layout, 0, &pair->file);
	put_bytes(&pair->file, pair->image.data, pair->image.len);
	pair->input.image_size = pair->image.len;
	return elf_out_write(&pair->input, &pair->file, err);
}

static void small_close(struct small_pair *pair)
{
	object_close(pair->object);
	small_elf_fini(&pair->elf);
	vec_fini(&pair->image);
	vec_fini(&pair->file);
}

static void patches_and_search_path(void **state)
{
	static const unsigned char jump[] = {0xe9, 1, 2, 3, 4};
	const struct elf_patch patches[] = {{SMALL_TEXT, jump, sizeof(jump)},
					    {SMALL_BETA, jump, sizeof(jump)}};
	const struct elf_patch outside = {0x100000, jump, sizeof(jump)};
	struct small_pair pair;
	struct error err;

	(void)state;
	small_open(&pair, &(struct small_elf_options){0});
	pair.input.patches = patches;
	pair.input.patch_count = 2;
	pair.input.runpath_addr = pair.input.layout.image_addr + pair.image.len;
	put_bytes(&pair.image, "/opt/small/lib", 15);
	if (!small_write(&pair, &err))
		fail_msg("%s", err.message);
	struct object *copy =
		object_open_bytes(pair.file.data, pair.file.len, "copy", OBJECT_ALL, &err);
	assert_non_null(copy);
	assert_memory_equal(object_at(copy, SMALL_TEXT, 5), jump, 5);
	assert_memory_equal(object_at(copy, SMALL_BETA, 5), jump, 5);
	assert_string_equal(object_runpath(copy), "/opt/small/lib");
	assert_string_equal(object_soname(copy), "libsmall.so");
	object_close(copy);
	pair.input.patches = &outside;
	pair.input.patch_count = 1;
	assert_false(small_write(&pair, &err));
	assert_true(strstr(err.message, "0x100000") != NULL);
	small_close(&pair);
}

/* What a file lacks is added, or stays absent. */
static void lacking_files(void **state)
{
	struct small_pair pair;
	struct error err;
	size_t count;

	(void)state;
	small_open(&pair, &(struct small_elf_options){.no_sections = true, .no_eh_header = true});
	const uint64_t note_addr = pair.input.layout.image_addr + pair.image.len;
	pair.input.note = (struct object_extent){note_addr, 16};
	pair.input.eh_frame_hdr = (struct object_extent){note_addr + 16, 8};
	for (unsigned i = 0; i < 24; i++)
		put_u8(&pair.image, 0);
	assert_true(small_write(&pair, &err));
	struct object *copy =
		object_open_bytes(pair.file.data, pair.file.len, "copy", OBJECT_ALL, &err);
	assert_non_null(copy);
	object_sections(copy, &count);
	assert_int_equal(count, 0);
	const Elf64_Phdr *segments = object_segments(copy, &count);
	size_t notes = 0, headers = 0;
	for (size_t i = 0; i < count; i++) {
		notes += segments[i].p_type == PT_NOTE && segments[i].p_vaddr == note_addr;
		headers += segments[i].p_type == PT_GNU_EH_FRAME &&
			   segments[i].p_vaddr == note_addr + 16;
	}
	assert_int_equal(notes, 1);
	assert_int_equal(headers, 1);
	object_close(copy);
	small_close(&pair);
}

/* An existing symbol table grows in its middle: local symbols come before global ones. */
static void symbols_join_a_symbol_table(void **state)
{
	struct small_elf elf;
	struct fake_copies fake;
	struct error err;
	size_t globals = 0, copies = 0;

	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){0});
	struct object *original =
		object_open_bytes(elf.bytes.data, elf.bytes.len, "small", OBJECT_ALL, &err);
	assert_true(fake_copies_build(original, &fake, &err));
	struct object *copy =
		object_open_bytes(fake.file.data, fake.file.len, "copy", OBJECT_ALL, &err);
	assert_non_null(copy);
	const Elf64_Shdr *table = &object_section_by_name(copy, ".symtab")->header;
	const Elf64_Shdr *strings = &object_section_by_name(copy, ".strtab")->header;
	for (size_t i = 1; i < table->sh_size / sizeof(Elf64_Sym); i++) {
		const unsigned char *at = fake.file.data + table->sh_offset;
		const Elf64_Sym *symbol = (const Elf64_Sym *)at + i;
		const char *name =
			(const char *)fake.file.data + strings->sh_offset + symbol->st_name;
		const bool local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
		assert_int_equal(local, i < table->sh_info);
		copies += local;
		globals += !local;
		if (symbol->st_value)
			assert_string_equal(object_symbol_at(copy, symbol->st_value)->name, name);
	}
	assert_int_equal(copies, 2);
	assert_int_equal(globals, 3);
	object_close(copy);
	fake_copies_fini(&fake);
	object_close(original);
	small_elf_fini(&elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_run_as_before),
		cmocka_unit_test(libraries_run_as_before),
		cmocka_unit_test(tools_find_nothing_wrong),
		cmocka_unit_test(segments_sections_symbols),
		cmocka_unit_test(patches_and_search_path),
		cmocka_unit_test(lacking_files),
		cmocka_unit_test(symbols_join_a_symbol_table),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
