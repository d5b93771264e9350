/*
 * The chunks of a thread file, and its nodes in an order in which callers precede their callees.
 *
 *   chunk table ─▶ numbers without gap, within the file ─▶ elements by number
 *   nodes ─▶ parent's number from its address ─▶ callers first ─▶ new numbers
 *
 * Nodes are large, and nearly always in that order: then they stay where they were read to.
 *
 * Refuses a chunk that does not go on where the last one of its kind ended: the kind ends there. A
 * node whose caller is none of the file, or is its own callee, becomes the root's.
 */
#include "session/thread_part.h"

static const size_t element_bytes[] = {
	[TARE_CHUNK_NODES] = sizeof(struct tare_node),
	[TARE_CHUNK_OS] = sizeof(struct tare_os_record),
	[TARE_CHUNK_MARKS] = 1,
	[TARE_CHUNK_NAMES] = 1,
	[TARE_CHUNK_WAITS] = sizeof(struct tare_wait),
};
table_covers(element_bytes, TARE_CHUNK_KINDS);

static uint32_t chunk_count(const struct thread_file *thread)
{
	const uint64_t count = thread->header.chunk_count;

	return count < TARE_CHUNKS_MAX ? (uint32_t)count : TARE_CHUNKS_MAX;
}

/* How many elements of `chunk`, which begins with number `first`, the file has. */
static size_t chunk_elements(const struct tare_chunk *chunk, size_t first, uint64_t wanted,
			     uint64_t file_size)
{
	const size_t bytes = element_bytes[chunk->kind];
	const uint64_t room =
		file_size > chunk->file_offset ? (file_size - chunk->file_offset) / bytes : 0;
	uint64_t count = chunk->count;

	if (count > room)
		count = room;
	return (size_t)(count < wanted - first ? count : wanted - first);
}

size_t thread_file_read_kind(const struct thread_file *thread,
			     const struct thread_file_source *source, enum tare_chunk_kind kind,
			     uint64_t wanted, void *elements)
{
	size_t have = 0;

	for (uint32_t i = 0; i < chunk_count(thread) && have < wanted; i++) {
		const struct tare_chunk *chunk = &thread->header.chunks[i];

		if (chunk->kind != (uint32_t)kind)
			continue;
		if (chunk->first != have)
			break;
		const size_t count = chunk_elements(chunk, have, wanted, source->size);
		if (elements)
			session_file_read_at(source->fd,
					     (char *)elements + have * element_bytes[kind],
					     count * element_bytes[kind], chunk->file_offset);
		have += count;
		if (count < chunk->count)
			break;
	}
	return have;
}

/* The number that the node at run address `addr` has in the file, below `count`. */
static bool number_at(const struct thread_file *thread, uint64_t addr, size_t count, size_t *number)
{
	for (uint32_t i = 0; i < chunk_count(thread); i++) {
		const struct tare_chunk *chunk = &thread->header.chunks[i];
		const uint64_t offset = addr - chunk->run_addr;

		if (chunk->kind != TARE_CHUNK_NODES || offset % sizeof(struct tare_node) ||
		    offset / sizeof(struct tare_node) >= chunk->count)
			continue;
		*number = chunk->first + (size_t)(offset / sizeof(struct tare_node));
		return *number < count;
	}
	return false;
}

bool thread_file_node_at(const struct thread_file *thread, uint64_t addr, size_t *node)
{
	size_t number;

	if (!number_at(thread, addr, thread->number_count, &number) ||
	    thread->numbers[number] == THREAD_FILE_NODE_NONE)
		return false;
	*node = thread->numbers[number];
	return true;
}

struct ordering {
	struct thread_file *thread;
	struct tare_node *nodes; /* as in the file */
	uint32_t *callers;	 /* numbers in the file */
	uint32_t *path;
	size_t count, done;
	bool moves; /* some caller comes behind its callee */
};

/* The caller of node `number`; the root's where there is none. */
static uint32_t caller_of(const struct ordering *order, size_t number)
{
	size_t caller;

	if (order->nodes[number].index & TARE_NODE_FOLDED)
		return 0;
	if (number_at(order->thread, order->nodes[number].parent, order->count, &caller) &&
	    order->nodes[caller].parent && !(order->nodes[caller].index & TARE_NODE_FOLDED))
		return (uint32_t)caller;
	order->thread->damaged++;
	return 0;
}

static bool is_numbered(const struct ordering *order, size_t number)
{
	return order->thread->numbers[number] < THREAD_FILE_NODE_ON_PATH;
}

static void number_node(struct ordering *order, size_t number)
{
	struct thread_file *thread = order->thread;
	const uint32_t now = (uint32_t)order->done++;

	thread->numbers[number] = now;
	thread->parents[now] = number ? thread->numbers[order->callers[number]] : 0;
	thread->folded[now] = number && order->nodes[number].index & TARE_NODE_FOLDED;
}

/* Numbers a node behind its callers. */
static void number_path(struct ordering *order, size_t number)
{
	uint32_t *numbers = order->thread->numbers;
	size_t length = 0;

	while (!is_numbered(order, number)) {
		numbers[number] = THREAD_FILE_NODE_ON_PATH;
		order->path[length++] = (uint32_t)number;
		if (!number)
			break;
		order->callers[number] = caller_of(order, number);
		if (numbers[order->callers[number]] == THREAD_FILE_NODE_ON_PATH) {
			order->callers[number] = 0;
			order->thread->damaged++;
		}
		number = order->callers[number];
	}
	order->moves |= length > 1;
	while (length)
		number_node(order, order->path[--length]);
}

/* Puts nodes where their new numbers say. */
static void move_nodes(struct ordering *order)
{
	const uint32_t *numbers = order->thread->numbers;
	struct tare_node *to = order->moves ? mem_alloc(order->done * sizeof(*to)) : order->nodes;

	if (order->moves)
		mem_advise_large(to, order->done * sizeof(*to));
	for (size_t i = 0; i < order->count; i++)
		if (numbers[i] != THREAD_FILE_NODE_NONE && &to[numbers[i]] != &order->nodes[i])
			to[numbers[i]] = order->nodes[i];
	if (order->moves)
		free(order->nodes);
	order->thread->nodes = to;
}

/* Takes `nodes`. */
static void nodes_order(struct thread_file *thread, struct tare_node *nodes, size_t count)
{
	struct ordering order = {.thread = thread,
				 .nodes = nodes,
				 .callers = mem_zalloc(count * sizeof(*order.callers)),
				 .path = mem_zalloc(count * sizeof(*order.path)),
				 .count = count};

	thread->number_count = count;
	thread->numbers = mem_zalloc(count * sizeof(*thread->numbers));
	thread->parents = mem_zalloc(count * sizeof(*thread->parents));
	thread->folded = mem_zalloc(count * sizeof(*thread->folded));
	for (size_t i = 0; i < count; i++)
		thread->numbers[i] = THREAD_FILE_NODE_NONE;
	thread->damaged += caller_of(&order, 0) || nodes[0].index;
	number_path(&order, 0);
	for (size_t i = 1; i < count; i++)
		if (nodes[i].parent)
			number_path(&order, i);
	move_nodes(&order);
	thread->node_count = order.done;
	free(order.callers);
	free(order.path);
}

void thread_file_read_nodes(struct thread_file *thread, const struct thread_file_source *source)
{
	uint64_t wanted = thread->header.node_count;

	if (wanted > TARE_THREAD_NODES_MAX)
		wanted = TARE_THREAD_NODES_MAX;
	size_t count = thread_file_read_kind(thread, source, TARE_CHUNK_NODES, wanted, NULL);
	thread->damaged += thread->header.node_count != count;
	/* The root is always there, if only to hold what else has no place. */
	struct tare_node *nodes = mem_zalloc((count + 1) * sizeof(*nodes));

	mem_advise_large(nodes, count * sizeof(*nodes));
	thread_file_read_kind(thread, source, TARE_CHUNK_NODES, count, nodes);
	nodes_order(thread, nodes, count ? count : 1);
}
