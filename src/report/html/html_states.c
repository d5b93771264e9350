/*
 * Spans of threads as columns. A span is a sign of the states that it has, its ticks of each of
 * them, and what its length is beyond these (the cost of probes); where it begins follows from the
 * spans before it. Columns are made one at a time, so the spans are walked once for each, and never
 * are all of them in memory.
 *
 * Where there are too many, time is cut into cells of a power of two ticks, and spans that begin in
 * the same cell are one. How many are left is known for all powers after a single walk: two
 * neighbours are apart in cells of 2^k ticks where a bit from k on differs between their begins.
 */
#include "report/html/html_states.h"

#include "analysis/syscalls.h"
#include "analysis/thread_states.h"
#include "report/table/os_object.h"

#include <string.h>

enum { STATES = 2 + WAITINGS, WAITED = 1 << STATES, BITS = 64 };

struct states {
	struct html_pack *pack;
	const struct analysis *analysis;
	unsigned cell_bits; /* spans that begin in the same cell are one; 0: none */
	struct map wanted;  /* rows of OS time → number, from 1 */
	struct vec_of(const struct analysis_os *) os; /* these by their numbers less one */
};

/* A span that the next one may be joined to. */
struct pending {
	struct thread_state_span span;
	uint64_t longest; /* wait of those in it */
	bool any;
};

/* Of one thread, on its way to a column. */
struct walk {
	struct states *states;
	struct pending run;  /* runs beside each other are one in any case */
	struct pending cell; /* then what begins in the same cell */
	uint64_t count;
	uint64_t os; /* number of the span before */
	void (*write)(struct walk *walk, const struct thread_state_span *span);
	void *context; /* of write */
};

static uint64_t ticks_of(const struct thread_state_slice *slice, int state)
{
	return state == 0 ? slice->cpu : state == 1 ? slice->preempted : slice->blocked[state - 2];
}

static uint64_t waited(const struct thread_state_slice *slice)
{
	uint64_t ticks = 0;

	for (int state = 1; state < STATES; state++)
		ticks += ticks_of(slice, state);
	return ticks;
}

/* ---- joining ---- */

static bool is_run(const struct thread_state_span *span)
{
	return !span->unknown && !span->waits && !waited(&span->states);
}

static void begin(struct pending *pending, const struct thread_state_span *span)
{
	*pending = (struct pending){.span = *span, .longest = waited(&span->states), .any = true};
}

static void join(struct pending *pending, const struct thread_state_span *span)
{
	struct thread_state_span *to = &pending->span;
	const uint64_t wait = waited(&span->states);

	to->end = span->end;
	to->waits += span->waits;
	to->states.cpu += span->states.cpu;
	to->states.preempted += span->states.preempted;
	for (int i = 0; i < WAITINGS; i++)
		to->states.blocked[i] += span->states.blocked[i];
	if (wait > pending->longest) {
		pending->longest = wait;
		to->os = span->os;
	}
}

static void settle_cell(struct walk *walk)
{
	if (!walk->cell.any)
		return;
	walk->write(walk, &walk->cell.span);
	walk->count++;
	walk->cell.any = false;
}

static void settle_run(struct walk *walk)
{
	const struct thread_state_span *span = &walk->run.span;
	const unsigned bits = walk->states->cell_bits;

	if (!walk->run.any)
		return;
	if (bits && walk->cell.any && (walk->cell.span.begin >> bits) == (span->begin >> bits)) {
		join(&walk->cell, span);
	} else {
		settle_cell(walk);
		begin(&walk->cell, span);
	}
	walk->run.any = false;
}

static void take(const struct thread_state_span *span, void *context)
{
	struct walk *walk = context;

	if (walk->run.any && is_run(&walk->run.span) && is_run(span)) {
		join(&walk->run, span);
		return;
	}
	settle_run(walk);
	begin(&walk->run, span);
}

/* Calls `write` for each span of a thread. */
static bool each_span(struct walk *walk, uint32_t thread, bool *known, struct error *err)
{
	const struct analysis *analysis = walk->states->analysis;

	*known = false;
	walk->count = 0;
	walk->os = 0;
	if (!analysis->threads.data[thread].selected)
		return true;
	const bool ok = thread_states_each(analysis, thread, take, walk, known, err);

	settle_run(walk);
	settle_cell(walk);
	return ok;
}

/* ---- how many are to be joined ---- */

struct counting {
	uint64_t all, threads;
	uint64_t apart[BITS]; /* neighbours, by the highest bit in which their begins differ */
	uint64_t begin;	      /* of the span before */
};

static void note_begin(struct walk *walk, const struct thread_state_span *span)
{
	struct counting *counting = walk->context;

	counting->all++;
	if (!walk->count)
		counting->threads++;
	else if (span->begin != counting->begin)
		counting->apart[BITS - 1 - __builtin_clzll(span->begin ^ counting->begin)]++;
	counting->begin = span->begin;
}

static bool choose_cells(struct states *states, uint64_t most, struct error *err)
{
	struct counting counting = {0};
	struct walk walk = {.states = states, .write = note_begin, .context = &counting};
	bool known;

	for (uint32_t i = 0; i < states->analysis->threads.len; i++)
		if (!each_span(&walk, i, &known, err))
			return false;
	if (counting.all <= most)
		return true;
	uint64_t left = counting.threads;
	for (unsigned bit = BITS - 1; bit > 0 && left + counting.apart[bit] <= most; bit--) {
		left += counting.apart[bit];
		states->cell_bits = bit;
	}
	if (!states->cell_bits)
		states->cell_bits = BITS - 1;
	return true;
}

/* ---- columns ---- */

static void write_nothing(struct walk *walk, const struct thread_state_span *span)
{
	(void)walk;
	(void)span;
}

static void write_signs(struct walk *walk, const struct thread_state_span *span)
{
	uint64_t signs = span->waits ? WAITED : 0;

	for (int state = 0; state < STATES; state++)
		signs |= (uint64_t)(ticks_of(&span->states, state) != 0) << state;
	html_pack_number(walk->states->pack, signs);
}

static void write_ticks(struct walk *walk, const struct thread_state_span *span)
{
	struct html_pack *pack = walk->states->pack;
	uint64_t sum = 0;

	for (int state = 0; state < STATES; state++) {
		const uint64_t ticks = ticks_of(&span->states, state);

		if (ticks)
			html_pack_number(pack, ticks);
		sum += ticks;
	}
	html_pack_signed(pack, (int64_t)(span->end - span->begin - sum));
}

static void write_waits(struct walk *walk, const struct thread_state_span *span)
{
	if (span->waits)
		html_pack_number(walk->states->pack, span->waits);
}

static void write_os(struct walk *walk, const struct thread_state_span *span)
{
	struct states *states = walk->states;

	if (!span->waits)
		return;
	const uint64_t number =
		span->os ? *map_put(&states->wanted, (uintptr_t)span->os, states->wanted.len + 1)
			 : 0;
	if (number > states->os.len)
		vec_push(&states->os, span->os);
	html_pack_signed(states->pack, (int64_t)(number - walk->os));
	walk->os = number;
}

static bool pack_column(struct states *states, const char *name,
			void (*write)(struct walk *walk, const struct thread_state_span *span),
			struct error *err)
{
	struct walk walk = {.states = states, .write = write};
	bool known;

	html_pack_begin(states->pack);
	for (uint32_t i = 0; i < states->analysis->threads.len; i++) {
		if (!each_span(&walk, i, &known, err))
			return false;
		if (write == write_nothing)
			html_pack_number(states->pack, known ? walk.count + 1 : 0);
	}
	html_pack_end(states->pack, "%s", name);
	return true;
}

/* ---- what was waited for ---- */

static uint64_t pack_object(struct html_pack *pack, const struct analysis_os *os)
{
	struct str text = {0};

	if (os->syscall_number >= 0)
		os_object_put(&text, os, true);
	const uint64_t number = text.len ? html_pack_text(pack, text.data) : 0;

	str_fini(&text);
	return number;
}

static uint64_t os_number(struct html_pack *pack, const struct analysis_os *os, int column)
{
	switch (column) {
	case 0:
		return os->function == ANALYSIS_NONE ? 0 : (uint64_t)os->function + 1;
	case 1:
		return os->caller == ANALYSIS_NONE ? 0 : (uint64_t)os->caller + 1;
	case 2:
		return os->holder == ANALYSIS_NONE ? 0 : (uint64_t)os->holder + 1;
	case 3:
		return os->holder_thread == ANALYSIS_NONE ? 0 : (uint64_t)os->holder_thread + 1;
	case 4:
		return os->syscall_number < 0
			       ? 0
			       : html_pack_text(pack, syscall_name(os->syscall_number));
	default:
		return pack_object(pack, os);
	}
}

static void pack_os(const struct states *states)
{
	static const char *const names[] = {"function",	     "caller",	"holder",
					    "holder_thread", "syscall", "object"};

	for (int column = 0; column < 6; column++) {
		html_pack_begin(states->pack);
		vec_foreach (os, &states->os)
			html_pack_number(states->pack, os_number(states->pack, *os, column));
		html_pack_end(states->pack, "wait.%s", names[column]);
	}
}

/* ---- all ---- */

static bool pack_columns(struct states *states, uint64_t most, struct error *err)
{
	if (!choose_cells(states, most, err))
		return false;
	html_pack_key_number(states->pack, "states_joined_ticks",
			     states->cell_bits ? 1ULL << states->cell_bits : 0);
	if (!pack_column(states, "states.spans", write_nothing, err) ||
	    !pack_column(states, "states.signs", write_signs, err) ||
	    !pack_column(states, "states.ticks", write_ticks, err) ||
	    !pack_column(states, "states.waits", write_waits, err) ||
	    !pack_column(states, "states.os", write_os, err))
		return false;
	pack_os(states);
	return true;
}

bool html_pack_states_within(struct html_pack *pack, const struct analysis *analysis, uint64_t most,
			     struct error *err)
{
	struct states states = {.pack = pack, .analysis = analysis};

	if (!thread_states_any(analysis))
		return true;
	map_init(&states.wanted);
	const bool ok = pack_columns(&states, most, err);

	vec_fini(&states.os);
	map_fini(&states.wanted);
	return ok;
}

bool html_pack_states(struct html_pack *pack, const struct analysis *analysis, struct error *err)
{
	return html_pack_states_within(pack, analysis, HTML_STATES_MAX, err);
}
