// The report's other tables as they are: modules, threads, processes, OS time, coverage, marks.
import { h } from '../dom.ts';
import { count, plural } from '../format.ts';
import type { Table } from '../model/profile.ts';
import { Grid } from '../parts/grid.ts';
import { makeMatcher } from '../parts/search.ts';
import { columnMenu, isUsed, makeColumn, tableSource } from '../parts/table_columns.ts';
import type { Change } from '../state.ts';
import type { Context, View } from './context.ts';
import { causeTitle } from './summary.ts';

export interface TableOptions {
	name: string;
	title: string;
	/** What a row is called: "module". */
	one: string;
	/** Shown at first, in this order; others follow. */
	columns: string[];
	/** The first of these that there is. */
	sort: string[];
	ascending?: boolean;
	empty: string;
	/** Charts and the like above the table. */
	above?: (context: Context) => HTMLElement;
	/** Rows of threads that are left out are not shown; else a note says that they are in. */
	byThread?: boolean;
	onOpen?: (context: Context, table: Table, row: number) => void;
}

export class TableView implements View {
	readonly name: string;
	readonly title: string;
	readonly element: HTMLElement;
	private readonly grid: Grid;
	private readonly table: Table;
	private readonly chosen: Set<string>;
	private readonly note = h('p.note', { role: 'status' });
	private readonly above = h('div.above');
	private readonly texts: (string | null)[][] = [];

	constructor(private readonly context: Context, private readonly options: TableOptions) {
		const table = context.state.profile.table(options.name)!;
		this.name = options.name;
		this.title = options.title;
		this.table = table;
		this.chosen = new Set(table.columns.map((column) => column.name).filter((name) => options.columns.includes(name)));
		this.grid = new Grid({
			label: options.title, empty: options.empty, sort: { key: firstOf(options.sort, table), descending: !options.ascending },
			onSelect: (row) => { if (table.subject.function[row]! >= 0) context.state.set('selected', table.subject.function[row]!); },
			onOpen: (row) => options.onOpen?.(context, table, row),
		});
		const source = tableSource(table);
		this.element = h('section.view', { 'aria-label': options.title }, this.above,
			h('div.bar', {}, this.note, h('span.grow'), this.grid.csvButton(), columnMenu(table.columns.filter((info) => isUsed(info, source)), this.chosen, () => this.rebuild())),
			this.grid.element);
	}

	private shown(): number[] {
		const { state } = this.context;
		const { subject, columns, rows } = this.table;
		const matcher = makeMatcher(state.query);
		const texts = columns.filter((column) => column.type === 'text');
		return Array.from({ length: rows }, (_, row) => row).filter((row) => {
			if (this.options.byThread && state.threads && subject.thread[row]! >= 0 && !state.threads.has(subject.thread[row]!))
				return false;
			if (state.modules && subject.module[row]! >= 0 && !state.modules.has(subject.module[row]!))
				return false;
			return !matcher || this.rowTexts(row, texts.map((column) => this.table.value(column, row))).some((text) => text && matcher(text));
		});
	}

	private rowTexts(row: number, values: (number | string | null)[]): (string | null)[] {
		return (this.texts[row] ??= values.map((value) => (value === null ? null : String(value))));
	}

	private rebuild(): void {
		const { state } = this.context;
		const source = tableSource(this.table);
		const rows = this.shown();
		const place = (name: string) => (this.options.columns.includes(name) ? this.options.columns.indexOf(name) : this.options.columns.length);
		const chosen = this.table.columns.filter((info) => this.chosen.has(info.name)).sort((a, b) => place(a.name) - place(b.name));
		this.grid.setColumns(chosen.map((info) => {
			const column = makeColumn(info, source);
			const { text } = column;
			if (info.name === 'cause')
				column.text = (row) => causeTitle(text(row));
			if (['process', 'thread', 'module'].includes(info.name) && info.name === this.options.one)
				column.kind = 'name';
			return column;
		}));
		this.grid.setRows(rows);
		const all = this.table.rows;
		this.note.textContent = (rows.length === all ? plural(all, this.options.one, pluralOf(this.options.one)) :
			`${count(rows.length)} of ${plural(all, this.options.one, pluralOf(this.options.one))}`) +
			(state.threads && !this.options.byThread ? ' · values of all threads: the profile has them together only' : '');
		if (this.options.above)
			this.above.replaceChildren(this.options.above(this.context));
	}

	show(): void {
		this.rebuild();
	}

	change(change: Change): void {
		if (change === 'filter' || change === 'query' || change === 'theme')
			this.rebuild();
	}

	focus(): void {
		this.grid.focus();
	}
}

/** The first of the columns that the table has. */
const firstOf = (names: string[], table: Table): string => names.find((name) => table.columns.some((column) => column.name === name)) ?? '';

const pluralOf = (one: string): string => (one === 'process' ? 'processes' : `${one}s`);
