// The values of functions over the threads that a filter leaves; and of the edges between callers
// and callees. The rules are those of src/analysis: an interval counts once for a function,
// however often it stands on the stack.
import type { Profile } from './profile.ts';
import type { CallTree } from './tree.ts';

/** By function. */
export interface Values {
	calls: Float64Array;
	inclusive: Float64Array[]; /* by quantity */
	exclusive: Float64Array[];
}

/** Parts of the timeline, the last one included. */
export interface Bins { from: number; to: number }

const zeros = (columns: number, count: number): Float64Array[] => Array.from({ length: columns }, () => new Float64Array(count));

export interface Edge { func: number; calls: number; inclusive: number[]; exclusive: number[] }

/** Some threads and a part of the time of a profile, and everything that follows from their trees. */
export class Selection {
	readonly tree: CallTree;
	readonly totals: number[]; /* by quantity */
	readonly roots: number[];
	readonly isAll: boolean;
	/** Time outside of all functions, by quantity. */
	readonly outside: number[];
	private values: Values | null = null;
	private osSums: number[] | null = null;

	constructor(readonly profile: Profile, readonly threads: ReadonlySet<number> | null, readonly bins: Bins | null = null) {
		const { header } = profile;
		const tree = bins ? profile.treeOf(bins.from, bins.to) : profile.tree;
		this.tree = tree;
		this.isAll = threads === null && bins === null;
		this.roots = tree.roots.filter((root) => !threads || threads.has(tree.thread[root]!));
		this.totals = header.quantities.map((quantity, q) => this.isAll ? quantity.total :
			this.roots.reduce((sum, root) => sum + tree.inclusive[q]![root]!, 0));
		this.outside = header.quantities.map((_, q) =>
			this.roots.reduce((sum, root) => sum + tree.exclusive[q]![root]!, 0));
	}

	/** OS time by cause. */
	get osTotals(): number[] {
		this.osSums ??= this.profile.osByThread().map((ticks) => ticks.reduce((sum, value, thread) => sum + (!this.threads || this.threads.has(thread) ? value : 0), 0));
		return this.osSums;
	}

	functions(): Values {
		this.values ??= this.sumFunctions();
		return this.values;
	}

	/** The value of a function by a measure. */
	of(func: number, quantity: number, inclusive: boolean): number {
		const values = this.functions();
		return (inclusive ? values.inclusive : values.exclusive)[quantity]![func]!;
	}

	/** Exclusive OS time by cause and function, in ticks. */
	osByFunction(): Float64Array[] {
		const { tree, threads } = this;
		return tree.os.map((ticks) => {
			const sums = new Float64Array(this.profile.functionCount);
			for (let i = 0; i < tree.count; i++)
				if (ticks[i] && tree.func[i]! >= 0 && (!threads || threads.has(tree.thread[i]!)))
					sums[tree.func[i]!]! += ticks[i]!;
			return sums;
		});
	}

	private sumFunctions(): Values {
		const { tree, threads } = this;
		const count = this.profile.functionCount;
		const quantities = tree.exclusive.length;
		const calls = new Float64Array(count);
		const exclusive = zeros(quantities, count);
		for (let i = 0; i < tree.count; i++) {
			const func = tree.func[i]!;
			if (func < 0 || (threads && !threads.has(tree.thread[i]!)))
				continue;
			calls[func]! += tree.calls[i]!;
			for (let q = 0; q < quantities; q++)
				exclusive[q]![func]! += tree.exclusive[q]![i]!;
		}
		const values = { calls, exclusive, inclusive: this.sumInclusive((func) => func, count) };
		if (tree.hasFolded)
			this.fit(values);
		return values;
	}

	/** By quantity: each interval once for what stands on the stack, however often it does. */
	sumInclusive(groupOf: (func: number) => number, count: number): Float64Array[] {
		const { tree } = this;
		const sums = zeros(tree.exclusive.length, count);
		const depth = new Uint32Array(count);
		for (const root of this.roots)
			tree.walk(root, (node) => {
				const group = tree.func[node]! < 0 ? -1 : groupOf(tree.func[node]!);
				if (group >= 0 && depth[group]!++ === 0)
					for (let q = 0; q < sums.length; q++)
						sums[q]![group]! += tree.inclusive[q]![node]! + (tree.elsewhere[q]!.get(node) ?? 0);
			}, (node) => {
				const group = tree.func[node]! < 0 ? -1 : groupOf(tree.func[node]!);
				if (group >= 0)
					depth[group]!--;
			});
		return sums;
	}

	/** Sums with folded paths are estimates: not below the exclusive values, not above all. */
	private fit(values: Values): void {
		const { tree } = this;
		values.inclusive.forEach((inclusive, q) => {
			const all = this.roots.reduce((sum, root) => sum + tree.inclusive[q]![root]!, 0);
			for (let i = 0; i < inclusive.length; i++)
				inclusive[i] = Math.max(Math.min(inclusive[i]!, all), values.exclusive[q]![i]!);
		});
	}

	/** Who calls a function and whom it calls, in no order. Function -1: called by no function. */
	edges(func: number): { callers: Edge[]; callees: Edge[] } {
		const { tree } = this;
		const callers = new Map<number, Edge>();
		const callees = new Map<number, Edge>();
		const callerDepth = new Map<number, number>();
		const calleeDepth = new Map<number, number>();
		const add = (edges: Map<number, Edge>, depths: Map<number, number>, other: number, node: number) => {
			let edge = edges.get(other);
			if (!edge) {
				edge = { func: other, calls: 0, inclusive: tree.exclusive.map(() => 0), exclusive: tree.exclusive.map(() => 0) };
				edges.set(other, edge);
			}
			const above = depths.get(other) ?? 0;
			depths.set(other, above + 1);
			edge.calls += tree.calls[node]!;
			for (let q = 0; q < tree.exclusive.length; q++) {
				edge.exclusive[q]! += tree.exclusive[q]![node]!;
				if (!above)
					edge.inclusive[q]! += tree.inclusive[q]![node]! + (tree.elsewhere[q]!.get(node) ?? 0);
			}
		};
		const drop = (depths: Map<number, number>, other: number) => depths.set(other, depths.get(other)! - 1);
		for (const root of this.roots)
			tree.walk(root, (node) => {
				if (node === root)
					return;
				const caller = tree.func[tree.parent[node]!]!;
				if (tree.func[node] === func)
					add(callers, callerDepth, caller, node);
				if (caller === func)
					add(callees, calleeDepth, tree.func[node]!, node);
			}, (node) => {
				if (node === root)
					return;
				const caller = tree.func[tree.parent[node]!]!;
				if (tree.func[node] === func)
					drop(callerDepth, caller);
				if (caller === func)
					drop(calleeDepth, tree.func[node]!);
			});
		return { callers: [...callers.values()], callees: [...callees.values()] };
	}
}
