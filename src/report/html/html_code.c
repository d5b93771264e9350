/*
 * Which functions' code is in the page, and the columns that only the page has:
 *
 *   source:N.…            the view annotate of function N, as lines
 *   assembly:N.…          the same as instructions, and of each of these
 *   assembly:N.#kind      enum listing_kind
 *   assembly:N.#target    where a jump within the function leads: its row, from 1 on; 0: elsewhere
 *   assembly:N.#callee    function that a call or jump leads to, from 1 on; 0: none, or not known
 *   assembly:N.#bytes     text
 *   assembly:N.#taken, .#not_taken  how often a conditional jump jumped, and did not, plus one; 0:
 * not known assembly:N.#place     its innermost line: row of the columns place.…, from 1 on
 *   place.outer           where that line was inlined, from 1 on; 0: it is the function's own
 *   place.source, place.line
 *
 * Code is read from files of this machine that are those of the recording. The text of a source is
 * read where debug information of such a file names it: a profile from elsewhere cannot put other
 * files into the page, unless all is asked for.
 */
#include "report/html/html_code.h"

#include "analysis/executions.h"
#include "analysis/listing.h"
#include "report/html/html_table.h"

#include <string.h>

enum { FUNCTIONS_MOST = 100, INSTRUCTIONS_MOST = 150000 };

struct ranked {
	uint32_t function;
	uint64_t exclusive, inclusive;
	uint64_t executed; /* instructions, where they were counted */
};

struct ranking vec_of(struct ranked);
struct extents vec_of(struct annotation_extent);

struct code_packer {
	struct html_pack *pack;
	const struct analysis *analysis;
	const struct export_options *options;
	struct listings listings;
	struct map functions; /* (module, link address) → index */
};

const struct analysis *html_lines_of(const struct analysis *analysis,
				     const struct export_options *options)
{
	return options->lines ? options->lines : analysis;
}

/* ---- which functions ---- */

/* Samples taken in a function; of calls, the time of those that it made, which stand in its lines.
 */
static struct ranked rank_of(const struct analysis *analysis, uint32_t function)
{
	const struct analysis_values *values = &analysis->functions.data[function].values;
	struct ranked ranked = {.function = function};

	if (analysis->by_call_site) {
		ranked.inclusive = analysis_inclusive(analysis, values);
		ranked.exclusive = ranked.inclusive - analysis_exclusive(analysis, values);
	} else {
		ranked.inclusive = values->amount[SAMPLES_INCLUSIVE];
		ranked.exclusive = values->amount[SAMPLES_EXCLUSIVE];
	}
	return ranked;
}

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->exclusive != y->exclusive)
		return x->exclusive > y->exclusive ? -1 : 1;
	if (x->inclusive != y->inclusive)
		return x->inclusive > y->inclusive ? -1 : 1;
	if (x->executed != y->executed)
		return x->executed > y->executed ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

/* Executed instructions by function; free() them. */
static uint64_t *executed_of(const struct analysis *analysis)
{
	uint64_t *executed = mem_zalloc((analysis->functions.len + 1) * sizeof(*executed));

	if (!analysis->executions)
		return executed;
	vec_foreach (block, &analysis->executions->blocks) {
		if (block->function != ANALYSIS_NONE)
			executed[block->function] += block->count * block->instructions;
	}
	return executed;
}

static void rank(const struct analysis *analysis, struct ranking *ranking)
{
	uint64_t *executed = executed_of(analysis);

	for (uint32_t i = 0; i < analysis->functions.len; i++) {
		struct ranked ranked =
			analysis->stacks ? rank_of(analysis, i) : (struct ranked){.function = i};
		ranked.executed = executed[i];
		if ((ranked.inclusive || ranked.executed) && !analysis->functions.data[i].inlined)
			vec_push(ranking, ranked);
	}
	vec_sort(ranking, compare_ranked);
	free(executed);
}

/* Of as many as fit, what the page needs of their code. */
static void list(struct code_packer *packer, const struct ranking *ranking, struct html_code *code)
{
	const bool all = code->wanted == EXPORT_CODE_ALL;
	struct vec_of(uint32_t) functions = {0};

	code->most_functions = all ? 0 : FUNCTIONS_MOST;
	code->most_instructions = all ? 0 : INSTRUCTIONS_MOST;
	for (size_t i = 0; i < ranking->len && (all || i < FUNCTIONS_MOST); i++)
		vec_push(&functions, ranking->data[i].function);
	listings_make(packer->analysis, functions.data, functions.len,
		      all ? SIZE_MAX : INSTRUCTIONS_MOST, &packer->listings);
	vec_fini(&functions);
}

/* ---- columns of instructions ---- */

static uint64_t address_key(uint32_t module, uint64_t link_addr)
{
	return (uint64_t)module << 48 ^ link_addr;
}

static void index_functions(struct code_packer *packer)
{
	const struct analysis *analysis = packer->analysis;

	map_init(&packer->functions);
	for (uint32_t i = 0; i < analysis->functions.len; i++) {
		const struct analysis_function *function = &analysis->functions.data[i];
		if (!function->inlined && function->link_addr)
			map_put(&packer->functions,
				address_key(function->module, function->link_addr), i);
	}
}

/* What a table's column is made of: the instruction of each of its rows, or NULL. */
struct code_rows {
	const struct report_table *table;
	const struct listing *listing;
	struct map row_of; /* link address → row */
};

static const struct listing_instruction *instruction_of(const struct code_rows *rows, size_t row)
{
	return listing_at(rows->listing, rows->table->rows.data[row].code->link_addr);
}

static uint64_t target_row(const struct code_rows *rows,
			   const struct listing_instruction *instruction)
{
	const uint64_t *row = instruction->kind != LISTING_CALL && instruction->target
				      ? map_get(&rows->row_of, instruction->target)
				      : NULL;

	return row ? *row + 1 : 0;
}

static uint64_t callee_of(const struct code_packer *packer, const struct listing *listing,
			  const struct listing_instruction *instruction)
{
	const uint32_t module = packer->analysis->functions.data[listing->function].module;
	const uint64_t *function =
		instruction->target
			? map_get(&packer->functions, address_key(module, instruction->target))
			: NULL;

	/* A jump to its own beginning is a loop. */
	if (!function || (*function == listing->function && instruction->kind != LISTING_CALL))
		return 0;
	return *function + 1;
}

static uint64_t pack_bytes(struct html_pack *pack, const struct listing_instruction *instruction)
{
	static const char digits[] = "0123456789abcdef";
	char text[3 * sizeof(instruction->bytes) + 1] = "";
	size_t length = 0;

	for (size_t i = 0; i < instruction->length; i++) {
		if (i)
			text[length++] = ' ';
		text[length++] = digits[instruction->bytes[i] >> 4];
		text[length++] = digits[instruction->bytes[i] & 15];
	}
	return html_pack_text(pack, text);
}

/* How often the conditional jump jumped, or did not; plus one. */
static uint64_t jumped(const struct code_packer *packer, const struct listing *listing,
		       const struct listing_instruction *instruction, bool taken)
{
	const uint32_t module = packer->analysis->functions.data[listing->function].module;
	struct executed_jump jump;

	if (instruction->kind != LISTING_BRANCH ||
	    !analysis_jump_executions(packer->analysis, module, instruction->link_addr,
				      instruction->link_addr + instruction->length, &jump))
		return 0;
	if (taken)
		return jump.taken + 1;
	return jump.count > jump.taken ? jump.count - jump.taken + 1 : 1;
}

enum code_column {
	CODE_KIND,
	CODE_TARGET,
	CODE_CALLEE,
	CODE_BYTES,
	CODE_TAKEN,
	CODE_NOT_TAKEN,
	CODE_PLACE,
	CODE_COLUMNS
};

static uint64_t code_number(const struct code_packer *packer, const struct code_rows *rows,
			    const struct listing_instruction *instruction, enum code_column column)
{
	switch (column) {
	case CODE_KIND:
		return instruction->kind;
	case CODE_TARGET:
		return target_row(rows, instruction);
	case CODE_CALLEE:
		return callee_of(packer, rows->listing, instruction);
	case CODE_BYTES:
		return pack_bytes(packer->pack, instruction);
	case CODE_TAKEN:
		return jumped(packer, rows->listing, instruction, true);
	case CODE_NOT_TAKEN:
		return jumped(packer, rows->listing, instruction, false);
	case CODE_PLACE:
		return instruction->place == ANALYSIS_NONE ? 0 : instruction->place + 1ull;
	case CODE_COLUMNS:
		break;
	}
	return 0;
}

static void pack_code_columns(const struct code_packer *packer, const struct code_rows *rows,
			      const char *name)
{
	static const char *const names[] = {
		[CODE_KIND] = "kind",		[CODE_TARGET] = "target", [CODE_CALLEE] = "callee",
		[CODE_BYTES] = "bytes",		[CODE_PLACE] = "place",	  [CODE_TAKEN] = "taken",
		[CODE_NOT_TAKEN] = "not_taken",
	};
	table_covers(names, CODE_COLUMNS);

	for (int column = 0; column < CODE_COLUMNS; column++) {
		html_pack_begin(packer->pack);
		for (size_t i = 0; i < rows->table->rows.len; i++) {
			const struct listing_instruction *instruction = instruction_of(rows, i);
			html_pack_number(packer->pack,
					 instruction ? code_number(packer, rows, instruction,
								   (enum code_column)column)
						     : 0);
		}
		html_pack_end(packer->pack, "%s.#%s", name, names[column]);
	}
}

static void pack_all_columns(const struct code_packer *packer, const struct report_table *table,
			     const struct listing *listing, const char *name)
{
	struct code_rows rows = {.table = table, .listing = listing};

	map_init(&rows.row_of);
	for (size_t i = 0; i < table->rows.len; i++)
		map_put(&rows.row_of, table->rows.data[i].code->link_addr, i);
	pack_code_columns(packer, &rows, name);
	map_fini(&rows.row_of);
}

static void pack_places(struct code_packer *packer)
{
	struct html_pack *pack = packer->pack;

	html_pack_begin(pack);
	vec_foreach (place, &packer->listings.places) {
		html_pack_number(pack, place->outer == ANALYSIS_NONE ? 0 : place->outer + 1ull);
	}
	html_pack_end(pack, "place.outer");
	html_pack_begin(pack);
	vec_foreach (place, &packer->listings.places) {
		html_pack_number(pack, html_pack_text(pack, place->source));
	}
	html_pack_end(pack, "place.source");
	html_pack_begin(pack);
	vec_foreach (place, &packer->listings.places) {
		html_pack_number(pack, place->line);
	}
	html_pack_end(pack, "place.line");
}

/* ---- tables ---- */

/* Lines, or instructions with their columns. A function without known lines has only the latter. */
static bool pack_annotated(struct code_packer *packer, const struct report_options *wanted,
			   const struct listing *listing, struct error *err)
{
	struct report report = {0};
	char name[32];

	if (!report_open(&report, packer->analysis, wanted, err))
		return err->code == ERROR_NOT_FOUND || err->code == ERROR_USAGE;
	const struct report_table *table = &report.tables[0];
	const bool is_shown = table->rows.len > 0;
	snprintf(name, sizeof(name), "%s:%u", wanted->assembly ? "assembly" : "source",
		 listing->function);
	if (is_shown)
		html_pack_table(packer->pack, &report, table, name);
	if (is_shown && wanted->assembly)
		pack_all_columns(packer, table, listing, name);
	report_close(&report);
	return true;
}

/* The function's own lines, by file. */
static void find_extents(const struct listings *listings, const struct listing *listing,
			 struct extents *extents)
{
	vec_foreach (instruction, &listing->instructions) {
		if (instruction->place == ANALYSIS_NONE)
			continue;
		const struct listing_place *own = listing_outermost(listings, instruction->place);
		struct annotation_extent *extent = NULL;
		vec_foreach (known, extents) {
			if (known->source == own->source)
				extent = known;
		}
		if (!extent) {
			vec_push(extents,
				 ((struct annotation_extent){own->source, own->line, own->line}));
			continue;
		}
		if (own->line < extent->first)
			extent->first = own->line;
		if (own->line > extent->last)
			extent->last = own->line;
	}
}

static bool pack_function(struct code_packer *packer, const struct listing *listing,
			  struct error *err)
{
	struct extents extents = {0};

	find_extents(&packer->listings, listing, &extents);
	const struct annotation_whole whole = {
		.function = listing->function,
		.extents = extents.data,
		.extent_count = extents.len,
		.reads_any = packer->options->code == EXPORT_CODE_ALL,
		.code = packer->listings.code,
	};
	struct report_options wanted = {
		.view = "annotate",
		.function = packer->analysis->functions.data[listing->function].name,
		.whole = &whole,
		.profile_path = packer->options->path,
		.format = REPORT_JSON,
		.limit = REPORT_LIMIT_DEFAULT,
		.source_paths = packer->options->source_paths,
		.unicode = true};
	bool ok = pack_annotated(packer, &wanted, listing, err);
	wanted.assembly = true;
	ok = ok && pack_annotated(packer, &wanted, listing, err);
	vec_fini(&extents);
	return ok;
}

static bool pack_ranking(struct code_packer *packer, const struct ranking *ranking,
			 struct html_code *code, struct error *err)
{
	bool ok = true;

	list(packer, ranking, code);
	index_functions(packer);
	code->embedded = packer->listings.functions.len;
	for (size_t i = 0; i < packer->listings.functions.len && ok; i++) {
		ok = pack_function(packer, &packer->listings.functions.data[i], err);
		code->embedded_amount += ranking->data[i].exclusive;
	}
	pack_places(packer);
	map_fini(&packer->functions);
	listings_fini(&packer->listings);
	return ok;
}

bool html_pack_code(struct html_pack *pack, const struct analysis *analysis,
		    const struct export_options *options, struct html_code *code, struct error *err)
{
	struct code_packer packer = {
		.pack = pack, .analysis = html_lines_of(analysis, options), .options = options};
	struct ranking ranking = {0};
	bool ok = true;

	*code = (struct html_code){.wanted = options->code};
	if (packer.analysis->stacks || packer.analysis->executions)
		rank(packer.analysis, &ranking);
	code->functions = ranking.len;
	vec_foreach (ranked, &ranking) {
		code->amount += ranked->exclusive;
	}
	if (options->code != EXPORT_CODE_NO)
		ok = pack_ranking(&packer, &ranking, code, err);
	vec_fini(&ranking);
	return ok;
}

void html_code_end(struct html_pack *pack, const struct html_code *code)
{
	static const char *const names[] = {
		[EXPORT_CODE_HOT] = "hot", [EXPORT_CODE_NO] = "no", [EXPORT_CODE_ALL] = "all"};

	html_pack_key(pack, "code");
	str_printf(&pack->json,
		   "{\"embedded\":\"%s\",\"functions\":%llu,\"functions_embedded\":%llu,"
		   "\"amount\":%llu,\"amount_embedded\":%llu,\"most_functions\":%llu,"
		   "\"most_instructions\":%llu}",
		   names[code->wanted], (unsigned long long)code->functions,
		   (unsigned long long)code->embedded, (unsigned long long)code->amount,
		   (unsigned long long)code->embedded_amount,
		   (unsigned long long)code->most_functions,
		   (unsigned long long)code->most_instructions);
}
