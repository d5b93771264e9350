// Which frames of a tree are to be seen in a range of it, and where. Children stand from left to
// right by their value, so that what is too narrow to see is left out at once.
import type { Frames } from '../model/frames.ts';

export interface Box {
	node: number;
	/** In pixels; may lie outside of the view on both sides. */
	left: number;
	width: number;
	depth: number;
}

export interface Range { from: number; to: number } /* of the whole, 0 to 1 */

const NARROWEST = 1; /* pixels */

export class FlameLayout {
	/** Boxes of each depth, from left to right. */
	readonly rows: Box[][] = [];

	constructor(readonly frames: Frames, readonly quantity: number, range: Range, readonly width: number) {
		const total = frames.value(0, quantity, true);
		if (total > 0)
			this.place(0, 0, 1, 0, range);
	}

	private place(node: number, from: number, to: number, depth: number, range: Range): void {
		const scale = this.width / (range.to - range.from);
		const stack: [number, number, number, number][] = [[node, from, to, depth]];
		while (stack.length) {
			const [at, begin, end, level] = stack.pop()!;
			(this.rows[level] ??= []).push({
				node: at, left: (begin - range.from) * scale, width: (end - begin) * scale, depth: level,
			});
			const parentValue = this.frames.value(at, this.quantity, true);
			const below: [number, number, number, number][] = [];
			let x = begin;
			const perValue = parentValue ? (end - begin) / parentValue : 0;
			const children = this.frames.children(at, this.quantity);
			for (let i = 0; i < children.length; i++) {
				const child = children[i]!;
				if (isInCallers(this.frames, child))
					continue;
				const wide = Math.min(this.frames.value(child, this.quantity, true) * perValue, end - x);
				if (wide * scale < NARROWEST || x >= range.to)
					break;
				if (x + wide > range.from)
					below.push([child, x, x + wide, level + 1]);
				x += wide;
			}
			while (below.length)
				stack.push(below.pop()!);
		}
	}

	hit(x: number, depth: number): Box | null {
		const row = this.rows[depth];
		if (!row)
			return null;
		let low = 0;
		let high = row.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (row[middle]!.left + row[middle]!.width <= x)
				low = middle + 1;
			else
				high = middle;
		}
		const box = row[low];
		return box && box.left <= x ? box : null;
	}
}

/** Time of folded paths is in their callers' boxes already. */
const isInCallers = (frames: Frames, node: number): boolean => frames.kind !== 'callers' && frames.isFolded(node);

/** Where a node stands in the whole. */
export function rangeOf(frames: Frames, quantity: number, node: number): Range {
	const path: number[] = [];
	for (let at = node; at > 0; at = frames.parent(at))
		path.push(at);
	let from = 0;
	let to = 1;
	let parent = 0;
	for (const step of path.reverse()) {
		const parentValue = frames.value(parent, quantity, true);
		let x = from;
		for (const child of Array.from(frames.children(parent, quantity))) {
			if (isInCallers(frames, child))
				continue;
			const wide = Math.min(parentValue ? (frames.value(child, quantity, true) / parentValue) * (to - from) : 0, to - x);
			if (child === step) {
				[from, to] = [x, x + wide];
				break;
			}
			x += wide;
		}
		parent = step;
	}
	return { from, to };
}
