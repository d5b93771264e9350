/*
 * Listed functions: kinds of instructions, where jumps lead, bytes, lines with what was inlined
 * there, the limit, and files that are not those of the recording.
 */
#include "analysis/listing.h"
#include "object/object.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

__asm__(".text\n"
	".globl listed_code\n"
	".type listed_code, @function\n"
	"listed_code:\n"
	"	.cfi_startproc\n"
	"1:	dec %edi\n"
	"	jnz 1b\n"
	"	jmp 2f\n"
	"	nop\n"
	"2:	call listed_helper\n"
	"	jmp *%rax\n"
	"	call *%rax\n"
	"	ud2\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size listed_code, .-listed_code\n"
	".globl listed_helper\n"
	".type listed_helper, @function\n"
	"listed_helper:\n"
	"	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size listed_helper, .-listed_helper\n");

enum { SIZE = 19 };

static int inlined_line, own_line;

static inline __attribute__((always_inline)) int inlined(volatile const int *value)
{
	inlined_line = __LINE__ + 1;
	return *value * *value;
}

int listed_lines(volatile const int *value);

__attribute__((noinline)) int listed_lines(volatile const int *value)
{
	own_line = __LINE__ + 1;
	return inlined(value) + 1;
}

static char directory[] = "test_listing.XXXXXX";
static char path[64], program[4096];
static struct profile *profile;
static struct analysis *analysis;
static struct listings listings;

static int make_directory(void **state)
{
	const volatile int value = 3;

	(void)state;
	const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (length < 0 || !mkdtemp(directory))
		return -1;
	program[length] = 0;
	snprintf(path, sizeof(path), "%s/p.tare", directory);
	return listed_lines(&value) == 10 ? 0 : -1;
}

static int remove_directory(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(directory, &err) ? 0 : -1;
}

static int close_all(void **state)
{
	(void)state;
	listings_fini(&listings);
	analysis_close(analysis);
	profile_close(profile);
	unlink(path);
	return 0;
}

static uint64_t address_of(const char *name, char *build_id)
{
	struct error err;
	struct object *object = object_open(program, OBJECT_SYMBOLS, &err);
	size_t count, size;

	assert_non_null(object);
	const struct object_symbol *symbols = object_symbols(object, &count);
	uint64_t found = 0;
	for (size_t i = 0; i < count; i++)
		if (strcmp(symbols[i].name, name) == 0)
			found = symbols[i].addr;
	const unsigned char *id = object_build_id(object, &size);
	for (size_t i = 0; id && i < size; i++)
		sprintf(build_id + 2 * i, "%02x", id[i]);
	object_close(object);
	assert_true(found != 0);
	return found;
}

/* The profile of this program, or of another build of it; functions 0 and 1 are those asked for. */
static void make(const char *other_build, size_t most)
{
	struct error err;
	char build_id[256] = "";
	const uint64_t code = address_of("listed_code", build_id);
	const uint64_t lines = address_of("listed_lines", build_id);
	struct profile_writer *writer = small_profile_open(path);
	small_thread(writer, small_process(writer, 1, "p"), 1, 0, 0);
	const struct profile_module module = {
		.name = "test", .path = program, .build_id = other_build ? other_build : build_id};
	const int64_t id = profile_add_module(writer, &module, &err);
	const struct profile_function first = {
		.module = id, .name = "listed_code", .link_addr = code, .size = SIZE};
	const struct profile_function second = {
		.module = id, .name = "listed_lines", .link_addr = lines};
	const struct analysis_options options = {0};
	const uint32_t functions[] = {0, 1};

	profile_add_function(writer, &first, &err);
	profile_add_function(writer, &second, &err);
	small_profile_commit(writer);
	profile = profile_open(path, &err);
	assert_non_null(profile);
	analysis = analysis_open(profile, &options, &err);
	assert_non_null(analysis);
	listings_make(analysis, functions, 2, most, &listings);
}

static void test_instructions(void **state)
{
	static const enum listing_kind kinds[] = {
		LISTING_PLAIN,	       LISTING_BRANCH, LISTING_JUMP,
		LISTING_PLAIN,	       LISTING_CALL,   LISTING_JUMP_INDIRECT,
		LISTING_CALL_INDIRECT, LISTING_STOP,   LISTING_RETURN};
	static const uint8_t begins[] = {0, 2, 4, 6, 7, 12, 14, 16, 18};

	(void)state;
	make(NULL, 1000);
	assert_int_equal(listings.functions.len, 2);
	const struct listing *listing = &listings.functions.data[0];
	const uint64_t begin = analysis->functions.data[0].link_addr;
	assert_int_equal(listing->function, 0);
	assert_true(listing->instructions.len >= TABLE_COUNT(kinds));
	for (size_t i = 0; i < TABLE_COUNT(kinds); i++) {
		assert_int_equal(listing->instructions.data[i].kind, kinds[i]);
		assert_int_equal(listing->instructions.data[i].link_addr, begin + begins[i]);
	}
	assert_int_equal(listing->instructions.data[1].target, begin);
	assert_int_equal(listing->instructions.data[2].target, begin + 7);
	assert_int_equal(listing->instructions.data[4].target, begin + 19);
	assert_int_equal(listing->instructions.data[5].target, 0);
	assert_memory_equal(listing->instructions.data[0].bytes, "\xff\xcf", 2);
	assert_int_equal(listing->instructions.data[0].length, 2);
	assert_ptr_equal(listing_at(listing, begin + 4), &listing->instructions.data[2]);
	assert_null(listing_at(listing, begin + 5));
	assert_null(listing_at(listing, begin + 1000));
}

static void test_lines(void **state)
{
	bool inlined_seen = false, own_seen = false;

	(void)state;
	make(NULL, 1000);
	const struct listing *listing = &listings.functions.data[1];
	vec_foreach (instruction, &listing->instructions) {
		if (instruction->place == ANALYSIS_NONE)
			continue;
		const struct listing_place *place = &listings.places.data[instruction->place];
		const struct listing_place *own = listing_outermost(&listings, instruction->place);
		assert_non_null(strstr(place->source, "test_listing.c"));
		assert_int_equal(own->outer, ANALYSIS_NONE);
		if (place->line == (uint32_t)inlined_line && place != own) {
			inlined_seen = true;
			assert_int_equal(own->line, own_line);
			assert_ptr_equal(&listings.places.data[place->outer], own);
		}
		own_seen = own_seen || (place == own && own->line == (uint32_t)own_line);
	}
	assert_true(inlined_seen);
	assert_true(own_seen);
}

static void test_limit(void **state)
{
	(void)state;
	/* The first one is listed whatever it has, and nothing beyond it. */
	make(NULL, 1);
	assert_int_equal(listings.functions.len, 1);
	assert_true(listings.functions.data[0].instructions.len > 1);
}

static void test_another_file(void **state)
{
	(void)state;
	make("0123", 1000);
	assert_int_equal(listings.functions.len, 2);
	assert_int_equal(listings.functions.data[0].instructions.len, 0);
	assert_int_equal(listings.places.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_instructions, close_all),
		cmocka_unit_test_teardown(test_lines, close_all),
		cmocka_unit_test_teardown(test_limit, close_all),
		cmocka_unit_test_teardown(test_another_file, close_all),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
