// The list of views.
import { h } from '../dom.ts';
import { percent, time } from '../format.ts';
import { CodeTable } from '../model/code.ts';
import { stackedBar } from '../parts/bars.ts';
import type { Context, View } from './context.ts';
import { FlameView } from './flame.ts';
import { threadsOf } from './frame_actions.ts';
import { FunctionsView } from './functions.ts';
import { InstructionsView } from './instructions.ts';
import { RecordingView } from './recording.ts';
import { SourceView } from './source.ts';
import { SummaryView } from './summary.ts';
import type { TableRows } from './filtered_rows.ts';
import { TableView, type TableOptions } from './tables.ts';
import { TimelineView } from './timeline.ts';
import { TreeView } from './tree.ts';

const VALUES = ['calls', 'cpu_inclusive', 'cpu_inclusive_percent', 'cpu_exclusive', 'cpu_exclusive_percent', 'elapsed_inclusive', 'elapsed_exclusive',
	'application_inclusive', 'application_exclusive', 'inclusive_samples', 'inclusive_percent', 'exclusive_samples', 'exclusive_percent', 'exclusive_weight', 'called_cpu'];

function osChart(context: Context): HTMLElement {
	const { profile, selection } = context.state;
	const parts = profile.header.causes.map((cause, c) => ({
		title: profile.causeTitle(cause), value: selection.osTotals[c]!, text: time(profile.ns(selection.osTotals[c]!)), color: profile.causeColor(cause),
	}));
	const all = parts.reduce((sum, part) => sum + part.value, 0);
	if (!all)
		return h('p.empty', {}, 'No time of the operating system was seen.');
	return h('div', {}, h('p.lead', {}, h('b', {}, time(profile.ns(all))), ` of operating system time: ${percent(all / (selection.totals[0] || 1))} % of all elapsed time`),
		stackedBar('OS time by cause', parts));
}

/** The code of a row's line or instruction. */
const openCode = (name: string) => (context: Context, rows: TableRows, row: number): void => {
	const { state } = context;
	const table = new CodeTable(state.profile.table(name)!);
	const func = rows.subject('function', row);
	if (!state.profile.functionsWithCode.includes(func))
		return;
	state.place = { source: table.text('source', row), line: table.number('line', row) ?? 0, address: table.text('address', row) };
	state.set('selected', func);
	context.open('source');
};

const TABLES: TableOptions[] = [
	{ name: 'modules', title: 'Modules', one: 'module', columns: ['module', ...VALUES, 'module_path'], sort: ['cpu_exclusive', 'exclusive_samples'],
		empty: 'No module matches.', onOpen: (context, rows, row) => { context.state.filter({ modules: new Set([rows.subject('module', row)]) }); context.open('functions'); } },
	{ name: 'threads', title: 'Threads', one: 'thread', columns: ['thread', 'process', 'begin', 'end', ...VALUES, 'outside'], sort: ['cpu_inclusive', 'inclusive_samples'],
		empty: 'No thread matches.', onOpen: (context, rows, row) => { context.state.filter({ threads: new Set([rows.subject('thread', row)]) }); context.open('functions'); } },
	{ name: 'processes', title: 'Processes', one: 'process', columns: ['process', 'parent_pid', 'threads', 'begin', 'end', ...VALUES, 'outside'], sort: ['cpu_inclusive', 'inclusive_samples'],
		empty: 'No process matches.', onOpen: (context, rows, row) => {
			context.state.filter({ threads: new Set(threadsOf(context.state, rows.subject('process', row))) });
			context.open('functions');
		} },
	{ name: 'lines', title: 'Lines', one: 'line', columns: [...VALUES, 'source', 'line', 'function', 'module'], sort: ['cpu_exclusive', 'exclusive_samples', 'cpu_inclusive'], empty: 'No line is known.', onOpen: openCode('lines') },
	{ name: 'instructions', title: 'Instructions', one: 'instruction', columns: [...VALUES, 'address', 'function', 'source', 'line', 'module'], sort: ['cpu_exclusive', 'exclusive_samples', 'cpu_inclusive'], empty: 'No instruction is known.', onOpen: openCode('instructions') },
	{ name: 'methods', title: 'Methods', one: 'function', columns: ['cpu_exclusive', 'cpu_percent', 'samples', 'samples_percent', 'samples_low_percent', 'samples_high_percent', 'difference_percent', 'outside_interval', 'function', 'module'], sort: ['samples_percent'], empty: 'No function.' },
	{ name: 'os', title: 'OS time', one: 'place', columns: ['os_time', 'os_percent', 'cause', 'function', 'syscall', 'object', 'count', 'module'], sort: ['os_time'],
		empty: 'No time of the operating system was seen here.', above: osChart },
];

const APPENDED: TableOptions[] = [
	{ name: 'coverage', title: 'Coverage', one: 'module', columns: ['module', 'found', 'instrumented', 'part', 'small', 'not_selected', 'refused', 'disarmed', 'refusals'], sort: ['found'], empty: 'Coverage is unknown.' },
	{ name: 'coverage_functions', title: 'Coverage by function', one: 'row', columns: ['function', 'verdict', 'size', 'functions', 'module'], sort: ['verdict'], ascending: true, empty: 'No function matches.' },
	{ name: 'marks', title: 'Marks', one: 'mark', columns: ['time', 'mark', 'name', 'thread', 'process'], sort: ['time'], ascending: true, empty: 'No marks were set.' },
];

export function makeViews(context: Context): View[] {
	const { profile } = context.state;
	const has = (name: string) => profile.table(name) !== null;
	const tables = TABLES.filter(({ name }) => has(name) && (name !== 'os' || profile.header.causes.length > 0)).map((options) => new TableView(context, { ...options, counts: true }));
	const appended = APPENDED.filter(({ name }) => has(name) && profile.table(name)!.rows > 0).map((options) => new TableView(context, options));
	const hasCode = profile.functionsWithCode.length > 0;
	const shown: View[] = tables.map((view) => (view.name === 'instructions' && hasCode ? new InstructionsView(context, view) : view));
	return [new SummaryView(context), new FunctionsView(context), new TreeView(context), new FlameView(context),
		...(profile.hasStates ? [new TimelineView(context)] : []),
		...(hasCode || profile.header.code.functions > 0 ? [new SourceView(context)] : []), ...shown, new RecordingView(context, appended)];
}
