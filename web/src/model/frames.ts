// Trees as the views show them: a session's processes and threads above the call paths, all
// threads merged into one tree, or call paths from their inner end (callers below callees). All
// are the same to a view: nodes with numbers, children on demand.
import { shapeTree, type Shape } from './shape.ts';
import type { Selection } from './selection.ts';
import type { CallTree } from './tree.ts';

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
	/** What a node that is no function stands for; null: the session, or a function. */
	group(node: number): { process: boolean; id: number } | null;
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

/** Where the nodes of a tree stand among frames. */
interface Placing { place: Int32Array; parents: Int32Array; funcs: Int32Array }

/** Grows to what is needed, then is cut to it. */
class PlacingBuilder {
	readonly place: Int32Array;
	private readonly parents: Int32Array;
	private readonly funcs: Int32Array;
	private size = 1;

	constructor(nodes: number, more: number) {
		this.place = new Int32Array(nodes).fill(-1);
		this.parents = new Int32Array(nodes + more + 1);
		this.funcs = new Int32Array(nodes + more + 1);
		this.parents[0] = this.funcs[0] = -1;
	}

	add(parent: number, func: number): number {
		this.parents[this.size] = parent;
		this.funcs[this.size] = func;
		return this.size++;
	}

	done(): Placing {
		return { place: this.place, parents: this.parents.slice(0, this.size), funcs: this.funcs.slice(0, this.size) };
	}
}

/** Processes, threads and call paths; or these paths merged over all threads. */
export class PathFrames extends Sorted implements Frames {
	readonly kind: FramesKind;
	private readonly parents: Int32Array;
	private readonly funcs: Int32Array;
	/** Of processes and threads: their number in the profile. */
	private readonly groups = new Map<number, { process: boolean; id: number }>();
	private readonly depths: Int32Array;
	private readonly callCounts: Float64Array;
	private readonly inclusive: Float64Array[];
	private readonly exclusive: Float64Array[];
	private readonly first: Int32Array;
	private readonly next: Int32Array;
	private readonly flags: Uint8Array;
	readonly size: number;

	constructor(readonly selection: Selection, private readonly tree: CallTree, merged: boolean) {
		super();
		this.kind = merged ? 'merged' : 'threads';
		const roots = tree === selection.tree ? selection.roots : tree.roots.filter((root) => !selection.threads || selection.threads.has(tree.thread[root]!));
		const { place, parents, funcs } = merged ? this.placeMerged(roots) : this.placeThreads(roots);
		this.parents = parents;
		this.funcs = funcs;
		this.size = parents.length;
		this.callCounts = new Float64Array(this.size);
		this.flags = new Uint8Array(this.size);
		const gather = (values: Float64Array) => {
			const sums = new Float64Array(this.size);
			for (let i = 0; i < tree.count; i++)
				if (place[i]! >= 0)
					sums[place[i]!]! += values[i]!;
			return sums;
		};
		this.inclusive = tree.inclusive.map(gather);
		this.exclusive = tree.exclusive.map(gather);
		this.callCounts = gather(tree.calls);
		for (let i = 0; i < tree.count; i++)
			if (place[i]! >= 0)
				this.flags[place[i]!]! |= tree.flags[i]!;
		this.first = new Int32Array(this.size).fill(-1);
		this.next = new Int32Array(this.size).fill(-1);
		this.depths = new Int32Array(this.size);
		for (let i = this.size; i-- > 1;) {
			const parent = this.parents[i]!;
			this.next[i] = this.first[parent]!;
			this.first[parent] = i;
		}
		for (let i = 1; i < this.size; i++)
			this.depths[i] = this.depths[this.parents[i]!]! + 1;
		this.sumAbove(roots, merged);
	}

	/** The session's values, and those of processes, are the sums of what is below. */
	private sumAbove(roots: number[], merged: boolean): void {
		const { tree, selection } = this;
		this.inclusive.forEach((inclusive, q) => {
			if (!merged)
				for (let i = this.size; i-- > 1;)
					if (this.depths[i] === 2)
						inclusive[this.parents[i]!]! += inclusive[i]!;
			inclusive[0] = tree === selection.tree ? selection.totals[q]! : roots.reduce((sum, root) => sum + tree.inclusive[q]![root]!, 0);
		});
	}

	private placeThreads(roots: number[]): Placing {
		const { tree } = this;
		const { profile } = this.selection;
		const builder = new PlacingBuilder(tree.count, profile.processes.length);
		const { place } = builder;
		const processNodes = new Map<number, number>();
		for (const root of roots) {
			const process = profile.threads[tree.thread[root]!]!.process;
			if (processNodes.has(process))
				continue;
			const node = builder.add(0, -1);
			processNodes.set(process, node);
			this.groups.set(node, { process: true, id: process });
		}
		for (const root of roots) {
			const thread = tree.thread[root]!;
			place[root] = builder.add(processNodes.get(profile.threads[thread]!.process)!, -1);
			this.groups.set(place[root]!, { process: false, id: thread });
		}
		for (let i = 0; i < tree.count; i++)
			if (tree.parent[i]! >= 0 && place[tree.parent[i]!]! >= 0)
				place[i] = builder.add(place[tree.parent[i]!]!, tree.func[i]!);
		return builder.done();
	}

	private placeMerged(roots: number[]): Placing {
		const { tree } = this;
		const builder = new PlacingBuilder(tree.count, 0);
		const { place } = builder;
		const known = new Map<number, number>();
		const stride = 2 * tree.subjects;
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
				node = builder.add(parent, tree.func[i]!);
				if (roots.length > 1)
					known.set(key, node);
			}
			place[i] = node;
		}
		return builder.done();
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

	group(node: number): { process: boolean; id: number } | null {
		return this.groups.get(node) ?? null;
	}

	label(node: number): string {
		if (!node)
			return 'session';
		const { profile } = this.selection;
		const group = this.groups.get(node);
		if (group)
			return group.process ? profile.processTitle(group.id) : profile.threadTitle(group.id);
		return profile.functionNames[this.funcs[node]!]! + (this.isFolded(node) ? ' [folded]' : '');
	}

	value(node: number, quantity: number, inclusive: boolean): number {
		return (inclusive ? this.inclusive : this.exclusive)[quantity]![node]!;
	}
}

/**
 * Functions at the top, their callers below: a node's value is the exclusive time of the function
 * at the top when it was called on that path. Of a single function: its inclusive time. Made as
 * deep as somebody looks.
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

	constructor(readonly selection: Selection, private readonly tree: CallTree, private readonly only: number) {
		super();
		this.values = tree.exclusive.map((_, q) => [selection.totals[q]!]);
		const { threads } = selection;
		const all: number[] = only < 0 ? [] : this.outermost(only);
		for (let i = 0; i < tree.count && only < 0; i++)
			if (tree.func[i]! >= 0 && (!threads || threads.has(tree.thread[i]!)) && tree.exclusive.some((e) => e[i]! > 0))
				all.push(i);
		this.made.set(0, this.groupBy(0, all, all));
		if (only >= 0)
			this.values.forEach((values) => (values[0] = values[1] ?? 0));
	}

	private outermost(func: number): number[] {
		const { tree, selection } = this;
		const nodes: number[] = [];
		const inside = new Uint8Array(tree.count);
		for (let i = 0; i < tree.count; i++) {
			const above = tree.parent[i]!;
			const is = tree.func[i] === func;
			inside[i] = is || (above >= 0 && inside[above]) ? 1 : 0;
			if (is && !inside[above] && (!selection.threads || selection.threads.has(tree.thread[i]!)))
				nodes.push(i);
		}
		return nodes;
	}

	/** What a path that begins at that node counts. */
	private worth(quantity: number, node: number): number {
		const { tree, only } = this;
		return only < 0 ? tree.exclusive[quantity]![node]! : tree.inclusive[quantity]![node]! + (tree.elsewhere[quantity]!.get(node) ?? 0);
	}

	private groupBy(parent: number, at: ArrayLike<number>, from: ArrayLike<number>): number[] {
		const { tree } = this;
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
					sum += this.worth(q, from[i]!);
				values.push(sum);
			});
			nodes.push(node);
		}
		return nodes;
	}

	protected unsorted(node: number): number[] {
		let nodes = this.made.get(node);
		if (!nodes) {
			const { tree } = this;
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
			nodes = this.groupBy(node, above, from);
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
		const { tree } = this;
		return node === 0 ? this.made.get(0)!.length > 0 :
			this.at[node]!.some((at) => tree.func[tree.parent[at]!]! >= 0);
	}

	isDisarmed(node: number): boolean {
		const { tree } = this;
		return node > 0 && this.at[node]!.some((at) => tree.isDisarmed(at));
	}

	calls(node: number): number {
		const { tree } = this;
		return node ? this.from[node]!.reduce((sum, from) => sum + tree.calls[from]!, 0) : 0;
	}

	group(): null { return null; }

	label(node: number): string {
		return node ? this.selection.profile.functionNames[this.funcs[node]!]! + (this.isFolded(node) ? ' [folded]' : '') : 'session';
	}

	/** Exclusive: what of it has no caller further out. */
	value(node: number, quantity: number, inclusive: boolean): number {
		const all = this.values[quantity]![node]!;
		if (inclusive)
			return all;
		if (!node)
			return this.only < 0 ? this.selection.outside[quantity]! : 0;
		const { tree } = this;
		let sum = 0;
		this.at[node]!.forEach((at, i) => {
			if (tree.func[tree.parent[at]!]! < 0)
				sum += this.worth(quantity, this.from[node]![i]!);
		});
		return sum;
	}
}

/** The root of callers is the function that a path ends with, wherever it is called. */
export function makeFrames(selection: Selection, kind: FramesKind, shape: Shape): Frames {
	if (kind === 'callers')
		return new CallerFrames(selection, shapeTree(selection.profile, selection.tree, { ...shape, root: null }), shape.root?.path.at(-1) ?? -1);
	return new PathFrames(selection, shapeTree(selection.profile, selection.tree, shape), kind === 'merged');
}

function stepOf(frames: Frames, node: number): string {
	const group = frames.group(node);
	return group ? `${group.process ? 'p' : 't'}${group.id}` : `${frames.func(node)}${frames.isFolded(node) ? 'f' : ''}`;
}

/** Steps from the session to a node, which name it in other frames of the same profile. */
export function stepsTo(frames: Frames, node: number): string {
	const steps: string[] = [];
	for (let at = node; at > 0; at = frames.parent(at))
		steps.push(stepOf(frames, at));
	return steps.reverse().join('.');
}

/** As far as the steps lead. */
export function nodeAt(frames: Frames, steps: string): number {
	let at = 0;
	for (const step of steps ? steps.split('.') : []) {
		const next = Array.from(frames.children(at, 0)).find((child) => stepOf(frames, child) === step);
		if (next === undefined)
			break;
		at = next;
	}
	return at;
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
