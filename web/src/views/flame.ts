// The flame graph and the icicle: call paths from their outer end, or callers above callees.
import { h } from '../dom.ts';
import { count, percent, plural } from '../format.ts';
import type { Frames, FramesKind } from '../model/frames.ts';
import { FlameCanvas } from '../parts/flame_canvas.ts';
import { Palette } from '../parts/palette.ts';
import { makeMatcher } from '../parts/search.ts';
import type { Change } from '../state.ts';
import { shareText, valueText, type Context, type View } from './context.ts';

export class FlameView implements View {
	readonly name = 'flame';
	readonly title = 'Flame graph';
	readonly element: HTMLElement;
	readonly canvas: FlameCanvas;
	private readonly kinds = h('select', { 'aria-label': 'What is below what' });
	private readonly directions = h('select', { 'aria-label': 'Direction' });
	private readonly colours = h('select', { 'aria-label': 'Colours' });
	private readonly widths = h('select', { 'aria-label': 'Widths' });
	private readonly note = h('p.note', { role: 'status' });
	private readonly crumbs = h('nav.crumbs', { 'aria-label': 'Zoomed to' });
	private frames!: Frames;
	private found: Uint8Array | null = null;
	private match: Int32Array | null = null; /* by node of the frames: the same in the other profile */
	private stale = true;

	constructor(private readonly context: Context) {
		const { state, comparison } = context;
		const fill = (select: HTMLSelectElement, options: [string, string][]) => {
			for (const [value, title] of options)
				select.append(h('option', { value }, title));
			select.addEventListener('change', () => this.rebuild());
		};
		fill(this.kinds, [['merged', 'Calls, all threads as one'], ['threads', 'Calls by thread'], ['callers', 'Callers (reversed)']]);
		fill(this.directions, [['up', 'Flames (upwards)'], ['down', 'Icicles (downwards)']]);
		fill(this.colours, [...(comparison ? [['difference', 'Colour: difference']] as [string, string][] : []), ['module', 'Colour: module'], ['heat', 'Colour: exclusive share']]);
		fill(this.widths, [['new', 'Widths: new'], ['base', 'Widths: base']]);
		this.widths.hidden = !comparison;
		this.directions.value = 'down';
		this.canvas = new FlameCanvas({
			label: 'Flame graph. Arrow keys go from frame to frame, Enter zooms, Escape shows all.',
			tooltip: (node) => this.tooltip(node),
			onSelect: (node) => state.set('selected', this.isBase() ? -1 : this.frames.func(node)),
			onZoom: (node) => this.showCrumbs(node),
		});
		this.element = h('section.view', { 'aria-label': 'Flame graph' },
			h('div.bar', {}, this.kinds, this.directions, this.colours, this.widths,
				h('button.button', { type: 'button', title: 'Show all (Escape)', onclick: () => this.canvas.reset() }, 'Reset zoom'),
				h('span.grow'), this.note),
			this.crumbs, this.canvas.element,
			h('p.signs', {}, h('span', {}, 'Click selects, double click zooms, drag moves, Ctrl and wheel zoom'), h('span', {}, 'Arrow keys, Enter, Backspace and Escape do the same')));
	}

	private get state() { return this.context.state; }
	private isBase(): boolean { return this.widths.value === 'base' && !!this.context.comparison; }

	private rebuild(): void {
		const { state } = this;
		const { comparison } = this.context;
		this.stale = false;
		if (comparison && this.colours.value === 'difference')
			this.kinds.value = 'merged';
		this.frames = this.isBase() ? state.baseFrames() : state.frames(this.kinds.value as FramesKind);
		this.match = null;
		if (comparison && this.colours.value === 'difference')
			this.match = this.isBase() ? this.inverse(comparison.matchPaths(state.frames('merged'), state.baseFrames())) :
				comparison.matchPaths(this.frames, state.baseFrames());
		this.search();
		this.repaint();
		this.showCrumbs(this.canvas.zoomNode);
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
		this.canvas.show(this.frames, this.state.measure.quantity, this.directions.value === 'up', {
			fill: (node) => this.fill(node),
			matches: (node) => this.matches(node),
			describe: (node) => `${this.frames.label(node)}, ${this.percentOf(node)}`,
		});
	}

	private get profile() { return this.isBase() ? this.state.base! : this.state.profile; }

	private total(): number {
		return this.frames.value(0, this.state.measure.quantity, true);
	}

	private percentOf(node: number): string {
		const total = this.total();
		return total ? `${percent(this.frames.value(node, this.state.measure.quantity, true) / total)} %` : '–';
	}

	private fill(node: number): string {
		const func = this.frames.func(node);
		const { quantity } = this.state.measure;
		if (this.colours.value === 'difference' && this.match)
			return Palette.difference((this.difference(node) / (this.total() || 1)) * 5);
		if (func < 0)
			return Palette.above();
		if (this.colours.value === 'heat')
			return Palette.heat(this.frames.value(node, quantity, false) / (this.total() || 1) * 4);
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
		return own - (other < 0 ? 0 : scale(this.state.baseFrames().value(other, measure.quantity, true)));
	}

	/* ---- search and filter ---- */

	private search(): void {
		const matcher = makeMatcher(this.state.query);
		const { modules } = this.state;
		this.found = null;
		this.note.textContent = '';
		if (!matcher && (!modules || this.isBase()))
			return;
		this.found = Uint8Array.from(this.profile.functionNames, (name, func) =>
			((!matcher || matcher(name) || matcher(this.profile.moduleOf(func))) && (this.isBase() || this.state.showsFunction(func)) ? 1 : 0));
		this.note.textContent = this.matchedShare(matcher !== null);
	}

	private matches(node: number): boolean | null {
		const func = this.frames.func(node);
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
			const hit = this.matches(node) && !this.frames.isFolded(node);
			above[node] = above[parent] || hit ? 1 : 0;
			if (hit && !above[parent])
				sum += this.frames.value(node, quantity, true);
		}
		const total = this.total();
		return `${plural(functions, 'function')} ${searched ? 'match' : 'shown'}: ${total ? percent(sum / total) : '–'} % of the time`;
	}

	/* ---- what is said of a frame ---- */

	private tooltip(node: number): Node {
		const { state, frames, profile } = this;
		const func = frames.func(node);
		const rows: [string, string][] = [];
		state.profile.header.quantities.forEach((quantity, q) => {
			for (const inclusive of frames.kind === 'callers' ? [true] : [true, false]) {
				const value = frames.value(node, q, inclusive);
				const total = frames.value(0, q, true);
				const text = valueText(state, this.isBase() ? this.context.comparison!.scaled(value, q) : value, q);
				rows.push([`${quantity.title} ${frames.kind === 'callers' ? 'exclusive, on this path' : inclusive ? 'inclusive' : 'exclusive'}`,
					`${text} · ${total ? percent(value / total) : '–'} %`]);
			}
		});
		if (func >= 0 && profile.hasCalls)
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
		if (this.stale)
			this.rebuild();
		this.canvas.repaint();
	}

	change(change: Change): void {
		if (change === 'measure') {
			/* The exclusive value is what the reversed graph divides among callers. */
			if (!this.context.comparison)
				this.kinds.value = this.state.measure.inclusive ? (this.kinds.value === 'callers' ? 'merged' : this.kinds.value) : 'callers';
			this.rebuild();
		} else if (change === 'filter') {
			this.rebuild();
		} else if (change === 'query') {
			this.search();
			this.canvas.repaint();
		} else if (change === 'theme') {
			this.canvas.repaint();
		}
	}

	invalidate(): void {
		this.stale = true;
	}

	focus(): void {
		this.canvas.focus();
	}
}

const shortName = (name: string): string => (name.length > 34 ? `${name.slice(0, 16)}…${name.slice(-16)}` : name);
