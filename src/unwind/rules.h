/*
 * The rules of one file, made when they are first asked for: a function's from .eh_frame, else from
 * .debug_frame, else an instruction's from the code itself. So a file costs what is used of it. Not
 * for signal handlers: see rule_table.h.
 */
#ifndef TARE_UNWIND_RULES_H
#define TARE_UNWIND_RULES_H

#include "object/object.h"
#include "unwind/rule_table.h"

struct unwind_rules;

/*
 * `object` is borrowed, opened with OBJECT_UNWIND_SEARCH. Where it has a path, .debug_frame is read
 * from there when it is needed.
 */
struct unwind_rules *unwind_rules_new(const struct object *object);
void unwind_rules_free(struct unwind_rules *rules);

struct unwind_found {
	const struct unwind_rule *rule; /* NULL: none */
	const unsigned char *programs;
	bool from_code; /* the rule may be wrong: see from_code.h */
};

/* The rule of a frame in the call that ends before `link_addr`, or, if `exact`, interrupted there.
 */
struct unwind_found unwind_rules_find(struct unwind_rules *rules, uint64_t link_addr, bool exact);

/* Whether a call ends at `link_addr`, so that it can be a return address. */
bool unwind_rules_is_return(const struct unwind_rules *rules, uint64_t link_addr);

#endif
