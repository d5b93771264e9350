/*
 * aligned_of ORIGINAL ENTRY: how many of the copied functions, and parts of such, of the
 * instrumented file in a directory of the cache cache/copy_align finds instructions of, and of how
 * many of these the instruction is of the same kind and, but for jumps, the same length; and how
 * many counts of branches, behind the instructions, belong to a branch. Prints the five numbers.
 */
#include "cache/cache_entry.h"
#include "cache/copy_code.h"
#include "insn/insn.h"

#include <stdio.h>

static struct object *open_file(const char *path)
{
	struct error err;
	struct object *object = object_open(path, 0, &err);

	if (!object)
		fprintf(stderr, "%s\n", err.message);
	return object;
}

static uint64_t end_of(const struct object *object)
{
	uint64_t end = 0;
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++) {
		if (segments[i].p_type == PT_LOAD &&
		    segments[i].p_vaddr + segments[i].p_memsz > end)
			end = segments[i].p_vaddr + segments[i].p_memsz;
	}
	return end;
}

static bool is_same(const struct object *original, const struct object *copy,
		    const struct copy_point *point)
{
	const unsigned char *from = object_at(original, point->addr, point->length);
	const unsigned char *to = object_at(copy, point->copy_addr, point->length);
	struct insn a, b;

	return from && to && insn_decode(from, point->length, point->addr, &a) &&
	       insn_decode(to, 15, point->copy_addr, &b) && a.kind == b.kind &&
	       (a.rel_bits || a.length == b.length);
}

static struct object *open_copy(const char *original, const char *entry)
{
	struct str path = {0};

	str_printf(&path, "%s/copy/%s", entry, path_basename(original));
	struct object *copy = open_file(path.data);
	str_fini(&path);
	return copy;
}

static size_t branches_counted(const struct object *original, const struct copy_points *points)
{
	size_t counted = 0;
	struct insn insn;

	for (size_t i = points->len; i-- > 0 && !points->data[i].length;) {
		const uint64_t addr = points->data[i].addr;
		const unsigned char *bytes = object_at(original, addr, 1);
		counted += bytes && insn_decode(bytes, 15, addr, &insn) && insn.kind == INSN_BRANCH;
	}
	return counted;
}

int main(int argc, char **argv)
{
	size_t aligned = 0, points = 0, same = 0, counted = 0;
	struct coverage coverage = {0};
	struct copy_code code = {0};
	struct error err = {0};
	struct object *original = argc == 3 ? open_file(argv[1]) : NULL;
	struct object *copy = original ? open_copy(argv[1], argv[2]) : NULL;
	char *text = copy ? cache_read_coverage(argv[2], &err) : NULL;

	if (!text || !coverage_parse(&coverage, text, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	copy_code_read(&code, copy, end_of(original), &coverage);
	vec_foreach (function, &code.functions) {
		copy_code_address(&code, original, function->copy_addr);
		aligned += function->points.len != 0;
		counted += branches_counted(original, &function->points);
		vec_foreach (point, &function->points) {
			points += point->length != 0;
			same += point->length && is_same(original, copy, point);
		}
	}
	printf("%zu %zu %zu %zu %zu\n", code.functions.len, aligned, points, same, counted);
	copy_code_fini(&code);
	coverage_fini(&coverage);
	object_close(copy);
	object_close(original);
	return 0;
}
