// The calling-context trees of all threads: columns by node, parents before their children. Node
// values are exclusive; inclusive ones follow, with what the profile says of paths that folded.
import type { Data } from './data.ts';

export const FOLDED = 1;
const DISARMED = 2;

/** What a tree consists of, before its inclusive values are known. */
export interface TreeColumns {
	parent: Int32Array; /* -1: root of a thread */
	func: Int32Array; /* -1 for roots */
	thread: Int32Array;
	calls: Float64Array;
	flags: Uint8Array;
	exclusive: Float64Array[]; /* by quantity */
	/** Pairs of a node and what its inclusive value is beyond the sum over its subtree. */
	beyond: Float64Array[];
	/** Of folded nodes: what they add to their function's inclusive value beyond their own. */
	elsewhere: Map<number, number>[];
	/** By cause; read when it is asked for. */
	os: () => Float64Array[];
}

export class CallTree {
	readonly count: number;
	readonly parent: Int32Array;
	readonly func: Int32Array;
	readonly thread: Int32Array;
	readonly roots: number[] = [];
	readonly calls: Float64Array;
	readonly flags: Uint8Array;
	readonly exclusive: Float64Array[];
	readonly inclusive: Float64Array[];
	readonly elsewhere: Map<number, number>[];
	readonly hasFolded: boolean;
	/** More than the number of any function, or of what stands in the place of one. */
	readonly subjects: number;
	private links: { first: Int32Array; next: Int32Array } | null = null;
	private osColumns: Float64Array[] | null = null;

	constructor(readonly columns: TreeColumns) {
		({ parent: this.parent, func: this.func, thread: this.thread, calls: this.calls, flags: this.flags,
			exclusive: this.exclusive, elsewhere: this.elsewhere } = columns);
		this.count = this.parent.length;
		let flags = 0;
		let last = 0;
		for (let i = 0; i < this.count; i++) {
			last = Math.max(last, this.func[i]!);
			if (this.parent[i]! < 0)
				this.roots.push(i);
			flags |= this.flags[i]!;
		}
		this.subjects = last + 1;
		this.hasFolded = (flags & FOLDED) !== 0;
		this.inclusive = this.exclusive.map((exclusive, q) => this.sumUp(exclusive, columns.beyond[q]!));
	}

	/** Where nodes stand: of columns `….parent` and `….subject`. */
	static placesOf(data: Data, name: string): { parent: Int32Array; func: Int32Array; thread: Int32Array } {
		const parent = data.indexes(`${name}.parent`);
		const func = data.indexes(`${name}.subject`);
		const thread = new Int32Array(parent.length);
		for (let i = 0; i < parent.length; i++) {
			const distance = parent[i]!;
			parent[i] = distance ? i - distance : -1;
			thread[i] = distance ? thread[i - distance]! : func[i]!;
			if (!distance)
				func[i] = -1;
		}
		return { parent, func, thread };
	}

	static read(data: Data): CallTree {
		const { quantities, causes } = data.header;
		return new CallTree({
			...CallTree.placesOf(data, 'tree'), calls: data.numbers('tree.calls'), flags: Uint8Array.from(data.indexes('tree.flags')),
			exclusive: quantities.map(({ name }) => data.numbers(`tree.${name}`)),
			beyond: quantities.map(({ name }) => data.signed(`tree.${name}.beyond`)),
			elsewhere: quantities.map(({ name }) => {
				const numbers = data.signed(`tree.${name}.elsewhere`);
				const pairs = new Map<number, number>();
				for (let i = 0; i < numbers.length; i += 2)
					pairs.set(numbers[i]!, numbers[i + 1]!);
				return pairs;
			}),
			os: () => causes.map((cause) => data.numbers(`tree.os.${cause}`)),
		});
	}

	/** The same paths with other values. */
	withValues(exclusive: Float64Array[]): CallTree {
		return new CallTree({ ...this.columns, exclusive, beyond: exclusive.map(() => new Float64Array(0)) });
	}

	/** Exclusive OS time by cause. */
	get os(): Float64Array[] {
		this.osColumns ??= this.columns.os();
		return this.osColumns;
	}

	isFolded(node: number): boolean {
		return (this.flags[node]! & FOLDED) !== 0;
	}

	isDisarmed(node: number): boolean {
		return (this.flags[node]! & DISARMED) !== 0;
	}

	private sumUp(exclusive: Float64Array, beyond: Float64Array): Float64Array {
		const { parent, flags } = this;
		const inclusive = exclusive.slice();
		for (let i = 0; i < beyond.length; i += 2)
			inclusive[beyond[i]!]! += beyond[i + 1]!;
		for (let i = this.count; i-- > 0;)
			if (parent[i]! >= 0 && !(flags[i]! & FOLDED))
				inclusive[parent[i]!]! += inclusive[i]!;
		return inclusive;
	}

	private link(): { first: Int32Array; next: Int32Array } {
		const first = new Int32Array(this.count).fill(-1);
		const next = new Int32Array(this.count).fill(-1);
		for (let i = this.count; i-- > 0;) {
			const parent = this.parent[i]!;
			if (parent < 0)
				continue;
			next[i] = first[parent]!;
			first[parent] = i;
		}
		return { first, next };
	}

	/** Depth-first, with a call before and after each node's children. */
	walk(root: number, enter: (node: number) => void, leave: (node: number) => void): void {
		this.links ??= this.link();
		const { first, next } = this.links;
		const { parent } = this;
		let at = root;
		for (;;) {
			enter(at);
			if (first[at]! >= 0) {
				at = first[at]!;
				continue;
			}
			while (at !== root && next[at]! < 0) {
				leave(at);
				at = parent[at]!;
			}
			leave(at);
			if (at === root)
				return;
			at = next[at]!;
		}
	}
}
