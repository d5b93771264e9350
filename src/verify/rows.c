/*
 * Unwind states and exception tables of copies, at each place that the walk names: an instruction's
 * copy has the original's state; in stubs the stack is deeper. What is thrown by a copied
 * instruction is handled as by the original: in the copy of its landing pad, by the same action; a
 * gap in the table, where exceptions terminate, stays one.
 *
 * A pointer in such tables may be direct or go through a word that the loader fills. Both files may
 * differ in that, as long as the same word, or the word with that value, is meant.
 */
#include "verify/private.h"

#include "object/cfi_write.h"
#include "object/encoded_pointer.h"

#include <inttypes.h>
#include <string.h>

enum { REGISTER_RSP = 7 };

bool rows_begin(struct walk *walk)
{
	struct error err;
	const struct object_fde *fde = walk->range->fde, *copy_fde = walk->range->copy_fde;

	if (!fde)
		return true;
	if (!cfi_rows_read(fde, &walk->rows, &err))
		return walk_fails(walk, VERIFY_UNWIND, "the original's rows are not understood");
	if (!cfi_rows_read(copy_fde, &walk->copy_rows, &err))
		return walk_fails(walk, VERIFY_UNWIND, "the copy's rows are not understood");
	if (!fde->lsda != !copy_fde->lsda)
		return walk_fails(walk, VERIFY_EXCEPTIONS, "only one has an exception table");
	walk->has_lsda = fde->lsda != 0;
	if (!walk->has_lsda)
		return true;
	if (!lsda_read(walk->check->original, fde, &walk->lsda, &err))
		return walk_fails(walk, VERIFY_EXCEPTIONS, "the original's table is malformed");
	if (!lsda_read(walk->check->copy, copy_fde, &walk->copy_lsda, &err))
		return walk_fails(walk, VERIFY_EXCEPTIONS, "the copy's table is malformed");
	return true;
}

void rows_end(struct walk *walk)
{
	vec_fini(&walk->rows);
	vec_fini(&walk->copy_rows);
	lsda_fini(&walk->lsda);
	lsda_fini(&walk->copy_lsda);
}

/* ---- rows ---- */

static bool has_expression(const struct cfi_state *state)
{
	if (state->cfa.kind == CFI_EXPRESSION)
		return true;
	for (size_t i = 0; i < CFI_REGISTERS; i++)
		if (state->registers[i].kind == CFI_EXPRESSION ||
		    state->registers[i].kind == CFI_VAL_EXPRESSION)
			return true;
	return false;
}

static bool deeper_equal(const struct cfi_state *state, const struct cfi_state *copy, int64_t depth)
{
	struct cfi_state expected = *state;
	struct arena arena = {0};
	struct error ignored;

	if (!depth || !has_expression(state)) {
		if (expected.cfa_register == REGISTER_RSP)
			expected.cfa.offset += depth;
		return cfi_state_equal(&expected, copy);
	}
	arena_init(&arena);
	const bool equal = cfi_write_shift(&expected, depth, &arena, &ignored) &&
			   cfi_state_equal(&expected, copy);
	arena_fini(&arena);
	return equal;
}

/* A LEAVE probe writes over the slots below the stack pointer from which the epilogue took the
   caller's registers: those hold what they should. */
static void forget_slots(struct cfi_state *state)
{
	static const unsigned saved[] = {3, 6, 12, 13, 14, 15}; /* rbx rbp r12…r15 */

	if (state->cfa.kind != CFI_OFFSET || state->cfa_register != REGISTER_RSP)
		return;
	for (size_t i = 0; i < sizeof(saved) / sizeof(*saved); i++) {
		struct cfi_rule *rule = &state->registers[saved[i]];
		if (rule->kind == CFI_OFFSET && rule->offset < -state->cfa.offset)
			*rule = (struct cfi_rule){.kind = CFI_SAME};
	}
}

static bool agrees(const struct walk *walk, const struct cfi_state *state,
		   const struct cfi_state *copy, int64_t depth)
{
	struct cfi_state left = *state;

	if (walk->left || walk->in_leave) {
		forget_slots(&left);
		if (deeper_equal(&left, copy, depth))
			return true;
	}
	return !walk->left && deeper_equal(state, copy, depth);
}

static bool state_agrees(const struct walk *walk, uint32_t at, uint64_t like, int64_t depth)
{
	const struct cfi_row *row = cfi_row_at(&walk->rows, like);
	const struct cfi_row *copy = cfi_row_at(&walk->copy_rows, walk->range->copy_begin + at);

	return row && copy && agrees(walk, &row->state, &copy->state, depth);
}

void rows_check(struct walk *walk, uint32_t at, uint64_t like, int64_t depth)
{
	if (!walk->range->fde)
		return;
	walk->check->result->counts.rows++;
	if (!state_agrees(walk, at, like, depth))
		check_differs(walk->check, VERIFY_UNWIND, like, walk->range->copy_begin + at,
			      "the unwind state differs");
}

/* With the state of any nop that the filler stands for. */
static bool agrees_with_filler(const struct walk *walk, uint32_t at)
{
	if (!walk->filler || !walk->range->fde)
		return false;
	vec_foreach (row, &walk->rows)
		if (row->addr > walk->filler && row->addr < walk->insn->addr &&
		    state_agrees(walk, at, row->addr, 0))
			return true;
	return state_agrees(walk, at, walk->filler, 0);
}

void rows_check_filler(struct walk *walk, uint32_t at)
{
	if (agrees_with_filler(walk, at))
		walk->check->result->counts.rows++;
	else
		rows_check(walk, at, walk->insn->addr, 0);
}

/* ---- call sites ---- */

/* Control does not come as by a call, not even at a function's begin. */
static void note_landing_pad(struct walk *walk, uint64_t pad, uint64_t copy_pad)
{
	const struct check_target noted = {.addr = walk->insn->addr,
					   .copy_addr = walk_addr(walk),
					   .target = pad,
					   .copy_target = copy_pad,
					   .from = check_range_at(walk->check, pad)};

	vec_push(&walk->check->targets, noted);
}

void rows_check_call_site(struct walk *walk, const struct insn *insn, uint32_t begin, uint32_t end)
{
	const uint64_t copy_addr = walk->range->copy_begin + begin;

	if (!walk->has_lsda || end <= begin)
		return;
	/* The unwinder looks up the last byte of the call. */
	const struct lsda_call_site *site = lsda_call_site_at(&walk->lsda, insn_end(insn) - 1);
	const struct lsda_call_site *copy =
		lsda_call_site_at(&walk->copy_lsda, walk->range->copy_begin + end - 1);
	walk->check->result->counts.call_sites++;
	if (!site != !copy)
		check_differs(walk->check, VERIFY_EXCEPTIONS, insn->addr, copy_addr,
			      "%s exceptions terminate", site ? "now" : "no longer do");
	if (!site || !copy)
		return;
	if (site->action != copy->action || !site->landing_pad != !copy->landing_pad)
		check_differs(walk->check, VERIFY_EXCEPTIONS, insn->addr, copy_addr,
			      "exceptions are handled differently");
	else if (site->landing_pad)
		note_landing_pad(walk, site->landing_pad, copy->landing_pad);
}

void rows_check_stubs(struct walk *walk, uint32_t begin, uint32_t end)
{
	if (!walk->has_lsda || begin >= end)
		return;
	const uint64_t first = walk->range->copy_begin + begin;
	const struct lsda_call_site *site = lsda_call_site_at(&walk->copy_lsda, first);
	if (!site || site->landing_pad || site->action || site->begin > first ||
	    site->end < walk->range->copy_begin + end)
		check_differs(walk->check, VERIFY_EXCEPTIONS, 0, first,
			      "the stubs are not passed when something is thrown");
}

/* ---- pointers ---- */

struct pointer {
	uint64_t value;
	bool indirect; /* `value` is the address of the word that holds it */
};

static bool word_is(const struct check *check, uint64_t addr, uint64_t value)
{
	const unsigned char *bytes = object_at(check->original, addr, sizeof(value));
	uint64_t word, target;

	if (!bytes)
		return false;
	memcpy(&word, bytes, sizeof(word));
	return word == value ||
	       (object_code_word(check->original, addr, &target) && target == value);
}

static bool pointer_equal(const struct check *check, struct pointer a, struct pointer b)
{
	if (a.indirect == b.indirect)
		return a.value == b.value;
	return a.indirect ? word_is(check, a.value, b.value) : word_is(check, b.value, a.value);
}

/* An absolute pointer of eight bytes is such a word by itself. */
static struct pointer pointer_of(uint8_t encoding, uint64_t field, uint64_t value)
{
	const bool word = (encoding & POINTER_BASE) == 0 && pointer_size(encoding) == 8;

	if (encoding & POINTER_INDIRECT)
		return (struct pointer){value, true};
	return word ? (struct pointer){field, true} : (struct pointer){value, false};
}

bool rows_same_personality(const struct check *check, const struct object_cie *a,
			   const struct object_cie *b)
{
	const bool has_a = a->personality_encoding != POINTER_OMIT && a->personality_field;
	const bool has_b = b->personality_encoding != POINTER_OMIT && b->personality_field;

	if (!has_a || !has_b)
		return has_a == has_b || !(has_a ? a : b)->personality;
	return pointer_equal(
		check, pointer_of(a->personality_encoding, a->personality_field, a->personality),
		pointer_of(b->personality_encoding, b->personality_field, b->personality));
}

/*
 * How long these tables are is known from what their call sites reach. The copy has none of a call
 * site without code, so it may reach less.
 */
static bool begins_as(const unsigned char *a, size_t a_size, const unsigned char *b, size_t b_size)
{
	return b_size <= a_size && (!b_size || memcmp(a, b, b_size) == 0);
}

static bool rows_same_types(struct check *check, const struct lsda *a, const struct lsda *b)
{
	if (b->type_count > a->type_count ||
	    !begins_as(a->actions, a->actions_size, b->actions, b->actions_size) ||
	    !begins_as(a->filters, a->filters_size, b->filters, b->filters_size))
		return false;
	for (uint64_t i = 1; i <= b->type_count; i++) {
		uint64_t entry_a, value_a, entry_b, value_b;
		if (!lsda_type(check->original, a, i, &entry_a, &value_a) ||
		    !lsda_type(check->copy, b, i, &entry_b, &value_b) ||
		    !pointer_equal(check, pointer_of(a->type_encoding, entry_a, value_a),
				   pointer_of(b->type_encoding, entry_b, value_b)))
			return false;
	}
	return true;
}

void rows_check_tables(struct walk *walk)
{
	const struct check_range *range = walk->range;
	const struct object_cie *cie = range->fde ? range->fde->cie : NULL;
	const struct object_cie *copy_cie = range->copy_fde ? range->copy_fde->cie : NULL;

	if (!cie || !copy_cie)
		return;
	if (cie->signal_frame != copy_cie->signal_frame ||
	    cie->return_register != copy_cie->return_register)
		check_differs(walk->check, VERIFY_UNWIND, range->begin, range->copy_begin,
			      "another kind of frame");
	if (!rows_same_personality(walk->check, cie, copy_cie))
		check_differs(walk->check, VERIFY_EXCEPTIONS, range->begin, range->copy_begin,
			      "another personality routine");
	if (walk->has_lsda && !rows_same_types(walk->check, &walk->lsda, &walk->copy_lsda))
		check_differs(walk->check, VERIFY_EXCEPTIONS, range->begin, range->copy_begin,
			      "another table of types or actions");
}
