/*
 * Translating an event log. One chunk is in memory at a time.
 *
 *   slots ─▶ chunk headers, by sequence ─▶ records ─▶ calls in progress as node indexes
 *                                                  └▶ records with the profile's numbers
 *
 * Refuses records that contradict the tree (a call whose node is not its caller's child, an end
 * without a call): what follows in that chunk is lost, and counted. Calls in progress at the
 * begin of a chunk are taken from its header where they are not known from the one before.
 */
#include "assemble/trace_log.h"

#include "profile/trace_record.h"
#include "session/thread_part.h"

#include <string.h>

/* Of nodes that the profile does not have, and calls whose function is not known. */
#define NUMBER_UNKNOWN TARE_TRACE_UNKNOWN

enum { SLOTS_MAX = 1 << 24, CALLS_SET_MAX = 1 << 26, TRACE_FOLDED_MAX = 1 << 16 };

struct slot {
	struct tare_trace_chunk header;
	uint64_t offset; /* in the file */
};

/* A call in progress: its node's index in the thread's file, and what the profile calls it. */
struct open_call {
	uint32_t node, number;
};

struct open_calls vec_of(struct open_call);

struct translation {
	struct trace_log *log;
	struct profile_writer *writer;
	struct vec_of(struct slot) slots;
	struct open_calls calls; /* outermost first, without the root */
	struct byte_vec out;
	unsigned char *bytes; /* a chunk */
	uint64_t ticks;
	uint64_t events_seen; /* records read, and those that are missing between */
	uint64_t lost;
	uint64_t joined;	  /* records that were merged into the one before */
	struct trace_record held; /* ENTER, until it is known that it is not joined at once */
	bool holds;
	uint64_t calls_set; /* steps that calls_set took in this chunk */
	struct profile_trace_chunk row;
};

/* ---- nodes ---- */

/*
 * The index of the node that a record names. THREAD_FILE_NODE_NONE where it meant a context that
 * has given way to another since. False where there is no such node.
 */
static bool node_find(const struct translation *translation, uint32_t number, uint32_t *node)
{
	const struct thread_file *thread = translation->log->thread;

	if (number >= thread->number_count)
		return false;
	*node = thread->numbers[number];
	if (*node >= thread->node_count ||
	    thread->nodes[*node].trace_from > translation->events_seen)
		*node = THREAD_FILE_NODE_NONE;
	return true;
}

static uint32_t number_of(const struct translation *translation, uint32_t node)
{
	const int64_t *ids = translation->log->ids;

	if (node == THREAD_FILE_NODE_NONE)
		return NUMBER_UNKNOWN;
	return ids[node] ? (uint32_t)(ids[node] - ids[0]) : NUMBER_UNKNOWN;
}

/* ---- calls in progress ---- */

static struct open_call top_of(const struct translation *translation)
{
	const struct open_call root = {0};

	return translation->calls.len ? vec_last(&translation->calls) : root;
}

static void call_push(struct translation *translation, uint32_t node, uint32_t number)
{
	const struct open_call call = {.node = node, .number = number};

	vec_push(&translation->calls, call);
}

/*
 * The calls down to `node`, and `folded` ones that are not known within it. False where a chunk
 * wants that more often than a program could.
 */
static bool calls_set(struct translation *translation, uint32_t node, uint32_t folded)
{
	const uint32_t *parents = translation->log->thread->parents;
	struct open_calls *calls = &translation->calls;
	size_t count = 0;

	for (uint32_t at = node; at; at = parents[at])
		count++;
	translation->calls_set += count + folded;
	if (translation->calls_set > CALLS_SET_MAX)
		return false;
	calls->len = 0;
	vec_reserve(calls, count);
	calls->len = count;
	for (uint32_t at = node; at; at = parents[at])
		calls->data[--count] =
			(struct open_call){.node = at, .number = number_of(translation, at)};
	for (uint32_t i = 0; i < folded; i++)
		call_push(translation, UINT32_MAX, NUMBER_UNKNOWN);
	return true;
}

/* The innermost call's number whose path is known, and how many unknown ones are within it. */
static uint32_t calls_describe(const struct translation *translation, uint32_t *unknown)
{
	size_t known = translation->calls.len;

	while (known && translation->calls.data[known - 1].node == UINT32_MAX)
		known--;
	*unknown = (uint32_t)(translation->calls.len - known);
	while (known && translation->calls.data[known - 1].number == NUMBER_UNKNOWN) {
		known--;
		++*unknown;
	}
	return known ? translation->calls.data[known - 1].number : 0;
}

/* ---- records ---- */

static void put(struct translation *translation, const struct trace_record *record)
{
	trace_record_write(&translation->out, record);
	translation->row.events++;
}

static void put_held(struct translation *translation)
{
	if (translation->holds)
		put(translation, &translation->held);
	translation->holds = false;
}

/* ENTER where the number can be told by the caller's, else the number itself. */
static void set_begin(struct trace_record *record, uint32_t caller, uint32_t number)
{
	const bool below = caller != NUMBER_UNKNOWN && number != NUMBER_UNKNOWN && number > caller;

	record->kind = below ? TARE_TRACE_ENTER : TARE_TRACE_FOLDED;
	record->value = below ? number - caller : number;
}

/* Is that a context that the caller's can have called? */
static bool is_below(const struct translation *translation, uint32_t node, uint32_t caller)
{
	const struct thread_file *thread = translation->log->thread;

	return caller == UINT32_MAX || thread->folded[node] || thread->parents[node] == caller;
}

static bool take_enter(struct translation *translation, struct trace_record *record)
{
	const struct open_call caller = top_of(translation);
	uint32_t node;

	if (!record->value || !node_find(translation, record->value, &node) ||
	    (node != THREAD_FILE_NODE_NONE && !is_below(translation, node, caller.node)))
		return false;
	const uint32_t number = number_of(translation, node);
	const bool is_plain = node != THREAD_FILE_NODE_NONE && caller.node != UINT32_MAX &&
			      !translation->log->thread->folded[node];

	set_begin(record, is_plain ? caller.number : NUMBER_UNKNOWN, number);
	call_push(translation, is_plain ? node : UINT32_MAX, number);
	translation->held = *record;
	translation->holds = true;
	return true;
}

static bool take_folded(struct translation *translation, struct trace_record *record)
{
	uint32_t node;

	if (!record->value || !node_find(translation, record->value, &node))
		return false;
	record->value = number_of(translation, node);
	call_push(translation, UINT32_MAX, record->value);
	put(translation, record);
	return true;
}

static bool take_join(struct translation *translation, struct trace_record *record, bool at_once)
{
	struct open_call *top = translation->calls.len ? &vec_last(&translation->calls) : NULL;
	uint32_t node;

	if (!top || !record->value || !node_find(translation, record->value, &node))
		return false;
	if (top->node != UINT32_MAX)
		top->node = node;
	top->number = number_of(translation, node);
	if (at_once) {
		translation->calls.len--;
		set_begin(&translation->held, top_of(translation).number, top->number);
		translation->calls.len++;
		translation->holds = true;
		translation->joined++;
		return true;
	}
	record->value = top->number;
	put(translation, record);
	return true;
}

static bool take_end(struct translation *translation, const struct trace_record *record)
{
	if (!translation->calls.len)
		return false;
	translation->calls.len--;
	put(translation, record);
	return true;
}

/* Down to the node, or nothing but an unknown call where the node meant another context. */
static bool calls_restart(struct translation *translation, uint32_t number, uint32_t folded)
{
	uint32_t node;

	if (!node_find(translation, number, &node) || folded > TRACE_FOLDED_MAX)
		return false;
	return node == THREAD_FILE_NODE_NONE ? calls_set(translation, 0, folded + 1)
					     : calls_set(translation, node, folded);
}

static bool take_stack(struct translation *translation, struct trace_record *record)
{
	if (record->ticks >> 62 || !calls_restart(translation, record->value, record->folded))
		return false;
	record->value = calls_describe(translation, &record->folded);
	put(translation, record);
	return true;
}

static bool take(struct translation *translation, struct trace_record *record)
{
	const bool at_once = translation->holds && record->kind == TARE_TRACE_JOIN;
	const uint64_t ticks = trace_record_clock(record, translation->ticks);

	if (ticks >> 62)
		return false;
	translation->ticks = ticks;
	if (at_once) {
		translation->held.delta += record->delta;
		return take_join(translation, record, true);
	}
	put_held(translation);
	switch (record->kind) {
	case TARE_TRACE_ENTER:
		return take_enter(translation, record);
	case TARE_TRACE_FOLDED:
		return take_folded(translation, record);
	case TARE_TRACE_JOIN:
		return take_join(translation, record, false);
	case TARE_TRACE_LEAVE:
	case TARE_TRACE_UNWOUND:
		return take_end(translation, record);
	case TARE_TRACE_STACK:
		return take_stack(translation, record);
	case TARE_TRACE_NOTE:
		put(translation, record);
		return true;
	case TARE_TRACE_NONE:
		break;
	}
	return false;
}

/* ---- chunks ---- */

/* Calls in progress are those of the header where they are not known from before. */
static bool chunk_begin(struct translation *translation, const struct tare_trace_chunk *header)
{
	const bool first = !translation->row.sequence;
	uint32_t unknown;

	if (header->ticks >> 62 || header->events > SESSION_FILE_VALUE_MAX ||
	    header->events < translation->events_seen)
		return false;
	const uint64_t missing = header->events - translation->events_seen;

	translation->calls_set = 0;
	translation->events_seen = header->events;
	if ((missing || first) && !calls_restart(translation, header->node, header->folded))
		return false;
	translation->ticks = header->ticks;
	translation->out.len = 0;
	translation->row = (struct profile_trace_chunk){
		.sequence = header->sequence,
		.begin_ticks = header->ticks,
		.lost_before = missing,
		.node = calls_describe(translation, &unknown),
	};
	translation->row.folded = unknown;
	translation->lost += missing;
	return true;
}

static bool chunk_finish(struct translation *translation, struct error *err)
{
	struct profile_trace_chunk *row = &translation->row;

	put_held(translation);
	if (!row->events)
		return true;
	row->thread = translation->log->thread_id;
	row->end_ticks = translation->ticks;
	row->data = (struct profile_bytes){translation->out.data, translation->out.len};
	return profile_add_trace_chunk(translation->writer, row, err);
}

/* Of the chunk that was being written only the thread knows how far. */
static uint64_t used_bytes(const struct translation *translation, const struct slot *slot)
{
	const struct tare_thread_file *thread = &translation->log->thread->header;

	if (slot->header.used_bytes || slot != &vec_last(&translation->slots))
		return slot->header.used_bytes;
	return thread->trace_next - thread->trace_chunk;
}

static bool chunk_write(struct translation *translation, const struct slot *slot, struct error *err)
{
	struct trace_log *log = translation->log;
	const size_t header = sizeof(slot->header);
	uint64_t used = used_bytes(translation, slot);

	if (used < header || used > log->thread->header.trace_chunk_bytes ||
	    !chunk_begin(translation, &slot->header)) {
		log->damaged++;
		return true;
	}
	used = header + session_file_read_at(log->fd, translation->bytes, used - header,
					     slot->offset + header);
	struct trace_cursor cursor = {.at = translation->bytes,
				      .end = translation->bytes + (used - header)};
	struct trace_record record;
	int more;

	while ((more = trace_record_read(&cursor, &record)) > 0) {
		if (!take(translation, &record)) {
			more = -1;
			break;
		}
		translation->events_seen++;
	}
	log->damaged += more < 0;
	return chunk_finish(translation, err);
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->header.sequence < y->header.sequence ? -1
						       : x->header.sequence > y->header.sequence;
}

static void slots_find(struct translation *translation)
{
	struct trace_log *log = translation->log;
	const struct tare_thread_file *header = &log->thread->header;
	const uint64_t size = header->trace_chunk_bytes;

	for (uint64_t i = 0; i < header->trace_slots && i < SLOTS_MAX; i++) {
		struct slot slot = {.offset = i * size};

		if (slot.offset >= log->file_bytes ||
		    session_file_read_at(log->fd, &slot.header, sizeof(slot.header), slot.offset) !=
			    sizeof(slot.header))
			break;
		if (slot.header.sequence && slot.header.sequence >> 62 == 0)
			vec_push(&translation->slots, slot);
	}
	vec_sort(&translation->slots, compare_slots);
}

static bool slots_write(struct translation *translation, struct error *err)
{
	uint64_t last = 0;

	vec_foreach (slot, &translation->slots) {
		if (slot->header.sequence == last) {
			translation->log->damaged++;
			continue;
		}
		last = slot->header.sequence;
		if (!chunk_write(translation, slot, err))
			return false;
	}
	return true;
}

static bool log_is_readable(struct trace_log *log)
{
	const struct tare_thread_file *header = &log->thread->header;

	if (header->trace_chunk_bytes >= sizeof(struct tare_trace_chunk) &&
	    header->trace_chunk_bytes <= TARE_TRACE_CHUNK_MAX &&
	    header->trace_events <= SESSION_FILE_VALUE_MAX && header->trace_limit_bytes >> 62 == 0)
		return true;
	log->damaged++;
	return false;
}

bool trace_log_write(struct trace_log *log, struct profile_writer *writer, struct error *err)
{
	const struct tare_thread_file *header = &log->thread->header;
	struct translation translation = {.log = log, .writer = writer};

	if (!log_is_readable(log))
		return true;
	translation.bytes = mem_alloc((size_t)header->trace_chunk_bytes);
	slots_find(&translation);
	bool ok = slots_write(&translation, err);

	if (header->trace_events > translation.events_seen) {
		translation.lost += header->trace_events - translation.events_seen;
		translation.events_seen = header->trace_events;
	}
	const struct profile_trace row = {
		.thread = log->thread_id,
		.limit_bytes = header->trace_limit_bytes,
		.events = translation.events_seen - translation.joined,
		.lost = translation.lost,
	};
	ok = ok && profile_add_trace(writer, &row, err);
	free(translation.bytes);
	vec_fini(&translation.slots);
	vec_fini(&translation.calls);
	vec_fini(&translation.out);
	return ok;
}
