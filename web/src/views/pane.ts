// The function that is selected: what it is, its values, who calls it and whom it calls.
import { h, replace } from '../dom.ts';
import { count, percent, shorten, time } from '../format.ts';
import type { Edge } from '../model/selection.ts';
import { barList } from '../parts/bars.ts';
import { openMenu } from '../parts/menu.ts';
import { callsSign, isTime, marginOf, shareText, valueText, type Context } from './context.ts';
import { functionActions } from './frame_actions.ts';

const EDGES = 40;

export class Pane {
	readonly element = h('aside.pane', { 'aria-label': 'Selected function', tabindex: -1 });
	private moved = false;
	private width = 0; /* for which names were shortened */

	constructor(private readonly context: Context) {
		new ResizeObserver(() => this.element.offsetWidth !== this.width && this.update()).observe(this.element);
	}

	private get state() { return this.context.state; }

	/** What names fit is not known while the pane is hidden: it is brought up to date when it appears. */
	update(): void {
		const { selected } = this.state;
		this.width = this.element.offsetWidth;
		if (!this.width)
			return;
		if (selected < 0)
			replace(this.element, h('p.empty', {}, 'Select a function, in any view, to see who calls it and whom it calls.'));
		else
			this.render(selected);
	}

	/** A step that the browser's back button undoes. */
	private go(func: number): void {
		this.moved = true;
		this.state.set('selected', func, 'step');
		this.element.querySelector<HTMLElement>('h2')?.focus();
	}

	private cell(name: string, func: number): number | string | null {
		const table = this.state.profile.table('functions')!;
		const row = table.subject.function.indexOf(func);
		const column = table.columns.find((candidate) => candidate.name === name);
		return row < 0 || !column ? null : table.value(column, row);
	}

	private render(func: number): void {
		const { profile } = this.state;
		const name = profile.functionNames[func]!;
		const source = this.cell('source', func);
		const line = this.cell('line', func);
		const edges = this.state.selection.edges(func);
		replace(this.element,
			h('header.pane-head', {},
				h('h2.name', { title: shorten(name, 2000), tabindex: -1 }, breakable(shorten(name, 400))),
				h('p.muted', {}, h('i.dot', { style: `background:${this.context.palette.dot(profile.functionModules[func]!)}`, 'aria-hidden': 'true' }),
					`${profile.moduleOf(func)}${source ? ` · ${shorten(String(source), 60)}${line ? `:${line}` : ''}` : ''}`),
				h('div.pane-actions', {},
					this.moved && h('button.button', { type: 'button', title: 'What was shown before (Alt+←)', onclick: () => history.back() }, 'Back'),
					h('button.button', { type: 'button', onclick: () => { this.state.set('query', ''); this.context.open('functions'); } }, 'In functions'),
					h('button.button', { type: 'button', onclick: () => { this.state.set('query', name.length < 500 ? name : name.slice(0, 500)); this.context.open('flame'); } }, 'In flame graph'),
					h('button.button', { type: 'button', title: 'What can be done with the function', onclick: (event) => {
						const place = (event.currentTarget as HTMLElement).getBoundingClientRect();
						openMenu('Actions for the function', { x: place.left, y: place.bottom + 2 }, functionActions(this.context, func));
					} }, 'More…'),
					profile.functionsWithCode.includes(func) && h('button.button', { type: 'button', onclick: () => this.context.open('source') }, 'Source'))),
			h('section', {}, this.values(func), this.perCall(func)),
			this.edgeList('Callers', 'Called by', edges.callers, func), this.edgeList('Callees', 'Calls', edges.callees, func));
	}

	private values(func: number): HTMLElement {
		const { state } = this;
		const table = state.profile.table('functions')!;
		const row = table.subject.function.indexOf(func);
		const rows = state.profile.measures.map((measure) => {
			const value = state.selection.of(func, measure.quantity, measure.inclusive);
			const total = state.selection.totals[measure.quantity]!;
			const margin = row < 0 ? null : marginOf(state, table, row, measure);
			const share = shareText(state, value, measure.quantity) + (margin === null ? '' : ` ± ${margin.toFixed(1)}`);
			return h('tr', {}, h('th', { scope: 'row' }, measure.title), h('td', {}, valueText(state, value, measure.quantity)),
				h('td.bar', { style: `--share:${total ? Math.min(100, (100 * value) / total).toFixed(2) : 0}%` }, share));
		});
		return h('table.pane-values', { 'aria-label': 'Values' }, h('tbody', {}, ...rows));
	}

	private perCall(func: number): HTMLElement {
		const { state } = this;
		const values = state.selection.functions();
		const facts: [string, string][] = [];
		if (state.profile.hasCalls)
			facts.push(['Calls', callsSign(this.cell('disarmed', func)) + count(Number((state.selection.isAll ? this.cell('calls', func) : null) ?? values.calls[func]!))]);
		const timeOf = (title: string, column: string) => {
			const value = this.cell(column, func);
			if (typeof value === 'number' && state.selection.isAll)
				facts.push([title, time(value)]);
		};
		timeOf('Average', 'elapsed_inclusive_avg');
		timeOf('Least', 'elapsed_inclusive_min');
		timeOf('Median', 'elapsed_inclusive_p50');
		timeOf('99 % below', 'elapsed_inclusive_p99');
		timeOf('Most', 'elapsed_inclusive_max');
		timeOf('Probe cost', 'overhead_exclusive');
		timeOf('± of exclusive', 'error_exclusive');
		const confidence = this.cell('confidence', func);
		if (confidence === 'overhead-dominated')
			facts.push(['Note', '~ exclusive time per call is below five times the probes’ cost']);
		if (confidence === 'within-error')
			facts.push(['Note', '? its exclusive time may be nothing but the probes’ cost']);
		return h('dl.pane-facts', { title: 'Times per call are elapsed inclusive' }, ...facts.flatMap(([key, value]) =>
			[h('div', {}, h('dt', {}, key), h('dd', {}, value))]));
	}

	/** Lists stand beside each other where the pane is below the view. */
	private listWidth(): number {
		const width = this.element.clientWidth - 28;
		return width > 600 ? (width - 26) / 2 : width;
	}

	private edgeList(title: string, empty: string, edges: Edge[], func: number): HTMLElement {
		const { state } = this;
		const { measure, profile } = state;
		const value = (edge: Edge) => (measure.inclusive ? edge.inclusive : edge.exclusive)[measure.quantity]!;
		const whole = state.selection.of(func, measure.quantity, title === 'Callers' ? measure.inclusive : true) || 1;
		edges.sort((a, b) => value(b) - value(a) || b.calls - a.calls);
		const list = barList(title, edges.slice(0, EDGES).map((edge) => ({
			label: edge.func < 0 ? '[no function]' : shorten(profile.functionNames[edge.func]!, 120) + (edge.func === func ? ' ↻' : ''),
			title: edge.func < 0 ? 'Called by no instrumented function' : shorten(profile.functionNames[edge.func]!, 1000),
			share: value(edge) / whole, detail: profile.hasCalls ? `${count(edge.calls)}×` : undefined,
			text: `${valueText(state, value(edge))} · ${percent(value(edge) / whole)} %`,
			color: edge.func < 0 ? 'var(--above)' : this.context.palette.module(profile.functionModules[edge.func]!),
			onclick: edge.func < 0 ? undefined : () => this.go(edge.func),
		})), `${empty} no function.`, this.listWidth());
		return h('section', {}, h('h3', {}, title, h('span.muted', {}, ` ${edges.length > EDGES ? `${EDGES} of ` : ''}${count(edges.length)} · ${isTime(state, measure.quantity) ? measure.title.toLowerCase() : measure.title}`)), list);
	}
}

/** Lets a long name break behind what separates its parts. */
function breakable(name: string): string {
	return name.replace(/(::|[,<>()_/.])/g, '$1\u200b');
}
