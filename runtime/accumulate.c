/*
 * The general path of every event, and the look-up of nodes and OS records.
 *
 *   event ── join? ── charge interval to top ── pop what control flow has left ── push or pop
 *
 * Refuses nothing: an event that cannot be kept (no memory, no frame) is folded or dropped, and
 * counted in the thread file. Nothing here trusts that LEAVE follows ENTER.
 */
#include "runtime/accumulate.h"

#define INDEX_SLOTS_MIN	   512
#define FOLDED_RESERVE	   64 /* one in so many of the nodes is kept for folded ones */
#define OS_OBJECT_UNKNOWN  0
#define OS_SYSCALL_UNKNOWN 0xffff

static uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t h = (b ^ (a + 1) * 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;

	return h ^ h >> 29;
}

static struct tare_node *nodes_of(const struct tare_thread_file *self)
{
	return (struct tare_node *)(self->run_addr + TARE_THREAD_NODES_OFFSET);
}

static struct tare_os_record *os_of(const struct tare_thread_file *self)
{
	return (struct tare_os_record *)(self->run_addr + TARE_THREAD_OS_OFFSET);
}

static struct tare_frame *root_of(const struct tare_thread_file *self)
{
	return accumulate_frame(self->run_addr + TARE_THREAD_FRAMES_OFFSET);
}

static struct accumulate_local *local_of(const struct tare_thread_file *self)
{
	return (struct accumulate_local *)self->local;
}

static uint64_t slot_at(const struct accumulate_index *index, uint64_t hash)
{
	return hash >> 20 & (index->slot_count - 1);
}

static void index_put(struct accumulate_index *index, uint64_t hash, uint32_t value)
{
	uint64_t slot = slot_at(index, hash);

	while (index->slots[slot])
		slot = (slot + 1) & (index->slot_count - 1);
	index->slots[slot] = hash << 32 | value;
	index->used++;
}

/*
 * Makes room for one more entry, doubling when half full. `hash_of` gives an entry's hash anew.
 * False when there is no memory and the index is nearly full.
 */
static bool index_reserve(struct accumulate_index *index, const struct tare_thread_file *self,
			  uint64_t (*hash_of)(const struct tare_thread_file *, uint32_t))
{
	if (index->used < index->slot_count / 2)
		return true;
	struct accumulate_index larger = {.slot_count = index->slot_count ? index->slot_count * 2
									  : INDEX_SLOTS_MIN};

	larger.slots = accumulate_host_map(larger.slot_count * sizeof(*larger.slots));
	if (!larger.slots)
		return index->slot_count && index->used < index->slot_count / 8 * 7;
	for (uint64_t i = 0; i < index->slot_count; i++) {
		const uint32_t value = (uint32_t)index->slots[i];

		if (value)
			index_put(&larger, hash_of(self, value), value);
	}
	if (index->slots)
		accumulate_host_unmap(index->slots, index->slot_count * sizeof(*index->slots));
	*index = larger;
	return true;
}

static uint64_t node_hash(const struct tare_thread_file *self, uint32_t at)
{
	const struct tare_node *node = &nodes_of(self)[at];

	return hash_mix(node->parent, node->key);
}

static struct tare_node *node_find(const struct tare_thread_file *self, uint32_t parent,
				   uint64_t key)
{
	const struct accumulate_index *index = &local_of(self)->nodes;
	const uint64_t hash = hash_mix(parent, key);

	if (!index->slot_count)
		return NULL;
	for (uint64_t slot = slot_at(index, hash); index->slots[slot];
	     slot = (slot + 1) & (index->slot_count - 1)) {
		if ((uint32_t)hash != index->slots[slot] >> 32)
			continue;
		struct tare_node *node = &nodes_of(self)[(uint32_t)index->slots[slot]];
		if (node->key == key && node->parent == parent)
			return node;
	}
	return NULL;
}

struct tare_node *accumulate_find(const struct tare_thread_file *self, struct tare_node *parent,
				  uint64_t key)
{
	struct tare_node *node = node_find(self, (uint32_t)(parent - nodes_of(self)), key);

	if (node)
		parent->last_child = (uint64_t)node;
	return node;
}

static struct tare_node *node_append(struct tare_thread_file *self, uint32_t parent, uint64_t key)
{
	struct tare_node *node = &nodes_of(self)[self->node_count];
	const uint64_t none = (uint64_t)nodes_of(self);

	*node = (struct tare_node){.key = key,
				   .last_child = none,
				   .alias = none,
				   .parent = parent,
				   .elapsed_inclusive_min = ~0ULL,
				   .elapsed_exclusive_min = ~0ULL,
				   .application_inclusive_min = ~0ULL,
				   .application_exclusive_min = ~0ULL};
	self->node_count++;
	return node;
}

/* A new node while more than `keep` would remain; NULL otherwise. */
static struct tare_node *node_make(struct tare_thread_file *self, uint32_t parent, uint64_t key,
				   uint64_t keep)
{
	if (self->node_count + keep >= self->node_limit &&
	    !accumulate_host_grow(self, ACCUMULATE_NODES) &&
	    self->node_count + keep >= self->node_limit)
		return NULL;
	if (!index_reserve(&local_of(self)->nodes, self, node_hash))
		return NULL;
	const uint32_t at = (uint32_t)self->node_count;
	struct tare_node *node = node_append(self, parent, key);

	index_put(&local_of(self)->nodes, node_hash(self, at), at);
	return node;
}

/* The node of `key` when a context of its own cannot be had. */
static struct tare_node *node_fold(struct tare_thread_file *self, uint64_t key)
{
	const uint32_t folded = TARE_NODE_FOLDED | ACCUMULATE_NODE_ROOT;
	struct tare_node *node = node_find(self, folded, key);

	self->folded++;
	if (!node)
		node = node_make(self, folded, key, 0);
	return node ? node : &nodes_of(self)[ACCUMULATE_NODE_LAST];
}

static struct tare_node *node_child(struct tare_thread_file *self, uint32_t parent, uint64_t key)
{
	struct tare_node *node = node_find(self, parent, key);

	if (!node)
		node = node_make(self, parent, key, 1 + self->node_limit / FOLDED_RESERVE);
	if (!node)
		node = node_fold(self, key);
	nodes_of(self)[parent].last_child = (uint64_t)node;
	return node;
}

static uint64_t os_hash_values(const struct tare_os_record *record)
{
	return hash_mix((uint64_t)record->node << 32 | (uint64_t)record->cause << 16 |
				record->syscall_number,
			record->object);
}

static uint64_t os_hash(const struct tare_thread_file *self, uint32_t at)
{
	return os_hash_values(&os_of(self)[at - 1]); /* an index entry must not be 0 */
}

static struct tare_os_record *os_find(const struct tare_thread_file *self,
				      const struct tare_os_record *wanted)
{
	const struct accumulate_index *index = &local_of(self)->os;
	const uint64_t hash = os_hash_values(wanted);

	if (!index->slot_count)
		return NULL;
	for (uint64_t slot = slot_at(index, hash); index->slots[slot];
	     slot = (slot + 1) & (index->slot_count - 1)) {
		struct tare_os_record *record = &os_of(self)[(uint32_t)index->slots[slot] - 1];

		if (record->node == wanted->node && record->cause == wanted->cause &&
		    record->syscall_number == wanted->syscall_number &&
		    record->object == wanted->object)
			return record;
	}
	return NULL;
}

/* The record of `wanted`, a new one while more than `keep` would remain; NULL otherwise. */
static struct tare_os_record *os_make(struct tare_thread_file *self,
				      const struct tare_os_record *wanted, uint64_t keep)
{
	struct tare_os_record *record = os_find(self, wanted);

	if (record)
		return record;
	if (self->os_count + keep >= self->os_limit && !accumulate_host_grow(self, ACCUMULATE_OS) &&
	    self->os_count + keep >= self->os_limit)
		return NULL;
	if (!index_reserve(&local_of(self)->os, self, os_hash))
		return NULL;
	record = &os_of(self)[self->os_count];
	*record = *wanted;
	self->os_count++;
	index_put(&local_of(self)->os, os_hash_values(record), (uint32_t)self->os_count);
	return record;
}

static void os_record(struct tare_thread_file *self, const struct accumulate_event *event,
		      uint64_t delta)
{
	const struct tare_frame *top = accumulate_frame(self->top);
	struct tare_os_record wanted = {
		.node = (uint32_t)(accumulate_node(top->node) - nodes_of(self)),
		.cause = (uint16_t)event->os_cause,
		.syscall_number = event->syscall_number,
		.object = event->syscall_object};
	struct tare_os_record *record = os_make(self, &wanted, self->os_limit / 2);

	if (!record) {
		wanted.syscall_number = OS_SYSCALL_UNKNOWN;
		wanted.object = OS_OBJECT_UNKNOWN;
		record = os_make(self, &wanted, 0);
	}
	if (!record) {
		self->os_lost++;
		return;
	}
	record->count++;
	record->ticks += delta;
}

void accumulate_charge(struct tare_thread_file *self, const struct accumulate_event *event)
{
	struct tare_frame *top = accumulate_frame(self->top);
	uint64_t delta = event->ticks - self->last_ticks;

	if ((int64_t)delta < 0) {
		accumulate_node(top->node)->clamped_ticks += 0 - delta;
		if (0 - delta > 2 * event->cost_ticks)
			self->negative++;
		delta = 0;
	}
	self->last_ticks = event->ticks + event->cost_ticks;
	self->now_ticks += delta;
	top->exclusive += delta;
	if (!event->os)
		return;
	self->flagged++;
	self->os_ticks += delta;
	top->os_inclusive += delta;
	top->os_exclusive += delta;
	os_record(self, event, delta);
}

static void extreme_note(uint64_t *min, uint64_t *max, uint64_t value)
{
	if (value < *min)
		*min = value;
	if (value > *max)
		*max = value;
}

static void frame_count(const struct tare_thread_file *self, const struct tare_frame *frame,
			bool unwound)
{
	struct tare_node *node = accumulate_node(frame->node);
	const uint64_t inclusive = self->now_ticks - frame->start;

	node->calls++;
	node->calls_by_call += frame->by_call;
	node->unwound += unwound;
	extreme_note(&node->elapsed_inclusive_min, &node->elapsed_inclusive_max, inclusive);
	extreme_note(&node->elapsed_exclusive_min, &node->elapsed_exclusive_max, frame->exclusive);
	extreme_note(&node->application_inclusive_min, &node->application_inclusive_max,
		     inclusive - frame->os_inclusive);
	extreme_note(&node->application_exclusive_min, &node->application_exclusive_max,
		     frame->exclusive - frame->os_exclusive);
}

/* Ends the top frame, which is not the root, at the present clock. */
static void frame_end(struct tare_thread_file *self, bool unwound)
{
	struct tare_frame *top = accumulate_frame(self->top);

	accumulate_node(top->node)->elapsed_ticks += top->exclusive;
	if (!(top->by_call & ACCUMULATE_INHERITED))
		frame_count(self, top, unwound);
	top[-1].os_inclusive += top->os_inclusive;
	top->os_inclusive = 0;
	top->os_exclusive = 0;
	top->by_call = 0;
	top->pending = 0;
	self->top = (uint64_t)(top - 1);
}

/* Ends, as unwound, the frames whose stored sp is at most `sp`. */
static void frames_unwind(struct tare_thread_file *self, uint64_t sp)
{
	while (accumulate_frame(self->top)->sp <= sp)
		frame_end(self, true);
}

static struct tare_frame *frame_begin(struct tare_thread_file *self, uint64_t key, uint64_t sp)
{
	struct tare_frame *top = accumulate_frame(self->top);

	if ((uint64_t)(top + 2) > self->frame_limit &&
	    !accumulate_host_grow(self, ACCUMULATE_FRAMES)) {
		self->too_deep++;
		return NULL;
	}
	const uint32_t parent = (uint32_t)(accumulate_node(top->node) - nodes_of(self));

	top[1].node = (uint64_t)node_child(self, parent, key);
	top[1].sp = sp;
	top[1].start = self->now_ticks;
	top[1].exclusive = 0;
	self->top = (uint64_t)(top + 1);
	return top + 1;
}

/*
 * The pending frame becomes the frame of the function that reports ENTER. When time of the
 * operating system has been recorded for the target already (the loader binding it, say), the
 * target keeps its call and the function gets one of its own: records are not moved.
 */
static void frame_join(struct tare_thread_file *self, const struct accumulate_event *event)
{
	struct tare_frame *top = accumulate_frame(self->top);
	struct tare_node *node = accumulate_node(top->node);

	if (top->pending > ACCUMULATE_ANY_SITE)
		*(volatile uint8_t *)top->pending = 0;
	if (top->os_exclusive) {
		accumulate_charge(self, event);
		frame_end(self, false);
		frame_begin(self, event->key, event->sp);
		return;
	}
	if (node->key != event->key) {
		struct tare_node *function = accumulate_node(node->alias);

		if (function->key != event->key) {
			const struct tare_node *parent = accumulate_node(top[-1].node);

			function =
				node_child(self, (uint32_t)(parent - nodes_of(self)), event->key);
			node->alias = (uint64_t)function;
		}
		top->node = (uint64_t)function;
	}
	top->sp = event->sp;
	top->pending = 0;
	accumulate_charge(self, event);
}

static void event_enter(struct tare_thread_file *self, const struct accumulate_event *event)
{
	if (accumulate_frame(self->top)->sp == (event->sp | ACCUMULATE_PENDING)) {
		frame_join(self, event);
		return;
	}
	accumulate_charge(self, event);
	frames_unwind(self, event->sp);
	if (accumulate_frame(self->top)->sp == (event->sp | ACCUMULATE_PENDING))
		frame_join(self, event);
	else if (!frame_begin(self, event->key, event->sp))
		local_of(self)->deeper++;
}

static void event_leave(struct tare_thread_file *self, const struct accumulate_event *event)
{
	struct accumulate_local *local = local_of(self);

	accumulate_charge(self, event);
	frames_unwind(self, event->sp - 1);
	if (accumulate_frame(self->top)->sp == event->sp)
		frame_end(self, false);
	else if (local->deeper)
		local->deeper--;
	else
		self->unmatched++;
}

static void event_call(struct tare_thread_file *self, const struct accumulate_event *event)
{
	accumulate_charge(self, event);
	frames_unwind(self, event->sp | ACCUMULATE_PENDING);
	struct tare_frame *frame = frame_begin(self, event->key, event->sp | ACCUMULATE_PENDING);
	if (frame) {
		frame->pending = event->site;
		frame->by_call = ACCUMULATE_BY_CALL;
	}
}

static void event_return(struct tare_thread_file *self, const struct accumulate_event *event)
{
	accumulate_charge(self, event);
	frames_unwind(self, event->sp);
	if (accumulate_frame(self->top)->sp == (event->sp | ACCUMULATE_PENDING))
		frame_end(self, false);
}

void accumulate_event(struct tare_thread_file *self, const struct accumulate_event *event)
{
	self->events++;
	switch (event->kind) {
	case TARE_EVENT_ENTER:
		event_enter(self, event);
		break;
	case TARE_EVENT_LEAVE:
		event_leave(self, event);
		break;
	case TARE_EVENT_CALL:
		event_call(self, event);
		break;
	case TARE_EVENT_RETURN:
		event_return(self, event);
		break;
	case TARE_EVENT_KINDS:
		break;
	}
}

void accumulate_inherit(struct tare_thread_file *self, uint64_t key, uint64_t sp)
{
	struct tare_frame *frame = frame_begin(self, key, sp);

	if (!frame)
		return;
	frame->by_call = ACCUMULATE_INHERITED;
	frame->pending = sp & ACCUMULATE_PENDING ? ACCUMULATE_ANY_SITE : 0;
	self->inherited_frames++;
}

void accumulate_repair(struct tare_thread_file *self)
{
	struct tare_frame *top = accumulate_frame(self->top);
	uint64_t sum = 0;

	for (uint64_t i = 0; i < self->node_count; i++)
		sum += nodes_of(self)[i].elapsed_ticks;
	for (const struct tare_frame *frame = top; frame->sp != ~0ULL; frame--)
		sum += frame->exclusive;
	self->now_ticks = sum + root_of(self)->exclusive;
	if ((uint64_t)(top + 1) >= self->frame_limit)
		return;
	top[1].os_inclusive = 0;
	top[1].os_exclusive = 0;
	top[1].by_call = 0;
	top[1].pending = 0;
}

void accumulate_init(struct tare_thread_file *self, struct accumulate_local *local, uint64_t ticks)
{
	struct tare_frame *root = root_of(self);

	self->local = (uint64_t)local;
	self->node_count = 0;
	node_append(self, ACCUMULATE_NODE_ROOT, 0);
	node_append(self, TARE_NODE_FOLDED | ACCUMULATE_NODE_ROOT, TARE_NODE_OTHER);
	*root = (struct tare_frame){.node = (uint64_t)nodes_of(self), .sp = ~0ULL};
	self->begin_ticks = ticks;
	self->last_ticks = ticks;
	self->top = (uint64_t)root;
}

static void index_free(struct accumulate_index *index)
{
	if (index->slots)
		accumulate_host_unmap(index->slots, index->slot_count * sizeof(*index->slots));
	*index = (struct accumulate_index){0};
}

void accumulate_fini(struct accumulate_local *local)
{
	index_free(&local->nodes);
	index_free(&local->os);
}
