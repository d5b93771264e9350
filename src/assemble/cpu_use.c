/*
 * Each line becomes a row of the process image that lived in the middle of it; rows of one process
 * whose begins lie in the same slot of the session are then one row.
 *
 *   session  |----slot----|----slot----|----slot----|
 *   lines      [--][--][--][--]   [---------]
 *   rows       [----------][--]   [---------]
 *
 * What the command's descendants used and no line tells (between their last reading and their end,
 * or where they lived between two readings) is one row without a process.
 */
#include "assemble/cpu_use.h"

#include "session/clock.h"
#include "session/cpu_readings.h"
#include "session/text_file.h"

#include <string.h>

#define NS_PER_SECOND 1e9

enum { CPU_BYTES_MAX = 256 << 20 };

struct cpu_uses {
	const struct cpu_use_input *input;
	double ticks_per_ns;
	uint64_t slot_ticks;
	uint64_t descendants_ns; /* that the lines tell */
	struct vec_of(struct profile_cpu_use) rows;
};

/* As many slots of twice the shortest interval's length as are not too many. */
static uint64_t choose_slot(const struct cpu_use_input *input, double ticks_per_ns)
{
	const uint64_t begin = input->recording->begin_ticks;
	const uint64_t span = input->end_ticks > begin ? input->end_ticks - begin : 0;
	uint64_t slot = (uint64_t)(CPU_READINGS_FIRST_MS * 1e6 * ticks_per_ns);

	while (slot && span / slot >= CPU_USE_INTERVALS_MAX)
		slot *= 2;
	return slot ? slot : 1;
}

/* The last image of that number that had begun by then; else the first. */
static const struct sample_known_process *process_at(const struct cpu_use_input *input, int64_t pid,
						     uint64_t ticks)
{
	const struct sample_known_process *found = NULL;

	for (size_t i = 0; i < input->process_count; i++) {
		const struct sample_known_process *process = &input->processes[i];
		if (process->pid != pid)
			continue;
		const bool begun = process->begin_ticks <= ticks;
		const bool found_begun = found && found->begin_ticks <= ticks;
		if (!found || (begun && !found_begun) ||
		    (begun == found_begun && (process->begin_ticks > found->begin_ticks) == begun))
			found = process;
	}
	return found;
}

static void take_line(struct cpu_uses *uses, const struct text_line *line)
{
	const struct recording *recording = uses->input->recording;
	struct profile_cpu_use row;
	uint64_t used_ns;
	int64_t pid;

	if (!text_i64(line, 0, &pid) || !text_u64(line, 1, &row.begin_ticks) ||
	    !text_u64(line, 2, &row.end_ticks) || !text_u64(line, 3, &used_ns) ||
	    row.begin_ticks > row.end_ticks || row.end_ticks >> 62 || used_ns >> 53)
		return;
	const uint64_t middle = row.begin_ticks
					? row.begin_ticks + (row.end_ticks - row.begin_ticks) / 2
					: row.end_ticks;
	const struct sample_known_process *process = process_at(uses->input, pid, middle);
	if (!process)
		return;
	if (pid != recording->command_pid)
		uses->descendants_ns += used_ns;
	if (!row.begin_ticks)
		row.begin_ticks =
			process->begin_ticks < row.end_ticks ? process->begin_ticks : row.end_ticks;
	row.process = process->id;
	row.cpu_ticks = (uint64_t)((double)used_ns * uses->ticks_per_ns + 0.5);
	vec_push(&uses->rows, row);
}

static int compare_rows(const void *a, const void *b)
{
	const struct profile_cpu_use *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->begin_ticks < y->begin_ticks ? -1 : x->begin_ticks > y->begin_ticks;
}

static uint64_t slot_of(const struct cpu_uses *uses, const struct profile_cpu_use *row)
{
	const uint64_t begin = uses->input->recording->begin_ticks;

	return row->begin_ticks > begin ? (row->begin_ticks - begin) / uses->slot_ticks : 0;
}

static bool write_rows(struct cpu_uses *uses, struct profile_writer *writer, struct error *err)
{
	struct profile_cpu_use *last = NULL;

	vec_sort(&uses->rows, compare_rows);
	vec_foreach (row, &uses->rows) {
		if (last && last->process == row->process &&
		    slot_of(uses, last) == slot_of(uses, row)) {
			last->cpu_ticks += row->cpu_ticks;
			if (row->end_ticks > last->end_ticks)
				last->end_ticks = row->end_ticks;
			continue;
		}
		if (last && !profile_add_cpu_use(writer, last, err))
			return false;
		last = row;
	}
	return !last || profile_add_cpu_use(writer, last, err);
}

static bool write_rest(const struct cpu_uses *uses, struct profile_writer *writer,
		       struct error *err)
{
	const struct recording *recording = uses->input->recording;
	const uint64_t all_ns = recording->descendants_cpu_ns;
	/* Usage, by which all_ns is known, is in microseconds. */
	enum { DOUBT_NS = 10000 };

	if (!recording->follow || all_ns >> 53 || all_ns <= uses->descendants_ns + DOUBT_NS ||
	    uses->input->end_ticks < recording->begin_ticks)
		return true;
	const struct profile_cpu_use row = {
		.begin_ticks = recording->begin_ticks,
		.end_ticks = uses->input->end_ticks,
		.cpu_ticks =
			(uint64_t)((double)(all_ns - uses->descendants_ns) * uses->ticks_per_ns),
	};
	return profile_add_cpu_use(writer, &row, err);
}

bool cpu_use_assemble(const struct cpu_use_input *input, struct profile_writer *writer,
		      struct error *err)
{
	struct cpu_uses uses = {.input = input};
	struct clock_rate rate;
	struct text_line line;
	struct error absent;

	if (!clock_rate_compute(&input->recording->clock, &rate, err))
		return error_prefix(err, "times cannot be converted");
	char *text = text_read_file(input->session_fd, CPU_READINGS_NAME, CPU_BYTES_MAX, &absent);
	if (!text)
		return true;
	uses.ticks_per_ns = rate.ticks_per_second / NS_PER_SECOND;
	uses.slot_ticks = choose_slot(input, uses.ticks_per_ns);
	for (char *at = text; text_next_line(&at, &line);)
		take_line(&uses, &line);
	const bool ok = write_rows(&uses, writer, err) && write_rest(&uses, writer, err);
	vec_fini(&uses.rows);
	free(text);
	return ok;
}
