// What each thread did over time: spans without gaps, each with its ticks of every state. What is left
// of a span was neither, but the cost of probes. docs/development/page.md describes the columns.
import type { Data } from './data.ts';

/** In the order of the data. */
export const STATES = [
	{ name: 'ran', title: 'Ran' },
	{ name: 'preempted', title: 'Could run' },
	{ name: 'other', title: 'Other waits' },
	{ name: 'lock', title: 'Lock' },
	{ name: 'io', title: 'File or socket' },
	{ name: 'idle', title: 'Idle' },
] as const;
export const STATE_COUNT = STATES.length;
const WAITED = 1 << STATE_COUNT;
const ALL = WAITED - 1;

/** A row of OS time in which threads waited: functions and threads by their numbers, -1: not known. */
export interface Wait { func: number; caller: number; holder: number; holderThread: number; syscall: string; object: string }


export class ThreadStates {
	/** The first span of each thread; one more at the end. */
	private readonly first: Uint32Array;
	private readonly known: Uint8Array;
	/** By span. */
	readonly begin: Float64Array;
	private readonly signs: Uint8Array;
	private readonly place: Uint32Array; /* of its first value */
	private readonly values: Float64Array;
	/* by thread */
	private readonly ends: Float64Array;
	private readonly waited: Uint32Array; /* spans before its first one that waited */
	private waitsRead: { numbers: Float64Array; os: Int32Array; rows: Wait[] } | null = null;

	constructor(private readonly data: Data, begins: number[]) {
		const counts = data.indexes('states.spans');
		const total = counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
		this.known = Uint8Array.from(counts, (count) => (count ? 1 : 0));
		this.first = new Uint32Array(counts.length + 1);
		this.begin = new Float64Array(total);
		this.place = new Uint32Array(total);
		this.signs = Uint8Array.from(data.indexes('states.signs'));
		this.values = data.numbers('states.ticks');
		this.ends = new Float64Array(counts.length);
		this.waited = new Uint32Array(counts.length + 1);
		let span = 0;
		let at = 0;
		for (let thread = 0; thread < counts.length; thread++) {
			let time = begins[thread]!;
			this.first[thread] = span;
			for (let i = 1; i < counts[thread]!; i++, span++) {
				this.begin[span] = time;
				this.place[span] = at;
				for (let bits = this.signs[span]! & ALL; bits; bits &= bits - 1)
					time += this.values[at++]!;
				const beyond = this.values[at++]!;
				time += beyond % 2 ? -(beyond + 1) / 2 : beyond / 2;
			}
			this.ends[thread] = time;
			this.waited[thread + 1] = this.waited[thread]! + this.countWaited(this.first[thread]!, span);
		}
		this.first[counts.length] = span;
	}

	/** Whether it is known of a thread what it did. */
	has(thread: number): boolean {
		return this.known[thread] === 1;
	}

	/** Its spans, the last one not included. */
	spansOf(thread: number): [from: number, to: number] {
		return [this.first[thread]!, this.first[thread + 1]!];
	}

	endOf(thread: number, span: number): number {
		return span + 1 < this.first[thread + 1]! ? this.begin[span + 1]! : this.ends[thread]!;
	}

	/** The span of a thread at a time; -1: it did not live then. */
	at(thread: number, time: number): number {
		const [from, to] = this.spansOf(thread);
		if (from === to || time < this.begin[from]! || time >= this.ends[thread]!)
			return -1;
		return this.lastBefore(from, to, time);
	}

	/** The last span that begins at or before a time; the first one where none does. */
	private lastBefore(from: number, to: number, time: number): number {
		let low = from;
		let high = to;
		while (low + 1 < high) {
			const middle = (low + high) >> 1;
			if (this.begin[middle]! <= time)
				low = middle;
			else
				high = middle;
		}
		return low;
	}

	/** Ticks of a span in each state, into `out`. */
	valuesOf(span: number, out: Float64Array): Float64Array {
		const signs = this.signs[span]!;
		let at = this.place[span]!;
		for (let state = 0; state < STATE_COUNT; state++)
			out[state] = signs & (1 << state) ? this.values[at++]! : 0;
		return out;
	}

	/** Adds what a thread did between two times to `sums`; of a span that lies across one of them, its part. */
	add(thread: number, from: number, to: number, sums: Float64Array): void {
		const [first, end] = this.spansOf(thread);
		for (let span = first === end ? end : this.lastBefore(first, end, from); span < end; span++) {
			const begin = this.begin[span]!;
			const until = this.endOf(thread, span);
			if (begin > to || (begin === to && until > begin))
				return;
			const inside = Math.min(until, to) - Math.max(begin, from);
			const part = until > begin ? inside / (until - begin) : begin >= from ? 1 : 0;
			let at = this.place[span]!;
			for (let signs = this.signs[span]! & ALL, state = 0; part > 0 && signs; signs >>= 1, state++)
				if (signs & 1)
					sums[state]! += this.values[at++]! * part;
		}
	}

	/** Adds to equal parts of a time which share of them a thread was in each state: STATE_COUNT numbers a part. */
	fill(thread: number, from: number, to: number, parts: number, out: Float32Array): void {
		const [first, end] = this.spansOf(thread);
		if (first === end || this.ends[thread]! <= from || this.begin[first]! >= to)
			return;
		const scale = parts / (to - from);
		for (let span = this.lastBefore(first, end, from); span < end; span++) {
			const begin = this.begin[span]!;
			if (begin >= to)
				return;
			this.fillSpan(span, (begin - from) * scale, (this.endOf(thread, span) - from) * scale, scale, parts, out);
		}
	}

	/** The span is from x to `right`, in parts. */
	private fillSpan(span: number, x: number, right: number, scale: number, parts: number, out: Float32Array): void {
		const firstPart = Math.max(0, Math.floor(x));
		const lastPart = Math.min(parts - 1, Math.ceil(right) - 1);
		let at = this.place[span]!;
		for (let signs = this.signs[span]! & ALL, state = 0; signs; signs >>= 1, state++) {
			if (!(signs & 1))
				continue;
			const amount = this.values[at++]! * scale;
			if (lastPart <= firstPart) {
				if (firstPart < parts && right > 0)
					out[firstPart * STATE_COUNT + state]! += x < 0 || right > parts ? amount * (Math.min(right, parts) - Math.max(x, 0)) / (right - x) : amount;
				continue;
			}
			const density = amount / (right - x);
			for (let part = firstPart; part <= lastPart; part++)
				out[part * STATE_COUNT + state]! += density * (Math.min(right, part + 1) - Math.max(x, part));
		}
	}

	/** How many waits a span of a thread stands for, and the longest one; null: it ran. */
	waitOf(thread: number, span: number): { count: number; wait: Wait | null } | null {
		if (!(this.signs[span]! & WAITED))
			return null;
		const { numbers, os, rows } = this.waits();
		const index = this.waited[thread]! + this.countWaited(this.first[thread]!, span);
		return { count: numbers[index]!, wait: rows[os[index]! - 1] ?? null };
	}

	private countWaited(from: number, to: number): number {
		let count = 0;
		for (let span = from; span < to; span++)
			count += this.signs[span]! >> STATE_COUNT;
		return count;
	}

	private waits(): { numbers: Float64Array; os: Int32Array; rows: Wait[] } {
		if (!this.waitsRead) {
			const { data } = this;
			const [funcs, callers, holders, holderThreads, syscalls, objects] = ['function', 'caller', 'holder', 'holder_thread', 'syscall', 'object']
				.map((name) => data.indexes(`wait.${name}`)) as [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];
			const rows = Array.from(funcs, (func, i) => ({
				func: func - 1, caller: callers[i]! - 1, holder: holders[i]! - 1, holderThread: holderThreads[i]! - 1, syscall: data.text(syscalls[i]!), object: data.text(objects[i]!),
			}));
			this.waitsRead = { numbers: data.numbers('states.waits'), os: this.osNumbers(), rows };
		}
		return this.waitsRead;
	}

	/** Stored as what they differ by from the one before, anew in each thread. */
	private osNumbers(): Int32Array {
		const steps = this.data.signed('states.os');
		const numbers = new Int32Array(steps.length);
		let index = 0;
		for (let thread = 0; thread + 1 < this.first.length; thread++) {
			let number = 0;
			for (let span = this.first[thread]!; span < this.first[thread + 1]!; span++)
				if (this.signs[span]! & WAITED) {
					number += steps[index]!;
					numbers[index++] = number;
				}
		}
		return numbers;
	}
}
