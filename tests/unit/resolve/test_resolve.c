/*
 * Keys to functions: PLT stubs to the library that defines their symbol, addresses of libraries
 * that were unloaded, copies to originals, the same function in several processes. The test's own
 * executable and C library stand for the modules.
 */
#include "resolve/resolve.h"

#include "cache/stat_index.h"
#include "tests/support/own_directory.h"

#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/tare-test-resolve-XXXXXX";
static char own_path[512], library_path[512];
static struct recording recording;
static struct profile_writer *writer;
static struct resolver resolver;
static struct profile *profile;

static int find_library(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	if (str_starts_with(path_basename(info->dlpi_name), "libc.so"))
		snprintf(library_path, sizeof(library_path), "%s", info->dlpi_name);
	return 0;
}

static int set_up(void **state)
{
	struct error err;
	struct str path = {0};

	(void)state;
	const ssize_t length = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);
	if (length <= 0)
		return -1;
	own_path[length] = 0;
	dl_iterate_phdr(find_library, NULL);
	char *real = realpath(library_path, NULL);
	snprintf(library_path, sizeof(library_path), "%s", real ? real : "");
	free(real);
	if (!*library_path || !own_directory_make(directory))
		return -1;
	str_printf(&path, "%s/out.tare", directory);
	writer = profile_writer_open(path.data, false, &err);
	str_fini(&path);
	recording = (struct recording){.fd = -1};
	arena_init(&recording.arena);
	resolver_init(&resolver, &recording, writer);
	return writer ? 0 : -1;
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	profile_close(profile);
	profile = NULL;
	resolver_fini(&resolver);
	recording_fini(&recording);
	return directory_remove(directory, &err) ? 0 : -1;
}

/* Ends the writing and opens the profile. */
static void finish(void)
{
	struct error err = {0};
	struct str path = {0};
	const struct profile_session row = {.ticks_per_second = 1e9};

	str_printf(&path, "%s/out.tare", directory);
	assert_true(profile_write_session(writer, &row, &err));
	if (!profile_writer_commit(writer, &err))
		fail_msg("%s", err.message);
	profile = profile_open(path.data, &err);
	if (!profile)
		fail_msg("%s", err.message);
	str_fini(&path);
}

struct loaded {
	const char *path;
	uint64_t bias, open_ticks, close_ticks;
};

static struct resolve_process make_process(const struct loaded *modules, size_t count)
{
	struct process_file arena = {0};
	struct resolve_process process;
	struct error err = {0};

	for (size_t i = 0; i < count; i++) {
		const struct process_file_module module = {
			.path = (char *)modules[i].path,
			.bias = modules[i].bias,
			.open_ticks = modules[i].open_ticks,
			.close_ticks = modules[i].close_ticks,
			.ordinal = i + 1,
		};
		vec_push(&arena.modules, module);
	}
	if (!resolve_process_init(&resolver, &process, &arena, &err))
		fail_msg("%s", err.message);
	vec_fini(&arena.modules);
	return process;
}

/* As a thread sees it that lived from begin to end and took note of the first `seen` modules. */
static int64_t resolve_seen(struct resolve_process *process, uint64_t key,
			    const uint64_t life_ticks[2], uint64_t seen)
{
	const struct resolve_time time = {life_ticks[0], life_ticks[1], seen};
	struct resolve_target target;
	struct error err = {0};

	if (!resolve_key(&resolver, process, key, &time, &target, &err))
		fail_msg("%s", err.message);
	return target.function;
}

static int64_t resolve(struct resolve_process *process, uint64_t key, uint64_t begin, uint64_t end)
{
	return resolve_seen(process, key, (const uint64_t[]){begin, end}, UINT64_MAX);
}

/* The link address of a PLT stub or GOT slot of this program for the symbol. */
static uint64_t plt_address(const char *symbol)
{
	struct error err;
	size_t count;
	uint64_t found = 0;
	struct object *object = object_open(own_path, OBJECT_SYMBOLS, &err);

	assert_non_null(object);
	const struct object_section *sections = object_sections(object, &count);
	for (size_t i = 0; i < count && !found; i++) {
		const Elf64_Shdr *header = &sections[i].header;
		if (!str_starts_with(sections[i].name, ".plt") &&
		    !str_starts_with(sections[i].name, ".got"))
			continue;
		for (uint64_t at = header->sh_addr; at < header->sh_addr + header->sh_size;
		     at += 8) {
			const char *name = object_plt_symbol(object, at);
			if (name && !strcmp(name, symbol)) {
				found = at;
				break;
			}
		}
	}
	object_close(object);
	return found;
}

enum { OWN_BIAS = 0x10000000, VDSO_BIAS = 0x30000000, LIBRARY_BIAS = 0x40000000 };

static void expect(int64_t function, const char *name, const char *path)
{
	size_t count;
	const struct profile_function *functions = profile_functions(profile, &count);
	const struct profile_module *modules = profile_modules(profile, &count);

	assert_string_equal(functions[function - 1].name, name);
	assert_string_equal(modules[functions[function - 1].module - 1].name, path_basename(path));
}

static void test_plt_goes_to_the_library(void **state)
{
	const uint64_t stub = plt_address("readlink");
	const struct loaded both[] = {{own_path, OWN_BIAS, 1, UINT64_MAX},
				      {library_path, LIBRARY_BIAS, 2, UINT64_MAX}};

	(void)state;
	assert_int_not_equal(stub, 0);
	struct resolve_process process = make_process(both, 2), alone = make_process(both, 1);
	const int64_t found = resolve(&process, OWN_BIAS + stub, 10, 20);
	const int64_t missing = resolve(&alone, OWN_BIAS + stub, 10, 20);
	assert_int_equal(resolve(&process, OWN_BIAS + stub, 10, 20), found);
	assert_int_not_equal(found, missing);
	finish();
	expect(found, "readlink", library_path);
	expect(missing, "readlink@plt", own_path);
	resolve_process_fini(&process);
	resolve_process_fini(&alone);
}

/* The vDSO defines clock_gettime too, and stands before libc, but nothing is bound to it. */
static void test_plt_never_goes_to_the_vdso(void **state)
{
	struct timespec now;
	const uint64_t stub = plt_address("clock_gettime");
	const struct loaded modules[] = {{own_path, OWN_BIAS, 1, UINT64_MAX},
					 {"linux-vdso.so.1", VDSO_BIAS, 2, UINT64_MAX},
					 {library_path, LIBRARY_BIAS, 3, UINT64_MAX}};

	(void)state;
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	assert_int_not_equal(stub, 0);
	struct resolve_process process = make_process(modules, 3);
	const int64_t found = resolve(&process, OWN_BIAS + stub, 10, 20);
	finish();
	expect(found, "clock_gettime", library_path);
	resolve_process_fini(&process);
}

static uint64_t symbol_address(const char *path, const char *name)
{
	struct error err;
	struct object *object = object_open(path, OBJECT_SYMBOLS, &err);

	assert_non_null(object);
	const uint64_t addr = object_dynamic_symbol(object, name);
	object_close(object);
	return addr;
}

static void test_processes_share_functions(void **state)
{
	const struct loaded here = {library_path, LIBRARY_BIAS, 1, UINT64_MAX},
			    there = {library_path, 2 * (uint64_t)LIBRARY_BIAS, 1, UINT64_MAX};
	const uint64_t addr = symbol_address(library_path, "qsort");

	(void)state;
	struct resolve_process first = make_process(&here, 1), second = make_process(&there, 1);
	const int64_t function = resolve(&first, here.bias + addr, 1, 0);
	assert_int_equal(resolve(&second, there.bias + addr, 1, 0), function);
	finish();
	expect(function, "qsort", library_path);
	size_t count;
	profile_modules(profile, &count);
	assert_int_equal(count, 1);
	resolve_process_fini(&first);
	resolve_process_fini(&second);
}

static void test_what_was_seen_decides_between_modules_of_one_place(void **state)
{
	/* The library was there first, then the program came to the same place. */
	const struct loaded modules[] = {{library_path, OWN_BIAS, 100, 200},
					 {own_path, OWN_BIAS, 300, UINT64_MAX}};
	const uint64_t addr = plt_address("readlink");

	(void)state;
	struct resolve_process process = make_process(modules, 2);
	const uint64_t always[2] = {110, 0}, of_first = 1ULL << TARE_KEY_ORDINAL_SHIFT;
	const int64_t early = resolve_seen(&process, OWN_BIAS + addr, always, 1);
	const int64_t numbered = resolve_seen(&process, (OWN_BIAS + addr) | of_first, always, 2);
	const int64_t late = resolve(&process, OWN_BIAS + addr, 310, 0);
	finish();
	assert_int_equal(numbered, early);
	size_t count;
	const struct profile_function *functions = profile_functions(profile, &count);
	const struct profile_module *rows = profile_modules(profile, &count);
	assert_string_equal(rows[functions[early - 1].module - 1].path, library_path);
	assert_int_equal(functions[early - 1].link_addr, addr);
	/* The program's stub, at a time when the library that defines its symbol was gone. */
	assert_string_equal(functions[late - 1].name, "readlink@plt");
	resolve_process_fini(&process);
}

static void test_copies_are_their_originals(void **state)
{
	const struct recording_module known = {.path = library_path,
					       .copy = "/nonexistent/copy.so",
					       .entry = "",
					       .refusal = "",
					       .stat = ""};
	const struct loaded modules[] = {{"/nonexistent/copy.so", LIBRARY_BIAS, 1, UINT64_MAX},
					 {"/nonexistent/other.so", OWN_BIAS, 1, UINT64_MAX}};
	const uint64_t addr = symbol_address(library_path, "qsort");

	(void)state;
	vec_push(&recording.modules, known);
	struct resolve_process process = make_process(modules, 2);
	const int64_t function = resolve(&process, LIBRARY_BIAS + addr, 1, 0);
	const int64_t unknown = resolve(&process, OWN_BIAS + 0x1000, 1, 0);
	finish();
	expect(function, "qsort", library_path);
	expect(unknown, "", "[unknown]");
	size_t count;
	const struct profile_module *rows = profile_modules(profile, &count);
	assert_string_equal(rows[0].path, library_path);
	assert_true(rows[0].instrumented);
	assert_true(rows[0].system);
	assert_string_equal(rows[1].name, "other.so");
	resolve_process_fini(&process);
}

/* Name of the library's qsort where the library is the copy of this program, whose stat is given.
 */
static int64_t resolve_in_copy(const char *stat_text)
{
	const struct recording_module known = {.path = own_path,
					       .copy = library_path,
					       .entry = "",
					       .refusal = "",
					       .stat = stat_text};
	const struct loaded copy = {library_path, LIBRARY_BIAS, 1, UINT64_MAX};

	vec_push(&recording.modules, known);
	struct resolve_process process = make_process(&copy, 1);
	const int64_t function =
		resolve(&process, LIBRARY_BIAS + symbol_address(library_path, "qsort"), 1, 0);
	resolve_process_fini(&process);
	finish();
	return function;
}

static void test_a_changed_original_is_not_read(void **state)
{
	(void)state;
	expect(resolve_in_copy("of a file that was updated since"), "qsort", own_path);
}

static void test_an_unchanged_original_is_read(void **state)
{
	struct stat info;
	struct str text = {0};
	size_t count;

	(void)state;
	assert_int_equal(stat(own_path, &info), 0);
	cache_stat_text(&info, &text);
	const int64_t function = resolve_in_copy(text.data);
	const struct profile_function *functions = profile_functions(profile, &count);
	assert_string_not_equal(functions[function - 1].name, "qsort");
	str_fini(&text);
}

/* ---- any address, as samples have them ---- */

static int64_t covering(const char *path, uint64_t link_addr)
{
	struct error err = {0};
	struct resolve_module *module = resolver_module(&resolver, path, &err);
	const int64_t function =
		module ? resolver_function_covering(&resolver, module, link_addr, &err) : 0;

	if (!function)
		fail_msg("%s", err.message);
	return function;
}

static void test_addresses_inside_functions(void **state)
{
	const uint64_t addr = symbol_address(library_path, "qsort");
	const uint64_t stub = plt_address("readlink") & ~7ULL;

	(void)state;
	const int64_t function = covering(library_path, addr + 1);
	assert_int_equal(covering(library_path, addr), function);
	const int64_t in_stub = covering(own_path, stub + 5);
	const int64_t beyond = covering(library_path, 1ULL << 40);
	const int64_t nowhere = covering(RESOLVE_UNKNOWN_PATH, 0x1234);
	finish();
	expect(function, "qsort", library_path);
	expect(in_stub, "readlink@plt", own_path);
	expect(beyond, "[unknown]", library_path);
	expect(nowhere, "[unknown]", RESOLVE_UNKNOWN_PATH);
}

/* Every address of the program's code has a function whose extent it does not precede. */
static void test_all_code_belongs_to_a_function(void **state)
{
	struct error err = {0};
	size_t count;
	struct resolve_module *module = resolver_module(&resolver, own_path, &err);
	const Elf64_Phdr *segments = object_segments(module->object, &count);
	struct {
		uint64_t addr;
		int64_t function;
	} seen[64];
	size_t seen_count = 0;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		if (segments[i].p_type != PT_LOAD || !(segments[i].p_flags & PF_X))
			continue;
		for (size_t k = 0; k < 64; k++) {
			seen[k].addr = segments[i].p_vaddr + k * (segments[i].p_filesz / 64);
			seen[k].function = covering(own_path, seen[k].addr);
		}
		seen_count = 64;
	}
	finish();
	assert_int_equal(seen_count, 64);
	const struct profile_function *functions = profile_functions(profile, &count);
	for (size_t k = 0; k < seen_count; k++) {
		const struct profile_function *function = &functions[seen[k].function - 1];
		assert_true(function->link_addr && function->link_addr <= seen[k].addr);
		assert_true(!function->size || seen[k].addr - function->link_addr < function->size);
	}
}

static void test_kernel_addresses(void **state)
{
	(void)state;
	kernel_symbols_parse(&resolver.kernel, "ffffffff81000000 T _text\n"
					       "0000000000000010 T percpu\n"
					       "ffffffff81000000 T first\n"
					       "ffffffff81000100 t second\n"
					       "ffffffff81000100 t second_alias\n"
					       "ffffffff81000180 D data\n"
					       "ffffffff81000200 T third\n"
					       "not a line\n"
					       "ffffffffc0000000 t fourth\t[ext4]");
	resolver.kernel_is_read = true;
	const int64_t second = covering(RESOLVE_KERNEL_PATH, 0xffffffff810001ff);
	const int64_t third = covering(RESOLVE_KERNEL_PATH, 0xffffffff81000200);
	const int64_t fourth = covering(RESOLVE_KERNEL_PATH, 0xffffffffc0000010);
	const int64_t below = covering(RESOLVE_KERNEL_PATH, 0xffffffff80ffffff);
	finish();
	expect(second, "second", "[kernel]");
	expect(third, "third", "[kernel]");
	expect(fourth, "fourth", "[ext4]");
	expect(below, "[unknown]", "[kernel]");
	size_t count;
	assert_int_equal(profile_functions(profile, &count)[second - 1].size, 0x100);
}

__attribute__((noinline)) static long runs_elsewhere(long value)
{
	return value * 3;
}

/* Of this test's executable, at a run address of its own. */
static struct tare_mapped_record map_again(uint64_t link_addr, uint64_t begin)
{
	struct error err;
	struct stat info;
	size_t count;
	struct object *object = object_open(own_path, 0, &err);
	struct tare_mapped_record record = {.ticks = 5, .begin = begin, .end = begin + 0x1000};

	assert_non_null(object);
	assert_int_equal(stat(own_path, &info), 0);
	record.device = info.st_dev;
	record.inode = info.st_ino;
	const Elf64_Phdr *segments = object_segments(object, &count);
	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD &&
		    link_addr - segments[i].p_vaddr < segments[i].p_filesz)
			record.offset = segments[i].p_offset + (link_addr - segments[i].p_vaddr);
	object_close(object);
	return record;
}

static int find_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the executable is first */
}

static void test_code_that_is_mapped_again(void **state)
{
	enum { PAGE = 0x1000 };
	const uint64_t again = 0x70000000;
	struct process_file arena = {0};
	struct resolve_process process;
	struct error err = {0};
	uint64_t bias = 0;

	(void)state;
	dl_iterate_phdr(find_bias, &bias);
	const uint64_t link_addr = (uint64_t)(uintptr_t)runs_elsewhere - bias;
	const struct process_file_module module = {
		.path = own_path, .bias = OWN_BIAS, .close_ticks = UINT64_MAX, .ordinal = 1};
	struct tare_mapped_record strange = map_again(link_addr, again + PAGE);
	strange.inode++;
	vec_push(&arena.modules, module);
	vec_push(&arena.mapped, map_again(link_addr, again));
	vec_push(&arena.mapped, strange);
	assert_true(resolve_process_init(&resolver, &process, &arena, &err));
	assert_int_equal(process.mapped.len, 1);
	assert_null(resolve_mapped_at(&process, again, 4));
	assert_non_null(resolve_mapped_at(&process, again, 5));
	assert_non_null(resolve_mapped_at(&process, again + PAGE - 1, 5));
	assert_null(resolve_mapped_at(&process, again + PAGE, 5));
	const int64_t found = resolve(&process, again, 10, 20);
	const int64_t original = resolve(&process, OWN_BIAS + link_addr, 10, 20);
	assert_int_equal(found, original);
	finish();
	expect(found, "runs_elsewhere", own_path);
	vec_fini(&arena.modules);
	vec_fini(&arena.mapped);
	resolve_process_fini(&process);
}

int main(void)
{
#define RESOLVE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		RESOLVE_TEST(test_plt_goes_to_the_library),
		RESOLVE_TEST(test_plt_never_goes_to_the_vdso),
		RESOLVE_TEST(test_processes_share_functions),
		RESOLVE_TEST(test_what_was_seen_decides_between_modules_of_one_place),
		RESOLVE_TEST(test_copies_are_their_originals),
		RESOLVE_TEST(test_a_changed_original_is_not_read),
		RESOLVE_TEST(test_an_unchanged_original_is_read),
		RESOLVE_TEST(test_addresses_inside_functions),
		RESOLVE_TEST(test_all_code_belongs_to_a_function),
		RESOLVE_TEST(test_kernel_addresses),
		RESOLVE_TEST(test_code_that_is_mapped_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
