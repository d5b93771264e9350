/*
 * Search in a table. Uses nothing of the C library and no memory of its own: it may run in a signal
 * handler.
 */
#include "unwind/rule_table.h"

static const uint32_t *starts_of(const struct unwind_table *table)
{
	return (const uint32_t *)(table + 1);
}

static const uint32_t *row_rules_of(const struct unwind_table *table)
{
	return starts_of(table) + table->row_count;
}

static const struct unwind_rule *rules_of(const struct unwind_table *table)
{
	return (const struct unwind_rule *)(row_rules_of(table) + table->row_count);
}

const unsigned char *unwind_table_programs(const struct unwind_table *table)
{
	return (const unsigned char *)(rules_of(table) + table->rule_count);
}

/* Bytes of an item that begins at `at`, of which `left` are there; 0 if it does not fit. */
static uint64_t item_bytes(const unsigned char *at, uint64_t left)
{
	static const uint8_t fixed[] = {
		[UNWIND_ITEM_END] = 1,
		[UNWIND_ITEM_CFA] = 6,
		[UNWIND_ITEM_CFA_EXPRESSION] = 3,
		[UNWIND_ITEM_UNDEFINED] = 2,
		[UNWIND_ITEM_AT] = 6,
		[UNWIND_ITEM_IS] = 6,
		[UNWIND_ITEM_REGISTER] = 3,
		[UNWIND_ITEM_AT_EXPRESSION] = 4,
		[UNWIND_ITEM_IS_EXPRESSION] = 4,
	};
	_Static_assert(sizeof(fixed) / sizeof(fixed[0]) == UNWIND_ITEM_KINDS,
		       "one entry per value");
	if (!left || *at >= sizeof(fixed) || fixed[*at] > left)
		return 0;
	uint64_t bytes = fixed[*at];

	if (*at == UNWIND_ITEM_CFA_EXPRESSION || *at == UNWIND_ITEM_AT_EXPRESSION ||
	    *at == UNWIND_ITEM_IS_EXPRESSION)
		bytes += at[bytes - 2] | (uint64_t)at[bytes - 1] << 8;
	return bytes <= left ? bytes : 0;
}

/* Does the program at `offset` begin with a CFA and end inside the programs? */
static bool program_check(const struct unwind_table *table, uint32_t offset)
{
	const unsigned char *programs = unwind_table_programs(table);
	bool first = true;

	for (;;) {
		const uint64_t left =
			offset < table->program_bytes ? table->program_bytes - offset : 0;
		const uint64_t bytes = item_bytes(programs + offset, left);

		if (!bytes)
			return false;
		const uint8_t item = programs[offset];
		if (first != (item == UNWIND_ITEM_CFA || item == UNWIND_ITEM_CFA_EXPRESSION))
			return false;
		if (item == UNWIND_ITEM_END)
			return true;
		offset += (uint32_t)bytes;
		first = false;
	}
}

bool unwind_table_check(const struct unwind_table *table, size_t size_bytes)
{
	if (size_bytes < sizeof(*table) || table->magic != UNWIND_TABLE_MAGIC ||
	    table->version != UNWIND_TABLE_VERSION || table->size_bytes != size_bytes)
		return false;
	const uint64_t parts = sizeof(*table) + (uint64_t)table->row_count * 2 * sizeof(uint32_t) +
			       (uint64_t)table->rule_count * sizeof(struct unwind_rule) +
			       table->program_bytes;

	if (parts != size_bytes || !table->rule_count)
		return false;
	for (uint32_t i = 0; i < table->row_count; i++)
		if (row_rules_of(table)[i] >= table->rule_count ||
		    (i && starts_of(table)[i] <= starts_of(table)[i - 1]))
			return false;
	for (uint32_t i = 0; i < table->rule_count; i++) {
		const struct unwind_rule *rule = &rules_of(table)[i];

		if (rule->flags & UNWIND_BY_PROGRAM
			    ? !program_check(table, (uint32_t)rule->cfa_offset)
			    : rule->cfa_register >= UNWIND_REGISTERS)
			return false;
	}
	return true;
}

const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t link_addr)
{
	const uint64_t wanted = link_addr - table->base;
	const uint32_t *starts = starts_of(table);
	uint32_t first = 0, count = table->row_count;

	if (link_addr < table->base || wanted > UINT32_MAX)
		return NULL;
	while (count) { /* the first start above it */
		const uint32_t half = count / 2;

		if (starts[first + half] <= wanted) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	if (!first || row_rules_of(table)[first - 1] == UNWIND_RULE_NONE)
		return NULL;
	return &rules_of(table)[row_rules_of(table)[first - 1]];
}
