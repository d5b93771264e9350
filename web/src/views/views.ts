// The list of views.
import { h } from '../dom.ts';
import { percent, plural, shorten, time } from '../format.ts';
import { CodeTable } from '../model/code.ts';
import { parentProcess } from '../model/process_tree.ts';
import { barList, stackedBar } from '../parts/bars.ts';
import type { Action } from '../parts/menu.ts';
import type { Context, View } from './context.ts';
import { FlameView } from './flame.ts';
import { threadsOf } from './frame_actions.ts';
import { FunctionsView } from './functions.ts';
import { InstructionsView } from './instructions.ts';
import { RanksView } from './ranks.ts';
import { RecordingView } from './recording.ts';
import { SourceView } from './source.ts';
import { SummaryView } from './summary.ts';
import type { TableRows } from './filtered_rows.ts';
import { TableView, type TableOptions } from './tables.ts';
import { TimelineView } from './timeline.ts';
import { TreeView } from './tree.ts';
import { WakersView } from './wakers.ts';

const VALUES = ['calls', 'cpu_inclusive', 'cpu_inclusive_percent', 'cpu_exclusive', 'cpu_exclusive_percent', 'elapsed_inclusive', 'elapsed_exclusive',
	'application_inclusive', 'application_exclusive', 'inclusive_samples', 'inclusive_percent', 'exclusive_samples', 'exclusive_percent', 'exclusive_weight', 'called_cpu'];

const LOCKS = 6;

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

/** Waits by what was waited for, whoever waited and whoever had it. */
function locksChart(context: Context): HTMLElement {
	const { profile } = context.state;
	const table = profile.table('locks')!;
	const cell = (name: string, row: number) => table.value(table.columns.find((column) => column.name === name)!, row);
	const sums = new Map<string, { ns: number; waits: number; longest: number }>();
	for (let row = 0; row < table.rows; row++) {
		const object = String(cell('object', row) ?? '?');
		const sum = sums.get(object) ?? { ns: 0, waits: 0, longest: 0 };
		sum.ns += Number(cell('os_time', row) ?? 0);
		sum.waits += Number(cell('count', row) ?? 0);
		sum.longest = Math.max(sum.longest, Number(cell('os_longest', row) ?? 0));
		sums.set(object, sum);
	}
	const all = [...sums.values()].reduce((sum, { ns }) => sum + ns, 0);
	const most = [...sums].sort(([, a], [, b]) => b.ns - a.ns).slice(0, LOCKS);
	return h('div', {}, h('p.lead', {}, h('b', {}, time(all)), ` of waits for ${plural(sums.size, 'lock')}`),
		barList('Waits by lock', most.map(([object, sum]) => ({
			label: shorten(object, 70), title: object, share: sum.ns / (all || 1), color: 'var(--cause-3-soft)',
			detail: `${plural(sum.waits, 'wait')}${sum.longest ? ` · longest ${time(sum.longest)}` : ''}`,
			text: `${time(sum.ns)} · ${percent(sum.ns / (all || 1))} %`,
		})), 'None.'));
}

/** The function that had the lock, where its name says which one that is. */
function holderActions(context: Context, rows: TableRows, row: number): Action[] {
	const { state } = context;
	const column = state.profile.table('locks')!.columns.find(({ name }) => name === 'blocked_by');
	const func = column ? state.profile.functionNamed(String(rows.value(column, row) ?? '')) : -1;
	return func < 0 ? [] : [{ title: `Who had it: ${shorten(state.profile.functionNames[func]!, 40)}, in functions`, run: () => { state.set('selected', func); context.open('functions'); } }];
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
		empty: 'No process matches.', parentOf: (context, table) => parentProcess(context.state.profile, table), onOpen: (context, rows, row) => {
			context.state.filter({ threads: new Set(threadsOf(context.state, rows.subject('process', row))) });
			context.open('functions');
		} },
	{ name: 'lines', title: 'Lines', one: 'line', columns: [...VALUES, 'source', 'line', 'function', 'module'], sort: ['cpu_exclusive', 'exclusive_samples', 'cpu_inclusive'], empty: 'No line is known.', onOpen: openCode('lines') },
	{ name: 'instructions', title: 'Instructions', one: 'instruction', columns: [...VALUES, 'address', 'function', 'source', 'line', 'module'], sort: ['cpu_exclusive', 'exclusive_samples', 'cpu_inclusive'], empty: 'No instruction is known.', onOpen: openCode('instructions') },
	{ name: 'methods', title: 'Methods', one: 'function', columns: ['cpu_exclusive', 'cpu_percent', 'samples', 'samples_percent', 'samples_low_percent', 'samples_high_percent', 'difference_percent', 'outside_interval', 'function', 'module'], sort: ['samples_percent'], empty: 'No function.' },
	{ name: 'os', title: 'OS time', one: 'place', columns: ['os_time', 'os_percent', 'cause', 'function', 'syscall', 'object', 'count', 'module'], sort: ['os_time'],
		empty: 'No time of the operating system was seen here.', above: osChart },
	{ name: 'locks', title: 'Locks', one: 'row', columns: ['object', 'os_time', 'os_percent', 'count', 'os_longest', 'blocked_by', 'blocked_by_thread', 'function', 'caller'], wide: ['object', 'blocked_by', 'caller'], sort: ['os_time'],
		empty: 'No wait for a lock was seen here.', above: locksChart, actions: holderActions, onOpen: (context) => context.open('functions') },
];

const APPENDED: TableOptions[] = [
	{ name: 'coverage', title: 'Coverage', one: 'module', columns: ['module', 'found', 'instrumented', 'part', 'small', 'not_selected', 'refused', 'disarmed', 'refusals'], sort: ['found'], empty: 'Coverage is unknown.' },
	{ name: 'coverage_functions', title: 'Coverage by function', one: 'row', columns: ['function', 'verdict', 'size', 'functions', 'module'], sort: ['verdict'], ascending: true, empty: 'No function matches.' },
	{ name: 'marks', title: 'Marks', one: 'mark', columns: ['time', 'mark', 'name', 'thread', 'process'], sort: ['time'], ascending: true, empty: 'No marks were set.' },
];

export function makeViews(context: Context): View[] {
	const { profile } = context.state;
	const has = (name: string) => profile.table(name) !== null;
	const tables = TABLES.filter(({ name }) => has(name) && (name !== 'locks' || profile.table(name)!.rows > 0) && (name !== 'os' || profile.header.causes.length > 0)).map((options) => new TableView(context, { ...options, counts: true }));
	const appended = APPENDED.filter(({ name }) => has(name) && profile.table(name)!.rows > 0).map((options) => new TableView(context, options));
	const hasCode = profile.functionsWithCode.length > 0;
	const shown: View[] = tables.map((view) => (view.name === 'instructions' && hasCode ? new InstructionsView(context, view) : view));
	return [new SummaryView(context), new FunctionsView(context), new TreeView(context), new FlameView(context),
		...(profile.hasStates ? [new TimelineView(context)] : []),
		...(hasCode || profile.header.code.functions > 0 ? [new SourceView(context)] : []), ...shown,
		...(has('wakers') && profile.table('wakers')!.rows > 0 ? [new WakersView(context)] : []),
		...(has('ranks') ? [new RanksView(context)] : []), new RecordingView(context, appended)];
}
