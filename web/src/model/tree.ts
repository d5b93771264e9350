// The calling-context trees of all threads: columns by node, parents before their children. Node
// values are exclusive; inclusive ones follow, with what the profile says of paths that folded.
import type { Data } from './data.ts';

const FOLDED = 1;
const DISARMED = 2;

export class CallTree {
	readonly count: number;
	readonly parent: Int32Array; /* -1: root of a thread */
	readonly func: Int32Array; /* -1 for roots */
	readonly thread: Int32Array;
	readonly firstChild: Int32Array;
	readonly nextSibling: Int32Array;
	readonly roots: number[] = [];
	readonly calls: Float64Array;
	readonly exclusive: Float64Array[] = []; /* by quantity */
	readonly inclusive: Float64Array[] = [];
	/** Of folded nodes: what they add to their function's inclusive value beyond their own. */
	readonly elsewhere: Map<number, number>[] = [];
	readonly os: Float64Array[];
	readonly hasFolded: boolean;
	private readonly flags: Uint8Array;

	constructor(data: Data) {
		const distance = data.numbers('tree.parent');
		const subject = data.numbers('tree.subject');
		this.count = distance.length;
		this.parent = Int32Array.from(distance, (d, i) => (d ? i - d : -1));
		this.func = Int32Array.from(subject, (s, i) => (distance[i] ? s : -1));
		this.thread = new Int32Array(this.count);
		this.firstChild = new Int32Array(this.count).fill(-1);
		this.nextSibling = new Int32Array(this.count).fill(-1);
		this.calls = data.numbers('tree.calls');
		this.flags = Uint8Array.from(data.numbers('tree.flags'));
		this.hasFolded = this.flags.some((flag) => (flag & FOLDED) !== 0);
		this.os = data.header.causes.map((cause) => data.numbers(`tree.os.${cause}`));
		for (let i = 0; i < this.count; i++) {
			this.thread[i] = distance[i] ? this.thread[this.parent[i]!]! : subject[i]!;
			if (!distance[i])
				this.roots.push(i);
		}
		for (const quantity of data.header.quantities)
			this.readQuantity(data, quantity.name);
		this.link();
	}

	isFolded(node: number): boolean {
		return (this.flags[node]! & FOLDED) !== 0;
	}

	isDisarmed(node: number): boolean {
		return (this.flags[node]! & DISARMED) !== 0;
	}

	private readQuantity(data: Data, name: string): void {
		const exclusive = data.numbers(`tree.${name}`);
		const inclusive = exclusive.slice();
		const beyond = data.signed(`tree.${name}.beyond`);
		const elsewhere = data.signed(`tree.${name}.elsewhere`);
		const pairs = new Map<number, number>();
		for (let i = 0; i < beyond.length; i += 2)
			inclusive[beyond[i]!]! += beyond[i + 1]!;
		for (let i = 0; i < elsewhere.length; i += 2)
			pairs.set(elsewhere[i]!, elsewhere[i + 1]!);
		for (let i = this.count; i-- > 0;)
			if (this.parent[i]! >= 0 && !this.isFolded(i))
				inclusive[this.parent[i]!]! += inclusive[i]!;
		this.exclusive.push(exclusive);
		this.inclusive.push(inclusive);
		this.elsewhere.push(pairs);
	}

	private link(): void {
		for (let i = this.count; i-- > 0;) {
			const parent = this.parent[i]!;
			if (parent < 0)
				continue;
			this.nextSibling[i] = this.firstChild[parent]!;
			this.firstChild[parent] = i;
		}
	}

	/** Depth-first, with a call before and after each node's children. */
	walk(root: number, enter: (node: number) => void, leave: (node: number) => void): void {
		const { firstChild, nextSibling, parent } = this;
		let at = root;
		for (;;) {
			enter(at);
			if (firstChild[at]! >= 0) {
				at = firstChild[at]!;
				continue;
			}
			while (at !== root && nextSibling[at]! < 0) {
				leave(at);
				at = parent[at]!;
			}
			leave(at);
			if (at === root)
				return;
			at = nextSibling[at]!;
		}
	}
}
