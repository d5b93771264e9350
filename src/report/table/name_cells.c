/*
 * What a row is about, as names: process, thread, module, function, where its code stands, the path
 * to it. In text, names of functions carry what tells twins apart.
 */
#include "report/table/calltree.h"
#include "report/table/getter.h"

#include <string.h>

enum { PATH_FRAMES_MAX = 256 };

/* "name (id)" */
static void append_named_id(struct str *scratch, const char *name, int64_t id)
{
	str_printf(scratch, "%s (%lld)", name && name[0] ? name : "?", (long long)id);
}

/* Of several whose trees are one, "name (3 threads)". */
static void append_process(struct str *scratch, const struct analysis_process *process)
{
	if (process->merged > 1)
		str_printf(scratch, "%s (%u processes)",
			   process->row->name && process->row->name[0] ? process->row->name : "?",
			   process->merged);
	else
		append_named_id(scratch, process->row->name, process->row->pid);
}

static void append_thread(struct str *scratch, const struct analysis_thread *thread)
{
	if (thread->merged > 1)
		str_printf(scratch, "%s (%u threads)",
			   thread->row->name && thread->row->name[0] ? thread->row->name : "?",
			   thread->merged);
	else
		append_named_id(scratch, thread->row->name, thread->row->tid);
}

GET(section)
{
	static const char *const names[] = {
		[ROW_STEP] = "hot_path", [ROW_BUSY] = "functions",    [ROW_WAIT] = "waits",
		[ROW_IDLE] = "idle",	 [ROW_PROGRAM] = "processes", [ROW_CAUSE] = "os",
		[ROW_CPU] = "cpu"};

	if (row->type == ROW_RANK)
		cell_set_text(cell, row->rank->call ? "calls" : "ranks");
	else if (row->type == ROW_IMBALANCE)
		cell_set_text(cell, row->imbalance->call ? "mpi" : "functions");
	else
		cell_set_text(cell, names[row->type]);
}

GET(process)
{
	if (!row->process)
		return;
	append_process(scratch, row->process);
	cell_set_scratch(cell, scratch);
}

GET(thread)
{
	if (!row->thread)
		return;
	append_thread(scratch, row->thread);
	cell_set_scratch(cell, scratch);
}

GET(module)
{
	if (row->module)
		cell_set_text(cell, row->module->name);
}

GET(module_path)
{
	if (row->module)
		cell_set_text(cell, row->module->path);
}

GET(build_id)
{
	if (row->module)
		cell_set_text(cell, row->module->build_id);
}

/* Of samples, what nothing of the stack could be read of. */
static const char *outside_name(const struct report *report)
{
	return report->analysis->method == ANALYSIS_INSTRUMENT ? "[outside functions]"
							       : "[unknown]";
}

GET(function)
{
	if (row->function) {
		report_append_function(report, row->function, scratch);
		cell_set_scratch(cell, scratch);
	} else if (row->outside) {
		cell_set_text(cell, outside_name(report));
	}
}

GET(relative)
{
	if (row->function)
		report_get_function(report, row, column, scratch, cell);
	else
		cell_set_text(cell, row->relation->folded ? "[folded]"
				    : report->analysis->method == ANALYSIS_INSTRUMENT
					    ? "[outside functions]"
					    : "[no caller]");
}

GET(compared_function)
{
	if (row->function)
		report_get_function(report, row, column, scratch, cell);
	else
		cell_set_text(cell, "[outside functions]");
}

GET(line_function)
{
	str_append(scratch, row->line->name ? row->line->name : "");
	if (row->line->others)
		str_printf(scratch, " (+%u)", row->line->others);
	cell_set_scratch(cell, scratch);
}

GET(code_function)
{
	cell_set_text(cell, row->code->name);
}

GET(verdict_function)
{
	cell_set_text(cell, row->coverage->name);
}

GET(hot)
{
	if (row->hot)
		cell_set_text(cell, report->options->unicode ? "\u25b8" : ">");
}

/* The row's place in a tree: process, thread or function. */
GET(frame)
{
	if (row->last != row->node) {
		report_append_frames(report, row, scratch);
		cell_set_scratch(cell, scratch);
		return;
	}
	if (row->function || row->outside)
		report_get_function(report, row, column, scratch, cell);
	if (row->function && row->node != ANALYSIS_NONE &&
	    report->analysis->nodes.data[row->node].folded) {
		str_append(scratch, " [folded]");
		cell_set_scratch(cell, scratch);
	}
	if (row->function || row->outside)
		return;
	if (row->thread)
		report_get_thread(report, row, column, scratch, cell);
	else
		report_get_process(report, row, column, scratch, cell);
}

GET(source)
{
	if (row->function)
		cell_set_text(cell, row->function->source);
}

GET(line_source)
{
	cell_set_text(cell, row->line->source);
}

GET(instruction_source)
{
	cell_set_text(cell, row->instruction->source);
}

GET(code_source)
{
	cell_set_text(cell, row->code->source);
}

GET(line)
{
	if (row->function && row->function->line > 0)
		set_count(cell, column, (uint64_t)row->function->line);
}

GET(line_line)
{
	if (row->line->line)
		set_count(cell, column, row->line->line);
}

GET(instruction_line)
{
	if (row->instruction->line)
		set_count(cell, column, row->instruction->line);
}

/* As text, lines of inlined code and of instructions stand with their file. */
GET(code_line)
{
	const bool elsewhere = row->code->depth || row->code->kind == ANNOTATION_INSTRUCTION;

	if (row->code->line && !(elsewhere && report->options->format == REPORT_TEXT))
		set_count(cell, column, row->code->line);
}

GET(address)
{
	if (row->function && row->function->link_addr)
		set_count(cell, column, row->function->link_addr);
}

GET(instruction_address)
{
	set_count(cell, column, row->instruction->link_addr);
}

GET(code_address)
{
	if (row->code->link_addr)
		set_count(cell, column, row->code->link_addr);
}

GET(verdict_address)
{
	if (row->coverage->link_addr)
		set_count(cell, column, row->coverage->link_addr);
}

GET(relation)
{
	cell_set_text(cell, row->relation->name);
}

GET(root_function)
{
	report_append_function(report, row->relation->root, scratch);
	cell_set_scratch(cell, scratch);
}

GET(level)
{
	set_count(cell, column, row->level);
}

/* Separators inside a name are escaped, so that a path splits into its frames again. */
static void append_frame(struct str *scratch, const char *name)
{
	for (size_t plain; (plain = strcspn(name, ";\\"), name[plain]); name += plain + 1) {
		str_append_bytes(scratch, name, plain);
		str_append(scratch, "\\");
		str_append_bytes(scratch, name + plain, 1);
	}
	str_append(scratch, name);
}

/* The innermost frames: so a row costs the same however deep the recursion that it lies in. */
static void append_frames(const struct report *report, const struct report_row *row,
			  struct str *scratch)
{
	const struct analysis *analysis = report->analysis;
	const uint32_t level = analysis->nodes.data[row->last].level + analysis->is_rooted;
	const uint32_t count = level < PATH_FRAMES_MAX ? level : PATH_FRAMES_MAX;
	const struct analysis_function *frames[PATH_FRAMES_MAX];
	uint32_t at = row->last;

	if (analysis->nodes.data[at].folded)
		str_append(scratch, ";[folded]");
	for (uint32_t i = count; i-- > 0; at = analysis->nodes.data[at].parent)
		frames[i] = &analysis->functions.data[analysis->nodes.data[at].function];
	if (count < level)
		str_printf(scratch, ";[%u more]", level - count);
	for (uint32_t i = 0; i < count; i++) {
		str_append(scratch, ";");
		append_frame(scratch, frames[i]->name);
	}
}

/* From the function on top to this row, which called it. */
static void append_inverted(const struct report *report, const struct analysis_inverted *row,
			    struct str *scratch)
{
	const struct analysis_inverted *rows[PATH_FRAMES_MAX];
	size_t count = 0;

	for (const struct analysis_inverted *at = row; at && count < PATH_FRAMES_MAX;
	     at = at->callee)
		rows[count++] = at;
	if (count && rows[count - 1]->level)
		str_printf(scratch, "[%u more]", rows[count - 1]->level);
	while (count-- > 0) {
		const uint32_t function = rows[count]->function;
		str_append(scratch, scratch->len ? ";" : "");
		append_frame(scratch, function == ANALYSIS_NONE
					      ? outside_name(report)
					      : report->analysis->functions.data[function].name);
	}
}

GET(path)
{
	struct str part = {0};

	if (row->inverted) {
		append_inverted(report, row->inverted, scratch);
		cell_set_scratch(cell, scratch);
		return;
	}
	if (row->process) {
		append_process(&part, row->process);
		append_frame(scratch, part.data);
	}
	if (row->thread) {
		str_clear(&part);
		append_thread(&part, row->thread);
		str_append(scratch, ";");
		append_frame(scratch, part.data);
	}
	str_fini(&part);
	if (row->node != ANALYSIS_NONE)
		append_frames(report, row, scratch);
	cell_set_scratch(cell, scratch);
}
