// Lines and instructions as grids: in the margin what they took as heat, and how often they ran where
// that is known; before instructions, arrows of jumps. Texts of sources only ever become text nodes.
import { h } from '../dom.ts';
import { count, percent, shortCount, time } from '../format.ts';
import { Kind, marginOf, type CodeTable, type FunctionCode } from '../model/code.ts';
import type { Measure } from '../model/profile.ts';
import { gutterCell, gutterWidth } from './arrows.ts';
import type { Column } from './grid.ts';
import { makeColumn, tableSource } from './table_columns.ts';

export const CODE_ROW = 20; /* pixels */

export interface CodeStyle {
	measure: Measure;
	/** What the measure's margin is headed with. */
	title: string;
	/** Further columns of the table. */
	more: ReadonlySet<string>;
	bytes: boolean;
	/** Beside source there is less room. */
	narrow: boolean;
	/** The row of the jump whose arrow is marked; -1: none. */
	chosen: number;
}

const UNKNOWN_HINT = 'Not known: it was not counted, or control may come into the middle of the function';

/** What has columns of its own here, or is the same in all rows. */
const PLACED = new Set(['module', 'module_path', 'build_id', 'function', 'source', 'line', 'address', 'level', 'text', 'place', 'executions', 'calls']);

/** The columns that a menu offers. */
export const moreColumns = (table: CodeTable) => table.table.columns.filter(({ name, type }) => !PLACED.has(name) && type !== 'text');

/** Between what samples say that it lies. */
function intervalText(table: CodeTable, value: string, row: number): string {
	const side = value.replace(/_(samples|weight)$/, '');
	const times = [table.number(`${value}_low`, row), table.number(`${value}_high`, row)];
	const shares = [table.number(`${side}_low_percent`, row), table.number(`${side}_high_percent`, row)];
	const [low, high] = times[0] !== null ? times.map((ns) => time(ns!)) : shares.map((share) => (share === null ? '' : `${share.toFixed(2)} %`));
	return low && high ? `, ${low} to ${high} at 95 % confidence` : '';
}

/** `rowsOf`: those whose exclusive values a row shows. */
function heatColumn(table: CodeTable, style: CodeStyle, rowsOf: (row: number) => number[]): Column[] {
	const margin = marginOf(table, style.measure);
	if (!margin)
		return [];
	const most = Math.max(1e-9, table.most(margin.value));
	const info = table.column(margin.value)!;
	const isExclusive = margin.value.includes('exclusive');
	const sum = (name: string, row: number) => (isExclusive ? rowsOf(row) : [row]).reduce((all, one) => all + (table.number(name, one) ?? 0), 0);
	const share = (row: number) => (margin.percent ? sum(margin.percent, row) : null);
	const value = (row: number) => sum(margin.value, row);
	const shown = (row: number) => (info.type === 'time' ? time(value(row)) : `${count(value(row))} ${/samples$/.test(margin.value) ? 'samples' : ''}`.trim());
	return [{
		key: 'heat', csvKey: margin.value, title: style.title, kind: 'number', width: Math.max(66, 7.6 * style.title.length + 18),
		hint: 'Per cent of all; the colour: of the greatest in this function',
		text: (row) => (value(row) ? (share(row) === null ? shown(row) : percent(share(row)! / 100)) : ''),
		csv: (row) => value(row), heat: (row) => (value(row) ? Math.sqrt(value(row) / most) : null), className: () => 'took',
		hintOf: (row) => {
			/* Of a sum of rows no interval is known. */
			return value(row) ? `${shown(row)}${isExclusive && rowsOf(row).length > 1 ? ', with what was inlined there' : intervalText(table, margin.value, row)}` : '';
		},
	}];
}

/** A question mark where code is that the profile does not know it of; 0 is what never ran. */
function executionsColumn(table: CodeTable, hasCode: (row: number) => boolean): Column[] {
	if (!table.has('executions'))
		return [];
	const most = Math.log1p(Math.max(1, table.most('executions')));
	const value = (row: number) => table.number('executions', row);
	return [{
		key: 'executions', title: 'Executions', kind: 'number', width: Math.max(96, 7.6 * count(table.most('executions')).length + 20), hint: 'How often it ran; the colour is by its logarithm',
		text: (row) => (value(row) !== null ? count(value(row)!) : hasCode(row) ? '?' : ''), csv: value,
		heat: (row) => (value(row) === null ? null : Math.log1p(value(row)!) / most),
		className: (row) => (value(row) === 0 ? 'never' : value(row) === null ? 'faint' : 'ran'),
		hintOf: (row) => (value(row) === 0 ? 'Never executed' : value(row) === null && hasCode(row) ? UNKNOWN_HINT : ''),
	}];
}

function callsColumn(table: CodeTable): Column[] {
	if (!table.has('calls'))
		return [];
	return [{ key: 'calls', title: 'Calls', kind: 'number', width: 84, hint: 'Made from there', csv: (row) => table.number('calls', row),
		text: (row) => (table.number('calls', row) ? count(table.number('calls', row)!) : '') }];
}

function takenColumn(code: FunctionCode): Column[] {
	if (!code.knowsJumps)
		return [];
	const text = (row: number) => code.jumped(row)?.map(count).join(' / ') ?? '';
	const longest = Array.from({ length: code.assembly!.rows }, (_, row) => text(row).length).reduce((most, length) => Math.max(most, length), 0);
	return [{
		key: 'taken', title: 'Taken / not', kind: 'number', width: Math.max(100, 7.6 * longest + 18), hint: 'How often a conditional jump jumped, and how often it did not',
		text,
		hintOf: (row) => {
			const [taken, not] = code.jumped(row) ?? [0, 0];
			return taken + not ? `Taken ${percent(taken / (taken + not))} % of the time` : '';
		},
	}];
}

const isOneSided = (code: FunctionCode, jump: number) => code.jumped(jump)!.some((times, _, both) => times === 0 && both[0]! + both[1]! > 0);

/** The first jump of a line, and how many more there are: `a && b` has two. */
function lineJumpsText(code: FunctionCode, jumps: readonly number[]): string {
	const [first, ...more] = jumps;
	return first === undefined ? '' : code.jumped(first)!.map(shortCount).join(' / ') + (more.length ? ` +${more.length}` : '');
}

function lineJumpsHint(code: FunctionCode, jumps: readonly number[]): string {
	const said = jumps.slice(0, 12).map((jump) => `${code.assembly!.text('address', jump)}: ${code.jumped(jump)!.map(count).join(' / ')}`);
	return [...said, ...(jumps.length > said.length ? [`and ${jumps.length - said.length} more`] : [])].join('\n');
}

/** How often the jumps of each line went either way, as lcov's BRDA has it; one that always goes the same way stands out. */
function lineJumpsColumn(code: FunctionCode, rowsOf: (row: number) => number[]): Column[] {
	if (!code.knowsJumps)
		return [];
	const jumps = (row: number) => rowsOf(row).flatMap((one) => code.jumpsOn(one));
	const longest = Array.from({ length: code.lines!.rows }, (_, row) => lineJumpsText(code, jumps(row)).length).reduce((most, length) => Math.max(most, length), 0);
	return [{
		key: 'taken', title: 'Taken / not', kind: 'number', width: Math.max(92, 7.8 * longest + 20),
		hint: 'How often the first conditional jump of the line jumped, and how often it did not; +1: there is another',
		text: (row) => lineJumpsText(code, jumps(row)), hintOf: (row) => lineJumpsHint(code, jumps(row)),
		className: (row) => (jumps(row).some((jump) => isOneSided(code, jump)) ? 'never' : 'ran'),
	}];
}

function chosenColumns(table: CodeTable, style: CodeStyle): Column[] {
	const source = tableSource(table.table);
	return moreColumns(table).filter(({ name }) => style.more.has(name)).map((info) => makeColumn(info, source));
}

interface Rows {
	/** Those whose exclusive values a row shows. */
	of: (row: number) => number[];
	hasCode: (row: number) => boolean;
}

const margins = (table: CodeTable, style: CodeStyle, rows: Rows): Column[] =>
	[...heatColumn(table, style, rows.of), ...executionsColumn(table, rows.hasCode), ...callsColumn(table), ...chosenColumns(table, style)];

/** Of inlined code: whose it is, and where that stands. */
function lineText(table: CodeTable, row: number): string {
	const text = table.text('text', row);
	const level = table.number('level', row) ?? 0;
	if (!level)
		return text;
	const file = table.text('source', row).split('/').at(-1);
	return `${'    '.repeat(Math.min(level, 12))}↳ ${table.text('function', row)} · ${file}:${table.text('line', row)}${text ? `   ${text.trim()}` : ''}`;
}

/** A line that something was inlined at can be opened. */
function lineCell(code: FunctionCode, row: number): Node {
	const open = code.inlined.expanded(row);
	const cell = document.createDocumentFragment();
	cell.append(open === null ? h('span.twisty', {}) : h('span.twisty', { 'aria-hidden': 'true' }, open ? '▾' : '▸'), lineText(code.lines!, row));
	return cell;
}

export function lineColumns(code: FunctionCode, style: CodeStyle): Column[] {
	const table = code.lines!;
	const rowsOf = (row: number) => code.inlined.standsFor(row);
	return [...margins(table, style, { of: rowsOf, hasCode: (row) => code.links.instructionsOf(row).length > 0 }), ...lineJumpsColumn(code, rowsOf),
		{ key: 'line', title: 'Line', kind: 'number', width: 58, className: () => 'faint', text: (row) => ((table.number('level', row) ?? 0) ? '' : table.text('line', row)) },
		{ key: 'text', title: 'Source', kind: 'code', width: 0, text: (row) => lineText(table, row), render: (row) => lineCell(code, row), hintOf: (row) => (lineText(table, row).length > 60 ? lineText(table, row).trim().slice(0, 2000) : '') }];
}

/** The operands, and the name that stands behind them as "<name>". */
function splitName(text: string): [string, string] {
	const at = text.indexOf(' <');
	return at > 0 && text.endsWith('>') ? [text.slice(0, at + 1), text.slice(at + 1)] : [text, ''];
}

function instructionCell(code: FunctionCode, row: number): Node {
	const [text, name] = splitName(code.assembly!.text('text', row));
	const inside = code.target(row) >= 0;
	const known = code.kind[row] !== Kind.plain && (inside || code.callee(row) >= 0);
	/* Of a place in the function itself, the distance from its beginning says enough. */
	const shown = inside ? name.replace(/^<.*(\+0x[0-9a-f]+)>$/s, '<$1>') : name;
	const cell = document.createDocumentFragment();
	cell.append(text);
	if (shown)
		cell.append(known ? h('span.symbol.link', {}, shown) : h('span.symbol', {}, shown));
	return cell;
}

export function assemblyColumns(code: FunctionCode, style: CodeStyle): Column[] {
	const table = code.assembly!;
	const text = (row: number) => table.text('text', row);
	const { lanes } = code;
	const gutter: Column = {
		key: 'jumps', title: '', kind: 'gutter', width: gutterWidth(lanes), text: () => '',
		hint: 'Jumps within the function; back, and so loops, in colour',
		render: (row) => gutterCell({ lanes, chosen: style.chosen, rowHeight: CODE_ROW }, row),
	};
	return [...margins(table, style, { of: (row) => [row], hasCode: () => true }), ...(style.narrow ? [] : takenColumn(code)),
		{ key: 'address', title: 'Address', kind: 'number', width: 92, className: () => 'faint', text: (row) => table.text('address', row).replace(/^0x/, '') },
		...(style.bytes ? [{ key: 'bytes', title: 'Bytes', kind: 'text' as const, width: 210, text: (row: number) => code.bytes(row), className: () => 'bytes' }] : []),
		...(lanes.count ? [gutter] : []),
		{ key: 'text', title: 'Instruction', kind: 'code', width: 0, text, render: (row) => instructionCell(code, row), hintOf: (row) => (text(row).length > 40 ? text(row).slice(0, 2000) : '') }];
}
