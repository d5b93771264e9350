/* The small tables of a fleet: run, module, thread, os. */
#include "analysis/syscalls.h"
#include "report/export/fleet_columns.h"
#include "report/table/os_object.h"

void fleet_write_modules(const struct fleet *fleet, struct fleet_sheet *sheet)
{
	vec_foreach (module, &fleet->analysis->modules) {
		fleet_put_origin(sheet, &fleet->origin);
		sheet_text(sheet, module->name);
		sheet_text(sheet, module->path);
		sheet_text(sheet, module->build_id);
		sheet_number(sheet, module->system);
		sheet_end(sheet);
	}
}

void fleet_write_threads(const struct fleet *fleet, struct fleet_sheet *sheet)
{
	const struct analysis *analysis = fleet->analysis;

	for (size_t i = 0; i < analysis->threads.len; i++) {
		const struct analysis_thread *thread = &analysis->threads.data[i];
		const struct profile_process *process =
			analysis->processes.data[thread->process].row;
		const struct fleet_origin *origin = &fleet->origins[thread->process];

		fleet_put_origin(sheet, origin);
		sheet_text(sheet, origin->build_id);
		sheet_number(sheet, (uint64_t)origin->ranks);
		sheet_text(sheet, process->launcher);
		sheet_number(sheet, (uint64_t)thread->process + 1);
		sheet_signed(sheet, process->pid);
		sheet_signed(sheet, process->parent_pid);
		sheet_text(sheet, process->executable);
		sheet_number(sheet, i + 1);
		sheet_signed(sheet, thread->row->tid);
		sheet_text(sheet, thread->row->name);
		fleet_put_times(fleet, sheet, thread->values.amount);
		sheet_end(sheet);
	}
}

static uint64_t hash_of(const struct fleet *fleet, uint32_t function)
{
	return function == ANALYSIS_NONE ? 0 : fleet->function_hash[function];
}

void fleet_write_os(const struct fleet *fleet, struct fleet_sheet *sheet)
{
	struct str object = {0};

	vec_foreach (os, &fleet->analysis->os) {
		str_clear(&object);
		os_object_put(&object, os, true);
		fleet_put_origin(sheet, &fleet->origin);
		sheet_number(sheet, hash_of(fleet, os->function));
		sheet_number(sheet, hash_of(fleet, os->caller));
		sheet_text(sheet, analysis_causes[os->cause].name);
		sheet_text(sheet, os->syscall_number < 0 ? "" : syscall_name(os->syscall_number));
		sheet_text(sheet, object.data);
		sheet_number(sheet, os->count);
		sheet_number(sheet, os->ticks);
		sheet_number(sheet, analysis_ns(fleet->analysis, os->ticks));
		sheet_number(sheet, os->longest_ticks);
		sheet_end(sheet);
	}
	str_fini(&object);
}

/* "events_lost=3 …": what reports say of it, by the names that they have in JSON. */
static void put_losses(const struct analysis *analysis, struct fleet_sheet *sheet)
{
	struct str text = {0};

	for (size_t i = 0; i < analysis_loss_count; i++) {
		const struct analysis_loss *loss = &analysis_losses[i];
		const uint64_t number = loss->key ? analysis_loss_by_key(analysis, loss) : 0;
		if (number)
			str_printf(&text, "%s%s=%llu", text.len ? " " : "", loss->key,
				   (unsigned long long)number);
	}
	sheet_text(sheet, text.data);
	str_fini(&text);
}

void fleet_write_run(const struct fleet *fleet, struct fleet_sheet *sheet)
{
	const struct analysis *analysis = fleet->analysis;
	const struct profile_session *session = profile_session(analysis->profile);
	const struct analysis_totals *totals = &analysis->totals;
	const uint64_t ticks = session->end_ticks > session->begin_ticks
				       ? session->end_ticks - session->begin_ticks
				       : 0;
	const uint64_t recordings = profile_merged(session).recordings;

	fleet_put_origin(sheet, &fleet->origin);
	sheet_text(sheet, fleet->build_id);
	sheet_number(sheet, (uint64_t)fleet->origin.ranks);
	sheet_signed(sheet, session->begin_unix_ns);
	sheet_number(sheet, analysis_ns(analysis, ticks));
	sheet_real(sheet, analysis->ticks_per_second);
	sheet_text(sheet, session->method);
	sheet_text(sheet, session->command_line);
	sheet_signed(sheet, session->exit_status);
	sheet_number(sheet, session->complete);
	put_losses(analysis, sheet);
	sheet_text(sheet, session->tare_version);
	sheet_number(sheet, recordings ? recordings : 1);
	sheet_number(sheet, totals->processes);
	sheet_number(sheet, totals->threads);
	sheet_number(sheet, fleet->calls ? fleet->calls->nodes.len : 0);
	sheet_number(sheet, fleet->samples ? fleet->samples->totals.samples.kept : 0);
	sheet_number(sheet, totals->overhead);
	sheet_number(sheet, totals->inconsistent_ticks);
	for (int value = 0; value < ANALYSIS_TIME_VALUES; value++)
		sheet_number(sheet, totals->times[value]);
	for (int value = 0; value < ANALYSIS_TIME_VALUES; value++)
		sheet_number(sheet, analysis_ns(analysis, totals->times[value]));
	sheet_end(sheet);
}
