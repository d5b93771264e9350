/*
 * The rewriter keeps the order of instructions, so two places move on together:
 *
 * - the same instruction: both; distances may differ, a branch may be inverted over a jump;
 * - filler: it may be left out;
 * - a probe: only in the copy, a comparison or jump that leads out of the original;
 * - another form, of reads of tables: where nothing ahead fits, one stands for the other.
 *
 * Behind that stand the stubs of bound calls and the counts of branches, each of which belongs to
 * the call or branch that leads there. What counts the rounds of a loop has copies of its block, in
 * the same order.
 *
 * It knows less than verify, which proves copies right, and needs to: it only names places.
 */
#include "cache/copy_align.h"

#include "base/partition.h"
#include "cache/copy_steps.h"
#include "insn/insn.h"

#include <string.h>

enum { AHEAD_MAX = 24 };

struct side {
	const unsigned char *bytes;
	uint64_t begin, end, at;
	struct insn insn; /* at `at` */
};

static bool side_open(struct side *side, const struct object *object, uint64_t begin, uint64_t end)
{
	*side = (struct side){.begin = begin, .end = end, .at = begin};
	side->bytes = begin < end ? object_at(object, begin, end - begin) : NULL;
	return side->bytes;
}

static const unsigned char *side_bytes(const struct side *side)
{
	return side->bytes + (side->at - side->begin);
}

static bool side_decode(struct side *side)
{
	return side->at < side->end &&
	       insn_decode(side_bytes(side), side->end - side->at, side->at, &side->insn);
}

static bool is_filler(const struct insn *insn)
{
	return insn->is_nop && !insn->is_endbr;
}

static bool has(const struct side *side, const void *bytes, size_t size)
{
	return side->end - side->at >= size && memcmp(side_bytes(side), bytes, size) == 0;
}

/* A jump to a stub, the comparison before it, or a counter: of what the original does not have. */
static bool is_probe(const struct copy_pair *pair, const struct side *copy)
{
	const unsigned char *bytes = side_bytes(copy);
	const struct insn *insn = &copy->insn;

	if (insn->kind == INSN_BRANCH || insn->kind == INSN_JUMP)
		return insn->target >= pair->copy_end && insn->target < pair->stubs_end;
	return insn->rip_offset && !object_is_mapped(pair->original, insn->target) &&
	       (memcmp(bytes, TARE_GATE, TARE_GATE_CODE_BYTES) == 0 ||
		memcmp(bytes, TARE_COUNT, TARE_COUNT_CODE_BYTES) == 0);
}

static unsigned condition_of(const struct side *side)
{
	return side_bytes(side)[side->insn.rel_offset - 1] & 15;
}

static bool fits(const struct side *original, const struct side *copy)
{
	const struct insn *from = &original->insn, *to = &copy->insn;
	const unsigned char *a = side_bytes(original), *b = side_bytes(copy);

	if (from->kind != to->kind)
		return false;
	if (from->kind == INSN_BRANCH)
		return condition_of(original) >> 1 == condition_of(copy) >> 1;
	if (from->kind == INSN_JUMP || from->kind == INSN_CALL)
		return true;
	if (from->rel_bits)
		return to->rel_bits && to->rel_offset == from->rel_offset &&
		       memcmp(a, b, from->rel_offset) == 0;
	if (from->length != to->length || from->rip_offset != to->rip_offset)
		return false;
	if (!from->rip_offset)
		return memcmp(a, b, from->length) == 0;
	const unsigned behind = from->rip_offset + 4u;
	return from->target == to->target && memcmp(a, b, from->rip_offset) == 0 &&
	       memcmp(a + behind, b + behind, from->length - behind) == 0;
}

/* Whether the copy has the same bytes, which name no place: then they are the same instruction. */
static bool is_same(const struct side *original, const struct side *copy)
{
	const struct insn *insn = &original->insn;

	return !insn->rip_offset && !insn->rel_bits && !is_filler(insn) &&
	       has(copy, side_bytes(original), insn->length);
}

/* Whether the original's instruction stands a little further on in the copy. */
static bool fits_ahead(const struct copy_pair *pair, const struct side *original, struct side copy)
{
	for (unsigned i = 0; i < AHEAD_MAX && side_decode(&copy); i++) {
		if (!is_probe(pair, &copy) && fits(original, &copy))
			return true;
		copy.at += copy.insn.length;
	}
	return false;
}

static void point_add(struct copy_points *points, const struct side *original,
		      const struct side *copy, uint32_t length)
{
	const struct copy_point point = {copy->at, original->at, length};

	vec_push(points, point);
}

/* Up to `end` of the copy everything stands for the original's present instruction. */
static void skip_to(struct copy_points *points, const struct side *original, struct side *copy,
		    uint64_t end)
{
	if (end <= copy->at || end > copy->end)
		return;
	point_add(points, original, copy, 0);
	copy->at = end;
}

/* Where branches lead in the copy; what lies behind its instructions are their counts. */
static void take_branch(struct copy_points *branches, const struct side *original,
			const struct insn *copied)
{
	const struct copy_point count = {copied->target, original->at, 0};

	if (copied->kind == INSN_BRANCH && copied->target > copied->addr)
		vec_push(branches, count);
}

/* One more copy of the block that ends with the branch at `end`; false: something else is next. */
static bool take_block(struct copy_points *points, struct side original, struct side *copy,
		       uint64_t end)
{
	const uint64_t begin = copy->at;
	const size_t count = points->len;

	while (original.at <= end && side_decode(&original) && side_decode(copy) &&
	       fits(&original, copy)) {
		point_add(points, &original, copy, original.insn.length);
		copy->at += copy->insn.length;
		original.at += original.insn.length;
	}
	if (original.at > end)
		return true;
	copy->at = begin;
	points->len = count;
	return false;
}

/* The rounds of a loop: copies of its block, each with what counts where it is left, which the
   branch over it tells. */
static void take_rounds(struct copy_points *points, struct side original, struct side copy,
			uint64_t branch)
{
	original.at = branch;
	if (!side_decode(&original) || original.insn.kind != INSN_BRANCH ||
	    original.insn.target < original.begin || original.insn.target >= branch)
		return;
	original.at = original.insn.target;
	while (take_block(points, original, &copy, branch) && copy.insn.target > copy.at) {
		vec_push(points, ((struct copy_point){copy.at, branch, 0}));
		copy.at = copy.insn.target;
	}
}

/* Places behind the instructions of the copy, and to what in the original they belong: where bound
   calls lead to; behind these, where they lead elsewhere; and behind all calls, counts of branches.
   */
struct stubs {
	struct copy_points bound_calls, far_calls, branches;
};

/* Before a call, a branch leads to its other way. */
static void take_way(struct stubs *stubs, const struct side *original, const struct side *copy)
{
	const struct copy_point call = {copy->insn.target, original->at, original->insn.length};

	if (insn_is_call(&original->insn) && copy->insn.kind == INSN_BRANCH)
		vec_push(&stubs->far_calls, call);
}

/* A call of what stands for the stub of a linkage table. */
static bool is_bound_call(const struct copy_pair *pair, const struct side *original,
			  const struct side *copy, struct bound_stub *stub)
{
	return insn_is_call(&original->insn) && copy->insn.kind == INSN_CALL &&
	       copy->insn.target > copy->at && copy->insn.target < copy->end &&
	       bound_stub_read(pair->copy, copy->insn.target, stub);
}

static void take_bound_call(struct stubs *stubs, const struct side *original,
			    const struct side *copy, const struct bound_stub *stub)
{
	const uint64_t addr = original->at;
	const uint32_t length = original->insn.length;

	vec_push(&stubs->bound_calls, ((struct copy_point){copy->insn.target, addr, length}));
	if (stub->far)
		vec_push(&stubs->far_calls, ((struct copy_point){stub->far, addr, length}));
}

static void take_calls(struct copy_points *points, const struct copy_points *calls,
		       const struct side *copy)
{
	vec_foreach (call, calls)
		if (call->copy_addr >= copy->at && call->copy_addr < copy->end &&
		    (!points->len || call->copy_addr > vec_last(points).copy_addr))
			vec_push(points, *call);
}

static void take_counts(struct copy_points *points, const struct copy_points *branches,
			const struct side *original, struct side *copy)
{
	const uint64_t begin = copy->at;

	vec_foreach (branch, branches) {
		if (branch->copy_addr < begin || branch->copy_addr >= copy->end ||
		    (points->len && branch->copy_addr <= vec_last(points).copy_addr))
			continue;
		copy->at = branch->copy_addr;
		take_rounds(points, *original, *copy, branch->addr);
		if (!points->len || vec_last(points).copy_addr < branch->copy_addr)
			vec_push(points, *branch);
	}
}

static void take_pair(struct copy_points *points, struct copy_points *branches,
		      struct side *original, struct side *copy)
{
	const struct insn insn = copy->insn;
	const bool inverted = insn.kind == INSN_BRANCH && original->insn.kind == INSN_BRANCH &&
			      condition_of(original) != condition_of(copy);

	point_add(points, original, copy, original->insn.length);
	take_branch(branches, original, &insn);
	copy->at += insn.length;
	if (inverted)
		skip_to(points, original, copy, insn.target);
	/* The jump behind a loop leads over the one to its target. */
	if (insn.kind == INSN_LOOP && side_decode(copy) && copy->insn.kind == INSN_JUMP)
		skip_to(points, original, copy, copy->insn.target);
	original->at += original->insn.length;
}

static bool read_side_by_side(const struct copy_pair *pair, struct side *original,
			      struct side *copy, struct copy_points *points, struct stubs *stubs)
{
	size_t pairs = 0, other_forms = 0;
	struct bound_stub stub;

	while (original->at < original->end) {
		if (!side_decode(original))
			return false;
		const bool filler = is_filler(&original->insn);
		if (is_same(original, copy)) {
			point_add(points, original, copy, original->insn.length);
			copy->at += original->insn.length;
			original->at += original->insn.length;
			pairs++;
		} else if (!side_decode(copy)) {
			if (!filler)
				return false;
			original->at += original->insn.length;
		} else if (is_probe(pair, copy) || (is_filler(&copy->insn) && !filler)) {
			point_add(points, original, copy, 0);
			copy->at += copy->insn.length;
		} else if (is_bound_call(pair, original, copy, &stub)) {
			take_bound_call(stubs, original, copy, &stub);
			take_pair(points, &stubs->branches, original, copy);
			pairs++;
		} else if (fits(original, copy)) {
			take_pair(points, &stubs->branches, original, copy);
			pairs++;
		} else if (filler) {
			original->at += original->insn.length;
		} else if (fits_ahead(pair, original, *copy)) {
			take_way(stubs, original, copy);
			point_add(points, original, copy, 0);
			copy->at += copy->insn.length;
		} else {
			take_pair(points, &stubs->branches, original, copy);
			other_forms++;
		}
	}
	return other_forms <= pairs / 8;
}

bool copy_points_read(const struct copy_pair *pair, struct copy_points *points)
{
	struct stubs stubs = {0};
	struct side original, copy;
	const bool fits_together = side_open(&original, pair->original, pair->begin, pair->end) &&
				   side_open(&copy, pair->copy, pair->copy_begin, pair->copy_end) &&
				   read_side_by_side(pair, &original, &copy, points, &stubs);

	if (fits_together) {
		take_calls(points, &stubs.bound_calls, &copy);
		take_calls(points, &stubs.far_calls, &copy);
		take_counts(points, &stubs.branches, &original, &copy);
	} else {
		points->len = 0;
	}
	vec_fini(&stubs.bound_calls);
	vec_fini(&stubs.far_calls);
	vec_fini(&stubs.branches);
	return fits_together;
}

const struct copy_point *copy_points_at(const struct copy_points *points, uint64_t copy_addr)
{
	const size_t above =
		partition_point(points->len, i, points->data[i].copy_addr <= copy_addr);

	return above ? &points->data[above - 1] : NULL;
}

uint64_t copy_points_find(const struct copy_points *points, uint64_t copy_addr)
{
	const struct copy_point *point = copy_points_at(points, copy_addr);

	if (!point)
		return 0;
	const uint64_t within = copy_addr - point->copy_addr;
	return point->addr + (within < point->length ? within
			      : point->length	     ? point->length - 1
						     : 0);
}
