/* See diff_gate.h. */
#include "report/diff/diff_gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};

static bool refuse(const char *text, const char *why, struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "--fail-if=%s: %s; it is a column, > or <, and a number: "
			 "application_inclusive>+5%%, calls>1000, elapsed_exclusive>+10ms",
			 text, why);
}

/* Takes " significant" off its end. */
static void take_significance(struct diff_gate *gate, struct str *unit)
{
	static const char word[] = "significant";

	if (!unit->data || !str_ends_with(unit->data, word))
		return;
	unit->len -= strlen(word);
	gate->significant = true;
	while (unit->len && unit->data[unit->len - 1] == ' ')
		unit->len--;
	unit->data[unit->len] = 0;
}

static bool take_unit(struct diff_gate *gate, const char *unit, struct error *err)
{
	const bool is_time = gate->column->type == CELL_TIME;

	if (strcmp(unit, "%") == 0) {
		gate->relative = gate->change;
		if (gate->change || gate->column->type == CELL_PERCENT)
			return true;
		return refuse(gate->text, "a percentage needs a sign, as it is of the difference",
			      err);
	}
	if (!is_time)
		return !unit[0] || refuse(gate->text, "the column has no unit", err);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].name) == 0) {
			gate->limit *= units[i].ns;
			return true;
		}
	}
	return refuse(gate->text, "a time is in ns, us, ms or s", err);
}

bool diff_gate_parse(const char *text, const struct view *view, struct diff_gate *gate,
		     struct error *err)
{
	const size_t name = strcspn(text, "<>");
	char *end;

	*gate = (struct diff_gate){.text = text};
	if (!text[name])
		return refuse(text, "it has no > or <", err);
	if (!name)
		return refuse(text, "it names no column", err);
	gate->column = column_find(view, text, name, err);
	if (!gate->column)
		return false;
	if (gate->column->type != CELL_COUNT && gate->column->type != CELL_TIME &&
	    gate->column->type != CELL_PERCENT)
		return refuse(text, "the column is no number that grows", err);
	const char *number = text + name + 1;
	gate->below = text[name] == '<';
	gate->change = number[0] == '+' || number[0] == '-';
	gate->limit = strtod(number, &end);
	if (end == number || !isfinite(gate->limit))
		return refuse(text, "it has no number", err);
	struct str unit = {0};
	str_append(&unit, end);
	take_significance(gate, &unit);
	const bool ok = take_unit(gate, unit.data ? unit.data : "", err);
	str_fini(&unit);
	return ok;
}

bool diff_gate_is_beyond(const struct diff_gate *gate, double before, double now)
{
	double value = gate->change ? now - before : now;

	if (gate->relative && before == 0)
		return !gate->below && now > 0;
	if (gate->relative)
		value = value * 100 / before;
	return gate->below ? value < gate->limit : value > gate->limit;
}

/* What it stood for when it vanished cannot be told. */
static bool has_vanished(const struct diff_value *base, const struct diff_value *now)
{
	return !now->is_there && base->value > 0;
}

enum diff_verdict diff_gate_judge(const struct diff_gate *gate, const struct diff_value *base,
				  const struct diff_value *now)
{
	const struct column_bounds *before = &base->bounds, *after = &now->bounds;
	const bool vanished = has_vanished(base, now);

	if (!now->is_there && !vanished)
		return DIFF_PASSES;
	if (!before->is_known || !after->is_known)
		return DIFF_NOT_COMPARED;
	if (!vanished && !diff_gate_is_beyond(gate, base->value, now->value))
		return DIFF_PASSES;
	const bool is_sure = vanished	   ? before->low > after->high
			     : gate->below ? diff_gate_is_beyond(gate, before->low, after->high)
					   : diff_gate_is_beyond(gate, before->high, after->low);
	return is_sure ? DIFF_FAILS : DIFF_WITHIN_ERRORS;
}
