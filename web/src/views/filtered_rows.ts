// Rows of the report's tables: as they are in the profile; or, where threads or a part of the time
// are left out, with the values that follow from the call tree.
import type { ColumnInfo } from '../model/data.ts';
import type { Table } from '../model/profile.ts';
import type { CellValue } from '../parts/table_columns.ts';
import type { State } from '../state.ts';

export type Subject = keyof Table['subject'];

export interface TableRows {
	rows: number[];
	value(column: ColumnInfo, row: number): CellValue;
	/** The number of the function, module, … that a row is about; -1: none. */
	subject(kind: Subject, row: number): number;
	/** Whether the values are those of what is left. */
	filtered: boolean;
}

const allOf = (table: Table): number[] => Array.from({ length: table.rows }, (_, row) => row);

export const plainRows = (table: Table): TableRows => ({
	rows: allOf(table), filtered: false,
	value: (column, row) => table.value(column, row),
	subject: (kind, row) => table.subject[kind][row]!,
});

/** Sums by group, in what the tree counts. */
interface Sums {
	calls: Float64Array | null;
	inclusive: Float64Array[]; /* by quantity */
	exclusive: Float64Array[];
	outside: Float64Array | null;
	os: Float64Array[]; /* by cause */
}

function addUp(values: Float64Array, groupOf: (index: number) => number, groups: number): Float64Array {
	const sums = new Float64Array(groups);
	values.forEach((value, index) => (sums[groupOf(index)]! += value));
	return sums;
}

function sumModules(state: State): Sums {
	const { profile, selection } = state;
	const groups = profile.moduleNames.length;
	const moduleOf = (func: number) => profile.functionModules[func]!;
	const { calls, exclusive } = selection.functions();
	const byModule = (values: Float64Array) => addUp(values, moduleOf, groups);
	return { calls: byModule(calls), exclusive: exclusive.map(byModule), inclusive: selection.sumInclusive(moduleOf, groups),
		outside: null, os: selection.osByFunction().map(byModule) };
}

/** Of threads, or of processes: all that their trees have, less what is outside of functions. */
function sumThreads(state: State, groupOf: (thread: number) => number, groups: number): Sums {
	const { profile, selection } = state;
	const { tree, roots } = selection;
	const sum = (values: Float64Array) => {
		const sums = new Float64Array(groups);
		for (const root of roots)
			sums[groupOf(tree.thread[root]!)]! += values[root]!;
		return sums;
	};
	const outside = tree.exclusive.map(sum);
	const inside = tree.inclusive.map((values, q) => sum(values).map((value, group) => value - outside[q]![group]!));
	const kept = (values: Float64Array) => values.map((value, thread) => (!state.threads || state.threads.has(thread) ? value : 0));
	return { calls: null, exclusive: inside, inclusive: profile.hasCalls ? inside : tree.inclusive.map(sum), outside: outside[0]!,
		os: profile.osByThread().map((values) => addUp(kept(values), groupOf, groups)) };
}

const IDENTITY = new Set(['begin', 'end', 'pid', 'tid', 'parent_pid', 'line']);

function valuesOf(state: State, table: Table, kind: Subject, sums: Sums): TableRows['value'] {
	const { profile, selection } = state;
	const own = new Map<string, (group: number) => CellValue>();
	for (const measure of profile.measures) {
		const values = (measure.inclusive ? sums.inclusive : sums.exclusive)[measure.quantity]!;
		const total = selection.totals[measure.quantity]!;
		const plain = (group: number) => profile.plain(values[group]!, measure.quantity);
		own.set(measure.key, plain);
		own.set(measure.percentKey, (group) => (total ? (100 * values[group]!) / total : null));
		if (sums.calls)
			own.set(`${measure.key}_avg`, (group) => (sums.calls![group] ? plain(group) / sums.calls![group]! : null));
	}
	if (sums.calls)
		own.set('calls', (group) => sums.calls![group]!);
	if (sums.outside)
		own.set('outside', (group) => profile.plain(sums.outside![group]!, 0));
	profile.header.causes.forEach((cause, c) => own.set(`os_${cause}`, (group) => profile.ns(sums.os[c]![group]!)));
	return (column, row) => {
		const value = own.get(column.name);
		if (value)
			return value(table.subject[kind][row]!);
		return column.type === 'text' || column.type === 'address' || IDENTITY.has(column.name) ? table.value(column, row) : null;
	};
}

/** A row per function and cause: which file or system call it was is known of all threads together. */
function osRows(state: State): TableRows {
	const { profile, selection } = state;
	/* The last place is that of time outside of all functions. */
	const os = selection.osByFunction().map((ticks, c) => [...ticks, selection.osTotals[c]! - ticks.reduce((sum, value) => sum + value, 0)]);
	const functions = profile.functionCount + 1;
	const nameOf = (func: number) => (func < profile.functionCount ? profile.functionNames[func]! : null);
	const rows = os.flatMap((ticks, c) => [...ticks.keys()].filter((func) => ticks[func]! > 0).map((func) => c * functions + func));
	const ticksOf = (row: number) => os[Math.floor(row / functions)]![row % functions]!;
	const cells: Record<string, (row: number) => CellValue> = {
		os_time: (row) => profile.ns(ticksOf(row)), os_percent: (row) => (selection.totals[0] ? (100 * ticksOf(row)) / selection.totals[0] : null),
		cause: (row) => profile.header.causes[Math.floor(row / functions)]!, function: (row) => nameOf(row % functions),
		module: (row) => (nameOf(row % functions) === null ? null : profile.moduleOf(row % functions)),
	};
	return { rows, filtered: true, value: (column, row) => cells[column.name]?.(row) ?? null,
		subject: (kind, row) => {
			const func = row % functions;
			return func >= profile.functionCount ? -1 : kind === 'function' ? func : kind === 'module' ? profile.functionModules[func]! : -1;
		} };
}

/** The rows for what is shown now. Lines and the like are known of all threads together only. */
export function rowsOf(state: State, table: Table): TableRows {
	const { profile, selection } = state;
	const plain = plainRows(table);
	if (selection.isAll)
		return plain;
	const filtered = (kind: Subject, sums: Sums, some: (group: number) => boolean): TableRows => ({
		...plain, filtered: true, value: valuesOf(state, table, kind, sums),
		rows: plain.rows.filter((row) => some(table.subject[kind][row]!)),
	});
	if (table.name === 'modules') {
		const sums = sumModules(state);
		return filtered('module', sums, (module) => sums.inclusive.some((values) => values[module]! > 0) || sums.calls![module]! > 0);
	}
	if (table.name === 'threads' && !state.bins)
		return { ...plain, rows: plain.rows.filter((row) => state.threads!.has(table.subject.thread[row]!)) };
	if (table.name === 'threads')
		return filtered('thread', sumThreads(state, (thread) => thread, profile.threads.length), (thread) => !state.threads || state.threads.has(thread));
	if (table.name === 'processes') {
		const processOf = (thread: number) => profile.threads[thread]!.process;
		const left = new Set(selection.roots.map((root) => processOf(selection.tree.thread[root]!)));
		return filtered('process', sumThreads(state, processOf, profile.processes.length), (process) => left.has(process));
	}
	return table.name === 'os' ? osRows(state) : plain;
}
