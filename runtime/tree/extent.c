#include "runtime/tree/extent.h"

#include "runtime/tree/calls.h"

#define PAGE_BYTES 4096ULL

bool extent_is_here(const struct tare_thread_file *self, uint64_t sp)
{
	return extent_has(&extent_stacks(self)->now, calls_place_at(sp));
}

/* What the handlers compare with; the root's sp is nobody's place, whatever its marks. */
void extent_show(struct tare_thread_file *self)
{
	const struct stack_extent *now = &extent_stacks(self)->now;

	self->stack_low = now->low;
	context_nodes(self)->sp = now->base + TARE_CALL_SPECIAL;
}

void extent_take_in(struct tare_thread_file *self, uint64_t place)
{
	struct stack_extent *now = &extent_stacks(self)->now;

	if (place < now->low)
		now->low = place & ~(PAGE_BYTES - 1);
	if (place > now->base)
		now->base = place;
	extent_show(self);
}

bool extent_is_floor(const struct tare_thread_file *self, const struct tare_node *node)
{
	const struct stacks_local *stacks = extent_stacks(self);

	return stacks->nested && stacks->outer[stacks->nested - 1].floor == (uint64_t)node;
}

void extent_nested_end(struct tare_thread_file *self)
{
	struct stacks_local *stacks = extent_stacks(self);

	stacks->nested--;
	stacks->now = stacks->outer[stacks->nested].extent;
	extent_show(self);
}

void extent_call_ended(struct tare_thread_file *self)
{
	if (!extent_stacks(self)->held && extent_is_floor(self, context_node(self->top)))
		extent_nested_end(self);
}

void extent_hold(struct tare_thread_file *self)
{
	extent_stacks(self)->held = true;
}

void extent_release(struct tare_thread_file *self)
{
	extent_stacks(self)->held = false;
	extent_call_ended(self);
}

const struct stack_frame *extent_carried(struct tare_thread_file *self,
					 const struct tare_node *node)
{
	struct stacks_local *stacks = extent_stacks(self);

	if (!stacks->carried || stacks->saved->frames[stacks->carried - 1].node != (uint64_t)node)
		return NULL;
	stacks->carried--;
	return &stacks->saved->frames[stacks->carried];
}

void extent_renamed(struct tare_thread_file *self, const struct tare_node *node,
		    const struct tare_node *other)
{
	struct stacks_local *stacks = extent_stacks(self);

	if (stacks->carried && stacks->saved->frames[stacks->carried - 1].node == (uint64_t)node)
		stacks->saved->frames[stacks->carried - 1].node = (uint64_t)other;
}
