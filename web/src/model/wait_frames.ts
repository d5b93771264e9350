// Work and waits in one tree: what was waited at a path is a frame of its own below it, and the paths
// of idle waits stand below one of their own. See src/report/html/html_waits.c.
import type { Data } from './data.ts';
import { PathFrames } from './frames.ts';
import type { Selection } from './selection.ts';
import { CallTree } from './tree.ts';

/** What the time of a frame is. */
export type WaitKind = 'work' | 'waits' | 'idle';

export const hasWaitTree = (data: Data): boolean => data.countOf('waits.parent') > 0;

/** Call paths with one quantity, ns. */
export function readWaitTree(data: Data): CallTree {
	const ns = data.numbers('waits.ns');
	const none = new Float64Array(0);
	return new CallTree({
		...CallTree.placesOf(data, 'waits'), calls: new Float64Array(ns.length), flags: new Uint8Array(ns.length),
		exclusive: [ns], beyond: [none], elsewhere: [new Map()], os: () => [],
	});
}

export class WaitFrames extends PathFrames {
	private readonly kinds: WaitKind[] = ['work'];
	/** Inclusive ns by kind. */
	private readonly sums: Record<WaitKind, Float64Array>;

	constructor(selection: Selection, tree: CallTree) {
		super(selection, tree, true);
		const waits = selection.profile.functionCount;
		for (let i = 1; i < this.size; i++) {
			const above = this.kinds[this.parent(i)]!;
			this.kinds.push(above === 'idle' || super.func(i) === waits + 1 ? 'idle' : super.func(i) === waits ? 'waits' : 'work');
		}
		this.sums = { work: new Float64Array(this.size), waits: new Float64Array(this.size), idle: new Float64Array(this.size) };
		for (let i = this.size; i-- > 0;) {
			this.sums[this.kinds[i]!][i]! += this.value(i, 0, false);
			if (i)
				for (const sums of Object.values(this.sums))
					sums[this.parent(i)]! += sums[i]!;
		}
	}

	waitKind(node: number): WaitKind {
		return this.kinds[node]!;
	}

	nsOf(node: number, kind: WaitKind): number {
		return this.sums[kind][node]!;
	}

	override func(node: number): number {
		const func = super.func(node);
		return func >= this.selection.profile.functionCount ? -1 : func;
	}

	override label(node: number): string {
		return node && this.func(node) < 0 ? (this.kinds[node] === 'idle' ? '[idle]' : '[waits]') : super.label(node);
	}

	/** In ns, whatever the quantity. */
	override value(node: number, _quantity: number, inclusive: boolean): number {
		return super.value(node, 0, inclusive);
	}
}
