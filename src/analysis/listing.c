/*
 * See listing.h. Functions are decoded one by one; then the lines of all instructions of a module
 * are looked up at once. Refuses nothing: what cannot be read is not listed.
 */
#include "analysis/listing.h"

#include "analysis/code.h"
#include "base/partition.h"
#include "insn/insn.h"
#include "object/lines.h"

#include <string.h>

struct lister {
	const struct analysis *analysis;
	struct listings *listings;
	struct code_reader *code;
	struct strmap sources; /* path → number */
	struct vec_of(const char *) source_of;
	struct map frames; /* (source, line) → number */
	struct map places; /* (outer place + 1, frame) → index */
};

/* ---- instructions ---- */

static enum listing_kind kind_of(const struct insn *insn)
{
	switch ((enum insn_kind)insn->kind) {
	case INSN_BRANCH:
	case INSN_LOOP:
		return LISTING_BRANCH;
	case INSN_JUMP:
		return LISTING_JUMP;
	case INSN_JUMP_INDIRECT:
		return LISTING_JUMP_INDIRECT;
	case INSN_CALL:
		return LISTING_CALL;
	case INSN_CALL_INDIRECT:
		return LISTING_CALL_INDIRECT;
	case INSN_RETURN:
		return LISTING_RETURN;
	case INSN_TRAP:
		return LISTING_STOP;
	case INSN_PLAIN:
		break;
	}
	return LISTING_PLAIN;
}

/* False where the file has no code at the address. */
static bool read_instruction(const struct object *object, uint64_t addr, uint64_t end,
			     struct listing_instruction *instruction)
{
	uint64_t size = end - addr;
	struct insn insn = {0};

	*instruction = (struct listing_instruction){.link_addr = addr, .place = ANALYSIS_NONE};
	if (size > sizeof(instruction->bytes))
		size = sizeof(instruction->bytes);
	while (size && !object_at(object, addr, size))
		size--;
	if (!size || !object_is_executable(object, addr))
		return false;
	const unsigned char *bytes = object_at(object, addr, size);
	if (insn_decode(bytes, size, addr, &insn)) {
		instruction->kind = kind_of(&insn);
		instruction->length = insn.length;
		if (insn_is_branch(&insn) || insn.kind == INSN_CALL)
			instruction->target = insn.target;
	} else {
		instruction->length = (uint8_t)code_text(object, addr, end, NULL, 0);
	}
	memcpy(instruction->bytes, bytes, instruction->length);
	return instruction->length > 0;
}

static void list_function(struct lister *lister, uint32_t function)
{
	const struct analysis_function *row = &lister->analysis->functions.data[function];
	struct listing listing = {.function = function};
	struct listing_instruction instruction;
	const char *reason;
	const struct object *object = code_of_module(lister->code, row->module, &reason);
	const uint64_t end = object ? code_end(object, row) : 0;

	for (uint64_t at = row->link_addr; at < end; at += instruction.length) {
		if (!read_instruction(object, at, end, &instruction))
			break;
		vec_push(&listing.instructions, instruction);
	}
	vec_push(&lister->listings->functions, listing);
}

/* ---- lines ---- */

static uint64_t source_number(struct lister *lister, const char *path)
{
	const uint64_t *known = strmap_get(&lister->sources, path);

	if (known)
		return *known;
	const char *own = arena_strdup(&lister->listings->arena, path);
	strmap_put(&lister->sources, own, lister->source_of.len);
	vec_push(&lister->source_of, own);
	return lister->source_of.len - 1;
}

static uint32_t place_of(struct lister *lister, uint32_t outer, const struct lines_frame *frame)
{
	const uint64_t source = source_number(lister, frame->source);
	const uint64_t number =
		*map_put(&lister->frames, source << 32 | frame->line, lister->frames.len);
	const uint32_t fresh = (uint32_t)lister->listings->places.len;
	/* ANALYSIS_NONE is the greatest number: with one more it is 0. */
	const uint64_t index =
		*map_put(&lister->places, (uint64_t)(uint32_t)(outer + 1) << 32 | number, fresh);

	if (index == fresh)
		vec_push(&lister->listings->places,
			 ((struct listing_place){.outer = outer,
						 .source = lister->source_of.data[source],
						 .line = frame->line}));
	return (uint32_t)index;
}

/* Of frames beyond one whose line is not known, nothing is said. */
static uint32_t place_of_answer(struct lister *lister, const struct lines_answer *answer)
{
	uint32_t place = ANALYSIS_NONE;

	for (size_t i = answer->count; i-- > 0;) {
		if (!answer->frames[i].source || !answer->frames[i].line)
			break;
		place = place_of(lister, place, &answer->frames[i]);
	}
	return place;
}

static uint32_t module_of(const struct lister *lister, const struct listing *listing)
{
	return lister->analysis->functions.data[listing->function].module;
}

static void find_lines(struct lister *lister, uint32_t module)
{
	struct vec_of(uint64_t) addrs = {0};
	const char *reason;
	const struct object *object = code_of_module(lister->code, module, &reason);
	struct lines *lines = object ? lines_open(object, NULL) : NULL;
	size_t at = 0;

	vec_foreach (listing, &lister->listings->functions) {
		if (module_of(lister, listing) != module)
			continue;
		vec_foreach (instruction, &listing->instructions) {
			vec_push(&addrs, instruction->link_addr);
		}
	}
	struct lines_answer *answers = mem_zalloc((addrs.len + 1) * sizeof(*answers));
	if (lines)
		lines_find(lines, addrs.data, addrs.len, answers);
	vec_foreach (listing, &lister->listings->functions) {
		if (module_of(lister, listing) != module)
			continue;
		vec_foreach (instruction, &listing->instructions) {
			instruction->place = place_of_answer(lister, &answers[at++]);
		}
	}
	free(answers);
	vec_fini(&addrs);
	if (lines)
		lines_close(lines);
}

static void find_all_lines(struct lister *lister)
{
	struct map seen = {0};

	map_init(&seen);
	vec_foreach (listing, &lister->listings->functions) {
		const size_t before = seen.len;
		const uint32_t module = module_of(lister, listing);
		map_put(&seen, module, 0);
		if (seen.len > before)
			find_lines(lister, module);
	}
	map_fini(&seen);
}

/* ---- all of it ---- */

void listings_make(const struct analysis *analysis, const uint32_t *functions, size_t count,
		   size_t most, struct listings *listings)
{
	struct lister lister = {.analysis = analysis, .listings = listings};
	size_t total = 0;

	*listings = (struct listings){0};
	arena_init(&listings->arena);
	strmap_init(&lister.sources);
	map_init(&lister.frames);
	map_init(&lister.places);
	lister.code = listings->code = mem_zalloc(sizeof(*listings->code));
	code_reader_init(listings->code, analysis);
	for (size_t i = 0; i < count; i++) {
		list_function(&lister, functions[i]);
		total += vec_last(&listings->functions).instructions.len;
		if (i && total > most) {
			vec_fini(&vec_last(&listings->functions).instructions);
			listings->functions.len--;
			break;
		}
	}
	find_all_lines(&lister);
	map_fini(&lister.places);
	map_fini(&lister.frames);
	vec_fini(&lister.source_of);
	strmap_fini(&lister.sources);
}

void listings_fini(struct listings *listings)
{
	vec_foreach (listing, &listings->functions) {
		vec_fini(&listing->instructions);
	}
	vec_fini(&listings->functions);
	vec_fini(&listings->places);
	if (listings->code)
		code_reader_fini(listings->code);
	free(listings->code);
	arena_fini(&listings->arena);
}

const struct listing_instruction *listing_at(const struct listing *listing, uint64_t link_addr)
{
	const struct listing_instruction *all = listing->instructions.data;
	const size_t at =
		partition_point(listing->instructions.len, i, all[i].link_addr < link_addr);

	return at < listing->instructions.len && all[at].link_addr == link_addr ? &all[at] : NULL;
}

const struct listing_place *listing_outermost(const struct listings *listings, uint32_t place)
{
	const struct listing_place *at = &listings->places.data[place];

	while (at->outer != ANALYSIS_NONE)
		at = &listings->places.data[at->outer];
	return at;
}
