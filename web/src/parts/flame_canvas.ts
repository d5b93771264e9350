// A flame graph on a canvas: zoom, pan, hover, keyboard. What colours and texts mean is the
// caller's business.
import { announce, h, perFrame } from '../dom.ts';
import { shorten } from '../format.ts';
import type { Frames } from '../model/frames.ts';
import { openMenu, type Action } from './menu.ts';
import { FlameLayout, rangeOf, type Box, type Range } from './flame_layout.ts';

export interface FlamePaint {
	fill(node: number): string;
	/** null: no search is on. */
	matches(node: number): boolean | null;
	describe(node: number): string;
}

export interface FlameOptions {
	label: string;
	tooltip(node: number): Node;
	onSelect(node: number): void;
	onZoom?(node: number): void;
	/** The menu of the right button, Shift+F10 and m. */
	actions?(node: number): Action[];
	/** Stands above another one. */
	above?: boolean;
}

const ROW = 20;
const FONT = '11.5px ui-monospace, "SFMono-Regular", "JetBrains Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';

export class FlameCanvas {
	readonly element: HTMLElement;
	private readonly canvas: HTMLCanvasElement;
	private readonly tip: HTMLElement;
	private frames: Frames | null = null;
	private paint: FlamePaint | null = null;
	private quantity = 0;
	private upward = false; /* flames grow upwards, icicles downwards */
	private range: Range = { from: 0, to: 1 };
	private scroll = 0; /* pixels that the outermost frame is out of sight */
	private layout: FlameLayout | null = null;
	private cursor = 0;
	private first = 0; /* how many of the outermost rows are not shown */
	private hovered = -1;
	private zoomed = 0;
	private animation = 0;
	private drag: { x: number; y: number; range: Range; scroll: number; moved: boolean } | null = null;
	private readonly later = perFrame(() => this.draw());
	private charWidth = 7;
	private viewWidth = 0;
	/** Milliseconds that each of the last frames took to draw. */
	readonly drawTimes: number[] = [];

	constructor(private readonly options: FlameOptions) {
		this.canvas = h('canvas', {
			tabindex: 0, role: 'application', 'aria-roledescription': 'flame graph', 'aria-label': options.label,
		});
		this.tip = h('div.tip', { hidden: true, role: 'tooltip' });
		this.element = h(options.above ? 'div.flame-above' : 'div.flame', {}, this.canvas, this.tip);
		const on = <K extends keyof HTMLElementEventMap>(name: K, listener: (event: HTMLElementEventMap[K]) => void, passive = true) =>
			this.canvas.addEventListener(name, listener, { passive });
		on('pointerdown', (event) => this.onDown(event));
		on('pointermove', (event) => this.onMove(event));
		on('pointerup', (event) => this.onUp(event));
		on('pointerleave', () => this.hover(-1, 0, 0));
		on('dblclick', () => this.zoomTo(this.cursor));
		on('contextmenu', (event) => {
			const box = this.boxAt(event);
			event.preventDefault();
			if (!box)
				return;
			this.cursor = box.node;
			this.options.onSelect(box.node);
			this.openActions({ x: event.clientX, y: event.clientY });
		}, false);
		on('wheel', (event) => this.onWheel(event), false);
		on('keydown', (event) => this.onKey(event), false);
		on('focus', () => this.later());
		on('blur', () => this.later());
		new ResizeObserver(() => this.later()).observe(this.element);
	}

	/** `first`: the depth of the outermost row that is shown. */
	show(frames: Frames, quantity: number, upward: boolean, paint: FlamePaint, first = 0): void {
		const same = this.frames === frames && this.quantity === quantity;
		this.frames = frames;
		this.quantity = quantity;
		this.paint = paint;
		if (this.upward !== upward)
			this.scroll = 0;
		this.upward = upward;
		this.first = first;
		if (!same) {
			this.range = { from: 0, to: 1 };
			this.scroll = 0;
			this.cursor = 0;
			this.zoomed = 0;
			this.layout = null;
		}
		this.hovered = -1;
		this.tip.hidden = true;
		this.later();
	}

	repaint(): void {
		this.later();
	}

	focus(): void {
		this.canvas.focus();
	}

	get zoomNode(): number {
		return this.zoomed;
	}

	reset(): void {
		this.zoomTo(0);
	}

	/** Makes a frame as wide as the view; at once where it has been so before. */
	zoomTo(node: number, again = false): void {
		if (!this.frames)
			return;
		const range = rangeOf(this.frames, this.quantity, node);
		if (range.to - range.from < 1e-13)
			return;
		this.zoomed = node;
		this.cursor = node;
		if (again) {
			this.animation++;
			this.range = range;
			this.later();
		} else {
			this.options.onZoom?.(node);
			this.animate(range);
		}
	}

	/** The frame that the keyboard is at. */
	get current(): number {
		return this.cursor;
	}

	openActions(place?: { x: number; y: number }): void {
		if (!this.options.actions)
			return;
		const box = this.layout?.rows[this.frames!.depth(this.cursor)]?.find((candidate) => candidate.node === this.cursor);
		const bounds = this.canvas.getBoundingClientRect();
		openMenu('Actions for the frame', place ?? { x: bounds.left + Math.max(0, box?.left ?? 0) + 20, y: bounds.top + this.top(box?.depth ?? 0) + ROW }, this.options.actions(this.cursor));
	}

	private animate(target: Range): void {
		const begin = { ...this.range };
		const started = performance.now();
		const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
		const run = ++this.animation;
		const step = (now: number) => {
			if (run !== this.animation)
				return;
			const done = still ? 1 : Math.min(1, (now - started) / 180);
			const ease = done === 1 ? 1 : 1 - (1 - done) ** 3;
			/* Widths change by ratio: zooming in and out feel alike. */
			const wide = (begin.to - begin.from) * ((target.to - target.from) / (begin.to - begin.from)) ** ease;
			const span = begin.to - begin.from - (target.to - target.from);
			const part = Math.abs(span) < 1e-15 ? ease : (begin.to - begin.from - wide) / span;
			const from = begin.from + (target.from - begin.from) * part;
			this.range = done === 1 ? target : { from, to: from + wide };
			this.draw();
			if (done < 1)
				requestAnimationFrame(step);
		};
		requestAnimationFrame(step);
	}

	/* ---- pointer ---- */

	private rowAt(y: number): number {
		const height = this.canvas.clientHeight;
		return Math.floor(((this.upward ? height - y : y) + this.scroll) / ROW) + this.first;
	}

	private boxAt(event: { offsetX: number; offsetY: number }): Box | null {
		return this.layout?.hit(event.offsetX, this.rowAt(event.offsetY)) ?? null;
	}

	private onDown(event: PointerEvent): void {
		if (event.button !== 0)
			return;
		this.drag = { x: event.offsetX, y: event.offsetY, range: this.range, scroll: this.scroll, moved: false };
		this.canvas.setPointerCapture(event.pointerId);
	}

	private onMove(event: PointerEvent): void {
		if (this.drag && event.buttons) {
			const dx = event.offsetX - this.drag.x;
			const dy = event.offsetY - this.drag.y;
			if (this.drag.moved || Math.abs(dx) + Math.abs(dy) > 4) {
				this.drag.moved = true;
				this.pan(this.drag.range, -dx, this.drag.scroll + (this.upward ? dy : -dy));
			}
			return;
		}
		const box = this.boxAt(event);
		this.hover(box ? box.node : -1, event.offsetX, event.offsetY);
	}

	private onUp(event: PointerEvent): void {
		const moved = this.drag?.moved;
		this.drag = null;
		const box = this.boxAt(event);
		if (moved || !box)
			return;
		this.cursor = box.node;
		this.options.onSelect(box.node);
		this.later();
	}

	private onWheel(event: WheelEvent): void {
		event.preventDefault();
		if (event.ctrlKey || event.metaKey)
			this.zoomAt(event.offsetX, Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.004)));
		else
			this.pan(this.range, event.shiftKey ? event.deltaY : event.deltaX,
				event.shiftKey ? this.scroll : this.scroll + (this.upward ? -event.deltaY : event.deltaY));
	}

	private zoomAt(x: number, factor: number): void {
		const wide = this.range.to - this.range.from;
		const at = this.range.from + (x / this.canvas.clientWidth) * wide;
		const next = Math.min(1, Math.max(wide * factor, 1e-9));
		const from = Math.min(Math.max(0, at - ((at - this.range.from) / wide) * next), 1 - next);
		this.animation++;
		this.range = { from, to: from + next };
		this.later();
	}

	private pan(start: Range, pixels: number, scroll: number): void {
		const wide = start.to - start.from;
		const from = Math.min(Math.max(0, start.from + (pixels / this.canvas.clientWidth) * wide), 1 - wide);
		this.animation++;
		this.range = { from, to: from + wide };
		this.scroll = Math.max(0, scroll);
		this.later();
	}

	private hover(node: number, x: number, y: number): void {
		if (node !== this.hovered) {
			this.hovered = node;
			this.tip.hidden = node < 0;
			if (node >= 0)
				this.tip.replaceChildren(this.options.tooltip(node));
			this.later();
		}
		if (node >= 0) {
			const right = x + 24 + this.tip.offsetWidth > this.canvas.clientWidth;
			const low = y + 24 + this.tip.offsetHeight > this.canvas.clientHeight;
			this.tip.style.left = `${right ? Math.max(4, x - 12 - this.tip.offsetWidth) : x + 14}px`;
			this.tip.style.top = `${low ? Math.max(4, y - 10 - this.tip.offsetHeight) : y + 16}px`;
		}
	}

	/* ---- keyboard ---- */

	private onKey(event: KeyboardEvent): void {
		if (!this.frames || event.altKey || event.ctrlKey || event.metaKey)
			return;
		const inward = this.upward ? 'ArrowUp' : 'ArrowDown';
		const outward = this.upward ? 'ArrowDown' : 'ArrowUp';
		if (event.key === inward)
			this.go(this.firstChild(this.cursor));
		else if (event.key === outward)
			this.go(this.cursor ? this.frames.parent(this.cursor) : 0);
		else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft')
			this.go(this.neighbour(event.key === 'ArrowRight' ? 1 : -1));
		else if (event.key === 'Enter' || event.key === ' ')
			this.zoomTo(this.cursor);
		else if (event.key === 'Escape' || event.key === 'Home' || event.key === '0')
			this.reset();
		else if (event.key === 'Backspace')
			this.zoomTo(this.zoomed ? this.frames.parent(this.zoomed) : 0);
		else if (event.key === 'ContextMenu' || event.key === 'm' || (event.key === 'F10' && event.shiftKey))
			this.openActions();
		else if (event.key === '+' || event.key === '-')
			this.zoomAt(this.canvas.clientWidth / 2, event.key === '+' ? 0.7 : 1 / 0.7);
		else
			return;
		event.preventDefault();
	}

	private firstChild(node: number): number {
		const next = this.layout?.rows[this.frames!.depth(node) + 1]?.find((box) => this.frames!.parent(box.node) === node);
		return next ? next.node : node;
	}

	private neighbour(step: number): number {
		const row = this.layout?.rows[this.frames!.depth(this.cursor)] ?? [];
		const place = row.findIndex((box) => box.node === this.cursor);
		return place < 0 ? this.cursor : (row[place + step]?.node ?? this.cursor);
	}

	private go(node: number): void {
		this.cursor = node;
		const depth = this.frames!.depth(node);
		const rows = Math.floor(this.canvas.clientHeight / ROW);
		this.scroll = Math.min(Math.max(this.scroll, (depth - rows + 2) * ROW), depth * ROW);
		this.scroll = Math.max(0, this.scroll);
		const range = rangeOf(this.frames!, this.quantity, node);
		if (range.from >= this.range.to || range.to <= this.range.from)
			this.zoomTo(this.frames!.parent(node));
		this.options.onSelect(node);
		announce(this.paint!.describe(node));
		this.later();
	}

	/* ---- drawing ---- */

	private draw(): void {
		const { frames, paint, canvas } = this;
		const width = canvas.clientWidth;
		const height = canvas.clientHeight;
		if (!frames || !paint || !width || !height)
			return;
		const started = performance.now();
		this.viewWidth = width;
		const ratio = window.devicePixelRatio || 1;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
		}
		const context = canvas.getContext('2d')!;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		context.font = FONT;
		context.textBaseline = 'middle';
		this.charWidth = context.measureText('MMMMMMMMMM').width / 10;
		this.layout = new FlameLayout(frames, this.quantity, this.range, width);
		const deepest = Math.max(0, (this.layout.rows.length - this.first) * ROW - height);
		this.scroll = Math.min(this.scroll, deepest);
		const colors = readColors(canvas);
		const focused = document.activeElement === canvas;
		this.layout.rows.forEach((row, depth) => {
			const y = this.top(depth);
			if (depth >= this.first && y + ROW >= 0 && y <= height)
				for (const box of row)
					this.drawBox(context, box, y, colors);
		});
		this.outline(context, this.hovered, colors, 1);
		if (focused)
			this.outline(context, this.cursor, colors, 2);
		this.drawTimes.push(performance.now() - started);
		if (this.drawTimes.length > 600)
			this.drawTimes.shift();
	}

	private drawBox(context: CanvasRenderingContext2D, box: Box, y: number, colors: Colors): void {
		const width = this.viewWidth;
		const left = Math.max(0, box.left);
		const right = Math.min(width, box.left + box.width);
		const paint = this.paint!;
		const matches = paint.matches(box.node);
		const gap = right - left > 3 ? 1 : 0;
		context.globalAlpha = matches === false ? 0.4 : 1;
		context.fillStyle = matches ? colors.match : paint.fill(box.node);
		context.fillRect(left, y, Math.max(right - left - gap, 0.5), ROW - 1);
		context.globalAlpha = 1;
		const characters = Math.floor((right - left - 8) / this.charWidth);
		if (characters >= 4) {
			context.fillStyle = matches ? colors.matchText : matches === false ? colors.faint : colors.text;
			context.fillText(shorten(this.frames!.label(box.node), characters), left + 4, y + ROW / 2);
		}
	}

	private top(outermost: number): number {
		const depth = outermost - this.first;
		return this.upward ? this.canvas.clientHeight - (depth + 1) * ROW + this.scroll : depth * ROW - this.scroll;
	}

	private outline(context: CanvasRenderingContext2D, node: number, colors: Colors, wide: number): void {
		const box = node < 0 ? undefined : this.layout?.rows[this.frames!.depth(node)]?.find((candidate) => candidate.node === node);
		if (!box)
			return;
		const left = Math.max(0, box.left);
		const right = Math.min(this.canvas.clientWidth, box.left + box.width);
		context.strokeStyle = colors.outline;
		context.lineWidth = wide;
		context.strokeRect(left + 1, this.top(box.depth) + 1, Math.max(right - left - 3, 1), ROW - 3);
	}
}

interface Colors { text: string; faint: string; match: string; matchText: string; outline: string }

function readColors(element: Element): Colors {
	const style = getComputedStyle(element);
	const read = (name: string) => style.getPropertyValue(name).trim();
	return {
		text: read('--flame-text'), faint: read('--flame-faint'), match: read('--match'),
		matchText: read('--match-text'), outline: read('--text'),
	};
}
