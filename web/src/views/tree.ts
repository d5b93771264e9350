// The call tree: processes, threads and call paths; all threads as one; or callers below callees.
import { h } from '../dom.ts';
import { besideModule, count, percent, plural, scaleFor, timeIn } from '../format.ts';
import { hotPath, type Frames, type FramesKind } from '../model/frames.ts';
import type { ColumnInfo } from '../model/data.ts';
import { Grid, type Column } from '../parts/grid.ts';
import type { Action } from '../parts/menu.ts';
import { makeMatcher } from '../parts/search.ts';
import { columnMenu } from '../parts/table_columns.ts';
import { frameActions, pathText, recursionSwitch } from './frame_actions.ts';
import { TreeRows, type NoiseOptions } from '../parts/tree_rows.ts';
import type { Change } from '../state.ts';
import { isTime, type Context, type View } from './context.ts';

const SHARE = 0.5; /* of the hot path, as tare report has it */
const FOLD = 0.01; /* of the total, likewise */
const FOUND_MOST = 2000;
const NOISE: [string, string][] = [['0', 'All rows'], ['0.1', 'Rows ≥ 0.1 %'], ['0.5', 'Rows ≥ 0.5 %'], ['1', 'Rows ≥ 1 %'], ['5', 'Rows ≥ 5 %']];
const NOISE_DEFAULT = '0.5';

export class TreeView implements View {
	readonly name = 'calltree';
	readonly title = 'Call tree';
	readonly element: HTMLElement;
	private readonly grid: Grid;
	private readonly note = h('p.note', { role: 'status' });
	private readonly kinds: HTMLSelectElement;
	private readonly noise: HTMLSelectElement;
	private readonly recursion: HTMLElement;
	private readonly offered: ColumnInfo[];
	private readonly chosen: Set<string>;
	private frames!: Frames;
	private rows!: TreeRows;
	private hot = new Set<number>();
	private matched = new Set<number>();
	private said = '';
	private ascending = false;
	private stale = true;
	/** What the address said of the tree when it was made, and of its rows. */
	private shownKind: string | undefined;
	private shownNoise: string | undefined;

	constructor(private readonly context: Context) {
		const { state } = context;
		this.grid = new Grid({
			label: 'Call tree', empty: 'Nothing was recorded.', nameWidth: 380,
			sort: { key: 'value', descending: true },
			tree: {
				level: (row) => this.rows.level(row),
				expanded: (row) => this.rows.expanded(row),
				toggle: (row, open) => this.toggle(row, open),
				parentOf: (row) => this.rows.parentOf(row),
			},
			onSelect: (row) => this.rows.isRest(row) || state.set('selected', this.frames.func(this.rows.inner(row))),
			onOpen: (row) => this.toggle(row, !this.rows.expanded(row)),
			onSort: (_, descending) => { this.ascending = !descending; this.fill(true); },
			rowClass: (row) => [this.hot.has(row) && 'hot', this.rows.chain(row).some((node) => this.matched.has(node)) && 'match',
				(this.rows.isRest(row) || !this.shows(row)) && 'dim'].filter(Boolean).join(' '),
			actions: (row) => this.actions(row),
			isRest: (row) => this.rows.isRest(row),
		});
		const select = (label: string, options: [string, string][], onchange: () => void) =>
			h('select', { 'aria-label': label, onchange }, ...options.map(([value, title]) => h('option', { value }, title)));
		this.kinds = select('Shape of the tree', [['threads', 'Processes and threads'], ['merged', 'All threads as one'], ['callers', 'Callers (bottom up)']], () => state.choose('tree', this.kinds.value === 'threads' ? '' : this.kinds.value, 'step'));
		this.noise = select('Which rows', NOISE, () => state.choose('rows', this.noise.value === NOISE_DEFAULT ? '' : this.noise.value));
		this.noise.title = 'Smaller rows are left out, and frames with a single callee and little time of their own stand in one row with it';
		this.recursion = recursionSwitch(state);
		this.offered = this.infos();
		this.chosen = new Set(this.offered.map(({ name }) => name).filter((name) => !/_(average|outside)$/.test(name)));
		this.element = h('section.view', { 'aria-label': 'Call tree' },
			h('div.bar', {}, this.kinds, this.noise, this.recursion,
				h('button.button.hot-button', { type: 'button', title: 'Open the path of the largest children (h)', onclick: () => this.showHot() }, 'Hot path'),
				h('button.button', { type: 'button', title: 'Open everything below the row', onclick: () => this.openBelow() }, 'Expand'),
				h('button.button', { type: 'button', onclick: () => this.reset() }, 'Collapse'),
				h('button.button', { type: 'button', title: 'What can be done with the row (m)', onclick: () => this.grid.openActions() }, 'Row…'),
				h('span.grow'), this.grid.csvButton(), columnMenu(this.offered, this.chosen, () => this.fill(true))),
			this.note, this.grid.element);
	}

	private get state() { return this.context.state; }
	private get quantity() { return this.state.measure.quantity; }

	private shows(row: number): boolean {
		const func = this.frames.func(row);
		return func < 0 || this.state.showsFunction(func);
	}

	private actions(row: number): Action[] {
		const node = this.rows.inner(row);
		return [...frameActions(this.context, this.frames, node),
			{ title: 'Hot path from here', run: () => this.showHot(row) },
			{ title: 'Open everything below', run: () => this.openBelow() }];
	}

	private toggle(row: number, open: boolean): void {
		this.rows.toggle(row, open);
		this.fill(true);
	}

	private reset(): void {
		this.shownKind = this.state.choices['tree'];
		this.kinds.value = this.shownKind || 'threads';
		this.kinds.value ||= 'threads'; /* an address may say anything */
		this.frames = this.state.frames(this.kinds.value as FramesKind);
		this.hot = new Set();
		this.rows = new TreeRows(this.frames);
		this.rows.open.add(0);
		for (let at = 0; this.frames.children(at, this.quantity).length === 1;) {
			at = this.frames.children(at, this.quantity)[0]!;
			this.rows.open.add(at);
			if (this.frames.depth(at) > 3)
				break;
		}
		this.find();
		this.fill();
	}

	/** From that row, or the one that the keyboard is at. */
	showHot(row = this.grid.current): void {
		this.ensure();
		const from = row > 0 && !this.rows.isRest(row) ? this.rows.inner(row) : 0;
		const path = hotPath(this.frames, from, this.quantity, SHARE);
		this.hot = new Set(path);
		for (const node of path)
			this.rows.openTo(node);
		for (const node of path.slice(0, -1))
			this.rows.open.add(node);
		this.said = `Hot path of ${plural(path.length - 1, 'call')}: each has at least half of its caller’s time`;
		this.fill(true);
		this.grid.moveTo(path.at(-1)!, true);
		this.grid.focus();
	}

	private openBelow(): void {
		const row = this.grid.current;
		const stack = [row > 0 && !this.rows.isRest(row) ? row : 0];
		for (let made = 0; stack.length && made < 20000; made++) {
			const node = stack.pop()!;
			if (!this.frames.hasChildren(node))
				continue;
			this.rows.open.add(node);
			stack.push(...Array.from(this.frames.children(node, this.quantity)));
		}
		this.fill(true);
	}

	/** Opens the way to what the search finds: the largest of it. */
	private find(): void {
		this.matched.clear();
		this.said = '';
		const matcher = makeMatcher(this.state.query);
		if (!matcher)
			return;
		const { profile } = this.state;
		const wanted = Uint8Array.from(profile.functionNames, (name) => (matcher(name) ? 1 : 0));
		const found: number[] = [];
		for (let node = 1; node < this.frames.size; node++)
			if (this.frames.func(node) >= 0 && wanted[this.frames.func(node)])
				found.push(node);
		found.sort((a, b) => this.frames.value(b, this.quantity, true) - this.frames.value(a, this.quantity, true));
		for (const node of found.slice(0, FOUND_MOST)) {
			this.matched.add(node);
			this.rows.openTo(node);
		}
		this.said = found.length ? `${count(found.length)} call paths match${found.length > FOUND_MOST ? `, the largest ${count(FOUND_MOST)} are shown` : ''}` : 'No call path matches';
	}

	/* ---- columns ---- */

	private infos(): ColumnInfo[] {
		const info = (name: string, title: string, group = ''): ColumnInfo => ({ name, title, group, type: 'text', each: 0 });
		const { profile } = this.state;
		return [...profile.header.quantities.flatMap(({ name, title }) => [info(`${name}_inclusive`, 'incl', title), info(`${name}_exclusive`, 'excl', title),
			...(profile.hasCalls ? [info(`${name}_average`, 'incl per call', title)] : [])]),
		...(profile.hasCalls ? [info('calls', 'Calls')] : []), info('module', 'Module')];
	}

	private valueColumns(): Column[] {
		const { state, frames, rows } = this;
		return state.profile.header.quantities.flatMap((quantity, q) => {
			const timed = isTime(state, q);
			const scale = timed ? scaleFor(state.plain(state.selection.totals[q]!, q)) : 'ns';
			const text = (value: number) => (timed ? timeIn(value, scale) : count(value));
			const unit = timed ? ` ${scale}` : '';
			const column = (name: string, title: string, value: (row: number) => number | null): Column => ({
				key: `${quantity.name}_${name}`, csvKey: `${quantity.name}_${name}${timed ? '_ns' : ''}`, title: title + unit, group: quantity.title,
				kind: 'number', width: Math.max(104, 7.6 * (title + unit).length + 20), csv: (row) => value(row),
				text: (row) => { const of = value(row); return of === null ? '' : text(of); },
			});
			const plain = (value: number) => state.plain(value, q);
			return [column('inclusive', 'incl', (row) => plain(frames.value(row, q, true))),
				column('exclusive', 'excl', (row) => plain(rows.exclusive(row, q))),
				column('average', 'incl per call', (row) => (frames.func(row) >= 0 && frames.calls(row) ? plain(frames.value(row, q, true)) / frames.calls(row) : null))];
		});
	}

	private columns(): Column[] {
		const { state, frames, rows } = this;
		const total = state.total();
		const share = (row: number) => (total ? frames.value(row, this.quantity, true) / total : 0);
		const all: Column[] = [...this.valueColumns(),
			{ key: 'calls', title: 'Calls', kind: 'number', width: 96, csv: (row) => (frames.func(row) < 0 ? null : frames.calls(row)),
				text: (row) => (frames.func(row) < 0 ? '' : (frames.isDisarmed(row) ? '≥' : '') + count(frames.calls(row))) },
			{ key: 'module', title: 'Module', kind: 'text', width: 130, text: (row) => state.profile.moduleOf(frames.func(row)) }];
		const shown: Column[] = [
			{ key: 'value', csvKey: 'percent', title: '% of total', group: state.profile.header.quantities[this.quantity]!.title, kind: 'number', width: 112,
				text: (row) => (total ? percent(share(row)) : '–'), sortValue: (row) => frames.value(row, this.quantity, true), csv: (row) => 100 * share(row), share },
			{ key: 'frame', csvKey: 'function', title: 'Function', kind: 'name', width: 0, csv: (row) => rows.label(row), className: () => 'strong',
				text: (row) => (this.chosen.has('module') ? besideModule(rows.label(row), state.profile.moduleOf(frames.func(row))) : rows.label(row)) },
			...all.filter(({ key }) => this.chosen.has(key))];
		return shown.map((column) => (column.key === 'frame' ? column : { ...column, text: (row) => (rows.isRest(row) ? rows.restText(row, column.key, state, this.quantity) : column.text(row)),
			share: column.share && ((row) => (rows.isRest(row) ? 0 : column.share!(row))) }));
	}

	private fill(keepPlace = false): void {
		this.shownNoise = this.state.choices['rows'];
		this.noise.value = this.shownNoise || NOISE_DEFAULT;
		this.noise.value ||= NOISE_DEFAULT;
		const threshold = (Number(this.noise.value) / 100) * this.state.total();
		const options: NoiseOptions = {
			quantity: this.quantity, least: threshold, ascending: this.ascending, fold: threshold > 0 ? FOLD * this.state.total() : 0,
			always: (node) => this.hot.has(node) || this.matched.has(node),
		};
		const list = this.rows.list(options);
		this.grid.set(this.columns(), list, keepPlace);
		this.note.textContent = [this.said, this.rows.noiseText(this.noise.value)].filter(Boolean).join(' · ');
	}

	private ensure(): void {
		if (!this.stale)
			return;
		this.stale = false;
		this.reset();
	}

	/** The call path of the row, outermost first. */
	pathOfCurrent(): string | null {
		const row = this.grid.current;
		return row > 0 && !this.rows.isRest(row) ? pathText(this.frames, this.rows.inner(row)) : null;
	}

	show(): void {
		this.ensure();
	}

	change(change: Change): void {
		if (change === 'filter' || change === 'shape' || (change === 'view' && this.state.choices['tree'] !== this.shownKind))
			this.reset();
		else if (change === 'query')
			{ this.find(); this.fill(); }
		else if (change === 'measure' || (change === 'view' && this.state.choices['rows'] !== this.shownNoise))
			this.fill(true);
	}

	invalidate(): void {
		this.stale = true;
	}

	focus(): void {
		this.grid.focus();
	}
}
