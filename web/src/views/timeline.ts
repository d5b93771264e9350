// What each thread did over time: a lane per thread, grouped by process and name.
import { h, replace } from '../dom.ts';
import { count, percent, plural, shorten, time } from '../format.ts';
import { LaneRows, type LaneRow } from '../model/lane_rows.ts';
import { LaneShares } from '../model/lane_shares.ts';
import { STATES, STATE_COUNT, type ThreadStates } from '../model/states.ts';
import { stackedBar } from '../parts/bars.ts';
import { chosenText, chosenTime, chooseTime, timelessText } from '../parts/chosen_time.ts';
import { openMenu, type Action } from '../parts/menu.ts';
import { Palette } from '../parts/palette.ts';
import { TimelineCanvas, type TimeBox } from '../parts/timeline_canvas.ts';
import type { Window } from '../parts/time_axis.ts';
import type { Change } from '../state.ts';
import type { Context, View } from './context.ts';
import { functionActions } from './frame_actions.ts';

const colorOf = (state: number): string => `var(--state-${state})`;

/** The state with most of the ticks. */
const mostly = (values: Float64Array): number => values.reduce((best, value, state) => (value > values[best]! ? state : best), 0);

export class TimelineView implements View {
	readonly name = 'timeline';
	readonly title = 'Timeline';
	readonly element: HTMLElement;
	readonly canvas: TimelineCanvas;
	private readonly states: ThreadStates;
	private readonly lanes: LaneRows;
	private readonly shares: LaneShares;
	private readonly duration: number;
	private readonly sum = h('div.above.states-sum');
	private readonly note = h('p.note', { role: 'status' });
	private readonly details = h('div.signs');
	private readonly folding = h('button.button', { type: 'button', onclick: () => this.toggle(() => this.lanes.toggleAll(this.lanes.anyFolded)) });
	private readonly toRange = h('button.button', { type: 'button', title: 'Zoom to the chosen time', onclick: () => this.canvas.zoomTo(this.range()!) }, 'Zoom to it');
	private readonly noRange = h('button.button', { type: 'button', onclick: () => this.choose(null) }, 'Choose all');
	private unknown = 0; /* threads */
	private shownRange = 'null'; /* as JSON */

	constructor(private readonly context: Context) {
		const { profile } = context.state;
		this.states = profile.states;
		this.lanes = new LaneRows(profile);
		this.duration = Math.max(1, profile.header.duration_ticks, ...profile.threads.map(({ end }) => end));
		this.shares = new LaneShares(this.states, this.duration);
		this.canvas = new TimelineCanvas({
			label: 'What threads did over time', duration: this.duration, ns: (ticks) => this.ns(ticks),
			rows: () => this.lanes.rows,
			fill: (row, window, parts) => ({ shares: this.shares.of(row, window, parts), whole: row.threads.length }),
			boxes: (row, window, step) => this.boxes(row, window, step), marks: profile.marks,
			stretchAt: (row, at) => this.stretchAt(row, at),
			tooltip: (row, at) => this.tooltip(row, at),
			describe: (row, at) => this.describe(row, at),
			onToggle: (row, open) => this.toggle(() => this.lanes.toggle(row, open)),
			onSelect: (row, at) => this.select(row, at),
			onRange: (range) => this.choose(range),
			onMenu: (row, at, place) => openMenu('Actions for the lane', place, this.actions(row, at)),
		});
		this.element = h('section.view', { 'aria-label': 'Timeline' }, this.sum,
			h('div.bar', {}, this.note, h('span.grow'), this.toRange, this.noRange, this.folding,
				h('button.button', { type: 'button', title: 'All of the time in sight (Escape)', onclick: () => this.canvas.reset() }, 'Zoom out')),
			this.canvas.element, this.details);
	}

	private get state() { return this.context.state; }

	private ns(ticks: number): number {
		return (ticks * 1e9) / this.state.profile.header.ticks_per_second;
	}

	private time(ticks: number): string {
		return time(Math.round(this.ns(ticks)));
	}

	/* ---- the part of the time that is chosen ---- */

	private range(): Window | null {
		const chosen = chosenTime(this.state);
		return chosen && { from: chosen.from, to: Math.min(this.duration, chosen.to) };
	}

	private choose(range: Window | null): void {
		chooseTime(this.state, range);
		this.update();
	}

	/* ---- rows ---- */

	/** Folds or unfolds: sums stay as they are. */
	private toggle(action: () => void): void {
		action();
		this.showLanes(this.range());
	}

	private shownThreads(): number[] {
		const { profile, threads } = this.state;
		const selected = profile.threads.map((_, thread) => thread).filter((thread) => profile.threads[thread]!.selected && (!threads || threads.has(thread)));
		const known = selected.filter((thread) => this.states.has(thread));
		this.unknown = selected.length - known.length;
		return known;
	}

	private stretchAt(row: LaneRow, at: number): Window | null {
		const thread = row.threads[0]!;
		if (at < 0 || at >= this.duration)
			return null;
		if (row.kind === 'calls')
			return this.callStretch(row, at);
		if (row.kind === 'group') {
			const { from, to } = this.canvas.inSight;
			const step = (to - from) / 20;
			return { from: Math.floor(at / step) * step, to: Math.min(this.duration, (Math.floor(at / step) + 1) * step) };
		}
		const span = this.states.at(thread, at);
		if (span >= 0)
			return { from: this.states.begin[span]!, to: this.states.endOf(thread, span) };
		const [first, end] = this.states.spansOf(thread);
		if (first === end || at < this.states.begin[first]!)
			return { from: 0, to: first === end ? this.duration : this.states.begin[first]! };
		return { from: this.states.endOf(thread, end - 1), to: this.duration };
	}

	/* ---- calls ---- */

	private *boxes(row: LaneRow, { from, to }: Window, step: number): Generator<TimeBox> {
		const { profile } = this.state;
		const calls = profile.callTimes!;
		for (const call of calls.within(row.threads[0]!, row.depth, from, to, step)) {
			const func = calls.func[call]!;
			yield { from: calls.begin[call]!, to: calls.end[call]!, label: this.callName(func), color: func < 0 ? Palette.above() : this.context.palette.module(profile.functionModules[func]!, func) };
		}
	}

	private callName(func: number): string {
		return func < 0 ? '[unknown function]' : this.state.profile.functionNames[func]!;
	}

	private callAt(row: LaneRow, at: number): number {
		return row.kind === 'calls' ? this.state.profile.callTimes!.at(row.threads[0]!, row.depth, at) : -1;
	}

	/** A call, or what is between two. */
	private callStretch(row: LaneRow, at: number): Window {
		const calls = this.state.profile.callTimes!;
		const [first, end] = calls.callsOf(row.threads[0]!, row.depth);
		const next = calls.endsBehind(row.threads[0]!, row.depth, at);
		if (next < end && calls.begin[next]! <= at)
			return { from: calls.begin[next]!, to: calls.end[next]! };
		return { from: next > first ? calls.end[next - 1]! : 0, to: next < end ? calls.begin[next]! : this.duration };
	}

	private callFacts(row: LaneRow, at: number): [string, string][] {
		const calls = this.state.profile.callTimes!;
		const call = this.callAt(row, at);
		if (call < 0)
			return [['At', `${this.time(at)}: no call`]];
		const [begin, end] = [calls.begin[call]!, calls.end[call]!];
		return [['Call of', this.callName(calls.func[call]!)], ['From', `${this.time(begin)} to ${this.time(end)}`], ['Took', this.time(end - begin)]];
	}

	/* ---- what is said of them ---- */

	/** What its threads did in a time. */
	private sumOf(threads: number[], range: Window | null): Float64Array {
		const sums = new Float64Array(STATE_COUNT);
		for (const thread of threads)
			this.states.add(thread, range ? range.from : -Infinity, range ? range.to : Infinity, sums);
		return sums;
	}

	private waitFacts(thread: number, span: number): [string, string][] {
		const { profile } = this.state;
		const known = this.states.waitOf(thread, span);
		const facts: [string, string][] = [];
		const add = (title: string, text: string) => text && facts.push([title, shorten(text, 90)]);
		const nameOf = (func: number) => (func < 0 ? '' : profile.functionNames[func]!);
		if (!known)
			return facts;
		const { wait } = known;
		if (known.count > 1)
			add('Waits', `${count(known.count)}, joined${wait ? '; the longest one:' : ''}`);
		if (wait) {
			add('Waited for', wait.object);
			add('System call', wait.syscall);
			add('In', nameOf(wait.func));
			add('Called by', wait.caller === wait.func ? '' : nameOf(wait.caller));
			add('Held by', wait.holderThread < 0 ? '' : `${profile.threadTitle(wait.holderThread)}${wait.holder < 0 ? '' : ` in ${nameOf(wait.holder)}`}`);
		}
		return facts;
	}

	private sumFacts(sums: Float64Array): [string, string][] {
		const all = sums.reduce((sum, value) => sum + value, 0) || 1;
		return STATES.map(({ title }, state) => [title, sums[state]!, state] as const).filter(([, value]) => value > 0)
			.map(([title, value]) => [title, `${this.time(value)} · ${percent(value / all)} %`]);
	}

	/** Of many threads, how many are in a state just then. */
	private momentFacts(row: LaneRow, at: number): [string, string][] {
		const sums = new Float64Array(STATE_COUNT);
		const values = new Float64Array(STATE_COUNT);
		let live = 0;
		for (const thread of row.threads) {
			const span = this.states.at(thread, at);
			if (span < 0)
				continue;
			live++;
			if (this.states.valuesOf(span, values).some((value) => value > 0))
				sums[mostly(values)]!++;
		}
		return [...STATES.map(({ title }, state): [string, string] => [title, sums[state] ? plural(sums[state]!, 'thread') : '']).filter(([, text]) => text),
			['Alive', `${count(live)} of ${plural(row.threads.length, 'thread')}`]];
	}

	private factsOf(row: LaneRow, at: number): [string, string][] {
		if (row.kind === 'calls')
			return this.callFacts(row, at);
		if (row.kind === 'group')
			return [['At', this.time(at)], ...this.momentFacts(row, at)];
		const thread = row.threads[0]!;
		const span = this.states.at(thread, at);
		if (span < 0)
			return [['At', `${this.time(at)}: not there`]];
		const begin = this.states.begin[span]!;
		const end = this.states.endOf(thread, span);
		const facts = this.sumFacts(this.states.valuesOf(span, new Float64Array(STATE_COUNT)));
		return [['From', `${this.time(begin)} to ${this.time(end)}${facts.length ? '' : ': not known'}`], ...facts, ...this.waitFacts(thread, span)];
	}

	private tooltip(row: LaneRow, at: number | null): Node {
		const facts = at === null ? this.sumFacts(this.sumOf(row.threads, this.range())) : this.factsOf(row, at);
		return h('div', {}, h('strong.name', {}, shorten(row.title, 120)),
			h('table', {}, h('tbody', {}, ...facts.map(([title, text]) => h('tr', {}, h('th', { scope: 'row' }, title), h('td', {}, text))))));
	}

	private describe(row: LaneRow, at: number): string {
		return `${row.title}${row.key ? (row.open ? ', open' : ', folded') : ''}: ${this.factsOf(row, at).map(([title, text]) => `${title} ${text}`).join(', ')}`;
	}

	private select(row: LaneRow, at: number): void {
		const func = this.functionAt(row, at);
		if (func >= 0)
			this.state.set('selected', func);
		replace(this.details, ...[['Lane', row.title] as [string, string], ...this.factsOf(row, at)].map(([title, text]) => h('span', {}, `${title}: `, h('b', {}, shorten(text, 120)))));
	}

	private functionAt(row: LaneRow, at: number): number {
		const thread = row.threads[0]!;
		if (row.kind === 'calls')
			return this.callAt(row, at) < 0 ? -1 : this.state.profile.callTimes!.func[this.callAt(row, at)]!;
		const span = row.kind === 'group' ? -1 : this.states.at(thread, at);
		return span < 0 ? -1 : this.states.waitOf(thread, span)?.wait?.func ?? -1;
	}

	private actions(row: LaneRow, at: number): Action[] {
		const { context, state } = this;
		const func = this.functionAt(row, at);
		const actions: Action[] = [{ title: row.kind === 'group' ? 'Only these threads' : 'Only this thread', run: () => state.filter({ threads: new Set(row.threads) }) }];
		if (func >= 0)
			actions.push({ title: row.kind === 'calls' ? 'The function, in functions' : 'The function that waited, in functions', run: () => { state.set('selected', func); context.open('functions'); } }, ...functionActions(context, func));
		return actions;
	}

	/* ---- showing ---- */

	private noteText(range: Window | null): string {
		const { profile } = this.state;
		const joined = profile.header.states_joined_ticks ?? 0;
		return [plural(this.lanes.rows.length, 'lane'),
			range ? `chosen: ${chosenText(this.state, range)} (${this.time(range.to - range.from)})` : 'drag to choose a part of the time',
			range && !profile.hasTimes ? `other views show all of the time: ${timelessText(this.state)}` : '',
			this.unknown ? `of ${plural(this.unknown, 'more thread')} it is not known when they waited` : '',
			profile.header.calls_left_out ? `${plural(profile.header.calls_left_out, 'call')} shorter than ${this.time(profile.header.calls_shortest_ticks ?? 0)}, or deeper than 64, are left out` : '',
			profile.marks.length ? `${plural(profile.marks.length, 'mark')} (n and p go there)` : '',
			joined ? `states that begin in the same ${this.time(joined)} are joined` : ''].filter(Boolean).join(' · ');
	}

	private update(): void {
		const threads = this.shownThreads();
		const range = this.range();
		const sums = this.sumOf(threads, range);
		this.lanes.set(threads);
		replace(this.sum, stackedBar(range ? 'What the threads did in the chosen time' : 'What the threads did', STATES.map(({ title }, state) => ({
			title, value: sums[state]!, text: this.time(sums[state]!), color: colorOf(state),
		}))));
		this.showLanes(range);
	}

	private showLanes(range: Window | null): void {
		this.note.textContent = this.noteText(range);
		this.folding.hidden = !this.lanes.foldable;
		this.folding.textContent = this.lanes.anyFolded ? 'Unfold all' : 'Fold all';
		this.toRange.hidden = this.noRange.hidden = !range;
		this.canvas.show(range);
		this.shownRange = JSON.stringify(range);
	}

	show(): void {
		this.update();
	}

	change(change: Change): void {
		if (change === 'filter') {
			this.shares.forget();
			this.update();
		} else if (change === 'view' && JSON.stringify(this.range()) !== this.shownRange) {
			this.update();
		} else if (change === 'theme') {
			this.canvas.repaint();
		}
	}

	invalidate(): void {
		this.shares.forget();
		this.canvas.repaint();
	}

	focus(): void {
		this.canvas.focus();
	}
}
