// The call tree: processes, threads and call paths; all threads as one; or callers below callees.
import { h } from '../dom.ts';
import { count, percent, scaleFor, timeIn } from '../format.ts';
import { hotPath, type Frames, type FramesKind } from '../model/frames.ts';
import { Grid, type Column } from '../parts/grid.ts';
import { makeMatcher } from '../parts/search.ts';
import type { Change } from '../state.ts';
import { isTime, type Context, type View } from './context.ts';

const SHARE = 0.5; /* of the hot path, as tare report has it */
const FOUND_MOST = 2000;

export class TreeView implements View {
	readonly name = 'calltree';
	readonly title = 'Call tree';
	readonly element: HTMLElement;
	private readonly grid: Grid;
	private readonly note = h('p.note', { role: 'status' });
	private readonly kinds: HTMLSelectElement;
	private frames!: Frames;
	private open = new Set<number>();
	private hot = new Set<number>();
	private matched = new Set<number>();
	private ascending = false;
	private stale = true;

	constructor(private readonly context: Context) {
		this.grid = new Grid({
			label: 'Call tree', empty: 'Nothing was recorded.', nameWidth: 380,
			sort: { key: 'value', descending: true },
			tree: {
				level: (row) => this.frames.depth(row),
				expanded: (row) => (this.frames.hasChildren(row) ? this.open.has(row) : null),
				toggle: (row, open) => this.toggle(row, open),
				parentOf: (row) => this.frames.parent(row),
			},
			onSelect: (row) => context.state.set('selected', this.frames.func(row)),
			onOpen: (row) => this.toggle(row, !this.open.has(row)),
			onSort: (_, descending) => { this.ascending = !descending; this.fill(true); },
			rowClass: (row) => [this.hot.has(row) && 'hot', this.matched.has(row) && 'match',
				!this.shows(row) && 'dim'].filter(Boolean).join(' '),
		});
		this.kinds = h('select', { 'aria-label': 'Shape of the tree', onchange: () => this.reset() });
		for (const [value, title] of [['threads', 'Processes and threads'], ['merged', 'All threads as one'], ['callers', 'Callers (bottom up)']])
			this.kinds.append(h('option', { value }, title));
		this.element = h('section.view', { 'aria-label': 'Call tree' },
			h('div.bar', {}, this.kinds,
				h('button.button.hot-button', { type: 'button', title: 'Open the path of the largest children (h)', onclick: () => this.showHot() }, 'Hot path'),
				h('button.button', { type: 'button', title: 'Open everything below the row', onclick: () => this.openBelow() }, 'Expand'),
				h('button.button', { type: 'button', onclick: () => this.reset() }, 'Collapse'),
				h('span.grow'), this.note),
			this.grid.element);
	}

	private get state() { return this.context.state; }
	private get quantity() { return this.state.measure.quantity; }

	private shows(row: number): boolean {
		const func = this.frames.func(row);
		return func < 0 || this.state.showsFunction(func);
	}

	private toggle(row: number, open: boolean): void {
		if (!this.frames.hasChildren(row))
			return;
		if (open)
			this.open.add(row);
		else
			this.open.delete(row);
		this.fill(true);
	}

	private reset(): void {
		this.frames = this.state.frames(this.kinds.value as FramesKind);
		this.hot.clear();
		this.open = new Set([0]);
		for (let at = 0; this.frames.children(at, this.quantity).length === 1;) {
			at = this.frames.children(at, this.quantity)[0]!;
			this.open.add(at);
			if (this.frames.depth(at) > 3)
				break;
		}
		this.find();
		this.fill();
	}

	showHot(): void {
		this.ensure();
		const cursor = this.state.selected >= 0 ? this.cursorRow() : -1;
		const path = hotPath(this.frames, cursor > 0 ? cursor : 0, this.quantity, SHARE);
		this.hot = new Set(path);
		for (const node of path)
			for (let at = node; at >= 0; at = this.frames.parent(at))
				this.open.add(at);
		this.open.delete(path.length > 1 && !this.frames.hasChildren(path.at(-1)!) ? path.at(-1)! : -1);
		this.fill(true);
		this.grid.moveTo(path.at(-1)!, true);
		this.grid.focus();
		this.note.textContent = `Hot path of ${path.length - 1} calls: each has at least half of its caller’s time`;
	}

	private cursorRow(): number {
		const active = this.grid.element.querySelector('[aria-selected="true"]');
		return active instanceof HTMLElement ? this.grid.rowAt(Number(active.dataset['index'])) : -1;
	}

	private openBelow(): void {
		const start = Math.max(this.cursorRow(), 0);
		const stack = [start];
		for (let made = 0; stack.length && made < 20000; made++) {
			const node = stack.pop()!;
			if (!this.frames.hasChildren(node))
				continue;
			this.open.add(node);
			stack.push(...Array.from(this.frames.children(node, this.quantity)));
		}
		this.fill(true);
	}

	/** Opens the way to what the search finds: the largest of it. */
	private find(): void {
		this.matched.clear();
		const matcher = makeMatcher(this.state.query);
		if (!matcher) {
			this.note.textContent = '';
			return;
		}
		const { profile } = this.state;
		const wanted = Uint8Array.from(profile.functionNames, (name) => (matcher(name) ? 1 : 0));
		const found: number[] = [];
		for (let node = 1; node < this.frames.size; node++)
			if (this.frames.func(node) >= 0 && wanted[this.frames.func(node)])
				found.push(node);
		found.sort((a, b) => this.frames.value(b, this.quantity, true) - this.frames.value(a, this.quantity, true));
		for (const node of found.slice(0, FOUND_MOST)) {
			this.matched.add(node);
			for (let at = this.frames.parent(node); at >= 0 && !this.open.has(at); at = this.frames.parent(at))
				this.open.add(at);
		}
		this.note.textContent = found.length ? `${count(found.length)} call paths match${found.length > FOUND_MOST ? `, the largest ${count(FOUND_MOST)} are shown` : ''}` : 'No call path matches';
	}

	private rows(): number[] {
		const rows: number[] = [];
		const stack = [0];
		while (stack.length) {
			const node = stack.pop()!;
			rows.push(node);
			if (!this.open.has(node))
				continue;
			const children = Array.from(this.frames.children(node, this.quantity));
			if (!this.ascending)
				children.reverse();
			for (const child of children)
				stack.push(child);
		}
		return rows;
	}

	private columns(): Column[] {
		const { state, frames } = this;
		const columns: Column[] = [];
		state.profile.header.quantities.forEach((quantity, q) => {
			const total = state.selection.totals[q]!;
			const timed = isTime(state, q);
			const scale = timed ? scaleFor(state.plain(total, q)) : 'ns';
			const text = (value: number) => (timed ? timeIn(state.plain(value, q), scale) : count(value));
			const unit = timed ? ` ${scale}` : '';
			if (q === this.quantity)
				columns.push({
					key: 'value', title: '% of total', group: quantity.title, kind: 'number', width: 112,
					text: (row) => (total ? percent(frames.value(row, q, true) / total) : '–'),
					sortValue: (row) => frames.value(row, q, true),
					share: (row) => (total ? frames.value(row, q, true) / total : 0),
				});
			columns.push(
				{ key: `${quantity.name}_inclusive`, title: `incl${unit}`, group: quantity.title, kind: 'number', width: 104, text: (row) => text(frames.value(row, q, true)) },
				{ key: `${quantity.name}_exclusive`, title: `excl${unit}`, group: quantity.title, kind: 'number', width: 104, text: (row) => text(frames.value(row, q, false)) });
		});
		if (state.profile.hasCalls)
			columns.push({ key: 'calls', title: 'Calls', kind: 'number', width: 96,
				text: (row) => (frames.func(row) < 0 ? '' : (frames.isDisarmed(row) ? '≥' : '') + count(frames.calls(row))) });
		columns.push({ key: 'module', title: 'Module', kind: 'text', width: 130, text: (row) => state.profile.moduleOf(frames.func(row)) });
		return [columns[0]!, { key: 'frame', title: 'Function', kind: 'name', width: 0, text: (row) => frames.label(row), className: () => 'strong' }, ...columns.slice(1)];
	}

	private fill(keepPlace = false): void {
		this.grid.setColumns(this.columns());
		this.grid.setRows(this.rows(), keepPlace);
	}

	private ensure(): void {
		if (!this.stale)
			return;
		this.stale = false;
		this.reset();
	}

	show(): void {
		this.ensure();
	}

	change(change: Change): void {
		if (change === 'filter')
			this.reset();
		else if (change === 'query')
			{ this.find(); this.fill(); }
		else if (change === 'measure')
			this.fill(true);
	}

	invalidate(): void {
		this.stale = true;
	}

	focus(): void {
		this.grid.focus();
	}
}
