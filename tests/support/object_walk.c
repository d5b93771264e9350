/* See object_walk.h. */
#include "tests/support/object_walk.h"

#include "object/cfi.h"
#include "object/eh_frame.h"
#include "object/lsda.h"
#include "rewrite/lsda_out.h"
#include "rewrite/unwind_out.h"

#include <assert.h>
#include <string.h>

static void walk_lsda(const struct object *object, const struct object_fde *fde)
{
	struct error err;
	struct lsda lsda;
	uint64_t entry, value;

	if (!lsda_read(object, fde, &lsda, &err))
		return;
	vec_foreach (site, &lsda.call_sites)
		assert(site->begin >= fde->begin && site->end <= fde->end &&
		       site->begin <= site->end);
	for (uint64_t i = 0; i <= lsda.type_count && i < 1000; i++)
		lsda_type(object, &lsda, i, &entry, &value);
	lsda_fini(&lsda);
}

static void walk_unwind(const struct object *object)
{
	struct cfi_rows rows = {0};
	struct error err;
	size_t count;
	const struct object_fde *fdes = object_fdes(object, &count);

	for (size_t i = 0; i < count; i++) {
		assert(fdes[i].begin < fdes[i].end);
		assert(object_fde_covering(object, fdes[i].begin) == &fdes[i]);
		assert(object_at(object, fdes[i].begin, fdes[i].end - fdes[i].begin));
		rows.len = 0;
		if (cfi_rows_read(&fdes[i], &rows, &err))
			assert(cfi_row_at(&rows, fdes[i].begin) == &rows.data[0]);
		if (fdes[i].lsda)
			walk_lsda(object, &fdes[i]);
		unwind_out_check(object, &fdes[i], &err);
	}
	vec_fini(&rows);
}

/* One by one, by the sorted table, which may say anything. */
static void walk_search(const void *bytes, size_t size, const struct object *whole)
{
	struct error err;
	size_t count;
	struct object *object = object_open_bytes(bytes, size, "input", OBJECT_UNWIND_SEARCH, &err);
	const struct object_fde *fdes = object_fdes(whole, &count);

	for (size_t i = 0; i < count; i++) {
		struct object_cie cie;
		struct object_fde fde;
		const uint64_t addr = fdes[i].end - 1;

		if (object_fde_find(object, addr, &fde, &cie))
			assert(addr >= fde.begin && addr < fde.end && fde.cie == &cie);
	}
	object_close(object);
	fdes = object_debug_fdes(whole, &count);
	for (size_t i = 0; i < count; i++)
		assert(object_at(whole, fdes[i].begin, fdes[i].end - fdes[i].begin));
}

/* No function copied: the original records are moved. */
static void walk_move(const struct object *object)
{
	const struct copy_ranges none = {0};
	const struct unwind_out_input input = {
		.object = object, .ranges = &none, .eh_frame_addr = 0x10000000};
	struct unwind_out out;
	struct error err;

	if (unwind_out_build(&input, &out, &err))
		unwind_out_fini(&out);
}

static void walk_symbols(const struct object *object)
{
	size_t count, sections;
	const struct object_symbol *symbols = object_symbols(object, &count);
	const struct object_section *section = object_sections(object, &sections);

	for (size_t i = 0; i < count; i++) {
		assert(strlen(symbols[i].name) > 0);
		assert(object_symbol_at(object, symbols[i].addr) != NULL);
		assert(!symbols[i].size || object_symbol_covering(object, symbols[i].addr));
		object_plt_symbol(object, symbols[i].addr);
		object_dynamic_symbol(object, symbols[i].name);
	}
	for (size_t i = 0; i < sections; i++) {
		object_plt_symbol(object, section[i].header.sh_addr);
		assert(object_section_by_name(object, section[i].name));
	}
}

bool object_walk_bytes(const void *bytes, size_t size, struct error *err)
{
	struct object *object =
		object_open_bytes(bytes, size, "input", OBJECT_ALL | OBJECT_DEBUG_FRAME, err);
	size_t count;

	if (!object)
		return false;
	walk_unwind(object);
	walk_search(bytes, size, object);
	walk_move(object);
	walk_symbols(object);
	const uint64_t *pointers = object_code_pointers(object, &count);
	for (size_t i = 0; i < count; i++) {
		assert(object_is_executable(object, pointers[i]));
		assert(i == 0 || pointers[i] > pointers[i - 1]);
	}
	const uint64_t *places = object_text_relocations(object, &count);
	for (size_t i = 1; i < count; i++)
		assert(places[i] > places[i - 1]);
	if (object_runpath(object))
		assert(strlen(object_runpath(object)) < size);
	object_close(object);
	return true;
}
