// One row per function: all columns of the report, those of the selection's threads where some are
// left out, and what differs from the base of a comparison.
import { append, h } from '../dom.ts';
import { besideModule, count, plural, scaleFor, timeIn } from '../format.ts';
import type { Table } from '../model/profile.ts';
import { Grid, type Column } from '../parts/grid.ts';
import { makeMatcher } from '../parts/search.ts';
import { columnMenu, isUsed, makeColumn, type CellValue, type ColumnSource } from '../parts/table_columns.ts';
import type { Change } from '../state.ts';
import { callsSign, isTime, marginOf, type Context, type View } from './context.ts';
import { functionActions } from './frame_actions.ts';

const DEFAULTS = ['calls', 'instructions', 'confidence', 'cpu_inclusive', 'cpu_exclusive', 'elapsed_inclusive', 'elapsed_exclusive', 'application_inclusive',
	'application_exclusive', 'inclusive_samples', 'exclusive_samples', 'exclusive_percent', 'exclusive_weight', 'elapsed_inclusive_avg', 'function', 'module'];

export class FunctionsView implements View {
	readonly name = 'functions';
	readonly title = 'Functions';
	readonly element: HTMLElement;
	private readonly grid: Grid;
	private readonly note = h('p.note', { role: 'status' });
	private readonly signs = h('p.signs');
	private readonly table: Table;
	private readonly rowOf: Int32Array;
	private readonly chosen: Set<string>;
	private stale = true;

	constructor(private readonly context: Context) {
		const { profile } = context.state;
		this.table = profile.table('functions')!;
		this.rowOf = new Int32Array(profile.functionCount).fill(-1);
		this.table.subject.function.forEach((func, row) => (this.rowOf[func] = row));
		this.chosen = new Set(this.table.columns.map((column) => column.name).filter((name) => DEFAULTS.includes(name)));
		if (context.comparison)
			for (const name of ['application_inclusive', 'application_exclusive', 'elapsed_inclusive_avg', 'confidence'])
				this.chosen.delete(name);
		this.grid = new Grid({
			label: 'Functions', empty: 'No function matches. Clear the search or the filters to see all.',
			sort: { key: context.comparison ? 'delta' : 'value', descending: true },
			onSelect: (row) => this.select(row),
			onOpen: (row) => { this.select(row); document.querySelector<HTMLElement>('.pane button')?.focus(); },
			rowClass: (row) => this.classOf(row),
			actions: (row) => (row < profile.functionCount ? functionActions(context, row) : []),
		});
		const source = this.source([]);
		source.rows = this.allRows();
		const offered = this.table.columns.filter((info) => isUsed(info, source));
		this.element = h('section.view', { 'aria-label': 'Functions' },
			h('div.bar', {}, this.note, h('span.grow'), this.grid.csvButton(), columnMenu(offered, this.chosen, () => this.rebuild())),
			this.grid.element, this.signs);
	}

	private get state() { return this.context.state; }

	private select(row: number): void {
		this.state.set('selected', row < this.state.profile.functionCount ? row : -1);
	}

	/** Functions that were seen; behind them those that only the base has. */
	private allRows(): number[] {
		const { profile, selection } = this.state;
		const values = selection.functions();
		const rows: number[] = [];
		for (let i = 0; i < profile.functionCount; i++)
			if (values.calls[i] || values.inclusive.some((inclusive) => inclusive[i]))
				rows.push(i);
		for (const func of this.context.comparison?.vanished ?? [])
			if (this.baseValue(profile.functionCount + func))
				rows.push(profile.functionCount + func);
		return rows;
	}

	private nameOf(row: number): string {
		const { profile, base } = this.state;
		return row < profile.functionCount ? profile.functionNames[row]! : base!.functionNames[row - profile.functionCount]!;
	}

	private moduleOf(row: number): string {
		const { profile, base } = this.state;
		return row < profile.functionCount ? profile.moduleOf(row) : base!.moduleOf(row - profile.functionCount);
	}

	private shownRows(): number[] {
		const matcher = makeMatcher(this.state.query);
		const { profile, modules } = this.state;
		return this.allRows().filter((row) => ((!modules && !this.state.shape.myCode) || (row < profile.functionCount && this.state.showsFunction(row))) &&
			(!matcher || matcher(this.nameOf(row)) || matcher(this.moduleOf(row))));
	}

	private value(row: number): number {
		return row < this.state.profile.functionCount ? this.state.valueOf(row) : 0;
	}

	/** In the profile's ticks. */
	private baseValue(row: number): number {
		const { measure, profile } = this.state;
		const comparison = this.context.comparison!;
		const func = row < profile.functionCount ? comparison.inBase[row]! : row - profile.functionCount;
		if (func < 0)
			return 0;
		return comparison.scaled(this.state.baseOf().of(func, measure.quantity, measure.inclusive), measure.quantity);
	}

	private classOf(row: number): string {
		const { profile } = this.state;
		if (row >= profile.functionCount)
			return 'vanished';
		return this.context.comparison && this.context.comparison.inBase[row]! < 0 ? 'fresh' : '';
	}

	/** The report's cells; of a part of the threads, those that follow from the call tree. */
	private source(rows: number[]): ColumnSource {
		const { state } = this;
		const { profile, selection } = state;
		const values = selection.functions();
		const own = new Map<string, (row: number) => CellValue>();
		own.set('function', (row) => this.nameOf(row));
		own.set('module', (row) => this.moduleOf(row));
		if (!selection.isAll) {
			own.set('calls', (row) => values.calls[row]!);
			const os = selection.osByFunction();
			profile.header.causes.forEach((cause, c) => own.set(`os_${cause}`, (row) => profile.ns(os[c]![row]!)));
			for (const measure of profile.measures) {
				const ticks = (measure.inclusive ? values.inclusive : values.exclusive)[measure.quantity]!;
				const total = selection.totals[measure.quantity]!;
				const plain = (row: number) => profile.plain(ticks[row]!, measure.quantity);
				own.set(measure.key, plain);
				own.set(measure.percentKey, (row) => (total ? (100 * ticks[row]!) / total : null));
				own.set(`${measure.key}_avg`, (row) => (values.calls[row] ? plain(row) / values.calls[row]! : null));
			}
		}
		const kept = new Set(['function', 'module', 'source', 'line', 'address', 'confidence', 'disarmed']);
		return {
			rows,
			value: (column, row) => {
				const override = own.get(column.name);
				if (override && (row < profile.functionCount || column.name === 'function' || column.name === 'module'))
					return override(row);
				if (row >= profile.functionCount || this.rowOf[row]! < 0 || (!selection.isAll && !kept.has(column.name)))
					return null;
				return this.table.value(column, this.rowOf[row]!);
			},
		};
	}

	/** Of the whole, in per cent; null where the clock knows the value, or it is one of a part of the threads. */
	private margin(row: number): number | null {
		const { state } = this;
		return row < state.profile.functionCount && this.rowOf[row]! >= 0
			? marginOf(state, this.table, this.rowOf[row]!, state.measure) : null;
	}

	private marginText(row: number): string {
		const margin = this.margin(row);
		return margin === null ? '' : ` ± ${margin.toFixed(1)}`;
	}

	private valueColumns(rows: number[]): Column[] {
		const { state } = this;
		const timed = isTime(state, state.measure.quantity);
		const total = state.total();
		const ns = (value: number) => state.plain(value);
		const scale = scaleFor(rows.reduce((most, row) => Math.max(most, ns(this.value(row))), 0));
		const text = (value: number) => (timed ? timeIn(ns(value), scale) : count(value));
		const unit = timed ? ` ${scale}` : '';
		const columns: Column[] = [{
			key: 'value', title: '% of total', group: state.measure.title, kind: 'number', width: 118,
			hint: `Share of ${state.measure.title.toLowerCase()}`,
			text: (row) => (total ? ((100 * this.value(row)) / total).toFixed(2) + this.marginText(row) : '–'),
			sortValue: (row) => this.value(row), share: (row) => (total ? this.value(row) / total : 0),
		}];
		if (!this.context.comparison)
			return columns;
		const signed = (value: number) => (value > 0 ? '+' : '') + text(value);
		const delta = (row: number) => this.value(row) - this.baseValue(row);
		columns.push(
			{ key: 'now', title: `New${unit}`, group: 'Compared', kind: 'number', width: 96, text: (row) => text(this.value(row)), sortValue: (row) => this.value(row) },
			{ key: 'base', title: `Base${unit}`, group: 'Compared', kind: 'number', width: 96, text: (row) => text(this.baseValue(row)), sortValue: (row) => this.baseValue(row) },
			{ key: 'delta', title: `Δ${unit}`, group: 'Compared', kind: 'number', width: 104, hint: 'New less base', text: (row) => signed(delta(row)), sortValue: delta,
				className: (row) => (delta(row) > 0 ? 'more' : delta(row) < 0 ? 'less' : '') },
			{ key: 'ratio', title: 'Δ %', group: 'Compared', kind: 'number', width: 84, hint: 'Difference in per cent of the base',
				text: (row) => {
					const before = this.baseValue(row);
					if (!before)
						return this.value(row) ? 'new' : '–';
					return row >= state.profile.functionCount ? 'gone' : `${delta(row) > 0 ? '+' : ''}${((100 * delta(row)) / before).toFixed(1).replace('-', '−')}`;
				},
				sortValue: (row) => (this.baseValue(row) ? delta(row) / this.baseValue(row) : this.value(row) ? Infinity : null) });
		return columns;
	}

	/* Nothing counts the calls of a function that only samples have met. */
	private callsText(row: number, disarmed: CellValue, calls: number): string {
		return calls || this.margin(row) === null ? callsSign(disarmed) + count(calls) : '–';
	}

	private columns(rows: number[]): Column[] {
		const source = this.source(rows);
		const disarmed = this.table.columns.find((column) => column.name === 'disarmed');
		const chosen = this.table.columns.filter((info) => this.chosen.has(info.name)).map((info) => {
			const column = makeColumn(info, source);
			if (info.name === 'function') {
				column.className = () => 'strong';
				if (this.chosen.has('module')) {
					column.csv = (row) => this.nameOf(row);
					column.text = (row) => besideModule(this.nameOf(row), this.moduleOf(row));
				}
			}
			if (info.name === 'calls' && disarmed)
				column.text = (row) => this.callsText(row, source.value(disarmed, row), Number(source.value(info, row) ?? 0));
			return column;
		});
		const names = [...chosen.filter((column) => column.key === 'confidence'), ...chosen.filter((column) => column.key === 'function')];
		const modules = chosen.filter((column) => column.key === 'module');
		const [share, ...compared] = this.valueColumns(rows);
		return [share!, ...names, ...compared, ...chosen.filter((column) => !['confidence', 'function', 'module'].includes(column.key)), ...modules];
	}

	private rebuild(): void {
		const rows = this.shownRows();
		const all = this.allRows();
		this.stale = false;
		this.grid.set(this.columns(all), rows);
		/* What nobody has chosen is not scrolled to. */
		if (this.state.selected === this.state.busiest)
			this.grid.mark(this.state.selected);
		else if (this.state.selected >= 0)
			this.grid.moveTo(this.state.selected);
		this.note.textContent = rows.length === all.length ? plural(all.length, 'function') : `${count(rows.length)} of ${plural(all.length, 'function')}`;
		this.showSigns(all);
	}

	private showSigns(rows: number[]): void {
		const source = this.source(rows);
		const has = (name: string, value: CellValue) => {
			const info = this.table.columns.find((column) => column.name === name);
			return info && this.chosen.has(name === 'disarmed' ? 'calls' : name) && rows.some((row) => source.value(info, row) === value);
		};
		this.signs.replaceChildren();
		append(this.signs, [
			has('confidence', 'overhead-dominated') && h('span', {}, '~ overhead-dominated: exclusive time per call is below five times the probes’ cost'),
			has('confidence', 'within-error') && h('span', {}, '? the same, and it may be nothing but that cost'),
			has('disarmed', 1) && h('span', {}, '≥ probes switched off while running: later calls are not counted, their time is the callers’'),
			has('disarmed', 2) && h('span', {}, '≈ threads counted in one place, or calls through pointers untimed: some may be missing'),
			rows.some((row) => this.margin(row) !== null) && h('span', {}, '± by samples: the interval that holds the value in 95 of 100 recordings'),
			!this.state.selection.isAll && h('span', {}, 'Some threads are left out: minima, maxima and percentiles are known of all threads together only'),
		]);
	}

	show(): void {
		if (this.stale)
			this.rebuild();
		else if (this.state.selected >= 0)
			this.grid.moveTo(this.state.selected);
	}

	change(change: Change): void {
		if (change === 'measure') {
			const { sortedBy } = this.grid;
			if (sortedBy && sortedBy.key !== 'value' && !this.context.comparison)
				this.grid.sortBy('value', true);
			this.rebuild();
		} else if (change === 'filter' || change === 'shape' || change === 'query') {
			this.rebuild();
		} else if (change === 'selected' && this.state.selected >= 0) {
			this.grid.moveTo(this.state.selected);
		}
	}

	/** Another view was in sight meanwhile. */
	invalidate(): void {
		this.stale = true;
	}

	focus(): void {
		this.grid.focus();
	}
}
