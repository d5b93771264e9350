/*
 * Companions: what is read of them, what is refused, and how they lie in the files that take them
 * along. Arguments: a companion with data and a relocation, one without relocations, a program at
 * fixed addresses.
 */
#include "rewrite/companion.h"
#include "rewrite/rewrite.h"

#include <elfutils/libdw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *full_path, *plain_path, *fixed_program;

static struct object *must_open(const char *path)
{
	struct error err;
	struct object *object = object_open(path, OBJECT_ALL, &err);

	if (!object)
		fail_msg("%s", err.message);
	return object;
}

/* ---- reading ---- */

static uint64_t word_at(const struct byte_vec *bytes, uint64_t place)
{
	uint64_t word;

	assert_true(place + sizeof(word) <= bytes->len);
	memcpy(&word, bytes->data + place, sizeof(word));
	return word;
}

static void is_read(void **state)
{
	struct companion companion;
	struct error err;
	uint64_t next, pointer;
	struct object *object = must_open(full_path);

	(void)state;
	assert_true(companion_init(&companion, object, &err));
	assert_true(companion_symbol(&companion, "companion_next", &next));
	assert_false(companion_symbol(&companion, "companion_none", &pointer));
	assert_true(companion_symbol(&companion, "companion_pointer", &pointer));
	assert_true(next < companion.code_size);
	assert_true(pointer >= companion.code_size);
	assert_int_equal(companion.code_size % 0x1000, 0);
	assert_memory_equal(companion.bytes.data + next, object_at(object, next, 16), 16);
	assert_int_equal(companion.relocations.len, 1);
	assert_int_equal(companion.relocations.data[0], pointer);
	const uint64_t target = word_at(&companion.bytes, pointer);
	assert_true(target >= companion.bytes.len && target < companion.memory_size);
	companion_place(&companion, 0x700000, true);
	assert_int_equal(word_at(&companion.bytes, pointer), 0x700000 + target);
	companion_fini(&companion);
	object_close(object);
}

static void none_is_empty(void **state)
{
	struct companion companion;
	struct error err;

	(void)state;
	assert_true(companion_init(&companion, NULL, &err));
	assert_int_equal(companion.memory_size, 0);
	companion_fini(&companion);
}

/* ---- refusals ---- */

struct damage {
	const char *message;
	uint32_t segment_type; /* PT_*: the last segment of the type and flags */
	uint32_t segment_flags;
	void (*change)(Elf64_Phdr *segment, unsigned char *file);
};

static void make_writable(Elf64_Phdr *segment, unsigned char *file)
{
	(void)file;
	segment->p_flags |= PF_W;
}

static void make_huge(Elf64_Phdr *segment, unsigned char *file)
{
	(void)file;
	segment->p_memsz = UINT64_C(1) << 27;
}

static void make_needy(Elf64_Phdr *segment, unsigned char *file)
{
	(void)file;
	segment->p_type = PT_TLS;
}

static void set_first_tag(Elf64_Phdr *segment, unsigned char *file, int64_t tag)
{
	memcpy(file + segment->p_offset, &tag, sizeof(tag));
}

static void add_needed(Elf64_Phdr *segment, unsigned char *file)
{
	set_first_tag(segment, file, DT_NEEDED);
}

static void add_imports(Elf64_Phdr *segment, unsigned char *file)
{
	set_first_tag(segment, file, DT_JMPREL);
}

static void add_constructor(Elf64_Phdr *segment, unsigned char *file)
{
	set_first_tag(segment, file, DT_INIT_ARRAY);
}

/* The relocation's fields: place, kind, addend. */
static void set_relocation(Elf64_Phdr *segment, unsigned char *file, size_t field, uint64_t value)
{
	for (uint64_t at = segment->p_offset;; at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;
		memcpy(&entry, file + at, sizeof(entry));
		assert_int_not_equal(entry.d_tag, DT_NULL);
		/* Its address is its place in the file: it lies in the first segment. */
		if (entry.d_tag == DT_RELA) {
			memcpy(file + entry.d_un.d_ptr + 8 * field, &value, sizeof(value));
			return;
		}
	}
}

static void relocate_code(Elf64_Phdr *segment, unsigned char *file)
{
	set_relocation(segment, file, 0, 0x1000);
}

static void relocate_beyond(Elf64_Phdr *segment, unsigned char *file)
{
	set_relocation(segment, file, 0, UINT64_MAX - 7);
}

static void relocate_otherwise(Elf64_Phdr *segment, unsigned char *file)
{
	set_relocation(segment, file, 1, R_X86_64_64);
}

static void relocate_to_elsewhere(Elf64_Phdr *segment, unsigned char *file)
{
	set_relocation(segment, file, 2, UINT64_C(1) << 40);
}

static void make_executable(Elf64_Phdr *segment, unsigned char *file)
{
	Elf64_Ehdr header;

	(void)segment;
	memcpy(&header, file, sizeof(header));
	header.e_type = ET_EXEC;
	memcpy(file, &header, sizeof(header));
}

static void check_damage(const struct damage *damage)
{
	struct companion companion;
	struct error err;
	size_t size, count;
	struct object *whole = must_open(full_path);
	const unsigned char *bytes = object_bytes(whole, &size);
	unsigned char *copy = mem_alloc(size);
	const Elf64_Phdr *segments = object_segments(whole, &count);
	size_t chosen = count;

	memcpy(copy, bytes, size);
	for (size_t i = 0; i < count; i++) {
		if (segments[i].p_type == damage->segment_type &&
		    (segments[i].p_flags & damage->segment_flags) == damage->segment_flags)
			chosen = i;
	}
	assert_true(chosen < count);
	Elf64_Phdr segment = segments[chosen];
	damage->change(&segment, copy);
	memcpy(copy + object_header(whole)->e_phoff + chosen * sizeof(segment), &segment,
	       sizeof(segment));
	struct object *object = object_open_bytes(copy, size, "damaged", OBJECT_ALL, &err);
	if (!object)
		fail_msg("%s", err.message);
	assert_false(companion_init(&companion, object, &err));
	if (!strstr(err.message, damage->message))
		fail_msg("\"%s\" instead of \"%s\"", err.message, damage->message);
	object_close(object);
	object_close(whole);
	free(copy);
}

static void others_are_refused(void **state)
{
	static const struct damage damages[] = {
		{"both writable and executable", PT_LOAD, PF_X, make_writable},
		{"too large", PT_LOAD, PF_W, make_huge},
		{"needs a loader", PT_GNU_STACK, 0, make_needy},
		{"other libraries", PT_DYNAMIC, 0, add_needed},
		{"imports", PT_DYNAMIC, 0, add_imports},
		{"constructors", PT_DYNAMIC, 0, add_constructor},
		{"out of its data", PT_DYNAMIC, 0, relocate_code},
		{"out of its data", PT_DYNAMIC, 0, relocate_beyond},
		{"out of its data", PT_DYNAMIC, 0, relocate_to_elsewhere},
		{"not supported", PT_DYNAMIC, 0, relocate_otherwise},
		{"not a shared object", PT_DYNAMIC, 0, make_executable},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++)
		check_damage(&damages[i]);
}

/* ---- in a file ---- */

struct taken {
	struct object *original, *companion, *output;
	struct byte_vec bytes;
	struct rewrite_result result;
	uint64_t addr; /* of the companion in the output */
};

static bool take(struct taken *taken, const char *path, const char *companion, struct error *err)
{
	*taken = (struct taken){.original = must_open(path), .companion = must_open(companion)};
	const struct rewrite_options options = {.mode = REWRITE_NULL,
						.companion = taken->companion};
	if (!rewrite_object(taken->original, &options, &taken->bytes, &taken->result, err))
		return false;
	taken->output =
		object_open_bytes(taken->bytes.data, taken->bytes.len, "output", OBJECT_ALL, err);
	if (!taken->output)
		return false;
	const struct object_section *section =
		object_section_by_name(taken->output, ".tare.companion");
	assert_non_null(section);
	taken->addr = section->header.sh_addr;
	return true;
}

static void release(struct taken *taken)
{
	rewrite_result_fini(&taken->result);
	object_close(taken->output);
	object_close(taken->original);
	object_close(taken->companion);
	vec_fini(&taken->bytes);
}

static void relocations_are_applied_in_fixed_files(void **state)
{
	struct taken taken;
	struct error err;

	(void)state;
	if (!take(&taken, fixed_program, full_path, &err))
		fail_msg("%s", err.message);
	const uint64_t pointer = object_dynamic_symbol(taken.companion, "companion_pointer");
	uint64_t value;
	const unsigned char *at = object_at(taken.output, taken.addr + pointer, sizeof(value));
	assert_non_null(at);
	memcpy(&value, at, sizeof(value));
	assert_true(value > taken.addr && object_is_mapped(taken.output, value));
	assert_false(object_is_executable(taken.output, value));
	release(&taken);
}

static void relocations_are_refused_in_other_files(void **state)
{
	struct taken taken;
	struct error err;

	(void)state;
	assert_false(take(&taken, "/bin/true", full_path, &err));
	assert_non_null(strstr(err.message, "relocations"));
	release(&taken);
}

/* The rows of its functions are found in the output, by their place there. */
static void unwinding_passes_through(void **state)
{
	struct taken taken;
	struct error err;
	size_t count, rows = 0;

	(void)state;
	if (!take(&taken, "/bin/true", plain_path, &err))
		fail_msg("%s", err.message);
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)taken.bytes.data, taken.bytes.len);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
	assert_non_null(cfi);
	const struct object_fde *fdes = object_fdes(taken.companion, &count);
	for (size_t i = 0; i < count; i++) {
		for (uint64_t addr = fdes[i].begin; addr < fdes[i].end; addr++, rows++) {
			Dwarf_Frame *frame = NULL;
			assert_int_equal(dwarf_cfi_addrframe(cfi, taken.addr + addr, &frame), 0);
			Dwarf_Addr begin, end;
			assert_int_equal(dwarf_frame_info(frame, &begin, &end, NULL), 16);
			assert_true(begin >= taken.addr + fdes[i].begin &&
				    end <= taken.addr + fdes[i].end);
			free(frame);
		}
	}
	assert_true(rows > 500);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	release(&taken);
}

static void the_file_runs(void **state)
{
	struct taken taken;
	struct error err;
	char path[] = "/tmp/tare-companion-XXXXXX", command[sizeof(path) + 32];

	(void)state;
	if (!take(&taken, "/bin/echo", plain_path, &err))
		fail_msg("%s", err.message);
	const int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, taken.bytes.data, taken.bytes.len), (ssize_t)taken.bytes.len);
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	snprintf(command, sizeof(command), "test \"$(%s -n x)\" = x", path);
	const int status = system(command);
	unlink(path);
	assert_int_equal(status, 0);
	release(&taken);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_read),
		cmocka_unit_test(none_is_empty),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(relocations_are_applied_in_fixed_files),
		cmocka_unit_test(relocations_are_refused_in_other_files),
		cmocka_unit_test(unwinding_passes_through),
		cmocka_unit_test(the_file_runs),
	};

	if (argc != 4) {
		fprintf(stderr, "usage: test_companion COMPANION PLAIN_COMPANION PROGRAM\n");
		return 2;
	}
	full_path = argv[1];
	plain_path = argv[2];
	fixed_program = argv[3];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
