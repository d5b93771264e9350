/*
 * The calls in progress in a thread file: the nodes from header.top along their callers to the
 * root, and the exclusive time that each has had so far (abi/arena.h).
 *
 * Refuses a chain that leaves the nodes or does not come closer to the root with every step: it is
 * cut there, and what is outside of it counts as the root's.
 */
#include "record/arena_part.h"

/* A node of the chain. Places count the nodes first, then the temporary ones: callers have less. */
struct link {
	const struct tare_node *node;
	size_t place;
	uint32_t kept; /* index of the node that keeps the values */
};

struct chain {
	struct arena_thread *thread;
	struct tare_node *temporaries;
	size_t temporary_count;
	struct link *links; /* innermost first, without the root */
	size_t count;
};

/* The place of the node at run address `addr`; false where it points elsewhere. */
static bool place_of(const struct chain *chain, uint64_t addr, size_t *place)
{
	const struct arena_thread *thread = chain->thread;
	const uint64_t offset = addr - thread->header.run_addr;
	const bool temporary = offset >= TARE_THREAD_TEMPORARY_OFFSET;
	const uint64_t base = temporary ? TARE_THREAD_TEMPORARY_OFFSET : TARE_THREAD_NODES_OFFSET;
	const size_t count = temporary ? chain->temporary_count : thread->node_count;

	if (offset < base || (offset - base) % sizeof(struct tare_node))
		return false;
	const uint64_t index = (offset - base) / sizeof(struct tare_node);
	*place = (size_t)index + (temporary ? thread->node_count : 0);
	return index < count;
}

/* Sums of times may lie below 0: abi/arena.h. */
static bool value_is_sound(int64_t sum)
{
	return sum <= (int64_t)ARENA_VALUE_MAX && sum >= -(int64_t)ARENA_VALUE_MAX;
}

static bool link_at(const struct chain *chain, uint64_t addr, struct link *link)
{
	const struct arena_thread *thread = chain->thread;
	size_t kept;

	if (!place_of(chain, addr, &link->place))
		return false;
	kept = link->place;
	link->node = &thread->nodes[kept];
	if (link->place >= thread->node_count) {
		link->node = &chain->temporaries[link->place - thread->node_count];
		if (!place_of(chain, link->node->alias, &kept) || kept >= thread->node_count)
			return false;
	}
	link->kept = (uint32_t)kept;
	return link->node->start <= ARENA_VALUE_MAX && value_is_sound(link->node->child) &&
	       link->node->os_exclusive <= ARENA_VALUE_MAX;
}

static void chain_follow(struct chain *chain)
{
	struct arena_thread *thread = chain->thread;
	const size_t most = thread->node_count + chain->temporary_count;
	uint64_t addr = thread->header.top;
	size_t before = most;

	chain->links = mem_zalloc(most * sizeof(*chain->links));
	for (;;) {
		struct link link;

		if (!link_at(chain, addr, &link) || link.place >= before) {
			thread->damaged++;
			return;
		}
		if (!link.place)
			return;
		chain->links[chain->count++] = link;
		before = link.place;
		addr = link.node->parent;
	}
}

/*
 * A probe that was at work when the thread was killed may have ended a call and not yet told its
 * caller, which is then at the top: the time that is missing there. See accumulate_repair.
 */
static int64_t missing_child_ticks(const struct chain *chain)
{
	const struct arena_thread *thread = chain->thread;
	int64_t missing = 0;

	if (!thread->header.gate)
		return 0;
	for (size_t i = 0; i < thread->node_count; i++)
		missing += thread->nodes[i].elapsed_ticks;
	for (size_t i = 0; i < chain->count; i++)
		missing -= chain->links[i].node->child;
	missing -= thread->nodes[0].child;
	const int64_t most = (int64_t)thread->header.now_ticks;

	return missing <= most && missing >= -most ? missing : 0;
}

/* The exclusive time so far. */
static int64_t exclusive_ticks(const struct link *link, uint64_t end_ticks, int64_t more_child)
{
	const struct tare_node *node = link->node;

	return (int64_t)(end_ticks - node->start) - node->child - more_child;
}

static void chain_take(const struct chain *chain)
{
	struct arena_thread *thread = chain->thread;
	const struct link root = {.node = &thread->nodes[0]};
	uint64_t end_ticks = thread->header.now_ticks;
	int64_t missing = missing_child_ticks(chain);
	bool inherited = false;

	thread->open_calls = mem_zalloc((chain->count + 1) * sizeof(*thread->open_calls));
	for (size_t i = 0; i < chain->count; i++) {
		const struct link *link = &chain->links[i];
		size_t place;

		inherited |=
			place_of(chain, thread->header.inherited, &place) && place == link->place;
		thread->open_calls[i] = (struct arena_open_call){
			.node = link->kept,
			.by_call = (0 - link->node->sp) & TARE_CALL_BY_CALL,
			.inherited = inherited,
			.exclusive_ticks = exclusive_ticks(link, end_ticks, missing),
		};
		end_ticks = link->node->start;
		missing = 0;
	}
	thread->open_call_count = chain->count;
	thread->root_exclusive = exclusive_ticks(&root, end_ticks, missing);
}

void open_calls_read(struct arena_thread *thread, int fd, uint64_t file_size)
{
	const uint64_t wanted = thread->header.temporary_count;
	struct chain chain = {.thread = thread};

	chain.temporary_count = arena_elements_in_file(wanted, TARE_THREAD_TEMPORARY_MAX,
						       TARE_THREAD_TEMPORARY_OFFSET,
						       sizeof(struct tare_node), file_size);
	thread->damaged += wanted != chain.temporary_count;
	chain.temporaries = mem_zalloc((chain.temporary_count + 1) * sizeof(*chain.temporaries));
	arena_read_at(fd, chain.temporaries, chain.temporary_count * sizeof(*chain.temporaries),
		      TARE_THREAD_TEMPORARY_OFFSET);
	chain_follow(&chain);
	chain_take(&chain);
	free(chain.links);
	free(chain.temporaries);
}
