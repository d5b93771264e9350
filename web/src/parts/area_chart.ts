// A value over time as an area, with its axes said in text. A part of the time can be chosen: by
// dragging, or with two sliders.
import { h } from '../dom.ts';

const WIDTH = 1000;
const HEIGHT = 110;
const SVG = 'http://www.w3.org/2000/svg';
const DRAGGED = 4; /* pixels that are more than a click */

export interface Span { from: number; to: number } /* bins, the last one included */

export interface AreaChart {
	label: string;
	values: number[];
	/** Text of a value, and of the time at which a bin begins. */
	text(value: number): string;
	time(bin: number): string;
	/** What is chosen now; null: all. Without `onChoose` nothing can be. */
	chosen?: Span | null;
	onChoose?(span: Span | null): void;
}

class Brush {
	readonly shade = h('div.area-shade', { 'aria-hidden': 'true', hidden: true });
	readonly sliders: HTMLElement;
	private readonly inputs: HTMLInputElement[];
	private from = -1;

	constructor(private readonly chart: AreaChart, private readonly plot: HTMLElement, private readonly say: (span: Span | null) => void) {
		const last = chart.values.length - 1;
		const { chosen } = chart;
		const slider = (label: string, value: number) => h('input.area-slider', {
			type: 'range', min: 0, max: last, value, 'aria-label': label, 'aria-valuetext': chart.time(value),
			oninput: (event) => this.slide(event.target as HTMLInputElement), onchange: () => this.choose(this.span()),
		});
		this.inputs = [slider('Time from', chosen ? chosen.from : 0), slider('Time to', chosen ? chosen.to : last)];
		this.sliders = h('div.area-sliders', {}, ...this.inputs);
		plot.addEventListener('pointerdown', (event) => {
			if (event.button !== 0)
				return;
			this.from = event.clientX;
			plot.setPointerCapture(event.pointerId);
		});
		plot.addEventListener('pointermove', (event) => this.from >= 0 && this.show(this.between(this.from, event.clientX)));
		plot.addEventListener('pointerup', (event) => {
			const dragged = Math.abs(event.clientX - this.from) > DRAGGED;
			const span = this.between(this.from, event.clientX);
			this.from = -1;
			this.choose(dragged ? span : null);
		});
		plot.addEventListener('pointercancel', () => { this.from = -1; this.show(chosen ?? null); });
		this.show(chosen ?? null);
	}

	binAt(x: number): number {
		const bounds = this.plot.getBoundingClientRect();
		return Math.min(this.chart.values.length - 1, Math.max(0, Math.floor(((x - bounds.left) / bounds.width) * this.chart.values.length)));
	}

	private between(a: number, b: number): Span {
		return { from: this.binAt(Math.min(a, b)), to: this.binAt(Math.max(a, b)) };
	}

	private span(): Span {
		const [from, to] = this.inputs.map((input) => Number(input.value)) as [number, number];
		return { from: Math.min(from, to), to: Math.max(from, to) };
	}

	private slide(input: HTMLInputElement): void {
		input.setAttribute('aria-valuetext', this.chart.time(Number(input.value) + (input === this.inputs[1] ? 1 : 0)));
		this.show(this.span());
	}

	private show(span: Span | null): void {
		const parts = this.chart.values.length;
		this.shade.hidden = !span;
		if (span) {
			this.shade.style.left = `${(100 * span.from) / parts}%`;
			this.shade.style.width = `${(100 * (span.to + 1 - span.from)) / parts}%`;
		}
		this.say(span);
	}

	private choose(span: Span | null): void {
		const all = span && span.from === 0 && span.to === this.chart.values.length - 1;
		this.chart.onChoose!(all ? null : span);
	}
}

function drawing(chart: AreaChart, most: number): SVGSVGElement {
	const step = WIDTH / chart.values.length;
	const y = (value: number) => (HEIGHT - (value / most) * (HEIGHT - 4)).toFixed(1);
	const line = chart.values.map((value, i) => `${(i * step).toFixed(1)} ${y(value)} ${((i + 1) * step).toFixed(1)} ${y(value)}`).join(' ');
	const svg = document.createElementNS(SVG, 'svg');
	svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
	svg.setAttribute('preserveAspectRatio', 'none');
	svg.setAttribute('role', 'img');
	svg.setAttribute('aria-label', `${chart.label}: at most ${chart.text(most)}`);
	const area = document.createElementNS(SVG, 'polygon');
	area.setAttribute('points', `0 ${HEIGHT} ${line} ${WIDTH} ${HEIGHT}`);
	svg.append(area);
	return svg;
}

export function areaChart(chart: AreaChart): HTMLElement {
	const most = Math.max(...chart.values, 1e-9);
	const read = h('span.muted', { 'aria-hidden': 'true' });
	const chosen = h('span', { role: 'status' });
	const plot = h('div.area-plot', {
		onpointermove: (event) => {
			const bounds = plot.getBoundingClientRect();
			const bin = Math.min(chart.values.length - 1, Math.max(0, Math.floor((((event as PointerEvent).clientX - bounds.left) / bounds.width) * chart.values.length)));
			read.textContent = `${chart.time(bin)}: ${chart.text(chart.values[bin]!)}`;
		},
		onpointerleave: () => { read.textContent = ''; },
	}, drawing(chart, most));
	const brush = chart.onChoose && new Brush(chart, plot, (span) => {
		chosen.textContent = span ? `${chart.time(span.from)} to ${chart.time(span.to + 1)}` : 'Drag to choose a part of the time';
	});
	if (brush)
		plot.append(brush.shade);
	return h('figure.area', {}, h('div.area-head', {}, h('span.muted', {}, `most: ${chart.text(most)}`), chosen, read), plot, brush ? brush.sliders : null,
		h('div.area-axis.muted', {}, h('span', {}, chart.time(0)), h('span', {}, chart.time(chart.values.length / 2)), h('span', {}, chart.time(chart.values.length))));
}
