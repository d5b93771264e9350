// Waits with who ended them: the rows of the report's view wakers, the stacks of both sides joined in one
// tree, and the chain of those who had ended one another's waits. See src/report/html/html_wakers.c.
import { PathFrames } from './frames.ts';
import type { Profile } from './profile.ts';
import type { Selection } from './selection.ts';
import { without } from './shape.ts';
import { CallTree } from './tree.ts';

/** What a frame is of: who waits, the step from one to the other, who ends the wait. */
export type EndedKind = 'wait' | 'woken' | 'waker';
export interface Sum { waits: number; ticks: number; longest: number }
/** One of those who ended waits; -1: not known. */
export interface Step { kind: 'thread' | 'interrupt' | 'unseen'; func: number; thread: number }

/* Subjects behind the functions. */
const UNSEEN = 1;
const INTERRUPT = 2;
const THREADS = 3;
const KINDS: Step['kind'][] = ['thread', 'interrupt', 'unseen'];

const isChosen = (threads: ReadonlySet<number> | null, thread: number): boolean => !threads || threads.has(thread);

export class Wakers {
	private readonly places: ReturnType<typeof CallTree.placesOf>;
	private readonly nodes: Int32Array;
	private readonly waits: Float64Array;
	private readonly ticks: Float64Array;
	private readonly longest: Float64Array;
	/** Of the waits that end at each node, by row of the table: indexes of the four above. */
	private readonly ofRow = new Map<number, number[]>();
	private readonly chains: Step[][] = [];
	private readonly isKernels: Uint8Array;

	constructor(private readonly profile: Profile) {
		const { data } = profile;
		this.places = CallTree.placesOf(data, 'woken');
		this.nodes = data.indexes('woken.node');
		this.waits = data.numbers('woken.waits');
		this.ticks = data.numbers('woken.ticks');
		this.longest = data.numbers('woken.longest');
		const rowOf = new Map(Array.from(data.indexes('wakers.#wakers'), (number, row) => [number, row]));
		data.indexes('woken.row').forEach((number, i) => {
			const row = rowOf.get(number) ?? -1;
			const list = this.ofRow.get(row);
			if (list)
				list.push(i);
			else
				this.ofRow.set(row, [i]);
		});
		const kernel = data.indexes('woken.kernel');
		this.isKernels = Uint8Array.from(profile.functionModules, (module) => kernel[module] ?? 0);
		this.readChains(rowOf);
	}

	private readChains(rowOf: Map<number, number>): void {
		const { data } = this.profile;
		const [kind, func, thread] = ['kind', 'function', 'thread'].map((name) => data.indexes(`woken.step_${name}`)) as [Int32Array, Int32Array, Int32Array];
		let at = 0;
		data.indexes('woken.steps').forEach((steps, number) => {
			this.chains[rowOf.get(number) ?? -1] = Array.from({ length: steps }, (_, i) => ({ kind: KINDS[kind[at + i]!] ?? 'unseen', func: func[at + i]! - 1, thread: thread[at + i]! - 1 }));
			at += steps;
		});
	}

	/** Who ended the waits of a row, then who had ended that one's wait before, and so on. */
	chain(row: number): Step[] {
		return this.chains[row] ?? [];
	}

	/** By row: the waits of these threads. */
	sums(threads: ReadonlySet<number> | null): Map<number, Sum> {
		const sums = new Map<number, Sum>();
		for (const [row, list] of this.ofRow)
			for (const i of list) {
				if (!isChosen(threads, this.places.thread[this.nodes[i]!]!))
					continue;
				const sum = sums.get(row) ?? { waits: 0, ticks: 0, longest: 0 };
				sum.waits += this.waits[i]!;
				sum.ticks += this.ticks[i]!;
				sum.longest = Math.max(sum.longest, this.longest[i]!);
				sums.set(row, sum);
			}
		return sums;
	}

	/** Who waited in a row, and for how many ticks; the longest first. */
	waiting(row: number, threads: ReadonlySet<number> | null): [thread: number, ticks: number][] {
		const sums = new Map<number, number>();
		for (const i of this.ofRow.get(row) ?? []) {
			const thread = this.places.thread[this.nodes[i]!]!;
			if (isChosen(threads, thread))
				sums.set(thread, (sums.get(thread) ?? 0) + this.ticks[i]!);
		}
		return [...sums].sort(([, a], [, b]) => b - a);
	}

	/** The stacks of one row, -1: of all, with one quantity: ticks. */
	tree(row: number, { kernel, myCode }: { kernel: boolean; myCode: boolean }): CallTree {
		const { parent, func, thread } = this.places;
		const list = row < 0 ? [...this.nodes.keys()] : (this.ofRow.get(row) ?? []);
		const needed = new Set<number>();
		for (const i of list)
			for (let at = this.nodes[i]!; at >= 0 && !needed.has(at); at = parent[at]!)
				needed.add(at);
		const nodes = Int32Array.from(needed).sort();
		const placeOf = new Map(Array.from(nodes, (node, place) => [node, place]));
		const ticks = new Float64Array(nodes.length);
		for (const i of list)
			ticks[placeOf.get(this.nodes[i]!)!]! += this.ticks[i]!;
		const tree = new CallTree({
			parent: nodes.map((node) => placeOf.get(parent[node]!) ?? -1), func: nodes.map((node) => func[node]!), thread: nodes.map((node) => thread[node]!),
			calls: new Float64Array(nodes.length), flags: new Uint8Array(nodes.length), exclusive: [ticks], beyond: [new Float64Array(0)], elsewhere: [new Map()], os: () => [],
		});
		return this.without(tree, kernel, myCode);
	}

	/** Threads and what is no function stay. */
	private without(tree: CallTree, kernel: boolean, myCode: boolean): CallTree {
		const { functionCount, functionModules, moduleSystem } = this.profile;
		const isHidden = (subject: number) => subject >= 0 && subject < functionCount && ((!kernel && this.isKernels[subject] === 1) || (myCode && moduleSystem[functionModules[subject]!] === 1));
		return kernel && !myCode ? tree : without(tree, Uint8Array.from(tree.func, (subject) => (isHidden(subject) ? 1 : 0)));
	}
}

export class WakerFrames extends PathFrames {
	private readonly kinds: EndedKind[] = ['wait'];

	constructor(selection: Selection, tree: CallTree) {
		super(selection, tree, true);
		const functions = selection.profile.functionCount;
		for (let i = 1; i < this.size; i++)
			this.kinds.push(this.kinds[this.parent(i)] !== 'wait' ? 'waker' : super.func(i) === functions ? 'woken' : 'wait');
	}

	kindOf(node: number): EndedKind {
		return this.kinds[node]!;
	}

	/** Whether nobody was seen to end the wait. */
	isUnseen(node: number): boolean {
		return super.func(node) === this.selection.profile.functionCount + UNSEEN;
	}

	override func(node: number): number {
		const func = super.func(node);
		return func >= this.selection.profile.functionCount ? -1 : func;
	}

	override label(node: number): string {
		const { profile } = this.selection;
		const behind = super.func(node) - profile.functionCount;
		if (!node)
			return 'waits';
		if (behind < 0)
			return super.label(node);
		return behind >= THREADS ? profile.threadTitle(behind - THREADS) : behind === INTERRUPT ? '[interrupt]' : behind === UNSEEN ? '[unseen]' : '[woken by]';
	}

	/** In ns, whatever the quantity. */
	override value(node: number, _quantity: number, inclusive: boolean): number {
		return (super.value(node, 0, inclusive) * 1e9) / this.selection.profile.header.ticks_per_second;
	}

	/** From the outermost frame of who waited to the thread that ended it. */
	path(node: number): string[] {
		const path: string[] = [];
		for (let at = node; at > 0; at = this.parent(at))
			path.push(this.label(at));
		return path.reverse();
	}
}
