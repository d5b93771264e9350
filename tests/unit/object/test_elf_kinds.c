/* What kind of file an ELF file is, and whose its notes are: by headers that are changed here. */
#include "abi/module.h"
#include "object/object.h"
#include "tests/support/small_elf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Segments of the small file, in its order. */
enum { LOAD, DYNAMIC, NOTE, EH_FRAME, STACK };

static struct small_elf elf;
static struct object *object;

static int set_up(void **state)
{
	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){.no_sections = true});
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	object_close(object);
	object = NULL;
	small_elf_fini(&elf);
	return 0;
}

/* Adds bytes to the mapped ones, and says that they are what the segment covers. */
static uint64_t put_segment(unsigned number, uint32_t type, const void *bytes, size_t size)
{
	Elf64_Phdr headers[STACK + 1];

	put_align(&elf.bytes, 8, 0);
	const uint64_t offset = elf.bytes.len;
	put_bytes(&elf.bytes, bytes, size);
	memcpy(headers, elf.bytes.data + sizeof(Elf64_Ehdr), sizeof(headers));
	headers[LOAD].p_filesz = headers[LOAD].p_memsz = elf.bytes.len;
	headers[number].p_type = type;
	headers[number].p_offset = headers[number].p_vaddr = offset;
	headers[number].p_filesz = headers[number].p_memsz = size;
	memcpy(elf.bytes.data + sizeof(Elf64_Ehdr), headers, sizeof(headers));
	return offset;
}

/* Another entry in the place of one of the dynamic section. */
static void replace_dynamic(int64_t tag, Elf64_Dyn entry)
{
	for (uint64_t at = elf.dynamic;; at += sizeof(entry)) {
		Elf64_Dyn here;
		memcpy(&here, elf.bytes.data + at, sizeof(here));
		assert_int_not_equal(here.d_tag, DT_NULL);
		if (here.d_tag != tag)
			continue;
		memcpy(elf.bytes.data + at, &entry, sizeof(entry));
		return;
	}
}

static void open_file(void)
{
	struct error err = {0};

	object = object_open_bytes(elf.bytes.data, elf.bytes.len, "small", OBJECT_ALL, &err);
	if (!object)
		fail_msg("%s", err.message);
}

/* ---- kinds ---- */

struct kind_case {
	bool has_interpreter, has_name, is_marked; /* as PIE */
	enum object_kind kind;
};

/* Old linkers did not mark programs, and some libraries can be run. */
static void test_kinds(void **state)
{
	static const struct kind_case all[] = {
		{false, true, false, OBJECT_LIBRARY},
		{false, false, false, OBJECT_LIBRARY},
		{true, true, false, OBJECT_LIBRARY},
		{true, false, false, OBJECT_PIE},
		{true, false, true, OBJECT_PIE},
		{false, false, true, OBJECT_STATIC_EXECUTABLE},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		static const char loader[] = "/lib64/ld-linux-x86-64.so.2";
		if (i)
			set_up(state);
		if (all[i].has_interpreter)
			put_segment(STACK, PT_INTERP, loader, sizeof(loader));
		if (!all[i].has_name)
			replace_dynamic(DT_SONAME, (Elf64_Dyn){.d_tag = DT_DEBUG});
		if (all[i].is_marked)
			replace_dynamic(DT_RUNPATH,
					(Elf64_Dyn){.d_tag = DT_FLAGS_1, .d_un.d_val = DF_1_PIE});
		open_file();
		assert_int_equal(object_kind(object), all[i].kind);
		tear_down(state);
	}
}

/* ---- notes ---- */

/* Where the descriptor is that the file takes for tare's, and where it was put. */
static uint64_t note_found(const char *name, uint32_t type, uint32_t desc_bytes, uint64_t *put)
{
	struct {
		uint32_t name_bytes, desc_bytes, type;
		char name[8];
		unsigned char desc[sizeof(struct tare_module)];
	} __attribute__((packed))
	note = {.name_bytes = sizeof(TARE_NOTE_NAME), .desc_bytes = desc_bytes, .type = type};

	memcpy(note.name, name, sizeof(TARE_NOTE_NAME));
	*put = put_segment(NOTE, PT_NOTE, &note, sizeof(note)) + offsetof(__typeof__(note), desc);
	open_file();
	return object_tare_note(object);
}

static void test_own_note(void **state)
{
	uint64_t put;
	const uint64_t found =
		note_found(TARE_NOTE_NAME, TARE_NOTE_MODULE, sizeof(struct tare_module), &put);

	(void)state;
	assert_int_equal(found, put);
}

static void test_note_of_another_owner(void **state)
{
	uint64_t put;

	(void)state;
	assert_int_equal(note_found("Tare", TARE_NOTE_MODULE, sizeof(struct tare_module), &put), 0);
}

static void test_note_of_another_type(void **state)
{
	uint64_t put;

	(void)state;
	assert_int_equal(
		note_found(TARE_NOTE_NAME, TARE_NOTE_MODULE + 1, sizeof(struct tare_module), &put),
		0);
}

static void test_note_that_is_too_short(void **state)
{
	uint64_t put;

	(void)state;
	assert_int_equal(
		note_found(TARE_NOTE_NAME, TARE_NOTE_MODULE, sizeof(struct tare_module) - 4, &put),
		0);
}

int main(void)
{
#define ON_A_FILE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ON_A_FILE(test_kinds),
		ON_A_FILE(test_own_note),
		ON_A_FILE(test_note_of_another_owner),
		ON_A_FILE(test_note_of_another_type),
		ON_A_FILE(test_note_that_is_too_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
