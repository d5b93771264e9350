/*
 * Where an address in a copy stands in the original: by the original's path and a link address, and
 * by a run address in a process, which is this one with the copy mapped. Requests that are no such
 * thing have no answer.
 */
#include "record/place_requests.h"

#include "cache/cache.h"
#include "cache/copy_code.h"
#include "cache/instrument.h"
#include "tests/support/own_directory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT_BYTES (1ULL << 30)

static const char *program;
static char base[] = "/tmp/tare-test-places-XXXXXX";
static struct cache cache;
static struct instrument_options options;
static struct instrumenter instrumenter;
static struct recording recording;
static struct places places;
/* Of the function main: in the original, and in the copy. */
static uint64_t main_addr, copy_addr;

static void require(bool ok, const struct error *err)
{
	if (!ok)
		fail_msg("%s", err->message);
}

/* One function's begin in both files, as the file itself and its copy's coverage tell. */
static void find_main(const struct instrumented *file)
{
	struct error err = {0};
	struct object *original = object_open(file->path, OBJECT_SYMBOLS, &err);
	struct object *copy = object_open(file->entry.copy, OBJECT_UNWIND, &err);
	struct coverage coverage = {0};
	struct copy_code code = {0};
	size_t count;

	require(original && copy, &err);
	const struct object_symbol *symbols = object_symbols(original, &count);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(symbols[i].name, "main"))
			main_addr = symbols[i].addr;
	char *text = cache_read_coverage(file->entry.directory, &err);
	require(text && coverage_parse(&coverage, text, &err), &err);
	copy_code_read(&code, copy, main_addr + 1, &coverage);
	vec_foreach (function, &code.functions)
		if (function->addr == main_addr)
			copy_addr = function->copy_addr;
	copy_code_fini(&code);
	coverage_fini(&coverage);
	object_close(original);
	object_close(copy);
	assert_true(main_addr && copy_addr > main_addr);
}

static int set_up(void **state)
{
	const struct instrument_request request = {.keep_small = true};
	struct error err = {0};
	char root[128];
	bool is_new;

	(void)state;
	assert_non_null(own_directory_make(base));
	snprintf(root, sizeof(root), "%s/cache", base);
	require(cache_open(&cache, root, LIMIT_BYTES, &err), &err);
	require(instrument_options_init(&options, &request, &err), &err);
	instrumenter_init(&instrumenter, &options, &cache);
	const struct instrumented *file = instrumenter_get(&instrumenter, program, &is_new, &err);
	require(file != NULL, &err);
	assert_non_null(file->entry.copy);
	recording = (struct recording){.fd = -1};
	vec_push(&recording.modules, ((struct recording_module){.path = file->path,
								.copy = file->entry.copy,
								.entry = file->entry.directory,
								.refusal = "",
								.stat = ""}));
	find_main(file);
	return 0;
}

static int tear_down(void **state)
{
	struct error ignored;

	(void)state;
	places_fini(&places);
	places = (struct places){0};
	vec_fini(&recording.modules);
	instrumenter_fini(&instrumenter);
	instrument_options_fini(&options);
	cache_close(&cache);
	directory_remove(base, &ignored);
	return 0;
}

/* The answer to a request of this process. */
static const char *ask(uint64_t addr, const char *path)
{
	char request[512];

	snprintf(request, sizeof(request), "/%016" PRIx64 "%s", addr, path);
	return places_find(&places, &recording, getpid(), request);
}

static void assert_answer(const char *answer, uint64_t addr)
{
	char expected[32];

	snprintf(expected, sizeof(expected), "/%016" PRIx64, addr);
	assert_non_null(answer);
	assert_string_equal(answer, expected);
}

/* ---- link addresses ---- */

static void test_address_in_a_file(void **state)
{
	char link[128];

	(void)state;
	assert_answer(ask(copy_addr, recording.modules.data[0].path), main_addr);
	assert_answer(ask(copy_addr + 1, recording.modules.data[0].path), main_addr);
	/* What is no copied code has no place elsewhere. */
	assert_null(ask(main_addr, recording.modules.data[0].path));
	assert_null(ask(0, recording.modules.data[0].path));
	assert_null(ask(UINT64_MAX, recording.modules.data[0].path));
	/* A path with links is the same file; others are none of the recording's. */
	snprintf(link, sizeof(link), "%s/link", base);
	assert_int_equal(symlink(recording.modules.data[0].path, link), 0);
	assert_answer(ask(copy_addr, link), main_addr);
	assert_null(ask(copy_addr, "/bin/true"));
	assert_null(ask(copy_addr, "/nowhere/of/all"));
	assert_int_equal(places.files.len, 1);
}

static void test_files_without_a_copy(void **state)
{
	(void)state;
	recording.modules.data[0].copy = "";
	assert_null(ask(copy_addr, recording.modules.data[0].path));
	recording.modules.data[0].copy = "/nowhere/of/all";
	assert_null(ask(copy_addr, recording.modules.data[0].path));
}

/* ---- run addresses ---- */

/* Maps the part of a file with the copy's main; the bias of that. */
static uint64_t map_part(const char *path, void **mapped, size_t *size)
{
	struct error err = {0};
	struct object *copy = object_open(path, 0, &err);
	size_t count;
	uint64_t bias = 0;

	require(copy != NULL, &err);
	const Elf64_Phdr *segments = object_segments(copy, &count);
	for (size_t i = 0; i < count; i++) {
		const uint64_t within = copy_addr - segments[i].p_vaddr;
		const uint64_t page = segments[i].p_offset % 4096;
		if (segments[i].p_type != PT_LOAD || within >= segments[i].p_filesz)
			continue;
		const int fd = open(path, O_RDONLY | O_CLOEXEC);
		*size = segments[i].p_filesz + page;
		*mapped = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd,
			       (off_t)(segments[i].p_offset - page));
		assert_true(*mapped != MAP_FAILED);
		close(fd);
		bias = (uint64_t)*mapped + page - segments[i].p_vaddr;
	}
	object_close(copy);
	assert_true(bias != 0);
	return bias;
}

static void test_address_in_a_process(void **state)
{
	void *mapped = NULL;
	size_t size = 0;

	(void)state;
	const uint64_t bias = map_part(recording.modules.data[0].copy, &mapped, &size);
	assert_answer(ask(bias + copy_addr, ""), bias + main_addr);
	assert_null(ask((uint64_t)mapped - 1, ""));
	assert_null(ask((uint64_t)&places, ""));
	assert_null(ask((uint64_t)(uintptr_t)&ask, ""));
	assert_null(ask(1, ""));
	/* Another process has no such mapping. */
	char request[32];
	snprintf(request, sizeof(request), "/%016" PRIx64, bias + copy_addr);
	assert_null(places_find(&places, &recording, 1, request));
	munmap(mapped, size);
	assert_null(ask(bias + copy_addr, ""));
}

/* The same bytes in a file that is not the recording's. */
static void test_another_file_with_the_same_bytes(void **state)
{
	char command[512], path[128];
	void *mapped = NULL;
	size_t size = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/same", base);
	snprintf(command, sizeof(command), "cp %s %s", recording.modules.data[0].copy, path);
	assert_int_equal(system(command), 0);
	const uint64_t bias = map_part(path, &mapped, &size);
	assert_null(ask(bias + copy_addr, ""));
	munmap(mapped, size);
}

/* ---- requests ---- */

static void test_no_requests(void **state)
{
	static const char *const formats[] = {"%016" PRIx64 "%s",   "/%015" PRIx64 "%s",
					      "/%015" PRIx64 "g%s", "/-%015" PRIx64 "%s",
					      "/ %015" PRIx64 "%s", "/+%015" PRIx64 "%s"};
	char request[512];

	(void)state;
	for (size_t i = 0; i < TABLE_COUNT(formats); i++) {
		snprintf(request, sizeof(request), formats[i], copy_addr,
			 recording.modules.data[0].path);
		assert_null(places_find(&places, &recording, getpid(), request));
	}
	snprintf(request, sizeof(request), "/%016" PRIX64 "%s", copy_addr | 0xa000000000000000,
		 recording.modules.data[0].path);
	assert_null(places_find(&places, &recording, getpid(), request));
	assert_null(places_find(&places, &recording, getpid(), ""));
	assert_null(places_find(&places, &recording, getpid(), "/"));
	assert_null(places_find(&places, &recording, getpid(), "/0"));
}

int main(int argc, char **argv)
{
#define PLACES_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		PLACES_TEST(test_address_in_a_file),
		PLACES_TEST(test_files_without_a_copy),
		PLACES_TEST(test_address_in_a_process),
		PLACES_TEST(test_another_file_with_the_same_bytes),
		PLACES_TEST(test_no_requests),
	};

	if (argc < 2)
		return 2;
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
