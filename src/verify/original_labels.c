/*
 * Jumps in the original at labels that indirect jumps of its copy may lead to. At `label` stands
 * either a jump to its copy, or a short jump to such a one nearby:
 *
 *     label: jmp label'           label: jmp near;  …  near: jmp label'
 *
 * What nobody knows of may still lead to other instructions of the original. So nothing that is
 * known may lead between the bytes of a jump; and `near` stands where control does not come: behind
 * what does not fall through, or behind another label's jump, and nothing leads there either.
 *
 * Jumps that are not so are not allowed, and show as changed bytes.
 *
 * Pointers to labels that the loader makes may lead to the copies at once. The program must see no
 * other address of these labels: where code makes one that data points at, too, none may be
 * changed.
 */
#include "verify/private.h"

#include <string.h>

enum { JUMP_BYTES = 5, SHORT_JUMP_BYTES = 2, LOOK_BACK_BYTES = 4096 };

struct label_check {
	struct check *check;
	struct check_allowances *allowances;
	struct vec_of(uint64_t) met; /* where branches lead, ascending; once there is a jump */
	bool met_is_known;
	const struct check_range *range;
	const unsigned char *original, *copy; /* the range's bytes in both files */
};

static void note_uncopied(struct check *check, const struct insn *branch, void *context)
{
	struct label_check *labels = context;

	(void)check;
	vec_push(&labels->met, branch->target);
}

static void find_met(struct label_check *labels)
{
	if (labels->met_is_known)
		return;
	labels->met_is_known = true;
	vec_foreach (target, &labels->check->targets)
		vec_push(&labels->met, target->target);
	uncopied_branches_visit(labels->check, note_uncopied, labels);
	sort_u64(labels->met.data, labels->met.len);
}

/* Whether something leads to one of the bytes [begin, end). */
static bool is_met(const struct label_check *labels, uint64_t begin, uint64_t end)
{
	const size_t first = partition_point(labels->met.len, i, labels->met.data[i] < begin);

	if (first < labels->met.len && labels->met.data[first] < end)
		return true;
	for (uint64_t addr = begin; addr < end; addr++)
		if (addr == labels->range->begin || map_get(&labels->check->pads, addr))
			return true;
	return false;
}

static bool is_in_entry_jump(const struct label_check *labels, uint64_t addr)
{
	return labels->range->entry &&
	       addr + JUMP_BYTES > check_patch_addr(labels->check, labels->range) &&
	       addr < check_patch_addr(labels->check, labels->range) + JUMP_BYTES;
}

static bool holds(const struct check_range *range, uint64_t addr, uint64_t size)
{
	return addr >= range->begin && addr < range->end && size <= range->end - addr;
}

/* At `at` the copy's file has a long jump to the copy of `label`. */
static bool leads_to_copy(const struct label_check *labels, uint64_t at, uint64_t label)
{
	const struct check_range *range = labels->range;
	int32_t distance;

	if (!holds(range, at, JUMP_BYTES) || is_in_entry_jump(labels, at) ||
	    labels->copy[at - range->begin] != 0xe9)
		return false;
	memcpy(&distance, labels->copy + (at - range->begin) + 1, sizeof(distance));
	const uint64_t target = at + JUMP_BYTES + (uint64_t)(int64_t)distance;
	return target >= labels->check->code_begin && target < labels->check->code_end &&
	       check_leads_to(labels->check, label, range, target);
}

/* Control does not come to `addr`: see above. */
static bool is_dead(const struct label_check *labels, uint64_t addr)
{
	const struct check_range *range = labels->range;
	const uint64_t offset = addr - range->begin;
	size_t next = partition_point(range->points.len, i, range->points.data[i].offset < offset);

	while (next-- > 0) {
		const uint64_t before = range->points.data[next].offset;
		struct insn insn;
		if (offset - before > LOOK_BACK_BYTES ||
		    !insn_decode(labels->original + before, range->end - range->begin - before,
				 range->begin + before, &insn))
			return false;
		if (insn_end(&insn) <= addr && !insn_falls_through(&insn))
			return !is_met(labels, insn_end(&insn), addr + 1);
		if (before + JUMP_BYTES <= offset &&
		    leads_to_copy(labels, range->begin + before, range->begin + before))
			return !is_met(labels, range->begin + before + 1, addr + 1);
	}
	return false;
}

static void allow(const struct label_check *labels, uint64_t addr, uint64_t size)
{
	check_allow(labels->check, labels->allowances,
		    labels->original + (addr - labels->range->begin), size);
}

static void take_long_jump(const struct label_check *labels, uint64_t addr)
{
	if (leads_to_copy(labels, addr, addr) && !is_met(labels, addr + 1, addr + JUMP_BYTES))
		allow(labels, addr, JUMP_BYTES);
}

static void take_short_jump(const struct label_check *labels, uint64_t addr)
{
	const int8_t distance = (int8_t)labels->copy[addr - labels->range->begin + 1];
	const uint64_t near = addr + SHORT_JUMP_BYTES + (uint64_t)(int64_t)distance;

	if (is_in_entry_jump(labels, addr) || is_met(labels, addr + 1, addr + SHORT_JUMP_BYTES) ||
	    !leads_to_copy(labels, near, addr) || is_met(labels, near, near + JUMP_BYTES) ||
	    !is_dead(labels, near))
		return;
	allow(labels, addr, SHORT_JUMP_BYTES);
	allow(labels, near, JUMP_BYTES);
}

static bool differs(const struct label_check *labels, uint64_t addr, uint64_t size)
{
	const uint64_t offset = addr - labels->range->begin;

	return holds(labels->range, addr, size) &&
	       memcmp(labels->original + offset, labels->copy + offset, size) != 0;
}

static void take_jump(struct label_check *labels, uint64_t addr, unsigned char opcode)
{
	if (opcode == 0xe9 && differs(labels, addr, JUMP_BYTES)) {
		find_met(labels);
		take_long_jump(labels, addr);
	} else if (opcode == 0xeb && differs(labels, addr, SHORT_JUMP_BYTES)) {
		find_met(labels);
		take_short_jump(labels, addr);
	}
}

static void take_range(struct label_check *labels, const struct check_range *range)
{
	const uint64_t size = range->end - range->begin;

	labels->range = range;
	labels->original = object_at(labels->check->original, range->begin, size);
	labels->copy = object_at(labels->check->copy, range->begin, size);
	if (!labels->original || !labels->copy || memcmp(labels->original, labels->copy, size) == 0)
		return;
	vec_foreach (point, &range->points)
		take_jump(labels, range->begin + point->offset, labels->copy[point->offset]);
}

/* Parts have no counter, so nothing calls them. */
static void judge_parts(struct check *check)
{
	vec_foreach (target, &check->targets) {
		const struct check_range *range =
			target->from ? NULL : check_range_at(check, target->target);
		if (range && range->part && target->target == range->begin)
			check_differs(check, VERIFY_PROBE, range->begin, range->copy_begin,
				      "a function that nothing counts");
	}
}

/* ---- pointers ---- */

struct pointer_check {
	struct check *check;
	struct check_allowances *allowances;
	struct vec_of(uint64_t) made; /* that data points at, too; ascending, once it is known */
	bool made_is_known;
};

static bool is_pointed_to(const struct check *check, uint64_t addr)
{
	size_t count;
	const uint64_t *pointers = object_code_pointers(check->original, &count);
	const size_t first = partition_point(count, i, pointers[i] < addr);

	return first < count && pointers[first] == addr;
}

static void find_made_in(struct pointer_check *pointers, const struct check_range *range)
{
	const uint64_t size = range->end - range->begin;
	const unsigned char *bytes = object_at(pointers->check->original, range->begin, size);
	struct insn insn;

	for (uint64_t at = 0; bytes && at < size; at += insn.length) {
		if (!insn_decode(bytes + at, size - at, range->begin + at, &insn))
			return;
		if (insn.is_lea && insn.rip_offset && is_pointed_to(pointers->check, insn.target))
			vec_push(&pointers->made, insn.target);
	}
}

/* Whether code makes the address of a label of the range that data points at. */
static bool is_made(struct pointer_check *pointers, const struct check_range *range)
{
	if (!pointers->made_is_known) {
		pointers->made_is_known = true;
		vec_foreach (each, &pointers->check->ranges)
			find_made_in(pointers, each);
		sort_u64(pointers->made.data, pointers->made.len);
	}
	const size_t first =
		partition_point(pointers->made.len, i, pointers->made.data[i] <= range->begin);
	return first < pointers->made.len && pointers->made.data[first] < range->end;
}

static void take_pointer(struct pointer_check *pointers, const struct object_code_word *word)
{
	struct check *check = pointers->check;
	const struct check_range *range = check_range_at(check, word->target);
	const unsigned char *stored = object_at(check->original, word->stored_at, 8);
	const unsigned char *changed = object_at(check->copy, word->stored_at, 8);
	uint64_t target;

	/* The copy's loader finds it, too. A word of two relocations has the last one's there. */
	if (!range || !range->copied || range->broken || !stored || !changed ||
	    !object_code_word(check->copy, word->addr, &target) ||
	    (range->entry && word->target == range->begin))
		return;
	memcpy(&target, changed, sizeof(target));
	if (target == word->target)
		return;
	if (check_leads_to(check, word->target, range, target) && !is_made(pointers, range))
		check_allow(check, pointers->allowances, stored, 8);
}

static void allow_pointers(struct check *check, struct check_allowances *allowances)
{
	struct pointer_check pointers = {.check = check, .allowances = allowances};
	size_t count;
	const struct object_code_word *words = object_code_words(check->original, &count);

	for (size_t i = 0; i < count; i++)
		take_pointer(&pointers, &words[i]);
	vec_fini(&pointers.made);
}

void labels_allow(struct check *check, struct check_allowances *allowances)
{
	struct label_check labels = {.check = check, .allowances = allowances};

	judge_parts(check);
	vec_foreach (range, &check->ranges)
		if (range->copied && !range->broken)
			take_range(&labels, range);
	vec_fini(&labels.met);
	allow_pointers(check, allowances);
}
