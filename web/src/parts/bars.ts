// Small charts: lists of bars, one bar of parts, time lines. Each says its numbers in text too.
import { characterWidth, h } from '../dom.ts';
import { percent, shorten } from '../format.ts';

export interface Part { title: string; value: number; text: string; color: string }

/** One bar that is divided, with a legend below. */
export function stackedBar(label: string, parts: Part[]): HTMLElement {
	const total = parts.reduce((sum, part) => sum + part.value, 0);
	const shown = parts.filter((part) => part.value > 0);
	return h('figure.stack', { 'aria-label': label },
		h('div.stack-bar', { 'aria-hidden': 'true' }, ...shown.map((part) => h('span', {
			style: `flex:${part.value / total};background:${part.color}`, title: `${part.title}: ${part.text}`,
		}))),
		h('dl.legend', {}, ...shown.map((part) => h('div', {},
			h('dt', {}, h('i', { style: `background:${part.color}`, 'aria-hidden': 'true' }), part.title),
			h('dd', {}, part.text, h('span.muted', {}, ` ${percent(part.value / total)} %`))))));
}

export interface Bar { label: string; title?: string; share: number; text: string; detail?: string; color?: string; indent?: number; onclick?: () => void }

/** `width`: pixels of the list, where labels are to be shortened in the middle to fit. */
export function barList(label: string, bars: Bar[], empty: string, width = 0): HTMLElement {
	if (!bars.length)
		return h('p.empty', {}, empty);
	return h('ol.bars', { 'aria-label': label }, ...bars.map((bar) => {
		const content = [
			h('span.bar-fill', { style: `width:${Math.min(100, 100 * bar.share).toFixed(2)}%${bar.color ? `;background:${bar.color}` : ''}`, 'aria-hidden': 'true' }),
			h('span.bar-label.name', { style: bar.indent ? `padding-left:${bar.indent * 10}px` : null }, width ? fit(bar, width) : bar.label),
			bar.detail ? h('span.bar-detail', {}, bar.detail) : null,
			h('span.bar-text', {}, bar.text),
		];
		return h('li', {}, bar.onclick ?
			h('button.bar-row', { type: 'button', title: bar.title ?? bar.label, onclick: bar.onclick }, ...content) :
			h('div.bar-row', { title: bar.title ?? bar.label }, ...content));
	}));
}

function fit(bar: Bar, width: number): string {
	const others = (bar.text.length + (bar.detail?.length ?? 0)) * 6.6 + 44;
	return shorten(bar.label, Math.max(8, Math.floor((width - others) / characterWidth())));
}
