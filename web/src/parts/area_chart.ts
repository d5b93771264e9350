// A value over time as an area, with its axes said in text.
import { h } from '../dom.ts';

const WIDTH = 1000;
const HEIGHT = 110;
const SVG = 'http://www.w3.org/2000/svg';

export interface AreaChart {
	label: string;
	values: number[];
	/** Text of a value, and of the time at which a bin begins. */
	text(value: number): string;
	time(bin: number): string;
}

export function areaChart(chart: AreaChart): HTMLElement {
	const most = Math.max(...chart.values, 1e-9);
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
	const read = h('span.muted', { 'aria-hidden': 'true' });
	const plot = h('div.area-plot', {
		onpointermove: (event) => {
			const bounds = plot.getBoundingClientRect();
			const bin = Math.min(chart.values.length - 1, Math.max(0, Math.floor((((event as PointerEvent).clientX - bounds.left) / bounds.width) * chart.values.length)));
			read.textContent = `${chart.time(bin)}: ${chart.text(chart.values[bin]!)}`;
		},
		onpointerleave: () => { read.textContent = ''; },
	});
	plot.append(svg);
	return h('figure.area', {}, h('div.area-head', {}, h('span.muted', {}, `most: ${chart.text(most)}`), read), plot,
		h('div.area-axis.muted', {}, h('span', {}, chart.time(0)), h('span', {}, chart.time(chart.values.length / 2)), h('span', {}, chart.time(chart.values.length))));
}
