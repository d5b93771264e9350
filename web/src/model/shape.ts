// Other trees made of a calling-context tree: below a root that was chosen, without the frames of
// system modules, with recursion folded. Times of frames that are left out go to the frame that
// stands for them, so that sums stay what they are.
import type { Profile } from './profile.ts';
import { CallTree, FOLDED } from './tree.ts';

export interface Shape {
	/** Functions from the outermost one on; a single one that is `anywhere`: wherever it was called. */
	root: { path: number[]; anywhere: boolean } | null;
	/** Hides functions of system modules: their time is that of the nearest caller of another module. */
	myCode: boolean;
	/** A function that stands on the path already takes the place of its ancestor. */
	foldRecursion: boolean;
}

export const PLAIN: Shape = { root: null, myCode: false, foldRecursion: false };

export const isPlain = (shape: Shape): boolean => !shape.root && !shape.myCode && !shape.foldRecursion;

/**
 * By node: whether it is of a system module. Calls of `kept` never are, nor is what has folded, whose callers are not
 * known. The rule is that of src/analysis/reshape.c.
 */
export function hiddenNodes(profile: Profile, tree: CallTree, kept = -1): Uint8Array {
	const hidden = new Uint8Array(tree.count);
	const system = Uint8Array.from({ length: profile.functionCount }, (_, func) => profile.moduleSystem[profile.functionModules[func]!]!);
	for (let i = 0; i < tree.count; i++) {
		const func = tree.func[i]!;
		if (func < 0)
			continue;
		hidden[i] = system[func] && func !== kept && !tree.isFolded(i) ? 1 : 0;
	}
	return hidden;
}

/** Puts a tree together from the nodes of another. */
class Builder {
	/** By node its place in the new tree, -1 where it has none. */
	readonly place: Int32Array;
	/** Whether a node's calls are those of its place. */
	readonly counts: Uint8Array;
	private readonly parents: number[] = [];
	private readonly funcs: number[] = [];
	private readonly threads: number[] = [];
	private readonly flags: number[] = [];
	private readonly known = new Map<number, number>();
	/** Nodes whose inclusive value stands below no caller now: it is that of their function. */
	private readonly unfolded = new Set<number>();
	private readonly stride: number;

	constructor(private readonly tree: CallTree) {
		this.stride = 2 * tree.subjects;
		this.place = new Int32Array(tree.count).fill(-1);
		this.counts = new Uint8Array(tree.count);
	}

	root(node: number): number {
		this.funcs.push(-1);
		this.threads.push(this.tree.thread[node]!);
		this.flags.push(0);
		return this.parents.push(-1) - 1;
	}

	/** Puts a node below that one, where it may be one with others of its function. */
	put(node: number, above: number, folded = this.tree.isFolded(node)): void {
		const { tree } = this;
		const key = above * this.stride + 2 * tree.func[node]! + (folded ? 1 : 0);
		let at = this.known.get(key);
		if (at === undefined) {
			this.funcs.push(tree.func[node]!);
			this.threads.push(tree.thread[node]!);
			this.flags.push(0);
			at = this.parents.push(above) - 1;
			this.known.set(key, at);
		}
		this.join(node, at);
		if (tree.isFolded(node) && !folded) {
			this.flags[at]! &= ~FOLDED;
			this.unfolded.add(node);
		}
	}

	join(node: number, at: number): void {
		this.place[node] = at;
		this.counts[node] = 1;
		this.flags[at]! |= this.tree.flags[node]!;
	}

	/** The node of the same function on the way from there to the root, -1: none. */
	findAbove(from: number, node: number): number {
		const { tree, parents, funcs, flags } = this;
		const folded = tree.flags[node]! & FOLDED;
		let at = from;
		while (at >= 0 && (funcs[at] !== tree.func[node] || (flags[at]! & FOLDED) !== folded))
			at = parents[at]!;
		return at;
	}

	build(): CallTree {
		const { tree, place, counts } = this;
		const count = this.parents.length;
		const gather = (values: Float64Array, which: Uint8Array | null = null) => {
			const sums = new Float64Array(count);
			for (let i = 0; i < tree.count; i++)
				if (place[i]! >= 0 && (!which || which[i]))
					sums[place[i]!]! += values[i]!;
			return sums;
		};
		const moved = (pairs: Iterable<[number, number]>) => {
			const sums = new Map<number, number>();
			for (const [node, value] of pairs)
				if (place[node]! >= 0)
					sums.set(place[node]!, (sums.get(place[node]!) ?? 0) + value);
			return sums;
		};
		const pairsOf = (numbers: Float64Array) => Array.from({ length: numbers.length / 2 }, (_, i): [number, number] => [numbers[2 * i]!, numbers[2 * i + 1]!]);
		return new CallTree({
			parent: Int32Array.from(this.parents), func: Int32Array.from(this.funcs), thread: Int32Array.from(this.threads),
			flags: Uint8Array.from(this.flags), calls: gather(tree.calls, counts), exclusive: tree.exclusive.map((values) => gather(values)),
			beyond: tree.columns.beyond.map((numbers, q) => Float64Array.from([...moved([...pairsOf(numbers), ...[...tree.elsewhere[q]!].filter(([node]) => this.unfolded.has(node))])].flat())),
			elsewhere: tree.elsewhere.map((pairs) => moved([...pairs].filter(([node]) => !this.unfolded.has(node)))),
			os: () => tree.os.map((values) => gather(values)),
		});
	}
}

/** What is hidden has its caller's place. */
export function without(tree: CallTree, hidden: Uint8Array): CallTree {
	const builder = new Builder(tree);
	const { place } = builder;
	for (let i = 0; i < tree.count; i++)
		if (tree.parent[i]! < 0)
			place[i] = builder.root(i);
		else if (hidden[i])
			place[i] = place[tree.parent[i]!]!;
		else
			builder.put(i, place[tree.parent[i]!]!);
	return builder.build();
}

function withoutRecursion(tree: CallTree): CallTree {
	const builder = new Builder(tree);
	const { place } = builder;
	for (let i = 0; i < tree.count; i++) {
		if (tree.parent[i]! < 0) {
			place[i] = builder.root(i);
			continue;
		}
		const above = place[tree.parent[i]!]!;
		const same = builder.findAbove(above, i);
		if (same >= 0)
			builder.join(i, same);
		else
			builder.put(i, above);
	}
	return builder.build();
}

function below(tree: CallTree, root: NonNullable<Shape['root']>): CallTree {
	const builder = new Builder(tree);
	const { place } = builder;
	const tops = new Map(tree.roots.map((node) => [tree.thread[node]!, builder.root(node)]));
	/** By node: how many steps of the path end with it; -1: none, nor do any below it. */
	const steps = new Int32Array(tree.count).fill(-1);
	for (let i = 0; i < tree.count; i++) {
		const above = tree.parent[i]!;
		if (above < 0) {
			steps[i] = 0;
			continue;
		}
		if (place[above]! >= 0) {
			builder.put(i, place[above]!);
			continue;
		}
		const done = root.anywhere ? 0 : steps[above]!;
		const fits = done >= 0 && tree.func[i] === root.path[done] && (root.anywhere || !tree.isFolded(i));
		steps[i] = fits ? done + 1 : -1;
		if (steps[i] === root.path.length)
			builder.put(i, tops.get(tree.thread[i]!)!, false);
	}
	return builder.build();
}

export function shapeTree(profile: Profile, tree: CallTree, shape: Shape): CallTree {
	const { root, myCode, foldRecursion } = shape;
	const mine = myCode ? without(tree, hiddenNodes(profile, tree, root?.anywhere ? root.path[0]! : -1)) : tree;
	const rooted = root ? below(mine, root) : mine;
	return foldRecursion ? withoutRecursion(rooted) : rooted;
}
