// Who waits, and for whom: the report's rows of waits by who ended them, and below them the stacks of both
// sides, joined as offwaketime of bcc has them; of the chosen row also who ended that one's wait before.
import { h, replace } from '../dom.ts';
import { percent, plural, shorten, time } from '../format.ts';
import type { Table } from '../model/profile.ts';
import { WakerFrames, type EndedKind, type Step } from '../model/wakers.ts';
import { copyText } from '../parts/copy.ts';
import { FlameCanvas } from '../parts/flame_canvas.ts';
import type { Action } from '../parts/menu.ts';
import { Palette } from '../parts/palette.ts';
import { makeMatcher } from '../parts/search.ts';
import type { Change, State } from '../state.ts';
import type { Context, View } from './context.ts';
import { plainRows, type TableRows } from './filtered_rows.ts';
import { functionActions } from './frame_actions.ts';
import { TableView } from './tables.ts';

const COLUMNS = ['os_time', 'os_percent', 'count', 'os_longest', 'function', 'caller', 'woken_by', 'woken_by_thread', 'woken_before'];
const KIND_TITLES: Record<EndedKind, string> = { wait: 'waits', woken: '', waker: 'ends the wait' };
const WAITING_MOST = 4;

/** Of the chosen threads, by the stacks; of all of them as the report has it. */
function wakerRows(state: State, table: Table): TableRows {
	const plain = plainRows(table);
	if (!state.threads)
		return plain;
	const { profile, selection } = state;
	const sums = profile.wakers.sums(state.threads);
	const elapsed = profile.header.quantities.findIndex(({ name }) => name === 'elapsed');
	const all = elapsed < 0 ? [...sums.values()].reduce((sum, { ticks }) => sum + ticks, 0) : selection.totals[elapsed]!;
	const cells: Record<string, (row: number) => number | null> = {
		os_time: (row) => profile.ns(sums.get(row)!.ticks), count: (row) => sums.get(row)!.waits,
		os_percent: (row) => (all ? (100 * sums.get(row)!.ticks) / all : null),
		os_longest: (row) => (sums.get(row)!.longest ? profile.ns(sums.get(row)!.longest) : null),
	};
	return { ...plain, filtered: true, rows: plain.rows.filter((row) => sums.has(row)), value: (column, row) => (cells[column.name] ? cells[column.name]!(row) : plain.value(column, row)) };
}

export class WakersView implements View {
	readonly name = 'wakers';
	readonly title = 'Wakers';
	readonly element: HTMLElement;
	readonly canvas: FlameCanvas;
	private readonly rows: TableView;
	private readonly table: Table;
	private readonly lead = h('p.lead');
	private readonly steps = h('section.woken-steps', { 'aria-label': 'The chosen row', tabindex: 0, hidden: true });
	private readonly note = h('p.note', { role: 'status' });
	private readonly kernel: HTMLButtonElement;
	private readonly all: HTMLButtonElement;
	private frames!: WakerFrames;
	/** What the frames are of. */
	private framesOf = '';
	private found: Uint8Array | null = null;

	constructor(private readonly context: Context) {
		const { state } = context;
		this.table = state.profile.table('wakers')!;
		this.rows = new TableView(context, {
			name: 'wakers', title: 'Waits by who ended them', one: 'row', columns: COLUMNS, wide: ['caller', 'woken_by', 'woken_before'], nameWidth: 150, sort: ['os_time'],
			empty: 'No wait matches.', rows: wakerRows, onSelect: (row) => state.choose('waker', String(row)),
			onOpen: () => context.open('functions'), actions: (_context, _rows, row) => this.stepActions(row),
		});
		this.canvas = new FlameCanvas({
			label: 'Who waits, joined with who ends the wait. Arrow keys go from frame to frame, Enter zooms, Escape shows all, m opens a menu.',
			tooltip: (node) => this.tooltip(node), actions: (node) => this.frameActions(node),
			onSelect: (node) => { if (this.frames.func(node) >= 0) state.set('selected', this.frames.func(node)); },
		});
		this.all = h('button.button', { type: 'button', title: 'The stacks of all rows', onclick: () => state.choose('waker', '') }, 'All rows');
		this.kernel = h('button.button.switch', { type: 'button', title: 'Frames of the kernel, which lie between a call and the wait', onclick: () => state.choose('kernel', state.choices['kernel'] ? '' : '1') }, 'Kernel');
		const sign = (kind: EndedKind, text: string) => h('span', {}, h('i.sign', { class: `sign ${kind}`, 'aria-hidden': 'true' }), text);
		this.element = h('section.view.wakers', { 'aria-label': 'Wakers' }, h('div.above', {}, this.lead), this.rows.element,
			h('div.woken', {}, this.steps, h('section.woken-stacks', { 'aria-label': 'Stacks' },
				h('div.bar', {}, this.note, h('span.grow'), this.all, this.kernel), this.canvas.element,
				h('p.signs', {}, sign('wait', 'who waits, from the outermost function on'), sign('waker', 'who ends the wait, from the innermost function to the thread')))));
	}

	private get state() { return this.context.state; }

	/** The row that is chosen and shown; -1: none. */
	private get row(): number {
		const wanted = this.state.choices['waker'] ?? '';
		return /^\d+$/.test(wanted) && this.rows.filteredRows.rows.includes(Number(wanted)) ? Number(wanted) : -1;
	}

	private cell(name: string, row: number): number | string | null {
		const column = this.table.columns.find((candidate) => candidate.name === name);
		return column ? this.rows.filteredRows.value(column, row) : null;
	}

	private nsOf = (row: number): number => Number(this.cell('os_time', row) ?? 0);

	/* ---- what is said ---- */

	private nameOf(step: Step): string {
		return step.kind === 'thread' ? (step.func < 0 ? '?' : this.state.profile.functionNames[step.func]!) : `[${step.kind}]`;
	}

	private threadOf(step: Step): string {
		return step.thread < 0 ? '' : this.state.profile.threadTitle(step.thread);
	}

	private placeOf(row: number): string {
		return String(this.cell('caller', row) ?? this.cell('function', row) ?? '?');
	}

	/** Of those that were seen, whose end is waited for longest in one place, whatever that one had waited for before. */
	private say(): void {
		const { profile } = this.state;
		const { rows } = this.rows.filteredRows;
		const groups = new Map<string, { row: number; step: Step; ns: number }>();
		let all = 0;
		let unseen = 0;
		for (const row of rows) {
			const ns = this.nsOf(row);
			const step = profile.wakers.chain(row)[0];
			all += ns;
			if (!step || step.kind === 'unseen')
				unseen += ns;
			if (step?.kind !== 'thread')
				continue;
			const key = [this.placeOf(row), step.func, step.thread].join('\0');
			const group = groups.get(key) ?? { row, step, ns: 0 };
			group.ns += ns;
			groups.set(key, group);
		}
		const share = (ns: number) => `${percent(ns / (all || 1))} %`;
		const most = [...groups.values()].reduce<{ row: number; step: Step; ns: number } | null>((best, group) => (best && best.ns >= group.ns ? best : group), null);
		replace(this.lead, h('b', {}, time(all)), ' of waits',
			...(most ? [': ', h('b', {}, time(most.ns)), ` (${share(most.ns)} of them) in `, h('span.name', {}, shorten(this.placeOf(most.row), 60)),
				', until ', h('span.name', {}, shorten(this.nameOf(most.step), 60)), ` in ${shorten(this.threadOf(most.step), 40)} ended that`] : []),
			unseen ? `; of ${share(unseen)} nobody saw the end` : '');
	}

	private functionButton(name: string, func: number): HTMLElement {
		if (func < 0)
			return h('span.name', {}, shorten(name, 300));
		return h('button.link.name', { type: 'button', title: 'Show it in functions', onclick: () => { this.state.set('selected', func); this.context.open('functions'); } }, shorten(name, 300));
	}

	/** Of the chosen row: who waited, who ended that, and who had ended that one's wait before. */
	private showSteps(): void {
		const { row, state } = this;
		const { profile } = state;
		this.steps.hidden = row < 0;
		if (row < 0)
			return;
		const threads = profile.wakers.waiting(row, state.threads);
		const all = threads.reduce((sum, [, ticks]) => sum + ticks, 0);
		const longest = this.cell('os_longest', row);
		const func = this.rows.filteredRows.subject('function', row);
		const names = threads.slice(0, WAITING_MOST).map(([thread, ticks]) => `${shorten(profile.threadTitle(thread), 40)} ${percent(ticks / (all || 1))} %`);
		const item = (what: string, ...parts: (Node | string | false)[]) => h('li', {}, h('span.muted', {}, what), ...parts.map((part) => h('div', {}, part || null)));
		const caller = this.cell('caller', row);
		replace(this.steps, h('ol.steps', {},
			item('Waits', h('span', {}, this.functionButton(String(this.cell('function', row) ?? '?'), func), caller !== null && ' in ', caller !== null && h('span.name', {}, shorten(String(caller), 300))),
				`${time(this.nsOf(row))} in ${plural(Number(this.cell('count', row) ?? 0), 'wait')}${longest ? `, the longest ${time(Number(longest))}` : ''}`,
				names.length > 0 && `${names.join(', ')}${threads.length > WAITING_MOST ? `, and ${plural(threads.length - WAITING_MOST, 'other thread')}` : ''}`),
			...profile.wakers.chain(row).map((step, i) => item(i ? 'whose wait before was ended by' : 'until it is ended by', this.functionButton(this.nameOf(step), step.func), this.threadOf(step) && `in ${shorten(this.threadOf(step), 60)}`))));
	}

	private stepActions(row: number): Action[] {
		const { state } = this;
		return state.profile.wakers.chain(row).slice(0, 1).filter(({ func }) => func >= 0).map(({ func }) => ({
			title: `Who ended it: ${shorten(state.profile.functionNames[func]!, 40)}, in functions`, run: () => { state.set('selected', func); this.context.open('functions'); },
		}));
	}

	private frameActions(node: number): Action[] {
		const func = this.frames.func(node);
		return [...(node ? [{ title: 'Copy joined stack', run: () => void copyText(this.frames.path(node).join(' › '), 'Joined stack') }] : []),
			...(func >= 0 ? functionActions(this.context, func) : [])];
	}

	private tooltip(node: number): Node {
		const { frames } = this;
		const func = frames.func(node);
		const ns = frames.value(node, 0, true);
		const row = (key: string, value: string) => h('tr', {}, h('th', { scope: 'row' }, key), h('td', {}, value));
		return h('div', {}, h('strong.name', {}, shorten(frames.label(node), 600)), func >= 0 && h('span.muted', {}, this.state.profile.moduleOf(func)),
			h('table', {}, row('Waited', `${time(ns)} · ${percent(ns / (frames.value(0, 0, true) || 1))} %`), KIND_TITLES[frames.kindOf(node)] && row('This one', KIND_TITLES[frames.kindOf(node)])));
	}

	/* ---- stacks ---- */

	private fill(): void {
		const { state, row } = this;
		const kernel = state.choices['kernel'] === '1';
		const { myCode } = state.shape;
		const wanted = [row, kernel, myCode, state.threads ? [...state.threads].join() : 'all'].join(' ');
		this.all.disabled = row < 0;
		this.kernel.setAttribute('aria-pressed', String(kernel));
		if (row >= 0)
			this.rows.moveTo(row);
		this.say();
		this.showSteps();
		if (wanted !== this.framesOf)
			this.frames = new WakerFrames(state.selection, state.profile.wakers.tree(row, { kernel, myCode }));
		this.framesOf = wanted;
		this.repaint();
	}

	private noteText(): string {
		const { state } = this;
		const leftOut = state.profile.header.wakers_left_out_ns ?? 0;
		const ns = this.frames.value(0, 0, true);
		return [`Stacks of ${this.row < 0 ? 'all rows' : 'the chosen row'}: ${time(ns)}`,
			leftOut ? `those of the shortest waits, ${time(leftOut)} in all rows, have no room in the page` : '',
			state.shape.root || state.shape.foldRecursion ? 'whichever root is set, and with all recursion' : ''].filter(Boolean).join(' · ');
	}

	private repaint(): void {
		const { state, frames } = this;
		const { profile } = state;
		const matcher = makeMatcher(state.query);
		this.note.textContent = this.noteText();
		this.found = !matcher && !state.modules ? null : Uint8Array.from(profile.functionNames, (name, func) =>
			((!matcher || matcher(name) || matcher(profile.moduleOf(func))) && (!state.modules || state.modules.has(profile.functionModules[func]!)) ? 1 : 0));
		this.canvas.show(frames, 0, false, {
			fill: (node) => (!node || frames.kindOf(node) === 'woken' || frames.isUnseen(node) ? Palette.above() : frames.kindOf(node) === 'waker' ? Palette.waker() : Palette.wait(false)),
			matches: (node) => (this.found ? frames.func(node) >= 0 && this.found[frames.func(node)] === 1 : null),
			describe: (node) => [frames.label(node), KIND_TITLES[frames.kindOf(node)], `${percent(frames.value(node, 0, true) / (frames.value(0, 0, true) || 1))} %`].filter(Boolean).join(', '),
		});
	}

	show(): void {
		this.rows.show();
		this.fill();
	}

	change(change: Change): void {
		this.rows.change(change);
		if (change !== 'measure' && change !== 'selected')
			this.fill();
	}

	focus(): void {
		this.rows.focus();
	}
}
