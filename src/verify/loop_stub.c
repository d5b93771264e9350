/*
 * The stub of a loop of one block whose rounds several copies count at once. Each copy is the block
 * as the loop itself has it, and its branch; where that is not taken, so many rounds are counted,
 * and control goes on behind the loop. Behind the last copy all are counted.
 *
 *   block; jcc next; addq $1, counter; jmp behind the loop's branch
 *   next: …
 *   next: addq $copies + 1, counter
 *
 * Before a copy there may be a gap of int3.
 * All add to one word. Of the instruction of copy n the counter n behind it tells.
 */
#include "verify/private.h"

#include "abi/module.h"
#include "base/partition.h"

#include <string.h>

enum { COPIES_MAX = 16 };

struct loop {
	const struct insn *branch;
	uint32_t at;		    /* of its copy */
	uint32_t behind;	    /* its copy */
	uint32_t exits[COPIES_MAX]; /* the instructions that add, by copy */
	uint64_t words[COPIES_MAX]; /* what they add to */
	uint32_t copies;
};

/* The instructions of the block without its branch; false: something else is next. */
static bool take_block(struct walk *walk, const struct loop *loop)
{
	const uint64_t begin = walk->range->begin, end = loop->branch->addr;
	struct insn insn = {.addr = loop->branch->target};
	bool same = true;

	for (uint64_t at = insn.addr; same && at < end; at += insn.length) {
		same = insn_decode(walk->original + (at - begin), end - at, at, &insn) &&
		       insn.kind == INSN_PLAIN && !insn.rel_bits;
		if (!same)
			break;
		walk->insn = &insn;
		rows_check(walk, walk->at, at, 0);
		same = walk_take_moved(walk, walk_insn_bytes(walk, &insn), insn.length,
				       insn.rip_offset, insn.target);
	}
	walk->insn = loop->branch;
	return same;
}

/* addq $rounds, %gs:counter(%rip) */
static bool take_rounds(struct walk *walk, uint32_t rounds, uint64_t *word)
{
	return walk_take_bytes(walk, 0x65, 0x48, 0x83, 0x05) && walk_take_distance(walk, 1, word) &&
	       walk_take_bytes(walk, (unsigned char)rounds);
}

/* Where the copy is left. */
static bool take_exit(struct walk *walk, struct loop *loop)
{
	const uint64_t like = insn_end(loop->branch);
	struct check_addition addition;
	uint64_t back;

	addition_begin(walk, &addition);
	loop->exits[loop->copies] = addition.at;
	if (!take_rounds(walk, loop->copies + 1, &loop->words[loop->copies]))
		return walk_fails(walk, VERIFY_PROBE, "other rounds are counted, or none");
	if (!addition_end(walk, &addition, like))
		return false;
	rows_check(walk, walk->at, like, 0);
	if (!walk_take_bytes(walk, 0xe9) || !walk_take_distance(walk, 0, &back) ||
	    back != walk->range->copy_begin + loop->behind)
		return walk_fails(walk, VERIFY_CODE, "a loop's copy is left to elsewhere");
	return true;
}

/* One copy, up to where its branch leads. */
static bool take_copy(struct walk *walk, struct loop *loop)
{
	const unsigned condition =
		walk_insn_bytes(walk, loop->branch)[loop->branch->rel_offset - 1] & 15;

	if (loop->copies == COPIES_MAX || !take_block(walk, loop))
		return walk_fails(walk, VERIFY_CODE, "not the same block of a loop");
	rows_check(walk, walk->at, loop->branch->addr, 0);
	if (!walk_take_bytes(walk, (unsigned char)(0x70 | condition)) || walk->at == walk->size)
		return walk_fails(walk, VERIFY_CODE, "not the same branch of a loop");
	const uint8_t distance = walk->code[walk->at++];
	const uint32_t begin = walk->at;
	if (!take_exit(walk, loop))
		return false;
	while (walk->at < walk->size && walk->code[walk->at] == 0xcc)
		walk->at++;
	loop->copies++;
	return (walk->at == begin + distance && distance <= INT8_MAX) ||
	       walk_fails(walk, VERIFY_CODE, "the branch of a loop's copy leads elsewhere");
}

/* The block as it is in the loop: nothing is counted there. */
static bool loop_is_plain(struct walk *walk, const struct loop *loop)
{
	const struct check_range *range = walk->range;
	const uint64_t offset = loop->branch->target - range->begin;
	const uint32_t before = walk->at;
	const size_t point =
		partition_point(range->points.len, i, range->points.data[i].offset < offset);

	if (point == range->points.len || range->points.data[point].offset != offset)
		return walk_fails(walk, VERIFY_CODE, "a loop without its begin");
	walk->at = range->points.data[point].copy;
	const bool same = take_block(walk, loop) && walk->at == loop->at;
	walk->at = before;
	return same || walk_fails(walk, VERIFY_CODE, "copies of a loop that differs from them");
}

/* The words and entries of all instructions, now that the loop's counter is known. */
static bool check_exits(struct walk *walk, const struct loop *loop, uint64_t word)
{
	for (uint32_t i = 0; i < loop->copies; i++)
		if (loop->words[i] != word ||
		    !executions_claim_exit(walk, word, i + 1, loop->exits[i]))
			return walk_fails(walk, VERIFY_PROBE,
					  "the rounds of a loop's copy are counted elsewhere");
	return true;
}

static bool take_stub(struct walk *walk, struct loop *loop)
{
	uint64_t word;

	if (walk->has_lsda)
		return walk_fails(walk, VERIFY_EXCEPTIONS, "a loop's copy where exceptions land");
	do {
		if (!take_copy(walk, loop))
			return false;
	} while (walk->size - walk->at < TARE_COUNT_ROUNDS_BYTES ||
		 memcmp(walk->code + walk->at, TARE_COUNT_ROUNDS, TARE_COUNT_CODE_BYTES) != 0);
	const uint32_t at = walk->at;
	rows_check(walk, at, loop->branch->addr, 0);
	if (!take_rounds(walk, loop->copies + 1, &word) || !executions_claim_rounds(walk, word, at))
		return walk_fails(walk, VERIFY_PROBE, "the rounds of a loop are not counted");
	return check_exits(walk, loop, word) && loop_is_plain(walk, loop);
}

bool loop_stub_take(struct walk *walk, uint32_t behind, bool *ok)
{
	const struct insn *branch = walk->insn;
	const uint32_t before = walk->at;
	struct loop loop = {
		.branch = branch, .at = vec_last(&walk->range->points).copy, .behind = behind};
	const struct check_kept kept = check_keep(walk->check);

	if (branch->target < walk->range->begin || branch->target >= branch->addr ||
	    !take_block(walk, &loop)) {
		check_restore(walk->check, &kept);
		walk->at = before;
		return false;
	}
	walk->at = before;
	*ok = take_stub(walk, &loop);
	return true;
}
