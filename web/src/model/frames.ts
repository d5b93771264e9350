// Trees as the views show them: a session's processes and threads above the call paths, all
// threads merged into one tree, or call paths from their inner end (callers below callees). All
// are the same to a view: nodes with numbers, children on demand.
import type { Selection } from './selection.ts';

export type FramesKind = 'threads' | 'merged' | 'callers';

export interface Frames {
	readonly selection: Selection;
	readonly kind: FramesKind;
	/** 0 is the session, whose values are those of all. */
	parent(node: number): number;
	depth(node: number): number;
	/** -1 where the node is no function. */
	func(node: number): number;
	label(node: number): string;
	calls(node: number): number;
	value(node: number, quantity: number, inclusive: boolean): number;
	/** Descending by the inclusive value of that quantity. */
	children(node: number, quantity: number): ArrayLike<number>;
	hasChildren(node: number): boolean;
	isFolded(node: number): boolean;
	isDisarmed(node: number): boolean;
	/** All nodes that exist now, parents first. */
	readonly size: number;
}

/** Lists of children, sorted when they are asked for. */
abstract class Sorted {
	private sorted: Map<number, number[]>[] = [];
	protected abstract unsorted(node: number): number[];
	abstract value(node: number, quantity: number, inclusive: boolean): number;

	children(node: number, quantity: number): number[] {
		const known = (this.sorted[quantity] ??= new Map());
		let list = known.get(node);
		if (!list) {
			list = this.unsorted(node);
			const keys = new Map(list.map((child) => [child, this.value(child, quantity, true)]));
			list.sort((a, b) => keys.get(b)! - keys.get(a)! || a - b);
			known.set(node, list);
		}
		return list;
	}
}

/** Processes, threads and call paths; or these paths merged over all threads. */
class PathFrames extends Sorted implements Frames {
	readonly kind: FramesKind;
	private readonly parents: number[] | Int32Array;
	private readonly funcs: number[] | Int32Array;
	private readonly labels = new Map<number, string>();
	private readonly depths: number[] = [];
	private readonly callCounts: Float64Array;
	private readonly inclusive: Float64Array[];
	private readonly exclusive: Float64Array[];
	private readonly first: Int32Array;
	private readonly next: Int32Array;
	private readonly flags: Uint8Array;
	readonly size: number;

	constructor(readonly selection: Selection, merged: boolean) {
		super();
		this.kind = merged ? 'merged' : 'threads';
		const { tree } = selection.profile;
		const nodeOf = merged ? this.placeMerged() : this.placeThreads();
		this.parents = nodeOf.parents;
		this.funcs = nodeOf.funcs;
		this.size = nodeOf.parents.length;
		this.callCounts = new Float64Array(this.size);
		this.flags = new Uint8Array(this.size);
		this.inclusive = tree.inclusive.map(() => new Float64Array(this.size));
		this.exclusive = tree.exclusive.map(() => new Float64Array(this.size));
		for (let i = 0; i < tree.count; i++) {
			const node = nodeOf.place[i]!;
			if (node < 0)
				continue;
			this.callCounts[node]! += tree.calls[i]!;
			if (tree.isFolded(i))
				this.flags[node]! |= 1;
			if (tree.isDisarmed(i))
				this.flags[node]! |= 2;
			for (let q = 0; q < this.inclusive.length; q++) {
				this.inclusive[q]![node]! += tree.inclusive[q]![i]!;
				this.exclusive[q]![node]! += tree.exclusive[q]![i]!;
			}
		}
		this.first = new Int32Array(this.size).fill(-1);
		this.next = new Int32Array(this.size).fill(-1);
		for (let i = this.size; i-- > 1;) {
			const parent = this.parents[i]!;
			this.next[i] = this.first[parent]!;
			this.first[parent] = i;
		}
		for (let i = 0; i < this.size; i++)
			this.depths.push(i ? this.depths[this.parents[i]!]! + 1 : 0);
		this.sumAbove(merged);
	}

	/** The session's values, and those of processes, are the sums of what is below. */
	private sumAbove(merged: boolean): void {
		for (let q = 0; q < this.inclusive.length; q++) {
			const inclusive = this.inclusive[q]!;
			if (!merged)
				for (let i = this.size; i-- > 1;)
					if (this.depths[i] === 2)
						inclusive[this.parents[i]!]! += inclusive[i]!;
			inclusive[0] = this.selection.totals[q]!;
		}
	}

	private placeThreads(): { place: Int32Array; parents: number[]; funcs: number[] } {
		const { profile, roots } = this.selection;
		const { tree } = profile;
		const place = new Int32Array(tree.count).fill(-1);
		const parents = [-1];
		const funcs = [-1];
		const processNodes = new Map<number, number>();
		const add = (parent: number, func: number) => {
			funcs.push(func);
			return parents.push(parent) - 1;
		};
		for (const root of roots) {
			const process = profile.threads[tree.thread[root]!]!.process;
			if (processNodes.has(process))
				continue;
			const node = add(0, -1);
			processNodes.set(process, node);
			this.labels.set(node, profile.processTitle(process));
		}
		for (const root of roots) {
			const thread = tree.thread[root]!;
			place[root] = add(processNodes.get(profile.threads[thread]!.process)!, -1);
			this.labels.set(place[root]!, profile.threadTitle(thread));
		}
		for (let i = 0; i < tree.count; i++)
			if (tree.parent[i]! >= 0 && place[tree.parent[i]!]! >= 0)
				place[i] = add(place[tree.parent[i]!]!, tree.func[i]!);
		return { place, parents, funcs };
	}

	private placeMerged(): { place: Int32Array; parents: number[]; funcs: number[] } {
		const { profile, roots } = this.selection;
		const { tree } = profile;
		const place = new Int32Array(tree.count).fill(-1);
		const parents = [-1];
		const funcs = [-1];
		const known = new Map<number, number>();
		const stride = 2 * (profile.functionCount + 1);
		for (const root of roots)
			place[root] = 0;
		for (let i = 0; i < tree.count; i++) {
			if (tree.parent[i]! < 0)
				continue;
			const parent = place[tree.parent[i]!]!;
			if (parent < 0)
				continue;
			const key = parent * stride + 2 * tree.func[i]! + (tree.isFolded(i) ? 1 : 0);
			let node = roots.length > 1 ? known.get(key) : undefined;
			if (node === undefined) {
				funcs.push(tree.func[i]!);
				node = parents.push(parent) - 1;
				if (roots.length > 1)
					known.set(key, node);
			}
			place[i] = node;
		}
		return { place, parents, funcs };
	}

	protected unsorted(node: number): number[] {
		const list: number[] = [];
		for (let at = this.first[node]!; at >= 0; at = this.next[at]!)
			list.push(at);
		return list;
	}

	parent(node: number): number { return this.parents[node]!; }
	depth(node: number): number { return this.depths[node]!; }
	func(node: number): number { return this.funcs[node]!; }
	calls(node: number): number { return this.callCounts[node]!; }
	hasChildren(node: number): boolean { return this.first[node]! >= 0; }
	isFolded(node: number): boolean { return (this.flags[node]! & 1) !== 0; }
	isDisarmed(node: number): boolean { return (this.flags[node]! & 2) !== 0; }

	label(node: number): string {
		if (!node)
			return 'session';
		const func = this.funcs[node]!;
		return func < 0 ? this.labels.get(node)! :
			this.selection.profile.functionNames[func]! + (this.isFolded(node) ? ' [folded]' : '');
	}

	value(node: number, quantity: number, inclusive: boolean): number {
		return (inclusive ? this.inclusive : this.exclusive)[quantity]![node]!;
	}
}

/**
 * Functions at the top, their callers below: a node's value is the exclusive time of the function
 * at the top when it was called on that path. Made as deep as somebody looks.
 */
class CallerFrames extends Sorted implements Frames {
	readonly kind = 'callers';
	private readonly parents = [-1];
	private readonly funcs = [-1];
	private readonly depths = [0];
	private readonly foldedNodes = new Set<number>();
	/** By node: where the path stands now, and where it began. */
	private readonly at: (Int32Array | null)[] = [null];
	private readonly from: (Int32Array | null)[] = [null];
	private readonly values: number[][];
	private readonly made = new Map<number, number[]>();

	constructor(readonly selection: Selection) {
		super();
		const { tree } = selection.profile;
		this.values = tree.exclusive.map((_, q) => [selection.totals[q]!]);
		const wanted = new Set(selection.roots.map((root) => tree.thread[root]!));
		const all: number[] = [];
		for (let i = 0; i < tree.count; i++)
			if (tree.func[i]! >= 0 && wanted.has(tree.thread[i]!) && tree.exclusive.some((e) => e[i]! > 0))
				all.push(i);
		this.made.set(0, this.group(0, all, all));
	}

	private group(parent: number, at: ArrayLike<number>, from: ArrayLike<number>): number[] {
		const { tree } = this.selection.profile;
		const groups = new Map<number, number[]>();
		for (let i = 0; i < at.length; i++) {
			const func = tree.func[at[i]!]!;
			const list = groups.get(func);
			if (list)
				list.push(i);
			else
				groups.set(func, [i]);
		}
		const nodes: number[] = [];
		for (const [func, list] of groups) {
			const node = this.parents.push(parent) - 1;
			this.funcs.push(func);
			this.depths.push(this.depths[parent]! + 1);
			this.at.push(Int32Array.from(list, (i) => at[i]!));
			this.from.push(Int32Array.from(list, (i) => from[i]!));
			if (list.every((i) => tree.isFolded(at[i]!)))
				this.foldedNodes.add(node);
			this.values.forEach((values, q) => {
				let sum = 0;
				for (const i of list)
					sum += tree.exclusive[q]![from[i]!]!;
				values.push(sum);
			});
			nodes.push(node);
		}
		return nodes;
	}

	protected unsorted(node: number): number[] {
		let nodes = this.made.get(node);
		if (!nodes) {
			const { tree } = this.selection.profile;
			const at = this.at[node]!;
			const above: number[] = [];
			const from: number[] = [];
			for (let i = 0; i < at.length; i++) {
				const parent = tree.parent[at[i]!]!;
				if (tree.func[parent]! < 0)
					continue;
				above.push(parent);
				from.push(this.from[node]![i]!);
			}
			nodes = this.group(node, above, from);
			this.made.set(node, nodes);
		}
		return [...nodes];
	}

	get size(): number { return this.parents.length; }
	parent(node: number): number { return this.parents[node]!; }
	depth(node: number): number { return this.depths[node]!; }
	func(node: number): number { return this.funcs[node]!; }
	isFolded(node: number): boolean { return this.foldedNodes.has(node); }

	hasChildren(node: number): boolean {
		const { tree } = this.selection.profile;
		return node === 0 ? this.made.get(0)!.length > 0 :
			this.at[node]!.some((at) => tree.func[tree.parent[at]!]! >= 0);
	}

	isDisarmed(node: number): boolean {
		const { tree } = this.selection.profile;
		return node > 0 && this.at[node]!.some((at) => tree.isDisarmed(at));
	}

	calls(node: number): number {
		const { tree } = this.selection.profile;
		return node ? this.from[node]!.reduce((sum, from) => sum + tree.calls[from]!, 0) : 0;
	}

	label(node: number): string {
		return node ? this.selection.profile.functionNames[this.funcs[node]!]! + (this.isFolded(node) ? ' [folded]' : '') : 'session';
	}

	/** Exclusive: what of it has no caller further out. */
	value(node: number, quantity: number, inclusive: boolean): number {
		const all = this.values[quantity]![node]!;
		if (inclusive)
			return all;
		if (!node)
			return this.selection.outside[quantity]!;
		const { tree } = this.selection.profile;
		let sum = 0;
		this.at[node]!.forEach((at, i) => {
			if (tree.func[tree.parent[at]!]! < 0)
				sum += tree.exclusive[quantity]![this.from[node]![i]!]!;
		});
		return sum;
	}
}

export function makeFrames(selection: Selection, kind: FramesKind): Frames {
	return kind === 'callers' ? new CallerFrames(selection) : new PathFrames(selection, kind === 'merged');
}

/**
 * From a node the child with the largest value, as long as it has at least `share` of its
 * parent's: the nodes of the hot path, the first one included.
 */
export function hotPath(frames: Frames, from: number, quantity: number, share: number): number[] {
	const path = [from];
	for (let at = from;;) {
		const best = frames.children(at, quantity)[0];
		if (best === undefined)
			return path;
		const value = frames.value(best, quantity, true);
		if (!value || value < share * frames.value(at, quantity, true))
			return path;
		path.push(best);
		at = best;
	}
}
