// Columns of the report's tables as columns of a grid: one unit per column, as in text reports.
import type { ColumnInfo } from '../model/data.ts';
import type { Table } from '../model/profile.ts';
import { count, scaleFor, time, timeIn, type Scale } from '../format.ts';
import { h } from '../dom.ts';
import type { Column } from './grid.ts';

export type CellValue = number | string | null;

export interface ColumnSource {
	rows: number[];
	/** Nanoseconds, counts, per cent, or a text. */
	value(column: ColumnInfo, row: number): CellValue;
}

const NAMES = new Set(['function', 'module_path', 'refusals', 'executable', 'source']);
const HINTS: Record<string, string> = {
	unwound: 'Calls that ended by longjmp, an exception or the end of the thread',
	confidence: '~ exclusive time per call is below five times the probes’ cost; ? it may be nothing but that cost',
	outside: 'Time outside of all functions that were instrumented',
};

const titleOf = (info: ColumnInfo): string => info.title || (info.name[0]!.toUpperCase() + info.name.slice(1)).replaceAll('_', ' ');

/** As it stands in lists of columns: "Elapsed incl avg". */
export const fullTitle = (info: ColumnInfo): string => (info.group ? `${info.group} ${titleOf(info)}` : titleOf(info));

function timeScale(info: ColumnInfo, source: ColumnSource): Scale {
	let largest = 0;
	for (const row of source.rows) {
		const value = source.value(info, row);
		if (typeof value === 'number' && Math.abs(value) > largest)
			largest = Math.abs(value);
	}
	return scaleFor(largest);
}

const MARKS: Record<string, string> = { 'overhead-dominated': '~', 'within-error': '?' };

const isPercent = (info: ColumnInfo): boolean => info.type === 'percent' || info.type === 'signed_percent';

function textOf(info: ColumnInfo, source: ColumnSource, scale: Scale, row: number): string {
	const value = source.value(info, row);
	if (value === null)
		return info.type === 'text' ? '' : '–';
	if (typeof value === 'string')
		return info.name === 'confidence' ? (MARKS[value] ?? value) : value;
	if (info.type === 'time')
		return info.each ? time(value) : timeIn(value, scale);
	if (isPercent(info))
		return value.toFixed(2);
	return info.type === 'signed' ? String(value) : count(value);
}

function widthOf(info: ColumnInfo): number {
	if (info.name === 'confidence')
		return 34;
	if (['place', 'process', 'thread', 'object'].includes(info.name))
		return 190;
	if (info.type === 'text' || info.type === 'address')
		return info.type === 'address' ? 110 : info.name === 'build_id' ? 300 : 150;
	return isPercent(info) ? 76 : info.type === 'signed' ? 84 : info.each ? 104 : 100;
}

export function makeColumn(info: ColumnInfo, source: ColumnSource): Column {
	const isText = info.type === 'text' || info.type === 'address';
	const scale = info.type === 'time' && !info.each ? timeScale(info, source) : 'ms';
	const title = info.name === 'confidence' ? '±' : titleOf(info);
	const isShare = info.type === 'percent' && !info.name.endsWith('_ns');
	const hasUnit = isShare || info.type === 'signed_percent';
	const unit = info.type === 'time' && !info.each ? ` ${scale}` : hasUnit && !title.includes('%') ? ' %' : '';
	return {
		key: info.name, csvKey: info.type === 'time' ? `${info.name}_ns` : info.name, title: title + unit, group: info.group,
		hint: HINTS[info.name],
		kind: NAMES.has(info.name) ? 'name' : isText ? 'text' : 'number',
		width: Math.max(widthOf(info), 7.6 * (title + unit).length + 34),
		text: (row) => textOf(info, source, scale, row),
		sortValue: (row) => source.value(info, row),
		share: isShare ? (row) => Number(source.value(info, row) ?? 0) / 100 : undefined,
	};
}

export const tableSource = (table: Table): ColumnSource => ({
	rows: Array.from({ length: table.rows }, (_, i) => i),
	value: (column, row) => table.value(column, row),
});

/** Whether any row has a value there. */
export function isUsed(info: ColumnInfo, source: ColumnSource): boolean {
	return source.rows.some((row) => {
		const value = source.value(info, row);
		return value !== null && value !== '' && value !== 0;
	});
}

/** A menu of all columns; `chosen` says and is told which are shown. */
export function columnMenu(columns: ColumnInfo[], chosen: Set<string>, onChange: () => void): HTMLElement {
	const list = h('div.menu-list', { role: 'group', 'aria-label': 'Columns' });
	for (const info of columns)
		list.append(h('label', {}, h('input', {
			type: 'checkbox', checked: chosen.has(info.name), 'data-column': info.name,
			onchange: (event) => {
				if ((event.target as HTMLInputElement).checked)
					chosen.add(info.name);
				else
					chosen.delete(info.name);
				onChange();
			},
		}), fullTitle(info)));
	return h('details.menu', {
		/* Where the button stands far left, the list would begin outside of the window. */
		ontoggle: () => list.classList.toggle('from-left', list.getBoundingClientRect().left < 0),
		onkeydown: (event) => {
			const details = event.currentTarget as HTMLDetailsElement;
			if ((event as KeyboardEvent).key === 'Escape' && details.open) {
				details.open = false;
				details.querySelector('summary')!.focus();
				event.stopPropagation();
			}
		},
	}, h('summary.button', {}, 'Columns'), list);
}
