// The flame graph and the icicle: call paths from their outer end, or callers above callees.
import { h } from '../dom.ts';
import { count, percent, plural, time } from '../format.ts';
import { makeFrames, nodeAt, stepsTo, type Frames, type FramesKind } from '../model/frames.ts';
import { WaitFrames, type WaitKind } from '../model/wait_frames.ts';
import { FlameCanvas, type FlamePaint } from '../parts/flame_canvas.ts';
import { Palette } from '../parts/palette.ts';
import { makeMatcher } from '../parts/search.ts';
import type { Change } from '../state.ts';
import { shareText, valueText, type Context, type View } from './context.ts';
import { frameActions, pathText, recursionSwitch } from './frame_actions.ts';

/** Selects that stand in the address: key, label, what can be chosen; the first is the default. */
const KINDS: [string, string][] = [['merged', 'Calls, all threads as one'], ['threads', 'Calls by thread'], ['callers', 'Callers (reversed)'], ['sandwich', 'Callers and callees of a function']];
const WORK_AND_WAITS: [string, string] = ['waits', 'Work and waits, all threads as one'];
const WAIT_TITLES: [WaitKind, string][] = [['work', 'CPU time'], ['waits', 'Waited'], ['idle', 'Idle waits']];
const DIRECTIONS: [string, string][] = [['down', 'Icicles (downwards)'], ['up', 'Flames (upwards)']];
const COLOURS: [string, string][] = [['module', 'Colour: module'], ['heat', 'Colour: exclusive share']];
const WIDTHS: [string, string][] = [['new', 'Widths: new'], ['base', 'Widths: base']];

export class FlameView implements View {
	readonly name = 'flame';
	readonly title = 'Flame graph';
	readonly element: HTMLElement;
	readonly canvas: FlameCanvas;
	/** Callers, above the function whose callees are in the canvas. */
	private readonly above: FlameCanvas;
	private readonly selects = new Map<string, { element: HTMLSelectElement; first: string }>();
	private readonly note = h('p.note', { role: 'status' });
	private readonly crumbs = h('nav.crumbs', { 'aria-label': 'Zoomed to' });
	private frames!: Frames;
	private aboveFrames: Frames | null = null;
	private found: Uint8Array | null = null;
	private match: Int32Array | null = null; /* by node of the frames: the same in the other profile */
	private stale = true;

	constructor(private readonly context: Context) {
		const { state, comparison } = context;
		const select = (key: string, label: string, options: [string, string][]) => {
			const element = h('select', { 'aria-label': label, onchange: () => {
				if (key === 'flame')
					this.changeKind(element.value);
				else
					state.choose(key, element.value === options[0]![0] ? '' : element.value, 'step');
				this.rebuild();
			} }, ...options.map(([value, title]) => h('option', { value }, title)));
			this.selects.set(key, { element, first: options[0]![0] });
			return element;
		};
		const kinds = select('flame', 'What is below what', state.profile.hasWaits ? [...KINDS, WORK_AND_WAITS] : KINDS);
		const directions = select('direction', 'Direction', DIRECTIONS);
		const colours = select('colour', 'Colours', [...(comparison ? [['difference', 'Colour: difference']] as [string, string][] : []), ...COLOURS]);
		const widths = select('widths', 'Widths', WIDTHS);
		widths.hidden = !comparison;
		const canvas = (label: string, frames: () => Frames, onZoom?: (node: number) => void) => new FlameCanvas({
			above: !onZoom,
			label: `${label}. Arrow keys go from frame to frame, Enter zooms, Escape shows all, m opens a menu.`,
			tooltip: (node) => this.tooltip(frames(), node),
			onSelect: (node) => state.set('selected', this.isBase() ? -1 : frames().func(node)),
			onZoom, actions: (node) => (this.isBase() ? [] : frameActions(context, frames(), node)),
		});
		this.canvas = canvas('Flame graph', () => this.frames, (node) => this.onZoom(node));
		this.above = canvas('Callers', () => this.aboveFrames!);
		this.element = h('section.view', { 'aria-label': 'Flame graph' },
			h('div.bar', {}, kinds, directions, colours, widths, recursionSwitch(state),
				h('button.button', { type: 'button', title: 'Show all (Escape)', onclick: () => { this.above.reset(); this.canvas.reset(); } }, 'Reset zoom'),
				h('button.button', { type: 'button', title: 'What can be done with the frame (m)', onclick: () => this.canvas.openActions() }, 'Frame…')),
			this.note, this.crumbs, this.above.element, this.canvas.element,
			h('p.signs', {}, h('span', {}, 'Click selects, double click zooms, drag moves, Ctrl and wheel zoom, the right button opens a menu'), h('span', {}, 'Arrow keys, Enter, Backspace, Escape and m do the same')));
	}

	private get state() { return this.context.state; }
	private isBase(): boolean { return this.chosen('widths') === 'base' && !!this.context.comparison; }

	/** What is chosen now: the address says it, where it says what there is. */
	private chosen(key: string): string {
		const { element, first } = this.selects.get(key)!;
		const wanted = this.state.choices[key] || first;
		return Array.from(element.options).some(({ value }) => value === wanted) ? wanted : first;
	}

	private changeKind(kind: string): void {
		const { state } = this;
		state.choose('zoom', '');
		if (kind === 'sandwich')
			state.choose('of', String(Math.max(state.selected, 0)));
		state.choose('flame', kind === KINDS[0]![0] ? '' : kind, 'step');
	}

	private onZoom(node: number): void {
		this.state.choose('zoom', stepsTo(this.frames, node), 'step');
		this.showCrumbs(node);
	}

	private kind(): string {
		const { comparison } = this.context;
		return comparison && (this.chosen('colour') === 'difference' || this.isBase()) ? 'merged' : this.chosen('flame');
	}

	private rebuild(): void {
		const { state } = this;
		const { comparison } = this.context;
		this.stale = false;
		for (const [key, { element }] of this.selects)
			element.value = this.chosen(key);
		const kind = this.kind();
		this.selects.get('flame')!.element.value = kind;
		this.aboveFrames = null;
		if (kind === 'sandwich') {
			const root = { path: [Math.min(Number(state.choices['of'] ?? 0) || 0, state.profile.functionCount - 1)], anywhere: true };
			this.frames = makeFrames(state.selection, 'merged', { ...state.shape, root });
			this.aboveFrames = makeFrames(state.selection, 'callers', { ...state.shape, root });
		} else if (kind === 'waits') {
			this.frames = state.waitFrames();
		} else {
			this.frames = this.isBase() ? state.baseFrames(comparison!.inBase) : state.frames(kind as FramesKind);
		}
		this.above.element.hidden = !this.aboveFrames;
		this.selects.get('direction')!.element.hidden = !!this.aboveFrames;
		this.match = null;
		if (comparison && this.chosen('colour') === 'difference')
			this.match = this.isBase() ? this.inverse(comparison.matchPaths(state.frames('merged'), this.frames)) :
				comparison.matchPaths(this.frames, state.baseFrames(comparison.inBase));
		this.search();
		this.repaint();
		this.canvas.zoomTo(nodeAt(this.frames, state.choices['zoom'] ?? ''), true);
		this.showCrumbs(this.canvas.zoomNode);
	}

	/** The call path of the frame that the keyboard is at. */
	pathOfCurrent(): string | null {
		return this.canvas.current > 0 ? pathText(this.frames, this.canvas.current) : null;
	}

	private inverse(match: Int32Array): Int32Array {
		const inverse = new Int32Array(this.frames.size).fill(-1);
		match.forEach((other, node) => {
			if (other >= 0)
				inverse[other] = node;
		});
		return inverse;
	}

	private repaint(): void {
		const { quantity } = this.state.measure;
		const paint = (frames: Frames): FlamePaint => ({
			fill: (node) => this.fill(frames, node),
			matches: (node) => this.matches(frames.func(node)),
			describe: (node) => `${frames.label(node)}, ${percentOf(frames, node, quantity)}`,
		});
		if (this.aboveFrames)
			this.above.show(this.aboveFrames, quantity, true, paint(this.aboveFrames), 1);
		this.canvas.show(this.frames, quantity, !this.aboveFrames && this.chosen('direction') === 'up', paint(this.frames), this.aboveFrames ? 1 : 0);
	}

	private get profile() { return this.isBase() ? this.state.base! : this.state.profile; }

	private total(): number {
		return this.frames.value(0, this.state.measure.quantity, true);
	}

	private fill(frames: Frames, node: number): string {
		const func = frames.func(node);
		const { quantity } = this.state.measure;
		const colour = this.chosen('colour');
		if (frames instanceof WaitFrames && frames.waitKind(node) !== 'work')
			return Palette.wait(frames.waitKind(node) === 'idle');
		if (colour === 'difference' && this.match)
			return Palette.difference((this.difference(node) / (this.total() || 1)) * 5);
		if (func < 0)
			return Palette.above();
		if (colour === 'heat')
			return Palette.heat(frames.value(node, quantity, false) / (this.total() || 1) * 4);
		const module = this.profile.functionModules[func]!;
		return this.context.palette.module(this.isBase() ? this.sameModule(module) : module, func);
	}

	private sameModule(module: number): number {
		return this.state.profile.modulePaths.indexOf(this.state.base!.modulePaths[module]!);
	}

	/** New less base on the same path, in the profile's ticks. */
	private difference(node: number): number {
		const { measure } = this.state;
		const other = this.match![node]!;
		const comparison = this.context.comparison!;
		const scale = (value: number) => comparison.scaled(value, measure.quantity);
		const own = this.frames.value(node, measure.quantity, true);
		if (this.isBase())
			return (other < 0 ? 0 : this.state.frames('merged').value(other, measure.quantity, true)) - scale(own);
		return own - (other < 0 ? 0 : scale(this.state.baseFrames(comparison.inBase).value(other, measure.quantity, true)));
	}

	/* ---- search and filter ---- */

	private search(): void {
		const matcher = makeMatcher(this.state.query);
		const { modules } = this.state;
		this.found = null;
		this.note.textContent = this.waitsNote();
		if (!matcher && (!modules || this.isBase()))
			return;
		this.found = Uint8Array.from(this.profile.functionNames, (name, func) =>
			((!matcher || matcher(name) || matcher(this.profile.moduleOf(func))) && (this.isBase() || this.state.showsFunction(func)) ? 1 : 0));
		this.note.textContent = [this.matchedShare(matcher !== null), this.waitsNote()].filter(Boolean).join(' · ');
	}

	/** What all of it is; what of it is not as the user may think. */
	private waitsNote(): string {
		const { frames } = this;
		if (!(frames instanceof WaitFrames))
			return '';
		const cut = this.profile.header.waits_cut_ns ?? 0;
		return [...WAIT_TITLES.map(([kind, title]) => `${title} ${time(frames.nsOf(0, kind))}`),
			this.state.bins ? 'of all the time, whichever part is chosen' : '',
			cut ? `${time(cut)} stand at a caller, as there are too many paths` : ''].filter(Boolean).join(' · ');
	}

	private matches(func: number): boolean | null {
		return this.found ? func >= 0 && this.found[func] === 1 : null;
	}

	/** Time under at least one frame that matches, each once. */
	private matchedShare(searched: boolean): string {
		const { quantity } = this.state.measure;
		const functions = this.found!.reduce((sum, match) => sum + match, 0);
		if (this.frames.kind === 'callers') {
			let exclusive = 0;
			this.found!.forEach((match, func) => {
				if (match)
					exclusive += this.state.selection.of(func, quantity, false);
			});
			return `${plural(functions, 'function')} ${searched ? 'match' : 'shown'}: ${shareText(this.state, exclusive)} by themselves`;
		}
		const above = new Uint8Array(this.frames.size);
		let sum = 0;
		for (let node = 1; node < this.frames.size; node++) {
			const parent = this.frames.parent(node);
			const hit = this.matches(this.frames.func(node)) && !this.frames.isFolded(node);
			above[node] = above[parent] || hit ? 1 : 0;
			if (hit && !above[parent])
				sum += this.frames.value(node, quantity, true);
		}
		const total = this.total();
		return `${plural(functions, 'function')} ${searched ? 'match' : 'shown'}: ${total ? percent(sum / total) : '–'} % of the time`;
	}

	/* ---- what is said of a frame ---- */

	private tooltip(frames: Frames, node: number): Node {
		const { state, profile } = this;
		const func = frames.func(node);
		const rows: [string, string][] = [];
		if (frames instanceof WaitFrames)
			for (const [kind, title] of WAIT_TITLES)
				rows.push([title, `${time(frames.nsOf(node, kind))} · ${percent(frames.nsOf(node, kind) / (frames.value(0, 0, true) || 1))} %`]);
		else state.profile.header.quantities.forEach((quantity, q) => {
			for (const inclusive of frames.kind === 'callers' ? [true] : [true, false]) {
				const value = frames.value(node, q, inclusive);
				const total = frames.value(0, q, true);
				const text = valueText(state, this.isBase() ? this.context.comparison!.scaled(value, q) : value, q);
				rows.push([`${quantity.title} ${frames.kind === 'callers' ? `${frames === this.aboveFrames || state.shape.root ? 'inclusive' : 'exclusive'}, on this path` : inclusive ? 'inclusive' : 'exclusive'}`,
					`${text} · ${total ? percent(value / total) : '–'} %`]);
			}
		});
		if (func >= 0 && profile.hasCalls && !(frames instanceof WaitFrames))
			rows.push(['Calls', count(frames.calls(node))]);
		if (this.match) {
			const delta = this.difference(node);
			rows.push(['Difference', this.match[node]! < 0 ? (this.isBase() ? 'no more on this path' : 'new on this path') : `${delta > 0 ? '+' : ''}${valueText(state, delta)}`]);
		}
		const name = frames.label(node);
		return h('div', {}, h('strong.name', {}, name.length > 600 ? `${name.slice(0, 300)}…${name.slice(-300)}` : name),
			func >= 0 && h('span.muted', {}, profile.moduleOf(func)),
			h('table', {}, ...rows.map(([key, value]) => h('tr', {}, h('th', { scope: 'row' }, key), h('td', {}, value)))));
	}

	private showCrumbs(node: number): void {
		const path: number[] = [];
		for (let at = node; at >= 0; at = this.frames.parent(at))
			path.push(at);
		path.reverse();
		const shown = path.length > 7 ? [...path.slice(0, 2), -1, ...path.slice(-4)] : path;
		this.crumbs.replaceChildren(...shown.flatMap((step, i) => [
			...(i ? [h('span', { 'aria-hidden': 'true' }, '›')] : []),
			step < 0 ? h('span', {}, '…') : h('button.crumb', {
				type: 'button', 'aria-current': step === node ? 'true' : undefined, onclick: () => this.canvas.zoomTo(step),
			}, shortName(this.frames.label(step))),
		]));
	}

	show(): void {
		if (this.stale || this.kind() !== this.selects.get('flame')!.element.value)
			this.rebuild();
		this.canvas.repaint();
		this.above.repaint();
	}

	change(change: Change): void {
		const { state } = this;
		if (change === 'measure') {
			/* The exclusive value is what the reversed graph divides among callers. */
			const kind = this.chosen('flame');
			const turned = state.measure.inclusive ? (kind === 'callers' ? 'merged' : kind) : ['sandwich', 'waits'].includes(kind) ? kind : 'callers';
			if (!this.context.comparison && turned !== kind)
				this.changeKind(turned);
			this.rebuild();
		} else if (change === 'filter' || change === 'shape') {
			this.rebuild();
		} else if (change === 'view' && this.aboveFrames && this.aboveFrames.func(1) !== Number(state.choices['of'])) {
			this.rebuild();
		} else if (change === 'query') {
			this.search();
			this.repaint();
		} else if (change === 'theme') {
			this.repaint();
		}
	}

	invalidate(): void {
		this.stale = true;
	}

	focus(): void {
		this.canvas.focus();
	}
}

function percentOf(frames: Frames, node: number, quantity: number): string {
	const total = frames.value(0, quantity, true);
	return total ? `${percent(frames.value(node, quantity, true) / total)} %` : '–';
}

const shortName = (name: string): string => (name.length > 34 ? `${name.slice(0, 16)}…${name.slice(-16)}` : name);
