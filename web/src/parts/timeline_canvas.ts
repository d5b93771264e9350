// Lanes of threads over time on a canvas within a scroller: only those in sight are drawn. Zoom, pan, a
// part of the time that is chosen, keyboard. What lanes stand for and texts are the caller's business.
import { announce, h, perFrame } from '../dom.ts';
import { shorten } from '../format.ts';
import type { LaneRow } from '../model/lane_rows.ts';
import { STATE_COUNT } from '../model/states.ts';
import { LanePixels, pixelOf } from './lane_pixels.ts';
import { axisOf, windowAt, zoomed, type Window } from './time_axis.ts';

export interface TimelineOptions {
	label: string;
	/** In ticks. */
	duration: number;
	ns(ticks: number): number;
	rows(): LaneRow[];
	/** STATE_COUNT shares a part, and how many threads would fill one. */
	fill(row: LaneRow, window: Window, parts: number): { shares: Float32Array; whole: number };
	/** Calls of a row of these within the window; what is shorter than `step` ticks may stand for others. */
	boxes(row: LaneRow, window: Window, step: number): Iterable<TimeBox>;
	marks: TimeMark[];
	/** The stretch of a row that a time is in. */
	stretchAt(row: LaneRow, time: number): Window | null;
	tooltip(row: LaneRow, time: number | null): Node;
	describe(row: LaneRow, time: number): string;
	onToggle(row: LaneRow, open: boolean): void;
	onSelect(row: LaneRow, time: number): void;
	onRange(range: Window | null): void;
	onMenu(row: LaneRow, time: number, place: { x: number; y: number }): void;
}

export interface TimeBox { from: number; to: number; label: string; color: string }
/** `thread` -1: of none. */
export interface TimeMark { ticks: number; title: string; thread: number }

const ROW = 20;
const LANE = 14;
const AXIS = 24;
const LABELS = 230;
const INDENT = 12;
const DRAGGED = 4; /* pixels that are more than a click */
const LEAST = 64; /* ticks in sight */
const NEAR = 5; /* pixels to a mark that the pointer is at */
const FONT = '11.5px ui-monospace, "SFMono-Regular", "JetBrains Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';

interface Colors { states: Uint32Array; grid: number; text: string; muted: string; line: string; accent: string; flame: string }

export class TimelineCanvas {
	readonly element: HTMLElement;
	/** Milliseconds that each of the last frames took to draw. */
	readonly drawTimes: number[] = [];
	private readonly canvas: HTMLCanvasElement;
	private readonly space: HTMLElement;
	private readonly tip = h('div.tip', { hidden: true, role: 'tooltip' });
	private readonly scroller: HTMLElement;
	private readonly pixels = new LanePixels();
	private readonly later = perFrame(() => this.draw());
	private window: Window;
	private range: Window | null = null;
	private cursor = { row: 0, time: 0 };
	private anchor: Window | null = null; /* where a range of the keyboard began */
	private drag: { x: number; from: number; window: Window; pans: boolean; moved: boolean } | null = null;
	private colors: Colors | null = null;
	private charWidth = 7;

	constructor(private readonly options: TimelineOptions) {
		this.window = { from: 0, to: options.duration };
		this.canvas = h('canvas', { tabindex: 0, role: 'application', 'aria-roledescription': 'timeline', 'aria-label': options.label });
		this.space = h('div.lanes-space', {}, this.canvas);
		this.scroller = h('div.lanes-scroller', { onscroll: () => this.later() }, this.space);
		this.element = h('div.timeline', {}, this.scroller, this.tip);
		const on = <K extends keyof HTMLElementEventMap>(name: K, listener: (event: HTMLElementEventMap[K]) => void, passive = true) =>
			this.canvas.addEventListener(name, listener, { passive });
		on('pointerdown', (event) => this.onDown(event));
		on('pointermove', (event) => this.onMove(event));
		on('pointerup', (event) => this.onUp(event));
		on('pointercancel', () => { this.drag = null; this.later(); });
		on('pointerleave', () => { this.tip.hidden = true; });
		on('dblclick', (event) => this.onDouble(event));
		on('contextmenu', (event) => this.onMenu(event), false);
		on('wheel', (event) => this.onWheel(event), false);
		on('keydown', (event) => this.onKey(event), false);
		on('focus', () => this.later());
		on('blur', () => this.later());
		new ResizeObserver(() => this.later()).observe(this.element);
	}

	/** Rows or the range have changed. */
	show(range: Window | null): void {
		this.range = range;
		this.cursor.row = Math.min(this.cursor.row, Math.max(0, this.options.rows().length - 1));
		this.space.style.height = `${AXIS + this.options.rows().length * ROW}px`;
		this.later();
	}

	repaint(): void {
		this.colors = null;
		this.later();
	}

	focus(): void {
		this.canvas.focus({ preventScroll: true });
	}

	get inSight(): Window {
		return this.window;
	}

	zoomTo(window: Window): void {
		this.window = windowAt(window.from, window.to - window.from, this.options.duration, LEAST);
		this.later();
	}

	reset(): void {
		this.zoomTo({ from: 0, to: this.options.duration });
	}

	/* ---- places ---- */

	private get plotWidth(): number {
		return Math.max(1, this.canvas.clientWidth - this.labelWidth);
	}

	private get labelWidth(): number {
		return Math.min(LABELS, Math.round(this.canvas.clientWidth * 0.35));
	}

	private timeAt(x: number): number {
		const { from, to } = this.window;
		return from + ((x - this.labelWidth) / this.plotWidth) * (to - from);
	}

	private xOf(time: number): number {
		const { from, to } = this.window;
		return this.labelWidth + ((time - from) / (to - from)) * this.plotWidth;
	}

	private rowAt(y: number): number {
		const row = Math.floor((y - AXIS + this.scroller.scrollTop) / ROW);
		return y < AXIS || row >= this.options.rows().length ? -1 : row;
	}

	private clamp(time: number): number {
		return Math.min(this.options.duration, Math.max(0, time));
	}

	/* ---- pointer ---- */

	private onDown(event: PointerEvent): void {
		if (event.button !== 0 || event.offsetX < this.labelWidth)
			return;
		this.drag = { x: event.offsetX, from: this.clamp(this.timeAt(event.offsetX)), window: this.window, pans: event.shiftKey, moved: false };
		this.canvas.setPointerCapture(event.pointerId);
	}

	private onMove(event: PointerEvent): void {
		const { drag } = this;
		if (!drag || !event.buttons) {
			this.hover(event.offsetX, event.offsetY);
			return;
		}
		drag.moved ||= Math.abs(event.offsetX - drag.x) > DRAGGED;
		if (!drag.moved)
			return;
		this.tip.hidden = true;
		if (drag.pans)
			this.pan(drag.window, drag.x - event.offsetX);
		else
			this.range = this.between(drag.from, this.clamp(this.timeAt(event.offsetX)));
		this.later();
	}

	private onUp(event: PointerEvent): void {
		const { drag } = this;
		const row = this.rowAt(event.offsetY);
		this.drag = null;
		if (drag?.moved) {
			if (!drag.pans)
				this.options.onRange(this.range);
			return;
		}
		if (row < 0) {
			if (drag)
				this.options.onRange(null);
			return;
		}
		const lane = this.options.rows()[row]!;
		this.cursor = { row, time: drag ? drag.from : this.cursor.time };
		if (drag)
			this.options.onSelect(lane, drag.from);
		else if (event.button === 0 && lane.key)
			this.options.onToggle(lane, !lane.open);
		this.later();
	}

	private onDouble(event: MouseEvent): void {
		const row = this.rowAt(event.offsetY);
		if (row >= 0 && event.offsetX >= this.labelWidth)
			this.zoomToStretch(this.options.rows()[row]!, this.clamp(this.timeAt(event.offsetX)));
	}

	private onMenu(event: MouseEvent): void {
		const row = this.rowAt(event.offsetY);
		event.preventDefault();
		if (row < 0)
			return;
		this.cursor = { row, time: event.offsetX < this.labelWidth ? this.cursor.time : this.clamp(this.timeAt(event.offsetX)) };
		this.later();
		this.options.onMenu(this.options.rows()[row]!, this.cursor.time, { x: event.clientX, y: event.clientY });
	}

	/** The scroller's own scrolling goes through lanes. */
	private onWheel(event: WheelEvent): void {
		const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
		if (event.ctrlKey || event.metaKey)
			this.zoomAt(this.timeAt(event.offsetX), Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.004)));
		else if (Math.abs(across) > (event.shiftKey ? 0 : Math.abs(event.deltaY)))
			this.pan(this.window, across);
		else
			return;
		event.preventDefault();
	}

	private zoomAt(time: number, factor: number): void {
		this.window = zoomed(this.window, this.clamp(time), factor, this.options.duration, LEAST);
		this.tip.hidden = true;
		this.later();
	}

	private pan(start: Window, pixels: number): void {
		const wide = start.to - start.from;
		this.window = windowAt(start.from + (pixels / this.plotWidth) * wide, wide, this.options.duration, LEAST);
		this.tip.hidden = true;
		this.later();
	}

	private between(a: number, b: number): Window {
		return { from: Math.min(a, b), to: Math.max(a, b) };
	}

	private zoomToStretch(row: LaneRow, time: number): void {
		const stretch = this.options.stretchAt(row, time);
		if (!stretch)
			return;
		const around = Math.max((stretch.to - stretch.from) * 0.25, LEAST);
		this.zoomTo({ from: stretch.from - around, to: stretch.to + around });
	}

	private hover(x: number, y: number): void {
		const row = this.rowAt(y);
		const mark = y < AXIS ? this.markNear(x) : null;
		this.tip.hidden = row < 0 && !mark;
		if (this.tip.hidden)
			return;
		this.tip.replaceChildren(mark ? h('strong.name', {}, mark.title) : this.options.tooltip(this.options.rows()[row]!, x < this.labelWidth ? null : this.clamp(this.timeAt(x))));
		const right = x + 24 + this.tip.offsetWidth > this.canvas.clientWidth;
		const low = y + 24 + this.tip.offsetHeight > this.canvas.clientHeight;
		this.tip.style.left = `${right ? Math.max(4, x - 12 - this.tip.offsetWidth) : x + 14}px`;
		this.tip.style.top = `${low ? Math.max(4, y - 10 - this.tip.offsetHeight) : y + 16}px`;
	}

	private markNear(x: number): TimeMark | null {
		return this.options.marks.find(({ ticks }) => Math.abs(this.xOf(ticks) - x) <= NEAR) ?? null;
	}

	/* ---- keyboard ---- */

	private onKey(event: KeyboardEvent): void {
		const row = this.options.rows()[this.cursor.row];
		if (!row || event.altKey || event.ctrlKey || event.metaKey)
			return;
		const page = Math.max(1, Math.floor((this.scroller.clientHeight - AXIS) / ROW) - 1);
		const keys: Record<string, () => void> = {
			ArrowDown: () => this.goRow(1), ArrowUp: () => this.goRow(-1), PageDown: () => this.goRow(page), PageUp: () => this.goRow(-page),
			ArrowRight: () => this.goTime(row, 1, event.shiftKey), ArrowLeft: () => this.goTime(row, -1, event.shiftKey),
			Home: () => this.goTo(0), End: () => this.goTo(this.options.duration),
			'+': () => this.zoomAt(this.cursor.time, 0.6), '=': () => this.zoomAt(this.cursor.time, 0.6), '-': () => this.zoomAt(this.cursor.time, 1 / 0.6),
			Enter: () => (row.key ? this.options.onToggle(row, !row.open) : this.zoomToStretch(row, this.cursor.time)),
			Backspace: () => this.reset(), Escape: () => (this.range ? this.options.onRange(null) : this.reset()),
			n: () => this.goMark(1), p: () => this.goMark(-1),
			m: () => this.menuAtCursor(row), ContextMenu: () => this.menuAtCursor(row),
		};
		keys[' '] = keys['Enter']!;
		if (event.key === 'F10' && event.shiftKey)
			keys['F10'] = () => this.menuAtCursor(row);
		if (!event.shiftKey)
			this.anchor = null;
		const action = keys[event.key];
		if (!action)
			return;
		action();
		event.preventDefault();
		event.stopPropagation();
	}

	private menuAtCursor(row: LaneRow): void {
		const bounds = this.canvas.getBoundingClientRect();
		const x = Math.min(Math.max(this.xOf(this.cursor.time), this.labelWidth), this.canvas.clientWidth - 20);
		this.options.onMenu(row, this.cursor.time, { x: bounds.left + x, y: bounds.top + AXIS + (this.cursor.row + 1) * ROW - this.scroller.scrollTop });
	}

	private goRow(step: number): void {
		const rows = this.options.rows();
		this.cursor.row = Math.min(rows.length - 1, Math.max(0, this.cursor.row + step));
		const top = this.cursor.row * ROW;
		const room = this.scroller.clientHeight - AXIS;
		this.scroller.scrollTop = Math.min(Math.max(this.scroller.scrollTop, top + ROW - room), top);
		this.tell();
	}

	/** To the stretch before or behind; with Shift, the range grows to it. */
	private goTime(row: LaneRow, step: number, extend: boolean): void {
		const stretch = this.options.stretchAt(row, this.cursor.time) ?? { from: this.cursor.time, to: this.cursor.time };
		const next = this.options.stretchAt(row, step > 0 ? stretch.to : stretch.from - 1e-3) ?? (step > 0 ? { from: stretch.to, to: stretch.to } : { from: stretch.from, to: stretch.from });
		if (extend) {
			this.anchor ??= this.options.stretchAt(row, this.cursor.time) ?? stretch;
			this.options.onRange(this.between(Math.min(this.anchor.from, next.from), Math.max(this.anchor.to, next.to)));
		}
		this.goTo((next.from + next.to) / 2);
	}

	/** To the mark behind or before. */
	private goMark(step: number): void {
		const { marks } = this.options;
		const { time } = this.cursor;
		const mark = step > 0 ? marks.find(({ ticks }) => ticks > time) : marks.filter(({ ticks }) => ticks < time).at(-1);
		if (!mark)
			return;
		const row = mark.thread < 0 ? -1 : this.options.rows().findIndex(({ kind, threads }) => kind === 'thread' && threads[0] === mark.thread);
		if (row >= 0)
			this.cursor.row = row;
		this.goTo(mark.ticks);
		announce(mark.title);
	}

	private goTo(time: number): void {
		const { from, to } = this.window;
		this.cursor.time = this.clamp(time);
		if (time < from || time > to)
			this.window = windowAt(time - (to - from) / 2, to - from, this.options.duration, LEAST);
		this.tell();
	}

	private tell(): void {
		const row = this.options.rows()[this.cursor.row]!;
		const text = this.options.describe(row, this.cursor.time);
		this.options.onSelect(row, this.cursor.time);
		announce(text);
		this.later();
	}

	/* ---- drawing ---- */

	private draw(): void {
		const { canvas } = this;
		/* The canvas stays in sight: it is as tall as its scroller, and sticks to its top. */
		const height = this.scroller.clientHeight;
		const width = this.scroller.clientWidth;
		if (!width || !height)
			return;
		const started = performance.now();
		const ratio = window.devicePixelRatio || 1;
		canvas.style.height = `${height}px`;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
		}
		const context = canvas.getContext('2d')!;
		this.colors ??= readColors(context, canvas);
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.font = FONT;
		context.textBaseline = 'middle';
		this.charWidth = context.measureText('MMMMMMMMMM').width / 10;
		this.drawLanes(context, ratio);
		this.drawCalls(context, width, height);
		this.drawMarks(context);
		this.drawLabels(context, width, height);
		this.drawAxis(context, width);
		this.drawRange(context, height);
		this.drawCursor(context, width, height);
		this.drawTimes.push(performance.now() - started);
		if (this.drawTimes.length > 600)
			this.drawTimes.shift();
	}

	private inSightRows(): { row: LaneRow; index: number; top: number }[] {
		const rows = this.options.rows();
		const first = Math.floor(this.scroller.scrollTop / ROW);
		const last = Math.min(rows.length - 1, Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight - AXIS) / ROW));
		const shown = [];
		for (let index = first; index <= last; index++)
			shown.push({ row: rows[index]!, index, top: AXIS + index * ROW - this.scroller.scrollTop });
		return shown;
	}

	private drawLanes(context: CanvasRenderingContext2D, ratio: number): void {
		const { canvas, pixels } = this;
		const left = Math.round(this.labelWidth * ratio);
		const width = canvas.width - left;
		const height = Math.round(LANE * ratio);
		const above = Math.round(AXIS * ratio);
		pixels.begin(context, canvas.width, canvas.height);
		for (const { x } of this.axis())
			pixels.line(Math.round(x * ratio), above, this.colors!.grid);
		for (const { row, top } of this.inSightRows()) {
			if (row.kind === 'calls')
				continue;
			const { shares, whole } = this.options.fill(row, this.window, width);
			pixels.lane({ left, width, top: Math.round((top + (ROW - LANE) / 2) * ratio), height }, above, shares, whole, this.colors!.states);
		}
		pixels.put(context);
	}

	/** From the names on, below the axis. */
	private clipToPlot(context: CanvasRenderingContext2D, width: number, height: number): void {
		context.save();
		context.beginPath();
		context.rect(this.labelWidth, AXIS, width - this.labelWidth, height - AXIS);
		context.clip();
	}

	private drawCalls(context: CanvasRenderingContext2D, width: number, height: number): void {
		const { from, to } = this.window;
		const step = (to - from) / this.plotWidth;
		this.clipToPlot(context, width, height);
		for (const { row, top } of this.inSightRows()) {
			if (row.kind !== 'calls')
				continue;
			for (const box of this.options.boxes(row, this.window, step)) {
				const left = Math.max(this.xOf(box.from), this.labelWidth - 1);
				const wide = Math.max(1, Math.min(this.xOf(box.to), width + 1) - left);
				context.fillStyle = box.color;
				context.fillRect(left, top + 1, wide > 3 ? wide - 1 : wide, ROW - 2);
				if (wide < 6 * this.charWidth)
					continue;
				context.fillStyle = this.colors!.flame;
				context.fillText(shorten(box.label, Math.floor((wide - 8) / this.charWidth)), left + 4, top + ROW / 2);
			}
		}
		context.restore();
	}

	/** Lines through the lanes of their thread, and a sign on the axis. */
	private drawMarks(context: CanvasRenderingContext2D): void {
		const { from, to } = this.window;
		const rows = this.options.marks.length ? this.inSightRows().map(({ row, top }) => ({ threads: new Set(row.threads), top })) : [];
		const seen = new Set<string>();
		context.fillStyle = this.colors!.accent;
		for (const { ticks, thread } of this.options.marks) {
			const x = Math.round(this.xOf(ticks));
			if (ticks < from || ticks > to || seen.has(`${x} ${thread}`))
				continue;
			seen.add(`${x} ${thread}`);
			for (const { threads, top } of rows)
				if (top >= AXIS && (thread < 0 || threads.has(thread)))
					context.fillRect(x - 1, top, 2, ROW);
			context.beginPath();
			context.moveTo(x - 4, AXIS - 8);
			context.lineTo(x + 4, AXIS - 8);
			context.lineTo(x, AXIS - 1);
			context.fill();
		}
	}

	private drawLabels(context: CanvasRenderingContext2D, width: number, height: number): void {
		const colors = this.colors!;
		const room = this.labelWidth;
		context.save();
		context.beginPath();
		context.rect(0, AXIS, width, height - AXIS);
		context.clip();
		for (const { row, top } of this.inSightRows()) {
			const x = 10 + row.level * INDENT;
			context.fillStyle = colors.line;
			context.fillRect(room, top + ROW - 1, width - room, 1);
			if (row.key) {
				context.fillStyle = colors.muted;
				context.fillText(row.open ? '▾' : '▸', x, top + ROW / 2);
			}
			context.fillStyle = colors.text;
			context.fillText(shorten(row.title, Math.floor((room - x - 22) / this.charWidth)), x + 14, top + ROW / 2);
		}
		context.restore();
	}

	/** Times that are marked, with their places. */
	private axis(): { x: number; text: string }[] {
		const { ns, duration } = this.options;
		const perNs = duration / Math.max(1e-9, ns(duration));
		return axisOf(ns(this.window.from), ns(this.window.to), this.plotWidth / 110).map(({ at, text }) => ({ x: Math.round(this.xOf(at * perNs)), text }));
	}

	private drawAxis(context: CanvasRenderingContext2D, width: number): void {
		const colors = this.colors!;
		for (const { x, text } of this.axis()) {
			const long = context.measureText(text).width;
			context.fillStyle = colors.line;
			context.fillRect(x, AXIS - 6, 1, 6);
			context.fillStyle = colors.muted;
			context.fillText(text, Math.min(x + 4, width - long - 2), AXIS / 2);
		}
		context.fillStyle = colors.line;
		context.fillRect(0, AXIS - 1, width, 1);
	}

	private drawRange(context: CanvasRenderingContext2D, height: number): void {
		if (!this.range)
			return;
		const left = Math.max(this.labelWidth, this.xOf(this.range.from));
		const right = Math.min(this.labelWidth + this.plotWidth, this.xOf(this.range.to));
		if (right < left)
			return;
		context.fillStyle = this.colors!.accent;
		context.globalAlpha = 0.16;
		context.fillRect(left, 0, Math.max(1, right - left), height);
		context.globalAlpha = 1;
		context.fillRect(left, 0, 2, height);
		context.fillRect(right - 2, 0, 2, height);
	}

	private drawCursor(context: CanvasRenderingContext2D, width: number, height: number): void {
		if (document.activeElement !== this.canvas)
			return;
		const top = AXIS + this.cursor.row * ROW - this.scroller.scrollTop;
		const x = this.xOf(this.cursor.time);
		context.strokeStyle = this.colors!.text;
		context.lineWidth = 1.5;
		if (top >= AXIS - ROW && top <= height)
			context.strokeRect(2, top + 1, width - 4, ROW - 3);
		context.fillStyle = this.colors!.text;
		if (x >= this.labelWidth)
			context.fillRect(x, AXIS, 1, height);
	}
}

function readColors(context: CanvasRenderingContext2D, element: Element): Colors {
	const style = getComputedStyle(element);
	const read = (name: string) => style.getPropertyValue(name).trim();
	return {
		states: Uint32Array.from({ length: STATE_COUNT }, (_, state) => pixelOf(context, read(`--state-${state}`))),
		grid: pixelOf(context, read('--line')), text: read('--text'), muted: read('--muted'), line: read('--line'), accent: read('--accent'), flame: read('--flame-text'),
	};
}
