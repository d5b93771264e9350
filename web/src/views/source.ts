// The selected function's source, or its instructions, with samples in the margin: where the page
// was made with --embed-source.
import { h } from '../dom.ts';
import { count, plural, scaleFor, shorten, timeIn } from '../format.ts';
import type { Table } from '../model/profile.ts';
import { Grid, type Column } from '../parts/grid.ts';
import type { Change } from '../state.ts';
import type { Context, View } from './context.ts';

type Kind = 'source' | 'assembly';

export class SourceView implements View {
	readonly name = 'source';
	readonly title = 'Source';
	readonly element: HTMLElement;
	private readonly grid: Grid;
	private readonly heading = h('p.note', { role: 'status' });
	private readonly notes = h('p.signs');
	private readonly kind = h('select', { 'aria-label': 'What to show', onchange: () => this.render() },
		h('option', { value: 'source' }, 'Source lines'), h('option', { value: 'assembly' }, 'Instructions'));
	private readonly offered: number[];
	private readonly functions: HTMLSelectElement;
	private table: Table | null = null;

	constructor(private readonly context: Context) {
		const { profile } = context.state;
		this.offered = profile.header.tables.filter(({ name }) => name.startsWith('assembly:') || name.startsWith('source:'))
			.map(({ name }) => Number(name.split(':')[1])).filter((func, i, all) => all.indexOf(func) === i);
		this.functions = h('select', { 'aria-label': 'Function', onchange: () => context.state.set('selected', Number(this.functions.value)) },
			...this.offered.map((func) => h('option', { value: func }, shorten(profile.functionNames[func]!, 60))));
		this.grid = new Grid({
			label: 'Source', empty: profile.hasCalls && !this.offered.length ?
				'This recording has neither samples nor the places that calls were made from: tare record --call-sites keeps them.' :
				'Of this function neither source nor instructions are in the page: it holds those of the functions with most samples, or most time in calls that they made. Choose one above.',
			rowClass: (row) => (this.number('level', row) ? 'inlined' : ''),
		});
		this.element = h('section.view', { 'aria-label': 'Source' },
			h('div.bar', {}, this.kind, this.functions, h('span.grow'), this.heading), this.grid.element, this.notes);
	}

	private number(name: string, row: number): number {
		const column = this.table!.columns.find((candidate) => candidate.name === name);
		return column ? Number(this.table!.value(column, row) ?? 0) : 0;
	}

	private text(name: string, row: number): string {
		const column = this.table!.columns.find((candidate) => candidate.name === name);
		const value = column ? this.table!.value(column, row) : null;
		return value === null ? '' : String(value);
	}

	/** Of recordings with call sites, the calls made from a line stand beside it. */
	private callColumns(): Column[] {
		const numbers = (name: string) => Array.from({ length: this.table!.rows }, (_, row) => this.number(name, row));
		const most = Math.max(1, ...numbers('cpu_inclusive'));
		const timed = (name: string, group: string): Column => {
			const scale = scaleFor(Math.max(0, ...numbers(name)));
			return { key: name, title: `incl ${scale}`, group, kind: 'number', width: 104, hint: 'Time in what was called from there',
				text: (row) => (this.number('calls', row) || this.number(name, row) ? timeIn(this.number(name, row), scale) : ''),
				share: name.startsWith('cpu') ? (row) => this.number(name, row) / most : undefined };
		};
		return [{ key: 'calls', title: 'Calls', kind: 'number', width: 90, hint: 'Made from there', text: (row) => { const n = this.number('calls', row); return n ? count(n) : ''; } },
			timed('cpu_inclusive', 'CPU'), timed('elapsed_inclusive', 'Elapsed'), timed('application_inclusive', 'Application')];
	}

	private columns(kind: Kind): Column[] {
		const samples = (which: string, group: string): Column[] => {
			const most = Math.max(1, ...Array.from({ length: this.table!.rows }, (_, row) => this.number(`${which}_samples`, row)));
			return [
			{ key: `${which}_samples`, title: 'samples', group, kind: 'number', width: 78, text: (row) => { const n = this.number(`${which}_samples`, row); return n ? count(n) : ''; } },
			{ key: `${which}_percent`, title: '%', group, kind: 'number', width: 76, text: (row) => (this.number(`${which}_samples`, row) ? this.number(`${which}_percent`, row).toFixed(2) : ''),
				hint: 'Per cent of all samples; the bar: of the largest here', share: (row) => this.number(`${which}_samples`, row) / most },
			];
		};
		const place: Column = kind === 'source' ?
			{ key: 'line', title: 'Line', kind: 'number', width: 70, className: () => 'faint', text: (row) => this.text('line', row) } :
			{ key: 'address', title: 'Address', kind: 'number', width: 120, className: () => 'faint', text: (row) => this.text('address', row) };
		const ofCalls = this.table!.columns.some(({ name }) => name === 'calls');
		return [...(ofCalls ? this.callColumns() : [...samples('inclusive', 'Inclusive'), ...samples('exclusive', 'Exclusive')]), place,
			{ key: 'text', title: kind === 'source' ? 'Source' : 'Instruction', kind: 'code', width: 0, text: (row) => this.code(kind, row) }];
	}

	private code(kind: Kind, row: number): string {
		const text = this.text('text', row);
		const level = this.number('level', row);
		if (!level || kind === 'assembly')
			return text;
		const file = this.text('source', row).split('/').at(-1);
		return `${'    '.repeat(level)}↳ ${this.text('function', row)} · ${file}:${this.text('line', row)}${text ? `   ${text.trim()}` : ''}`;
	}

	private render(): void {
		const { state } = this.context;
		const { profile } = state;
		const func = state.selected;
		const wanted = this.kind.value as Kind;
		this.table = profile.table(`${wanted}:${func}`);
		if (!this.table && wanted === 'source' && profile.table(`assembly:${func}`)) {
			this.kind.value = 'assembly';
			this.table = profile.table(`assembly:${func}`);
		}
		this.functions.value = String(func);
		const rows = Array.from({ length: this.table?.rows ?? 0 }, (_, row) => row);
		if (this.table)
			this.grid.setColumns(this.columns(this.kind.value as Kind));
		this.grid.setRows(rows);
		const notes = profile.header.tables.find(({ name }) => name === this.table?.name)?.notes ?? [];
		this.notes.replaceChildren(...notes.map((note) => h('span', {}, note)));
		this.heading.textContent = this.table ? `${shorten(this.sourceFile(rows), 70)} · ${plural(rows.length, this.kind.value === 'source' ? 'line' : 'instruction')}` : '';
		this.toHottest(rows);
	}

	private sourceFile(rows: number[]): string {
		const row = rows.find((candidate) => this.text('source', candidate));
		return row === undefined ? this.context.state.profile.moduleOf(this.context.state.selected) : this.text('source', row);
	}

	private toHottest(rows: number[]): void {
		let best = -1;
		const worth = (row: number) => this.number('exclusive_samples', row) || this.number('cpu_inclusive', row);
		for (const row of rows)
			if (worth(row) > (best < 0 ? 0 : worth(best)))
				best = row;
		if (best >= 0)
			this.grid.moveTo(best, false, true);
	}

	show(): void {
		this.render();
	}

	change(change: Change): void {
		if (change === 'selected')
			this.render();
	}

	focus(): void {
		this.grid.focus();
	}
}
