/*
 * The whole rewriter on damaged files: any error is fine, a crash or a hang is not, and what it
 * accepts must come out sound: the output opens, no code is copied twice, every copied instruction
 * lies in the copied code and has an unwind record if its original has one, the originals keep
 * theirs, and of the original code nothing but the entries of instrumented functions is
 * overwritten.
 */
#include "fuzz/fuzz.h"
#include "fuzz/rewrite_options.h"
#include "object/eh_frame.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
	JUMP_BYTES = 5,
	ENTRY_BYTES_MAX = 15 + JUMP_BYTES, /* endbr64, with any prefixes, and the jump */
};

static const struct rewrite_function *function_of(const struct rewrite_result *result,
						  uint64_t addr)
{
	size_t low = 0, high = result->functions.len;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (result->functions.data[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	const struct rewrite_function *function = &result->functions.data[low - 1];
	return low && addr - function->addr < function->size ? function : NULL;
}

static void check_functions(const struct rewrite_result *result)
{
	uint64_t end = 0;

	vec_foreach (function, &result->functions) {
		assert(function->addr >= end);
		assert(function->size && function->addr + function->size > function->addr);
		assert((unsigned)function->verdict < REWRITE_VERDICTS);
		assert(rewrite_verdict_text(function->verdict)[0]);
		end = function->addr + function->size;
	}
}

static bool has_record(const struct object *object, const struct rewrite_function *function)
{
	const struct object_fde *fde = object_fde_covering(object, function->addr);

	return fde && fde->begin == function->addr && fde->end == function->addr + function->size;
}

static void check_points(const struct object *object, const struct object *copy,
			 const struct rewrite_result *result)
{
	const struct rewrite_point *last = NULL;

	vec_foreach (point, &result->points) {
		const struct rewrite_function *function = function_of(result, point->addr);
		assert(function && (function->verdict == REWRITE_COUNTED ||
				    rewrite_verdict_is_instrumented(function->verdict)));
		assert(point->copy_addr >= result->code_begin);
		assert(point->copy_addr <= result->code_end);
		assert(!last || point->addr > last->addr);
		assert(!last || point->copy_addr >= last->copy_addr ||
		       function_of(result, last->addr) != function);
		/* A dropped filler at a function's end has the place behind it. */
		if (point->copy_addr < result->code_end &&
		    point + 1 < result->points.data + result->points.len &&
		    point->copy_addr != point[1].copy_addr &&
		    function_of(result, point[1].addr) == function)
			assert(object_fde_covering(copy, point->copy_addr) ||
			       !has_record(object, function));
		last = point;
	}
}

static bool same_unwind(const struct object_fde *a, const struct object_fde *b)
{
	return a->end == b->end && a->lsda == b->lsda && a->program_size == b->program_size &&
	       memcmp(a->program, b->program, a->program_size) == 0;
}

/* The first address of entry `i` of the sorted table that unwinders search, or UINT64_MAX. */
static uint64_t table_addr(const struct object *copy, uint64_t i)
{
	enum { HEADER_BYTES = 12, ENTRY_BYTES = 8 };
	const struct object_extent header = object_eh_frame_hdr(copy);
	const unsigned char *entry =
		object_at(copy, header.addr + HEADER_BYTES + i * ENTRY_BYTES, ENTRY_BYTES);
	int32_t distance;

	if (!entry || HEADER_BYTES + (i + 1) * ENTRY_BYTES > header.size)
		return UINT64_MAX;
	memcpy(&distance, entry, sizeof(distance));
	return header.addr + (uint64_t)(int64_t)distance;
}

/* Whether records of the original contradict each other: which one counts is nobody's duty. */
static bool is_disputed(const struct object *object, const struct object_fde *fde)
{
	uint64_t addr = object_eh_frame(object).addr;
	struct eh_record record;
	struct object_fde other;

	while (eh_record_next(object, &addr, &record)) {
		if (!record.is_cie && record.addr != fde->addr &&
		    eh_fde_read(object, &record, &other) && other.begin < fde->end &&
		    other.end > fde->begin)
			return true;
	}
	return false;
}

/* Every record of the original is found by its address; moved ones are still the same. */
static void check_unwind(const struct object *object, const struct object *copy)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(object, &count);
	uint64_t entry = 0;

	for (size_t i = 0; i < count; i++) {
		const struct object_fde *moved = object_fde_covering(copy, fdes[i].begin);
		while (table_addr(copy, entry) < fdes[i].begin)
			entry++;
		assert(table_addr(copy, entry) == fdes[i].begin);
		if (moved && moved->begin == fdes[i].begin)
			assert(same_unwind(&fdes[i], moved) || is_disputed(object, &fdes[i]));
	}
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

/* Damaged files have functions in the headers, which the output must change. */
static bool is_in_headers(const struct object *object, const unsigned char *code, uint64_t size)
{
	size_t file_size, count;
	const uint64_t offset = (uint64_t)(code - object_bytes(object, &file_size));
	const Elf64_Ehdr *header = object_header(object);
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++) {
		if (segments[i].p_type == PT_DYNAMIC &&
		    overlap(offset, size, segments[i].p_offset, segments[i].p_filesz))
			return true;
	}
	return overlap(offset, size, 0, sizeof(*header)) ||
	       overlap(offset, size, header->e_phoff, count * sizeof(*segments));
}

/* The changed byte `at` of a copied function is part of a jump to a copy, or of a short jump. */
static bool is_in_jump(const struct rewrite_result *result, const unsigned char *bytes,
		       uint64_t addr, uint64_t size, uint64_t at)
{
	for (uint64_t back = 0; back < JUMP_BYTES && back <= at; back++) {
		const uint64_t begin = at - back;
		int32_t distance;
		if (bytes[begin] == 0xeb && back < 2)
			return true;
		if (bytes[begin] != 0xe9 || JUMP_BYTES > size - begin)
			continue;
		memcpy(&distance, bytes + begin + 1, sizeof(distance));
		const uint64_t target = addr + begin + JUMP_BYTES + (uint64_t)(int64_t)distance;
		if (target >= result->code_begin && target < result->code_end)
			return true;
	}
	return false;
}

static void check_text(const struct object *object, const struct object *copy,
		       const struct rewrite_result *result)
{
	vec_foreach (function, &result->functions) {
		const unsigned char *before = object_at(object, function->addr, function->size);
		const unsigned char *after = object_at(copy, function->addr, function->size);
		uint64_t kept = 0;
		assert(before && after);
		if (is_in_headers(object, before, function->size))
			continue;
		const bool has_jump = function->verdict == REWRITE_INSTRUMENTED ||
				      function->verdict == REWRITE_COUNTED;
		if (has_jump)
			kept = function->size < ENTRY_BYTES_MAX ? function->size : ENTRY_BYTES_MAX;
		for (uint64_t at = kept; at < function->size; at++)
			assert(before[at] == after[at] ||
			       (rewrite_verdict_is_instrumented(function->verdict) &&
				is_in_jump(result, after, function->addr, function->size, at)));
		if (has_jump)
			assert(memchr(after, 0xe9, kept));
	}
}

static void check_output(const struct object *object, const struct byte_vec *out,
			 const struct rewrite_result *result)
{
	struct error err;
	struct object *copy = object_open_bytes(out->data, out->len, "output", OBJECT_ALL, &err);

	if (!copy)
		fprintf(stderr, "%s\n", err.message);
	assert(copy);
	assert(object_tare_note(copy));
	check_points(object, copy, result);
	check_unwind(object, copy);
	check_text(object, copy, result);
	object_close(copy);
}

static void check(const struct rewritten *rewritten)
{
	check_functions(rewritten->result);
	if (!rewritten->result->nothing_to_do)
		check_output(rewritten->object, rewritten->out, rewritten->result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	rewrite_with_own_options(data, size, check);
	return 0;
}
