// The values of functions over the threads that a filter leaves; and of the edges between callers
// and callees. The rules are those of src/analysis: an interval counts once for a function,
// however often it stands on the stack.
import type { Profile } from './profile.ts';

export interface Values {
	calls: Float64Array;
	inclusive: Float64Array[]; /* by quantity */
	exclusive: Float64Array[];
	os: Float64Array[]; /* by cause */
}

const makeValues = (count: number, quantities: number, causes: number): Values => ({
	calls: new Float64Array(count),
	inclusive: Array.from({ length: quantities }, () => new Float64Array(count)),
	exclusive: Array.from({ length: quantities }, () => new Float64Array(count)),
	os: Array.from({ length: causes }, () => new Float64Array(count)),
});

export interface Edge { func: number; calls: number; inclusive: number[]; exclusive: number[] }

/** Some threads of a profile, and everything that follows from their trees. */
export class Selection {
	readonly totals: number[]; /* by quantity */
	readonly osTotals: number[];
	readonly roots: number[];
	readonly isAll: boolean;
	/** Time outside of all functions, by quantity. */
	readonly outside: number[];
	private values: Values | null = null;

	constructor(readonly profile: Profile, readonly threads: ReadonlySet<number> | null) {
		const { tree, header } = profile;
		this.isAll = threads === null;
		this.roots = tree.roots.filter((root) => !threads || threads.has(tree.thread[root]!));
		this.totals = header.quantities.map((quantity, q) => this.isAll ? quantity.total :
			this.roots.reduce((sum, root) => sum + tree.inclusive[q]![root]!, 0));
		this.outside = header.quantities.map((_, q) =>
			this.roots.reduce((sum, root) => sum + tree.exclusive[q]![root]!, 0));
		this.osTotals = tree.os.map((ticks) => {
			let sum = 0;
			for (let i = 0; i < tree.count; i++)
				if (!threads || threads.has(tree.thread[i]!))
					sum += ticks[i]!;
			return sum;
		});
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

	private sumFunctions(): Values {
		const { profile } = this;
		const { tree } = profile;
		const quantities = tree.exclusive.length;
		const values = makeValues(profile.functionCount, quantities, tree.os.length);
		const depth = new Uint32Array(profile.functionCount);
		for (const root of this.roots)
			tree.walk(root, (node) => {
				const func = tree.func[node]!;
				if (func < 0)
					return;
				values.calls[func]! += tree.calls[node]!;
				for (let q = 0; q < quantities; q++)
					values.exclusive[q]![func]! += tree.exclusive[q]![node]!;
				for (let c = 0; c < tree.os.length; c++)
					values.os[c]![func]! += tree.os[c]![node]!;
				if (depth[func]!++ === 0)
					for (let q = 0; q < quantities; q++)
						values.inclusive[q]![func]! += tree.inclusive[q]![node]! + (tree.elsewhere[q]!.get(node) ?? 0);
			}, (node) => {
				if (tree.func[node]! >= 0)
					depth[tree.func[node]!]!--;
			});
		if (tree.hasFolded)
			this.fit(values);
		return values;
	}

	/** Sums with folded paths are estimates: not below the exclusive values, not above all. */
	private fit(values: Values): void {
		const { tree } = this.profile;
		values.inclusive.forEach((inclusive, q) => {
			const all = this.roots.reduce((sum, root) => sum + tree.inclusive[q]![root]!, 0);
			for (let i = 0; i < inclusive.length; i++)
				inclusive[i] = Math.max(Math.min(inclusive[i]!, all), values.exclusive[q]![i]!);
		});
	}

	/** Who calls a function and whom it calls, in no order. Function -1: called by no function. */
	edges(func: number): { callers: Edge[]; callees: Edge[] } {
		const { tree } = this.profile;
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
