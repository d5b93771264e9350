// The report's other tables as they are: modules, threads, processes, OS time, coverage, marks.
import { h } from '../dom.ts';
import { besideModule, count, plural } from '../format.ts';
import type { Table } from '../model/profile.ts';
import { Grid, type Column } from '../parts/grid.ts';
import type { Action } from '../parts/menu.ts';
import { makeMatcher } from '../parts/search.ts';
import { SiblingRows } from '../parts/sibling_rows.ts';
import { columnMenu, isUsed, makeColumn, tableSource } from '../parts/table_columns.ts';
import type { Change, State } from '../state.ts';
import type { Context, View } from './context.ts';
import { plainRows, rowsOf, type TableRows } from './filtered_rows.ts';
import { functionActions } from './frame_actions.ts';

export interface TableOptions {
	name: string;
	title: string;
	/** What a row is called: "module". */
	one: string;
	/** Shown at first, in this order; others follow. */
	columns: string[];
	/** Columns besides those of functions that are as wide as they can be. */
	wide?: string[];
	/** The least width of these, in pixels. */
	nameWidth?: number;
	/** The first of these that there is. */
	sort: string[];
	ascending?: boolean;
	empty: string;
	/** Charts and the like above the table. */
	above?: (context: Context) => HTMLElement;
	/** Has values that filters of threads and time change. */
	counts?: boolean;
	/** The rows for what is chosen, where these are others than those of `rowsOf`. */
	rows?: (state: State, table: Table) => TableRows;
	onSelect?: (row: number) => void;
	onOpen?: (context: Context, rows: TableRows, row: number) => void;
	/** What else can be done with a row. */
	actions?: (context: Context, rows: TableRows, row: number) => Action[];
	/** The row that a row stands below, -1: none. */
	parentOf?: (context: Context, table: Table) => (row: number) => number;
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
	private shown: TableRows;
	private readonly parentOf: ((row: number) => number) | null;
	private readonly siblings = new SiblingRows(() => this.rebuild(true));

	constructor(private readonly context: Context, private readonly options: TableOptions) {
		const table = context.state.profile.table(options.name)!;
		this.name = options.name;
		this.title = options.title;
		this.table = table;
		this.shown = plainRows(table);
		this.chosen = new Set(table.columns.map((column) => column.name).filter((name) => options.columns.includes(name)));
		this.parentOf = options.parentOf?.(context, table) ?? null;
		this.grid = new Grid({
			label: options.title, empty: options.empty, nameWidth: options.nameWidth, sort: { key: firstOf(options.sort, table), descending: !options.ascending },
			tree: this.parentOf ? this.siblings : undefined, onSort: () => this.parentOf && this.rebuild(true),
			onSelect: (row) => { options.onSelect?.(row); if (this.shown.subject('function', row) >= 0) context.state.set('selected', this.shown.subject('function', row)); },
			onOpen: (row) => options.onOpen?.(context, this.shown, row),
			actions: (row) => [...(options.actions?.(context, this.shown, row) ?? []),
				...(this.shown.subject('function', row) >= 0 ? functionActions(context, this.shown.subject('function', row)) : [])],
		});
		const source = tableSource(table);
		this.element = h('section.view', { 'aria-label': options.title }, this.above,
			h('div.bar', {}, this.note, h('span.grow'), this.grid.csvButton(), columnMenu(table.columns.filter((info) => isUsed(info, source)), this.chosen, () => this.rebuild())),
			this.grid.element);
	}

	private matching(): number[] {
		const { state } = this.context;
		const { shown } = this;
		const matcher = makeMatcher(state.query);
		const texts = this.table.columns.filter((column) => column.type === 'text');
		return shown.rows.filter((row) => {
			if (state.modules && shown.subject('module', row) >= 0 && !state.modules.has(shown.subject('module', row)))
				return false;
			return !matcher || texts.some((column) => matcher(String(shown.value(column, row) ?? '')));
		});
	}

	private columns(): Column[] {
		const { state } = this.context;
		const source = { rows: this.shown.rows, value: this.shown.value };
		const place = (name: string) => (this.options.columns.includes(name) ? this.options.columns.indexOf(name) : this.options.columns.length);
		const chosen = this.table.columns.filter((info) => this.chosen.has(info.name)).sort((a, b) => place(a.name) - place(b.name));
		return chosen.map((info) => {
			const column = makeColumn(info, source);
			const { text } = column;
			const module = info.name === 'function' && chosen.find((other) => other.name === 'module');
			if (module) {
				column.csv = text;
				column.text = (row) => besideModule(text(row), String(this.shown.value(module, row) ?? ''));
			}
			if (info.name === 'cause')
				column.text = (row) => state.profile.causeTitle(text(row));
			if ((['process', 'thread', 'module'].includes(info.name) && info.name === this.options.one) || this.options.wide?.includes(info.name))
				column.kind = 'name';
			return column;
		});
	}

	/** Of a tree, siblings are sorted; else the grid sorts all rows. */
	private ordered(rows: number[], columns: Column[]): number[] {
		const { sortedBy } = this.grid;
		const column = columns.find(({ key }) => key === sortedBy?.key);
		return this.parentOf ? this.siblings.list(rows, this.parentOf, (row) => column?.sortValue?.(row) ?? null, sortedBy?.descending ?? true) : rows;
	}

	private rebuild(keepPlace = false): void {
		const { state } = this.context;
		this.shown = (this.options.rows ?? rowsOf)(state, this.table);
		const rows = this.matching();
		const columns = this.columns();
		this.grid.set(columns, this.ordered(rows, columns), keepPlace);
		const all = this.shown.filtered ? this.shown.rows.length : this.table.rows;
		this.note.textContent = (rows.length === all ? plural(all, this.options.one, pluralOf(this.options.one)) :
			`${count(rows.length)} of ${plural(all, this.options.one, pluralOf(this.options.one))}`) +
			(state.selection.isAll || !this.options.counts || this.shown.filtered ? '' : ' · values of all threads and all of the time: the profile has them together only') +
			(this.shown.filtered && !this.options.rows ? ' · least, most and percentiles are known of all threads together only' : '');
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

	/** Puts the cursor on a row, if it is there. */
	moveTo(row: number): void {
		if (this.grid.current !== row)
			this.grid.moveTo(row);
	}

	/** What is shown now. */
	get filteredRows(): TableRows {
		return this.shown;
	}
}

/** The first of the columns that the table has. */
const firstOf = (names: string[], table: Table): string => names.find((name) => table.columns.some((column) => column.name === name)) ?? '';

const pluralOf = (one: string): string => (one === 'process' ? 'processes' : `${one}s`);
