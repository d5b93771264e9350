/*
 * The rule of code without unwind information (start-up code, PLTs of some linkers, C libraries
 * that are built without), from what the code does until it returns.
 */
#ifndef TARE_UNWIND_FROM_CODE_H
#define TARE_UNWIND_FROM_CODE_H

#include "object/object.h"
#include "unwind/rule_table.h"

/* False where no way to a return is found. `link_addr`: the next instruction to be executed. */
bool unwind_rule_from_code(const struct object *object, uint64_t link_addr,
			   struct unwind_rule *rule);
/* The same, as long as *steps instructions are left, from which those that were followed are taken.
 */
bool unwind_rule_from_code_within(const struct object *object, uint64_t link_addr,
				  struct unwind_rule *rule, size_t *steps);

/* Whether a call ends at `link_addr`, so that it can be a return address. */
bool unwind_is_return_addr(const struct object *object, uint64_t link_addr);

#endif
